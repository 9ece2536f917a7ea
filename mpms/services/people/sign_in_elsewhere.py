"""Let in whom the company's own sign-in service vouches for.

People are known by what the provider calls them, which never changes, and by nothing
else: a login can be given to somebody else there. Who is new is made; but if there is
an account with that login here, its owner may be another person, so an administrator
links the two. Role and groups follow the provider at every sign-in, but the last
administrator stays one; whoever is disabled here stays out.
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


class AccountNotLinked(MpmsError):
    """There is an account with your login here already. Ask an administrator to link it
    to you on the page of that person; you need not ask twice."""


def sign_in_elsewhere(
    uow: UnitOfWork, sign_in: SignIn, issuer: str, identity: Identity, door: Door
) -> SignedIn:
    """PersonDisabled, LoginOfSomebodyElse, AccountNotLinked."""
    with uow() as tx:
        person = _known(tx, issuer, identity)
        if person is not None and person.active:
            person = _brought_up_to_date(tx, person, identity, issuer)
        else:
            tx.events.append(
                "sign-in refused",
                actor=identity.login if person is None else person.login,
                data={"with": issuer, "address": door.address},
            )
    if person is None:
        raise AccountNotLinked
    if not person.active:
        raise PersonDisabled
    return sign_in.vouched_for(person, issuer, door)


def _known(tx: Transaction, issuer: str, identity: Identity) -> Person | None:
    """None: an administrator must say whether the account here is theirs."""
    login = tx.people.of_identity(issuer, identity.subject)
    found = None if login is None else tx.people.get(login)
    if found is not None:
        return found
    if tx.people.get(identity.login) is not None:
        if any(
            s.linked and s.issuer == issuer for s in tx.people.sign_ins(identity.login)
        ):
            raise LoginOfSomebodyElse
        tx.people.ask_link(issuer, identity.subject, identity.login, identity.name)
        return None
    made = tx.people.add(
        identity.login, identity.name, identity.role, groups=identity.groups
    )
    tx.people.bind_identity(issuer, identity.subject, made.login)
    tx.events.append(
        "person added",
        actor=issuer,
        data={
            "login": made.login,
            "role": str(made.role),
            "groups": list(made.groups),
        },
    )
    return made


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
