"""How warehouse robots turn, drive, stop and keep apart, tick by tick."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopfloor.warehouse.building import add, walk
from shopfloor.warehouse.driving import BLOCKED_FOR_S, NEXT, TICK_S
from shopfloor.warehouse.events import Became, Ended, Outcome, Turned
from shopfloor.warehouse.script import Script
from shopfloor.warehouse.stepping import halt, step
from shopfloor.warehouse.things import (
    Obstacle,
    ObstacleKind,
    Person,
    Robot,
    State,
    Status,
    Warehouse,
)
from shopfloor.warehouse.turning import MOST_ITERATIONS
from shopfloor.warehouse.world_file import find_file, load
from tests.support.kivas import Drive, cells_held_twice, hall

FINE_DEG = 0.01


def disturbed(warehouse: Warehouse, slip_dps: float) -> Warehouse:
    robot = replace(warehouse.robots["kiva1"], slip_dps=slip_dps)
    return replace(warehouse, robots={**warehouse.robots, "kiva1": robot})


@pytest.mark.covers("K30", "K69")
def test_only_drawn_changes_of_state_happen_and_each_of_them_does() -> None:
    seen: set[tuple[State, State]] = set()
    drive = Drive(hall((0, 0), (5, 0), belts=[(0, 5)]))
    drive.do("movx 2 1", "rot cw 1", "rot ccw 1", "movx -2 1", "mov 2 1 1")
    drive.do("movx 1 1", "mov 2 0 1", "movx 3 1", "mov 0 0 1")
    drive.do("movy 5 1", "movy -1 1", "movy -1 1", "mov 2 0 1", "rot ccw 1")
    drive.do("movy 1 1", "movy 1 1")
    before = State.IDLE
    for event in drive.told:
        if isinstance(event, Became) and event.robot == "kiva1":
            seen.add((before, event.state))
            before = event.state
    drawn = {(a, b) for a, following in NEXT.items() for b in following}
    assert seen <= drawn
    assert drawn - seen == set()


@pytest.mark.covers("K26")
def test_a_robot_turns_before_it_drives_when_its_heading_differs() -> None:
    assert Drive(hall((4, 4))).do("movy 1 1").states()[:2] == [
        "rotating",
        "moving on Y",
    ]
    assert Drive(hall((4, 4))).do("movx 1 1").states()[0] == "moving on X"


@pytest.mark.covers("K27", "K32")
def test_wheels_run_at_one_speed_and_stand_at_the_destination() -> None:
    speeds: list[float] = []
    drive = Drive(hall((0, 0)))
    drive.look = lambda w: speeds.append(w.robots["kiva1"].wheel_mps)
    drive.do("movx 3 1")
    assert set(speeds[:-1]) == {drive.now.floor.motors.speed_mps}
    assert speeds[-1] == 0.0
    assert len(speeds) * TICK_S == pytest.approx(3.0)
    assert drive.robot().x_m == 3.0


@pytest.mark.covers("K32")
def test_wheels_stand_at_once_when_the_way_is_blocked() -> None:
    drive = Drive(hall((0, 0), (3, 0)))
    drive.give("movx 5 1")
    while drive.robot().state is not State.BLOCKED:
        drive.tick()
    assert (drive.robot().wheel_mps, drive.robot().x_m) == (0.0, 2.0)


@pytest.mark.covers("K33")
def test_a_turn_begins_fast_and_slows_down() -> None:
    rates: list[float] = []
    drive = Drive(hall((0, 0)))
    drive.look = lambda w: rates.append(w.robots["kiva1"].turn_dps)
    drive.do("rot ccw 1")
    rates = rates[:-1]
    assert rates[0] == drive.now.floor.motors.turn_dps
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] < 0.05 * rates[0]


@pytest.mark.covers("K34")
@pytest.mark.parametrize("kick_deg", [-7.0, -0.3, 0.05, 0.3, 7.0])
def test_a_turn_goes_back_when_it_went_too_far(kick_deg: float) -> None:
    rates: list[float] = []
    drive = Drive(hall((0, 0))).give("rot ccw 1")
    while abs(drive.robot().yaw_deg - 90.0) > 0.2:
        drive.tick()
    robot = drive.robot()
    kicked = replace(robot, yaw_deg=90.0 + kick_deg)
    drive.now = replace(drive.now, robots={"kiva1": kicked})
    drive.look = lambda w: rates.append(w.robots["kiva1"].turn_dps)
    drive.rest()
    assert (min(rates) < 0.0) is (kick_deg > 0.0)
    (turned,) = [event for event in drive.told if isinstance(event, Turned)]
    assert abs(turned.off_deg) <= FINE_DEG
    assert drive.robot().yaw_deg == 90.0


@pytest.mark.covers("K35")
@pytest.mark.parametrize("yaw_deg", [0.0, 90.0, 180.0, 270.0])
@pytest.mark.parametrize(("line", "quarter"), [("rot cw 1", -90), ("rot ccw 1", 90)])
def test_turns_across_0_and_180_end_right(
    yaw_deg: float, line: str, quarter: int
) -> None:
    turns: list[float] = []
    start = hall((4, 4))
    robot = replace(start.robots["kiva1"], yaw_deg=yaw_deg)
    drive = Drive(replace(start, robots={"kiva1": robot}))
    drive.look = lambda w: turns.append(w.robots["kiva1"].turn_dps * quarter)
    drive.do(line)
    assert drive.robot().yaw_deg == (yaw_deg + quarter) % 360.0
    assert min(turns) >= 0.0


@pytest.mark.covers("K36")
@pytest.mark.parametrize(
    ("line", "quarters", "against_dps"),
    [("rot cw 1", 1, 3.0), ("movx -1 1", 2, -3.0)],
)
def test_a_turn_that_is_disturbed_ends_all_the_same(
    line: str, quarters: int, against_dps: float
) -> None:
    drive = Drive(disturbed(hall((4, 4)), against_dps)).give(line)
    drive.rest()
    turned = next(event for event in drive.told if isinstance(event, Turned))
    assert turned.iterations == quarters * MOST_ITERATIONS
    assert FINE_DEG < abs(turned.off_deg) < 1.0
    assert drive.ends()[-1].outcome is Outcome.DONE


def test_a_robot_that_cannot_hold_its_heading_does_not_drive() -> None:
    drive = Drive(disturbed(hall((4, 4)), slip_dps=50.0)).do("movy 1 1")
    assert drive.ends()[-1].outcome is Outcome.FAILED
    assert "off its heading" in drive.ends()[-1].reason
    assert (drive.robot().x_m, drive.robot().y_m) == (4.0, 4.0)


@pytest.mark.covers("K12", "K40")
def test_a_blocked_robot_says_busy_blocked_idle_and_takes_a_new_command() -> None:
    drive = Drive(hall((0, 0), (3, 0))).do("movx 5 1")
    told = [e for e in drive.told if isinstance(e, Became)]
    assert [str(e.status) for e in told] == ["busy", "blocked", "idle"]
    assert drive.robot().x_m == 2.0
    assert "kiva2 is in (3, 0)" in drive.ends()[-1].reason
    drive.do("movx -1 1")
    assert drive.robot().x_m == 1.0


def test_a_robot_says_that_it_is_blocked_long_enough_to_be_heard() -> None:
    drive = Drive(hall((2, 0), (3, 0))).give("movx 1 1").tick()
    ticks = 0
    while drive.robot().status is Status.BLOCKED:
        drive.tick()
        ticks += 1
    assert ticks * TICK_S == pytest.approx(BLOCKED_FOR_S)


@pytest.mark.covers("K13", "K65")
@pytest.mark.parametrize("kind", [None, *ObstacleKind])
def test_belts_and_obstacles_block(kind: ObstacleKind | None) -> None:
    start = hall((0, 0), belts=[] if kind else [(3, 0)])
    if kind is not None:
        start = add(start, Obstacle("thing", kind, (3, 0)))
    drive = Drive(start).do("movx 5 1")
    assert drive.robot().x_m == 2.0
    assert drive.ends()[-1].outcome is Outcome.BLOCKED


@pytest.mark.covers("K41")
@given(st.integers(0, 10_000))
@settings(max_examples=10)
def test_two_robots_are_never_in_one_cell(seed: int) -> None:
    rng = random.Random(seed)
    cells = [(column, row) for column in range(5) for row in range(4)]
    spots = rng.sample(cells, 9)
    start = hall(*spots[:5], units=spots[:3], belts=spots[5:6], size=(5, 4))
    x_m, y_m = map(float, spots[6])
    anna = Person("anna", tuple(spots[6:9]), 0.8, spots[6], x_m, y_m)
    start = walk(add(start, anna), True)
    drive = Drive(start)
    for _ in range(100):
        name = rng.randint(1, 5)
        line = rng.choice(
            [
                f"mov {rng.randint(0, 4)} {rng.randint(0, 3)} {name}",
                f"movx {rng.randint(-3, 3)} {name}",
                f"movy {rng.randint(-3, 3)} {name}",
                f"lift {rng.randint(0, 1)} {name} {rng.randint(1, 3)}",
            ]
        )
        drive.give(line)
        for _ in range(rng.randint(1, 30)):
            drive.now, _ = step(drive.now, TICK_S)
        assert cells_held_twice(drive.now) == []
        standing = [u.cell for u in drive.now.storage_units.values() if not u.held_by]
        carried = [r.cell for r in drive.now.robots.values() if r.carries]
        assert len({*standing, *carried}) == len(standing) + len(carried)


@given(st.integers(0, 10_000))
@settings(max_examples=10)
def test_how_time_is_cut_changes_nothing(seed: int) -> None:
    rng = random.Random(seed)
    start, _ = step(hall((0, 0), (4, 4)), 0.0, [])
    fine = Drive(start).give("mov 4 3 1", "mov 0 1 2").now
    coarse = fine
    for _ in range(400):
        fine, _ = step(fine, 0.02)
    left = 8.0
    while left > 1e-9:
        dt_s = min(left, rng.uniform(0.001, 0.9))
        left -= dt_s
        coarse, _ = step(coarse, dt_s)
    coarse, _ = step(coarse, 1e-6)
    assert coarse.robots == fine.robots


@pytest.mark.covers("K74", "K65")
def test_people_walk_when_switched_on_and_block_robots() -> None:
    anna = Person("anna", ((3, 0), (3, 3)), 1.0, (3, 0), 3.0, 0.0)
    still = replace(anna, route=((3, 0),))
    off = add(hall((0, 0)), anna)
    assert Drive(off).do("movx 5 1").robot().x_m == 5.0
    on = walk(add(hall((0, 0)), still), True)
    drive = Drive(on).do("movx 5 1")
    assert drive.robot().x_m == 2.0
    assert "anna" in drive.ends()[-1].reason
    moved, _ = step(walk(off, True), 2.5)
    assert moved.people["anna"].y_m == pytest.approx(2.5)


def test_people_turn_round_when_the_way_stays_closed() -> None:
    anna = Person("anna", ((0, 0), (5, 0)), 1.0, (0, 0), 0.0, 0.0)
    start = walk(add(hall((3, 0)), anna), True)
    track: list[float] = []
    drive = Drive(start, look=lambda w: track.append(w.people["anna"].x_m))
    for _ in range(500):
        drive.tick()
    assert max(track) == 2.0
    assert any(b < a for a, b in pairwise(track))


@pytest.mark.covers("K59")
def test_two_robots_bring_two_units_to_one_belt() -> None:
    found = load(find_file("two_robots"))
    script = Script(found.commands)
    now, held, told = found.warehouse, [], []
    for _ in range(6000):
        if script.done:
            break
        now_s = now.ticks * TICK_S
        now, heard = step(now, TICK_S, script.due(now, now_s))
        script.hear(heard, now_s)
        told += heard
        held += cells_held_twice(now)
    assert (script.done, script.given_up, held) == (True, [], [])
    drops = [
        e.command.line()
        for e in told
        if isinstance(e, Ended) and e.command.line().startswith("lift 0")
    ]
    assert drops[0] == "lift 0 kiva1 unit1"
    assert sorted(drops) == ["lift 0 kiva1 unit1"] * 2 + ["lift 0 kiva2 unit2"] * 2
    blocked = [e for e in told if isinstance(e, Ended) and e.outcome is Outcome.BLOCKED]
    assert {e.command.robot for e in blocked} == {"kiva2"}
    cells = {u.id: u.cell for u in now.storage_units.values()}
    assert cells == {"unit1": (3, 5), "unit2": (8, 5)}


@pytest.mark.parametrize(
    ("line", "ticks", "stop"),
    [
        ("movx 5 1", 70, lambda r: (r.x_m, r.yaw_deg) == (2.0, 0.0)),
        ("movy 5 1", 30, lambda r: (r.y_m, r.yaw_deg) == (0.0, 90.0)),
    ],
)
def test_a_robot_that_is_halted_rests_at_the_next_grid_point(
    line: str, ticks: int, stop: Callable[[Robot], bool]
) -> None:
    drive = Drive(hall((0, 0))).give(line)
    for _ in range(ticks):
        drive.tick()
    drive.now = halt(drive.now, "kiva1")
    drive.rest()
    assert stop(drive.robot())
    assert drive.ends()[-1].outcome is Outcome.HALTED
    drive.do("movx 1 1")
    assert drive.ends()[-1].outcome is Outcome.DONE
