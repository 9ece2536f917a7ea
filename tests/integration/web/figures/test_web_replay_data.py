"""The past of an instance: tokens from the history, robots from their tracks."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mpms.factory.domain.goals import Goal, GoalReport, GoalState, Pose
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.services.robots.own import OwnRobots
from mpms.factory.services.robots.track import TrackRobots
from mpms.services.history.delete import delete_history
from tests.support.web_figures import House

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


class Clock:
    """Both clocks of a worker, set by hand."""

    def __init__(self) -> None:
        self.s = 0.0

    def now(self) -> datetime:
        return NOW + timedelta(seconds=self.s)

    def monotonic_s(self) -> float:
        return self.s


class Fleet:
    """Robots that stand where the test puts them."""

    def __init__(self, *states: RobotState) -> None:
        self.known = list(states)

    def states(self) -> list[RobotState]:
        return self.known

    def put(self, robot: str, x_m: float, **more: Any) -> None:
        self.known = [
            replace(s, x_m=x_m, **more) if s.robot == robot else s for s in self.known
        ]


def tracker(house: House, fleet: Fleet, clock: Clock) -> TrackRobots:
    owned = OwnRobots(house.uow, fleet, "by hand")  # type: ignore[arg-type]
    owned.mine = {state.robot for state in fleet.known}
    return TrackRobots(house.uow, fleet, owned, clock, clock.monotonic_s)  # type: ignore[arg-type]


def state(robot: str, **more: Any) -> RobotState:
    known: dict[str, Any] = {"ready": True, "x_m": 0.0, "y_m": 0.0} | more
    return RobotState(robot, **known)


def goal(house: House, instance_id: str, goal_id: str, *, x_m: float) -> Goal:
    made = Goal(goal_id, "robot1", "A1", Pose(x_m, 0.0), GoalState.NEW)
    made = replace(made, instance_id=instance_id)
    with house.uow() as tx:
        tx.goals.add(made)
    return made


def past(house: House, instance_id: str) -> dict[str, Any]:
    answer = house.browser().get(f"/cockpit/i/{instance_id}/replay.json")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json
    return found


def test_tokens_come_and_go_in_order(house: House) -> None:
    instance_id = house.mix()
    house.finish(instance_id)
    found = past(house, instance_id)
    moves = [(kind, element) for _, kind, element, _, _ in found["moves"]]
    for element in ("load", "label"):
        assert moves.index(("entered", element)) < moves.index(("left", element))
    assert [m[0] for m in found["moves"]] == sorted(m[0] for m in found["moves"])
    assert found["names"]["load"] == "Load material"
    assert found["ended"]
    assert found["length_ms"] >= found["moves"][-1][0]
    assert any("started the process" in text for _, text in found["told"])
    assert {m[4] for m in found["moves"] if m[2] == "load" and m[1] == "entered"} == {
        "begin_to_load"
    }


def test_a_robot_leaves_a_track_while_it_works_for_an_instance(house: House) -> None:
    instance_id = house.mix()
    fleet, clock = Fleet(state("robot1"), state("robot2")), Clock()
    follow = tracker(house, fleet, clock)
    with house.uow() as tx:
        tx.robot_holds.hold("robot1", instance_id)
    for second in range(21):
        clock.s = float(second)
        moves = 5 <= second <= 10
        if moves:
            fleet.put("robot1", second - 4.0)
        fleet.put("robot2", float(second))  # works for nobody
        assert follow() is False
    rows = house.rows(
        "SELECT robot, extract(epoch FROM at - %s), x_m FROM robot_tracks ORDER BY at",
        NOW,
    )
    assert {robot for robot, _, _ in rows} == {"robot1"}
    places = [(float(at), x) for _, at, x in rows]
    assert (4.0, 0.0) in places  # where it stood until it set off
    assert places[-1] == (10.0, 6.0)
    assert len(places) <= 9  # nothing while it stood
    ((spent,),) = house.rows(
        "SELECT waiting_s FROM robot_hours WHERE robot = 'robot1' AND driving_s = 0"
    )
    assert spent == 20.0


@pytest.mark.parametrize(
    ("known", "driving", "column"),
    [
        ({}, True, "driving_s"),
        ({}, False, "idle_s"),
        ({"ready": False, "why_not": "charging"}, False, "away_s"),
        ({"link": "down"}, True, "away_s"),
    ],
)
def test_the_time_of_a_robot_is_counted(
    house: House, known: dict[str, Any], driving: bool, column: str
) -> None:
    if driving:
        goal(house, house.mix(), "g", x_m=5.0)
    clock = Clock()
    follow = tracker(house, Fleet(state("robot1", **known)), clock)
    for clock.s in (0.0, 2.5, 5.0, 500.0):  # it slept through the last
        follow()
    ((counted, seen),) = house.rows(
        f"SELECT {column}, driving_s + waiting_s + idle_s + away_s FROM robot_hours"
    )
    assert counted == seen == 5.0


def test_a_drive_without_a_track_is_estimated_and_says_so(house: House) -> None:
    instance_id = house.mix()
    goal(house, instance_id, "g1", x_m=8.0)
    house.rows("UPDATE goals SET state = 'sent', sent_at = now() - interval '20 s'")
    with house.uow() as tx:
        tx.goals.settle(GoalReport("g1", GoalState.REACHED))
    found = past(house, instance_id)
    (drive,) = found["drives"]
    assert drive["guessed"]
    home = house.world.places[house.world.robots[0].home]
    first, last = found["tracks"]["robot1"]
    assert first[1:] == [round(home.x_m, 2), round(home.y_m, 2)]
    assert last[1:] == [8.0, 0.0]


def test_a_drive_with_a_track_is_no_guess(house: House) -> None:
    instance_id = house.mix()
    goal(house, instance_id, "g1", x_m=8.0)
    house.rows("UPDATE goals SET state = 'sent', sent_at = now() - interval '20 s'")
    house.rows(
        "INSERT INTO robot_tracks SELECT %s, 'robot1',"
        " now() - make_interval(secs => s), 20 - s, 1"
        " FROM generate_series(5, 15, 5) AS s",
        instance_id,
    )
    with house.uow() as tx:
        tx.goals.settle(GoalReport("g1", GoalState.REACHED))
    found = past(house, instance_id)
    assert not found["drives"][0]["guessed"]
    assert [p[1] for p in found["tracks"]["robot1"]] == [5.0, 10.0, 15.0, 8.0]


def test_tracks_go_with_the_history(house: House) -> None:
    instance_id = house.mix()
    house.rows(
        "INSERT INTO robot_tracks VALUES (%s, 'robot1', now(), 1, 1)", instance_id
    )
    house.finish(instance_id)
    house.rows("UPDATE instances SET ended_at = now() - interval '1 day'")
    before = datetime.now(UTC) - timedelta(hours=1)
    delete_history(house.uow, house.clock, before, by="ada", reason="old")
    assert house.rows("SELECT count(*) FROM robot_tracks") == [(0,)]


def test_only_readers_of_the_cockpit_see_the_past(house: House) -> None:
    instance_id = house.mix()
    address = f"/cockpit/i/{instance_id}/replay.json"
    assert house.browser("worker").get(address).status_code == 403
    assert house.browser("viewer").get(address).status_code == 200
