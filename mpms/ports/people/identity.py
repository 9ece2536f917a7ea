"""Somebody else who knows our people: an OpenID Connect provider."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from mpms.domain.errors import MpmsError
from mpms.domain.people.people import Role


class ProviderAway(MpmsError):
    """The sign-in service does not answer. Try again, or use your password."""


class IdentityRefused(MpmsError):
    """The sign-in service did not confirm who you are. Try again."""


class DomainRefused(MpmsError):
    """People with an e-mail address of that domain may not sign in here."""


class RoleUnknown(MpmsError):
    """The sign-in service knows you, but no role here is meant for you."""


@dataclass(frozen=True)
class Departure:
    """Where a browser is sent, and what it must bring back."""

    url: str
    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True)
class Identity:
    """Whom the provider vouches for."""

    subject: str
    login: str
    name: str
    role: Role
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class SignInElsewhere:
    """How somebody of ours is known to a provider, or who there asks to be it."""

    issuer: str
    subject: str
    name: str  # of who asks
    at: datetime
    linked: bool


class IdentityProvider(Protocol):
    """Sends people to the provider and understands what they come back with."""

    @property
    def name(self) -> str:
        """What the button says."""
        ...

    @property
    def issuer(self) -> str:
        """Who vouches, for the history."""
        ...

    def depart(self, return_to: str) -> Departure:
        """ProviderAway."""
        ...

    def arrive(self, departure: Departure, return_to: str, code: str) -> Identity:
        """ProviderAway, IdentityRefused, RoleUnknown."""
        ...

    def leave(self, return_to: str) -> str | None:
        """Where to end the provider's own session; None: it has no such place."""
        ...
