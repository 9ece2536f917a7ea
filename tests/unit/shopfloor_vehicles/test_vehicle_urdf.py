"""A vehicle as URDF, read by a public parser, and drawn to scale."""

import io
import json
import logging
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fleet.bodies.drawing import drawing_of
from fleet.bodies.file import load_vehicle, vehicles
from fleet.bodies.inertia import of_box, of_cylinder
from fleet.bodies.urdf import urdf_of
from shopfloor.cli import main
from shopfloor.plant.png import png_of

MESH = """solid plate
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid plate
"""


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)


def read(text: str, folder: Path) -> Any:
    file = folder / "vehicle.urdf"
    file.write_text(text)
    # Only here: every process of a run collects this file, and few run it.
    yourdfpy = pytest.importorskip("yourdfpy", reason="yourdfpy is not installed")
    return yourdfpy.URDF.load(str(file), load_meshes=True, mesh_dir=str(folder))


@pytest.mark.covers("Z5", "Z6", "Z8")
def test_a_public_parser_finds_the_links_and_joints_of_the_tables(
    tmp_path: Path,
) -> None:
    robot = read(urdf_of(load_vehicle("zebrat")), tmp_path)
    assert robot.validate()
    assert not robot.errors
    bodies = {n for n, link in robot.link_map.items() if link.inertial is not None}
    assert bodies == {
        "base_link", "lstr_link", "rstr_link",
        "fl_wheel", "fr_wheel", "rl_wheel", "rr_wheel",
    }  # fmt: skip
    joints = {n: (j.type, j.parent, j.child) for n, j in robot.joint_map.items()}
    assert joints == {
        "base2lstr": ("revolute", "base_link", "lstr_link"),
        "base2rstr": ("revolute", "base_link", "rstr_link"),
        "fl_axle": ("continuous", "lstr_link", "fl_wheel"),
        "fr_axle": ("continuous", "rstr_link", "fr_wheel"),
        "rl_axle": ("continuous", "base_link", "rl_wheel"),
        "rr_axle": ("continuous", "base_link", "rr_wheel"),
        "base2lidar": ("fixed", "base_link", "lidar_link"),
        "base2camera": ("fixed", "base_link", "camera_link"),
        "base2imu": ("fixed", "base_link", "imu_link"),
        "base2gnss": ("fixed", "base_link", "gnss_link"),
    }
    limit = robot.joint_map["base2lstr"].limit
    assert (limit.lower, limit.upper) == pytest.approx((-math.pi / 3, math.pi / 3))
    lidar = robot.get_transform("lidar_link")[:3, 3]
    assert lidar == pytest.approx([0.265, 0.0, 0.70])


@pytest.mark.covers("Z7", "Z17")
def test_steering_turns_the_wheel_about_its_own_middle(tmp_path: Path) -> None:
    robot = read(urdf_of(load_vehicle("zebrat")), tmp_path)
    robot.update_cfg({"base2lstr": 0.5, "base2rstr": 0.5})
    wheel = robot.get_transform("fl_wheel")
    assert wheel[:3, 3] == pytest.approx([0.53, 0.185, 0.15])
    assert wheel[:2, 0] == pytest.approx([math.cos(0.5), math.sin(0.5)])


@pytest.mark.covers("Z10", "Z11", "Z12")
@pytest.mark.parametrize("name", vehicles())
def test_bodies_have_the_masses_and_moments_of_their_shapes(
    name: str, tmp_path: Path
) -> None:
    vehicle = load_vehicle(name)
    size, masses = vehicle.dimensions, vehicle.masses
    robot = read(urdf_of(vehicle), tmp_path)
    shell = robot.link_map["base_link"]
    sides = (size.shell_length_m, size.shell_width_m, size.shell_height_m)
    assert shell.collisions[0].geometry.box.size == pytest.approx(sides)
    assert np.diag(shell.inertial.inertia) == pytest.approx(
        of_box(masses.shell_kg, *sides)
    )
    wheel = robot.link_map["rl_wheel"]
    cylinder = wheel.collisions[0].geometry.cylinder
    assert (cylinder.radius, cylinder.length) == pytest.approx(
        (size.wheel_radius_m, size.wheel_width_m)
    )
    assert np.diag(wheel.inertial.inertia) == pytest.approx(
        of_cylinder(masses.wheel_kg, size.wheel_radius_m, size.wheel_width_m)
    )
    # The cylinder's axis lies along the axle.
    assert wheel.collisions[0].origin[:3, 2] == pytest.approx([0, -1, 0], abs=1e-9)
    total = sum(
        link.inertial.mass for link in robot.robot.links if link.inertial is not None
    )
    assert total == pytest.approx(masses.empty_kg)


@pytest.mark.covers("Z9")
def test_a_mesh_replaces_what_is_seen_and_not_what_collides(tmp_path: Path) -> None:
    (tmp_path / "shell.stl").write_text(MESH)
    vehicle = load_vehicle("zebrat")
    base, *rest = vehicle.links
    meshed = replace(vehicle, links=(replace(base, mesh="shell.stl"), *rest))
    robot = read(urdf_of(meshed), tmp_path)
    shell = robot.link_map["base_link"]
    assert shell.visuals[0].geometry.mesh.filename == "shell.stl"
    assert shell.collisions[0].geometry.box is not None
    assert "plate" in robot.scene.geometry  # as the mesh names itself


@pytest.mark.covers("Z45")
@pytest.mark.parametrize("name", vehicles())
def test_the_drawing_is_to_scale_and_names_its_measures(name: str) -> None:
    vehicle = load_vehicle(name)
    picture = drawing_of(vehicle)
    text = picture.text()
    size = vehicle.dimensions
    for metres in (
        size.wheel_base_m,
        size.shell_length_m,
        size.total_height_m,
        size.shell_width_m,
    ):
        assert f"{metres:.3f} m" in text
    with Image.open(io.BytesIO(png_of(picture))) as drawn:
        pixels = np.asarray(drawn.convert("RGB")).astype(int)
    tyre = np.abs(pixels - (0x3A, 0x3F, 0x45)).sum(axis=2) < 4
    columns = np.flatnonzero(tyre.sum(axis=0) > 10)  # words are as dark, and thin
    # From the rear wheel's back to the front wheel's front.
    reach = (columns[-1] - columns[0] + 1) / 2.0
    scale = 560.0 / size.shell_length_m
    expected = (size.wheel_base_m + 2.0 * size.wheel_radius_m) * scale
    assert reach == pytest.approx(expected, abs=3.0)


@pytest.mark.covers("Z2")
def test_the_command_tells_draws_and_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf, drawing = tmp_path / "z.urdf", tmp_path / "z.svg"
    asked = ["vehicle", "zebrat", "--urdf", str(urdf), "--drawing", str(drawing)]
    assert main(asked) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["turning_radius_m"] == 0.306
    assert {"component": "Current Sensor", "model": "-", "quantity": 4} in facts[
        "components"
    ]
    assert urdf.read_text().startswith("<?xml")
    assert drawing.read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (["tank"], "there is no vehicle 'tank'"),
        (["zebrat", "--drawing", "z.gif"], "a drawing is .png or .svg"),
        (["zebrat", "--urdf", "nowhere/z.urdf"], "cannot be written"),
    ],
)
def test_what_the_command_cannot_do_is_named(
    capsys: pytest.CaptureFixture[str], asked: list[str], reason: str
) -> None:
    assert main(["vehicle", *asked]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("  wheel_base_m: 0.530\n", ""), "lacks wheel_base_m"),
        (("limit_deg: 60.0", "limit_deg: 90.0"), "must be at most 80"),
        (("limit_deg: 60.0", "limit_deg: .nan"), "limit_deg"),
    ],
)
def test_a_file_that_makes_no_vehicle_is_named_by_the_command(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: tuple[str, str],
    reason: str,
) -> None:
    shipped = load_vehicle("zebrat").file
    assert shipped is not None
    mine = tmp_path / "mine.yaml"
    mine.write_text(shipped.read_text(encoding="utf-8").replace(*change))
    assert main(["vehicle", str(mine)]) == 2
    assert reason in capsys.readouterr().err
