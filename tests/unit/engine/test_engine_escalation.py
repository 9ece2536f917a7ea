"""Escalations: caught by the nearest event, or by nobody; who threw goes on."""

from typing import Any

import pytest

from mpms.domain.errors import TaskGone
from mpms.domain.instances.steps import Escalate
from mpms.engine.runner import SpiffEngine
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

pytestmark = pytest.mark.covers("A3")

CODE_TO = {"camunda:escalationCodeVariable": "why"}


def raised(draw: Drawing, place: str = "throw", **border: Any) -> bytes:
    event = getattr(draw, place)(escalation="Late")
    line = "up -> b" if place == "throw" else "up"
    return draw(
        "start -> sub -> normal",
        "edge -> beside",
        sub=draw.sub(f"start_in -> a -> {line}", up=event),
        edge=draw.border("sub", **border),
    )


@pytest.mark.parametrize("code", ["Late", None])
def test_a_boundary_that_interrupts_ends_the_subprocess(
    draw: Drawing, play: Player, code: str | None
) -> None:
    run = play(raised(draw, escalation=code, about=CODE_TO))
    run.complete("a")
    assert run.open == ["beside"]
    assert run.variables == {"why": "Late"}
    assert "sub" in run.passed("cancelled")
    assert run.passed("escalated") == ["up"]
    assert run.step.escalations == ()


def test_a_boundary_that_does_not_interrupt_starts_a_path_beside(
    draw: Drawing, play: Player
) -> None:
    run = play(raised(draw, escalation="Late", interrupting=False, about=CODE_TO))
    run.complete("a")
    assert run.open == ["b", "beside"]
    run.complete("b")
    assert run.open == ["beside", "normal"]


@pytest.mark.parametrize("interrupting", [True, False])
def test_an_escalation_end_is_caught_too(
    draw: Drawing, play: Player, interrupting: bool
) -> None:
    run = play(raised(draw, "end", escalation="Late", interrupting=interrupting))
    run.complete("a")
    assert run.open == (["beside"] if interrupting else ["beside", "normal"])


@pytest.mark.parametrize("place", ["throw", "end"])
def test_an_escalation_that_nobody_catches_changes_nothing_and_is_told(
    draw: Drawing, play: Player, place: str
) -> None:
    run = play(raised(draw, place, escalation="Other"), {"n": 1})
    run.complete("a")
    assert run.open == (["b"] if place == "throw" else ["normal"])
    (line,) = (line for line in run.trace if line.kind == "escalated")
    assert line.data == {"code": "Late", "caught": False}
    (told,) = run.step.escalations
    assert (told.code, told.variables) == ("Late", {"n": 1})


def test_a_code_comes_before_any_and_near_comes_before_far(
    draw: Drawing, play: Player
) -> None:
    inner = draw.sub("start_i -> up -> a", up=draw.throw(escalation="Late"))
    run = play(
        draw(
            "start -> outer -> normal",
            "far -> wrong",
            far=draw.border("outer", escalation="Late"),
            outer=draw.sub(
                "start_o -> inner -> normal_o",
                "any -> by_any",
                "exact -> by_code",
                inner=inner,
                any=draw.border("inner", escalation=None, interrupting=False),
                exact=draw.border("inner", escalation="Late", interrupting=False),
            ),
        )
    )
    assert run.open == ["a", "by_code"]


def test_an_escalation_passes_scopes_that_catch_another_code(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> outer -> normal",
            "far -> beside",
            far=draw.border("outer", escalation="Late"),
            outer=draw.sub(
                "start_o -> inner -> after",
                "other -> wrong",
                inner=draw.sub("start_i -> up -> a", up=draw.throw(escalation="Late")),
                other=draw.border("inner", escalation="Early"),
            ),
        )
    )
    assert run.open == ["beside"]


def test_one_that_does_not_interrupt_is_caught_every_time(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> sub -> normal",
            "edge -> beside",
            sub=draw.sub(
                "start_in -> xor -> up -> a -> xor", up=draw.throw(escalation="Late")
            ),
            edge=draw.border("sub", escalation="Late", interrupting=False),
        )
    )
    for times in range(1, 4):
        assert run.open == ["a", *["beside"] * times]
        run.complete("a")


def test_one_turn_of_a_loop_escalates_and_the_boundary_stops_all(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> many -> normal",
            "edge -> beside",
            many=draw.sub(
                "start_in -> a -> up", loop=draw.times("3"), up=draw.end(escalation="X")
            ),
            edge=draw.border("many", escalation="X"),
        )
    )
    run.complete_turn("a", 1)
    assert run.open == ["beside"]


# -- called processes ------------------------------------------------------------


@pytest.mark.parametrize("interrupting", [True, False])
def test_a_called_process_escalates_to_its_call(
    draw: Drawing, play: Player, interrupting: bool
) -> None:
    run = play(
        draw(
            "start -> c -> normal",
            "edge -> beside",
            c=draw.call("other", returns={"seen": "x"}),
            edge=draw.border("c", escalation="Late", interrupting=interrupting),
        )
    )
    run.escalate("c", "Late", x=5, hidden=6)
    assert run.open == (["beside"] if interrupting else ["beside", "c"])
    assert run.variables == {"seen": 5}
    if not interrupting:
        run.complete("c", x=7)
        assert run.open == ["beside", "normal"]
        assert run.variables == {"seen": 7}


def test_a_called_escalation_that_nobody_catches_goes_on_upwards(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> c -> a", c=draw.call("other", all_out=True)), {"n": 1})
    step = run.escalate("c", "Late", n=2)
    assert run.open == ["c"]
    assert [(e.code, e.variables) for e in step.escalations] == [("Late", {"n": 1})]
    assert run.variables == {"n": 1}


def test_an_escalation_for_a_call_that_went_on_is_too_late(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> c -> a", c=draw.call("other")))
    command = Escalate(run.wait("c").task_id, "Late")
    run.complete("c")
    with pytest.raises(TaskGone):
        run.do(command)


@pytest.mark.parametrize(
    ("escalation", "reason"), [("", "names no escalation with an escalation code")]
)
def test_an_escalation_needs_a_code_to_be_thrown(
    draw: Drawing, escalation: str, reason: str
) -> None:
    for event in (draw.throw(escalation=escalation), draw.end(escalation=escalation)):
        problems = SpiffEngine().check(draw("start -> up", up=event))
        assert [reason in p.reason for p in problems] == [True]


def test_two_boundary_events_for_the_same_escalation_are_refused(draw: Drawing) -> None:
    model = draw(
        "start -> a",
        one=draw.border("a", escalation="X"),
        two=draw.border("a", escalation="X", interrupting=False),
    )
    (problem,) = SpiffEngine().check(model)
    assert problem.element == "two"
