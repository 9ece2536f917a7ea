"""A recorded run behind the topics of the simulator: the same faces, nobody drives.

For looking at what happened with the tools that look at robots: the map of the pages,
a plotter, a student's node. Goals are refused by name.
"""

from __future__ import annotations

import bisect
import math
import random
from dataclasses import replace
from typing import Any

from shopfloor.geometry import wrapped
from shopfloor.plant.recording import Recording, RecordingRefused
from shopfloor.sim.people import Walker
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import NoWay, Pose
from shopfloor.sim.world import Person, World

FIRST_TAG = 900
STOPPED = "stop_pressed"


class ReplayedWalker(Walker):
    """Walks as recorded."""

    vx_mps = vy_mps = 0.0

    @property
    def velocity(self) -> tuple[float, float]:
        return self.vx_mps, self.vy_mps


class ReplayedSimulation(Simulation):
    walker_type = ReplayedWalker

    def __init__(self, world: World, recording: Recording, **facts: Any) -> None:
        """RecordingRefused if it was not recorded in this world."""
        super().__init__(_as_recorded(world, recording), **facts)
        self._frames = recording.frames
        self._times_s = [float(frame["t"]) for frame in recording.frames]
        self._at_s = self._times_s[0]
        for robot in self.robots.values():
            robot.vehicle.find_bends = _refuse_goals
        self._show()

    @property
    def ended(self) -> bool:
        return self._at_s >= self._times_s[-1]

    def tick(self, dt_s: float, rng: random.Random) -> None:
        self._at_s = min(self._at_s + dt_s, self._times_s[-1])
        self._show()

    def _show(self) -> None:
        last = len(self._frames) - 1
        after = min(bisect.bisect_right(self._times_s, self._at_s), last)
        before = max(after - 1, 0)
        span_s = self._times_s[after] - self._times_s[before]
        share = (self._at_s - self._times_s[before]) / span_s if span_s else 1.0
        old, new = self._frames[before], self._frames[after]
        for name in self.robots:
            self._move_robot(name, old["robots"][name], new["robots"][name], share)
        for name, walker in self.walkers.items():
            (x1, y1), (x2, y2) = old["people"][name], new["people"][name]
            vx, vy = ((x2 - x1) / span_s, (y2 - y1) / span_s) if span_s else (0.0, 0.0)
            yaw = math.atan2(vy, vx) if vx or vy else walker.pose.yaw_rad
            walker.pose = Pose(x1 + share * (x2 - x1), y1 + share * (y2 - y1), yaw)
            if isinstance(walker, ReplayedWalker):
                walker.vx_mps, walker.vy_mps = vx, vy

    def _move_robot(
        self, name: str, old: dict[str, Any], new: dict[str, Any], share: float
    ) -> None:
        vehicle = self.robots[name].vehicle
        if old["amcl"] is not None and new["amcl"] is not None:
            vehicle.pose = _between(old["amcl"], new["amcl"], share)
        vehicle.odometry = _between(old["odometry"], new["odometry"], share)
        vx, vy, turn = new["speed"]
        vehicle.speed_mps, vehicle.turn_radps = math.hypot(vx, vy), turn
        vehicle.emergency_stop = new["cause"] == STOPPED

    def state(self) -> dict[str, Any]:
        return {
            **super().state(),
            "replay": {
                "at_s": round(self._at_s, 3),
                "ends_s": self._times_s[-1],
                "ended": self.ended,
            },
        }


def _as_recorded(world: World, recording: Recording) -> World:
    """The world with those, and only those, whom the recording knows."""
    if not recording.frames:
        raise RecordingRefused("the recording holds no frame")
    where = recording.head.get("world")
    if where != world.name:
        raise RecordingRefused(f"this was recorded in {where!r}, not in {world.name!r}")
    first = recording.frames[0]
    robots = tuple(robot for robot in world.robots if robot.id in first["robots"])
    missing = sorted(set(first["robots"]) - {robot.id for robot in robots})
    if missing:
        raise RecordingRefused(f"the world has no robot {', '.join(missing)}")
    for frame in recording.frames:
        for part in ("robots", "people"):
            if frame.get(part, {}).keys() != first[part].keys():
                raise RecordingRefused(f"at {frame['t']} s others are {part}")
    known = {person.id: person for person in world.people}
    people = []
    for index, (name, (x_m, y_m)) in enumerate(first["people"].items()):
        person = known.get(name) or Person(name, (), tag=FIRST_TAG + index)
        people.append(replace(person, path=(Pose(x_m, y_m),)))
    return replace(world, robots=robots, people=tuple(people))


def _refuse_goals(_start: Pose, _goal: Pose) -> tuple[Pose, ...]:
    raise NoWay("a_replay_takes_no_goals")


def _between(old: list[float], new: list[float], share: float) -> Pose:
    turn = wrapped(new[2] - old[2])
    return Pose(
        old[0] + share * (new[0] - old[0]),
        old[1] + share * (new[1] - old[1]),
        wrapped(old[2] + share * turn),
    )
