"""Charging zones: reservations, a queue, and who may charge."""

from __future__ import annotations

import random

import pytest

from fleet import events as ev
from fleet.charging import Stations
from fleet.fleet import Fleet
from fleet.model.reading import WorldWrong
from fleet.tasks import Kind, Leg, Task
from fleet.virtual import Plant, Trial
from fleet.virtual.load import keep_busy, to_tanks
from fleet.virtual.twins import with_more_robots
from tests.support.warehouses import read, shipped, small_world


@pytest.fixture
def stations() -> Stations:
    return Stations(shipped("warehouse_small"))


@pytest.mark.covers("W18", "W27", "W87", "W89")
def test_a_zone_of_two_lets_the_third_wait(stations: Stations) -> None:
    assert stations.reserve("tug1", "west")
    assert stations.reserve("tug2", "west")
    assert not stations.reserve("tug3", "west")
    assert stations.waiting("west") == ("tug3",)
    assert {stations.place_of(r, "west") for r in ("tug1", "tug2")} == {
        *("charger_1", "charger_2")
    }
    assert stations.place_of("tug3", "west") is None
    assert not stations.charge_request("tug3", "west", [])
    assert not stations.reserve("tug1", "nowhere")


@pytest.mark.covers("W88")
def test_nobody_charges_beside_a_robot_without_reservation(stations: Stations) -> None:
    stations.reserve("tug1", "west")
    assert stations.charge_request("tug1", "west", ["tug1"])
    assert not stations.charge_request("tug1", "west", ["tug1", "tug9"])
    assert not stations.charge_request("tug9", "west", ["tug9"])


@pytest.mark.covers("W79", "W90")
def test_the_next_one_moves_up_when_a_reservation_ends(stations: Stations) -> None:
    for robot in ("tug1", "tug2", "tug3", "tug4"):
        stations.reserve(robot, "west")
    assert stations.end_reservation("tug3", "west")
    assert stations.end_reservation("tug1", "west")
    assert stations.reserved("west") == ("tug2", "tug4")
    assert stations.place_of("tug4", "west") == "charger_1"
    assert not stations.end_reservation("tug1", "west")


@pytest.mark.covers("W91")
def test_the_proximity_sensor_lists_who_is_in_the_zone(stations: Stations) -> None:
    spots = {"tug1": (2.0, 1.5), "tug2": (5.1, 1.5), "tug3": (1.0, 2.4)}
    assert stations.inside("west", spots) == ["tug1", "tug3"]


def test_the_reservations_can_be_saved_and_loaded(stations: Stations) -> None:
    for robot in ("tug1", "tug2", "tug3"):
        stations.reserve(robot, "east")
    other = Stations(shipped("warehouse_small"))
    other.load(stations.to_dict())
    other.end_reservation("tug1", "east")
    assert other.place_of("tug3", "east") == "charger_3"


def test_robots_charge_where_they_rest_and_beside_others_that_rest() -> None:
    """In the paint factory the rest places are the chargers."""
    world = shipped("paint_factory")
    trial = Trial(Fleet(world), Plant(world), step_s=1.0)
    for robot, percent in (("robot1", 12.0), ("robot2", 30.0), ("robot3", 100.0)):
        trial.plant.robots[robot].percent = percent
    for robot, place in (("robot1", "tank"), ("robot2", "A"), ("robot3", "B")):
        task = Task(f"{robot}/1", Kind.MOVE, [Leg(place)], intended=robot)
        trial.tell(ev.Submitted(task))

    all_done = {"robot1", "robot2", "robot3", "charge"}

    def all_charged_at_home() -> bool:
        vehicles = trial.fleet.vehicles.values()
        return trial.done.keys() >= all_done and all(
            v.percent > 70.0 and v.place == v.home for v in vehicles
        )

    trial.run(5000.0, until=all_charged_at_home)
    assert all_charged_at_home()
    assert trial.plant.contacts == []
    assert trial.lowest_percent > 5.0


def test_nobody_is_sent_to_charge_at_the_rest_place_of_another() -> None:
    stations = Stations(shipped("paint_factory"))
    assert stations.reserve("robot3", "homes")
    assert stations.reserve("robot1", "homes")
    assert stations.place_of("robot3", "homes") == "home_3"
    assert stations.place_of("robot1", "homes") == "home"
    assert not stations.reserve("stranger", "homes")
    assert stations.reserve("robot2", "homes"), "who cannot use a place stops nobody"


def test_a_robot_that_can_charge_nowhere_is_a_mistake_of_the_world() -> None:
    more = (
        "robot_types:\n  cart: {speed_mps: 1.0}\ncharging:\n  z: {area: [1, 1, 2, 2],"
        " rate_percent_per_s: 1, max_robots: 1, places: [home]}\n"
    )
    robots = {"r1": ("cart", "home"), "r2": ("cart", "a")}
    with pytest.raises(WorldWrong) as wrong:
        read(small_world(robots=robots, more=more))
    (line,) = wrong.value.mistakes
    assert "r2" in line or "robots[1]" in line
    assert "can charge nowhere: all chargers are rest places of others" in line


def test_twins_of_robots_that_charge_where_they_rest_do_so_too() -> None:
    world = with_more_robots(shipped("paint_factory"), 6)
    trial = Trial(Fleet(world), Plant(world), step_s=1.0)
    for robot in trial.plant.robots.values():
        robot.percent = 15.5
    keep_busy(trial, 900.0, random.Random(1), to_tanks)
    charged = {name for name, percent in trial.plant.charged.items() if percent > 5.0}
    assert charged == set(world.robots)
    assert trial.plant.contacts == []
    assert trial.lowest_percent > 5.0
