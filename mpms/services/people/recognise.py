"""Who is signed in with a token, and on which tablet.

A session ends 12 hours after signing in, when its person is disabled or its tablet
revoked, and away from a tablet after some time without a request that a person made:
as long as is set for the role, an hour for leaders.

A tablet that was without network hands in what several people answered on it. Each of
them is believed only by a sign-in of theirs on that tablet, and only while it lasted;
each entry is signed with the key of that sign-in. The tablet gets the key once, cannot
read it back, and drops it when its person leaves, so that nobody who comes later can
write an entry for somebody before.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from mpms.domain.errors import MpmsError
from mpms.domain.people.people import Person, Role
from mpms.ports.clock import Clock
from mpms.ports.people.sessions import Session, Tablet
from mpms.ports.store import UnitOfWork
from mpms.services.people.session_tokens import hash_of

IDLE: Mapping[Role, timedelta] = {
    Role.ADMIN: timedelta(minutes=60),
    Role.SUPERVISOR: timedelta(minutes=60),
}
TOUCH_EVERY = timedelta(minutes=1)
ENTRY_KEY_BYTES = 32
CLOCK_TOLERANCE = timedelta(minutes=2)  # of a tablet's clock


class AnsweredElsewhere(MpmsError):
    """What somebody else answered is taken only from the tablet on which they were
    signed in then. It waits until they sign in themselves."""


def recognise(
    uow: UnitOfWork,
    clock: Clock,
    token: str,
    *,
    by_hand: bool = True,
    idle: Mapping[Role, timedelta] = IDLE,
) -> Session | None:
    """``by_hand``: a person did something; a page that looks for news did not."""
    key = hash_of(token)
    with uow() as tx:
        session = tx.sessions.find(key)
        if session is None:
            return None
        quiet = clock.now() - session.seen_at
        most = idle.get(session.person.role)
        if session.tablet_id is None and most is not None and quiet > most:
            tx.sessions.close(key)
            return None
        if by_hand and quiet > TOUCH_EVERY:
            tx.sessions.touch(key)
        return session


def recognise_tablet(uow: UnitOfWork, token: str) -> Tablet | None:
    with uow() as tx:
        return tx.sessions.tablet(hash_of(token))


@dataclass(frozen=True)
class Proof:
    """What an entry brings to show whose it is."""

    sign_in: str | None  # see ``sign_in_of``
    answered_at: datetime | None
    signed: bytes  # address and body of the post
    signature: str | None

    def is_made_with(self, key: bytes | None) -> bool:
        if key is None or self.signature is None:
            return False
        right = hmac.new(key, self.signed, hashlib.sha256).hexdigest()
        return hmac.compare_digest(right.encode(), self.signature.encode())


def give_entry_key(uow: UnitOfWork, token: str) -> bytes | None:
    """The key of this sign-in on a tablet; None if it was given before,
    but for the first minute."""
    key = secrets.token_bytes(ENTRY_KEY_BYTES)
    with uow() as tx:
        return key if tx.sessions.give_entry_key(hash_of(token), key) else None


def recognise_answerer(
    uow: UnitOfWork, session: Session, login: str, proof: Proof
) -> Person:
    """Who gave an answer that this session hands in. AnsweredElsewhere."""
    if login == session.person.login:
        return session.person
    if session.tablet_id is None or proof.sign_in is None or proof.answered_at is None:
        raise AnsweredElsewhere
    with uow() as tx:
        then = tx.sessions.on_tablet(session.tablet_id, proof.sign_in)
    if then is None or then.person.login != login:
        raise AnsweredElsewhere
    since, until = then.signed_in_at - CLOCK_TOLERANCE, then.ended_at + CLOCK_TOLERANCE
    if not since <= proof.answered_at <= until:
        raise AnsweredElsewhere
    if not proof.is_made_with(then.entry_key):
        raise AnsweredElsewhere
    return then.person


def sign_in_of(token: str) -> str:
    """Names a sign-in without opening it: pages may know it, scripts store it."""
    return hash_of(token)
