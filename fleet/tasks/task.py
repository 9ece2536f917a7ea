"""One transport task for all: legs to places, with something done at each.

A drive of a process, storing and retrieving a package, fetching a shelf, charging and
parking differ in their legs only, so that one dispatcher serves them all.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from fleet.model.world import World


class Kind(StrEnum):
    MOVE = "move"  # a drive to a place, as a process asks for it
    TRANSPORT = "transport"  # from a place to another
    STORE = "store"  # from an input to any free storage place
    RETRIEVE = "retrieve"  # from any place with the type to an output
    FETCH_SHELF = "fetch_shelf"  # a shelf to a station, and it stays there
    CHARGE = "charge"
    PARK = "park"


class Action(StrEnum):
    """What is done where a leg ends."""

    NONE = "none"
    LOAD = "load"
    UNLOAD = "unload"
    LIFT = "lift"
    DROP = "drop"
    CHARGE = "charge"


class State(StrEnum):
    HELD = "held"  # waits for other tasks, or is paused
    READY = "ready"  # waits for a robot
    ASSIGNED = "assigned"  # in the queue of a robot
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"

    @property
    def ended(self) -> bool:
        return self in (State.DONE, State.FAILED, State.WITHDRAWN)


@dataclass(frozen=True)
class Leg:
    """A drive and what follows. ``place`` is empty until storage is chosen."""

    place: str
    action: Action = Action.NONE


@dataclass
class Task:
    """``leg`` counts legs that are done; ``withdrawing`` ends it at the next stop."""

    id: str
    kind: Kind
    legs: list[Leg]
    package: str = ""
    package_type: str = ""
    priority: int = 0  # higher goes first
    deadline_at: float | None = None
    intended: str = ""  # the robot that shall do it
    after: tuple[str, ...] = ()  # tasks that must be done before
    sequence: str = ""  # tasks of one sequence go to one robot, in order
    submitted_at: float = 0.0
    state: State = State.HELD
    robot: str = ""
    leg: int = 0
    paused: bool = False
    withdrawing: bool = False
    dispensable: bool = False  # gives way to a real task: charging when idle, parking
    reserved: str = ""  # the storage place that it has reserved
    zone: str = ""  # where it charges
    why: str = ""
    late: bool = False  # its deadline has passed, and somebody was told
    tried: list[str] = field(default_factory=list)  # robots that gave it back

    @property
    def goal(self) -> str:
        """Where it ends."""
        return self.legs[-1].place

    def kept_out(self, world: World, robot: str) -> str:
        """Why this robot may not stand where a leg ends; else empty."""
        whys = (world.keeps_out(robot, leg.place) for leg in self.legs)
        return next((why for why in whys if why), "")

    def reopen(self) -> None:
        """Storage is to be chosen anew."""
        self.reserved = ""
        if self.kind is Kind.STORE:
            self.legs[1] = Leg("", self.legs[1].action)
        elif self.kind is Kind.RETRIEVE:
            self.legs[0] = Leg("", self.legs[0].action)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Task:
        known = dict(data)
        known["kind"] = Kind(known["kind"])
        known["state"] = State(known["state"])
        known["legs"] = [Leg(g["place"], Action(g["action"])) for g in known["legs"]]
        known["after"] = tuple(known["after"])
        known["tried"] = list(known["tried"])
        return cls(**known)


def transport_task(id_: str, start: str, end: str, **more: Any) -> Task:
    """Load at one place, unload at another; empty: any that fits, storage chooses."""
    legs = [Leg(start, Action.LOAD), Leg(end, Action.UNLOAD)]
    return Task(id_, more.pop("kind", Kind.TRANSPORT), legs, **more)
