"""Let in whom the company's own sign-in service vouches for.

The first time a person is found by the login, or made; from then on by what the
provider calls it, which never changes. So nobody who is given an old login there
becomes somebody else here. Role and groups follow the provider at every sign-in, but
the last administrator stays one; whoever is disabled here stays out.
"""

from __future__ import annotations

from dataclasses import replace

from mpms.domain.errors import MpmsError
from mpms.domain.people.people import Person, Role
from mpms.ports.people.identity import Identity
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.people.sign_in import Door, SignedIn, SignIn


class PersonDisabled(MpmsError):
    """Your account here is disabled. Ask your supervisor."""


class LoginOfSomebodyElse(MpmsError):
    """This login belongs to somebody else whom the sign-in service vouched for."""


def sign_in_elsewhere(
    uow: UnitOfWork, sign_in: SignIn, issuer: str, identity: Identity, door: Door
) -> SignedIn:
    """PersonDisabled, LoginOfSomebodyElse."""
    with uow() as tx:
        person = _known(tx, issuer, identity)
        if not person.active:
            tx.events.append(
                "sign-in refused",
                actor=person.login,
                data={"with": issuer, "address": door.address},
            )
        else:
            person = _brought_up_to_date(tx, person, identity, issuer)
    if not person.active:
        raise PersonDisabled
    return sign_in.vouched_for(person, issuer, door)


def _known(tx: Transaction, issuer: str, identity: Identity) -> Person:
    login = tx.people.of_identity(issuer, identity.subject)
    found = None if login is None else tx.people.get(login)
    if found is not None:
        return found
    found = tx.people.get(identity.login)
    if found is None:
        found = tx.people.add(
            identity.login, identity.name, identity.role, groups=identity.groups
        )
        tx.events.append(
            "person added",
            actor=issuer,
            data={
                "login": found.login,
                "role": str(found.role),
                "groups": list(found.groups),
            },
        )
    if not tx.people.bind_identity(issuer, identity.subject, found.login):
        raise LoginOfSomebodyElse
    return found


def _brought_up_to_date(
    tx: Transaction, person: Person, identity: Identity, issuer: str
) -> Person:
    role = identity.role
    demoted = person.role is Role.ADMIN and role is not Role.ADMIN
    if demoted and tx.people.lock_admins() == {person.login}:
        told = {"login": person.login, "role": str(role)}
        tx.events.append("administrator kept", actor=issuer, data=told)
        role = Role.ADMIN
    wanted = replace(person, role=role, groups=identity.groups)
    if wanted == person:
        return person
    tx.people.set_access(person.login, role, identity.groups)
    tx.events.append(
        "person changed",
        actor=issuer,
        data={
            "login": person.login,
            "role": str(role),
            "groups": list(identity.groups),
        },
    )
    return wanted
