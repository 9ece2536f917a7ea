"""The second factor: showing it when signing in, and choosing what it is.

An app that shows codes, or passkeys of devices; whoever has one is asked for it after
the password, wherever that was typed. On an enrolled tablet the tablet is the second
factor of PIN and badge. Who has lost it is helped by an administrator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mpms.domain.errors import MpmsError, NotFound
from mpms.domain.people.people import Person
from mpms.ports.clock import Clock
from mpms.ports.people.second_factors import (
    Authenticators,
    HalfSignIn,
    Offer,
    Passkey,
    PasskeyRefused,
    PasskeySite,
)
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.apply_repair import required
from mpms.services.people.change_secret import known
from mpms.services.people.limit_attempts import (
    Limit,
    TooManyAttempts,
    forget_attempts,
    take_attempt,
)
from mpms.services.people.session_tokens import hash_of, new_token
from mpms.services.people.sign_in import (
    HALF_S,
    Door,
    SignedIn,
    SignIn,
    SignInRefused,
    has_second_factor,
)

CODES = Limit(5, 60, 900, 3600)
MOST_PASSKEYS = 10
NAME_AT_MOST = 60


class CodeRefused(SignInRefused):
    """The code is wrong, or has been used. Wait for the next one."""


class HalfSignInOver(MpmsError):
    """This took too long. Sign in again."""


class AppThere(MpmsError):
    """An app shows codes for you already; remove it first."""


class TooManyPasskeys(MpmsError):
    """You have ten passkeys. Remove one first."""


class PasskeyNameInvalid(MpmsError):
    """A passkey needs a name of at most 60 characters, such as its device."""


class FactorUnknown(NotFound):
    """There is no such second factor."""


@dataclass(frozen=True)
class SecondStep:
    """Turns half a sign-in into one."""

    uow: UnitOfWork
    clock: Clock
    sign_in: SignIn
    authenticators: Authenticators

    def who(self, token: str) -> HalfSignIn:
        """HalfSignInOver."""
        with self.uow() as tx:
            return _half(tx, token)

    def with_code(self, token: str, code: str, door: Door) -> SignedIn:
        """CodeRefused, HalfSignInOver, TooManyAttempts."""
        half = self.who(token)
        counted = _counted(half.person)
        take_attempt(self.uow, counted, CODES)
        with self.uow() as tx:
            app = tx.second_factors.app(half.person.id)
            step = None
            if app is not None and app.confirmed:
                now = self.clock.now()
                step = self.authenticators.step_of(app.secret, code, now)
            if step is None or not tx.second_factors.use_code(half.person.id, step):
                raise CodeRefused
        return self._enter(token, half, "code", counted, door)

    def ask_passkey(self, token: str, site: PasskeySite) -> Offer:
        """HalfSignInOver, FactorUnknown."""
        with self.uow() as tx:
            half = _half(tx, token)
            offer = self.authenticators.ask(site, _of_site(tx, half.person, site))
            tx.second_factors.set_challenge(hash_of(token), offer.challenge)
        return offer

    def with_passkey(
        self, token: str, site: PasskeySite, said: Mapping[str, Any], door: Door
    ) -> SignedIn:
        """PasskeyRefused, HalfSignInOver, TooManyAttempts."""
        half = self.who(token)
        counted = _counted(half.person)
        take_attempt(self.uow, counted, CODES)
        with self.uow() as tx:
            if half.challenge is None:
                raise PasskeyRefused
            found, uses = self.authenticators.shown(
                site, half.challenge, said, _of_site(tx, half.person, site)
            )
            if not tx.second_factors.use_passkey(found.id, uses):
                raise PasskeyRefused
        return self._enter(token, half, "passkey", counted, door)

    def _enter(
        self, token: str, half: HalfSignIn, shown: str, counted: str, door: Door
    ) -> SignedIn:
        with self.uow() as tx:
            tx.second_factors.end_half(hash_of(token))
            forget_attempts(tx, counted)
        return self.sign_in.vouched_for(half.person, f"{half.means} and {shown}", door)


# -- one's own -------------------------------------------------------------------------


def begin_app(uow: UnitOfWork, authenticators: Authenticators, person: Person) -> str:
    """The secret for a new app; it counts when it has shown a right code. AppThere."""
    with uow() as tx:
        app = tx.second_factors.app(person.id)
        if app is not None and app.confirmed:
            raise AppThere
        secret = authenticators.new_secret()
        tx.second_factors.begin_app(person.id, secret)
    return secret


def confirm_app(
    uow: UnitOfWork,
    clock: Clock,
    authenticators: Authenticators,
    person: Person,
    code: str,
) -> None:
    """CodeRefused, FactorUnknown, TooManyAttempts."""
    take_attempt(uow, _counted(person), CODES)
    with uow() as tx:
        app = tx.second_factors.app(person.id)
        if app is None or app.confirmed:
            raise FactorUnknown
        step = authenticators.step_of(app.secret, code, clock.now())
        if step is None or not tx.second_factors.use_code(person.id, step):
            raise CodeRefused
        forget_attempts(tx, _counted(person))
        _tell(tx, person.login, "second factor added", "app", by=person.login)


def offer_passkey(
    uow: UnitOfWork, authenticators: Authenticators, person: Person, site: PasskeySite
) -> tuple[Offer, str]:
    """And a token to bring back with what the device says. TooManyPasskeys."""
    token = new_token()
    with uow() as tx:
        mine = tx.second_factors.passkeys(person.id)
        if len(mine) >= MOST_PASSKEYS:
            raise TooManyPasskeys
        offer = authenticators.offer(site, person, mine)
        tx.second_factors.begin_half(
            hash_of(token),
            person.id,
            "new passkey",
            challenge=offer.challenge,
            good_s=HALF_S,
        )
    return offer, token


def add_passkey(
    uow: UnitOfWork,
    authenticators: Authenticators,
    person: Person,
    site: PasskeySite,
    token: str,
    said: Mapping[str, Any],
    name: str,
) -> None:
    """PasskeyRefused, PasskeyNameInvalid, HalfSignInOver."""
    plain = " ".join(name.split())
    if not 0 < len(plain) <= NAME_AT_MOST or not plain.isprintable():
        raise PasskeyNameInvalid
    with uow() as tx:
        half = tx.second_factors.half(hash_of(token))
        if half is None or half.person.id != person.id or half.means != "new passkey":
            raise HalfSignInOver
        made = authenticators.new_passkey(site, half.challenge or b"", said, plain)
        tx.second_factors.end_half(hash_of(token))
        if not tx.second_factors.add_passkey(person.id, made):
            raise PasskeyRefused
        _tell(tx, person.login, "second factor added", "passkey", by=person.login)


def drop_factor(uow: UnitOfWork, person: Person, passkey_id: bytes | None) -> None:
    """The app, or one passkey. FactorUnknown."""
    with uow() as tx:
        mine = tx.second_factors
        if not (
            mine.drop_app(person.id)
            if passkey_id is None
            else mine.drop_passkey(person.id, passkey_id)
        ):
            raise FactorUnknown
        kind = "app" if passkey_id is None else "passkey"
        _tell(tx, person.login, "second factor removed", kind, by=person.login)


# -- of others -------------------------------------------------------------------------


def drop_factors(uow: UnitOfWork, login: str, *, by: str, reason: str) -> int:
    """Who has lost phone and keys signs in with the password alone, once more.
    PersonUnknown, ReasonMissing."""
    why = required(reason)
    with uow() as tx:
        person = known(tx.people.get(login), login)
        dropped = tx.second_factors.drop_all(person.id)
        tx.sessions.close_all(person.id)
        _tell(tx, login, "second factor removed", "all", by=by, reason=why)
    return dropped


def _half(tx: Transaction, token: str) -> HalfSignIn:
    half = tx.second_factors.half(hash_of(token))
    if half is None or half.means == "new passkey":
        raise HalfSignInOver
    return half


def _of_site(tx: Transaction, person: Person, site: PasskeySite) -> list[Passkey]:
    """FactorUnknown."""
    found = [k for k in tx.second_factors.passkeys(person.id) if k.site == site.name]
    if not found:
        raise FactorUnknown
    return found


def _counted(person: Person) -> str:
    return f"second factor of {person.login}"


def _tell(
    tx: Transaction, login: str, kind: str, what: str, *, by: str, reason: str = ""
) -> None:
    told = {"login": login, "factor": what} | ({"reason": reason} if reason else {})
    tx.events.append(kind, actor=by, data=told)
    tx.notices.add(login, kind, by=by)


__all__ = [
    "AppThere",
    "CodeRefused",
    "FactorUnknown",
    "HalfSignInOver",
    "PasskeyNameInvalid",
    "SecondStep",
    "TooManyAttempts",
    "TooManyPasskeys",
    "add_passkey",
    "begin_app",
    "confirm_app",
    "drop_factor",
    "drop_factors",
    "has_second_factor",
    "offer_passkey",
]
