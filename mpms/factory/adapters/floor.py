"""The floor as the robots tell it over rosbridge, for the pages.

Beside ``robots`` the only place that knows ``robot_bridge``: this one only listens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from mpms.domain.errors import MpmsError
from mpms.factory.adapters.robots.where import address_of, namespace_of
from mpms.factory.domain.worlds import World
from mpms.factory.ports.floor import FloorSeen, PersonSeen, Point, RobotSeen
from robot_bridge.address import UnsafeAddress
from robot_bridge.profiles import BadProfile
from robot_bridge.tls import SYSTEM, TlsFiles
from robot_bridge.vda5050.address import is_vehicle
from robot_bridge.vda5050.client import MqttMissing
from robot_bridge.vda5050.watch import VehicleWatch
from robot_bridge.watch import FloorWatch, RobotToWatch, RobotWatched

__all__ = ["BridgeFloor", "FloorMisconfigured", "StillFloor"]

PLAN_STEP_M = 0.25


class FloorMisconfigured(MpmsError):
    """The address or the profile of a robot cannot be used for listening."""


class StillFloor:
    """A plant without a way to its robots: nothing is seen."""

    def seen(self) -> FloorSeen:
        return FloorSeen()

    def costmap(self, robot: str) -> Sequence[Point]:
        return ()

    def global_costmap(self, robot: str) -> Sequence[Point]:
        return ()

    def close(self) -> None:
        """Nothing to end."""


class BridgeFloor:
    """All robots of a world; ``url`` as for ``BridgeRobots``."""

    def __init__(
        self,
        world: World,
        url: str,
        *,
        tls: TlsFiles = SYSTEM,
        now: Callable[[], float] | None = None,
    ) -> None:
        """FloorMisconfigured if the address or a profile cannot be used."""
        robots: list[RobotToWatch] = [
            (
                info.id,
                address_of(info, url),
                info.profile,
                namespace_of(info, url),
            )
            for info in world.robots
            if not is_vehicle(address_of(info, url))
        ]
        vehicles = [
            (info.id, address_of(info, url), info.profile)
            for info in world.robots
            if is_vehicle(address_of(info, url))
        ]
        clock = {} if now is None else {"now": now}
        try:
            self._watch = FloorWatch(robots, tls=tls, **clock)
            self._vehicles = VehicleWatch(vehicles, tls=tls, **clock)
            self._watch.start()
            self._vehicles.start()
        except (UnsafeAddress, BadProfile, MqttMissing) as cause:
            raise FloorMisconfigured(f"The map cannot listen: {cause}.") from cause

    def seen(self) -> FloorSeen:
        return FloorSeen(
            tuple(
                _robot(each)
                for each in (*self._watch.robots(), *self._vehicles.robots())
            ),
            tuple(
                PersonSeen(each.tag, each.x, each.y, each.uncertainty_m, age_s)
                for each, age_s in self._watch.people()
            ),
        )

    def costmap(self, robot: str) -> Sequence[Point]:
        """Asking for it makes the laser and the costmap come for half a minute."""
        self._watch.want_layers(robot)
        watched = self._watch.robot(robot)
        return () if watched is None else watched.costmap

    def global_costmap(self, robot: str) -> Sequence[Point]:
        """Asking for it makes it come for half a minute."""
        self._watch.want_layers(robot, whole_map=True)
        watched = self._watch.robot(robot)
        return () if watched is None else watched.global_costmap

    def close(self) -> None:
        self._watch.close()
        self._vehicles.close()


def _robot(watched: RobotWatched) -> RobotSeen:
    return RobotSeen(
        watched.robot_id,
        watched.x,
        watched.y,
        watched.yaw,
        watched.pose_age_s,
        watched.heard_age_s,
        watched.speed_mps,
        watched.battery,
        watched.stopped,
        _ahead(watched),
        watched.scan,
        watched.driven,
        watched.local_plan,
        watched.steering_rad,
    )


def _ahead(watched: RobotWatched) -> tuple[Point, ...]:
    """The rest of the plan from where the robot is, with few points."""
    points = watched.plan
    if len(points) < 2:
        return ()
    if watched.x is not None and watched.y is not None:
        here = (watched.x, watched.y)
        points = (here, *points[_first_ahead(points, here) :])
    kept = [points[0]]
    kept += [p for p in points[1:-1] if math.dist(p, kept[-1]) >= PLAN_STEP_M]
    if math.dist(points[-1], kept[-1]) > 0.0:
        kept.append(points[-1])
    return tuple(kept)


def _first_ahead(points: tuple[Point, ...], here: Point) -> int:
    """The end of the leg that the robot is nearest to."""
    best, best_m = 1, math.inf
    for index in range(1, len(points)):
        gap_m = _gap_m(here, points[index - 1], points[index])
        if gap_m <= best_m:
            best, best_m = index, gap_m
    return best


def _gap_m(here: Point, start: Point, end: Point) -> float:
    span_x, span_y = end[0] - start[0], end[1] - start[1]
    length2 = span_x**2 + span_y**2
    share = 0.0
    if length2 > 0.0:
        share = (here[0] - start[0]) * span_x + (here[1] - start[1]) * span_y
        share = min(1.0, max(0.0, share / length2))
    nearest = (start[0] + share * span_x, start[1] + share * span_y)
    return math.dist(here, nearest)
