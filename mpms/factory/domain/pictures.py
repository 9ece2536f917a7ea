"""What a picture of a material is called: by its content, which never changes."""

from __future__ import annotations

import hashlib
import re

MOST_BYTES = 2_000_000
MEDIA_TYPES = {"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp"}
NAME = re.compile(r"[0-9a-f]{32}\.(jpg|png|webp)")


def name_of(content: bytes, media_type: str) -> str:
    ending = next(e for e, known in MEDIA_TYPES.items() if known == media_type)
    return f"{hashlib.sha256(content).hexdigest()[:32]}.{ending}"


def media_type_of_name(name: str) -> str:
    return MEDIA_TYPES[name.rpartition(".")[2]]
