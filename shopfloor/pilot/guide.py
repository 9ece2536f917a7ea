"""Which way: the route to the goal, and the local path for the next metres."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.commands import Cause
from shopfloor.control.errors import ControlRefused
from shopfloor.control.path_kernels import look_along
from shopfloor.geometry import Pose, TagSeen
from shopfloor.local.paths import LocalPath, LocalStatus, length_of
from shopfloor.local.peers import Peer
from shopfloor.local.people import walks
from shopfloor.local.planner import LocalPlanner
from shopfloor.local.routes import Route, RoutePlanner
from shopfloor.pilot.keeping_right import KeepingRight
from shopfloor.pilot.scene import Scene
from shopfloor.pilot.settings import PilotSettings


class Guide:
    def __init__(
        self, routes: RoutePlanner, planner: LocalPlanner, settings: PilotSettings
    ) -> None:
        self.routes = routes
        self.planner = planner
        self._settings = settings
        self._right = KeepingRight(routes.grid, planner.radius_m, planner.courtesy)
        self.cycles = 0
        """Of the local planner so far."""
        self.forget()

    def forget(self) -> None:
        self.route: Route | None = None
        self.local: LocalPath | None = None
        self.progress_m = 0.0
        self.failures = 0
        self.restart()

    def restart(self) -> None:
        """The clock was set."""
        self._next_plan_s = -math.inf
        self._next_route_s = -math.inf

    def set_off(self, now_s: float, pose: Pose, goal: Pose) -> tuple[Cause, str] | None:
        """Find a route if there is none yet; the cause if there is no way."""
        if self.route is not None:
            return None
        found = self.routes.find(pose, goal, now_s)
        if isinstance(found, Cause):
            return found, f"there is no way to ({goal.x_m}, {goal.y_m})"
        self._follow(found)
        return None

    def _follow(self, route: Route) -> None:
        self.route = route
        self.local = None
        self.progress_m = 0.0
        self._next_plan_s = -math.inf
        self.failures = 0

    def replan(
        self,
        now_s: float,
        pose: Pose,
        goal: Pose,
        people: Sequence[TagSeen],
        peers: Sequence[Peer],
        longer_m: float = math.inf,
    ) -> bool:
        """Plan anew around what is marked now; is there a way, longer by so much."""
        if now_s < self._next_route_s:
            return False
        self._next_route_s = now_s + self._settings.replan_every_s
        distance_m = 0.7 * self.planner.courtesy.distance_m
        rings = [_ring(p, distance_m) for p in people if not walks(p)]
        rings += [_ring(p.tag, p.radius_m) for p in peers if not walks(p.tag)]
        things = np.vstack([self.planner.window.marked_points_m(), *rings])
        found = self.routes.find(pose, goal, now_s, things)
        if isinstance(found, Cause):
            # What is remembered may be gone; the next try looks afresh.
            self.routes.forget()
            return False
        if length_of(found.xy) > self._rest_m(pose) + longer_m:
            return False
        self.routes.remember(things, now_s)
        self._follow(found)
        return True

    def _rest_m(self, pose: Pose) -> float:
        """Of the present route."""
        if self.route is None:
            return math.inf
        _, rest_m, aside_m, *_ = look_along(
            self.route.xy, pose.x_m, pose.y_m, self.progress_m, math.inf, 0.0
        )
        return rest_m + abs(aside_m)

    def plan_locally(self, scene: Scene, *, detour_m: float) -> LocalPath:
        """At the planner's own rate; in between the last answer counts."""
        route = self.route
        if route is None:
            raise ControlRefused("no route to follow")
        if self.local is None or scene.now_s >= self._next_plan_s - 1e-9:
            self._next_plan_s = scene.now_s + self._settings.plan_period_s
            route = self._keep_right(route, scene)
            self.local = self.planner.step(
                scene.now_s,
                scene.pose,
                scene.scans,
                scene.around,
                scene.people,
                route.xy,
                self.progress_m,
                tight=route.tight,
                peers=scene.peers,
                detour_m=detour_m,
                keep_to_path=self._right.is_aside(route.xy),
            )
            self.cycles += 1
            self.progress_m = self.local.progress_m
            self.failures = 0 if self.local.ok else self.failures + 1
        return self.local

    def _keep_right(self, route: Route, scene: Scene) -> Route:
        """Out of the line of who comes straight at the robot."""
        moved = self._right.way(
            scene.pose,
            scene.people,
            route.xy,
            self.progress_m,
            scene.speed_mps,
        )
        if moved is None:
            return route
        self.route = replace(route, xy=moved)
        self.progress_m = 0.0
        return self.route

    def left_m(self, to_end_m: float) -> float:
        """Of the whole way, when so much of the local path is left."""
        if self.local is None or self.route is None:
            return to_end_m
        if self.local.status is not LocalStatus.AROUND:
            return to_end_m
        beyond_m = length_of(self.route.xy) - self.local.rejoins_m
        return to_end_m + max(beyond_m, 0.0)


def _ring(tag: TagSeen, radius_m: float) -> NDArray[np.float64]:
    angles = np.linspace(0.0, math.tau, 12, endpoint=False)
    return np.column_stack(
        [tag.x_m + radius_m * np.cos(angles), tag.y_m + radius_m * np.sin(angles)]
    )
