"""Maps are built from what the lidar of a vehicle sees on its way."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from fleet.bodies.file import load_vehicle
from shopfloor.geometry import Pose
from shopfloor.grid.kernels import grown_by_one
from shopfloor.localisation.mapping import MapBuilder
from shopfloor.maneuvers.hybrid import find_way
from shopfloor.maneuvers.scene import Obstacles
from shopfloor.streets.alley import alley_world
from shopfloor.streets.world import StreetWorld, load_streets
from shopfloor.vehicles.sensors import Lidar

WORLDS = Path(__file__).resolve().parents[3] / "worlds"


def grown(cells: np.ndarray) -> np.ndarray:
    return np.asarray(grown_by_one(np.ascontiguousarray(cells).astype(np.uint8)) != 0)


def built(streets: StreetWorld, stops: list[str]) -> MapBuilder:
    vehicle = load_vehicle("zebrat")
    lidar, random = Lidar.of(vehicle), np.random.default_rng(1)
    plan = streets.world.map
    builder = MapBuilder(plan.width_m, plan.height_m, plan.resolution_m)
    known = Obstacles.of(streets.walls)
    for start, goal in itertools.pairwise(stops):
        here, there = streets.place(start), streets.place(goal)
        way = find_way(vehicle, streets.true_grid, here, there, known).way
        for x, y, yaw, _ in way.poses[::4]:
            pose = Pose(float(x), float(y), float(yaw))
            builder.add(pose, lidar.cut(pose, streets.walls, np.empty((0, 3)), random))
    return builder


@pytest.mark.covers("Z26", "Z28")
@pytest.mark.parametrize(
    ("world", "stops"),
    [
        ("urban", ["depot", "market", "clinic", "home_2", "school"]),
        ("alley", ["start", "goal"]),
    ],
)
def test_the_map_built_on_the_way_is_that_of_the_world(
    world: str, stops: list[str]
) -> None:
    streets = alley_world() if world == "alley" else load_streets(WORLDS / world)
    builder = built(streets, stops)
    wall = streets.true_grid.cells != 0
    right = (builder.blocked & grown(wall)) | (builder.free & grown(~wall))
    seen = builder.blocked | builder.free
    assert right[seen].mean() > 0.98
    assert seen.mean() > 0.35
    # A way through the built map leads where the true one leads.
    again = find_way(
        load_vehicle("zebrat"),
        builder.to_grid(),
        streets.place(stops[0]),
        streets.place(stops[1]),
        Obstacles.of(streets.walls),
    )
    assert again.way.goal.distance_to(streets.place(stops[1])) < 1e-6


@pytest.mark.covers("Z27")
def test_three_dimensional_mapping_is_declared_as_not_simulated() -> None:
    """The map is built from the level plane; who reads the docs is told so."""
    told = (WORLDS.parent / "docs" / "howto" / "delivery_robot.md").read_text("utf-8")
    declared = told.partition("## Not simulated")[2].partition("\n## ")[0]
    assert "three-dimensional mapping" in declared
    assert "level plane" in " ".join(declared.split())
