"""Clients of the API: made by an administrator, each with a role and an end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from mpms.domain.errors import Conflict, MpmsError, NotFound
from mpms.domain.people.people import Person, Role
from mpms.ports.api import ApiToken
from mpms.ports.clock import Clock
from mpms.ports.store import UnitOfWork
from mpms.services.people.change_secret import known
from mpms.services.people.limit_attempts import Limit, refuse_if_waiting
from mpms.services.people.session_tokens import hash_of, new_token

PREFIX = "mpms_"
NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?")
USUAL_DAYS = 90
MOST_DAYS = 3650
LONGEST_GROUP = 60
MOST_GROUPS = 50
TOUCH_S = 60.0
SCOPE = re.compile(r"[a-z][a-z-]{0,39}(?::read)?")
MOST_SCOPES = 40
MOST_PER_MINUTE = 100_000
GUESS_FROM_ADDRESS = Limit(20, 30, 900, 3600)  # an office may share an address


class TokenNameInvalid(MpmsError):
    """A token has a name of 1 to 40 letters a-z, digits, dots, dashes or underscores,
    and begins and ends with a letter or a digit."""


class TokenNameTaken(Conflict):
    """There is a token with this name already; revoke it first."""


class TokenDaysInvalid(MpmsError):
    """A token is valid for 1 to 3650 days."""


class TokenGroupInvalid(MpmsError):
    """A group has 1 to 60 printable characters; a token has at most 50 of them."""


class TokenScopeInvalid(MpmsError):
    """A scope is the name of a section of the API in small letters, such as instances,
    with :read behind it if nothing is to be changed; workers is what external workers
    use. A token has at most 40."""


class TokenRateInvalid(MpmsError):
    """A token may ask 1 to 100000 times a minute."""


class TokenUnknown(NotFound):
    """There is no such token, or it is revoked already."""


class TokenRefused(MpmsError):
    """This token is not known."""


@dataclass(frozen=True)
class NewToken:
    """The secret is told once and never again."""

    token: ApiToken
    secret: str


def add_token(
    uow: UnitOfWork,
    clock: Clock,
    name: str,
    role: Role,
    *,
    groups: Sequence[str] = (),
    days: int = USUAL_DAYS,
    scopes: Sequence[str] = (),
    per_minute: int | None = None,
    owner: str | None = None,
    by: str,
) -> NewToken:
    """``owner``: with whose leaving it ends; else whoever makes it, if they sign in.

    TokenNameInvalid, TokenNameTaken, TokenDaysInvalid, TokenGroupInvalid,
    TokenScopeInvalid, TokenRateInvalid, PersonUnknown.
    """
    if NAME.fullmatch(name) is None:
        raise TokenNameInvalid(" ".join((TokenNameInvalid.__doc__ or "").split()))
    if not 1 <= days <= MOST_DAYS:
        raise TokenDaysInvalid
    kept = tuple(dict.fromkeys(" ".join(group.split()) for group in groups))
    if len(kept) > MOST_GROUPS or any(
        not 0 < len(group) <= LONGEST_GROUP or not group.isprintable() for group in kept
    ):
        raise TokenGroupInvalid
    if len(scopes) > MOST_SCOPES or not all(map(SCOPE.fullmatch, scopes)):
        raise TokenScopeInvalid
    if per_minute is not None and not 1 <= per_minute <= MOST_PER_MINUTE:
        raise TokenRateInvalid
    secret = PREFIX + new_token()
    with uow() as tx:
        if owner is not None:
            known(tx.people.get(owner), owner)
        if tx.api_tokens.named(name) is not None:
            raise TokenNameTaken
        token = tx.api_tokens.add(
            hash_of(secret),
            name,
            role,
            groups=kept,
            expires_at=clock.now() + timedelta(days=days),
            by=by,
            owner=owner or by,
            scopes=tuple(dict.fromkeys(scopes)),
            per_minute=per_minute,
        )
        told = {"token": name, "role": str(role), "groups": list(kept), "days": days}
        if token.owner is not None:
            told["owner"] = token.owner
        if token.scopes:
            told["scopes"] = list(token.scopes)
        tx.events.append("token added", actor=by, data=told)
    return NewToken(token, secret)


def list_tokens(uow: UnitOfWork) -> Sequence[ApiToken]:
    with uow() as tx:
        return tx.api_tokens.listing()


def revoke_token(uow: UnitOfWork, token_id: int, *, by: str) -> ApiToken:
    """TokenUnknown."""
    with uow() as tx:
        found = tx.api_tokens.get(token_id)
        if found is None or not tx.api_tokens.revoke(token_id):
            raise TokenUnknown
        tx.events.append("token revoked", actor=by, data={"token": found.name})
    return found


def recognise_token(
    uow: UnitOfWork, clock: Clock, secret: str, address: str
) -> ApiToken:
    """Whose token this is. TokenRefused with the cause; TooManyAttempts.

    Only wrong tokens are counted and made to wait: somebody who guesses must not keep
    out the clients that share his address.
    """
    now = clock.now()
    with uow() as tx:
        found = tx.api_tokens.find(hash_of(secret))
        if found is not None and found.usable(now):
            tx.api_tokens.touch(found.id, every_s=TOUCH_S)
            return found
        counted = f"api token from {address}"
        refuse_if_waiting(tx, counted, GUESS_FROM_ADDRESS)
        tx.attempts.note(counted)
    raise TokenRefused(_why(found, now))


def person_of(token: ApiToken) -> Person:
    """The client as services and the history know it; no login has a colon."""
    return Person(0, f"api:{token.name}", token.name, token.role, token.groups)


def _why(found: ApiToken | None, now: datetime) -> str:
    if found is None:
        return "This token is not known."
    if found.revoked_at is not None:
        return "This token was revoked."
    return "This token has expired."
