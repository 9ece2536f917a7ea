"""Whole missions: stop after stop, closed loop, with an honest account at the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from shopfloor.geometry import Pose, wrapped
from shopfloor.pilot import PilotStatus
from shopfloor.plant.plant import STEP_S, Plant
from shopfloor.plant.robots import PlantRobot
from shopfloor.sim.world import WorldRefused

STANDING_S = 120.0
"""A robot with a goal that stands for longer is deadlocked."""
LEG_LIMIT_S = 400.0
ARRIVED_WITHIN_M = 0.25
SETTLE_S = 1.5
"""Before the first goal, for tags to be located."""
UNLOADING = "tank"
HOME = "home"


def stops_of(places: Mapping[str, Any]) -> list[str]:
    """Every picking place in order with a tank after each, then home.

    Picking places have one capital letter; of several tanks they take turns.
    """
    tanks = sorted(name for name in places if is_tank(name))
    if not tanks:
        raise WorldRefused(f"a mission needs a place {UNLOADING!r}")
    if HOME not in places:
        raise WorldRefused(f"a mission needs a place {HOME!r}")
    picking = sorted(name for name in places if len(name) == 1 and name.isupper())
    if not picking:
        raise WorldRefused("a mission needs a picking place: A, B or C")
    stops = []
    for turn, name in enumerate(picking):
        stops += [name, tanks[turn % len(tanks)]]
    return [*stops, HOME]


def is_tank(place: str) -> bool:
    return place == UNLOADING or place.startswith(f"{UNLOADING}_")


@dataclass(frozen=True)
class Leg:
    goal: str
    ok: bool
    seconds: float
    distance_m: float
    missed_by_m: float
    waited_s: float
    cause: str | None = None


@dataclass
class Errors:
    """Running mean and worst of a length."""

    count: int = 0
    total_m: float = 0.0
    worst_m: float = 0.0

    def note(self, error_m: float) -> None:
        self.count += 1
        self.total_m += error_m
        self.worst_m = max(self.worst_m, error_m)

    @property
    def mean_m(self) -> float:
        return self.total_m / self.count if self.count else math.nan


@dataclass
class MissionReport:
    legs: list[Leg] = field(default_factory=list)
    amcl: Errors = field(default_factory=Errors)
    amcl_rad: Errors = field(default_factory=Errors)
    odometry: Errors = field(default_factory=Errors)
    uwb_to_amcl: Errors = field(default_factory=Errors)
    uwb_to_truth: Errors = field(default_factory=Errors)
    uwb_x: Errors = field(default_factory=Errors)
    uwb_y: Errors = field(default_factory=Errors)
    seconds: float = 0.0
    distance_m: float = 0.0
    deadlocks: int = 0
    lost_cycles: int = 0
    hardest_mps2: float = 0.0
    nearest_wall_m: float = math.inf
    nearest_box_m: float = math.inf
    nearest_person_m: float = math.inf
    contacts: int = 0

    @property
    def failed_legs(self) -> int:
        return sum(not leg.ok for leg in self.legs)

    @property
    def ok(self) -> bool:
        return not self.failed_legs and not self.contacts and not self.deadlocks

    def as_facts(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "distance_m": round(self.distance_m, 2),
            "time_s": round(self.seconds, 2),
            "contacts": self.contacts,
            "failed_legs": self.failed_legs,
            "deadlocks": self.deadlocks,
            "nearest_wall_m": _rounded(self.nearest_wall_m),
            "nearest_box_m": _rounded(self.nearest_box_m),
            "nearest_person_m": _rounded(self.nearest_person_m),
            "amcl_error_m": _rounded(self.amcl.mean_m),
            "amcl_worst_m": _rounded(self.amcl.worst_m),
            "amcl_worst_deg": _rounded(math.degrees(self.amcl_rad.worst_m)),
            "odometry_worst_m": _rounded(self.odometry.worst_m),
            "uwb_error_m": _rounded(self.uwb_to_truth.mean_m),
            "uwb_to_amcl_m": _rounded(self.uwb_to_amcl.mean_m),
            "uwb_error_x_m": _rounded(self.uwb_x.mean_m),
            "uwb_error_y_m": _rounded(self.uwb_y.mean_m),
            "lost_cycles": self.lost_cycles,
            "hardest_mps2": _rounded(self.hardest_mps2),
            "legs": [
                {k: _rounded(v) if isinstance(v, float) else v for k, v in row.items()}
                for row in map(asdict, self.legs)
            ],
        }


def _rounded(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None


def drive_mission(
    plant: Plant,
    stops: Sequence[str],
    *,
    robot: int = 0,
    dwell_s: float = 2.0,
    payload_kg: float = 0.0,
    observe: Callable[[Plant], None] | None = None,
    settle_s: float = SETTLE_S,
) -> MissionReport:
    """Drive from stop to stop; a leg that fails is counted and the next one tried."""
    machine = plant.robots[robot]
    report = MissionReport()
    began_s = plant.now_s
    travelled_m = machine.body.travelled_m
    contacts = plant.watches[robot].contacts

    def tick() -> None:
        plant.step()
        _note_errors(plant, machine, report)
        if observe is not None:
            observe(plant)

    for _ in range(round(settle_s / STEP_S)):
        tick()
    for stop in stops:
        place = plant.world.places[stop]
        goal = Pose(place.x_m, place.y_m, place.yaw_rad)
        report.legs.append(_drive_leg(plant, machine, stop, goal, report, tick))
        for _ in range(round(dwell_s / STEP_S)):
            tick()
        if payload_kg and stop != HOME:
            machine.carry(0.0 if is_tank(stop) else payload_kg)
    watch = plant.watches[robot]
    report.seconds = plant.now_s - began_s
    report.distance_m = machine.body.travelled_m - travelled_m
    report.hardest_mps2 = machine.body.hardest_mps2
    report.nearest_wall_m = watch.nearest_wall_m
    report.nearest_box_m = watch.nearest_box_m if plant.boxes else math.inf
    report.nearest_person_m = watch.nearest_person_m if plant.walkers else math.inf
    report.contacts = watch.contacts - contacts
    return report


def _drive_leg(
    plant: Plant,
    machine: PlantRobot,
    name: str,
    goal: Pose,
    report: MissionReport,
    tick: Callable[[], None],
) -> Leg:
    began_s, travelled_m = plant.now_s, machine.body.travelled_m
    cause = machine.drive_to(goal)
    stood_at, moved_s = machine.body.pose, plant.now_s
    waited_s = 0.0
    while cause is None:
        tick()
        status = machine.command.status
        if status is PilotStatus.ARRIVED:
            break
        if status is PilotStatus.FAILED:
            cause = machine.command.cause.value if machine.command.cause else "failed"
            break
        waited_s += STEP_S * (status is not PilotStatus.DRIVING)
        pose = machine.body.pose
        turned = abs(wrapped(pose.yaw_rad - stood_at.yaw_rad)) > 0.2
        if pose.distance_to(stood_at) > 0.05 or turned:
            stood_at, moved_s = pose, plant.now_s
        elif plant.now_s - moved_s > STANDING_S:
            report.deadlocks += 1
            cause = "deadlock"
        if plant.now_s - began_s > LEG_LIMIT_S:
            cause = "took_too_long"
    missed_m = machine.body.pose.distance_to(goal)
    if cause is None and missed_m > ARRIVED_WITHIN_M:
        cause = "arrived_elsewhere"
    if cause is not None:
        machine.pilot.cancel()
    return Leg(
        name,
        cause is None,
        plant.now_s - began_s,
        machine.body.travelled_m - travelled_m,
        missed_m,
        waited_s,
        cause,
    )


def _note_errors(plant: Plant, machine: PlantRobot, report: MissionReport) -> None:
    truth, believed = machine.body.pose, machine.believed
    if believed is None:
        report.lost_cycles += 1
    else:
        report.amcl.note(believed.distance_to(truth))
        report.amcl_rad.note(abs(wrapped(believed.yaw_rad - truth.yaw_rad)))
    report.odometry.note(machine.odometry.pose.distance_to(truth))
    if round(plant.now_s / STEP_S) % 8:
        return
    tag = plant.tags.seen(machine.id, plant.now_s)
    if tag is None:
        return
    report.uwb_to_truth.note(math.hypot(tag.x_m - truth.x_m, tag.y_m - truth.y_m))
    report.uwb_x.note(abs(tag.x_m - truth.x_m))
    report.uwb_y.note(abs(tag.y_m - truth.y_m))
    if believed is not None:
        away = math.hypot(tag.x_m - believed.x_m, tag.y_m - believed.y_m)
        report.uwb_to_amcl.note(away)
