"""The whole on-board loop without input or output: from what is sensed to velocities.

Called some 40 times a second. Every call watches the lasers; the local planner runs
at its own, lower rate. The same calls give the same answers, always. Whatever is
wrong with what the pilot is given, it says so by name and the robot stands still.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.commands import Cause, Command, PilotStatus
from shopfloor.control.emergency import EmergencyStop
from shopfloor.control.errors import ControlRefused
from shopfloor.control.escape import Escape, EscapeRule
from shopfloor.control.limits import RobotLimits
from shopfloor.control.tracker import Mode, Movement, PathTracker, Tracking, Wish
from shopfloor.control.watching import Near, Surroundings
from shopfloor.geometry import Odometry, Pose, Scan, TagSeen, wrapped
from shopfloor.grid import Grid
from shopfloor.local.dwa import DynamicWindow
from shopfloor.local.inputs import fault_of
from shopfloor.local.motion import Motion
from shopfloor.local.people import (
    Courtesy,
    nearest_person,
    speed_near,
)
from shopfloor.local.planner import (
    WALKING_MPS,
    LocalPath,
    LocalPlanner,
    LocalStatus,
)
from shopfloor.local.routes import Route, RoutePlanner
from shopfloor.local.window import WindowShape

__all__ = ["Cause", "Command", "Pilot", "PilotSettings", "PilotStatus"]

UNKNOWN_MARGIN_M = 0.04
"""Paths keep this much farther from unknown things than the emergency stop asks."""
WAITED_LATELY_S = 0.5
"""The status does not flicker while a person is being waited for."""
LONGEST_CYCLE_S = 0.2
"""After a longer pause speeds change as if this much time had passed."""


@dataclass(frozen=True, slots=True)
class PilotSettings:
    plan_period_s: float = 0.05
    controller: Literal["tracker", "dwa"] = "tracker"
    failures_to_replan: int = 3
    replan_every_s: float = 1.0
    wait_for_person_s: float = 3.0
    """After that the way around the person is looked for on the whole map."""
    stuck_s: float = 6.0
    patience_s: float = 60.0
    """Blocked for longer, a goal has failed."""
    lost_patience_s: float = 10.0


class Pilot:
    def __init__(
        self,
        grid: Grid,
        limits: RobotLimits | None = None,
        *,
        mode: Mode | None = None,
        courtesy: Courtesy | None = None,
        stop: EmergencyStop | None = None,
        escape: EscapeRule | Literal[False] | None = None,
        window: WindowShape | None = None,
        tracking: Tracking | None = None,
        settings: PilotSettings | None = None,
    ) -> None:
        self.grid = grid
        self.settings = settings or PilotSettings()
        if self.settings.controller not in ("tracker", "dwa"):
            raise ControlRefused(f"there is no controller {self.settings.controller!r}")
        self.empty_limits = limits or RobotLimits()
        self.limits = self.empty_limits
        self.courtesy = courtesy or Courtesy()
        self.stop = stop or EmergencyStop()
        if mode is None:
            mode = "holonomic" if self.limits.drive == "holonomic" else "straight"
        self.tracker = PathTracker(self.limits, mode, tracking)
        self.dwa = DynamicWindow(self.limits)
        self._escape = None if escape is False else Escape(self.limits, escape)
        radius = self.limits.radius_m
        self.around = Surroundings(grid, radius)
        self.routes = RoutePlanner(grid, radius, self.stop.stop_m + UNKNOWN_MARGIN_M)
        self.planner = LocalPlanner(
            grid,
            radius,
            unknown_margin_m=self.stop.stop_m + UNKNOWN_MARGIN_M,
            shape=window,
            courtesy=self.courtesy,
            always_plan=self.settings.controller == "dwa",
        )
        self.goal: Pose | None = None
        self.route: Route | None = None
        self.local: LocalPath | None = None
        self.escaping = False
        self._failure: tuple[Cause, str] | None = None
        self._arrived = False
        self._last_s: float | None = None
        self._lost_since_s: float | None = None
        self._last_yaw_rad = 0.0
        self.motion = Motion(self.limits, self.around, self.courtesy)
        self._forget_progress()

    def _forget_progress(self) -> None:
        self.route = None
        self.local = None
        self.escaping = False
        self._progress_m = 0.0
        self._next_plan_s = -math.inf
        self._next_route_s = -math.inf
        self._failures = 0
        self._trouble_since_s: float | None = None
        self._person_since_s: float | None = None
        self._least_left_m = math.inf
        self._moved_s = -math.inf
        self._back_off_until_s = -math.inf
        self._released = False
        self._turning_s = 0.0
        self._waited_s = -math.inf
        self.tracker.reset()
        self.dwa.reset()
        if self._escape is not None:
            self._escape.reset()

    def carry(self, payload_kg: float) -> None:
        """Drive from now on as heavy as the load makes the robot."""
        self.limits = self.empty_limits.loaded(payload_kg)
        self.tracker.limits = self.dwa.limits = self.motion.limits = self.limits

    def set_goal(self, x_m: float, y_m: float, yaw_rad: float = 0.0) -> Cause | None:
        """Drive there from the next step on; a goal that cannot be has a cause."""
        self._forget_progress()
        self.routes.forget()
        self.goal, self._failure, self._arrived = None, None, False
        cause = self.routes.goal_fault(x_m, y_m)
        if cause is None and not math.isfinite(yaw_rad):
            cause = Cause.GOAL_NOT_FINITE
        if cause is not None:
            self._failure = (cause, f"the goal is ({x_m}, {y_m}, {yaw_rad})")
            return cause
        self.goal = Pose(x_m, y_m, yaw_rad)
        return None

    def cancel(self) -> None:
        self._forget_progress()
        self.goal, self._failure, self._arrived = None, None, False

    def step(
        self,
        now_s: float,
        pose_estimate: Pose | None,
        odometry: Odometry | None,
        scans: Sequence[Scan],
        people: Sequence[TagSeen] = (),
        stop_pressed: bool = False,
    ) -> Command:
        """One cycle. ``pose_estimate`` is None while the robot does not know it."""
        if not math.isfinite(now_s):
            return self._halt(Cause.TIME_NOT_FINITE, f"the time is {now_s}")
        last_s, self._last_s = self._last_s, now_s
        if last_s is not None and now_s < last_s:
            self._restart_clocks(now_s)
            return self._halt(
                Cause.TIME_WENT_BACKWARDS, f"{now_s:g} s comes after {last_s:g} s"
            )
        dt_s = 0.0 if last_s is None else min(now_s - last_s, LONGEST_CYCLE_S)
        if stop_pressed:
            return self._halt(Cause.STOP_PRESSED)
        pose = pose_estimate
        if pose is None or not pose.is_finite or not self._on_map(pose):
            return self._lost(now_s, pose)
        self._lost_since_s = None
        if self.limits.drive == "holonomic":
            self.motion.speed.turned(wrapped(pose.yaw_rad - self._last_yaw_rad))
        self._last_yaw_rad = pose.yaw_rad
        fault = fault_of(odometry, scans, people)
        if fault is not None:
            return self._halt(*fault)
        self.around.look(pose, scans)
        if len(self.around.points) == 0:
            return self._halt(
                Cause.LASERS_SEE_NOTHING, "not one beam of any laser came back"
            )
        _, gap_m = nearest_person(pose, people, self.limits.radius_m)
        was_stopped = self.stop.stopped
        thing = self.stop.step(self.around, gap_m - self.courtesy.body_m)
        if self.goal is None:
            return self._resting(dt_s)
        fault = self._route(now_s, pose)
        if fault is not None:
            return self._failed(*fault)
        if thing.clearance_m < self.stop.stop_m or self.stop.for_person:
            self._released = False
        if self.stop.stopped and not self._released:
            if not was_stopped:
                self.motion.halt()
            return self._stopped_by(now_s, dt_s, pose, thing, people)
        self.escaping = False
        if self._escape is not None and now_s >= self._back_off_until_s:
            self._escape.reset()
        if thing.clearance_m > self.stop.resume_m:
            self._released = False
        if now_s < self._back_off_until_s:
            return self._back_off(now_s, dt_s, pose, people)
        return self._drive(now_s, dt_s, pose, odometry, scans, people, thing)

    # What can be wrong

    def _on_map(self, pose: Pose) -> bool:
        return self.grid.holds(*self.grid.to_cells(pose.x_m, pose.y_m))

    def _restart_clocks(self, now_s: float) -> None:
        self._next_plan_s = self._next_route_s = -math.inf
        self._trouble_since_s = self._person_since_s = self._lost_since_s = None
        self._back_off_until_s = -math.inf
        self._moved_s = now_s
        self._waited_s = -math.inf
        if self._escape is not None:
            self._escape.reset()

    def _halt(self, cause: Cause, detail: str = "") -> Command:
        self.motion.halt()
        return Command(0.0, 0.0, 0.0, PilotStatus.STOPPED, cause, detail)

    def _lost(self, now_s: float, pose: Pose | None) -> Command:
        if self._failure is not None:
            return self._failed(*self._failure)
        if self._lost_since_s is None:
            self._lost_since_s = now_s
        detail = "the pose is not known" if pose is None else f"the pose is {pose}"
        since_s = now_s - self._lost_since_s
        if self.goal is not None and since_s > self.settings.lost_patience_s:
            return self._failed(Cause.LOST, detail)
        return self._halt(Cause.LOST, detail)

    def _failed(self, cause: Cause, detail: str) -> Command:
        self.goal = None
        self._failure = (cause, detail)
        self.motion.halt()
        return Command(0.0, 0.0, 0.0, PilotStatus.FAILED, cause, detail)

    def _resting(self, dt_s: float) -> Command:
        if self._failure is not None:
            return self._failed(*self._failure)
        self.motion.slow_down(dt_s)
        status = PilotStatus.ARRIVED if self._arrived else PilotStatus.IDLE
        return self._command(status)

    # The global plan

    def _route(self, now_s: float, pose: Pose) -> tuple[Cause, str] | None:
        if self.route is not None or self.goal is None:
            return None
        found = self.routes.find(pose, self.goal, now_s)
        if isinstance(found, Cause):
            return found, f"there is no way to ({self.goal.x_m}, {self.goal.y_m})"
        self._follow(found, now_s)
        return None

    def _follow(self, route: Route, now_s: float) -> None:
        self.route = route
        self.local = None
        self._progress_m = 0.0
        self._least_left_m = math.inf
        self._moved_s = now_s
        self._next_plan_s = -math.inf
        self._failures = 0

    def _replan(self, now_s: float, pose: Pose, people: Sequence[TagSeen]) -> bool:
        """Plan anew around what is marked now; is there a way."""
        if self.goal is None or now_s < self._next_route_s:
            return False
        self._next_route_s = now_s + self.settings.replan_every_s
        things = self.planner.window.marked_points_m()
        standing = [p for p in people if not _walks(p)]
        if standing:
            reach = self.courtesy.distance_m
            things = np.vstack([things, *(_ring(p, reach) for p in standing)])
        self.routes.remember(things, now_s)
        found = self.routes.find(pose, self.goal, now_s)
        if isinstance(found, Cause):
            # What is remembered may be gone; the next try looks afresh.
            self.routes.forget()
            return False
        self._follow(found, now_s)
        return True

    # Standing because something is too near

    def _stopped_by(
        self,
        now_s: float,
        dt_s: float,
        pose: Pose,
        thing: Near,
        people: Sequence[TagSeen],
    ) -> Command:
        self._moved_s = now_s
        self.escaping = False
        if self.stop.for_person:
            if self._escape is not None:
                self._escape.reset()
            self.motion.halt()
            return self._command(PilotStatus.WAITING_FOR_PERSON, Cause.PERSON)
        detail = f"something is {max(thing.clearance_m, 0.0):.2f} m from the hull"
        if self._escape is None:
            self.motion.halt()
            return self._command(PilotStatus.BLOCKED, Cause.OBSTACLE, detail)
        way = self._escape.step(now_s, pose, thing, self.around)
        if way is None and thing.clearance_m > self.stop.stop_m + 0.02:
            # It stands still, it is no nearer than allowed, and there is no better
            # place: creep on; the first threshold still guards.
            self._released = True
            way = (0.0, 0.0, 0.0)
        if way is None or way == (0.0, 0.0, 0.0):
            self.motion.halt()
        else:
            self.escaping = True
            self.motion.move(dt_s, pose, Wish(Movement.HOLONOMIC, *way), people)
        return self._command(PilotStatus.BLOCKED, Cause.OBSTACLE, detail)

    def _back_off(
        self, now_s: float, dt_s: float, pose: Pose, people: Sequence[TagSeen]
    ) -> Command:
        """Leave a place where nothing went forward, away from what is nearest."""
        self._moved_s = now_s
        way = None
        if self._escape is not None:
            nearest = self.around.nearest(unexplained=False)
            way = self._escape.step(now_s, pose, nearest, self.around)
        if way is None:
            self._back_off_until_s = -math.inf
            way = (0.0, 0.0, 0.0)
        self.escaping = way != (0.0, 0.0, 0.0)
        self.motion.move(dt_s, pose, Wish(Movement.HOLONOMIC, *way), people)
        return self._command(PilotStatus.BLOCKED, Cause.NO_WAY_AROUND)

    # Driving

    def _drive(
        self,
        now_s: float,
        dt_s: float,
        pose: Pose,
        odometry: Odometry | None,
        scans: Sequence[Scan],
        people: Sequence[TagSeen],
        thing: Near,
    ) -> Command:
        local = self._plan_locally(now_s, pose, scans, people)
        if not local.ok:
            return self._no_way(now_s, dt_s, pose, people, local)
        if self._is_passed_by(pose, people):
            self.motion.slow_down(dt_s)
            self.motion.brake_honestly(dt_s, pose, people)
            self._moved_s = now_s
            self._waited_s = now_s
            return self._command(PilotStatus.WAITING_FOR_PERSON, Cause.PERSON)
        self._person_since_s = None
        most = speed_near(people, pose, local.xy, self.limits, self.courtesy)
        most = min(
            most, max(self.limits.honest_speed_mps(thing.clearance_m - 0.02), 0.05)
        )
        if self._released:
            most = min(most, 0.15)
        wish = self._wish(pose, local, most)
        if wish.movement is Movement.ARRIVED:
            self.motion.slow_down(dt_s)
            if self.motion.speed.speed < 0.02 and abs(self.motion.turn.x) < 0.05:
                self.motion.halt()
                self._arrived, self.goal = True, None
                return self._command(PilotStatus.ARRIVED)
            return self._command(PilotStatus.DRIVING)
        kept = self.motion.move(dt_s, pose, wish, people)
        self._note_progress(now_s, dt_s, wish, local)
        if kept < 0.05 and people and wish.movement is not Movement.TURNING:
            self._moved_s = now_s
            return self._wait_for_person(now_s, pose, people)
        if now_s - self._moved_s > self.settings.stuck_s:
            return self._stuck(now_s, pose, people)
        if now_s - self._waited_s < WAITED_LATELY_S:
            return self._command(PilotStatus.WAITING_FOR_PERSON, Cause.PERSON)
        return self._command(PilotStatus.DRIVING)

    def _is_passed_by(self, pose: Pose, people: Sequence[TagSeen]) -> bool:
        """Somebody walks within the distance kept: stand; leave only who stands."""
        person, gap_m = nearest_person(pose, people, self.limits.radius_m)
        if person is None or gap_m >= self.courtesy.distance_m:
            return False
        return _walks(person)

    def _plan_locally(
        self,
        now_s: float,
        pose: Pose,
        scans: Sequence[Scan],
        people: Sequence[TagSeen],
    ) -> LocalPath:
        route = self.route
        if route is None:
            raise ControlRefused("no route to follow")
        if self.local is None or now_s >= self._next_plan_s - 1e-9:
            self._next_plan_s = now_s + self.settings.plan_period_s
            self.local = self.planner.step(
                now_s,
                pose,
                scans,
                self.around,
                people,
                route.xy,
                self._progress_m,
                tight=route.tight or self._failures > 0,
            )
            self._progress_m = self.local.progress_m
            self._failures = 0 if self.local.ok else self._failures + 1
        return self.local

    def _wish(self, pose: Pose, local: LocalPath, most_mps: float) -> Wish:
        goal = self.goal or pose
        if self.settings.controller == "dwa":
            velocity = self.motion.velocity
            return self.dwa.step(
                pose, local, self.planner, velocity, most_mps, goal.yaw_rad
            )
        following = local.status is LocalStatus.FOLLOWING
        return self.tracker.step(
            pose,
            local.xy,
            goal.yaw_rad,
            self.motion.speed.speed,
            most_mps,
            self._can_steer_for(pose),
            self._progress_m if following else None,
            local.at_goal,
        )

    def _can_steer_for(self, pose: Pose) -> Callable[[float, float], bool]:
        def sees(x_m: float, y_m: float) -> bool:
            return self.planner.sees(pose, x_m, y_m)

        return sees

    # When it does not go on

    def _no_way(
        self,
        now_s: float,
        dt_s: float,
        pose: Pose,
        people: Sequence[TagSeen],
        local: LocalPath,
    ) -> Command:
        self.motion.slow_down(dt_s)
        self.motion.brake_honestly(dt_s, pose, people)
        self._moved_s = now_s
        if local.status is LocalStatus.BLOCKED_BY_PERSON:
            return self._wait_for_person(now_s, pose, people)
        if self._trouble_since_s is None:
            self._trouble_since_s = now_s
        if self._failures >= self.settings.failures_to_replan:
            self._replan(now_s, pose, ())
        blocked_s = now_s - self._trouble_since_s
        if blocked_s > self.settings.patience_s:
            return self._failed(
                Cause.BLOCKED_TOO_LONG, f"no way around for {blocked_s:.0f} s"
            )
        return self._command(PilotStatus.BLOCKED, Cause.NO_WAY_AROUND)

    def _wait_for_person(
        self, now_s: float, pose: Pose, people: Sequence[TagSeen]
    ) -> Command:
        self._waited_s = now_s
        if self._person_since_s is None:
            self._person_since_s = now_s
        if now_s - self._person_since_s > self.settings.wait_for_person_s:
            self._replan(now_s, pose, people)
        return self._command(PilotStatus.WAITING_FOR_PERSON, Cause.PERSON)

    def _note_progress(
        self, now_s: float, dt_s: float, wish: Wish, local: LocalPath
    ) -> None:
        left = wish.remaining_m
        if local.status is LocalStatus.AROUND and self.route is not None:
            left += max(_length(self.route.xy) - local.rejoins_m, 0.0)
        if left < self._least_left_m - 0.1:
            self._least_left_m = left
            self._moved_s = now_s
            self._trouble_since_s = None
            self._turning_s = 0.0
        if wish.movement is Movement.TURNING:
            # No way forward, but it ends by itself, usually.
            self._turning_s += dt_s
            if self._turning_s < 2.0 * self.settings.stuck_s:
                self._moved_s = now_s

    def _stuck(self, now_s: float, pose: Pose, people: Sequence[TagSeen]) -> Command:
        if self._trouble_since_s is None:
            self._trouble_since_s = now_s
        elif now_s - self._trouble_since_s > self.settings.patience_s:
            return self._failed(Cause.BLOCKED_TOO_LONG, "no way forward was found")
        self._moved_s = now_s
        self._replan(now_s, pose, people)
        if self._escape is not None:
            self._back_off_until_s = now_s + self._escape.rule.after_s + 2.0
        return self._command(PilotStatus.BLOCKED, Cause.NO_WAY_AROUND)

    def _command(
        self, status: PilotStatus, cause: Cause | None = None, detail: str = ""
    ) -> Command:
        return Command(*self.motion.velocity, status, cause, detail)


def _walks(person: TagSeen) -> bool:
    return math.hypot(person.vx_mps, person.vy_mps) > WALKING_MPS


def _ring(person: TagSeen, radius_m: float) -> NDArray[np.float64]:
    angles = np.linspace(0.0, math.tau, 12, endpoint=False)
    reach = 0.7 * radius_m
    return np.column_stack(
        [person.x_m + reach * np.cos(angles), person.y_m + reach * np.sin(angles)]
    )


def _length(xy: NDArray[np.float64]) -> float:
    return float(np.hypot(*np.diff(xy, axis=0).T).sum())
