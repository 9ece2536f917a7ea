"""The loop of an agent: look, go around what stands in the way, drive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shopfloor.agent.body import Body
from shopfloor.agent.detour import Detour
from shopfloor.agent.motion import plan_motion
from shopfloor.agent.obstacles import detect_obstacles
from shopfloor.agent.waypoints import Waypoint
from shopfloor.grid import Grid


@dataclass(frozen=True)
class Drove:
    """``reached``: sub-goals that were reached in this step."""

    arrived: bool
    reached: tuple[Waypoint, ...] = ()


@dataclass(frozen=True)
class Blocked:
    """No way leads to the next sub-goal; the robot stands. For the fleet to decide."""

    x_m: float
    y_m: float


class Agent:
    """Follows one path at a time on the map that it has."""

    def __init__(self, body: Body, grid: Grid) -> None:
        self.body = body
        self._grid = grid
        self._detour = Detour(grid, body.type.radius_m)
        self.path: list[Waypoint] = []
        self.detours = 0

    def follow(self, path: Sequence[Waypoint]) -> None:
        self.path = list(path)

    def step(self, step_s: float) -> Drove | Blocked:
        """Look and set the speeds for the next span of time."""
        pose = self.body.pose_sensor()
        seen = detect_obstacles(self.body.laser_sensor(), pose, self._grid)
        if seen is not None:
            self._detour.add(seen)
        if self.path and not self._detour.is_clear(pose, self.path):
            around = self._detour.plan(pose, self.path)
            if around is None:
                self.body.stop()
                goal = next((p for p in self.path if p.sub_goal), self.path[-1])
                return Blocked(goal.x_m, goal.y_m)
            self.path = around
            self.detours += 1
        motion = plan_motion(self.path, pose, self.body.type, step_s)
        reached = tuple(p for p in self.path[: motion.passed] if p.sub_goal)
        self.path = self.path[motion.passed :]
        self.body.set_speed(motion.linear_mps, motion.angular_radps)
        return Drove(motion.arrived, reached)
