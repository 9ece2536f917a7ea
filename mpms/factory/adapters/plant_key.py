"""The plant's key: an Ed25519 key in a file that only its owner can read.

Whoever verifies needs the public half only. The key is made where there is none, so
that records are sealed from the first day on.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from mpms.domain.errors import MpmsError


class PlantKeyUnreadable(MpmsError):
    """The plant's key cannot be read."""


class FileKey:
    """A private key in memory."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> str:
        return self._key.sign(message).hex()


def read_key(file: Path) -> FileKey:
    """PlantKeyUnreadable."""
    try:
        key = load_pem_private_key(file.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as failure:
        why = failure.strerror if isinstance(failure, OSError) else "it is no key"
        raise PlantKeyUnreadable(
            f"The key that seals batch records, {file}, cannot be read: {why}."
        ) from failure
    if not isinstance(key, Ed25519PrivateKey):
        raise PlantKeyUnreadable(f"{file} is no Ed25519 key.")
    return FileKey(key)


def read_or_make_key(file: Path) -> FileKey:
    """The key in this file, a new one if there is no file. PlantKeyUnreadable."""
    if not file.exists():
        pem = Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
        own = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            own.touch(mode=0o600)
            own.write_bytes(pem)
            with suppress(FileExistsError):  # another process was faster
                os.link(own, file)
        except OSError as failure:
            raise PlantKeyUnreadable(f"{file}: {failure.strerror}.") from failure
        finally:
            own.unlink(missing_ok=True)
    return read_key(file)


def verify(public: str, message: bytes, signature: str) -> bool:
    """Whether the owner of a key has signed this."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True
