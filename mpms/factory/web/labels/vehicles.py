"""Vehicles in the words of a page: dimensions, reasons, the curve of a training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fleet.bodies.inertia import of_box, of_cylinder
from fleet.bodies.model import Vehicle
from fleet.bodies.passability import Trial, title_of
from fleet.svg import round_steps
from mpms.factory.ports.vehicles import LearnedPoint
from mpms.web.texts import t

WIDE, HIGH = 640.0, 240.0
"""Of the drawing of a curve, without its margins."""
MOST_POINTS = 160


def dimension(name: str) -> str:
    return {
        "wheel_radius_m": t("Wheel radius"),
        "shell_length_m": t("Length of the shell"),
        "shell_width_m": t("Width of the shell"),
        "shell_height_m": t("Height of the shell"),
        "total_height_m": t("Total height"),
        "wheel_base_m": t("Wheel base"),
        "track_m": t("Track"),
        "wheel_width_m": t("Wheel width"),
        "rear_overhang_m": t("Rear overhang"),
    }.get(name, name)


def reason(short: str) -> str:
    return {
        "cannot turn": t("cannot turn"),
        "no way found": t("no way found"),
        "too wide": t("too wide"),
        "stuck": t("stuck"),
        "contact": t("contact"),
        "too slow": t("too slow"),
    }.get(short, t("failed"))


def planner(title: str) -> str:
    return title.replace("learned policy", t("learned policy"))


def is_assumed(vehicle: Vehicle, key: str) -> bool:
    """Whether the file says that no source gives this value."""
    return any(key == each or key.startswith(f"{each}.") for each in vehicle.assumed)


@dataclass(frozen=True)
class Inertia:
    part: str
    mass_kg: float
    moments: tuple[float, float, float]


def inertias(vehicle: Vehicle) -> list[Inertia]:
    """By the equations for a box and a cylinder, as in the URDF."""
    size, masses = vehicle.dimensions, vehicle.masses
    box = of_box(
        masses.shell_kg, size.shell_length_m, size.shell_width_m, size.shell_height_m
    )
    wheel = of_cylinder(masses.wheel_kg, size.wheel_radius_m, size.wheel_width_m)
    return [
        Inertia(t("Shell, a box"), masses.shell_kg, box),
        Inertia(t("Wheel, a cylinder"), masses.wheel_kg, wheel),
    ]


@dataclass(frozen=True)
class Tick:
    value: float
    at: float
    """In units of the drawing."""


@dataclass(frozen=True)
class Curve:
    """Lines in units of the drawing, y down."""

    reward: str
    arrived: str
    rewards: tuple[Tick, ...]
    steps: tuple[Tick, ...]
    """Millions."""
    last: LearnedPoint
    first_half: int | None
    """Steps after which half of the drives arrived."""


@dataclass(frozen=True)
class Compared:
    """Planners in the same alleys, which none of them knew."""

    planners: tuple[tuple[str, int], ...]
    """Titles, and how many alleys each passed, the best first."""
    alleys: int
    dwa_fails: int
    learned_passes: int
    """Of those in which DWA fails."""


DWA, LEARNED = "a_star+dwa", "a_star+policy"


def compared(drives: Sequence[Trial]) -> Compared | None:
    passed: dict[str, set[int]] = {}
    for drive in drives:
        seeds = passed.setdefault(drive.planner, set())
        if drive.passed:
            seeds.add(drive.seed)
    if DWA not in passed or LEARNED not in passed:
        return None
    alleys = {drive.seed for drive in drives}
    fails = alleys - passed[DWA]
    ranked = sorted(passed.items(), key=lambda one: -len(one[1]))
    return Compared(
        tuple((planner(title_of(name)), len(seeds)) for name, seeds in ranked),
        len(alleys),
        len(fails),
        len(fails & passed[LEARNED]),
    )


def curve(points: Sequence[LearnedPoint]) -> Curve | None:
    if not points:
        return None
    most = max(point.steps for point in points)
    low = min(0.0, *(point.reward for point in points))
    high = max(1.0, *(point.reward for point in points))
    kept = points[:: max(1, len(points) // MOST_POINTS)]
    lines = [
        " ".join(
            f"{WIDE * at.steps / most:.1f},{HIGH * (1.0 - share):.1f}"
            for at, share in zip(kept, shares, strict=True)
        )
        for shares in (
            [(at.reward - low) / (high - low) for at in kept],
            [at.arrived for at in kept],
        )
    ]
    return Curve(
        lines[0],
        lines[1],
        tuple(
            Tick(value, HIGH * (high - value) / (high - low))
            for value in round_steps(low, high)
        ),
        tuple(Tick(n, WIDE * n / most * 1e6) for n in round_steps(0.0, most / 1e6)),
        points[-1],
        next((at.steps for at in points if at.arrived >= 0.5), None),
    )
