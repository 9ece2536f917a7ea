"""Secrets that are kept so that nobody can read them back."""

from __future__ import annotations

from typing import Protocol


class Hasher(Protocol):
    """Slow on purpose."""

    def hash(self, secret: str) -> str: ...

    def verify(self, kept: str | None, secret: str) -> bool:
        """Without a kept hash the answer is no, after the same work as with one, so
        that the time of the answer does not tell who exists."""
        ...

    def refuse_leaked(self, password: str) -> None:
        """PasswordTooWeak, if it stands in a list of leaked passwords."""
        ...
