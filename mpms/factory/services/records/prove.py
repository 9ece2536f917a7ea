"""Somebody who is signed in proves it once more, for what stands in a record.

A badge or a PIN is not enough: both can be borrowed. Wrong passwords count as those of
the login page do.
"""

from __future__ import annotations

from collections.abc import Mapping

from mpms.domain.errors import MpmsError
from mpms.domain.people.people import Person
from mpms.factory.ports.store import UnitOfWork
from mpms.ports.people.hasher import Hasher
from mpms.services.people.limit_attempts import PASSWORD_OF_LOGIN, take_attempt
from mpms.services.people.sign_in import SECRET_AT_MOST, password_key_from


class SignatureRefused(MpmsError):
    """The password is wrong; nothing was signed."""


def prove(
    uow: UnitOfWork,
    hasher: Hasher,
    person: Person,
    password: str,
    *,
    address: str,
    about: Mapping[str, str],
) -> str:
    """The key of the attempts, to be forgotten with what follows. SignatureRefused,
    TooManyAttempts."""
    key = password_key_from(person.login, address)
    take_attempt(uow, key, PASSWORD_OF_LOGIN)
    with uow() as tx:
        secrets = tx.people.secrets(person.login)
    kept = None if secrets is None else secrets.password_hash
    if not hasher.verify(kept, password[:SECRET_AT_MOST]) or kept is None:
        with uow() as tx:
            tx.events.append("signature refused", actor=person.login, data=dict(about))
        raise SignatureRefused
    return key
