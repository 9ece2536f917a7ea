"""The town, the alley and worlds of one's own."""

from pathlib import Path

import numpy as np
import pytest

from shopfloor.planning import plan
from shopfloor.sim.world import WorldRefused
from shopfloor.streets.alley import Alley, alley_world
from shopfloor.streets.world import is_street_world, load_streets
from shopfloor.vehicles.outline import gap_to

WORLDS = Path(__file__).resolve().parents[3] / "worlds"


@pytest.mark.covers("Z19")
def test_the_town_has_buildings_roads_crossings_and_obstacles() -> None:
    town = load_streets(WORLDS / "urban")
    kinds = [area.kind for area in town.areas]
    assert [kinds.count(kind) for kind in ("roads", "sidewalks", "crossings")] == [
        2,
        10,
        4,
    ]
    assert len(town.world.map.walls) == 4 * 9  # eight buildings and the edge
    unknown = [o.id for o in town.obstacles if not o.on_map]
    assert unknown == ["parked_car", "bicycle", "bin", "crate", "scooter"]
    assert len(town.walls) - len(town.known_walls) == 4 * len(unknown)
    assert len(town.heights_m) == len(town.walls)
    assert len(town.world.people) == 6
    assert {robot.vehicle for robot in town.world.robots} == {"zebrat", "car"}
    free = town.grid.inflated(0.4)
    here = town.world.places["depot"]
    for name, place in town.world.places.items():
        path = plan(free, (here.x_m, here.y_m), (place.x_m, place.y_m))
        assert path.ok, name


@pytest.mark.covers("Z29", "Z30")
@pytest.mark.parametrize("place", ["clinic", "station", "home_1", "park"])
def test_a_star_is_as_short_as_dijkstra_with_fewer_expansions(place: str) -> None:
    town = load_streets(WORLDS / "urban")
    free = town.grid.inflated(0.4)
    start, goal = town.world.places["depot"], town.world.places[place]
    # From middle to middle of a cell, so that both lead over the same ends.
    here, there = ((p.x_m + 0.05, p.y_m + 0.05) for p in (start, goal))
    plain = plan(free, here, there, "dijkstra")
    directed = plan(free, here, there, "a_star")
    assert plain.ok
    assert directed.length_m == pytest.approx(plain.length_m, abs=1e-6)
    assert directed.expansions < plain.expansions


def test_ways_that_a_vehicle_is_not_made_for_cost_more() -> None:
    town = load_streets(WORLDS / "urban")
    costs = town.way_costs(("sidewalks", "crossings"))
    row, column = int(20.0 / 0.1), int(10.0 / 0.1)
    assert costs[row, column] == 3.0  # the road
    assert costs[int(16.0 / 0.1), column] == 1.0
    assert costs[row, int(25.0 / 0.1)] == 1.0  # a crossing lies on the road
    assert (town.way_costs(()) == 1.0).all()


@pytest.mark.covers("Z20")
@pytest.mark.parametrize("width_m", [0.7, 1.2, 3.0])
def test_the_alley_is_as_wide_as_asked_and_leads_through(width_m: float) -> None:
    alley = alley_world(Alley(width_m, shortcut_m=0.0))
    start, goal = (alley.world.places[name] for name in ("start", "goal"))
    for x_m, y_m in ((10.0, 3.0), (12.0, 4.8), (14.0, 6.5)):
        point = np.zeros(3)
        gap = gap_to(x_m, y_m, 0.0, point, alley.walls, np.empty((0, 3)), 9.0)
        assert gap == pytest.approx(width_m / 2.0)
    for margin_m, leads_through in ((width_m / 2.0 - 0.1, True), (1.6, False)):
        free = alley.grid.inflated(margin_m)
        path = plan(free, (start.x_m, start.y_m), (goal.x_m, goal.y_m))
        assert path.ok == leads_through


@pytest.mark.covers("Z20")
def test_the_shipped_alley_is_the_usual_one() -> None:
    shipped, made = load_streets(WORLDS / "alley"), alley_world()
    np.testing.assert_allclose(shipped.walls, made.walls, atol=1e-6)
    assert shipped.world.places == made.world.places
    assert shipped.world.robots[0] == made.world.robots[0]


@pytest.mark.parametrize("width_m", [0.0, -1.0, float("nan"), 9.0])
def test_an_alley_that_cannot_be_is_refused(width_m: float) -> None:
    with pytest.raises(WorldRefused, match="alley"):
        Alley(width_m)


@pytest.mark.covers("Z21")
def test_a_world_of_ones_own_has_its_new_wall(tmp_path: Path) -> None:
    text = (WORLDS / "alley" / "world.yaml").read_text(encoding="utf-8")
    mine = text.replace("  walls:", "  walls:\n    - [5.0, 1.0, 5.0, 2.0]\n    #", 1)
    (tmp_path / "world.yaml").write_text(mine, encoding="utf-8")
    assert not is_street_world(tmp_path)
    (tmp_path / "streets.yaml").write_text(
        "obstacles:\n- {id: bin, x_m: 3, y_m: 3, length_m: 0.5, width_m: 0.5}\n"
    )
    assert is_street_world(tmp_path)
    world = load_streets(tmp_path)
    assert [5.0, 1.0, 5.0, 2.0] in world.known_walls.tolist()
    assert not world.grid.is_free(5.0, 1.5)
    assert not world.grid.is_free(3.0, 3.0)


def test_every_mistake_in_streets_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "world.yaml").write_text(
        (WORLDS / "alley" / "world.yaml").read_text(encoding="utf-8")
    )
    (tmp_path / "streets.yaml").write_text(
        "wall_height_m: 0\n"
        "roads:\n- [3, 0, 1, 1]\n"
        "rivers: []\n"
        "obstacles:\n"
        "- {id: bin, x_m: 3, y_m: 3, width_m: 0.5}\n"
        "- {id: bin, x_m: 300, y_m: 3, length_m: 1, width_m: 1}\n"
    )
    with pytest.raises(WorldRefused) as refused:
        load_streets(tmp_path)
    assert str(refused.value).splitlines() == [
        "streets.yaml:1: wall_height_m is 0 and must be above 0",
        "streets.yaml:3: roads[0] is not [x1, y1, x2, y2] with x1 < x2 and y1 < y2",
        "streets.yaml:4: rivers is not known here",
        "streets.yaml:6: obstacles[0] lacks length_m",
        "streets.yaml:7: obstacles[1] has the id of another obstacle: bin",
        "streets.yaml:7: obstacles[1] lies outside the map",
    ]
