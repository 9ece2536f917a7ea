"""Sign-ins that failed."""

from __future__ import annotations

from typing import Protocol


class Attempts(Protocol):
    """Failed sign-ins, counted for all processes together."""

    def note(self, key: str) -> None: ...
    def count(self, key: str, *, within_s: float) -> int: ...
    def forget(self, key: str) -> None: ...
    def sweep(self, *, older_than_s: float) -> None: ...
