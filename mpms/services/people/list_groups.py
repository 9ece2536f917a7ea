"""Groups: those that models give work to, and who is in them.

A group without people is work that nobody is offered, so it is worth a warning.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mpms.domain.people.people import Person, Role
from mpms.ports.engine import Engine
from mpms.ports.store import UnitOfWork


@dataclass
class Group:
    """One name, however models and people spell it."""

    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)  # process, step
    people: list[Person] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Models count on it and no active worker is in it."""
        return bool(self.steps) and not any(
            p.active and p.role is not Role.VIEWER for p in self.people
        )


def list_groups(uow: UnitOfWork, engine: Engine) -> list[Group]:
    """Those without people first, then by name."""
    with uow() as tx:
        people = tx.people.listing()
        latest = tx.definitions.listing()
    groups: dict[str, Group] = {}
    for definition in latest:
        for step in engine.steps(definition):
            for name in step.groups:
                group = groups.setdefault(name.casefold(), Group(name))
                group.steps.append((definition.name or definition.key, step.name))
    for person in people:
        for name in person.groups:
            group = groups.setdefault(name.casefold(), Group(name))
            group.people.append(person)
    return sorted(groups.values(), key=lambda g: (not g.empty, g.name.casefold()))
