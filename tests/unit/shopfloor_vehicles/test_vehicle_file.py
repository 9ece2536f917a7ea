"""A vehicle is a file: the tables of the document, and every mistake with its line."""

import dataclasses
import math
from pathlib import Path

import pytest

from fleet.bodies import inertia
from fleet.bodies.file import load_vehicle, read_vehicle, shelves, vehicles
from shopfloor.vehicles.errors import VehicleUnknown, VehicleWrong

TEXT = (shelves()[0] / "zebrat.yaml").read_text(encoding="utf-8")


def mistakes(*changes: tuple[str, str]) -> list[str]:
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    with pytest.raises(VehicleWrong) as refused:
        read_vehicle(text, "mine.yaml")
    return list(refused.value.lines)


@pytest.mark.covers("Z2", "Z46")
def test_components_are_those_of_the_first_table() -> None:
    vehicle = load_vehicle("zebrat")
    assert [(c.name, c.model, c.quantity) for c in vehicle.components] == [
        ("Lidar", "RoboSense 16-line", 1),
        ("Camera", "Intel D455 RGB-D", 1),
        ("CPU", "i5 8250U", 1),
        ("GPU", "Intel UHD Graphics 620", 1),
        ("Microcontroller", "STM32", 1),
        ("IMU", "-", 1),
        ("GNSS", "-", 1),
        ("Current Sensor", "-", 4),
        ("Steering Motor", "24V 400W BLDC", 1),
        ("Driving Motor", "24V 400W BLDC", 2),
    ]
    assert vehicle.software == {"system": "Ubuntu 16.04 LTS", "ros": "Kinetic"}


@pytest.mark.covers("Z4")
def test_dimensions_are_those_of_the_second_table() -> None:
    size = load_vehicle("zebrat").dimensions
    assert (size.wheel_radius_m, size.wheel_base_m) == (0.150, 0.530)
    assert (size.shell_length_m, size.shell_width_m) == (0.963, 0.672)
    assert (size.shell_height_m, size.total_height_m) == (0.557, 0.640)
    assert 0.0 < size.shell_bottom_m < 2.0 * size.wheel_radius_m


def test_what_no_table_says_is_named_as_assumed() -> None:
    vehicle = load_vehicle("zebrat")
    assert {"dimensions.track_m", "masses", "speed"} <= set(vehicle.assumed)


@pytest.mark.covers("Z1")
def test_another_vehicle_is_another_file_and_no_code(tmp_path: Path) -> None:
    assert {"car", "indoor", "zebrat"} <= set(vehicles())
    mine = tmp_path / "mine.yaml"
    changed = TEXT.replace("name: zebrat", "name: mine", 1)
    mine.write_text(changed.replace("wheel_base_m: 0.530", "wheel_base_m: 0.600"))
    ours, theirs = load_vehicle("zebrat"), load_vehicle(mine)
    assert theirs.name == "mine"
    assert theirs.turning_radius_m / ours.turning_radius_m == pytest.approx(60 / 53)


@pytest.mark.covers("Z11")
def test_the_inertia_of_a_box_is_that_worked_out_by_hand() -> None:
    assert inertia.of_box(12.0, 3.0, 2.0, 1.0) == pytest.approx((5.0, 10.0, 13.0))


@pytest.mark.covers("Z12")
def test_the_inertia_of_a_cylinder_is_that_worked_out_by_hand() -> None:
    assert inertia.of_cylinder(12.0, 2.0, 3.0) == pytest.approx((21.0, 21.0, 24.0))


def test_every_mistake_is_named_at_once_with_its_line() -> None:
    found = mistakes(
        ("  wheel_base_m: 0.530\n", ""),
        ("limit_deg: 60.0", "limit_deg: 90"),
        ("forward_mps: 1.5", "forward_mps: .nan"),
        ("parent: lstr_link, child: fl_wheel", "parent: nobody, child: fl_wheel"),
        ("max_kg: 40.0", "max_kg: -1"),
        ("title: ZebraT", "title: ZebraT\ncolour: red"),
    )
    lines = {line.split(": ", 1)[1] for line in found}
    assert "dimensions lacks wheel_base_m" in lines
    assert (
        "steering.limit_deg is 90 and must be at most 80:"
        " a wheel across the way does not roll"
    ) in lines
    assert "speed.forward_mps is not a number" in lines
    assert "joints.fl_axle names no link: 'nobody'" in lines
    assert "load.max_kg is -1 and must be at least 0" in lines
    assert "colour is not known here" in lines
    assert len(found) == 6
    numbers = [int(line.split(":")[1]) for line in found]
    assert numbers == sorted(numbers)
    assert found[0].startswith("mine.yaml:6: colour")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("rr_axle:", "fr_axle:"), "joints.fr_axle is there twice"),
        (("child: rr_wheel", "child: rl_wheel"), "hangs elsewhere already: rl_wheel"),
        (("child: lstr_link, type: revolute", "child: lstr_link, type: continuous"),
         "base2lstr is continuous, but lstr_link wants revolute"),
        (("parent: lstr_link, child: fl_wheel", "parent: fl_wheel, child: fl_wheel"),
         "joints form a ring"),
        (("shape: wheel, at: rear_left", "shape: wheel"), "say at: front_left"),
        (("total_height_m: 0.640", "total_height_m: 0.5"), "the shell alone is higher"),
        (("wheel_base_m: 0.530", "wheel_base_m: 5.3"), "lie ahead of the shell"),
        (("id: left_rear", "id: left_front"), "the id of another place: left_front"),
        (("at_m: [0.265, 0.0, 0.70]", "at_m: [0.265]"), "is not a list of 3 numbers"),
        (("kind: gnss", "kind: sonar"), "must be one of lidar, camera, imu, gnss"),
        (("shape: wheel, at: rear_left", "shape: wheel, at: rear_left, mesh: a.obj"),
         "mesh 'a.obj' is neither .stl nor .dae"),
    ],
)  # fmt: skip
def test_what_makes_no_vehicle_is_refused(change: tuple[str, str], reason: str) -> None:
    assert any(reason in line for line in mistakes(change))


def test_no_vehicle_of_that_name_lists_those_there_are() -> None:
    with pytest.raises(VehicleUnknown, match="there are car, indoor, zebrat"):
        load_vehicle("zebra")
    with pytest.raises(VehicleWrong, match="the file is empty"):
        read_vehicle("")
    with pytest.raises(VehicleWrong, match="is not YAML"):
        read_vehicle("name: [")


@pytest.mark.parametrize("name", vehicles())
def test_wheels_of_the_shipped_vehicles_stay_below_the_shell(name: str) -> None:
    vehicle = load_vehicle(name)
    assert vehicle.half_width_m == vehicle.dimensions.shell_width_m / 2.0
    wide = dataclasses.replace(
        vehicle, dimensions=dataclasses.replace(vehicle.dimensions, track_m=3.0)
    )
    assert wide.half_width_m > 1.5
    assert 0.0 < vehicle.turning_radius_m < math.inf
