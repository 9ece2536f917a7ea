"""Signing out: here, or everywhere."""

from __future__ import annotations

from mpms.domain.people.people import Person
from mpms.ports.store import UnitOfWork
from mpms.services.people.session_tokens import hash_of


def sign_out(uow: UnitOfWork, person: Person, token: str) -> None:
    with uow() as tx:
        tx.sessions.close(hash_of(token))
        tx.events.append("signed out", actor=person.login)
