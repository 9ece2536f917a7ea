"""Grid traffic as the fleet uses it: goals, closed zones, dead robots, bad reports."""

from __future__ import annotations

import pytest

from fleet.grid.errors import (
    CellTaken,
    CellUnknown,
    ReportRefused,
    RobotKnown,
    RobotUnknown,
)
from fleet.grid.floor import Floor
from fleet.grid.traffic import GridTraffic
from fleet.grid.traffic_messages import (
    Arrived,
    Delayed,
    Go,
    Halt,
    Held,
    NoWay,
    Reached,
    Silent,
    Stuck,
)
from tests.support.grid_robots import SlowRobots

LOOP = (".....", ".@@@.", ".....")


def on_floor(*lines: str, **robots: tuple[int, int]) -> tuple[GridTraffic, SlowRobots]:
    traffic = GridTraffic(Floor.drawn(*lines), seed=1)
    slow = SlowRobots(traffic, seed=1)
    for name, cell in robots.items():
        slow.put(name, cell)
    return traffic, slow


def test_a_robot_may_enter_some_cells_and_gets_more_as_it_reports() -> None:
    traffic, _ = on_floor("........", ada=(0, 0))
    traffic.set_goal("ada", (7, 0))
    assert traffic.advance(0.0) == [Go("ada", ((1, 0), (2, 0), (3, 0), (4, 0)))]
    assert traffic.advance(1.0) == []
    traffic.report("ada", Reached((2, 0)))
    assert traffic.cell_of("ada") == (2, 0)
    assert traffic.advance(2.0) == [Go("ada", ((5, 0), (6, 0)))]
    assert traffic.path_of("ada") == [(x, 0) for x in range(2, 7)]
    assert [traffic.owner_of((x, 0)) for x in (1, 2, 6, 7)] == [
        None,
        "ada",
        "ada",
        None,
    ]


@pytest.mark.covers("R85")
def test_who_follows_enters_a_cell_only_after_the_one_before_reported_leaving() -> None:
    traffic, _ = on_floor("......", ada=(1, 0), bob=(0, 0))
    traffic.set_goal("ada", (5, 0))
    traffic.set_goal("bob", (4, 0))
    first = traffic.advance(0.0)
    assert [message for message in first if message.robot == "bob"] == []  # type: ignore[union-attr]
    traffic.report("ada", Reached((2, 0)))
    assert Go("bob", ((1, 0),)) in traffic.advance(1.0)
    assert traffic.owner_of((2, 0)) == "ada"
    for second in range(2, 9):
        assert not any(isinstance(m, Go) for m in traffic.advance(float(second)))


def test_arrival_is_told_once_and_the_robot_stays() -> None:
    _, slow = on_floor(*LOOP, ada=(0, 0))
    slow.traffic.set_goal("ada", (4, 2))
    slow.run(100)
    assert slow.arrivals == [("ada", (4, 2))]
    slow.traffic.set_goal("ada", (4, 2))
    slow.run(1)
    assert len(slow.arrivals) == 2


def test_a_robot_without_a_goal_makes_way_and_a_pinned_one_does_not() -> None:
    traffic, slow = on_floor(*LOOP, ada=(0, 0), idle=(2, 0))
    traffic.set_goal("ada", (4, 0))
    slow.run(100)
    assert slow.bodies["ada"].at == (4, 0)
    assert slow.bodies["idle"].driven
    traffic, slow = on_floor(".....", ada=(0, 0), fixed=(2, 0))
    traffic.pin("fixed")
    traffic.set_goal("ada", (4, 0))
    slow.run(300)
    assert slow.bodies["ada"].at == (1, 0)
    assert slow.bodies["fixed"].driven == []


def test_a_robot_that_is_served_at_its_goal_stays_until_its_next_one() -> None:
    traffic, slow = on_floor("@@.@@", ".....", ada=(0, 1), bob=(4, 1))
    traffic.set_goal("bob", (2, 1), pinned=True)
    slow.run(60)
    traffic.set_goal("ada", (3, 1))
    slow.run(60)
    assert slow.bodies["bob"].at == (2, 1)
    assert slow.bodies["ada"].at == (1, 1)
    traffic.set_goal("bob", None)
    slow.run(200)
    assert slow.bodies["ada"].at == (3, 1)


def test_a_closed_zone_holds_at_once_for_cells_not_yet_entered() -> None:
    traffic, _ = on_floor(*LOOP, ada=(0, 0))
    traffic.set_goal("ada", (4, 0))
    traffic.advance(0.0)
    traffic.close([(2, 0)])
    assert Halt("ada", (2, 0)) in traffic.advance(1.0)
    traffic.report("ada", Held((1, 0)))
    assert traffic.owner_of((2, 0)) is None
    traffic.report("ada", Reached((1, 0)))
    (go,) = traffic.advance(2.0)
    assert isinstance(go, Go)
    assert go.cells[0] == (0, 0)


def test_a_robot_that_was_too_fast_for_a_closed_zone_says_so_and_keeps_its_cell() -> (
    None
):
    traffic, _ = on_floor("......", ada=(0, 0))
    traffic.set_goal("ada", (5, 0))
    traffic.advance(0.0)
    traffic.close([(2, 0), (3, 0)])
    traffic.report("ada", Held((2, 0)))
    assert [traffic.owner_of((x, 0)) for x in (2, 3)] == ["ada", None]
    assert NoWay("ada", (5, 0)) in traffic.advance(1.0)
    traffic.report("ada", Reached((2, 0)))
    traffic.open([(2, 0), (3, 0)])
    assert Go("ada", ((3, 0), (4, 0), (5, 0))) in traffic.advance(2.0)


def test_a_dead_robot_is_an_obstacle_that_others_drive_around() -> None:
    traffic, slow = on_floor(*LOOP, ada=(0, 0), bob=(2, 0))
    slow.kill("bob")
    traffic.set_goal("ada", (4, 0))
    slow.run(150)
    assert slow.bodies["ada"].at == (4, 0)
    assert (2, 2) in slow.bodies["ada"].driven


def test_cells_that_a_dead_robot_was_told_to_enter_stay_its_own() -> None:
    traffic, slow = on_floor(*LOOP, ada=(0, 1), bob=(0, 0))
    traffic.set_goal("bob", (4, 0))
    slow.round()
    slow.kill("bob")
    traffic.set_goal("ada", (2, 0))
    slow.run(100)
    assert traffic.owner_of((2, 0)) == "bob"
    assert NoWay("ada", (2, 0)) in slow.said


def test_a_delayed_robot_is_driven_around_until_it_reports_again() -> None:
    traffic, _ = on_floor(*LOOP, ada=(0, 0), bob=(1, 0))
    traffic.report("bob", Delayed())
    traffic.set_goal("ada", (3, 0))
    (go,) = traffic.advance(0.0)
    assert isinstance(go, Go)
    assert go.cells[0] == (0, 1)
    traffic.report("bob", Reached((1, 0)))
    traffic.set_goal("bob", (4, 0))
    assert any(m.robot == "bob" for m in traffic.advance(1.0) if isinstance(m, Go))


def test_a_robot_that_says_nothing_counts_as_delayed() -> None:
    traffic, _ = on_floor(*LOOP, ada=(0, 0))
    traffic.set_goal("ada", (4, 0))
    traffic.advance(0.0)
    assert traffic.advance(30.0) == []
    assert traffic.advance(30.5) == [Silent("ada", 30.5)]
    traffic.report("ada", Reached((1, 0)))
    traffic.advance(31.0)
    assert traffic.advance(60.0) == []


def test_robots_that_block_each_other_for_good_are_told() -> None:
    traffic, slow = on_floor(".....", ada=(1, 0), bob=(3, 0))
    traffic.set_goal("ada", (4, 0))
    traffic.set_goal("bob", (0, 0))
    slow.run(50)
    assert Stuck(("ada", "bob")) in slow.said
    assert traffic.counts.jams == traffic.counts.jams_unsolved == 1
    traffic.remove("bob")
    del slow.bodies["bob"]
    slow.run(60)
    assert slow.arrivals == [("ada", (4, 0))]


def test_a_jam_that_has_a_solution_is_solved() -> None:
    traffic, slow = on_floor("@@.@@", ".....", ada=(1, 1), idle=(4, 1))
    traffic.set_goal("ada", (4, 1))
    slow.run(400)
    assert slow.bodies["ada"].at == (4, 1)
    assert traffic.counts.jams_unsolved == 0


def test_what_makes_no_sense_is_refused_and_changes_nothing() -> None:
    traffic, _ = on_floor(*LOOP, ada=(0, 0), bob=(4, 2))
    traffic.set_goal("ada", (4, 0))
    before = traffic.advance(0.0)
    assert before
    path = traffic.path_of("ada")
    with pytest.raises(RobotKnown, match="ada is on the floor already"):
        traffic.add("ada", (2, 2))
    with pytest.raises(CellTaken, match="in the hands of robot ada"):
        traffic.add("cleo", (1, 0))
    with pytest.raises(CellUnknown, match="is a wall"):
        traffic.add("cleo", (1, 1))
    with pytest.raises(RobotUnknown, match="no robot cleo"):
        traffic.set_goal("cleo", (0, 0))
    with pytest.raises(CellTaken, match="the goal of robot ada"):
        traffic.set_goal("bob", (4, 0))
    with pytest.raises(CellUnknown, match="outside the floor"):
        traffic.set_goal("bob", (9, 9))
    with pytest.raises(ReportRefused, match="never sent"):
        traffic.report("ada", Reached((2, 2)))
    with pytest.raises(ReportRefused, match="not told to halt"):
        traffic.report("ada", Held((1, 0)))
    traffic.close([(4, 0)])
    with pytest.raises(ReportRefused, match="not on its way"):
        traffic.report("ada", Held((2, 2)))
    assert traffic.path_of("ada") == path
    assert Arrived("bob", (4, 2)) not in traffic.advance(1.0)


def test_a_report_that_comes_twice_changes_nothing() -> None:
    traffic, _ = on_floor("....", ada=(0, 0))
    traffic.set_goal("ada", (3, 0))
    traffic.advance(0.0)
    traffic.report("ada", Reached((1, 0)))
    traffic.report("ada", Reached((1, 0)))
    assert traffic.path_of("ada") == [(1, 0), (2, 0), (3, 0)]


def test_a_halt_for_a_cell_that_its_robot_has_reached_is_not_told_any_more() -> None:
    traffic, _ = on_floor("...", ada=(0, 0))
    traffic.set_goal("ada", (2, 0))
    traffic.advance(0.0)
    traffic.report("ada", Reached((1, 0)))
    traffic.close([(2, 0)])  # too late: ada is there before anybody hears of it
    traffic.report("ada", Reached((2, 0)))
    assert traffic.advance(1.0) == [Arrived("ada", (2, 0))]
