"""Say that an account here and a person at the sign-in service are one, or are not."""

from __future__ import annotations

from mpms.domain.errors import Conflict, NotFound
from mpms.ports.store import UnitOfWork
from mpms.services.instances.apply_repair import required
from mpms.services.people.change_secret import known


class SignInUnknown(NotFound):
    """Nobody at that sign-in service asks for this account or has it."""


class SignInLinked(Conflict):
    """This person has another sign-in at that service; remove it first."""


def link_sign_in(
    uow: UnitOfWork, login: str, issuer: str, subject: str, *, by: str, reason: str
) -> None:
    """PersonUnknown, SignInUnknown, SignInLinked, ReasonMissing."""
    why = required(reason)
    with uow() as tx:
        known(tx.people.get(login), login)
        if not tx.people.drop_request(issuer, subject, login):
            raise SignInUnknown
        if not tx.people.bind_identity(issuer, subject, login):
            raise SignInLinked
        told = {"login": login, "with": issuer, "subject": subject, "reason": why}
        tx.events.append("sign-in linked", actor=by, data=told)


def unlink_sign_in(
    uow: UnitOfWork, login: str, issuer: str, subject: str, *, by: str, reason: str
) -> None:
    """Take it away, or say no to who asked; sessions of the person end.

    PersonUnknown, SignInUnknown, ReasonMissing.
    """
    why = required(reason)
    with uow() as tx:
        person = known(tx.people.get(login), login)
        if tx.people.unbind_identity(issuer, subject, login):
            tx.sessions.close_all(person.id)
        elif not tx.people.drop_request(issuer, subject, login):
            raise SignInUnknown
        told = {"login": login, "with": issuer, "subject": subject, "reason": why}
        tx.events.append("sign-in unlinked", actor=by, data=told)
