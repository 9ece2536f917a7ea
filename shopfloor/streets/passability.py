"""Which vehicle gets through which alley with which planner, and why not.

A guide is the planner of the whole way: ``a_star`` knows the map and a radius, as
ordinary navigation does; ``hybrid`` knows how the vehicle turns. One of the local
planners follows the way. A trial differs from the next by its seed: where the vehicle
stands at first, the noise of its laser, what MPPI draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from fleet.bodies.model import Vehicle
from fleet.bodies.passability import Trial
from shopfloor.geometry import Pose
from shopfloor.maneuvers.grid_way import grid_way
from shopfloor.maneuvers.hybrid import find_way
from shopfloor.maneuvers.local import PLANNERS, local_planner
from shopfloor.maneuvers.scene import Obstacles, Way
from shopfloor.streets.alley import Alley, alley_world
from shopfloor.streets.drive import Driver, FindWay
from shopfloor.streets.world import StreetWorld
from shopfloor.vehicles.errors import PlannerUnknown

GUIDES = ("a_star", "hybrid")
PAIRS = tuple(f"{guide}+{local}" for guide in GUIDES for local in PLANNERS)
LEARNED = ("a_star+policy",)
"""Tried when asked for by name: it knows ZebraT and no other vehicle."""
MOST_S = 150.0
ASIDE_M, ASKEW_RAD = 0.2, 0.15
"""How far a seed moves the start."""


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
