"""Hours of missions in a row, with new boxes before each and people all the time."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.plant.boxes import scatter_boxes
from shopfloor.plant.floor_map import grid_of
from shopfloor.plant.missions import MissionReport, drive_mission, stops_of
from shopfloor.plant.plant import Plant
from shopfloor.sim.world import World

PEOPLE_FOR_MISSIONS = 8
"""Then others come: a new plant with new people, the robot at home."""


@dataclass
class SoakResult:
    seconds: float = 0.0
    distance_m: float = 0.0
    missions: int = 0
    failed_legs: list[str] = field(default_factory=list)
    contacts: int = 0
    deadlocks: int = 0
    nearest_m: dict[str, float] = field(default_factory=dict)
    amcl_worst_m: float = 0.0

    def add(self, report: MissionReport, label: str) -> None:
        self.seconds += report.seconds
        self.distance_m += report.distance_m
        self.missions += 1
        self.contacts += report.contacts
        self.deadlocks += report.deadlocks
        self.amcl_worst_m = max(self.amcl_worst_m, report.amcl.worst_m)
        self.failed_legs += [
            f"{label} to {leg.goal}: {leg.cause}" for leg in report.legs if not leg.ok
        ]
        for kind, gap in (
            ("wall", report.nearest_wall_m),
            ("box", report.nearest_box_m),
            ("person", report.nearest_person_m),
        ):
            self.nearest_m[kind] = round(min(self.nearest_m.get(kind, gap), gap), 4)

    def as_facts(self) -> dict[str, Any]:
        return {
            "hours": round(self.seconds / 3600.0, 3),
            "missions": self.missions,
            "distance_m": round(self.distance_m, 1),
            "failed_legs": self.failed_legs,
            "contacts": self.contacts,
            "deadlocks": self.deadlocks,
            "nearest_m": self.nearest_m,
            "amcl_worst_m": round(self.amcl_worst_m, 4),
        }


def soak(
    world: World,
    seed: int,
    seconds: float,
    *,
    grid: Grid | None = None,
    told: Callable[[str, MissionReport], None] | None = None,
) -> SoakResult:
    """One to three people, up to three boxes, loads up to 100 kg, by the seed."""
    world = world.with_robots(1)
    grid = grid_of(world.map) if grid is None else grid
    places = [Pose(p.x_m, p.y_m, p.yaw_rad) for p in world.places.values()]
    stops = stops_of(world.places)
    result = SoakResult()
    plant: Plant | None = None
    while result.seconds < seconds:
        random = np.random.default_rng((seed, 7, result.missions))
        shift, number = divmod(result.missions, PEOPLE_FOR_MISSIONS)
        if plant is None or number == 0:
            people = 1 + int(random.integers(3))
            plant = Plant(world, seed * 1000 + shift, people=people, grid=grid)
        clear = [robot.body.pose for robot in plant.robots]
        clear += [Pose(walker.x_m, walker.y_m) for walker in plant.walkers]
        count = int(random.integers(4))
        plant.put_boxes(scatter_boxes(grid, count, random, places, clear))
        load = float(random.uniform(10.0, 100.0))
        report = drive_mission(plant, stops, payload_kg=load)
        label = f"seed {seed} mission {result.missions}"
        result.add(report, label)
        if told is not None:
            told(label, report)
    return result


def main() -> int:
    """``python -m shopfloor.plant.soak WORLD HOURS [SEED]``."""
    from shopfloor.cli import find_world
    from shopfloor.sim.world_file import load_world

    name, hours = sys.argv[1], float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 11
    began = time.perf_counter()

    def told(label: str, report: MissionReport) -> None:
        facts = report.as_facts()
        bad = "" if report.ok else json.dumps(facts["legs"])
        print(
            f"{label}: {facts['distance_m']} m in {facts['time_s']} s, "
            f"contacts {facts['contacts']}, {time.perf_counter() - began:.0f} s {bad}",
            flush=True,
        )

    result = soak(load_world(find_world(name)), seed, hours * 3600.0, told=told)
    print(json.dumps(result.as_facts()))
    return 0 if not (result.failed_legs or result.contacts) else 1


if __name__ == "__main__":
    sys.exit(main())
