"""Which vehicle gets through which alley with which planner, and why not.

A guide is the planner of the whole way: ``a_star`` knows the map and a radius, as
ordinary navigation does; ``hybrid`` knows how the vehicle turns. One of the local
planners follows the way. A trial differs from the next by its seed: where the vehicle
stands at first, the noise of its laser, what MPPI draws.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shopfloor.geometry import Pose
from shopfloor.maneuvers.grid_way import grid_way
from shopfloor.maneuvers.hybrid import find_way
from shopfloor.maneuvers.local import PLANNERS, local_planner
from shopfloor.maneuvers.scene import Obstacles, Way
from shopfloor.streets.alley import Alley, alley_world
from shopfloor.streets.drive import Driver, FindWay
from shopfloor.streets.world import StreetWorld
from shopfloor.vehicles.errors import PlannerUnknown
from shopfloor.vehicles.model import Vehicle

GUIDES = ("a_star", "hybrid")
PAIRS = tuple(f"{guide}+{local}" for guide in GUIDES for local in PLANNERS)
LEARNED = ("a_star+policy",)
"""Tried when asked for by name: it knows ZebraT and no other vehicle."""
TITLES = {
    "a_star": "A*",
    "hybrid": "Hybrid A*",
    "dwa": "DWA",
    "mppi": "MPPI",
    "teb": "TEB",
    "policy": "learned policy",
}
MOST_S = 150.0
ASIDE_M, ASKEW_RAD = 0.2, 0.15
"""How far a seed moves the start."""
COLUMNS = (
    "vehicle",
    "planner",
    "alley_width_m",
    "seed",
    "passed",
    "why",
    "through",
    "seconds",
    "length_m",
    "reversed_m",
    "contacts",
    "least_gap_m",
)


@dataclass(frozen=True, slots=True)
class Trial:
    vehicle: str
    planner: str
    alley_width_m: float
    seed: int
    passed: bool
    why: str
    through: str
    """alley, gap, or nothing"""
    seconds: float
    length_m: float
    reversed_m: float
    contacts: int
    least_gap_m: float

    def row(self) -> list[object]:
        return [_plain(getattr(self, name)) for name in COLUMNS]


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return round(value, 3) if isinstance(value, float) else value


def title_of(planner: str) -> str:
    return " + ".join(TITLES[part] for part in planner.split("+"))


def guide_of(guide: str, vehicle: Vehicle, world: StreetWorld) -> FindWay:
    """How a way is found in this world. PlannerUnknown lists the guides."""
    if guide not in GUIDES:
        raise PlannerUnknown(
            f"there is no planner {guide!r} of ways; there are {', '.join(GUIDES)}"
        )
    if guide == "a_star":

        def by_cells(here: Pose, there: Pose, seen: Obstacles) -> Way:
            return grid_way(vehicle, world.grid, here, there, seen)

        return by_cells
    costs = world.way_costs(vehicle.prefers)

    def by_poses(here: Pose, there: Pose, seen: Obstacles) -> Way:
        return find_way(vehicle, world.grid, here, there, seen, costs).way

    return by_poses


def split(planner: str) -> tuple[str, str]:
    """``a_star+dwa``. PlannerUnknown lists those there are."""
    known = (*PAIRS, *LEARNED)
    if planner not in known:
        raise PlannerUnknown(
            f"there is no planner {planner!r}; there are {', '.join(known)}"
        )
    guide, local = planner.split("+")
    return guide, local


def try_alley(alley: Alley, vehicle: Vehicle, planner: str, seed: int = 0) -> Trial:
    """One drive from yard to yard."""
    guide, local = split(planner)
    world = alley_world(alley, vehicle.name)
    driver = Driver(
        world,
        vehicle,
        local_planner(local, vehicle, seed),
        guide_of(guide, vehicle, world),
        seed,
    )
    draw = np.random.default_rng([seed, 18])
    aside, askew = draw.uniform(-1.0, 1.0, 2) * (ASIDE_M, ASKEW_RAD) * (seed > 0)
    start = _middle_at(vehicle, world.place("start"))
    driver.put(start.plus(Pose(0.0, float(aside), float(askew))))
    drive = driver.drive_to(_middle_at(vehicle, world.place("goal")), MOST_S)
    in_gap = np.abs(drive.states[:, 1] - alley.shortcut_y_m) < alley.shortcut_m / 2.0
    between = (drive.states[:, 0] > 9.0) & (drive.states[:, 0] < 15.0)
    through = "gap" if (in_gap & between).any() else "alley"
    return Trial(
        vehicle.name,
        planner,
        alley.width_m,
        seed,
        drive.passed,
        drive.why,
        through if drive.reached else "",
        drive.seconds,
        drive.length_m,
        drive.reversed_m,
        drive.contacts,
        drive.least_gap_m,
    )


def _middle_at(vehicle: Vehicle, place: Pose) -> Pose:
    """A place is where the middle of the hull stands, whatever its size."""
    return place.plus(Pose(-(vehicle.front_m + vehicle.back_m) / 2.0, 0.0))


def trials(
    vehicles: Sequence[Vehicle],
    planners: Sequence[str],
    widths_m: Sequence[float],
    seeds: int,
    shortcut_m: float,
    on_start: Callable[[int, int, str], None] = lambda _done, _of, _what: None,
) -> Iterator[Trial]:
    """One after the other; errors come before the first drive."""
    for planner in planners:
        split(planner)
    alleys = [Alley(width_m, shortcut_m=shortcut_m) for width_m in widths_m]
    total = len(vehicles) * len(planners) * len(alleys) * seeds
    done = 0
    for vehicle in vehicles:
        for planner in planners:
            for alley in alleys:
                for seed in range(seeds):
                    what = f"{vehicle.name} {planner} {alley.width_m:g} m"
                    on_start(done, total, what)
                    yield try_alley(alley, vehicle, planner, seed)
                    done += 1


def as_csv(found: Sequence[Trial]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(trial.row() for trial in found)
    return out.getvalue()


def short_reason(found: Sequence[Trial]) -> str:
    """Why most of the failed ones failed, in a word or two."""
    reasons = [_in_short(trial.why) for trial in found if not trial.passed]
    return max(set(reasons), key=reasons.count) if reasons else ""


def _in_short(why: str) -> str:
    for part, short in (
        ("cannot turn", "cannot turn"),
        ("found among", "no way found"),
        ("as wide as it is", "too wide"),
        ("no way", "too wide"),
        ("does not fit", "too wide"),
        ("stuck", "stuck"),
        ("contact", "contact"),
        ("not there after", "too slow"),
    ):
        if part in why:
            return short
    return "failed"


def least_width_m(found: Sequence[Trial], planner: str, vehicle: str) -> float:
    """The narrowest alley that every seed passed, and all wider ones too."""
    mine = [t for t in found if t.planner == planner and t.vehicle == vehicle]
    least = math.nan
    for width_m in sorted({t.alley_width_m for t in mine}, reverse=True):
        if not all(t.passed for t in mine if t.alley_width_m == width_m):
            break
        least = width_m
    return least
