"""What a strategy is: a class with a name, a problem and a frozen class of parameters.

From these three come the file, the form, the command line and the list of strategies.
A strategy looks at the warehouse and answers; it changes nothing. It may hear events
and may wake at moments of its own.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from fleet.rmfs.orders import Bundle, PickOrder, Station
from fleet.rmfs.warehouse import Robot, Warehouse

PROBLEMS = {
    "roa": "replenishment order to replenishment station",
    "poa": "pick order to pick station",
    "rps": "replenishment order to pod",
    "pps": "pod for the pick orders of a station",
    "psa": "storage place for a pod that is brought back",
    "ta": "task to robot",
    "pp": "paths of robots",
    "sa": "which stations are active",
    "mm": "exchange of strategies during a run",
}
CALLED_ON = {
    "roa": ("new replenishment order", "replenishment order stored"),
    "poa": ("new pick order", "pick order completed", "replenishment order stored"),
    "rps": ("new replenishment order", "SKU unit picked"),
    "pps": ("new task is assigned to a robot",),
    "psa": ("pod needs to be brought back",),
    "ta": ("robot needs a new task",),
    "pp": ("robot has a new destination",),
    "sa": ("its own schedule",),
    "mm": ("its own schedule",),
}
NEVER = math.inf


@dataclass(frozen=True)
class NoParameters:
    """A strategy without parameters."""


def too_few(parameters: Any, *names: str) -> list[str]:
    """Which of these are less than 1, for ``mistakes`` of a class of parameters."""
    values = {name: getattr(parameters, name) for name in names}
    return [f"{n} is 1 or more, not {v:g}" for n, v in values.items() if v < 1]


@dataclass(frozen=True)
class Thought:
    """A computation beside the run, which goes on as fast as the clock meanwhile."""

    work: Callable[[], Any]
    """In a thread of its own: it may look at nothing that changes."""
    then: Callable[[Any], None]
    """Is told what ``work`` has found, in the run."""
    pace: float = 1.0
    """Simulated seconds for one of the clock."""


class Strategy:
    """Base of all strategies."""

    problem: ClassVar[str]
    name: ClassVar[str]
    Parameters: ClassVar[type[Any]] = NoParameters
    listens_to: ClassVar[tuple[str, ...]] = ()
    """Events of the simulation; ``heard`` is called with them."""

    def __init__(self, parameters: Any, chance: random.Random) -> None:
        self.parameters = parameters
        self.chance = chance
        self.next_at = NEVER
        """When ``awake`` is to be called."""

    def heard(self, warehouse: Warehouse, event: str, facts: dict[str, Any]) -> None:
        """Something happened that this strategy listens to."""

    def awake(self, warehouse: Warehouse) -> Thought | None:
        """``next_at`` has come. The strategy says itself when it will be next; what
        takes long it may return as a thought."""


class ReplenishmentOrderAssignment(Protocol):
    """ROA"""

    def station_for(self, warehouse: Warehouse, bundle: Bundle) -> Station | None: ...


class PickOrderAssignment(Protocol):
    """POA. ``fast``: for the fast lane of the station, which only some have."""

    fast_lane: bool
    release_every_s: float

    def order_for(
        self, warehouse: Warehouse, station: Station, fast: bool
    ) -> PickOrder | None: ...

    def stations(self, warehouse: Warehouse) -> list[Station]: ...


class ReplenishmentPodSelection(Protocol):
    """RPS"""

    def pod_for(self, warehouse: Warehouse, bundle: Bundle) -> int | None: ...


class PickPodSelection(Protocol):
    """PPS"""

    def pod_for(
        self, warehouse: Warehouse, robot: Robot, station: Station
    ) -> int | None: ...


class PodStorageAssignment(Protocol):
    """PSA"""

    def place_for(self, warehouse: Warehouse, pod: int, cell: int) -> int: ...


class TaskAllocation(Protocol):
    """TA: for which stations a robot looks for work, the first first."""

    reallocate_every_s: float

    def stations_for(self, warehouse: Warehouse, robot: Robot) -> Iterable[Station]: ...

    def reallocate(self, warehouse: Warehouse) -> None: ...


class StationActivation(Protocol):
    """SA: which stations work at a moment, and when to ask again."""

    def active(self, warehouse: Warehouse) -> set[int]: ...


class MethodManagement(Protocol):
    """MM: strategies that are exchanged, with the moment of each."""

    def changes(self, duration_s: float) -> list[tuple[float, str, str]]: ...
