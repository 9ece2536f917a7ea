"""Robots of a fleet that drive from cell to cell: one owner a cell, on bad days too."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleet import events as ev
from fleet.fleet import Fleet
from fleet.grid.errors import GridRefused
from fleet.model import Place, World
from fleet.model.reading import read_world
from fleet.tasks import Kind, Leg, Task
from fleet.traffic import FreeTraffic, traffic_for
from fleet.traffic.cells import CellTraffic
from fleet.virtual import Plant, Trial
from fleet.virtual.trial import new_trial
from tests.support.fleet_trials import check_delivered, roads_of, settle
from tests.support.random_plants import bad_day
from tests.support.warehouses import shipped, texts_of

HALL = shipped("grid_hall")


def fleet_of(world: World = HALL) -> Fleet:
    return Fleet(world, roadmaps=roads_of("grid_hall"))


def cells_of(trial: Trial) -> CellTraffic:
    assert isinstance(trial.fleet.traffic, CellTraffic)
    return trial.fleet.traffic


def quiet_trial() -> Trial:
    """All at rest, no demands."""
    trial = Trial(fleet_of(), Plant(HALL), step_s=0.5)
    trial.run(1.0)
    return trial


def move(trial: Trial, robot: str, place: str) -> Task:
    task = Task(f"{robot} to {place}", Kind.MOVE, [Leg(place)], intended=robot)
    trial.tell(ev.Submitted(task))
    return task


def test_five_robots_store_and_retrieve_with_one_owner_a_cell() -> None:
    trial = new_trial(fleet_of(), 1, 0.1, 0.5)
    traffic = cells_of(trial)

    def look() -> bool:
        robots = trial.plant.robots.values()
        inside = [traffic.floor.cell_at(r.x_m, r.y_m) for r in robots]
        assert len(set(inside)) == len(inside)
        for name, cell in zip(trial.plant.robots, inside, strict=True):
            assert traffic.grid.owner_of(cell) == name
        return False

    trial.run(2.0)
    trial.run(400.0, until=look)
    settle(trial)
    check_delivered(trial)
    assert trial.done["store"] >= 5
    assert trial.done["retrieve"] >= 5


@pytest.mark.parametrize("seed", range(2))
def test_a_bad_day_on_a_grid_ends_with_everything_done(seed: int) -> None:
    check_delivered(bad_day(seed, turns=8, world=HALL).trial)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 42))
def test_many_bad_days_on_a_grid(seed: int) -> None:
    check_delivered(bad_day(seed, turns=40, world=HALL).trial)


def test_a_robot_stops_before_a_zone_that_closes_in_front_of_it() -> None:
    trial = quiet_trial()
    task = move(trial, "grid1", "charger_1")
    robot = trial.plant.robots["grid1"]
    trial.run(60.0, until=lambda: robot.y_m < 7.9)
    wall = ((0.0, 4.0), (12.0, 4.0), (12.0, 5.0), (0.0, 5.0))
    trial.tell(ev.ZoneClosed("spill", wall))
    trial.run(60.0, until=lambda: robot.y_m < 5.0)
    assert robot.y_m >= 5.3
    assert not task.state.ended
    trial.tell(ev.ZoneOpened("spill"))
    trial.run(120.0, until=lambda: task.state.ended)
    assert trial.done == {"grid1 to charger_1": 1}


def test_a_robot_that_was_carried_away_goes_on_from_there() -> None:
    trial = quiet_trial()
    task = move(trial, "grid1", "charger_1")
    trial.run(6.0)
    trial.tell(ev.RobotPaused("grid1"))
    robot = trial.plant.robots["grid1"]
    robot.x_m, robot.y_m = 11.5, 4.5
    trial.run(2.0)
    trial.tell(ev.RobotPaused("grid1", False))
    trial.run(120.0, until=lambda: task.state.ended)
    assert trial.done == {"grid1 to charger_1": 1}
    assert trial.plant.contacts == []


def test_a_robot_that_reports_from_a_wall_or_anothers_cell_is_refused() -> None:
    fleet = fleet_of()
    fleet.handle(0.0, ev.Reported("grid1", 1.5, 8.5, 0.0, 90.0))
    before = fleet.to_dict()
    for x_m, y_m, why in (
        (3.5, 2.5, "is a wall"),
        (-3.0, 2.5, "is outside"),
        (1.6, 8.5, "is in the hands of robot grid1"),
    ):
        [refused] = fleet.handle(1.0, ev.Reported("grid2", x_m, y_m, 0.0, 90.0)).records
        assert why in str(refused)
    assert not fleet.vehicles["grid2"].known
    after = fleet.to_dict()
    assert before["vehicles"] == after["vehicles"]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (
            "rest_1: {x_m: 1.5",
            "rest_1: {x_m: 1.8",
            r"world\.yaml:\d+: place rest_1 lies 0\.30 m from the middle of its cell",
        ),
        ("radius_m: 0.35\n    payload", "radius_m: 0.6\n    payload", "wider than a"),
        ("[3.2, 2.2, 3.8, 2.2]", "[3.0, 8.0, 4.0, 8.0]", "a wall runs between the"),
        (
            "stock:",
            "zones:\n  z: {corners: [[0, 0], [1, 0], [1, 1]], block: single}\nstock:",
            r"fleet\.yaml:\d+: zone z: blocks are for robots that drive without",
        ),
    ],
)
def test_what_does_not_fit_into_cells_is_named(old: str, new: str, why: str) -> None:
    files = texts_of("grid_hall")
    changed = {name: text.replace(old, new) for name, text in files.items()}
    assert changed != files
    with pytest.raises(GridRefused, match=why):
        CellTraffic(read_world(changed))


def test_grid_traffic_is_for_plants_of_grid_robots_only() -> None:
    assert isinstance(traffic_for(HALL, roads_of("grid_hall")), CellTraffic)
    warehouse = shipped("warehouse_small")
    free = traffic_for(warehouse, roads_of("warehouse_small"))
    assert isinstance(free, FreeTraffic)
    with pytest.raises(GridRefused, match="tug drive without cells"):
        CellTraffic(warehouse)


def test_a_place_in_a_wall_is_told_by_the_roads_and_refused_as_a_goal() -> None:
    places = {**HALL.places, "inside": Place("inside", 3.5, 2.5)}
    traffic = CellTraffic(replace(HALL, places=places))
    traffic.add_robot("grid1", "grid", 1.5, 8.5)
    with pytest.raises(GridRefused, match="place inside lies in no free cell"):
        traffic.set_goal("grid1", "inside")
