"""Picking with a cart against picking with a robot."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from shopfloor import cli
from shopfloor.experiments.cart import (
    Assumptions,
    Drive,
    Floor,
    Line,
    handling_s,
    loads_of,
    with_cart,
    with_robot,
)
from shopfloor.grid import Grid
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import Map, World

KNOWN = Assumptions()
PLACES = {
    "home": Pose(10.0, 2.0),
    "tank": Pose(20.0, 5.0),
    "A": Pose(10.0, 5.0),
    "B": Pose(2.0, 5.0),
}


@pytest.fixture
def open_floor() -> Floor:
    """Nothing in the way: every way is straight."""
    world = World("open", Map(0.1, 24.0, 8.0), PLACES)
    return Floor(world, Grid.of(np.zeros((80, 240), bool), 0.1), KNOWN.near_tank_m)


def test_a_cart_is_pushed_from_rack_to_rack_and_counts_what_lies_on_it(
    open_floor: Floor,
) -> None:
    lines = [Line("A", 50.0), Line("B", 100.0)]
    found = with_cart(open_floor, "tank", lines, KNOWN)
    assert found.walked_m == pytest.approx(10.0 + 8.0 + 18.0)
    pushed = 40.0 * 10.0 + 90.0 * 8.0 + 190.0 * 18.0
    assert found.pushed_kg_m == pytest.approx(pushed)
    handled_s = handling_s(50.0, KNOWN) + handling_s(100.0, KNOWN)
    walked_s = 10.0 / 1.3 + 26.0 / 0.9
    assert found.seconds == pytest.approx(walked_s + 2.0 * handled_s + 20.0)
    near_s = 3.0 / 1.3 + 3.0 / 0.9 + handled_s + 20.0
    assert found.near_tank_s == pytest.approx(near_s, abs=0.2)


def test_with_a_robot_nobody_pushes_and_the_slower_one_is_waited_for(
    open_floor: Floor,
) -> None:
    drive = Drive(speed_mps=0.5, capacity_kg=500.0, workers=1)
    found = with_robot(open_floor, "tank", [Line("A", 25.0)], KNOWN, drive)
    assert found.pushed_kg_m == 0.0
    assert found.walked_m == pytest.approx(20.0)
    arrives_s = max(3.0 / 0.5, 10.0 / 1.3)  # the robot from home, the worker from tank
    work_s = handling_s(25.0, KNOWN)
    expected = arrives_s + work_s + KNOWN.robot_weighing_s + 10.0 / 0.5 + work_s
    assert found.seconds == pytest.approx(expected)


def test_what_is_too_heavy_goes_in_several_rounds() -> None:
    lines = [Line("A", 120.0), Line("B", 60.0), Line("C", 30.0)]
    rounds = loads_of(lines, 100.0, together=True)
    carried = [[(line.place, line.kg) for line in each] for each in rounds]
    assert carried == [[("A", 100.0)], [("A", 20.0), ("B", 60.0)], [("C", 30.0)]]
    alone = loads_of(lines, 100.0, together=False)
    assert [len(each) for each in alone] == [1, 1, 1, 1]


@pytest.mark.covers("A82")
def test_the_command_reports_time_and_exposure_of_both_and_what_was_assumed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["experiment", "cart", "paint_factory", "--orders", "40"]
    assert cli.main([*arguments, "--seed", "3"]) == 0
    facts = json.loads(capsys.readouterr().out)
    cart = facts["per_order"]["cart"]
    for name in ("robot_one_worker", "robot_two_workers", "robot_two_workers_rounds"):
        robot = facts["per_order"][name]
        assert set(robot) == set(cart)
        assert {"seconds", "walked_m", "pushed_kg_m", "near_tank_s"} <= set(robot)
        assert robot["pushed_kg_m"] == 0.0 < cart["pushed_kg_m"]
        assert facts["robot_over_cart"][name]["near_tank_s"] < 1.0
    assert facts["assumptions"]["walking_mps"] == 1.3
    assert cli.main([*arguments, "--seed", "3"]) == 0
    assert json.loads(capsys.readouterr().out) == facts


def test_a_world_without_racks_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "world.yaml"
    file.write_text(
        "name: bare\nmap: {resolution_m: 0.5, width_m: 5, height_m: 5}\n"
        "places: {home: {x_m: 1, y_m: 1}}\nrobots: [{id: r1, home: home}]\n"
    )
    assert cli.main(["experiment", "cart", str(tmp_path)]) == 2
    assert "bare needs a robot and the places" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["experiment", "cart", "arco_lab", "--orders", "0"])
    assert "no number of orders" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("{", "these are no orders"),
        ('[{"number": "1", "tank": "moon", "lines": []}]', "has no place moon"),
        ('[{"number": "1", "tank": "tank", "lines": []}]', "1 has a line without"),
    ],
)
def test_orders_that_the_world_cannot_hold_are_refused_by_name(
    given: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "orders.json"
    file.write_text(given, encoding="utf-8")
    command = ["experiment", "cart", "paint_factory", "--given", str(file)]
    assert cli.main(command) == 2
    assert reason in capsys.readouterr().err
