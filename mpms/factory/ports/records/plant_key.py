"""The key that seals records."""

from __future__ import annotations

from typing import Protocol


class PlantKey(Protocol):
    """Ed25519."""

    @property
    def public(self) -> str:
        """32 bytes as hex."""
        ...

    def sign(self, message: bytes) -> str:
        """64 bytes as hex."""
        ...
