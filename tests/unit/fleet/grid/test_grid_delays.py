"""Robots that take any time they like: never two in one cell, and all arrive."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from fleet.grid.floor import Cell, Floor
from fleet.grid.problem import Problem, solve
from fleet.grid.traffic import GridTraffic
from tests.support.grid_robots import SlowRobots

HALL = ("..........", ".@@.@@.@@.", "..........", ".@@.@@.@@.", "..........")
TREE = (".......", "@@@.@@@", "@@@.@@@")
FLOORS = (HALL, TREE, ("....", "....", "...."), (".....", ".@.@.", "....."))
MOST_ROUNDS = 6000
SEED = 16


def crowd(lines: tuple[str, ...], robots: int, chance: int) -> SlowRobots:
    drawn = random.Random(chance)
    floor = Floor.drawn(*lines)
    cells = [floor.cell_of(number) for number in range(floor.count)]
    slow = SlowRobots(GridTraffic(floor, seed=chance), chance)
    for number, cell in enumerate(drawn.sample(cells, robots)):
        slow.put(f"r{number}", cell)
    return slow


def send(slow: SlowRobots, goals: list[Cell]) -> Callable[[], bool]:
    names = sorted(slow.bodies)
    for name, goal in zip(names, goals, strict=True):
        slow.traffic.set_goal(name, goal)
    return lambda: [slow.bodies[name].at for name in names] == goals


@pytest.mark.covers("R85")
@seed(SEED)
@settings(
    max_examples=30,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    lines=st.sampled_from(FLOORS),
    share=st.floats(0.05, 0.6),
    chance=st.integers(0, 999),
)
def test_all_arrive_without_contact_wherever_a_plan_exists(
    lines: tuple[str, ...], share: float, chance: int
) -> None:
    free = "".join(lines).count(".")
    slow = crowd(lines, max(1, round(share * free)), chance)
    floor = slow.traffic.floor
    starts = [slow.bodies[name].at for name in sorted(slow.bodies)]
    cells = [floor.cell_of(number) for number in range(floor.count)]
    goals = random.Random(chance + 1).sample(cells, len(starts))
    there = send(slow, goals)
    expected = solve(Problem.of(floor, starts, goals), rings=False)
    rounds = 0
    while not there() and rounds < (MOST_ROUNDS if expected.plan is not None else 300):
        slow.round()
        rounds += 1
    assert there() == (expected.plan is not None)


@pytest.mark.covers("R85", "R90")
@seed(SEED)
@settings(
    max_examples=8,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(chance=st.integers(0, 999))
def test_no_contact_while_zones_close_robots_die_and_goals_change(chance: int) -> None:
    drawn = random.Random(chance)
    slow = crowd(HALL, 9, chance)
    floor = slow.traffic.floor
    cells = [floor.cell_of(number) for number in range(floor.count)]
    goals: dict[str, Cell] = {}
    reached = 0
    for turn in range(400):
        for name in slow.bodies:
            if name not in goals or slow.bodies[name].at == goals[name]:
                reached += name in goals
                goal = drawn.choice([c for c in cells if c not in goals.values()])
                slow.traffic.set_goal(name, goal)
                goals[name] = goal
        if turn % 40 == 10:
            slow.close(set(drawn.sample(cells, 3)))
        if turn % 40 == 30:
            slow.open(set(slow.closed))
        if turn == 150:
            slow.kill("r0")
        slow.round()
    assert reached > 15


@pytest.mark.soak
@pytest.mark.parametrize("chance", range(40))
def test_a_long_crowd_never_meets_and_never_stops(chance: int) -> None:
    slow = crowd(HALL, 12, chance)
    drawn = random.Random(chance)
    floor = slow.traffic.floor
    cells = [floor.cell_of(number) for number in range(floor.count)]
    for _ in range(40):
        goals = drawn.sample(cells, 12)
        for name in slow.bodies:
            slow.traffic.set_goal(name, None)
        there = send(slow, goals)
        rounds = 0
        while not there():
            slow.round()
            rounds += 1
            assert rounds < MOST_ROUNDS
