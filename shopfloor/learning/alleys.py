"""The task: pass a narrow alley. Many vehicles at once, each in an alley of its own."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fleet.bodies.model import Vehicle
from shopfloor.learning.alley_kernels import (
    REACHED,
    RUNNING,
    SPACING_M,
    TIMED_OUT,
    look,
    step_all,
)
from shopfloor.learning.sectors import OWN, SECTORS, hull_m
from shopfloor.maneuvers.grid_way import grid_way
from shopfloor.streets.alley import Alley, alley_world, unseen_alley
from shopfloor.vehicles.motion import numbers_of

MOST_STEPS = 600
"""A minute of plant time."""
SIZE = SECTORS + OWN
ASIDE_M, TURNED_RAD = 0.12, 0.35


@dataclass(frozen=True, eq=False)
class Courses:
    """Alleys as arrays: walls, and a way through each that knows no turning radius."""

    walls: NDArray[np.float64]
    ways: NDArray[np.float64]
    lasts: NDArray[np.int64]

    @staticmethod
    def of(vehicle: Vehicle, alleys: Iterable[Alley]) -> Courses:
        walls, ways = [], []
        for alley in alleys:
            world = alley_world(alley)
            start, goal = world.place("start"), world.place("goal")
            walls.append(world.known_walls)
            ways.append(grid_way(vehicle, world.grid, start, goal).poses)
        longest = max(len(way) for way in ways)
        most = max(len(each) for each in walls)
        # A wall that is a point is met by no beam and touched by no hull out there.
        nowhere = np.full((len(walls), most, 4), 1e6)
        along = np.zeros((len(ways), longest, 4))
        for index, (wall, way) in enumerate(zip(walls, ways, strict=True)):
            nowhere[index, : len(wall)] = wall
            along[index, : len(way)] = way
        return Courses(nowhere, along, np.array([len(way) - 1 for way in ways]))

    @staticmethod
    def unseen(vehicle: Vehicle, seeds: Iterable[int]) -> Courses:
        """One alley a seed, as for every planner."""
        return Courses.of(vehicle, (unseen_alley(seed) for seed in seeds))

    def __len__(self) -> int:
        return len(self.lasts)


class Alleys:
    """``count`` vehicles. Who arrived, touched something or ran out of time starts
    again in another alley when ``again`` is set, somewhere on its way with the
    probability ``midway``."""

    def __init__(
        self,
        vehicle: Vehicle,
        courses: Courses,
        count: int,
        seed: int = 0,
        again: bool = True,
        midway: float = 0.0,
        most_steps: int = MOST_STEPS,
    ) -> None:
        self.vehicle, self.courses, self.count = vehicle, courses, count
        self.again, self.midway, self.most_steps = again, midway, most_steps
        self.random = np.random.default_rng(seed)
        self.numbers = numbers_of(vehicle)
        self.outline = vehicle.outline
        self.states = np.zeros((count, 5))
        self.chosen = np.arange(count) % len(courses)
        self.ats = np.zeros(count, np.int64)
        self.steps = np.zeros(count, np.int64)
        self.rewards = np.zeros(count, np.float32)
        self.ends = np.zeros(count, np.int64)
        self.seen = np.zeros((count, SIZE), np.float32)
        self.start_all()

    @cached_property
    def _vehicle(self) -> tuple[float, float, float, float]:
        limits = self.vehicle.limits
        return (*laser_of(self.vehicle), limits.forward_mps, limits.steering_rad)

    @cached_property
    def _hull(self) -> NDArray[np.float64]:
        return hull_m(self.outline, laser_of(self.vehicle))

    def start_all(self) -> NDArray[np.float32]:
        """All stand at the start, the first one in the first alley."""
        self.chosen[:] = np.arange(self.count) % len(self.courses)
        self._place(np.arange(self.count), 0.0)
        return self._look()

    def start_in(self, course: int) -> NDArray[np.float32]:
        """The same, all in that alley."""
        self.chosen[:] = course
        self._place(np.arange(self.count), 0.0)
        return self._look()

    def _place(self, which: NDArray[np.int64], midway: float) -> None:
        on = self.random.random(len(which)) < midway
        share = self.random.random(len(which))
        bend = self.random.uniform(-1.0, 1.0, (len(which), 2))
        for row, index in enumerate(which):
            course = self.chosen[index]
            way, last = self.courses.ways[course], self.courses.lasts[course]
            at = int(share[row] * (last - 30)) if on[row] else 0
            x, y, yaw = way[at, :3] if on[row] else (*way[0, :2], 0.0)
            if on[row]:
                aside, turned = bend[row] * (ASIDE_M, TURNED_RAD)
                x, y = x - math.sin(yaw) * aside, y + math.cos(yaw) * aside
                yaw += turned
            self.states[index] = x, y, yaw, 0.0, 0.0
            self.ats[index] = at
        self.steps[which] = 0
        self.ends[which] = RUNNING

    def _look(self) -> NDArray[np.float32]:
        look(
            self.states,
            self.chosen,
            self.ats,
            self.courses.ways,
            self.courses.lasts,
            self.courses.walls,
            self._vehicle,
            self._hull,
            self.seen,
        )
        return self.seen

    def step(
        self, actions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
        """Observations, rewards and how it ended for each; the arrays are reused."""
        step_all(
            self.states,
            self.chosen,
            self.ats,
            self.steps,
            np.ascontiguousarray(actions, np.float32),
            self.courses.ways,
            self.courses.lasts,
            self.courses.walls,
            self.numbers,
            self.outline,
            self.most_steps,
            self.rewards,
            self.ends,
        )
        ends = self.ends
        if self.again and ends.any():
            ends = ends.copy()
            over = np.flatnonzero(ends)
            self.chosen[over] = self.random.integers(len(self.courses), size=len(over))
            self._place(over, self.midway)
        return self._look(), self.rewards, ends

    def remaining_m(self, index: int = 0) -> float:
        last = self.courses.lasts[self.chosen[index]]
        return float(SPACING_M * (last - self.ats[index]))


def laser_of(vehicle: Vehicle) -> tuple[float, float]:
    sensor = vehicle.sensor("lidar")
    return (sensor.at[0], sensor.at[1]) if sensor else (0.0, 0.0)


__all__ = ["MOST_STEPS", "REACHED", "SIZE", "TIMED_OUT", "Alleys", "Courses"]
