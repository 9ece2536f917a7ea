"""Warehouse management: starts all components of a plant in order, and stops it.

Roads first, since robots need them; storage before who plans; the generator of demands
last, when everybody answers.
"""

from __future__ import annotations

import random
from functools import partial

from fleet import events as ev
from fleet.commands import Record, Registered, StorageChanged
from fleet.fleet import Fleet
from fleet.model.world import World
from fleet.roads import Roadmap, make_roadmap
from fleet.storage import StorageInformation
from fleet.virtual.generator import Generator
from fleet.virtual.plant import Plant
from fleet.virtual.trial import Trial


class Warehouse:
    """One plant in memory. ``log`` has what was started, in the order of it."""

    def __init__(
        self, world: World, *, seed: int, rate_per_s: float, step_s: float = 1.0
    ) -> None:
        self._world = world
        self._step_s = step_s
        self.generator = Generator(random.Random(seed), rate_per_s)  # noqa: S311
        self.log: list[str] = []
        self.trial: Trial | None = None

    def start(self) -> Trial:
        """Everything, up to the first demand that may come."""
        roads = {name: self._road(name) for name in self._types()}
        fleet = Fleet(self._world, roadmaps=roads, running=())
        trial = Trial(fleet, Plant(self._world), self.generator, step_s=self._step_s)
        trial.watch = self._note
        self.trial = trial
        self._start(trial, ev.Part.STORAGE)
        self._start(trial, ev.Part.PLANNER)
        for robot in trial.plant.robots.values():
            trial.tell(robot.report())
        self._start(trial, ev.Part.CHARGING)
        self.log.append("package generator started")
        self.generator.start(self._world.packages, partial(self._information, fleet))
        trial.watch = None
        return trial

    def stop(self) -> bool:
        """No new tasks; what runs is finished."""
        if self.trial is None:
            return False
        self.generator.stop()
        return self.trial.tell(ev.Stopped())

    def _types(self) -> list[str]:
        used = {spec.type for spec in self._world.robots.values()}
        return [name for name in self._world.robot_types if name in used]

    def _road(self, name: str) -> Roadmap:
        roadmap = make_roadmap(self._world, self._world.robot_types[name])
        self.log.append(f"roadmap of {name} generated")
        return roadmap

    def _start(self, trial: Trial, part: ev.Part) -> None:
        if trial.tell(ev.Started(part)):
            self.log.append(f"{part} started")

    def _information(self, fleet: Fleet) -> StorageInformation:
        self.log.append("storage information asked for")
        return fleet.storage.information()

    def _note(self, record: Record) -> None:
        match record:
            case StorageChanged():
                self.log.append("storage information published")
            case Registered():
                self.log.append(f"{record.robot} registered")
