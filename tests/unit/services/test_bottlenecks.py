"""The few steps in which most time goes, and what for."""

from __future__ import annotations

import pytest

from mpms.domain.models.definitions import ModelStep
from mpms.services.processes.bottlenecks import Spent, bottlenecks
from mpms.services.processes.heat_map import StepHeat

STEPS = [ModelStep("move", "Move to material", "serviceTask", "Robot")]


def step(
    name: str, kind: str, visits: int, each_s: float | None, waiting_s: float = 0
) -> StepHeat:
    return StepHeat(
        *(name, name.title(), kind, 0, 0, None),
        *(visits, 0, each_s, waiting_s, each_s),
        levels={},
    )


def test_shares_are_of_the_time_of_all_steps() -> None:
    heat = [
        step("move", "serviceTask", 3, 180),
        step("load", "userTask", 4, 100, waiting_s=75),
        step("ready", "intermediateCatchEvent", 1, 60),
    ]
    found = bottlenecks(heat, STEPS)
    assert [(one.element, one.spent, one.lane) for one in found] == [
        ("move", Spent.WORK, "Robot"),
        ("load", Spent.UNTAKEN, None),
        ("load", Spent.FILLED_IN, None),
    ]
    assert [one.share for one in found] == pytest.approx([0.54, 0.3, 0.1])
    assert [one.each_s for one in found] == [180, 75, 25]


def test_what_contains_or_watches_a_step_is_not_counted_twice() -> None:
    heat = [
        step("all", "subProcess", 1, 1000),
        step("late", "boundaryEvent", 1, 1000),
        step("call", "callActivity", 1, 10),
        step("wait", "receiveTask", 1, 30),
    ]
    found = bottlenecks(heat, STEPS)
    assert [(one.element, one.spent, one.share) for one in found] == [
        ("wait", Spent.EVENT, 0.75),
        ("call", Spent.CALLED, 0.25),
    ]


def test_small_shares_and_steps_without_visits_are_not_told() -> None:
    heat = [
        step("move", "serviceTask", 1, 97),
        step("log", "serviceTask", 1, 3),
        step("never", "serviceTask", 0, None),
    ]
    assert [one.element for one in bottlenecks(heat, STEPS)] == ["move"]
    assert bottlenecks(heat[2:], STEPS) == []
    assert bottlenecks([step("move", "serviceTask", 5, 0)], STEPS) == []
