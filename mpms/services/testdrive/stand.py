"""What stands for the plant in a test-drive: brought by the plug-in that knows it.

The core drives instances, people and jobs of workers that are not ours. What a topic of
a plug-in does, its own handler does, over rows in memory; what machines do meanwhile,
the plug-in says.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Protocol

from mpms.domain.testdrive.floor import Floor, Square
from mpms.domain.testdrive.report import Note
from mpms.domain.testdrive.scenario import Arrival, Learnt
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.instances.hooks import InstanceHooks
from mpms.services.jobs.handlers import Handlers


@dataclass(frozen=True)
class Driving:
    """What a stand may use while a run goes on."""

    uow: UnitOfWork
    advance: Advance
    learnt: Learnt
    now: Callable[[], datetime]
    later: Callable[[float, Callable[[], None]], None]  # in so many seconds
    dice: Callable[..., random.Random]
    element_of: Callable[[str | None], str]  # where a task waits
    luck_of: Callable[[str | None], str]  # the same for a task in every version
    variables_of: Callable[[str], Mapping[str, Any]]  # of an instance


class Stand(Protocol):
    """One run's plant."""

    @property
    def stores(self) -> Mapping[str, Any]:
        """Rows of the plug-in, by their name in a transaction."""
        ...

    def open(self, driving: Driving) -> Handlers:
        """Begin; the handlers of topics that run as they do in a worker."""
        ...

    def arrive(self, arrival: Arrival) -> Mapping[str, Any]:
        """Something comes: its rows are written; variables of its instance."""
        ...

    def pump(self) -> bool:
        """After each step: let what was asked for begin. Whether something changed
        that a waiting job may have waited for."""
        ...

    @property
    def units(self) -> int:
        """How many machines there are: so many waiting jobs are looked at again."""
        ...

    def use(self) -> Mapping[str, float]:
        """Each machine's seconds at work."""
        ...

    def floor_s(self) -> Mapping[Square, float]:
        """Where on the floor machines at work were, in seconds by square."""
        ...


class Plant(Protocol):
    """What a plug-in knows of the plant before a run, and a new stand for each."""

    def details(self, tx: Transaction, names: Sequence[str]) -> Mapping[str, Any]:
        """What is known of recorded arrivals, by business key."""
        ...

    def made_up(self, tx: Transaction, count: int, dice: random.Random) -> list[Any]:
        """Details of arrivals that nobody gave; empty where it cannot make any."""
        ...

    def work_s(
        self, tx: Transaction, instance_ids: Sequence[str]
    ) -> Mapping[str, float]:
        """How long the work of tasks itself took, without waiting for it to begin."""
        ...

    def look(self, tx: Transaction) -> None:
        """Read what is so at this moment, such as what may be ordered."""
        ...

    def with_machines(self, count: int) -> Plant:
        """The same with so many machines, as far as there are so many."""
        ...

    def stand(self) -> Stand: ...

    @property
    def floor(self) -> Floor | None:
        """What the machines drive on; None: nothing that could be drawn."""
        ...

    @property
    def hooks(self) -> InstanceHooks: ...

    @property
    def notes(self) -> Sequence[Note]:
        """What it does not simulate."""
        ...


class NoStand:
    """Without plug-ins: no rows, no handlers, no machines."""

    stores: Mapping[str, Any] = MappingProxyType({})
    units = 0

    def open(self, driving: Driving) -> Handlers:
        return Handlers()

    def arrive(self, arrival: Arrival) -> Mapping[str, Any]:
        return {}

    def pump(self) -> bool:
        return False

    def use(self) -> Mapping[str, float]:
        return {}

    def floor_s(self) -> Mapping[Square, float]:
        return {}


class NoPlant:
    """Without plug-ins."""

    notes: Sequence[Note] = ()
    hooks = InstanceHooks()
    floor: Floor | None = None

    def look(self, tx: Transaction) -> None:
        pass

    def with_machines(self, count: int) -> Plant:
        return self

    def details(self, tx: Transaction, names: Sequence[str]) -> Mapping[str, Any]:
        return {}

    def made_up(self, tx: Transaction, count: int, dice: random.Random) -> list[Any]:
        return []

    def work_s(
        self, tx: Transaction, instance_ids: Sequence[str]
    ) -> Mapping[str, float]:
        return {}

    def stand(self) -> Stand:
        return NoStand()
