"""A world is read from a folder of files; each mistake has its file and line."""

from __future__ import annotations

import pytest

from fleet.model.reading import WorldWrong, read_world
from fleet.model.world import Level, Moves
from tests.support.warehouses import read, shipped, small_world, texts_of


@pytest.mark.covers("W1", "W5", "W8", "W12")
def test_the_small_warehouse_is_one_folder_with_everything_in_it() -> None:
    world = shipped("warehouse_small")
    assert len(world.storage) == 30
    assert (len(world.inputs), len(world.outputs)) == (2, 2)
    assert set(world.packages) == {"small_box", "big_box", "pallet"}
    assert {world.type_of(robot).id for robot in world.robots} == {"tug", "lifter"}
    assert len(world.stock) == 10


@pytest.mark.parametrize("name", ["arco_lab", "paint_factory"])
def test_worlds_without_fleet_files_have_a_type_for_each_kind(name: str) -> None:
    world = shipped(name)
    for robot in world.robots.values():
        assert world.robot_types[robot.type].payload_kg >= 200.0


@pytest.mark.covers("W6")
def test_a_charging_zone_is_a_rectangle_with_a_rate() -> None:
    west = shipped("warehouse_small").charging["west"]
    assert (west.rate_pps, west.capacity) == (0.4, 2)
    assert west.contains(2.0, 1.5)
    assert not west.contains(5.1, 1.5)


@pytest.mark.covers("W10", "W11", "W15", "W16")
def test_weight_and_geometry_decide_who_carries_a_package() -> None:
    world = shipped("warehouse_small")
    tug, lifter = world.robot_types["tug"], world.robot_types["lifter"]
    assert tug.carries(world.packages["small_box"]) is None
    assert tug.carries(world.packages["pallet"]) == "carries 50 kg, not 300 kg"
    assert lifter.carries(world.packages["pallet"]) is None
    light = small_world(
        more="robot_types:\n  cart: {speed_mps: 1, payload_kg: 9, geometries: [box]}\n"
        "packages:\n  tube: {weight_kg: 1, geometry: tube}\n"
    )
    with pytest.raises(WorldWrong, match=r"packages\.tube can be carried by no robot"):
        read(light)


def test_all_mistakes_are_named_at_once_with_file_and_line() -> None:
    files = texts_of("warehouse_small")
    files["fleet.yaml"] = files["fleet.yaml"].replace("    speed_mps: 1.2\n", "", 1)
    files["storage.yaml"] = files["storage.yaml"].replace("x_m: 1.8", "x_m: 99.0", 1)
    files["more.yaml"] = "speeds: 1\nname: again\n"
    with pytest.raises(WorldWrong) as wrong:
        read_world(files)
    assert wrong.value.mistakes == (
        "fleet.yaml:3: robot_types.tug lacks speed_mps",
        "more.yaml:1: speeds is no section of a world",
        "storage.yaml:4: inputs.in_1 lies outside the map",
        "world.yaml:5: name is already in more.yaml:2",
    )


@pytest.mark.covers("W4")
def test_a_second_map_is_refused() -> None:
    files = texts_of("warehouse_small") | {"z.yaml": "map: {width_m: 1, height_m: 1}\n"}
    with pytest.raises(WorldWrong, match=r"z\.yaml:1: map is already in world\.yaml:7"):
        read_world(files)


@pytest.mark.parametrize(
    ("more", "mistake"),
    [
        ("robot_types:\n  cart: {radius_m: 1}\n", "robot_types.cart lacks speed_mps"),
        (
            "robot_types:\n  cart: {speed_mps: 0}\n",
            "robot_types.cart.speed_mps is 0 and must be above 0",
        ),
        (
            "robot_types:\n  cart: {speed_mps: fast}\n",
            "robot_types.cart.speed_mps is not a number",
        ),
        (
            "robot_types:\n  cart: {speed_mps: 1, colour: red}\n",
            "robot_types.cart.colour is not known here",
        ),
        (
            "robot_types:\n  cart: {speed_mps: 1, good_percent: 90}\n",
            "robot_types.cart has thresholds that do not rise",
        ),
        (
            "charging:\n  z: {area: [0, 0, 2, 2], rate_percent_per_s: 1, "
            "max_robots: 2, places: [home]}\n",
            "charging.z is for 2 robots and has 1 places",
        ),
        (
            "charging:\n  z: {area: [5, 5, 6, 6], rate_percent_per_s: 1, "
            "max_robots: 1, places: [home]}\n",
            "charging.z has a place outside its area: 'home'",
        ),
        ("storage: [nowhere]\n", "storage[0] names no place: 'nowhere'"),
        ("lanes:\n  - {id: l, points: [[1, 1]]}\n", "lanes[0] needs at least 2 points"),
        (
            "zones:\n  z: {corners: [[0, 0], [1, 0], [1, 1]], block: maybe}\n",
            "zones.z.block is 'maybe' and must be one of",
        ),
        ("stock:\n  a: {package: p, type: box}\n", "stock.a lies in no storage place"),
    ],
)
def test_a_mistake_names_what_is_wrong(more: str, mistake: str) -> None:
    with pytest.raises(WorldWrong) as wrong:
        read(small_world(more=more))
    assert mistake in str(wrong.value)
    assert all(line.startswith("world.yaml:") for line in wrong.value.mistakes)


def test_two_robots_cannot_share_a_rest_place() -> None:
    robots = {"r1": ("cart", "home"), "r2": ("cart", "home")}
    with pytest.raises(WorldWrong, match="has the rest place of r1: 'home'"):
        read(small_world(robots=robots))


def test_robots_that_would_touch_at_rest_are_named() -> None:
    places = {"home": (1.5, 1.5), "near": (2.0, 1.5)}
    robots = {"r1": ("cart", "home"), "r2": ("cart", "near")}
    with pytest.raises(WorldWrong, match=r"would touch r1 at rest: 0\.50 m apart"):
        read(small_world(places=places, robots=robots))


def test_what_is_no_yaml_is_told_with_its_line() -> None:
    with pytest.raises(WorldWrong, match=r"world\.yaml:3: is not YAML"):
        read("name: x\nmap: [1\n: 2\n")


def test_levels_and_ways_of_moving_are_read() -> None:
    world = read(
        small_world(
            more="robot_types:\n  cart: {speed_mps: 1, moves: lanes}\n"
            "lifts:\n  - {id: lift1, x1_m: 1, y1_m: 1, x2_m: 2, y2_m: 1}\n"
        ).replace("home: home}", "home: home, level: respected}")
    )
    assert world.robots["r1"].level is Level.RESPECTED
    assert world.robot_types["cart"].moves is Moves.LANES
    assert set(world.doors) == {"lift1"}
