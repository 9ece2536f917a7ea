"""Links for people without an account: a number and an end, signed.

Nobody can make one without the secret, and none tells more than its own number.
"""

from __future__ import annotations

import base64
import hmac
from binascii import Error as NotBase64
from datetime import UTC, datetime
from hashlib import sha256

from mpms.domain.errors import MpmsError

SIGNATURE_BYTES = 16
LONGEST = 400


class LinkInvalid(MpmsError):
    """This link is not one of ours."""


class LinkExpired(MpmsError):
    """This link has expired."""


def write_link(secret: bytes, number: str, expires_at: datetime) -> str:
    said = f"{int(expires_at.timestamp())}|{number}".encode()
    return f"{_text(said)}.{_text(_signature(secret, said))}"


def read_link(secret: bytes, link: str, now: datetime) -> str:
    """The number of the order. LinkInvalid, LinkExpired."""
    said_text, _, signature_text = link[:LONGEST].partition(".")
    try:
        said, signature = _bytes(said_text), _bytes(signature_text)
    except (NotBase64, ValueError):
        raise LinkInvalid from None
    if not hmac.compare_digest(signature, _signature(secret, said)):
        raise LinkInvalid
    until, _, number = said.decode().partition("|")
    if now >= datetime.fromtimestamp(int(until), UTC):
        raise LinkExpired
    return number


def _signature(secret: bytes, said: bytes) -> bytes:
    return hmac.digest(secret, said, sha256)[:SIGNATURE_BYTES]


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    padded = text.encode("ascii") + b"=" * (-len(text) % 4)
    return base64.b64decode(padded, altchars=b"-_", validate=True)
