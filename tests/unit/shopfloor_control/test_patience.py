"""How long people are waited for, and how long a way around them is worth it."""

from __future__ import annotations

import numpy as np
import pytest

from shopfloor.geometry import Pose, TagSeen
from shopfloor.grid import Grid
from shopfloor.local.planner import LocalPlanner
from shopfloor.local.routes import RoutePlanner
from shopfloor.pilot.guide import Guide
from shopfloor.pilot.patience import Patience
from shopfloor.pilot.settings import PilotSettings

SETTINGS = PilotSettings(wait_for_person_s=5.0, detour_mps=0.25, go_around_for_s=12.0)
CYCLE_S = 0.5
START, GOAL = Pose(1.0, 2.0), Pose(9.0, 2.0)


def waited(seconds: float) -> tuple[Patience, float]:
    patience = Patience(SETTINGS)
    now_s = 0.0
    for _ in range(round(seconds / CYCLE_S)):
        now_s += CYCLE_S
        patience.wait_for_somebody(now_s, CYCLE_S)
    return patience, now_s


@pytest.mark.parametrize(
    ("seconds", "worth_m"), [(0.0, 0.6), (5.0, 0.6), (7.0, 1.1), (25.0, 5.6)]
)
def test_a_way_around_may_be_longer_the_longer_somebody_was_waited_for(
    seconds: float, worth_m: float
) -> None:
    patience, now_s = waited(seconds)
    assert patience.detour_m(now_s) == pytest.approx(worth_m)


def test_what_the_waiting_was_worth_is_forgotten_after_a_while() -> None:
    patience, now_s = waited(25.0)
    assert patience.detour_m(now_s + 11.0) == pytest.approx(5.6)
    assert patience.detour_m(now_s + 13.0) == pytest.approx(0.6)


def test_who_gets_on_has_to_wait_anew() -> None:
    patience, now_s = waited(9.0)
    for left_m in np.arange(20.0, 18.0, -0.2):
        now_s += CYCLE_S
        patience.note(now_s, CYCLE_S, float(left_m), turning=False)
    now_s += 20.0
    assert not patience.wait_for_somebody(now_s, CYCLE_S)
    assert patience.detour_m(now_s) == pytest.approx(0.6)


@pytest.fixture
def two_gaps() -> Grid:
    """A wall across with a gap straight ahead and another one at its upper end."""
    cells = np.zeros((160, 200), np.bool_)
    cells[[0, -1], :] = cells[:, [0, -1]] = True
    cells[:, 98:102] = True
    cells[28:52, 98:102] = False
    cells[130:156, 98:102] = False
    return Grid.of(cells, 0.05)


def test_the_long_way_is_taken_only_when_it_is_worth_it(two_gaps: Grid) -> None:
    routes = RoutePlanner(two_gaps, 0.3)
    guide = Guide(routes, LocalPlanner(two_gaps, 0.3), PilotSettings())
    assert guide.set_off(0.0, START, GOAL) is None
    assert guide.route is not None
    straight = guide.route
    talking = [TagSeen("ana", 5.0, 2.0, 0.1, 0.0, 0.0)]
    assert not guide.replan(1.0, START, GOAL, talking, (), longer_m=1.0)
    assert guide.route is straight
    assert guide.replan(3.0, START, GOAL, talking, (), longer_m=8.0)
    assert max(y_m for _, y_m in guide.route.xy) > 6.0


def test_a_way_that_was_not_taken_leaves_nothing_behind(two_gaps: Grid) -> None:
    routes = RoutePlanner(two_gaps, 0.3)
    guide = Guide(routes, LocalPlanner(two_gaps, 0.3), PilotSettings())
    guide.set_off(0.0, START, GOAL)
    talking = [TagSeen("ana", 5.0, 2.0, 0.1, 0.0, 0.0)]
    assert not guide.replan(1.0, START, GOAL, talking, (), longer_m=1.0)
    assert guide.replan(3.0, START, GOAL, (), ())
    assert guide.route is not None
    assert max(y_m for _, y_m in guide.route.xy) < 3.0
