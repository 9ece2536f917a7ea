"""A laser breaks on the way to a box that nobody knows of: no contact, and why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.lasers import FRONT, REAR
from shopfloor.pilot import Cause, PilotStatus
from shopfloor.plant import Box, Plant
from shopfloor.plant.laser_faults import LaserFault
from shopfloor.sim.faults import KINDS, FaultRefused
from shopfloor.sim.world import World
from tests.support.plant_client import PlantClient

BOX = Box(6.5, 1.8, 0.5, 1.2)
SEED = 3


def lab(world: World, grid: Grid, drive: str) -> Plant:
    robot = replace(world.robots[0], drive=drive)
    plant = Plant(replace(world, robots=(robot,)), SEED, boxes=(BOX,), grid=grid)
    assert plant.robots[0].drive_to(Pose(12.0, 1.8, 0.0)) is None
    return plant


def run_until_x(plant: Plant, x_m: float) -> None:
    while plant.robots[0].body.pose.x_m < x_m:
        assert plant.now_s < 60.0
        plant.step()


BOTH_FROZEN = {FRONT: LaserFault.FROZEN, REAR: LaserFault.FROZEN}


@pytest.mark.parametrize(
    ("drive", "broken", "words"),
    [
        ("holonomic", {FRONT: LaserFault.MISSING}, "front laser: no scan"),
        ("holonomic", {FRONT: LaserFault.LATE}, "front laser: only late scans"),
        ("holonomic", {FRONT: LaserFault.REPEATED}, "front laser: no new scan"),
        ("holonomic", {FRONT: LaserFault.EMPTY}, "front laser: empty scans"),
        ("holonomic", {FRONT: LaserFault.FROZEN}, "front laser: the same scan"),
        ("differential", BOTH_FROZEN, "rear laser: the same scan"),
        ("holonomic", {FRONT: LaserFault.DIRTY}, "front laser: few returns"),
        ("holonomic", {REAR: LaserFault.DIRTY}, "rear laser: few returns"),
        ("holonomic", {FRONT: LaserFault.SHADED}, "front laser: a part sees nothing"),
    ],
    ids=[
        "missing",
        "late",
        "repeated",
        "empty",
        "frozen",
        "both-frozen",
        "dirty",
        "rear-dirty",
        "shaded",
    ],
)
def test_a_broken_laser_stops_the_robot_before_the_box_until_it_is_mended(
    arco_lab: World,
    lab_grid: Grid,
    drive: str,
    broken: dict[str, LaserFault],
    words: str,
) -> None:
    plant = lab(arco_lab, lab_grid, drive)
    robot = plant.robots[0]
    run_until_x(plant, 3.6)
    assert robot.body.speed_mps == pytest.approx(0.8, abs=0.01)
    robot.laser_faults.set(broken)
    plant.run(1.5)
    stood_at = robot.body.pose
    assert robot.body.speed_mps == 0.0
    assert stood_at.x_m < 3.6 + 0.8 * 0.2 + robot.limits.braking_distance_m(0.8)
    assert robot.body.hardest_mps2 <= robot.limits.braking_mps2 + 1e-9
    plant.run(1.0)
    assert robot.body.pose == stood_at
    assert robot.command.status is PilotStatus.STOPPED
    assert robot.command.cause is Cause.LASER_FAULT
    assert words in robot.command.detail
    assert plant.watches[0].contacts == 0
    robot.laser_faults.set({})
    run_until_x(plant, 4.5)


@pytest.mark.parametrize("drive", ["holonomic", "differential"])
def test_a_laser_that_flickers_stops_the_robot_before_the_box(
    arco_lab: World, lab_grid: Grid, drive: str
) -> None:
    plant = lab(arco_lab, lab_grid, drive)
    robot = plant.robots[0]
    run_until_x(plant, 3.9)
    robot.laser_faults.set({FRONT: LaserFault.FLICKERING})
    plant.run(3.0)
    assert robot.command.cause is Cause.LASER_FAULT
    assert robot.command.detail == "front laser: empty scans, on and off"
    assert plant.watches[0].contacts == 0


@pytest.mark.long
def test_a_laser_that_breaks_right_before_the_box_is_noticed_in_time(
    arco_lab: World, lab_grid: Grid
) -> None:
    plant = lab(arco_lab, lab_grid, "holonomic")
    robot = plant.robots[0]
    plant.put_boxes(())
    run_until_x(plant, 3.9)
    robot.laser_faults.set({FRONT: LaserFault.FROZEN})
    plant.put_boxes([Box(4.9, 1.8, 0.3, 1.2)])
    plant.run(3.0)
    assert robot.command.cause is Cause.LASER_FAULT
    robot.laser_faults.set({})
    run_until_x(plant, 6.0)
    assert plant.watches[0].contacts == 0


def test_healthy_lasers_are_believed_among_boxes_and_people(
    arco_lab: World, lab_grid: Grid
) -> None:
    plant = Plant(arco_lab, SEED, boxes=(BOX,), people=3, grid=lab_grid)
    robot = plant.robots[0]
    robot.drive_to(Pose(16.0, 8.0))
    for _ in range(400):
        plant.step()
        assert robot.command.cause is not Cause.LASER_FAULT, robot.command.detail


def test_the_simulator_breaks_a_laser_and_its_topics_say_which(
    arco_lab: World,
) -> None:
    stop, parts, scan = "/arco/security_stop", "/arco/diagnostics", "/arco/scan"
    bridge = PlantClient(arco_lab, stop, parts, scan, "/arco/scan_rear", seed=SEED)
    bridge.advance(1.5)
    assert bridge.last(stop) == {"data": False}
    bridge.simulation.fault("laser arco front missing 4")
    bridge.advance(0.5)
    bridge.said[scan].clear()
    bridge.said["/arco/scan_rear"].clear()
    bridge.advance(2.0)
    assert bridge.last(stop) == {"data": True}
    told = {part["name"]: part for part in bridge.last(parts)["status"]}
    assert told["arco: front laser"]["message"] == "no scan"
    assert told["arco: front laser"]["level"] == 2
    assert told["arco: rear laser"]["level"] == 0
    assert not bridge.said[scan], "the rear laser is not told as the front one"
    assert bridge.said["/arco/scan_rear"]
    (robot,) = bridge.simulation.state()["robots"]
    assert robot["laser_faults"] == {FRONT: "no scan"}
    bridge.advance(4.0)
    assert bridge.last(stop) == {"data": False}
    assert {part["level"] for part in bridge.last(parts)["status"]} == {0}


def test_every_fault_of_a_laser_has_a_switch() -> None:
    assert tuple(LaserFault) == KINDS


def test_a_laser_that_does_not_exist_cannot_be_broken(arco_lab: World) -> None:
    simulation = PlantClient(arco_lab).simulation
    for line in ("laser arco", "laser arco left missing", "laser arco front bored"):
        with pytest.raises(FaultRefused, match="usage: laser ROBOT"):
            simulation.fault(line)
    simulation.fault("laser * both frozen")
    simulation.fault("clear arco")
