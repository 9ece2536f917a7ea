"""Signing in: by password anywhere, by PIN or badge on an enrolled tablet.

A wrong login and a wrong password get the same answer after the same work. What was
typed never reaches the history: people type passwords into the wrong field.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from mpms.domain.errors import MpmsError
from mpms.domain.people.people import Person
from mpms.domain.people.secret_rules import (
    BadgeInvalid,
    LoginInvalid,
    badge_of,
    login_of,
)
from mpms.ports.clock import Clock
from mpms.ports.people.hasher import Hasher
from mpms.ports.people.sessions import Tablet
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.people.limit_attempts import (
    GUESS_ON_TABLET,
    PASSWORD_EVERYWHERE,
    PASSWORD_FROM_ADDRESS,
    PASSWORD_OF_LOGIN,
    PIN_OF_PERSON,
    forget_attempts,
    refuse_if_waiting,
    take_attempt,
)
from mpms.services.people.session_tokens import hash_of, new_token

SESSION_H = 12
HALF_S = 600.0  # for the second factor
NOBODY = "nobody"
SECRET_AT_MOST = 1024


class SignInRefused(MpmsError):
    """The login or the password is wrong."""


class PinRefused(SignInRefused):
    """The PIN is wrong."""


class BadgeRefused(SignInRefused):
    """This badge is not known."""


class SecondFactorNeeded(MpmsError):
    """The password is right; show the second factor, too."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self.token = token


class TabletNotEnrolled(MpmsError):
    """PIN and badge work on enrolled tablets only. Sign in with the password."""


@dataclass(frozen=True)
class Door:
    """Where somebody stands who wants to come in."""

    address: str
    tablet: Tablet | None = None
    old_token: str | None = None  # of the session that this one replaces
    browser: str = ""


@dataclass(frozen=True)
class SignedIn:
    """A new session; the token is known to nobody but this browser."""

    person: Person
    token: str
    expires_at: datetime


@dataclass(frozen=True)
class SignIn:
    """Opens sessions."""

    uow: UnitOfWork
    hasher: Hasher
    clock: Clock

    def with_password(self, typed_login: str, password: str, door: Door) -> SignedIn:
        """SignInRefused, SecondFactorNeeded, TooManyAttempts."""
        login = _login_or_none(typed_login)
        everywhere, from_here = password_key(login), f"password from {door.address}"
        key = password_key_from(login, door.address)
        with self.uow() as tx:
            refuse_if_waiting(tx, from_here, PASSWORD_FROM_ADDRESS)
        take_attempt(self.uow, key, PASSWORD_OF_LOGIN)
        take_attempt(self.uow, everywhere, PASSWORD_EVERYWHERE)
        person, kept, _ = self._look_up(login)
        if not self.hasher.verify(kept, password[:SECRET_AT_MOST]) or person is None:
            self._refuse(from_here, "password", person, door)
            raise SignInRefused
        with self.uow() as tx:
            asks = has_second_factor(tx, person.id)
        if asks:
            raise SecondFactorNeeded(
                self._half_way(person, "password", key, everywhere)
            )
        return self._enter(person, "password", key, door, everywhere)

    def _half_way(self, person: Person, means: str, *counted: str) -> str:
        token = new_token()
        with self.uow() as tx:
            for key in counted:
                forget_attempts(tx, key)
            tx.second_factors.begin_half(
                hash_of(token), person.id, means, challenge=None, good_s=HALF_S
            )
        return token

    def with_pin(self, typed_login: str, pin: str, door: Door) -> SignedIn:
        """PinRefused, TabletNotEnrolled, TooManyAttempts."""
        here = _guesses_on(door)
        login = _login_or_none(typed_login)
        key = pin_key(login)
        with self.uow() as tx:
            refuse_if_waiting(tx, here, GUESS_ON_TABLET)
        take_attempt(self.uow, key, PIN_OF_PERSON)
        person, _, kept = self._look_up(login)
        if not self.hasher.verify(kept, pin[:SECRET_AT_MOST]) or person is None:
            self._refuse(here, "pin", person, door)
            raise PinRefused
        return self._enter(person, "pin", key, door)

    def with_badge(self, scanned: str, door: Door) -> SignedIn:
        """BadgeRefused, TabletNotEnrolled, TooManyAttempts."""
        here = _guesses_on(door)
        with self.uow() as tx:
            refuse_if_waiting(tx, here, GUESS_ON_TABLET)
            person = _by_badge(tx, scanned)
        if person is None:
            self._refuse(here, "badge", None, door)
            raise BadgeRefused
        return self._enter(person, "badge", None, door)

    def vouched_for(self, person: Person, by: str, door: Door) -> SignedIn:
        """A session for somebody whom another door has recognised."""
        return self._enter(person, by, None, door)

    def again(self, person: Person, door: Door) -> SignedIn:
        """A new session for somebody who is signed in and changed a secret."""
        return self._enter(person, "changed secret", None, door)

    def _look_up(
        self, login: str | None
    ) -> tuple[Person | None, str | None, str | None]:
        if login is None:
            return None, None, None
        with self.uow() as tx:
            secrets = tx.people.secrets(login)
            person = None if secrets is None else tx.people.get(login)
        if secrets is None or person is None:
            return None, None, None
        return person, secrets.password_hash, secrets.pin_hash

    def _refuse(
        self, counted: str, means: str, person: Person | None, door: Door
    ) -> None:
        with self.uow() as tx:
            tx.attempts.note(counted)
            tx.events.append(
                "sign-in refused",
                actor=NOBODY if person is None else person.login,
                data=_told(means, door),
            )

    def _enter(
        self,
        person: Person,
        means: str,
        counted: str | None,
        door: Door,
        *more_counted: str,
    ) -> SignedIn:
        token = new_token()
        expires_at = self.clock.now() + timedelta(hours=SESSION_H)
        data = _told(means, door)
        with self.uow() as tx:
            for key in filter(None, (counted, *more_counted)):
                forget_attempts(tx, key)
            if door.old_token is not None:
                before = tx.sessions.find(hash_of(door.old_token))
                tx.sessions.close(hash_of(door.old_token))
                if before is not None and before.person.id != person.id:
                    data["instead_of"] = before.person.login
            tx.sessions.open(
                hash_of(token),
                person.id,
                tablet_id=None if door.tablet is None else door.tablet.id,
                expires_at=expires_at,
                means=means,
                address=door.address,
                browser=door.browser,
            )
            tx.events.append("signed in", actor=person.login, data=data)
        return SignedIn(person, token, expires_at)


def has_second_factor(tx: Transaction, person_id: int) -> bool:
    app = tx.second_factors.app(person_id)
    return (app is not None and app.confirmed) or bool(
        tx.second_factors.passkeys(person_id)
    )


def password_key(login: str | None) -> str:
    """What failed passwords are counted by; all impossible logins share one."""
    return f"password of {login or NOBODY}"


def password_key_from(login: str | None, address: str) -> str:
    """Who guesses from one address must not lock somebody out who is elsewhere."""
    return f"{password_key(login)} from {address}"


def pin_key(login: str | None) -> str:
    return f"pin of {login or NOBODY}"


def _guesses_on(door: Door) -> str:
    if door.tablet is None:
        raise TabletNotEnrolled
    return f"tablet {door.tablet.id}"


def _login_or_none(typed: str) -> str | None:
    try:
        return login_of(typed)
    except LoginInvalid:
        return None


def _by_badge(tx: Transaction, scanned: str) -> Person | None:
    try:
        return tx.people.by_badge(hash_of(badge_of(scanned)))
    except BadgeInvalid:
        return None


def _told(means: str, door: Door) -> dict[str, str]:
    told = {"with": means, "address": door.address}
    return told if door.tablet is None else told | {"tablet": door.tablet.name}
