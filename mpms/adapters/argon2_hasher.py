"""Passwords and PINs by Argon2id.

Each hash takes 19 MiB for about 50 ms on a cheap machine. Only a few run at once: a
web server with hundreds of threads would otherwise let strangers fill its memory.
"""

from __future__ import annotations

import secrets
import threading
import unicodedata
from pathlib import Path

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError

from mpms.adapters.leaked_passwords import is_leaked
from mpms.domain.people.secret_rules import PasswordTooWeak

MEMORY_KIB = 19 * 1024
ROUNDS = 2
AT_ONCE = 4


class Argon2Hasher:
    """Implements ``Hasher``; safe to share between threads."""

    def __init__(
        self,
        *,
        rounds: int = ROUNDS,
        memory_kib: int = MEMORY_KIB,
        leaked: Path | None = None,
    ) -> None:
        """``leaked``: see ``leaked_passwords``."""
        self._leaked = leaked
        self._argon2 = PasswordHasher(
            time_cost=rounds, memory_cost=memory_kib, parallelism=1, type=Type.ID
        )
        self._turn = threading.BoundedSemaphore(AT_ONCE)
        self._nobodys = self._argon2.hash(secrets.token_hex(16))

    def hash(self, secret: str) -> str:
        with self._turn:
            return self._argon2.hash(_same_on_every_keyboard(secret))

    def refuse_leaked(self, password: str) -> None:
        if self._leaked is not None and is_leaked(self._leaked, password):
            raise PasswordTooWeak(
                "This password is in a list of leaked ones. Choose another."
            )

    def verify(self, kept: str | None, secret: str) -> bool:
        with self._turn:
            try:
                self._argon2.verify(
                    self._nobodys if kept is None else kept,
                    _same_on_every_keyboard(secret),
                )
            except (VerificationError, InvalidHashError):
                return False
        return kept is not None


def _same_on_every_keyboard(secret: str) -> bytes:
    """One letter may be typed as one character or as a letter and its accent."""
    return unicodedata.normalize("NFKC", secret).encode("utf-8", "replace")
