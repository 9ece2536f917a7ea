"""Apps that show codes (TOTP) and devices that keep passkeys (WebAuthn)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pyotp
from fido2.server import Fido2Server
from fido2.utils import websafe_encode
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from mpms.domain.people.people import Person
from mpms.ports.people.second_factors import (
    Offer,
    Passkey,
    PasskeyRefused,
    PasskeySite,
)

STEP_S = 30
STEPS_OFF = 1  # clocks of phones differ
CHALLENGE_BYTES = 32
ISSUER = "MPMS"


class LibraryAuthenticators:
    """By pyotp and fido2."""

    def new_secret(self) -> str:
        return pyotp.random_base32()

    def app_address(self, secret: str, login: str) -> str:
        return pyotp.TOTP(secret).provisioning_uri(name=login, issuer_name=ISSUER)

    def step_of(self, secret: str, code: str, at: datetime) -> int | None:
        typed = "".join(code.split())
        app, now = pyotp.TOTP(secret), int(at.timestamp()) // STEP_S
        for step in range(now - STEPS_OFF, now + STEPS_OFF + 1):
            if secrets.compare_digest(
                app.at(step * STEP_S).encode(), typed.encode("utf-8", "replace")
            ):
                return step
        return None

    def offer(
        self, site: PasskeySite, person: Person, known: Sequence[Passkey]
    ) -> Offer:
        challenge = secrets.token_bytes(CHALLENGE_BYTES)
        user = PublicKeyCredentialUserEntity(
            id=f"mpms-{person.id}".encode(), name=person.login, display_name=person.name
        )
        options, _ = _server(site).register_begin(
            user,
            [_credential(one) for one in known],
            resident_key_requirement=ResidentKeyRequirement.PREFERRED,
            user_verification=UserVerificationRequirement.PREFERRED,
            challenge=challenge,
        )
        return Offer(dict(options), challenge)

    def new_passkey(
        self, site: PasskeySite, challenge: bytes, said: Mapping[str, Any], name: str
    ) -> Passkey:
        try:
            seen = _server(site).register_complete(_state(challenge), said)
            data = seen.credential_data
            if data is None:
                raise PasskeyRefused
            return Passkey(
                data.credential_id, bytes(data), site.name, name, seen.counter
            )
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise PasskeyRefused from error

    def ask(self, site: PasskeySite, known: Sequence[Passkey]) -> Offer:
        challenge = secrets.token_bytes(CHALLENGE_BYTES)
        options, _ = _server(site).authenticate_begin(
            [_credential(one) for one in known],
            user_verification=UserVerificationRequirement.PREFERRED,
            challenge=challenge,
        )
        return Offer(dict(options), challenge)

    def shown(
        self,
        site: PasskeySite,
        challenge: bytes,
        said: Mapping[str, Any],
        known: Sequence[Passkey],
    ) -> tuple[Passkey, int]:
        credentials = [_credential(one) for one in known]
        try:
            found = _server(site).authenticate_complete(
                _state(challenge), credentials, said
            )
            answer = AuthenticationResponse.from_dict(said)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise PasskeyRefused from error
        one = next(k for k in known if k.id == found.credential_id)
        return one, answer.response.authenticator_data.counter


def _server(site: PasskeySite) -> Fido2Server:
    return Fido2Server(
        PublicKeyCredentialRpEntity(id=site.name, name=ISSUER),
        verify_origin=lambda origin: origin == site.origin,
    )


def _state(challenge: bytes) -> dict[str, Any]:
    return {
        "challenge": websafe_encode(challenge),
        "user_verification": UserVerificationRequirement.PREFERRED,
    }


def _credential(passkey: Passkey) -> AttestedCredentialData:
    return AttestedCredentialData(passkey.credential)
