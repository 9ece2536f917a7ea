"""The people of the demo. Their passwords are printed; nothing else has defaults."""

from __future__ import annotations

from dataclasses import dataclass

from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.domain.people.people import Role
from mpms.factory.ports.store import UnitOfWork

PASSWORD = "paint-factory"  # noqa: S105


@dataclass(frozen=True)
class DemoPerson:
    """Somebody to sign in as."""

    login: str
    name: str
    role: Role
    groups: tuple[str, ...] = ()
    pin: str | None = None
    password: str = PASSWORD


PEOPLE = (
    DemoPerson("sofia", "Sofía Marín", Role.SUPERVISOR, ("worker",)),
    DemoPerson("ana", "Ana Ruiz", Role.WORKER, ("worker",), "2580"),
    DemoPerson("max", "Max Weber", Role.WORKER, ("worker",), "1470"),
    DemoPerson("vera", "Vera Lind", Role.VIEWER),
    DemoPerson("adam", "Adam Cole", Role.ADMIN, ("worker",)),
)
WORKER = "ana"


def settle_people(uow: UnitOfWork) -> None:
    """Make those who are not there yet."""
    hasher = Argon2Hasher()
    with uow() as tx:
        for person in PEOPLE:
            if tx.people.get(person.login) is not None:
                continue
            tx.people.add(person.login, person.name, person.role, groups=person.groups)
            tx.people.set_password(person.login, hasher.hash(person.password))
            if person.pin:
                tx.people.set_pin(person.login, hasher.hash(person.pin))
