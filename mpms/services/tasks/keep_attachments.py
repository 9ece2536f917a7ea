"""Put the photos and signatures of an answer away as rows of their own.

Process variables travel through every step of an instance; a picture does not belong
there. What stays in the answer is a reference.
"""

from __future__ import annotations

import base64
import binascii
import uuid
from collections.abc import Mapping
from typing import Any

from mpms.domain.errors import FormInvalid
from mpms.domain.forms import fields
from mpms.domain.forms.reading import MAX_IMAGE_BYTES
from mpms.domain.tasks import FormTask
from mpms.ports.store import Transaction
from mpms.ports.tasks.attachments import Attachment

PICTURES = frozenset({"photo", "signature"})


def keep_attachments(
    tx: Transaction,
    task: FormTask,
    schema: Mapping[str, Any],
    accepted: dict[str, Any],
    *,
    by: str,
) -> dict[str, Any]:
    """The answers with pictures replaced by references. FormInvalid."""
    kept = dict(accepted)
    for field in fields(dict(schema)):
        value = accepted.get(field["key"])
        if field["type"] not in PICTURES or not isinstance(value, str):
            continue
        if not value.startswith("data:"):
            continue
        label = field.get("label") or field["key"]
        media_type, content = _picture(label, value)
        picture = Attachment(
            str(uuid.uuid4()),
            task.instance_id,
            task.task_id,
            field["key"],
            media_type,
            content,
        )
        tx.attachments.add(picture, by=by)
        kept[field["key"]] = {
            "attachment": picture.id,
            "media_type": media_type,
            "bytes": len(content),
        }
    return kept


def _picture(label: str, value: str) -> tuple[str, bytes]:
    head, _, encoded = value.partition(",")
    try:
        content = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise FormInvalid(f"{label}: the picture is damaged.") from None
    if len(content) > MAX_IMAGE_BYTES:
        raise FormInvalid(f"{label}: the picture is larger than 4 MB.")
    found = media_type_of(content)
    if found is None:
        raise FormInvalid(f"{label}: must be a picture (JPEG, PNG or WebP).")
    if head != f"data:{found};base64":
        raise FormInvalid(f"{label}: the picture is not what it claims to be.")
    return found, content


def media_type_of(content: bytes) -> str | None:
    """What the first bytes say; a claim of the sender counts for nothing."""
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return None
