"""What the laser of a warehouse robot sees, and what not."""

from __future__ import annotations

import pytest

from shopfloor.warehouse.building import add, walk
from shopfloor.warehouse.laser import MOUNT_M, ROBOT_RADIUS_M, scan
from shopfloor.warehouse.stepping import scene_of
from shopfloor.warehouse.things import Laser, Obstacle, ObstacleKind, Person, Warehouse
from tests.support.kivas import a_robot, hall


def seen(warehouse: Warehouse) -> list[float]:
    return scan(scene_of(warehouse), warehouse.robots["kiva1"])


def clear(warehouse: Warehouse) -> bool:
    return set(seen(warehouse)) == {warehouse.floor.laser.range_m}


@pytest.mark.covers("K37")
def test_a_scan_has_its_rays_its_angle_and_its_range() -> None:
    laser = Laser()
    assert len(seen(hall((2, 2)))) == laser.rays == 21
    assert laser.bearings_rad()[0] == -laser.bearings_rad()[-1]
    assert clear(hall((2, 2), (9, 2)))


@pytest.mark.covers("K38")
def test_a_storage_unit_is_not_seen_and_robot_and_belt_are() -> None:
    assert clear(hall((2, 2), units=[(3, 2)]))
    robot = min(seen(hall((2, 2), (3, 2))))
    assert robot == pytest.approx(1.0 - MOUNT_M - ROBOT_RADIUS_M)
    assert min(seen(hall((2, 2), belts=[(3, 2)]))) == pytest.approx(0.5 - MOUNT_M)


@pytest.mark.covers("K38", "K65")
def test_obstacles_and_people_are_seen() -> None:
    wall = Obstacle("w", ObstacleKind.WALL, (4, 1), rows=3)
    assert min(seen(add(hall((2, 2)), wall))) == pytest.approx(1.5 - MOUNT_M)
    anna = Person("anna", ((3, 2),), 0.8, (3, 2), 3.0, 2.0)
    off = add(hall((2, 2)), anna)
    assert clear(off)
    assert min(seen(walk(off, True))) == pytest.approx(1.0 - MOUNT_M - 0.25)


@pytest.mark.parametrize("cell", [(1, 2), (2, 3), (3, 3), (3, 1)])
def test_what_is_behind_or_beside_stops_nobody(cell: tuple[int, int]) -> None:
    limit_m = Laser().limit_m
    assert min(seen(hall((2, 2), cell))) > limit_m
    assert min(seen(hall((2, 2), belts=[cell]))) > limit_m


@pytest.mark.parametrize("yaw_deg", [0.0, 90.0, 180.0, 270.0])
def test_the_laser_looks_where_the_robot_looks(yaw_deg: float) -> None:
    ahead = {0.0: (6, 4), 90.0: (5, 5), 180.0: (4, 4), 270.0: (5, 3)}
    base = add(hall(), a_robot(1, (5, 4), yaw_deg))
    for heading, cell in ahead.items():
        near = min(seen(add(base, a_robot(2, cell)))) < Laser().limit_m
        assert near is (heading == yaw_deg)
