"""An agent looks, goes around what the map does not have, and keeps its sub-goals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from fleet.model.world import RobotType
from shopfloor.agent import (
    Agent,
    Blocked,
    Body,
    Detour,
    Drove,
    Hall,
    Waypoint,
    detect_obstacles,
    plan_motion,
)
from shopfloor.agent.obstacles import NOTHING
from shopfloor.geometry import Pose
from shopfloor.grid import Grid

CART = RobotType("cart", 1.0, 0.3, 0.8, 1.5, discharging_pps=0.1)
STEP_S = 0.1


def hall_grid() -> Grid:
    """10 by 6 m with walls around and a pillar, 5 cm a cell."""
    cells = np.zeros((120, 200), np.bool_)
    cells[:2], cells[-2:], cells[:, :2], cells[:, -2:] = True, True, True, True
    cells[80:90, 60:70] = True
    return Grid.of(cells, 0.05)


GRID = hall_grid()
START = Pose(1.0, 2.0, 0.0)


def body_at(
    pose: Pose = START, discs: tuple[tuple[float, float, float], ...] = ()
) -> Body:
    return Hall(GRID, list(discs)).add(CART, pose)


def drive(agent: Agent, for_s: float) -> tuple[list[Drove | Blocked], list[Pose]]:
    """Until it arrives or gives up; what it said and where it was."""
    said: list[Drove | Blocked] = []
    poses = []
    for _ in range(int(for_s / STEP_S)):
        said.append(agent.step(STEP_S))
        agent.body.hall.step(STEP_S)
        poses.append(agent.body.pose)
        last = said[-1]
        if isinstance(last, Blocked) or last.arrived:
            break
    return said, poses


@pytest.mark.covers("W85")
def test_the_laser_has_a_point_for_each_beam_and_zeros_where_nothing_is() -> None:
    body = body_at(Pose(5.0, 3.0, 0.0))
    points = body.laser_sensor()
    assert len(points) == 181
    assert NOTHING not in points  # walls all around
    ahead = points[90]
    assert ahead == pytest.approx((4.9, 0.0, 0.0), abs=0.05)
    far = Hall(Grid.of(np.zeros((400, 400), np.bool_), 0.1)).add(CART, Pose(20.0, 20.0))
    assert set(far.laser_sensor()) == {NOTHING}


@pytest.mark.covers("W65")
def test_a_known_wall_is_no_obstacle_and_a_box_is_one_with_its_points() -> None:
    poses = [Pose(1.0 + 0.7 * n, 2.0, 0.5 * n) for n in range(12)]
    for pose in poses:
        assert detect_obstacles(body_at(pose).laser_sensor(), pose, GRID) is None
    body = body_at(discs=((3.0, 2.2, 0.25),))
    found = detect_obstacles(body.laser_sensor(), body.pose, GRID)
    assert found is not None
    assert len(found) > 5
    away = np.hypot(found[:, 0] - 3.0, found[:, 1] - 2.2)
    assert np.abs(away - 0.25).max() < 0.1
    outside = [(-30.0, 0.0, 0.0), NOTHING]
    assert detect_obstacles(outside, START, GRID) is None


@pytest.mark.covers("W70", "W71")
def test_a_detour_leads_from_the_robot_back_to_its_path_and_keeps_sub_goals() -> None:
    path = [Waypoint(3.0, 2.0), Waypoint(5.0, 2.0), Waypoint(6.0, 2.0, sub_goal=True)]
    path.append(Waypoint(8.0, 4.0))
    detour = Detour(GRID, CART.radius_m)
    assert detour.plan(START, path) == path
    box = np.array([(3.0, y) for y in np.arange(1.8, 2.3, 0.05)])
    assert detour.add(box) > 0
    around = detour.plan(START, path)
    assert around is not None
    assert Waypoint(3.0, 2.0) not in around  # it lies in the box
    assert around[-3:] == path[1:]
    back = around[-4]
    assert back.y_m == pytest.approx(2.0)
    assert 3.4 < back.x_m < 4.2
    corners = [START, *(Pose(p.x_m, p.y_m) for p in around)]
    for a, b in itertools.pairwise(corners):
        for share in np.linspace(0.0, 1.0, 30):
            x = a.x_m + share * (b.x_m - a.x_m)
            y = a.y_m + share * (b.y_m - a.y_m)
            assert np.hypot(box[:, 0] - x, box[:, 1] - y).min() > CART.radius_m


@pytest.mark.covers("W71")
def test_a_sub_goal_that_is_blocked_is_told_and_not_left_out() -> None:
    path = [Waypoint(4.0, 2.0, sub_goal=True), Waypoint(8.0, 4.0)]
    agent = Agent(body_at(discs=((4.0, 2.0, 0.3),)), GRID)
    agent.follow(path)
    said, poses = drive(agent, 30.0)
    assert said[-1] == Blocked(4.0, 2.0)
    assert agent.body.speeds == (0.0, 0.0)
    assert agent.path == path
    assert poses[-1].x_m < 4.0 - 0.3 - CART.radius_m


def test_where_no_way_leads_around_there_is_no_detour() -> None:
    detour = Detour(GRID, CART.radius_m)
    detour.add(np.array([(4.0, y) for y in np.arange(0.0, 6.0, 0.05)]))
    assert detour.plan(START, [Waypoint(8.0, 2.0, sub_goal=True)]) is None


@pytest.mark.covers("W72")
def test_motion_turns_drives_and_tells_when_it_is_there() -> None:
    body = body_at(Pose(1.0, 2.0, math.pi / 2))
    path = [Waypoint(3.0, 2.0), Waypoint(3.0, 3.2)]
    first = plan_motion(path, body.pose, CART)
    assert first.linear_mps == 0.0
    assert first.angular_radps == -CART.turning_radps
    agent = Agent(body, GRID)
    agent.follow(path)
    said, poses = drive(agent, 20.0)
    assert said[-1] == Drove(arrived=True)
    assert poses[-1].distance_to(Pose(3.0, 3.2)) < 0.06
    assert min(p.distance_to(Pose(3.0, 2.0)) for p in poses) < 0.06
    there = plan_motion([], poses[-1], CART)
    assert there.arrived
    assert (there.linear_mps, there.angular_radps) == (0.0, 0.0)


@pytest.mark.covers("W65", "W70", "W71", "W72")
def test_a_robot_drives_around_boxes_and_reaches_all_its_sub_goals() -> None:
    boxes = ((3.0, 2.0, 0.3), (6.0, 2.1, 0.3), (6.9, 3.2, 0.2))
    agent = Agent(body_at(discs=boxes), GRID)
    goals = [Waypoint(4.5, 2.0, sub_goal=True), Waypoint(8.5, 4.5, sub_goal=True)]
    agent.follow([goals[0], Waypoint(7.0, 2.0), goals[1]])
    said, poses = drive(agent, 60.0)
    assert isinstance(said[-1], Drove)
    assert said[-1].arrived
    assert agent.detours >= 1
    reached = [goal for one in said if isinstance(one, Drove) for goal in one.reached]
    assert reached == goals
    for x, y, radius_m in boxes:
        nearest_m = min(p.distance_to(Pose(x, y)) for p in poses)
        assert nearest_m > radius_m + CART.radius_m


@pytest.mark.covers("W80", "W81")
def test_the_motion_actuator_moves_and_stops_the_robot() -> None:
    body = body_at()
    assert body.set_speed(0.5, 0.0)
    body.hall.step(2.0)
    assert body.pose.x_m == pytest.approx(2.0)
    assert body.set_speed(0.0, -1.0)
    body.hall.step(0.5)
    assert body.pose.yaw_rad == pytest.approx(-0.5)
    assert not body.set_speed(2.0, 0.0)
    assert body.speeds == (0.0, -1.0)
    assert body.stop()
    before = body.pose
    body.hall.step(5.0)
    assert body.speeds == (0.0, 0.0)
    assert body.pose == before


@pytest.mark.covers("W84", "W86", "W92")
def test_sensors_follow_the_hall_and_freeze_with_it() -> None:
    body = body_at()
    body.set_speed(1.0, 0.5)
    for _ in range(5):
        body.hall.step(STEP_S)
        assert body.pose_sensor() == body.pose
    assert body.battery_sensor() == pytest.approx(100.0 - 0.5 * CART.discharging_pps)
    body.hall.running = False
    body.hall.random = np.random.default_rng(4)
    frozen = body.pose_sensor(), body.battery_sensor(), body.laser_sensor()
    body.hall.step(1.0)
    body.hall.random = np.random.default_rng(4)
    assert (body.pose_sensor(), body.battery_sensor(), body.laser_sensor()) == frozen
    body.hall.running = True
    body.hall.step(1.0)
    assert body.pose_sensor() != frozen[0]
    assert body.battery_sensor() < frozen[1]
    body.percent = 0.0
    flat = body.pose
    body.hall.step(1.0)
    assert body.pose == flat
