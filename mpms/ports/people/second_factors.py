"""What people show beside their password."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from mpms.domain.errors import MpmsError
from mpms.domain.people.people import Person


class PasskeyRefused(MpmsError):
    """This device did not show the passkey that was asked for."""


@dataclass(frozen=True)
class CodeApp:
    """An app that shows a new code every half minute."""

    secret: str
    confirmed: bool
    last_step: int  # the half minute of the last code that counted


@dataclass(frozen=True)
class Passkey:
    """A key that a device keeps for a site."""

    id: bytes
    credential: bytes  # with its public key
    site: str
    name: str
    uses: int  # as the device counts; 0: it does not
    added_at: datetime | None = None
    used_at: datetime | None = None


@dataclass(frozen=True)
class HalfSignIn:
    """Somebody whose password was right."""

    person: Person
    means: str
    challenge: bytes | None


@dataclass(frozen=True)
class Offer:
    """What a browser hands to a device, and what the device must sign."""

    options: Mapping[str, Any]
    challenge: bytes


@dataclass(frozen=True)
class PasskeySite:
    """The site that a device knows: a name, and the address in the browser."""

    name: str
    origin: str


class SecondFactors(Protocol):
    """Rows of second factors."""

    def app(self, person_id: int) -> CodeApp | None: ...
    def begin_app(self, person_id: int, secret: str) -> None: ...
    def use_code(self, person_id: int, step: int) -> bool:
        """False: a code of this half minute or a later one has counted."""
        ...

    def drop_app(self, person_id: int) -> bool: ...
    def passkeys(self, person_id: int) -> Sequence[Passkey]: ...
    def add_passkey(self, person_id: int, passkey: Passkey) -> bool: ...
    def use_passkey(self, passkey_id: bytes, uses: int) -> bool:
        """False: it was used as often before; perhaps there is a copy."""
        ...

    def drop_passkey(self, person_id: int, passkey_id: bytes) -> bool: ...
    def drop_all(self, person_id: int) -> int: ...
    def begin_half(
        self,
        token_hash: str,
        person_id: int,
        means: str,
        *,
        challenge: bytes | None,
        good_s: float,
    ) -> None: ...
    def half(self, token_hash: str) -> HalfSignIn | None: ...
    def set_challenge(self, token_hash: str, challenge: bytes) -> None: ...
    def end_half(self, token_hash: str) -> None: ...


class Authenticators(Protocol):
    """Understands apps and devices."""

    def new_secret(self) -> str: ...
    def app_address(self, secret: str, login: str) -> str:
        """What the app reads from a QR code."""
        ...

    def step_of(self, secret: str, code: str, at: datetime) -> int | None:
        """The half minute of a right code; None: it is wrong."""
        ...

    def offer(
        self, site: PasskeySite, person: Person, known: Sequence[Passkey]
    ) -> Offer: ...
    def new_passkey(
        self, site: PasskeySite, challenge: bytes, said: Mapping[str, Any], name: str
    ) -> Passkey:
        """PasskeyRefused."""
        ...

    def ask(self, site: PasskeySite, known: Sequence[Passkey]) -> Offer: ...
    def shown(
        self,
        site: PasskeySite,
        challenge: bytes,
        said: Mapping[str, Any],
        known: Sequence[Passkey],
    ) -> tuple[Passkey, int]:
        """Which one, and how often its device says it was used. PasskeyRefused."""
        ...
