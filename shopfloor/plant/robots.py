"""One robot of the plant: a body, and on it the same software as on a real one.

The truth is known to the body alone. The pilot gets what wheels, lasers and tags say,
unless a test asks for the true pose instead of localisation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.commands import Cause
from shopfloor.control.errors import ControlRefused
from shopfloor.control.limits import RobotLimits
from shopfloor.control.tracker import Mode
from shopfloor.geometry import Odometry, Pose, Scan, TagSeen, wrapped
from shopfloor.grid import Grid
from shopfloor.lasers import Laser, front_and_rear, simulate_scan
from shopfloor.local.errors import WindowRefused
from shopfloor.local.peers import Peer
from shopfloor.local.window import WindowShape
from shopfloor.localisation import (
    LOST,
    Amcl,
    DifferentialBase,
    Drift,
    Encoders,
    Estimate,
    KnownPose,
    Localiser,
    MecanumBase,
    SupportedPose,
    Tuning,
    WheelOdometry,
)
from shopfloor.localisation.errors import LocalisationRefused
from shopfloor.pilot import Command, Pilot, PilotSettings, PilotStatus
from shopfloor.pilot.driver import LASER_CAUSES
from shopfloor.plant.bodies import Body, GridBody, Hull
from shopfloor.plant.grid_pilot import GridPilot
from shopfloor.plant.laser_faults import LaserFaults
from shopfloor.plant.lattice import Traffic
from shopfloor.plant.steering import Speeds, steered
from shopfloor.sim.world import RobotSpec, WorldRefused

Planner = Literal["auto", "lazy_theta"]
Localisation = Literal["amcl", "known"]
LOCALISE_EVERY = 4
"""Cycles; in between the wheels carry the estimate on. Those of a differential base
tell the heading so badly that it is localised in every cycle."""
HOLONOMIC_KINDS = ("holonomic", "mecanum", "omnidirectional")
BEAMS = 271
NEAR_GOAL_M = 0.5
GRID = "grid"
IDLE = Command(0.0, 0.0, 0.0, PilotStatus.IDLE)


def drive_of(spec: RobotSpec) -> str:
    """What the file says, else what the kind implies."""
    if spec.drive is not None:
        return spec.drive
    if spec.kind in HOLONOMIC_KINDS:
        return "holonomic"
    return GRID if spec.kind == GRID else "differential"


def limits_of(spec: RobotSpec) -> RobotLimits:
    return RobotLimits(
        speed_mps=spec.limits.speed_mps,
        accel_mps2=spec.limits.accel_mps2,
        braking_mps2=max(1.0, spec.limits.accel_mps2),
        turn_radps=spec.limits.turn_radps,
        turn_accel_radps2=spec.limits.turn_accel_radps2,
        radius_m=spec.radius_m,
        max_payload_kg=spec.max_payload_kg or math.inf,
        drive="holonomic" if drive_of(spec) == "holonomic" else "differential",
    )


def tuning_of(limits: RobotLimits) -> Tuning:
    """Two wheels slip by a degree within a hand's breadth; four hardly do."""
    if limits.drive == "holonomic":
        return Tuning()
    return Tuning(holonomic=False, move_m=0.015, turn_rad=0.01, floor_rad=0.008)


def lasers_of(radius_m: float, beams: int = BEAMS) -> tuple[Laser, Laser]:
    """A degree apart, somewhat dirty, inside the hull."""
    return front_and_rear(
        ahead_m=0.8 * radius_m, beams=beams, range_max_m=20.0, dropout_share=0.005
    )


class PlantRobot:
    def __init__(
        self,
        spec: RobotSpec,
        grid: Grid,
        seed: Sequence[int],
        *,
        localisation: Localisation = "amcl",
        pilot: Pilot | None = None,
        traffic: Traffic | None = None,
        hull: Hull | None = None,
        drift: Drift | None = None,
        lasers: tuple[Laser, ...] | None = None,
    ) -> None:
        self.spec = spec
        self.id = spec.id
        self.limits = limits_of(spec) if pilot is None else pilot.empty_limits
        start = Pose(spec.home.x_m, spec.home.y_m, spec.home.yaw_rad)
        self.pilot: Pilot | GridPilot
        self.body: Body
        if pilot is None and drive_of(spec) == GRID:
            self.pilot = _grid_pilot(spec, grid, self.limits, traffic)
            x_m, y_m = self.pilot.lattice.middle(self.pilot.at)
            quarter = round(start.yaw_rad / (0.5 * math.pi))
            start = Pose(x_m, y_m, wrapped(0.5 * math.pi * quarter))
            corner = grid.origin[:2]
            self.body = GridBody(start, self.limits, cell_m=spec.cell_m, origin=corner)
        else:
            self.pilot = pilot or _pilot(spec, grid, self.limits)
            self.body = Body(start, self.limits)
        self.hull = hull or Hull(self.limits.radius_m)
        self.lasers = lasers or lasers_of(self.limits.radius_m)
        for laser in self.lasers:
            self.pilot.lasers.expect(laser.name, laser.period_s)
        self.laser_faults = LaserFaults(np.random.default_rng((*seed, 4)))
        holonomic = self.limits.drive == "holonomic"
        base = MecanumBase() if holonomic else DifferentialBase()
        self._grid = grid
        self._laser_random = np.random.default_rng((*seed, 1))
        self._encoders = Encoders(base, np.random.default_rng((*seed, 2)), drift)
        self._wheels = WheelOdometry(base, start)
        self.localiser: Localiser
        if localisation == "amcl":
            random = np.random.default_rng((*seed, 3))
            amcl = Amcl(grid, random, start, tuning_of(self.limits))
            self.localiser = SupportedPose(grid, amcl, start)
        else:
            self.localiser = KnownPose(lambda: self.body.pose)
        often = localisation != "amcl" or not holonomic
        self._every = 1 if often else LOCALISE_EVERY
        self._cycle = 0
        self._fixed_odometry = start
        self.estimate: Estimate | None = None
        self.believed: Pose | None = start
        self.odometry = Odometry(start)
        self.scans: list[Scan] = []
        self.command = IDLE
        self.stop_pressed = False
        self.by_hand: Speeds | None = None
        """What somebody steers, as long as there is no goal."""

    def sense(
        self,
        now_s: float,
        segments: NDArray[np.float64],
        discs: NDArray[np.float64],
        ask_tag: Callable[[], TagSeen | None] | None = None,
    ) -> None:
        """Read wheels and lasers, and work out where that is."""
        if ask_tag is not None and isinstance(self.localiser, SupportedPose):
            self.localiser.ask_tag = ask_tag
        self.odometry = self._wheels.update(now_s, self._encoders.ticks)
        scans = [
            simulate_scan(
                self._grid,
                self.body.pose,
                laser,
                self._laser_random,
                segments,
                discs,
                now_s,
            )
            for laser in self.lasers
        ]
        self.scans = self.laser_faults.spoil(scans)
        if self.estimate is None or self._cycle % self._every == 0:
            self.estimate = self.localiser.update(now_s, self.odometry, self.scans)
            self._fixed_odometry = self.odometry.pose
        self._cycle += 1
        self.believed = None
        if self.estimate.status != LOST:
            since = self.odometry.pose.seen_from(self._fixed_odometry)
            pose, goal = self.estimate.pose.plus(since), self.pilot.goal
            # Nobody arrives by a guess: in doubt before the goal is lost.
            near = goal is not None and pose.distance_to(goal) < NEAR_GOAL_M
            self.believed = None if near and self.estimate.in_doubt else pose

    def act(
        self,
        now_s: float,
        dt_s: float,
        people: Sequence[TagSeen],
        peers: Sequence[Peer] = (),
    ) -> Command:
        """Let the pilot decide and the body follow."""
        self.command = self.pilot.step(
            now_s,
            self.believed,
            self.odometry,
            self.scans,
            people,
            self.stop_pressed,
            peers,
        )
        if self.by_hand is not None and self.pilot.goal is None:
            self._steer(self.by_hand)
        command = self.command
        before = self.body.step(command.vx_mps, command.vy_mps, command.wz_radps, dt_s)
        self._encoders.advance(before, self.body.pose)
        return command

    def _steer(self, asked: Speeds) -> None:
        """A stop is a stop; without its lasers or its place it crawls by hand only."""
        trouble = (
            self.command.cause if self.command.status is PilotStatus.STOPPED else None
        )
        if self.stop_pressed or trouble not in (None, Cause.LOST, *LASER_CAUSES):
            return
        crawl = trouble is not None
        self.command = steered(asked, self.scans, self.body.able, crawl=crawl)

    def take_pose(self, pose: Pose) -> str | None:
        """Somebody says where it is; a cause if it cannot be there."""
        if not isinstance(self.localiser, SupportedPose):
            return "this robot is told the truth (--localisation known)"
        try:
            self.localiser.set_pose(pose)
        except LocalisationRefused as cause:
            return str(cause)
        return None

    def drive_to(self, goal: Pose) -> str | None:
        """Set a goal; the name of the cause if it cannot be one."""
        cause = self.pilot.set_goal(goal.x_m, goal.y_m, goal.yaw_rad)
        return None if cause is None else cause.value

    def carry(self, payload_kg: float) -> None:
        self.body.load(payload_kg)
        self.pilot.carry(payload_kg)


def _pilot(spec: RobotSpec, grid: Grid, limits: RobotLimits) -> Pilot:
    mode = cast("Mode | None", spec.tracking)
    settings = PilotSettings(planner=cast("Planner", spec.planner))
    try:
        window = WindowShape(spec.local_map_m)
        return Pilot(grid, limits, mode=mode, window=window, settings=settings)
    except (ControlRefused, WindowRefused) as error:
        raise WorldRefused(f"robot {spec.id}: {error}") from None


def _grid_pilot(
    spec: RobotSpec, grid: Grid, limits: RobotLimits, traffic: Traffic | None
) -> GridPilot:
    """A robot fits into a cell, so that two in cells side by side never touch."""
    if spec.cell_m <= 2.0 * spec.radius_m:
        raise WorldRefused(
            f"robot {spec.id} is {2.0 * spec.radius_m:g} m wide and does not fit "
            f"into a cell of {spec.cell_m:g} m"
        )
    home = Pose(spec.home.x_m, spec.home.y_m, spec.home.yaw_rad)
    return GridPilot(grid, limits, home, spec.cell_m, name=spec.id, traffic=traffic)
