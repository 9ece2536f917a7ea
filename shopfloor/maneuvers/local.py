"""Local planners: where the vehicle is on its way, and a command that is safe.

What all have in common lies here: progress along the way, one leg after the other,
and a guard that lets no command through after which the vehicle could not stop. Each
planner says only which command it would like.
"""

from __future__ import annotations

import math
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from fleet.bodies.model import Vehicle
from shopfloor.maneuvers.guard_kernel import stops_in_time
from shopfloor.maneuvers.scene import (
    Command,
    DrivingState,
    Obstacles,
    Way,
    gap_then,
    on_leg,
)
from shopfloor.vehicles.errors import PlannerUnknown
from shopfloor.vehicles.motion import numbers_of

PLANNERS = ("dwa", "mppi", "teb")
LEARNED = ("policy",)
"""Pass alleys forward over ways without headings; they follow no reversing legs."""
PERIOD_S = 0.1
"""Between two commands."""
GUARDED_S = 1.5 * PERIOD_S
"""A command must leave room to stop after so long."""
MARGIN_M = 0.03
"""Nothing comes nearer, measured from the hull."""
REACH_M = 6.0
LEG_END_M = 0.08
ARRIVED_M = 0.2
SEARCH = 25
"""So many poses ahead the nearest one is looked for."""


class LocalPlanner:
    """Give it a way, then ask for a command ten times a second."""

    name = ""

    def __init__(
        self, vehicle: Vehicle, seed: int = 0, margin_m: float = MARGIN_M
    ) -> None:
        self.vehicle = vehicle
        self.numbers = numbers_of(vehicle)
        self.outline = vehicle.outline
        self.margin_m = margin_m
        self.random = np.random.default_rng(seed)
        self.way: Way | None = None
        self.stopped_by_guard = 0
        self._at = 0
        self._leg = 0

    def follow(self, way: Way) -> None:
        self.way, self._at, self._leg = way, 0, 0
        self.forget()

    def forget(self) -> None:
        """What was planned before counts no longer."""

    @property
    def remaining_m(self) -> float:
        way = self.way
        return 0.0 if way is None else way.length_m - float(way.far_m[self._at])

    @property
    def direction(self) -> float:
        way = self.way
        return 1.0 if way is None else float(way.poses[way.turns[self._leg], 3])

    def ahead(self, within_m: float) -> NDArray[np.float64]:
        """Poses of the way from here on."""
        if self.way is None:
            return np.empty((0, 4))
        last = np.searchsorted(self.way.far_m, self.way.far_m[self._at] + within_m)
        return self.way.poses[self._at : int(last) + 1]

    def arrived(self, state: DrivingState, within_m: float = ARRIVED_M) -> bool:
        if self.way is None:
            return False
        last_leg = self._leg == len(self.way.turns) - 1
        return last_leg and state.pose.distance_to(self.way.goal) <= within_m

    def command(self, state: DrivingState, obstacles: Obstacles) -> Command:
        """SceneWrong: whoever drives stands still. Without a way it stands as well."""
        state.checked()
        if self.way is None:
            return Command(0.0, state.steering_rad)
        near = obstacles.near(state.pose, REACH_M + self.vehicle.front_m)
        values = np.array(
            [
                state.pose.x_m,
                state.pose.y_m,
                state.pose.yaw_rad,
                state.speed_mps,
                state.steering_rad,
            ]
        )
        self._advance(state, self.way)
        first, last = self._at, self.way.turns[self._leg]
        leg = np.ascontiguousarray(self.way.poses[first : last + 1])
        if len(leg) < 2:
            leg = np.ascontiguousarray(self.way.poses[max(first - 1, 0) : last + 1])
        wish = self._choose(values, leg, near)
        wish = Command(self._slowed(wish.speed_mps, leg, state), wish.steering_rad)
        return self._guarded(values, wish, near)

    def _choose(
        self,
        state: NDArray[np.float64],
        leg: NDArray[np.float64],
        near: Obstacles,
    ) -> Command:
        raise NotImplementedError

    def _advance(self, state: DrivingState, way: Way) -> None:
        pose = state.pose
        end = way.turns[self._leg]
        last = min(self._at + SEARCH, end)
        self._at, _ = on_leg(pose.x_m, pose.y_m, way.poses, self._at, last)
        x, y, yaw, direction = way.poses[end]
        # How far it still is to the end of the leg, along the leg's own heading.
        dx, dy = x - pose.x_m, y - pose.y_m
        left = direction * (math.cos(yaw) * dx + math.sin(yaw) * dy)
        near = self._at >= end - 3 and left < LEG_END_M
        if near and abs(state.speed_mps) < 0.3 and self._leg < len(way.turns) - 1:
            self._leg += 1
            self._at = end + 1
            self.forget()

    def _slowed(
        self, speed: float, leg: NDArray[np.float64], state: DrivingState
    ) -> float:
        """So that it stands where the leg ends."""
        braking = self.vehicle.limits.braking_mps2
        x, y, yaw, direction = leg[-1]
        if math.copysign(1.0, speed) != direction:
            return speed
        left = max(
            direction
            * (
                math.cos(yaw) * (x - state.pose.x_m)
                + math.sin(yaw) * (y - state.pose.y_m)
            ),
            math.hypot(x - state.pose.x_m, y - state.pose.y_m) - 0.1,
            0.02,
        )
        most = max(0.1, math.sqrt(0.7 * braking * left))
        return math.copysign(min(abs(speed), most), speed)

    def _guarded(
        self, state: NDArray[np.float64], wish: Command, near: Obstacles
    ) -> Command:
        """What was wished, slower if need be, or standing still."""
        for share in (1.0, 0.5, 0.2):
            speed = share * wish.speed_mps
            if self._stops(state, speed, wish.steering_rad, near):
                return Command(speed, wish.steering_rad)
            if abs(speed) < 0.1:
                break
        self.stopped_by_guard += 1
        return Command(0.0, wish.steering_rad if state[3] == 0.0 else float(state[4]))

    def _stops(
        self, state: NDArray[np.float64], speed: float, steering: float, near: Obstacles
    ) -> bool:
        return bool(
            stops_in_time(
                state,
                speed,
                steering,
                GUARDED_S,
                self.numbers,
                self.outline,
                near.walls,
                near.discs,
                self.margin_m,
            )
        )

    def gap_m(self, pose: tuple[float, float, float], near: Obstacles) -> float:
        return float(gap_then(*pose, 0.0, self.outline, near.walls, near.discs, 9.0))


def local_planner(name: str, vehicle: Vehicle, seed: int = 0) -> LocalPlanner:
    """PlannerUnknown lists those there are."""
    known = (*PLANNERS, *LEARNED)
    if name not in known:
        raise PlannerUnknown(
            f"there is no local planner {name!r}; there are {', '.join(known)}"
        )
    module = import_module(f"shopfloor.maneuvers.{name}")
    planner: LocalPlanner = module.PLANNER(vehicle, seed)
    return planner
