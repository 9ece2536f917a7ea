"""The pilot: one decision per cycle, from everything the other parts found out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from shopfloor.control.commands import Cause, Command, PilotStatus
from shopfloor.control.emergency import EmergencyStop
from shopfloor.control.errors import ControlRefused
from shopfloor.control.escape import EscapeRule
from shopfloor.control.limits import RobotLimits
from shopfloor.control.tracker import Mode, Movement, PathTracker, Tracking, Wish
from shopfloor.control.watching import Surroundings
from shopfloor.geometry import Odometry, Pose, Scan, TagSeen, wrapped
from shopfloor.grid import Grid
from shopfloor.local.blind import speed_at_corners
from shopfloor.local.dwa import DynamicWindow
from shopfloor.local.motion import KEEP_M, TIGHT_KEEP_M, Motion
from shopfloor.local.movers import Movers
from shopfloor.local.paths import LocalPath, LocalStatus
from shopfloor.local.peers import Peer, sharpened
from shopfloor.local.people import Courtesy, nearest_person, speed_near, walks
from shopfloor.local.planner import LocalPlanner
from shopfloor.local.routes import Route, RoutePlanner
from shopfloor.local.window import WindowShape
from shopfloor.pilot.getting_out import GettingOut
from shopfloor.pilot.guide import Guide
from shopfloor.pilot.hindrances import Hindrances
from shopfloor.pilot.intake import Cycle, Fault, Intake
from shopfloor.pilot.making_way import MakingWay
from shopfloor.pilot.patience import Patience
from shopfloor.pilot.scene import Answer, Scene
from shopfloor.pilot.settings import PilotSettings

UNKNOWN_MARGIN_M = 0.04
"""Paths keep this much farther from unknown things than the emergency stop asks."""

WAITS = (PilotStatus.BLOCKED, PilotStatus.WAITING_FOR_PERSON, PilotStatus.DRIVING)

LASER_CAUSES = (Cause.LASER_FAULT, Cause.LASERS_SEE_NOTHING)


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
        if self.settings.planner not in ("auto", "lazy_theta"):
            raise ControlRefused(
                f"there is no planner {self.settings.planner!r} for robots; "
                "there are auto, lazy_theta"
            )
        self.empty_limits = self.limits = limits or RobotLimits()
        self.courtesy = courtesy or Courtesy()
        self.stop = stop or EmergencyStop()
        if mode is None:
            mode = "holonomic" if self.limits.drive == "holonomic" else "straight"
        self.tracker = PathTracker(self.limits, mode, tracking)
        self.dwa = DynamicWindow(self.limits)
        radius, unknown = self.limits.radius_m, self.stop.stop_m + UNKNOWN_MARGIN_M
        self.around = Surroundings(grid, radius)
        self.motion = Motion(self.limits, self.around, self.courtesy)
        self.routes = RoutePlanner(grid, radius, unknown, method=self.settings.planner)
        self.planner = LocalPlanner(
            grid,
            radius,
            unknown_margin_m=unknown,
            shape=window,
            courtesy=self.courtesy,
            always_plan=self.settings.controller == "dwa",
        )
        self.guide = Guide(self.routes, self.planner, self.settings)
        self.intake = Intake(grid, self.around)
        self.lasers = self.intake.lasers
        self.movers = Movers()
        self._patience = Patience(self.settings)
        self._way = MakingWay(self.routes.tight, radius)
        self._out = GettingOut(self.limits, self.stop, self.motion, escape)
        self._hindrances = Hindrances(
            self.settings, radius, self.guide, self._patience, self._way, self._out
        )
        self.goal: Pose | None = None
        self._aside: Pose | None = None
        """Where the robot makes way, as the last cycle knew it."""
        self._failure: tuple[Cause, str] | None = None
        self._arrived = False
        self._last_yaw_rad = 0.0

    @property
    def route(self) -> Route | None:
        return self.guide.route

    @property
    def local(self) -> LocalPath | None:
        return self.guide.local

    def carry(self, payload_kg: float) -> None:
        """Drive from now on as heavy as the load makes the robot."""
        self.limits = self.empty_limits.loaded(payload_kg)
        self.tracker.limits = self.dwa.limits = self.motion.limits = self.limits

    def set_goal(self, x_m: float, y_m: float, yaw_rad: float = 0.0) -> Cause | None:
        """Drive there from the next step on; a goal that cannot be has a cause."""
        self.cancel()
        self.routes.forget()
        cause = self.routes.goal_fault(x_m, y_m)
        if cause is None and not math.isfinite(yaw_rad):
            cause = Cause.GOAL_NOT_FINITE
        if cause is not None:
            self._failure = (cause, f"the goal is ({x_m}, {y_m}, {yaw_rad})")
            return cause
        self.goal = Pose(x_m, y_m, yaw_rad)
        return None

    def cancel(self) -> None:
        self.goal, self._failure, self._arrived = None, None, False
        self._way.forget()
        self._aside = None
        self._start_over()

    def _start_over(self) -> None:
        self.guide.forget()
        self._patience.forget()
        self._out.forget()
        self.tracker.reset()
        self.dwa.reset()

    def step(
        self,
        now_s: float,
        pose_estimate: Pose | None,
        odometry: Odometry | None,
        scans: Sequence[Scan],
        people: Sequence[TagSeen] = (),
        stop_pressed: bool = False,
        peers: Sequence[Peer] = (),
    ) -> Command:
        """One cycle. ``pose_estimate`` is None while the robot does not know it."""
        cycle = self.intake.check(
            now_s, pose_estimate, odometry, scans, people, stop_pressed
        )
        if isinstance(cycle, Fault):
            return self._faulty(now_s, cycle)
        pose, scans = cycle.pose, cycle.scans
        if self.limits.drive == "holonomic":
            self.motion.speed.turned(wrapped(pose.yaw_rad - self._last_yaw_rad))
        self._last_yaw_rad = pose.yaw_rad
        peers = sharpened(peers, pose, self.around)
        if self._way.place is not None:
            # On the way aside the other one is no more than an obstacle.
            peers = [replace(peer, goes_first=False) for peer in peers]
        self.motion.peers = peers
        people = [*people, *self._untagged(cycle, scans, people, peers)]
        _, gap_m = nearest_person(pose, people, self.limits.radius_m)
        thing = self.stop.step(self.around, gap_m - self.courtesy.body_m)
        if self.goal is None:
            return self._resting(cycle.dt_s)
        speed_mps = self.motion.speed.speed
        scene = Scene(
            now_s, cycle.dt_s, pose, scans, self.around, people, peers, thing, speed_mps
        )
        goal = self._aim(scene) or self.goal
        fault = self.guide.set_off(now_s, pose, goal)
        if fault is not None:
            return self._failed(*fault)
        tight = self.route is not None and self.route.tight
        self.motion.keep_m = TIGHT_KEEP_M if tight else KEEP_M
        stopped = self._out.step(scene)
        if stopped is not None:
            self._patience.excuse(now_s)
            return self._bounded(scene, self._say(*stopped))
        return self._bounded(scene, self._drive(scene, goal))

    def _bounded(self, scene: Scene, command: Command) -> Command:
        """Every wait has an end: ask who stands there, then fail and say so."""
        if command.status not in WAITS:
            return command
        stood_s = self._patience.stood_s(scene.dt_s, scene.pose)
        if stood_s > self.settings.standing_patience_s:
            whom = command.cause.value if command.cause is not None else "unknown"
            detail = f"stood for {stood_s:.0f} s, kept by: {whom}"
            return self._failed(Cause.BLOCKED_TOO_LONG, detail)
        return replace(command, asks=stood_s > self.settings.ask_after_s)

    # What can be wrong

    def _faulty(self, now_s: float, fault: Fault) -> Command:
        if fault.cause is Cause.TIME_WENT_BACKWARDS:
            self.guide.restart()
            self._patience.restart(now_s)
            self._out.restart()
            self.movers.forget()
        if fault.cause in LASER_CAUSES:
            # Waiting for a laser is no trouble with the way, and what it told last
            # says nothing of who moves.
            self._patience.restart(now_s)
            self.movers.forget()
        if fault.cause is Cause.LOST:
            if self._failure is not None:
                return self._failed(*self._failure)
            too_long = fault.lost_s > self.settings.lost_patience_s
            if self.goal is not None and too_long:
                return self._failed(Cause.LOST, fault.detail)
        self.motion.halt()
        return self._say(PilotStatus.STOPPED, fault.cause, fault.detail)

    def _failed(self, cause: Cause, detail: str) -> Command:
        self.goal = None
        self._way.forget()
        self._failure = (cause, detail)
        self.motion.halt()
        return self._say(PilotStatus.FAILED, cause, detail)

    def _resting(self, dt_s: float) -> Command:
        if self._failure is not None:
            return self._failed(*self._failure)
        self.motion.slow_down(dt_s)
        return self._say(PilotStatus.ARRIVED if self._arrived else PilotStatus.IDLE)

    def _say(
        self, status: PilotStatus, cause: Cause | None = None, detail: str = ""
    ) -> Command:
        return Command(*self.motion.velocity, status, cause, detail)

    # Others

    def _untagged(
        self,
        cycle: Cycle,
        scans: Sequence[Scan],
        people: Sequence[TagSeen],
        peers: Sequence[Peer],
    ) -> Sequence[TagSeen]:
        explained = [(p.x_m, p.y_m, 0.7 + p.sigma_m) for p in people]
        explained += [(p.x_m, p.y_m, p.returns_m + 0.3) for p in peers]
        return self.movers.look(cycle.now_s, cycle.pose, scans, self.around, explained)

    def _aim(self, scene: Scene) -> Pose | None:
        """Where to make way, as long as another robot needs it."""
        way = self._way
        if way.place is not None and way.is_over(scene.now_s, scene.pose, scene.peers):
            way.forget()
            self.routes.forget()
        if way.place != self._aside:
            self._aside = way.place
            self._start_over()
        return way.place

    def _is_passed_by(self, pose: Pose, people: Sequence[TagSeen]) -> bool:
        """Somebody walks within the distance kept: stand; leave only who stands."""
        person, gap_m = nearest_person(pose, people, self.limits.radius_m)
        if person is None or gap_m >= self.courtesy.distance_m:
            return False
        return walks(person)

    # Driving

    def _drive(self, scene: Scene, goal: Pose) -> Command:
        now_s, dt_s, pose, people = scene.now_s, scene.dt_s, scene.pose, scene.people
        detour_m = self._patience.detour_m(now_s)
        local = self.guide.plan_locally(scene, detour_m=detour_m)
        if not local.ok:
            self._slow_down(scene)
            return self._answer(self._hindrances.no_way(scene, goal, local))
        if self._is_passed_by(pose, people):
            self._slow_down(scene)
            self._patience.excuse(now_s)
            self._patience.wait_for_somebody(now_s, 0.0)
            return self._say(PilotStatus.WAITING_FOR_PERSON, Cause.PERSON)
        most = speed_near(people, pose, local.xy, self.limits, self.courtesy)
        honest = self.limits.honest_speed_mps(scene.thing.clearance_m - 0.02)
        most = min(most, max(honest, 0.05))
        most = min(
            most,
            speed_at_corners(self.grid, pose, self.around, local.xy, self.limits),
        )
        if self._out.creeping:
            most = min(most, 0.15)
        wish = self._wish(pose, goal, local, most)
        if wish.movement is Movement.ARRIVED:
            return self._arrive(dt_s)
        kept = self.motion.move(dt_s, pose, wish, people)
        turning = wish.movement is Movement.TURNING
        left_m = self.guide.left_m(wish.remaining_m)
        self._patience.note(now_s, dt_s, left_m, turning=turning)
        if kept < 0.05 and (people or scene.peers) and not turning:
            return self._answer(self._hindrances.wait(scene, goal))
        if self._patience.is_stuck(now_s):
            return self._answer(self._hindrances.stuck(scene, goal))
        if self._patience.waited_lately(now_s):
            return self._say(PilotStatus.WAITING_FOR_PERSON, Cause.PERSON)
        return self._say(PilotStatus.DRIVING)

    def _slow_down(self, scene: Scene) -> None:
        self.motion.slow_down(scene.dt_s)
        self.motion.brake_honestly(scene.dt_s, scene.pose, scene.people)

    def _answer(self, answer: Answer) -> Command:
        status, cause, detail = answer
        if status is PilotStatus.FAILED and cause is not None:
            return self._failed(cause, detail)
        return self._say(status, cause, detail)

    def _arrive(self, dt_s: float) -> Command:
        self.motion.slow_down(dt_s)
        moving = self.motion.speed.speed >= 0.02 or abs(self.motion.turn.x) >= 0.05
        if self._way.place is not None:
            return self._say(PilotStatus.BLOCKED, Cause.ROBOT)
        if moving:
            return self._say(PilotStatus.DRIVING)
        self.motion.halt()
        self._arrived, self.goal = True, None
        return self._say(PilotStatus.ARRIVED)

    def _wish(self, pose: Pose, goal: Pose, local: LocalPath, most_mps: float) -> Wish:
        if self.settings.controller == "dwa":
            velocity = self.motion.velocity
            return self.dwa.step(
                pose, local, self.planner, velocity, most_mps, goal.yaw_rad
            )
        following = local.status is LocalStatus.FOLLOWING
        return self.tracker.step(
            pose,
            local.xy,
            goal.yaw_rad if self._way.place is None else None,
            self.motion.speed.speed,
            most_mps,
            self._can_steer_for(pose),
            self.guide.progress_m if following else None,
            local.at_goal,
        )

    def _can_steer_for(self, pose: Pose) -> Callable[[float, float], bool]:
        def sees(x_m: float, y_m: float) -> bool:
            return self.planner.sees(pose, x_m, y_m)

        return sees
