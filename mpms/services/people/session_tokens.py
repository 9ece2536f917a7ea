"""Tokens that browsers keep; the database keeps only what they hash to."""

from __future__ import annotations

import hashlib
import secrets

TOKEN_BYTES = 32


def new_token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


def hash_of(token: str) -> str:
    """A fast hash does: nobody guesses 256 random bits. Badges have fewer, and open
    nothing away from an enrolled tablet, where guesses are counted."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
