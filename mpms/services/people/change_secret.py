"""New passwords, PINs and badges; the old sessions of their owner end."""

from __future__ import annotations

from mpms.domain.errors import MpmsError, NotFound
from mpms.domain.people.people import Person
from mpms.domain.people.secret_rules import badge_of, check_password, check_pin
from mpms.ports.people.hasher import Hasher
from mpms.ports.store import UnitOfWork
from mpms.services.people.limit_attempts import (
    PASSWORD_OF_LOGIN,
    PIN_OF_PERSON,
    forget_attempts,
    take_attempt,
)
from mpms.services.people.session_tokens import hash_of
from mpms.services.people.sign_in import pin_key


class PersonUnknown(NotFound):
    """There is no such person."""


class OldSecretWrong(MpmsError):
    """What you typed as the present password or PIN is wrong."""


class BadgeTaken(MpmsError):
    """Somebody else has this badge."""


class LastAdministrator(MpmsError):
    """This is the last active administrator. Make another one first, or nobody could
    administer the plant."""


def prove(uow: UnitOfWork, hasher: Hasher, login: str, secret: str) -> None:
    """Check the password, or the PIN of a person who has no password.

    OldSecretWrong, TooManyAttempts.
    """
    with uow() as tx:
        kept = tx.people.secrets(login)
    by_password = kept is not None and kept.password_hash is not None
    # Guesses at the door, from anywhere, keep nobody who is inside from this.
    key = f"proof of {login}"
    take_attempt(uow, key, PASSWORD_OF_LOGIN if by_password else PIN_OF_PERSON)
    expected = None
    if kept is not None:
        expected = kept.password_hash if by_password else kept.pin_hash
    if not hasher.verify(expected, secret):
        raise OldSecretWrong
    with uow() as tx:
        forget_attempts(tx, key)


def set_password(
    uow: UnitOfWork,
    hasher: Hasher,
    login: str,
    password: str,
    *,
    by: str,
    reason: str = "",
    once: bool = False,
) -> None:
    """``once``: its owner chooses another after signing in. PasswordTooWeak,
    PersonUnknown."""
    check_password(password, login)
    hasher.refuse_leaked(password)
    new = hasher.hash(password)
    with uow() as tx:
        person = known(tx.people.get(login), login)
        tx.people.set_password(login, new)
        tx.people.set_password_once(login, once)
        tx.sessions.close_all(person.id)
        tx.attempts.forget_login(login)
        tx.events.append("password changed", actor=by, data=_told(login, reason))
        tx.notices.add(login, "password changed", by=by)


def set_pin(
    uow: UnitOfWork,
    hasher: Hasher,
    login: str,
    pin: str | None,
    *,
    by: str,
    reason: str = "",
) -> None:
    """None takes the PIN away. PinTooWeak, PersonUnknown."""
    if pin is not None:
        check_pin(pin)
    new = None if pin is None else hasher.hash(pin)
    with uow() as tx:
        person = known(tx.people.get(login), login)
        tx.people.set_pin(login, new)
        tx.sessions.close_all(person.id)
        forget_attempts(tx, pin_key(login))
        told = _told(login, reason) | ({"removed": True} if pin is None else {})
        tx.events.append("PIN changed", actor=by, data=told)
        tx.notices.add(login, "PIN changed", by=by)


def set_badge(
    uow: UnitOfWork, login: str, scanned: str | None, *, by: str, reason: str = ""
) -> None:
    """None takes the badge away. BadgeInvalid, BadgeTaken, PersonUnknown."""
    new = None if scanned is None else hash_of(badge_of(scanned))
    with uow() as tx:
        known(tx.people.get(login), login)
        owner = None if new is None else tx.people.by_badge(new)
        if owner is not None and owner.login != login:
            raise BadgeTaken
        tx.people.set_badge(login, new)
        told = _told(login, reason) | ({"removed": True} if new is None else {})
        tx.events.append("badge changed", actor=by, data=told)
        tx.notices.add(login, "badge changed", by=by)


def set_active(
    uow: UnitOfWork, login: str, active: bool, *, by: str, reason: str = ""
) -> None:
    """Who is disabled is signed out at once and hands back the badge, which somebody
    else may get; their programs' tokens end. PersonUnknown, LastAdministrator."""
    with uow() as tx:
        person = known(tx.people.get(login), login)
        if not active and tx.people.lock_admins() == {login}:
            raise LastAdministrator
        tx.people.set_active(login, active)
        if not active:
            tx.sessions.close_all(person.id)
            tx.people.set_badge(login, None)
            for name in tx.api_tokens.revoke_of(login):
                told = {"token": name, "reason": f"{login} has left"}
                tx.events.append("token revoked", actor=by, data=told)
        kind = "person enabled" if active else "person disabled"
        tx.events.append(kind, actor=by, data=_told(login, reason))


def known(person: Person | None, login: str) -> Person:
    """PersonUnknown."""
    if person is None:
        raise PersonUnknown(f"There is no person with the login {login}.")
    return person


def _told(login: str, reason: str) -> dict[str, object]:
    return {"login": login, "reason": reason} if reason else {"login": login}
