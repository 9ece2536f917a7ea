"""What comes to inputs and is wanted at outputs, made into tasks for robots."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fleet.events import Detected, InputComing, OutputWanted
from fleet.storage.storage import Demand
from fleet.tasks.pool import TaskRefused
from fleet.tasks.task import Action, Kind, Leg, Task

if TYPE_CHECKING:
    from fleet.fleet import Fleet


class Demands:
    """Between storage management and the task planner."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def take(self, event: InputComing | OutputWanted) -> None:
        fleet = self._fleet
        if fleet.stopped:
            raise TaskRefused("no new demands are taken")
        if isinstance(event, InputComing):
            taken = fleet.storage.new_input(
                event.place, event.package, event.package_type
            )
            if taken:
                fleet.dropped.pop(event.package, None)
        else:
            taken = fleet.storage.new_output(event.place, event.package_type)
        if not taken:
            raise TaskRefused(f"{event.place} cannot take {event.package_type}")

    def detected(self, event: Detected, now: float) -> None:
        for demand in self._fleet.storage.detect(event.place, event.present):
            self._submit(demand, now)

    def drain(self, now: float) -> None:
        """Demands that have stock by now, and what a person should know."""
        storage = self._fleet.storage
        if storage.held:
            for demand in storage.take_demands(self._promised()):
                self._submit(demand, now)
        self._fleet.tell_storage()
        for notice in storage.notices:
            self._fleet.alert("package", notice.place, notice.text)
        storage.notices.clear()

    def _promised(self) -> Counter[str]:
        """Packages that retrievals will take which have not chosen one yet."""
        return Counter(
            task.package_type
            for task in self._fleet.pool.open()
            if task.kind is Kind.RETRIEVE and not task.leg and not task.reserved
        )

    def _submit(self, demand: Demand, now: float) -> None:
        if demand.store:
            legs = [Leg(demand.place, Action.LOAD), Leg("", Action.UNLOAD)]
            kind = Kind.STORE
        else:
            legs = [Leg("", Action.LOAD), Leg(demand.place, Action.UNLOAD)]
            kind = Kind.RETRIEVE
        task = Task(
            self._fleet.new_id(kind),
            kind,
            legs,
            package=demand.package,
            package_type=demand.package_type,
        )
        self._fleet.pool.submit(task, now)
        self._fleet.task_changed(task)
