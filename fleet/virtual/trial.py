"""A trial: fleet, plant and generator under one virtual clock."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from fleet import events as ev
from fleet.commands import Alert, Command, Decided, Record, Refused, TaskChanged
from fleet.fleet import Fleet
from fleet.virtual.generator import Generator
from fleet.virtual.plant import Plant

TAKEN_AWAY_S = 20.0


@dataclass
class Trial:
    """``step_s`` is the time between two looks at the plant."""

    fleet: Fleet
    plant: Plant
    generator: Generator | None = None
    step_s: float = 0.5
    now: float = 0.0
    commands: list[tuple[float, Command]] = field(default_factory=list)
    alerts: list[Alert] = field(default_factory=list)
    decisions: int = 0
    done: dict[str, int] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    delivered: list[tuple[str, str]] = field(default_factory=list)
    wanted: int = 0
    came: int = 0
    lowest_percent: float = 100.0
    keep_commands: bool = False
    watch: Callable[[Record], None] | None = None
    _leaves: dict[str, float] = field(default_factory=dict)

    def tell(self, event: ev.Event) -> bool:
        """Hand an event to the fleet, and its commands to the plant."""
        answer = self.fleet.handle(self.now, event)
        self.plant.obey(self.now, answer.commands)
        if self.keep_commands:
            self.commands += [(self.now, command) for command in answer.commands]
        taken = True
        for record in answer.records:
            if self.watch is not None:
                self.watch(record)
            match record:
                case Alert():
                    self.alerts.append(record)
                case Decided():
                    self.decisions += 1
                case TaskChanged() if record.state == "done":
                    kind = record.task.split("/")[0]
                    self.done[kind] = self.done.get(kind, 0) + 1
                case Refused():
                    self.refused.append(f"{record.what}: {record.why}")
                    taken = False
        return taken

    def run(self, for_s: float, until: Callable[[], bool] | None = None) -> None:
        end = self.now + for_s
        while self.now < end and not (until is not None and until()):
            self.step()

    def step(self) -> None:
        self.now += self.step_s
        for event in self.plant.step(self.now, self.step_s):
            self.tell(event)
        if self.generator is not None:
            information = self.fleet.storage.information()
            for event in self.generator.step(self.step_s, information):
                self.demand(event)
        self._take_away()
        self.tell(ev.Tick())
        lowest = min(robot.percent for robot in self.plant.robots.values())
        self.lowest_percent = min(self.lowest_percent, lowest)

    def demand(self, event: ev.Event) -> None:
        if not self.tell(event):
            return
        if isinstance(event, ev.InputComing):
            self.came += 1
            self.tell(self.plant.put(event.place, event.package))
        elif isinstance(event, ev.OutputWanted):
            self.wanted += 1

    def _take_away(self) -> None:
        """A customer takes what lies at an output, after a while."""
        for place in self.fleet.world.outputs:
            package = self.plant.lying.get(place)
            if package is None:
                continue
            due = self._leaves.setdefault(place, self.now + TAKEN_AWAY_S)
            if self.now >= due:
                del self._leaves[place]
                package, seen = self.plant.take(place)
                self.delivered.append((place, package))
                self.tell(seen)

    def idle(self) -> bool:
        """Has everything that was asked for been done?"""
        real = [t for t in self.fleet.pool.open() if not t.dispensable]
        return not [t for t in real if t.kind not in ("charge", "park")]


def new_trial(fleet: Fleet, seed: int, rate_per_s: float, step_s: float) -> Trial:
    """With a generator that is already running."""
    generator = Generator(random.Random(seed), rate_per_s)  # noqa: S311
    generator.start(fleet.world.packages, fleet.storage.information)
    return Trial(fleet, Plant(fleet.world), generator, step_s=step_s)
