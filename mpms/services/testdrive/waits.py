"""What waits in a run, and what chance says about it.

Every throw of the dice is named after what came and its visit, whatever the version:
so two versions of a model meet the same luck, and what differs is the model.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mpms.domain.instances.instances import Instance
from mpms.domain.instances.steps import Wait
from mpms.domain.jobs import Job
from mpms.domain.testdrive import scenario as given
from mpms.domain.testdrive.scenario import Scenario

NOBODY = "nobody"


@dataclass
class OpenWait:
    """Something that waits: since when, and since when somebody is at it."""

    instance_id: str
    wait: Wait
    luck: str
    since_s: float
    begun_s: float | None = None
    job: Job | None = None
    asleep: bool = False


@dataclass
class Waits:
    """Those of one run, by task."""

    store: Any
    scenario: Scenario
    seed: int
    used_default: set[str] = field(default_factory=set)  # steps
    _open: dict[str, OpenWait] = field(default_factory=dict)
    _called: dict[str, str] = field(default_factory=dict)  # instance to its name
    _turns: dict[str, int] = field(default_factory=dict)

    def open(self, instance_id: str, wait: Wait, now_s: float) -> OpenWait:
        one = OpenWait(instance_id, wait, self._name_luck(instance_id, wait), now_s)
        self._open[wait.task_id] = one
        return one

    def close(self, task_id: str) -> OpenWait | None:
        return self._open.pop(task_id, None)

    def get(self, task_id: str | None) -> OpenWait | None:
        return self._open.get(task_id or "")

    def still(self, one: OpenWait) -> bool:
        """Whether it waits yet; a timer that has moved is another row of that id."""
        return self._open.get(one.wait.task_id) is one

    def left(self) -> list[OpenWait]:
        return list(self._open.values())

    # -- what chance says -------------------------------------------------------------

    def throw(self, one: OpenWait, about: str) -> random.Random:
        return given.dice(self.seed, one.luck, about)

    def lasts_s(self, one: OpenWait, default_s: float) -> float:
        throw = self.throw(one, "time")
        seen_s = self.scenario.learnt.duration_s(one.wait.element, throw)
        if seen_s is None:
            self.used_default.add(one.wait.element)
            # As far about the default as times of people and machines usually are.
            return default_s * throw.triangular(0.5, 1.5)
        return seen_s

    def results(self, one: OpenWait) -> dict[str, Any]:
        seen = self.scenario.learnt.results.get(one.wait.element)
        return dict(self.throw(one, "result").choice(list(seen))) if seen else {}

    # -- names ------------------------------------------------------------------------

    def call(self, instance_id: str, name: str) -> None:
        """What came is called the same in each run; its instance is not."""
        self._called[instance_id] = name

    def _name_luck(self, instance_id: str, wait: Wait) -> str:
        place = f"{self._name_of(instance_id)}/{wait.element}"
        turn = self._turns[place] = self._turns.get(place, 0) + 1
        return f"{place}/{turn}"

    def _name_of(self, instance_id: str) -> str:
        known = self._called.get(instance_id)
        if known is None:
            instance: Instance = self.store.instances.get(instance_id)
            known = instance.business_key or instance.key
            if instance.parent is not None:
                known = f"{self._name_of(instance.parent.instance_id)}/{instance.key}"
            self._called[instance_id] = known
        return known

    # -- for the stand ----------------------------------------------------------------

    def element_of(self, task_id: str | None) -> str:
        one = self.get(task_id)
        return NOBODY if one is None else one.wait.element

    def luck_of(self, task_id: str | None) -> str:
        one = self.get(task_id)
        return NOBODY if one is None else one.luck

    def variables_of(self, instance_id: str) -> Mapping[str, Any]:
        instance = self.store.instances.get(instance_id)
        return {} if instance.snapshot is None else instance.snapshot.variables
