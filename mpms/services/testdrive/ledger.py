"""What a run is judged by: visits, times and waits of steps, and lead times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mpms.domain.instances.instances import Instance, InstanceStatus
from mpms.domain.instances.steps import FormWait, JobWait, StuckWait
from mpms.domain.models.definitions import ModelStep
from mpms.domain.testdrive.report import StepFigures
from mpms.services.testdrive.waits import OpenWait


@dataclass
class _Arrived:
    arrived_s: float
    waited_s: float = 0.0


@dataclass
class _Tally:
    visits: int = 0
    seconds: float = 0.0
    waited_s: float = 0.0


@dataclass
class Ledger:
    """Of one run."""

    store: Any
    lead_times_s: list[float] = field(default_factory=list)
    waited_s: list[float] = field(default_factory=list)
    ended: int = 0
    failed: int = 0
    last_end_s: float = 0.0
    _arrived: dict[str, _Arrived] = field(default_factory=dict)  # by instance
    _tallies: dict[str, _Tally] = field(default_factory=dict)  # by element

    def came(self, instance_id: str, now_s: float) -> None:
        self._arrived[instance_id] = _Arrived(now_s)

    def refused(self) -> None:
        """It could not even be started."""
        self.failed += 1
        self.ended += 1

    def end(self, instance: Instance, now_s: float) -> bool:
        """Whether it was one that had come, and no child of one."""
        arrived = self._arrived.pop(instance.id, None)
        if arrived is None:
            return False
        if instance.status is InstanceStatus.COMPLETED:
            self.lead_times_s.append(now_s - arrived.arrived_s)
            self.waited_s.append(arrived.waited_s)
        else:
            self.failed += 1
        self.last_end_s = now_s
        self.ended += 1
        return True

    def visit(self, element: str) -> None:
        self._tallies.setdefault(element, _Tally()).visits += 1

    def close(self, one: OpenWait, now_s: float) -> None:
        """It waits no longer."""
        stayed_s = now_s - one.since_s
        waited_s = stayed_s
        if isinstance(one.wait, FormWait | JobWait):
            begun_s = now_s if one.begun_s is None else one.begun_s
            waited_s = min(begun_s - one.since_s, stayed_s)
        tally = self._tallies.setdefault(one.wait.element, _Tally())
        tally.seconds += stayed_s
        tally.waited_s += waited_s
        arrived = self._arrived.get(self._root_of(one.instance_id))
        if arrived is not None:
            arrived.waited_s += waited_s

    def steps(self, kinds: Mapping[str, ModelStep]) -> list[StepFigures]:
        return [
            StepFigures(
                element,
                kinds[element].title if element in kinds else element,
                kinds[element].kind if element in kinds else "",
                tally.visits,
                tally.seconds,
                tally.waited_s,
            )
            for element, tally in self._tallies.items()
        ]

    def stuck(self, waits: Sequence[OpenWait]) -> dict[str, int]:
        """What stands at the end, by the incident or by where it waits."""
        found: dict[str, int] = {}
        for told in self.store.incidents.open_ones.values():
            found[told] = found.get(told, 0) + 1
        for one in waits:
            if isinstance(one.wait, StuckWait) or one.wait.element == "":
                continue
            told = f"waits at {one.wait.name or one.wait.element}"
            found[told] = found.get(told, 0) + 1
        return found

    def _root_of(self, instance_id: str) -> str:
        instance = self.store.instances.get(instance_id)
        while instance.parent is not None:
            instance = self.store.instances.get(instance.parent.instance_id)
        found: str = instance.id
        return found
