"""Skipping, moving and cancelling activities of running instances."""

from typing import Any

import pytest

from mpms.domain.errors import ElementUnknown, RepairRefused, TaskGone
from mpms.domain.instances.instances import InstanceStatus
from mpms.domain.instances.steps import CancelActivity, JobWait, Move, Skip
from tests.support.repair_drawing import RepairDrawing
from tests.support.repair_play import RepairPlayer

NOBODY = "00000000-0000-0000-0000-000000000000"


# -- skip ---------------------------------------------------------------------------


def test_a_skipped_task_is_left_along_its_flow(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> a -> b -> end"))
    run.skip("a", weight=7)
    assert run.open == ["b"]
    assert run.variables == {"weight": 7}
    assert run.passed("skipped") == ["a"]
    assert run.passed("left")[-1:] == ["a"]


def test_skipping_maps_no_outputs(draw: RepairDrawing, play: RepairPlayer) -> None:
    task = draw.user("a", draw.maps(out_result="${missing + 1}"))
    run = play(draw("start -> a -> b -> end", a=task))
    run.skip("a")
    assert run.open == ["b"]
    assert run.variables == {}


def test_skipping_drops_the_boundary_events(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    edge = draw.edge("late", "a", draw.timer("PT5M"))
    run = play(draw("start -> a -> b -> end", "late -> c -> end2", late=edge))
    assert run.open == ["a", "late"]
    run.skip("a")
    assert run.open == ["b"]


def test_skipping_a_subprocess_cancels_what_is_inside(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    sub = draw.sub("sub", "start_s -> x -> end_s")
    run = play(draw("start -> sub -> b -> end", sub=sub))
    run.skip("sub")
    assert run.open == ["b"]
    assert run.passed("cancelled") == ["x"]


def test_skipping_the_last_task_completes_the_instance(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> a -> end"))
    run.skip("a")
    assert run.status is InstanceStatus.COMPLETED


def test_a_skipped_turn_counts_and_the_loop_goes_on(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    task = draw.user("a", draw.each("items", "item", one_by_one=True))
    run = play(draw("start -> a -> b -> end", a=task), items=[1, 2])
    turn = next(w for w in run.step.waits if w.element == "a")
    run.do(Skip(turn.task_id))
    assert run.open == ["a"]
    run.do(Skip(run.step.waits[0].task_id))
    assert run.open == ["b"]


def test_skipping_a_whole_loop_cancels_its_turns(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    task = draw.user("a", draw.each("items", "item"))
    run = play(draw("start -> a -> b -> end", a=task), items=[1, 2, 3])
    run.skip("a", 0)  # the body comes before its turns
    assert run.open == ["b"]


def test_a_skipped_event_counts_as_having_come(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(
        draw(
            "start -> event -> bell -> a -> end",
            "event -> clock -> b -> end",
            bell=draw.catch("bell", draw.signal),
            clock=draw.catch("clock", draw.timer("PT5M")),
        )
    )
    run.skip("bell")
    assert run.open == ["a"]
    assert "clock" in run.passed("cancelled")


def test_a_skipped_join_lets_its_token_through(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> and1 -> a -> and2 -> c -> end", "and1 -> b -> and2"))
    run.complete("a")
    run.skip("and2")
    assert run.open == ["b", "c"]


def test_a_stuck_element_can_be_skipped(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    script = draw.script("x", "y = missing + 1")
    run = play(draw("start -> x -> b -> end", x=script))
    assert "x" in run.stuck
    run.skip("x", y=3)
    assert run.open == ["b"]
    assert run.variables == {"y": 3}


def test_a_gateway_without_a_way_is_still_stuck_until_a_variable_opens_one(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    ways = "start -> xor", "xor -> a if not go", "xor -> b if go"
    run = play(draw(*ways, "a -> end", "b -> end"), go="?")
    assert "xor" in run.stuck
    run.skip("xor")
    assert "xor" in run.stuck
    run.skip("xor", go=True)
    assert run.open == ["b"]


def test_a_watching_event_and_an_event_gateway_cannot_be_skipped(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    edge = draw.edge("late", "a", draw.timer("PT5M"))
    run = play(draw("start -> a -> end", "late -> end2", late=edge))
    with pytest.raises(RepairRefused, match="late"):
        run.skip("late")
    run = play(
        draw(
            "start -> event -> bell -> end",
            "event -> clock -> end",
            bell=draw.catch("bell", draw.signal),
            clock=draw.catch("clock", draw.timer("PT5M")),
        )
    )
    with pytest.raises(RepairRefused, match="one of them"):
        run.skip("event")


@pytest.mark.parametrize("variables", [{"": 1}, {"a": float("nan")}, {"a": {1, 2}}])
def test_what_is_no_json_is_refused_and_nothing_changes(
    draw: RepairDrawing, play: RepairPlayer, variables: dict[str, Any]
) -> None:
    run = play(draw("start -> a -> end"))
    before = run.snapshot
    with pytest.raises(RepairRefused):
        run.do(Skip(run.id("a"), variables))
    assert run.snapshot is before


# -- cancel -------------------------------------------------------------------------


def test_a_cancelled_activity_leaves_the_other_branch(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> and1 -> a -> end", "and1 -> b -> end"))
    run.cancel("a")
    assert run.open == ["b"]
    assert run.status is InstanceStatus.ACTIVE


def test_cancelling_the_last_activity_cancels_the_instance(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> a -> end"))
    run.cancel("a")
    assert run.status is InstanceStatus.CANCELLED


def test_an_emptied_scope_is_cancelled_and_not_left(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    sub = draw.sub("sub", "start_s -> x -> end_s")
    run = play(draw("start -> and1 -> sub -> a -> end", "and1 -> b -> end", sub=sub))
    run.cancel("x")
    assert run.open == ["b"]
    assert run.passed("cancelled") == ["x", "sub"]
    assert "sub" not in run.passed("left")


def test_cancelling_one_turn_keeps_the_others(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    task = draw.user("a", draw.each("items", "item"))
    run = play(draw("start -> a -> b -> end", a=task), items=[1, 2])
    first, second = (w.task_id for w in run.step.waits)
    run.do(CancelActivity(first))
    assert [w.task_id for w in run.step.waits] == [second]
    run.do(CancelActivity(second))
    assert run.status is InstanceStatus.CANCELLED


def test_a_branch_cancelled_before_a_join_leaves_the_join_stuck_and_movable(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> and1 -> a -> and2 -> c -> end", "and1 -> b -> and2"))
    run.complete("a")
    run.cancel("b")
    assert "and2" in run.stuck
    run.move("and2", "c")
    assert run.open == ["c"]


# -- move ---------------------------------------------------------------------------


def test_a_moved_token_is_where_it_was_put(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> a -> b -> c -> end"))
    run.move("a", "c")
    assert run.open == ["c"]
    assert run.passed("moved") == ["a"]
    run.move("c", "a")
    assert run.open == ["a"]


def test_moving_inside_a_subprocess_keeps_it(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    sub = draw.sub("sub", "start_s -> x -> y -> end_s", inside=draw.maps(n="${1}"))
    run = play(draw("start -> sub -> a -> end", sub=sub))
    scope = run.id("sub")
    run.move("x", "y")
    assert run.open == ["y"]
    assert run.id("sub") == scope


def test_moving_into_a_subprocess_enters_it_without_its_start(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    inner = draw.sub("inner", "start_i -> x -> y -> end_i")
    sub = draw.sub(
        "sub", "start_s -> inner -> end_s", inside=draw.maps(n="${7}"), inner=inner
    )
    edge = draw.edge("late", "sub", draw.timer("PT5M"))
    run = play(
        draw("start -> a -> sub -> b -> end", "late -> end2", sub=sub, late=edge)
    )
    run.move("a", "y")
    assert run.open == ["late", "y"]
    assert run.passed("entered")[-3:] == ["sub", "inner", "y"]
    assert "start_s" not in run.passed("entered")
    run.complete("y")
    assert run.open == ["b"]


def test_moving_out_of_a_subprocess_cancels_it_and_its_events(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    sub = draw.sub("sub", "start_s -> x -> end_s")
    edge = draw.edge("late", "sub", draw.timer("PT5M"))
    run = play(
        draw("start -> sub -> a -> b -> end", "late -> end2", sub=sub, late=edge)
    )
    run.move("x", "b")
    assert run.open == ["b"]
    assert "sub" in run.passed("cancelled")
    assert "sub" not in run.passed("left")


def test_a_subprocess_with_other_tokens_stays_when_one_is_moved_out(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    sub = draw.sub("sub", "start_s -> and_s -> x -> end_s", "and_s -> y -> end_s")
    run = play(draw("start -> sub -> b -> end", sub=sub))
    run.move("x", "b")
    assert run.open == ["b", "y"]


def test_moving_into_the_active_subprocess_of_another_branch_joins_it(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    sub = draw.sub("sub", "start_s -> x -> y -> end_s")
    run = play(draw("start -> and1 -> sub -> end", "and1 -> b -> end", sub=sub))
    run.move("b", "y")
    assert run.open == ["x", "y"]
    assert len([t for t in run.tokens if t.element == "sub"]) == 1


def test_where_a_subprocess_is_active_twice_nobody_guesses(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    sub = draw.sub("sub", "start_s -> x -> y -> end_s")
    run = play(
        draw(
            "start -> and1 -> xor -> sub -> end",
            "and1 -> xor",
            "and1 -> b -> end",
            sub=sub,
        )
    )
    with pytest.raises(RepairRefused, match="2 times"):
        run.move("b", "y")
    run.move("x", "y", 0)  # its own one is known
    assert run.open == ["b", "x", "y"]


def test_a_stuck_token_can_be_moved(draw: RepairDrawing, play: RepairPlayer) -> None:
    script = draw.script("x", "y = missing + 1")
    run = play(draw("start -> x -> b -> end", x=script))
    run.move("x", "b")
    assert run.stuck == {}
    assert run.open == ["b"]


def test_a_token_moved_to_a_join_counts_for_its_own_branch(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(
        draw("start -> and1 -> a -> and2 -> c -> end", "and1 -> b -> b2 -> and2")
    )
    run.move("b", "and2")
    assert run.open == ["a"]
    run.complete("a")
    assert run.open == ["c"]


def test_an_event_behind_a_gateway_moves_the_gateways_token(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    xml = draw(
        "start -> event -> bell -> a -> end",
        "event -> clock -> b -> end",
        bell=draw.catch("bell", draw.signal),
        clock=draw.catch("clock", draw.timer("PT5M")),
    )
    run = play(xml)
    run.move("bell", "b")
    assert run.open == ["b"]
    run.move("b", "event")
    assert run.open == ["bell", "clock"]
    run.cancel("clock")
    assert run.status is InstanceStatus.CANCELLED


def test_moving_inside_one_turn_of_a_loop_is_allowed_but_not_into_a_loop(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    sub = draw.sub("sub", "start_s -> x -> y -> end_s", inside=draw.each("items", "i"))
    run = play(
        draw("start -> and1 -> sub -> end", "and1 -> b -> end", sub=sub), items=[1, 2]
    )
    run.move("x", "y", 0)
    assert run.open == ["b", "x", "y"]
    with pytest.raises(RepairRefused, match="loop"):
        run.move("b", "y")
    run.move("x", "b")
    assert run.open == ["b", "b", "y"]


def test_moving_to_a_loop_as_a_whole_makes_its_turns(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    task = draw.user("a", draw.each("items", "item"))
    run = play(draw("start -> b -> a -> c -> end", a=task), items=[1, 2])
    run.move("b", "a")
    assert run.open == ["a", "a"]
    run.do(Move(run.step.waits[0].task_id, "c"))
    assert run.open == ["a", "c"]


def test_a_moved_job_has_its_inputs(draw: RepairDrawing, play: RepairPlayer) -> None:
    job = draw.service("job", "weigh", draw.maps(kg="${kg * 2}"))
    run = play(draw("start -> a -> job -> end", job=job), kg=4)
    run.move("a", "job")
    (wait,) = run.step.waits
    assert isinstance(wait, JobWait)
    assert wait.inputs == {"kg": 8}


@pytest.mark.parametrize(
    ("element", "told"),
    [
        ("nowhere", "no element 'nowhere' in version 1 of the process 'process'"),
        ("late", "a boundary event"),
        ("a_to_b", "no element"),
        ("", "no element"),
    ],
)
def test_a_target_that_is_none_changes_nothing(
    draw: RepairDrawing, play: RepairPlayer, element: str, told: str
) -> None:
    edge = draw.edge("late", "a", draw.timer("PT5M"))
    run = play(draw("start -> a -> b -> end", "late -> end2", late=edge))
    before = run.snapshot
    with pytest.raises(ElementUnknown, match=told):
        run.move("a", element)
    assert run.snapshot is before


def test_a_task_that_is_gone_can_be_neither_skipped_nor_moved_nor_cancelled(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> a -> b -> end"))
    gone = run.id("a")
    run.complete("a")
    for command in (Skip(gone), Move(gone, "a"), CancelActivity(gone), Skip(NOBODY)):
        with pytest.raises(TaskGone):
            run.do(command)
    assert run.open == ["b"]
