"""Changing variables beside the process, and beginning somewhere else than at start."""

from typing import Any

import pytest

from mpms.domain.errors import ElementUnknown, RepairRefused, TaskGone
from mpms.domain.instances.steps import FormWait, Retry, SetVariables, StartAt
from tests.support.repair_drawing import RepairDrawing
from tests.support.repair_play import RepairPlay, RepairPlayer


def told(run: RepairPlay) -> list[dict[str, Any]]:
    return [line.data for line in run.trace if line.kind == "variable"]


def test_variables_are_set_and_removed_and_told(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> a -> end"), old=1, gone=2)
    run.set("gone", old=5, new=[1, {"x": None}])
    assert run.variables == {"old": 5, "new": [1, {"x": None}]}
    assert told(run)[-3:] == [
        {"name": "old", "new": 5, "old": 1},
        {"name": "new", "new": [1, {"x": None}]},
        {"name": "gone", "old": 2, "removed": True},
    ]
    assert run.open == ["a"]


def test_local_variables_are_one_tasks_own(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> and1 -> a -> end", "and1 -> b -> end"), n=1)
    run.do(SetVariables({"n": 2}, task_id=run.id("a")))
    assert run.variables == {"n": 1}
    assert told(run)[-1] == {"name": "n", "new": 2, "local": True}
    waits = {w.element: w for w in run.step.waits}
    assert isinstance(waits["a"], FormWait)
    assert waits["a"].inputs == {"n": 2}
    run.do(SetVariables({}, ("n",), run.id("a")))
    seen = run.sees(run.id("a"))
    assert seen == {"n": 1}


@pytest.mark.parametrize(
    ("variables", "removed", "why"),
    [
        ({"": 1}, (), "needs a name"),
        ({"x": float("inf")}, (), "'x' cannot be written as JSON"),
        ({"x": object()}, (), "'x' cannot be written as JSON"),
        ({}, ("nothing",), "no variable 'nothing'"),
        ({"n": 2}, ("n",), "both set and removed"),
    ],
)
def test_bad_variables_change_nothing(
    draw: RepairDrawing,
    play: RepairPlayer,
    variables: dict[str, Any],
    removed: tuple[str, ...],
    why: str,
) -> None:
    run = play(draw("start -> a -> end"), n=1)
    before = run.snapshot
    with pytest.raises(RepairRefused, match=why):
        run.do(SetVariables(variables, removed))
    assert run.snapshot is before


def test_variables_of_a_task_that_is_gone_are_refused(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> a -> b -> end"))
    gone = run.id("a")
    run.complete("a")
    with pytest.raises(TaskGone):
        run.do(SetVariables({"n": 1}, task_id=gone))


# -- beginning anywhere ----------------------------------------------------------------


def test_an_instance_begins_where_it_is_told(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> a -> b -> end"), at=("b",), n=1)
    assert run.open == ["b"]
    assert run.variables == {"n": 1}


def test_scopes_around_the_beginning_are_entered_once(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    inner = draw.sub("inner", "start_i -> x -> y -> end_i")
    sub = draw.sub("sub", "start_s -> inner -> z -> end_s", inner=inner)
    run = play(
        draw("start -> and1 -> sub -> end", "and1 -> b -> end", sub=sub),
        at=("y", "z", "b"),
    )
    assert run.open == ["b", "y", "z"]
    assert [t.element for t in run.tokens if t.element in ("sub", "inner")] == [
        "sub",
        "inner",
    ]
    run.complete("y")
    assert run.open == ["b", "z", "z"]


def test_a_scope_that_cannot_be_entered_is_stuck_and_remembers_where_to_begin(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    sub = draw.sub(
        "sub", "start_s -> x -> y -> end_s", inside=draw.maps(n="${missing}")
    )
    run = play(draw("start -> sub -> end", sub=sub), at=("y",))
    assert "sub" in run.stuck
    run.set(missing=3)
    run.do(Retry(run.id("sub")))
    assert run.open == ["y"]


@pytest.mark.parametrize(
    ("at", "error"),
    [
        (("nowhere",), ElementUnknown),
        (("b", "b"), RepairRefused),
        (("x",), RepairRefused),  # inside a loop
        (("late",), ElementUnknown),
    ],
)
def test_a_beginning_that_is_none_is_refused(
    draw: RepairDrawing, play: RepairPlayer, at: tuple[str, ...], error: type[Exception]
) -> None:
    sub = draw.sub("sub", "start_s -> x -> end_s", inside=draw.each("items", "i"))
    edge = draw.edge("late", "b", draw.timer("PT5M"))
    xml = draw("start -> sub -> b -> end", "late -> end2", sub=sub, late=edge)
    with pytest.raises(error):
        play(xml, at=at, items=[1])


def test_a_beginning_without_any_element_is_refused(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> a -> end"))
    run.snapshot = None
    with pytest.raises(RepairRefused):
        run.do(StartAt(()))
