"""Boundary events: interrupting or beside, once or repeated, errors by code."""

from datetime import timedelta
from typing import Any

import pytest

from mpms.domain.errors import TaskGone
from mpms.domain.instances.steps import Complete, Receive
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

pytestmark = pytest.mark.covers("A3")


def bordered(draw: Drawing, **border: Any) -> bytes:
    return draw(
        "start -> a -> normal -> end",
        "edge -> beside -> end",
        edge=draw.border("a", **border),
    )


def test_an_interrupting_timer_cancels_its_activity(
    draw: Drawing, play: Player
) -> None:
    run = play(bordered(draw, timer="PT10M"))
    task_id = run.wait("a").task_id
    assert run.open == ["a", "edge"]
    assert run.wait("edge").due_at == run.now + timedelta(minutes=10)
    run.fire("edge")
    assert run.open == ["beside"]
    assert "a" in run.passed("cancelled")
    with pytest.raises(TaskGone):
        run.do(Complete(task_id))


def test_an_interruption_takes_the_other_boundary_events_along(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> a -> normal",
            edge=draw.border("a", timer="PT1M"),
            other=draw.border("a", signal="stop"),
            often=draw.border("a", cycle="R/PT9S", interrupting=False),
            bad=draw.border("a", error=None),
        )
    )
    assert run.open == ["a", "edge", "often", "other"]
    run.fire("edge")
    assert run.done


def test_a_boundary_event_goes_when_its_activity_is_done(
    draw: Drawing, play: Player
) -> None:
    run = play(bordered(draw, timer="PT10M"))
    run.complete("a")
    assert run.open == ["normal"]
    assert {w.element for w in run.step.closed} == {"a", "edge"}


def test_a_non_interrupting_timer_starts_a_path_beside_once(
    draw: Drawing, play: Player
) -> None:
    run = play(bordered(draw, timer="PT10M", interrupting=False))
    run.fire("edge")
    assert run.open == ["a", "beside"]
    run.complete("a")
    run.complete("beside")
    run.complete("normal")
    assert run.done


def test_a_cycle_of_three_fires_three_times_at_its_own_pace(
    draw: Drawing, play: Player
) -> None:
    run = play(bordered(draw, cycle="R3/PT10M", interrupting=False))
    began = run.now
    for turn in (1, 2, 3):
        assert run.wait("edge").due_at == began + timedelta(minutes=10 * turn)
        run.fire("edge")
        run.now += timedelta(seconds=7)  # late workers do not make it drift
    assert run.open == ["a", "beside", "beside", "beside"]


def test_a_moved_timer_is_told_as_closed_and_opened(
    draw: Drawing, play: Player
) -> None:
    run = play(bordered(draw, cycle="R/PT10M", interrupting=False))
    step = run.fire("edge")
    assert [w.element for w in step.closed] == ["edge"]
    assert sorted(w.element for w in step.opened) == ["beside", "edge"]
    for _ in range(20):
        run.fire("edge")
    assert run.open.count("beside") == 21


@pytest.mark.parametrize("kind", ["signal", "message"])
def test_an_interrupting_signal_or_message_cancels_its_activity(
    draw: Drawing, play: Player, kind: str
) -> None:
    run = play(bordered(draw, **{kind: "stop"}))
    run.receive("edge", why="fire")
    assert run.open == ["beside"]
    assert run.variables == {"why": "fire"}


@pytest.mark.parametrize("kind", ["signal", "message"])
def test_a_non_interrupting_signal_or_message_fires_every_time(
    draw: Drawing, play: Player, kind: str
) -> None:
    run = play(bordered(draw, interrupting=False, **{kind: "knock"}))
    for times in range(1, 4):
        run.receive("edge")
        assert run.open == ["a", *["beside"] * times, "edge"]
    run.complete("a")
    assert run.open == ["beside"] * 3 + ["normal"]


def test_a_boundary_message_waits_under_its_correlation_key(
    draw: Drawing, play: Player
) -> None:
    run = play(bordered(draw, message="stop", key="${number}"), {"number": 5})
    assert run.wait("edge").correlation == "5"


def test_a_boundary_of_a_subprocess_cancels_all_inside_at_any_depth(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> sub -> normal",
            "late -> beside",
            sub=draw.sub(
                "start_in -> and_in -> a",
                "and_in -> deep",
                "and_in -> event_in -> pause",
                deep=draw.sub("start_deep -> b"),
                pause=draw.catch(timer="PT9H"),
                b_late=draw.border("deep", timer="PT8H"),
            ),
            late=draw.border("sub", timer="PT1H"),
        )
    )
    assert run.open == ["a", "b", "b_late", "late", "pause"]
    run.fire("late")
    assert run.open == ["beside"]
    assert {"a", "b", "deep", "sub"} <= set(run.passed("cancelled"))


@pytest.mark.parametrize(
    ("code", "caught"), [("Jam", True), ("Fire", False), ("jam", False)]
)
def test_an_error_boundary_with_a_code_catches_that_code_only(
    draw: Drawing, play: Player, code: str, caught: bool
) -> None:
    run = play(
        draw(
            "start -> a -> normal",
            "edge -> beside",
            a=draw.service("work"),
            edge=draw.border("a", error="Jam"),
        )
    )
    step = run.fail("a", code, "why")
    assert step.caught is caught
    assert run.open == (["beside"] if caught else ["a"])


def test_an_error_boundary_without_a_code_catches_any(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> a -> normal",
            "edge -> beside",
            a=draw.service("work"),
            edge=draw.border("a", error=None),
        )
    )
    run.fail("a", "Whatever", "why")
    assert run.open == ["beside"]
    assert run.variables == {"error_code": "Whatever", "error_message": "why"}


def test_a_failed_job_in_a_subprocess_is_caught_outside(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> outer -> normal",
            "edge -> beside",
            outer=draw.sub(
                "start_o -> inner",
                inner=draw.sub(
                    "start_i -> and_i -> job",
                    "and_i -> b",
                    job=draw.service("work"),
                ),
            ),
            edge=draw.border("outer", error="Jam"),
        )
    )
    run.fail("job", "Jam")
    assert run.open == ["beside"]


@pytest.mark.parametrize(
    "host", ["user", "service", "call", "receive", "sub", "many", "again"]
)
def test_every_kind_of_activity_can_be_interrupted(
    draw: Drawing, play: Player, host: str
) -> None:
    elements = {
        "user": draw.user(),
        "service": draw.service("work"),
        "call": draw.call("other"),
        "receive": draw.receive("letter"),
        "sub": draw.sub("start_in -> inner"),
        "many": draw.user(loop=draw.times("3")),
        "again": draw.service("work", loop=draw.again("${true}")),
    }
    run = play(
        draw(
            "start -> host -> normal",
            "edge -> beside",
            host=elements[host],
            edge=draw.border("host", signal="stop"),
        )
    )
    run.receive("edge")
    assert run.open == ["beside"]


def test_an_interruption_in_one_branch_leaves_the_others_alone(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> a -> end",
            "and -> b -> end",
            "edge_a -> after_a",
            "edge_b -> after_b",
            edge_a=draw.border("a", signal="stop"),
            edge_b=draw.border("b", signal="stop"),
        )
    )
    run.do(Receive(run.wait("edge_a").task_id))
    assert run.open == ["after_a", "b", "edge_b"]


def test_a_boundary_event_without_a_flow_ends_its_path(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> a -> end", edge=draw.border("a", timer="PT1M")))
    run.fire("edge")
    assert run.done


def test_an_activity_in_a_loop_gets_new_boundary_events_each_time(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> xor -> a -> xor",
            "edge -> xor",
            edge=draw.border("a", timer="PT1M"),
        )
    )
    for turn in range(6):
        run.fire("edge") if turn % 2 else run.complete("a")
        assert run.open == ["a", "edge"]
        assert run.wait("edge").due_at == run.now + timedelta(minutes=1)


def test_an_activity_done_at_once_leaves_no_boundary_event(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> a -> end",
            "edge -> beside",
            a=draw.script("x = 1"),
            edge=draw.border("a", timer="PT1M"),
        )
    )
    assert run.done
