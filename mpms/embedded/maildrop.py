"""Put messages into mail directories, as every mail server on earth does it."""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path

BOXES = ("tmp", "new", "cur")


def make_mailbox(folder: Path) -> None:
    """Make an empty mail directory."""
    for box in BOXES:
        (folder / box).mkdir(parents=True, exist_ok=True, mode=0o700)


def drop_into(folder: Path, message: bytes) -> Path:
    """Deliver into a mail directory: whole and on the disk, or not at all."""
    name = f"{time.time():.6f}.{os.getpid()}_{secrets.token_hex(8)}.mpms"
    draft, final = folder / "tmp" / name, folder / "new" / name
    with open(draft, "xb", opener=_private) as file:
        file.write(message)
        file.flush()
        os.fsync(file.fileno())
    os.rename(draft, final)
    return final


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
