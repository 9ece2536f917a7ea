"""Who is told of which events, and how a receiver knows that it was us.

Headers and signature are those of the Standard Webhooks specification, for which there
are libraries in most languages.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from mpms.domain.errors import MpmsError
from mpms.domain.spelling import nearest

SECRET_PREFIX = "whsec_"  # noqa: S105
SECRET_BYTES = 32
LONGEST_URL = 2000
MOST_KINDS = 50
LONGEST_KIND = 100
KIND = re.compile(r"[\w *?./-]+")
FIRST_WAIT_S = 5.0
LONGEST_WAIT_S = 3600.0
GIVE_UP_AFTER = 20
"""Failures in a row, most of a day, after which an address is told nothing more."""


class WebhookInvalid(MpmsError):
    """The webhook cannot be used."""


class PostFailed(MpmsError):
    """The receiver did not take the event."""


def new_secret() -> str:
    raw = secrets.token_bytes(SECRET_BYTES)
    return SECRET_PREFIX + base64.b64encode(raw).decode()


def signature(secret: str, event_id: str, timestamp: int, body: bytes) -> str:
    """What the header ``webhook-signature`` says."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{event_id}.{timestamp}.".encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def fits(kinds: Iterable[str], kind: str) -> bool:
    """Whether an event is asked for; ``*`` stands for anything."""
    return any(fnmatchcase(kind, wanted) for wanted in kinds)


def checked_kinds(kinds: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """Kinds without repetition, each of which can happen. WebhookInvalid."""
    kept = tuple(dict.fromkeys(" ".join(kind.split()) for kind in kinds))
    if not 0 < len(kept) <= MOST_KINDS:
        raise WebhookInvalid(
            f"Say 1 to {MOST_KINDS} kinds of events; * stands for all."
        )
    for kind in kept:
        if len(kind) > LONGEST_KIND or not KIND.fullmatch(kind):
            raise WebhookInvalid(f"{kind!r} cannot be a kind of events.")
        if not any(fnmatchcase(each, kind) for each in known):
            meant = nearest(kind, known)
            hint = f"; did you mean {meant!r}?" if meant else "."
            raise WebhookInvalid(f"No event is of the kind {kind!r}{hint}")
    return kept


def checked_url(text: str, *, plain_allowed: bool) -> str:
    """An address that can be posted to. WebhookInvalid.

    Where it leads is checked again whenever it is called: names change their meaning.
    """
    url = text.strip()
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise WebhookInvalid("The address cannot be read.") from None
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable():
        raise WebhookInvalid("The address has characters that no address has.")
    if " " in url or not parts.hostname or port == 0:
        raise WebhookInvalid("The address looks like https://host/path.")
    if parts.scheme != "https" and not (plain_allowed and parts.scheme == "http"):
        raise WebhookInvalid("The address must begin with https://.")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise WebhookInvalid("The address must not hold a password or a fragment.")
    return url


def wait_s(failures: int) -> float:
    """How long to wait after so many failures in a row."""
    return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(failures - 1, 20))
