"""Who is signed in with a token, and on which tablet.

A session ends 12 hours after signing in, when its person is disabled or its tablet
revoked, and for leaders away from a tablet after an hour without a request that a
person made.
"""

from __future__ import annotations

from datetime import timedelta

from mpms.ports.people import Session, Tablet
from mpms.ports.plant import Clock
from mpms.ports.store import UnitOfWork
from mpms.services.tokens import hash_of

IDLE = timedelta(minutes=60)
TOUCH_EVERY = timedelta(minutes=1)


def recognise(
    uow: UnitOfWork, clock: Clock, token: str, *, by_hand: bool = True
) -> Session | None:
    """``by_hand``: a person did something; a page that looks for news did not."""
    key = hash_of(token)
    with uow() as tx:
        session = tx.sessions.find(key)
        if session is None:
            return None
        quiet = clock.now() - session.seen_at
        if session.person.leads and session.tablet_id is None and quiet > IDLE:
            tx.sessions.close(key)
            return None
        if by_hand and quiet > TOUCH_EVERY:
            tx.sessions.touch(key)
        return session


def recognise_tablet(uow: UnitOfWork, token: str) -> Tablet | None:
    with uow() as tx:
        return tx.sessions.tablet(hash_of(token))
