"""World files: what fits is simulated, what does not is named."""

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from shopfloor.sim import sensors
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import Map, World, WorldRefused
from shopfloor.sim.world_file import load_world

ROOT = Path(__file__).resolve().parents[3]


def document() -> dict[str, Any]:
    return {
        "name": "hall",
        "map": {
            "resolution_m": 0.5,
            "width_m": 10,
            "height_m": 5,
            "walls": [[0, 0, 10, 0]],
        },
        "places": {"A": {"x_m": 1, "y_m": 2, "yaw_deg": 90}},
        "robots": [
            {
                "id": "r1",
                "kind": "cart",
                "home": "A",
                "profile": "arco",
                "max_speed_mps": 0.35,
                "max_payload_kg": 40,
            }
        ],
        "anchors": [{"id": "anchor4", "x_m": 0, "y_m": 0}],
        "people": [{"id": "ann", "path": ["A"]}],
    }


def load(folder: Path, content: Any) -> World:
    (folder / "world.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return load_world(folder)


def test_a_world_is_read_as_written(tmp_path: Path) -> None:
    world = load(tmp_path, document())
    [robot] = world.robots
    assert (robot.id, robot.kind, robot.profile) == ("r1", "cart", "arco")
    assert robot.limits.speed_mps == 0.35
    assert robot.max_payload_kg == 40
    assert robot.home == Pose(1.0, 2.0, math.pi / 2)
    assert world.anchors[0].number == 4
    assert world.people[0].path == (robot.home,)


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("colour",), "red", "the file has unknown keys: 'colour'"),
        (("map", "hight_m"), 3, "map has unknown keys: 'hight_m'"),
        (("map", "width_m"), -1, "map.width_m is -1"),
        (("map", "width_m"), "wide", "map.width_m is not a number"),
        (("map", "width_m"), None, "map.width_m is missing"),
        (("map", "walls"), [[1, 2, 3]], r"map.walls\[0\] is not"),
        (("map", "image"), "none.png", "map.image none.png does not exist"),
        (("places", "A"), {"x_m": 99, "y_m": 1}, "places.A lies outside the map"),
        (("places", "A"), {"x_m": 1}, "places.A.y_m is missing"),
        (("robots", 0, "speed"), 3, r"robots\[0\] has unknown keys: 'speed'"),
        (("robots", 0, "home"), "B", r"robots\[0\].home names no place: 'B'"),
        (("robots", 0, "id"), "r 1", "no name for a namespace"),
        (("robots",), [{"id": "r", "home": "A"}] * 2, "'r' is there twice"),
        (("robots",), None, "robots is missing"),
        (("people", 0, "path"), [], "path is empty"),
    ],
)
def test_a_world_that_does_not_fit_is_refused_with_place_and_reason(
    tmp_path: Path, path: tuple[Any, ...], value: Any, reason: str
) -> None:
    content: Any = document()
    part = content
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    with pytest.raises(WorldRefused, match=reason) as refusal:
        load(tmp_path, content)
    assert "world.yaml" in str(refusal.value)


def test_a_missing_or_broken_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorldRefused, match="there is no world file"):
        load_world(tmp_path)
    (tmp_path / "world.yaml").write_text("a: [1", encoding="utf-8")
    with pytest.raises(WorldRefused, match="is not YAML"):
        load_world(tmp_path)
    (tmp_path / "world.yaml").write_text("- 1", encoding="utf-8")
    with pytest.raises(WorldRefused, match="the file is not a mapping"):
        load_world(tmp_path)


def test_every_shipped_world_can_be_simulated() -> None:
    files = sorted((ROOT / "worlds").glob("*/world.yaml"))
    for file in files:
        world = load_world(file)
        assert Simulation(world).robots


def test_walls_become_occupied_cells_from_the_lower_left() -> None:
    plan = Map(1.0, 4.0, 3.0, walls=((0.5, 0.5, 3.5, 0.5),))
    columns, rows, cells = sensors.occupancy(plan)
    assert (columns, rows) == (4, 3)
    assert cells == [100] * 4 + [0] * 8


def test_an_image_becomes_cells_with_its_last_row_first(tmp_path: Path) -> None:
    picture = Image.new("L", (2, 2), 254)
    picture.putpixel((0, 1), 0)
    picture.putpixel((1, 0), 205 - 60)
    picture.save(tmp_path / "map.png")
    plan = Map(1.0, 2.0, 2.0, image=tmp_path / "map.png")
    assert sensors.occupancy(plan)[2] == [100, 0, 0, -1]


def test_the_scan_sees_the_wall_in_front() -> None:
    wall = (3.0, -5.0, 3.0, 5.0)
    ranges = sensors.scan(Pose(1.0, 0.0, 0.0), [wall])
    assert ranges[len(ranges) // 2] == pytest.approx(2.0)
    assert ranges[0] == math.inf
    behind = sensors.scan(Pose(1.0, 0.0, math.pi), [wall])
    assert behind[len(behind) // 2] == math.inf


@pytest.mark.parametrize("count", [1, 2, 7])
def test_there_may_be_any_number_of_robots(world: World, count: int) -> None:
    more = world.with_robots(count)
    assert len({robot.id for robot in more.robots}) == count
    assert all(
        world.map.contains(robot.home.x_m, robot.home.y_m) for robot in more.robots
    )


def test_no_robot_at_all_is_refused(world: World) -> None:
    with pytest.raises(WorldRefused, match="at least one robot"):
        world.with_robots(0)
