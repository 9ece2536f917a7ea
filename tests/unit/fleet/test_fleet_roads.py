"""Roads keep away from walls, cover the places, and weigh the driving time."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from fleet.fleet import Fleet, Unreachable
from fleet.model import World
from fleet.roads import make_roadmap, make_roadmaps, unreached_places
from fleet.roads.driving import straight_s
from fleet.roads.geometry import between
from tests.support.warehouses import read, shipped, small_world


def nearest_wall_m(world: World, type_: str) -> float:
    roadmap = make_roadmaps(world)[type_]
    nodes = roadmap.nodes
    return min(
        between((*nodes[edge.start], *nodes[edge.end]), wall)
        for edge in roadmap.edges
        for wall in world.walls
    )


@pytest.mark.covers("W14", "W19", "W21", "W28", "W29")
def test_each_type_gets_a_roadmap_that_keeps_its_radius_from_walls() -> None:
    world = shipped("warehouse_small")
    roadmaps = make_roadmaps(world)
    assert set(roadmaps) == {"tug", "lifter"}
    for name, roadmap in roadmaps.items():
        assert not roadmap.unreached
        assert nearest_wall_m(world, name) >= world.robot_types[name].radius_m
        for place in world.places:
            assert math.isfinite(roadmap.time_s("rest_1", place))
            assert math.isfinite(roadmap.time_s(place, "rest_1"))


@pytest.mark.covers("W20")
def test_a_weight_is_the_driving_time_with_start_and_turns() -> None:
    world = read(
        small_world(
            places={"home": (1.5, 1.5), "a": (9.5, 1.5), "b": (9.5, 6.5)},
            more="robot_types:\n  cart: {speed_mps: 2, acceleration_mps2: 1, "
            "turning_radps: 0.5, moves: lanes}\n"
            "lanes:\n  - {id: l, points: [home, a, b]}\n",
        )
    )
    roadmap = make_roadmap(world, world.robot_types["cart"])
    assert [edge.drive_s for edge in roadmap.edges[:1]] == [4.0]
    straight = roadmap.time_s("home", "a")
    assert straight == pytest.approx(8 / 2 + 2 / 1)
    assert straight == pytest.approx(straight_s(8.0, 2.0, 1.0))
    turn_s = (math.pi / 2) / 0.5
    assert roadmap.time_s("home", "b") == pytest.approx(4 + 2 + turn_s + 2 + 2.5)


@pytest.mark.covers("W29")
def test_a_place_that_no_robot_reaches_is_named() -> None:
    world = read(
        small_world(
            boxes=((6.0, 0.0, 6.4, 8.0),),
            places={"home": (1.5, 1.5), "a": (10.0, 1.5), "wall": (5.9, 4.0)},
        )
    )
    assert unreached_places(world, make_roadmaps(world)) == {
        "a": "cart: no way leads there",
        "wall": "cart: nearer to a wall than 0.4 m",
    }


@pytest.mark.parametrize("seed", range(4))
def test_a_free_robot_drives_little_more_than_the_shortest_way(seed: int) -> None:
    draw = random.Random(seed)
    boxes = tuple(
        (x, y, x + 1.0 + draw.random(), y + 1.0 + draw.random())
        for x in (3.0, 7.0, 11.0)
        for y in (2.0, 6.0)
    )
    places = {"home": (1.0, 1.0), "a": (14.5, 9.0), "b": (1.0, 9.0), "c": (5.7, 5.0)}
    nimble = (
        "robot_types:\n  cart: {speed_mps: 1, acceleration_mps2: 99, "
        "turning_radps: 99}\n"
    )
    world = read(
        small_world(width_m=16, height_m=10, boxes=boxes, places=places, more=nimble)
    )
    roadmap = make_roadmaps(world)["cart"]
    for a, b in (("home", "a"), ("b", "a"), ("c", "a"), ("b", "c")):
        nodes = [roadmap.nodes[n] for n in roadmap.path(a, b)]
        length_m = sum(math.dist(p, q) for p, q in itertools.pairwise(nodes))
        assert length_m <= 1.25 * math.dist(places[a], places[b])


def test_a_one_way_lane_is_driven_in_its_direction_only() -> None:
    ring = "lanes:\n  - {id: ring, one_way: true, points: [home, a, b, c, home]}\n"
    world = read(
        small_world(
            places={"home": (1.5, 1.5), "a": (9, 1.5), "b": (9, 6), "c": (1.5, 6)},
            more="robot_types:\n  cart: {speed_mps: 1, moves: lanes}\n" + ring,
        )
    )
    roadmap = make_roadmaps(world)["cart"]
    there, back = roadmap.path("home", "a"), roadmap.path("a", "home")
    assert [roadmap.nodes[n] for n in there] == [(1.5, 1.5), (9.0, 1.5)]
    assert [roadmap.nodes[n] for n in back] == [
        *((9.0, 1.5), (9.0, 6.0), (1.5, 6.0), (1.5, 1.5))
    ]


def test_lanes_cross_have_speed_limits_and_a_spur_to_each_place() -> None:
    world = read(
        small_world(
            places={"home": (1.5, 3), "a": (10, 3), "b": (6, 7), "s": (8, 4)},
            more="robot_types:\n  cart: {speed_mps: 1, moves: lanes}\n"
            "lanes:\n  - {id: l1, points: [home, a], speed_mps: 0.5}\n"
            "  - {id: l2, points: [[6, 1], b]}\n"
            "  - {id: narrow, points: [s, b], width_m: 0.7}\n",
        )
    )
    roadmap = make_roadmaps(world)["cart"]
    assert not roadmap.unreached
    assert (6.0, 3.0) in roadmap.nodes
    assert {e.speed_mps for e in roadmap.edges if e.lane == "l1"} == {0.5}
    assert not [e for e in roadmap.edges if e.lane == "narrow"]
    assert [roadmap.nodes[n] for n in roadmap.path("home", "s")] == [
        *((1.5, 3.0), (6.0, 3.0), (8.0, 3.0), (8.0, 4.0))
    ]


def test_a_lane_too_narrow_for_a_robot_is_named_where_a_place_is_missed() -> None:
    world = read(
        small_world(
            more="robot_types:\n  cart: {speed_mps: 1, moves: lanes}\n"
            "lanes:\n  - {id: gap, points: [home, a], width_m: 0.5}\n",
        )
    )
    with pytest.raises(
        Unreachable,
        match=r"no robot reaches a \(cart: no way leads there; "
        r"lane gap is 0\.50 m wide, it needs 0\.80 m",
    ):
        Fleet(world)


def test_grid_robots_drive_from_cell_to_cell() -> None:
    world = read(
        small_world(
            width_m=6,
            height_m=4,
            boxes=((2.0, 1.0, 3.0, 3.0),),
            places={"home": (0.5, 0.5), "a": (5.5, 2.5)},
            more="robot_types:\n  cart: {speed_mps: 1, radius_m: 0.3, moves: grid}\n",
        )
    )
    roadmap = make_roadmaps(world)["cart"]
    assert not roadmap.unreached
    for edge in roadmap.edges:
        assert edge.length_m == pytest.approx(1.0)
    assert (2.5, 1.5) not in roadmap.nodes
    assert len(roadmap.path("home", "a")) == 8


def test_nobody_drives_through_a_forbidden_zone_and_all_are_slow_where_told() -> None:
    zones = (
        "zones:\n"
        "  no: {corners: [[4, 2], [6, 2], [6, 8], [4, 8]], block: forbidden}\n"
        "  slow: {corners: [[8, 0], [9, 0], [9, 8], [8, 8]], speed_mps: 0.2}\n"
    )
    places = {"home": (1.5, 6.5), "a": (11.0, 6.5)}
    world = read(small_world(places=places, more=zones))
    roadmap = make_roadmaps(world)["cart"]
    nodes = [roadmap.nodes[n] for n in roadmap.path("home", "a")]
    assert min(y for _, y in nodes) < 2.0
    slow = [e for e in roadmap.edges if e.speed_mps == 0.2]
    assert slow
