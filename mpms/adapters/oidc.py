"""Sign-in at an OpenID Connect provider: code flow with PKCE, state and nonce.

authlib speaks OAuth; what the provider signed is checked here with the keys that it
publishes. A token for somebody else, from somebody else, of another sign-in or past its
end is refused, and so is one whose algorithm is not a signature.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from mpms.domain.people.people import Role
from mpms.domain.people.secret_rules import LOGIN
from mpms.ports.people.identity import (
    Departure,
    DomainRefused,
    Identity,
    IdentityRefused,
    ProviderAway,
    RoleUnknown,
)

TIMEOUT_S = 10.0
FRESH_S = 3600.0
LEEWAY_S = 60
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "ES512")
BEST_FIRST = (Role.ADMIN, Role.SUPERVISOR, Role.WORKER, Role.VIEWER)
LONGEST_GROUP = 60
MOST_GROUPS = 50
LONGEST_NAME = 100


@dataclass(frozen=True)
class OidcSettings:
    """What the plant agreed on with its provider."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    name: str = "SSO"
    role_claim: str = "groups"
    roles: Mapping[str, Role] = field(default_factory=dict)  # by value of the claim
    login_claim: str = "preferred_username"
    domains: tuple[str, ...] = ()  # of e-mail addresses; none: all
    ca_file: Path | None = None


class OidcProvider:
    """One a process; what the provider publishes is remembered for an hour."""

    def __init__(self, settings: OidcSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._about: dict[str, Any] = {}
        self._about_until = 0.0
        self._keys: KeySet | None = None

    @property
    def name(self) -> str:
        return self._settings.name

    @property
    def issuer(self) -> str:
        return self._settings.issuer.rstrip("/")

    def depart(self, return_to: str) -> Departure:
        """ProviderAway."""
        nonce, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
        url, state = self._session(return_to).create_authorization_url(
            self._endpoint("authorization_endpoint"),
            code_verifier=verifier,
            nonce=nonce,
        )
        return Departure(str(url), str(state), nonce, verifier)

    def arrive(self, departure: Departure, return_to: str, code: str) -> Identity:
        """ProviderAway, IdentityRefused, RoleUnknown."""
        try:
            token = self._session(return_to).fetch_token(
                self._endpoint("token_endpoint"),
                code=code,
                code_verifier=departure.verifier,
                timeout=TIMEOUT_S,
            )
        except requests.RequestException as failure:
            raise ProviderAway from failure
        except (AuthlibBaseError, ValueError) as failure:
            raise IdentityRefused from failure
        return self._identity(self._claims(token.get("id_token"), departure.nonce))

    def leave(self, return_to: str) -> str | None:
        """Where to end the provider's own session."""
        try:
            place = self._read_about().get("end_session_endpoint")
        except ProviderAway:
            return None
        if not isinstance(place, str):
            return None
        told = {
            "client_id": self._settings.client_id,
            "post_logout_redirect_uri": return_to,
        }
        return f"{place}{'&' if '?' in place else '?'}{urlencode(told)}"

    # -- what the provider says ------------------------------------------------------

    def _session(self, return_to: str) -> OAuth2Session:
        session = OAuth2Session(
            self._settings.client_id,
            self._settings.client_secret,
            scope="openid profile email",
            redirect_uri=return_to,
            code_challenge_method="S256",
        )
        session.verify = self._verify
        return session

    @property
    def _verify(self) -> str | bool:
        return True if self._settings.ca_file is None else str(self._settings.ca_file)

    def _endpoint(self, name: str) -> str:
        found = self._read_about().get(name)
        if not isinstance(found, str):
            raise ProviderAway(f"The sign-in service does not tell its {name}.")
        return found

    def _read_about(self) -> dict[str, Any]:
        with self._lock:
            if time.monotonic() < self._about_until:
                return self._about
        issuer = self.issuer
        about = self._get(f"{issuer}/.well-known/openid-configuration")
        if str(about.get("issuer", "")).rstrip("/") != issuer:
            raise ProviderAway("The sign-in service calls itself by another name.")
        with self._lock:
            self._about, self._about_until = about, time.monotonic() + FRESH_S
            self._keys = None
        return about

    def _get(self, url: str) -> dict[str, Any]:
        try:
            answer = requests.get(url, timeout=TIMEOUT_S, verify=self._verify)
            answer.raise_for_status()
            found = answer.json()
        except (requests.RequestException, ValueError) as failure:
            raise ProviderAway from failure
        if not isinstance(found, dict):
            raise ProviderAway
        return found

    def _key_set(self, *, again: bool = False) -> KeySet:
        with self._lock:
            if self._keys is not None and not again:
                return self._keys
        published: Any = self._get(self._endpoint("jwks_uri"))
        try:
            keys = KeySet.import_key_set(published)
        except (JoseError, KeyError, TypeError, ValueError) as failure:
            raise ProviderAway from failure
        with self._lock:
            self._keys = keys
        return keys

    def _claims(self, id_token: Any, nonce: str) -> dict[str, Any]:
        if not isinstance(id_token, str):
            raise IdentityRefused("The sign-in service did not say who you are.")
        token = self._decoded(id_token)
        mine = self._settings.client_id
        registry = jwt.JWTClaimsRegistry(
            leeway=LEEWAY_S,
            iss={"essential": True, "value": self._read_about()["issuer"]},
            aud={"essential": True, "value": mine},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        try:
            registry.validate(token.claims)
        except (JoseError, TypeError, ValueError) as failure:
            raise IdentityRefused from failure
        claims = dict(token.claims)
        audience = claims["aud"]
        several = isinstance(audience, list) and len(audience) > 1
        if (several or "azp" in claims) and claims.get("azp") != mine:
            raise IdentityRefused
        return claims

    def _decoded(self, id_token: str) -> jwt.Token:
        """With the keys we know, else with those published now: keys are changed."""
        for again in (False, True):
            try:
                keys = self._key_set(again=again)
                return jwt.decode(id_token, keys, algorithms=list(ALGORITHMS))
            except (JoseError, ValueError, KeyError) as failure:
                if again:
                    raise IdentityRefused from failure
        raise IdentityRefused

    # -- whom it means ---------------------------------------------------------------

    def _require_domain(self, claims: Mapping[str, Any]) -> None:
        """An address that the provider has not confirmed says nothing."""
        if not self._settings.domains:
            return
        domain = str(claims.get("email") or "").rpartition("@")[2].lower()
        if domain not in self._settings.domains:
            raise DomainRefused
        if claims.get("email_verified") is not True:
            raise DomainRefused("Your e-mail address is not confirmed there.")

    def _identity(self, claims: Mapping[str, Any]) -> Identity:
        self._require_domain(claims)
        login = _login(claims, self._settings.login_claim)
        values = _values(claims.get(self._settings.role_claim))
        name = " ".join(str(claims.get("name") or login).split())
        if not name.isprintable():
            name = login
        return Identity(
            str(claims["sub"]),
            login,
            name[:LONGEST_NAME],
            self._role(values),
            tuple(v for v in values if v.isprintable() and len(v) <= LONGEST_GROUP)[
                :MOST_GROUPS
            ],
        )

    def _role(self, values: list[str]) -> Role:
        """The highest that is meant; without a table the values are the roles."""
        table = self._settings.roles or {str(role): role for role in Role}
        meant = {table[value] for value in values if value in table}
        for role in BEST_FIRST:
            if role in meant:
                return role
        raise RoleUnknown


def _login(claims: Mapping[str, Any], claim: str) -> str:
    told = str(claims.get(claim) or claims.get("email") or claims["sub"])
    login = told.partition("@")[0].casefold()
    if not LOGIN.fullmatch(login):
        raise IdentityRefused("The sign-in service calls you by a name with odd signs.")
    return login


def _values(claim: Any) -> list[str]:
    if isinstance(claim, str):
        return claim.split()
    if isinstance(claim, list):
        return [value for value in claim if isinstance(value, str) and value.strip()]
    return []
