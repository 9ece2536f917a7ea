"""The closed loop behind the topics of the simulator."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from shopfloor.plant import Box, Walker, stops_of
from shopfloor.sim.world import Person, World
from tests.support.plant_client import ACTION, PlantClient

SUCCEEDED, ABORTED = 3, 4


@pytest.mark.covers("A21")
def test_a_goal_over_the_bridge_is_driven_by_planners_and_lasers(
    arco_lab: World,
) -> None:
    bridge = PlantClient(arco_lab)
    plan, costmap = (
        "/arco/move_base/NavfnROS/plan",
        "/arco/move_base/local_costmap/costmap",
    )
    bridge.listen(
        f"{ACTION}/result",
        plan,
        costmap,
        "/arco/scan",
        "/arco/scan_rear",
        "/arco/amcl_pose",
    )
    place = arco_lab.places["A"]
    bridge.drive("first", place.x_m, place.y_m, place.yaw_rad)
    assert bridge.wait_for_end(40.0) == ("first", SUCCEEDED)
    state = bridge.simulation.state()
    robot = state["robots"][0]
    assert math.hypot(robot["x_m"] - place.x_m, robot["y_m"] - place.y_m) < 0.15
    assert state["contacts"] == 0
    assert robot["odometer_m"] > 4.0
    way = bridge.said[plan][1]["poses"]
    assert way[-1]["pose"]["position"]["x"] == pytest.approx(place.x_m, abs=0.01)
    for topic in ("/arco/scan", "/arco/scan_rear"):
        assert len(bridge.said[topic][-1]["ranges"]) == 271
    grid = bridge.said[costmap][-1]
    assert len(grid["data"]) == grid["info"]["width"] * grid["info"]["height"]
    assert {0, 100} <= set(grid["data"])
    believed = bridge.said["/arco/amcl_pose"][-1]["pose"]["pose"]["position"]
    assert math.hypot(believed["x"] - robot["x_m"], believed["y"] - robot["y_m"]) < 0.1


def test_a_goal_in_a_wall_is_answered_and_the_robot_stands_still(
    arco_lab: World,
) -> None:
    bridge = PlantClient(arco_lab)
    bridge.listen(f"{ACTION}/result")
    bridge.drive("wall", 6.5, 4.75)
    assert bridge.wait_for_end(5.0) == ("wall", ABORTED)
    said = bridge.said[f"{ACTION}/result"][-1]["status"]["text"]
    assert "goal_in_wall" in said
    assert bridge.plant.robots[0].body.travelled_m == 0.0
    home = arco_lab.places["home"]
    bridge.drive("next", home.x_m + 1.0, home.y_m)
    assert bridge.wait_for_end(30.0) == ("next", SUCCEEDED)


def test_the_stop_button_stops_and_the_goal_is_kept(arco_lab: World) -> None:
    bridge = PlantClient(arco_lab)
    bridge.listen(f"{ACTION}/result")
    bridge.drive("far", 8.0, 2.5)
    bridge.advance(4.0)
    body = bridge.plant.robots[0].body
    assert body.speed_mps > 0.2
    bridge.send("advertise", topic="/arco/emergency_stop", type="std_msgs/Bool")
    bridge.send("publish", topic="/arco/emergency_stop", msg={"data": True})
    bridge.advance(1.5)
    assert body.speed_mps == 0.0
    stood_at = body.pose
    bridge.advance(3.0)
    assert body.pose == stood_at
    bridge.send("publish", topic="/arco/emergency_stop", msg={"data": False})
    assert bridge.wait_for_end(40.0) == ("far", SUCCEEDED)


def test_people_of_the_world_walk_their_rounds(arco_lab: World) -> None:
    stops = (arco_lab.places["tank"], arco_lab.places["B"])
    world = replace(arco_lab, people=(Person("ana", stops, 1.0, 500),))
    bridge = PlantClient(world)
    bridge.listen("/people")
    bridge.advance(20.0)
    told = [said["people"] for said in bridge.said["/people"]]
    ys = [people[0]["position"]["y"] for people in told if people]
    assert len(ys) > 0.9 * len(told)  # before the first ranges nobody is known
    assert min(ys) < 3.5
    assert max(ys) > 7.0


@pytest.mark.soak
@pytest.mark.covers("A68", "A69", "A70")
def test_the_whole_mission_is_driven_over_the_bridge_among_a_box_and_a_person(
    arco_lab: World,
) -> None:
    stops = (arco_lab.places["tank"], arco_lab.places["C"])
    world = replace(arco_lab, people=(Person("ana", stops, 1.0, 500),))
    bridge = PlantClient(world, seed=4)
    bridge.plant.put_boxes([Box(10.0, 3.2, 0.5, 0.4, 0.4)])
    bridge.listen(f"{ACTION}/result")
    for number, name in enumerate(stops_of(arco_lab.places)):
        place = arco_lab.places[name]
        bridge.drive(f"{number}", place.x_m, place.y_m, place.yaw_rad)
        assert bridge.wait_for_end(200.0) == (f"{number}", SUCCEEDED)
    watch = bridge.plant.watches[0]
    assert watch.contacts == 0
    assert watch.nearest_person_m >= 0.2
    assert watch.nearest_box_m < 1.0
    driven_m = bridge.simulation.state()["robots"][0]["odometer_m"]
    assert driven_m == pytest.approx(62.7, rel=0.1)


def test_a_robot_that_waits_for_somebody_asks_by_sound_and_light(
    arco_lab: World,
) -> None:
    bridge = PlantClient(arco_lab)
    bridge.listen("/arco/sound", "/arco/light")
    machine = bridge.plant.robots[0]
    bridge.advance(2.0)
    assert bridge.said["/arco/sound"] == []
    assert bridge.last("/arco/light")["r"] == 0.0
    here = machine.body.pose
    stands = Walker("person", here.x_m + 0.9, here.y_m, np.random.default_rng(1))
    stands.step = lambda *seen: None  # type: ignore[method-assign]
    bridge.plant.add_walker(stands)
    place = arco_lab.places["A"]
    bridge.advance(1.0)
    bridge.drive("first", place.x_m, place.y_m, place.yaw_rad)
    for _ in range(30):
        bridge.advance(1.0)
        if bridge.said["/arco/sound"]:
            break
    assert bridge.last("/arco/sound") == {"data": "Please step aside."}
    assert bridge.last("/arco/light")["r"] == 1.0
