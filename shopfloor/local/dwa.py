"""The dynamic window: the other controller, which tries velocities instead of lines.

Every velocity the robot can reach within a cycle is driven ahead in the mind; those
that touch the local map are dropped, the best of the others is commanded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.limits import RobotLimits
from shopfloor.control.path_kernels import look_along
from shopfloor.control.tracker import Movement, Wish
from shopfloor.control.watching import in_grid_frame
from shopfloor.geometry import Pose, wrapped
from shopfloor.grid.compiled import kernel
from shopfloor.grid.kernels import squared_distances
from shopfloor.local.planner import LocalPath, LocalPlanner


@dataclass(frozen=True, slots=True)
class DwaTuning:
    speeds: int = 11
    turns: int = 21
    horizon_s: float = 1.2
    steps: int = 12
    reach_s: float = 0.3
    """Velocities that can be had within this time are tried."""
    clearance_weight: float = 0.15
    clearance_m: float = 0.4
    target_m: float = 0.9


class DynamicWindow:
    def __init__(self, limits: RobotLimits, tuning: DwaTuning | None = None) -> None:
        self.limits = limits
        self.tuning = tuning or DwaTuning()
        self._there = False

    def reset(self) -> None:
        self._there = False

    def step(
        self,
        pose: Pose,
        local: LocalPath,
        planner: LocalPlanner,
        velocity: tuple[float, float, float],
        most_mps: float,
        goal_yaw_rad: float,
    ) -> Wish:
        """Needs a planner that always plans, for its blocked cells."""
        blocked = planner.blocked
        tuning, limits = self.tuning, self.limits
        seen = look_along(local.xy, pose.x_m, pose.y_m, 0.0, math.inf, tuning.target_m)
        progress, remaining, aside, tx, ty = seen[:5]
        end = math.hypot(*(local.xy[-1] - (pose.x_m, pose.y_m)))
        self._there = local.at_goal and end < (0.12 if self._there else 0.05)
        if self._there:
            error = wrapped(goal_yaw_rad - pose.yaw_rad)
            if abs(error) <= 0.05:
                return Wish(Movement.ARRIVED)
            turn = math.copysign(min(limits.turn_radps, 2.0 * abs(error)), error)
            return Wish(Movement.TURNING, 0.0, 0.0, turn)
        if blocked is None:
            return Wish(Movement.STRAIGHT, progress_m=progress, remaining_m=remaining)
        window = planner.window
        x, y, yaw = in_grid_frame(planner.grid, pose)
        gx, gy, _ = in_grid_frame(planner.grid, Pose(tx, ty))
        corner_x = window.left * window.resolution_m
        corner_y = window.low * window.resolution_m
        cap = min(most_mps, limits.speed_mps, 1.2 * max(remaining, 0.03))
        vx, vy, wz, _ = best_velocity(
            squared_distances(blocked),
            window.resolution_m,
            x - corner_x,
            y - corner_y,
            yaw,
            velocity[0],
            velocity[1],
            velocity[2],
            gx - corner_x,
            gy - corner_y,
            cap,
            limits.accel_mps2 * tuning.reach_s,
            limits.turn_radps,
            limits.turn_accel_radps2 * tuning.reach_s,
            limits.drive == "holonomic",
            tuning.speeds,
            tuning.turns,
            tuning.steps,
            tuning.horizon_s,
            tuning.clearance_weight,
            tuning.clearance_m,
        )
        kind = Movement.HOLONOMIC if vy else Movement.STRAIGHT_TURNING
        return Wish(kind, vx, vy, wz, progress, remaining, aside)


@kernel
def best_velocity(
    squared: NDArray[np.int32],
    resolution: float,
    x: float,
    y: float,
    yaw: float,
    vx: float,
    vy: float,
    wz: float,
    target_x: float,
    target_y: float,
    cap: float,
    speed_change: float,
    most_turn: float,
    turn_change: float,
    holonomic: bool,
    speeds: int,
    turns: int,
    steps: int,
    horizon: float,
    clearance_weight: float,
    clearance: float,
) -> tuple[float, float, float, float]:
    """Velocity in the robot's frame and its score; standing still is always tried."""
    size = squared.shape[0]
    dt = horizon / steps
    inside = squared[int(y / resolution), int(x / resolution)] == 0
    best = -math.inf
    best_x, best_y, best_w = 0.0, 0.0, 0.0
    for i in range(speeds):
        for j in range(turns):
            if holonomic:
                # Speeds and directions; the heading stays.
                speed = cap * i / (speeds - 1)
                angle = math.tau * j / turns
                ux, uy, w = speed * math.cos(angle), speed * math.sin(angle), 0.0
                change = math.sqrt((ux - vx) ** 2 + (uy - vy) ** 2)
                if change > speed_change:
                    ux = vx + (ux - vx) * speed_change / change
                    uy = vy + (uy - vy) * speed_change / change
            else:
                least = max(vx - speed_change, 0.0)
                most = max(min(vx + speed_change, cap), least)
                ux = least + (most - least) * i / (speeds - 1)
                uy = 0.0
                low = max(wz - turn_change, -most_turn)
                high = min(wz + turn_change, most_turn)
                w = low + (high - low) * j / (turns - 1)
            px, py, heading = x, y, yaw
            near = clearance
            free = True
            for _ in range(steps):
                middle = heading + 0.5 * w * dt
                cos, sin = math.cos(middle), math.sin(middle)
                px += (cos * ux - sin * uy) * dt
                py += (sin * ux + cos * uy) * dt
                heading += w * dt
                column, row = int(px / resolution), int(py / resolution)
                if not (0 <= column < size and 0 <= row < size):
                    break
                room = math.sqrt(squared[row, column]) * resolution
                if room == 0.0 and not inside:
                    free = False
                    break
                near = min(near, room)
            if not free:
                continue
            gap_x, gap_y = target_x - px, target_y - py
            score = clearance_weight * near - math.sqrt(gap_x * gap_x + gap_y * gap_y)
            if not holonomic:
                error = math.atan2(gap_y, gap_x) - heading
                error -= math.tau * np.round(error / math.tau)
                score -= 0.2 * abs(error)
            if score > best:
                best = score
                best_x, best_y, best_w = ux, uy, w
    return best_x, best_y, best_w, best
