"""Where one is signed in, and ending it there."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.domain.errors import NotFound
from mpms.domain.people.people import Person
from mpms.ports.people.sessions import OpenSession
from mpms.ports.store import UnitOfWork
from mpms.services.people.session_tokens import hash_of


class SessionUnknown(NotFound):
    """You are not signed in there any more."""


def list_sessions(uow: UnitOfWork, person: Person) -> Sequence[OpenSession]:
    with uow() as tx:
        return tx.sessions.of(person.id)


def end_session(uow: UnitOfWork, person: Person, session_id: int) -> None:
    """SessionUnknown."""
    with uow() as tx:
        found = next((s for s in tx.sessions.of(person.id) if s.id == session_id), None)
        if found is None:
            raise SessionUnknown
        tx.sessions.close(found.token_hash)
        tx.events.append("sessions ended", actor=person.login, data={"count": 1})


def end_other_sessions(uow: UnitOfWork, person: Person, token: str) -> int:
    """All but the one with this token."""
    with uow() as tx:
        others = [
            s for s in tx.sessions.of(person.id) if s.token_hash != hash_of(token)
        ]
        for one in others:
            tx.sessions.close(one.token_hash)
        if others:
            told = {"count": len(others)}
            tx.events.append("sessions ended", actor=person.login, data=told)
    return len(others)
