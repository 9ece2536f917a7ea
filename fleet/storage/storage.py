"""Storage management as the warehouse specification has it.

A package counts as arrived when its detector sees it, and as gone when the detector no
longer does: what a robot reports is not enough. Each change makes one new
StorageInformation, and nothing else does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from fleet.model.world import World


@dataclass(frozen=True)
class StorageInformation:
    """All that followers of the storage may know, after each change."""

    free_input: tuple[str, ...]
    free_output: tuple[str, ...]
    free_storage: tuple[str, ...]
    stored_packages: tuple[tuple[str, str, str], ...]  # place, package, type
    full_output: tuple[str, ...]


@dataclass(frozen=True)
class Demand:
    """A task for the planner: store what lies at an input, or bring to an output."""

    store: bool
    place: str
    package: str
    package_type: str


@dataclass(frozen=True)
class Notice:
    """Something a person should know: a package that nobody expected or misses."""

    place: str
    text: str


@dataclass
class _Slot:
    """A container with a detector. ``due``: what is to come, or is to leave."""

    package: str = ""
    package_type: str = ""
    present: bool = False
    reserved: bool = False
    due: str = ""  # "", "in", "out"


class Storage:
    """Inputs, outputs and storage places with what lies in them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.slots: dict[str, _Slot] = {
            place: _Slot() for place in (*world.inputs, *world.outputs, *world.storage)
        }
        self._inputs = frozenset(world.inputs)
        self._outputs = frozenset(world.outputs)
        self._storage = frozenset(world.storage)
        self._held: list[tuple[str, str]] = []  # output and type without stock
        self.published: list[StorageInformation] = []
        self.notices: list[Notice] = []
        for place, (package, package_type) in world.stock.items():
            self.slots[place] = _Slot(package, package_type, present=True)
        self._free: list[str] | None = None
        self._stock: dict[str, list[str]] | None = None

    def start(self) -> None:
        """Tell followers what lies where; later only changes are told."""
        self._publish()

    # What others ask for

    def new_input(self, place: str, package: str, package_type: str) -> bool:
        """A package is coming to an input; its detector is to see it."""
        slot = self.slots.get(place)
        if place not in self._inputs or slot is None or not self._is_free(slot):
            return False
        known = any(s.package == package for s in self.slots.values())
        if package_type not in self._world.packages or known:
            return False
        slot.package, slot.package_type = package, package_type
        slot.reserved, slot.due = True, "in"
        self._publish()
        return True

    def new_output(self, place: str, package_type: str) -> bool:
        """A package of the type is wanted at an output."""
        slot = self.slots.get(place)
        if place not in self._outputs or slot is None or not self._is_free(slot):
            return False
        if package_type not in self._world.packages:
            return False
        slot.package_type = package_type
        slot.reserved, slot.due = True, "in"
        self._held.append((place, package_type))
        self._publish()
        return True

    def take_demands(self, promised: Mapping[str, int] | None = None) -> list[Demand]:
        """Demands for which there is stock now; the others are held back.

        ``promised``: how many of a type demands will take that have not chosen yet.
        """
        stock = {
            kind: len(places) - (promised or {}).get(kind, 0)
            for kind, places in self.stock().items()
        }
        ready = []
        for place, package_type in list(self._held):
            if stock.get(package_type, 0) > 0:
                stock[package_type] -= 1
                self._held.remove((place, package_type))
                ready.append(Demand(False, place, "", package_type))
        return ready

    @property
    def held(self) -> tuple[tuple[str, str], ...]:
        """Outputs and types that are wanted and not in stock."""
        return tuple(self._held)

    def hold_back(self, place: str, package_type: str) -> None:
        """A demand whose package was lost on the way waits for stock again."""
        self._held.append((place, package_type))

    def call_off_output(self, place: str) -> bool:
        """Nobody wants a package at this output any more, and none lies there."""
        slot = self.slots.get(place)
        if place not in self._outputs or slot is None or slot.present:
            return False
        self._held = [(p, kind) for p, kind in self._held if p != place]
        slot.reserved, slot.due, slot.package, slot.package_type = False, "", "", ""
        self._publish()
        return True

    def reserve(self, place: str) -> bool:
        slot = self.slots.get(place)
        if place not in self._storage or slot is None or slot.reserved:
            return False
        slot.reserved = True
        self._publish()
        return True

    def end_reservation(self, place: str) -> bool:
        slot = self.slots.get(place)
        if place not in self._storage or slot is None or not slot.reserved:
            return False
        slot.reserved, slot.due = False, ""
        if not slot.present:
            slot.package = slot.package_type = ""
        self._publish()
        return True

    def information(self) -> StorageInformation:
        return StorageInformation(
            free_input=self._free_of(self._world.inputs),
            free_output=self._free_of(self._world.outputs),
            free_storage=tuple(self.free_storage()),
            stored_packages=tuple(
                (place, slot.package, slot.package_type)
                for place in self._world.storage
                if (slot := self.slots[place]).present
            ),
            full_output=tuple(p for p in self._world.outputs if self.slots[p].present),
        )

    def free_storage(self) -> list[str]:
        if self._free is None:
            self._free = list(self._free_of(self._world.storage))
        return self._free

    def stock(self) -> dict[str, list[str]]:
        """Places by type, without what is reserved for somebody."""
        if self._stock is None:
            self._stock = {}
            for place in self._world.storage:
                slot = self.slots[place]
                if slot.present and not slot.reserved:
                    self._stock.setdefault(slot.package_type, []).append(place)
        return self._stock

    def package_at(self, place: str) -> tuple[str, str]:
        slot = self.slots[place]
        return slot.package, slot.package_type

    # What robots do and detectors see

    def expect_in(self, place: str, package: str, package_type: str) -> None:
        """A robot is about to unload here."""
        slot = self.slots.get(place)
        if slot is not None:
            slot.package, slot.package_type, slot.due = package, package_type, "in"

    def expect_out(self, place: str) -> None:
        """A robot is about to load here."""
        slot = self.slots.get(place)
        if slot is not None:
            slot.due = "out"

    def is_present(self, place: str) -> bool | None:
        """What the detector says; None: there is none."""
        slot = self.slots.get(place)
        return None if slot is None else slot.present

    def has_seen(self, place: str, loaded: bool) -> bool:
        """Has the detector seen what was expected last? True where there is none."""
        slot = self.slots.get(place)
        return slot is None or slot.due != ("out" if loaded else "in")

    def detect(self, place: str, present: bool) -> list[Demand]:
        """A detector changed. What the planner is to do because of it."""
        slot = self.slots.get(place)
        if slot is None:
            self.notices.append(Notice(place, "has no detector in this world"))
            return []
        if slot.present == present:
            return []
        slot.present = present
        demands: list[Demand] = []
        if present:
            if slot.due != "in":
                slot.package = slot.package or f"unknown at {place}"
                self.notices.append(Notice(place, "a package that nobody expected"))
            elif place in self._inputs:
                demands.append(Demand(True, place, slot.package, slot.package_type))
            slot.due = ""
            if place in self._outputs:
                slot.reserved = False
        else:
            if slot.due != "out" and place not in self._outputs:
                self.notices.append(Notice(place, f"{slot.package} is gone"))
            slot.due = ""
            slot.package = slot.package_type = ""
            if place in self._inputs:
                slot.reserved = False
        self._publish()
        return demands

    # Inside

    @staticmethod
    def _is_free(slot: _Slot) -> bool:
        return not slot.present and not slot.reserved

    def _free_of(self, places: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(place for place in places if self._is_free(self.slots[place]))

    def _publish(self) -> None:
        self._free = self._stock = None
        self.published.append(self.information())

    def to_dict(self) -> dict[str, Any]:
        return {
            "slots": {place: asdict(slot) for place, slot in self.slots.items()},
            "held": [list(pair) for pair in self._held],
        }

    def load(self, data: dict[str, Any]) -> None:
        self.slots = {place: _Slot(**slot) for place, slot in data["slots"].items()}
        self._held = [(place, kind) for place, kind in data["held"]]
        self._free = self._stock = None
