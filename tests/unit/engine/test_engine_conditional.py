"""Conditional events: triggered when a condition becomes true."""

import pytest

from mpms.domain.instances.steps import SetVariables
from mpms.engine.runner import SpiffEngine
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

pytestmark = pytest.mark.covers("A3")


def waiting(draw: Drawing, condition: str = "${n > 3}", **about: str) -> bytes:
    return draw(
        "start -> and -> ready -> after",
        "and -> xor -> work -> xor",
        ready=draw.catch(conditional=condition, about=about),
    )


def test_it_waits_until_a_variable_makes_it_true(draw: Drawing, play: Player) -> None:
    run = play(waiting(draw), {"n": 1})
    assert run.open == ["work"]
    run.complete("work", n=2)
    assert run.open == ["work"]
    run.complete("work", n=4)
    assert run.open == ["after", "work"]


def test_it_goes_on_at_once_if_it_is_true_already(draw: Drawing, play: Player) -> None:
    assert play(waiting(draw), {"n": 4}).open == ["after", "work"]


def test_a_variable_that_does_not_exist_yet_makes_it_false(
    draw: Drawing, play: Player
) -> None:
    run = play(waiting(draw))
    assert run.open == ["work"]
    run.complete("work", n=9)
    assert run.open == ["after", "work"]


def test_a_condition_that_cannot_be_evaluated_is_stuck_and_can_be_tried_again(
    draw: Drawing, play: Player
) -> None:
    run = play(waiting(draw), {"n": "many"})
    assert set(run.stuck) == {"ready"}
    run.mend(n=5)
    run.retry("ready")
    assert run.open == ["after", "work"]


def test_an_operator_can_make_it_true(draw: Drawing, play: Player) -> None:
    run = play(
        draw("start -> ready -> after", ready=draw.catch(conditional="${ok}")),
        {"ok": False},
    )
    run.do(SetVariables({"ok": True}))
    assert run.open == ["after"]


def test_it_is_seen_even_if_it_is_true_only_between_two_steps(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> ready -> after",
            "and -> a -> up -> down -> b",
            ready=draw.catch(conditional="${n > 3}"),
            up=draw.script("n = 4"),
            down=draw.script("n = 0"),
        ),
        {"n": 0},
    )
    run.complete("a")
    assert run.open == ["after", "b"]


@pytest.mark.parametrize(
    ("about", "changes", "triggered"),
    [
        ({"camunda:variableName": "m"}, {"n": 5}, False),
        ({"camunda:variableName": "m"}, {"n": 5, "m": 1}, True),
        ({"camunda:variableName": "n"}, {"n": 5}, True),
        ({"camunda:variableEvents": "create"}, {"n": 5}, False),
        ({"camunda:variableEvents": "create"}, {"n": 5, "m": 1}, True),
        ({"camunda:variableEvents": "create, update"}, {"n": 5}, True),
        (
            {"camunda:variableName": "m", "camunda:variableEvents": "update"},
            {"n": 5, "m": 1},
            False,
        ),
    ],
)
def test_it_may_look_at_some_changes_only(
    draw: Drawing,
    play: Player,
    about: dict[str, str],
    changes: dict[str, int],
    triggered: bool,
) -> None:
    run = play(waiting(draw, **about), {"n": 1})
    run.complete("work", **changes)
    assert ("after" in run.open) is triggered


def test_it_may_look_at_removed_variables(draw: Drawing, play: Player) -> None:
    about = {"camunda:variableEvents": "delete"}
    run = play(
        draw(
            "start -> ready -> after",
            ready=draw.catch(conditional="${n > 3}", about=about),
        ),
        {"n": 1, "m": 1},
    )
    run.do(SetVariables({"n": 5}))
    assert run.open == []
    run.do(SetVariables({}, removed=("m",)))
    assert run.open == ["after"]


def test_a_local_variable_of_another_branch_is_not_seen(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> ready -> after",
            "and -> many -> done",
            ready=draw.catch(conditional="${loopCounter >= 0}"),
            many=draw.user(loop=draw.times("2")),
        )
    )
    assert run.open == ["many", "many"]


# -- boundary events -------------------------------------------------------------


def bordered(draw: Drawing, interrupting: bool) -> bytes:
    return draw(
        "start -> and -> a -> normal",
        "and -> xor -> work -> xor",
        "edge -> beside",
        edge=draw.border("a", conditional="${n > 3}", interrupting=interrupting),
    )


def test_a_boundary_interrupts_when_it_becomes_true(
    draw: Drawing, play: Player
) -> None:
    run = play(bordered(draw, True), {"n": 0})
    assert run.open == ["a", "work"]
    run.complete("work", n=4)
    assert run.open == ["beside", "work"]
    assert run.passed("cancelled") == ["a"]


def test_a_boundary_beside_triggers_each_time_it_becomes_true(
    draw: Drawing, play: Player
) -> None:
    run = play(bordered(draw, False), {"n": 0})
    counts = []
    for n in (4, 5, 3, 9, 10, 0, 2, 4):
        run.complete("work", n=n)
        counts.append(run.open.count("beside"))
    assert counts == [1, 1, 1, 2, 2, 2, 2, 3]
    run.complete("a")
    run.complete("work", n=0)
    run.complete("work", n=9)
    assert run.open.count("beside") == 3


@pytest.mark.parametrize("interrupting", [True, False])
def test_a_boundary_that_is_true_from_the_start_triggers_at_once(
    draw: Drawing, play: Player, interrupting: bool
) -> None:
    run = play(bordered(draw, interrupting), {"n": 9})
    assert run.open == sorted(
        ["beside", "work"] if interrupting else ["a", "beside", "work"]
    )


@pytest.mark.parametrize("interrupting", [True, False])
def test_a_boundary_is_looked_at_before_its_activity_does_anything(
    draw: Drawing, play: Player, interrupting: bool
) -> None:
    edge = draw.border("s", conditional="${stop}", interrupting=interrupting)
    run = play(
        draw("start -> s -> a", "edge -> beside", s=draw.script("x = 1"), edge=edge),
        {"stop": True},
    )
    assert run.open == (["beside"] if interrupting else ["a", "beside"])
    assert ("x" in run.variables) is not interrupting


def test_a_subprocess_interrupted_at_once_runs_nothing_inside(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> sub -> normal",
            "edge -> beside",
            sub=draw.sub("start_in -> s -> a", s=draw.script("x = 1")),
            edge=draw.border("sub", conditional="${stop}"),
        ),
        {"stop": True},
    )
    assert run.open == ["beside"]
    assert "x" not in run.variables


# -- event gateways --------------------------------------------------------------


def test_a_condition_wins_or_loses_after_an_event_gateway(
    draw: Drawing, play: Player
) -> None:
    model = draw(
        "start -> and -> event -> ready -> by_condition",
        "event -> late -> by_timer",
        "and -> work -> end",
        ready=draw.catch(conditional="${n > 3}"),
        late=draw.catch(timer="PT1H"),
    )
    run = play(model, {"n": 0})
    assert run.open == ["late", "work"]
    run.complete("work", n=4)
    assert run.open == ["by_condition"]
    run = play(model, {"n": 0})
    run.fire("late")
    run.complete("work", n=4)
    assert run.open == ["by_timer"]
    assert play(model, {"n": 4}).open == ["by_condition", "work"]


def test_two_conditions_after_one_gateway_give_one_token(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> event -> one -> a",
            "event -> two -> b",
            one=draw.catch(conditional="${x}"),
            two=draw.catch(conditional="${x}"),
        ),
        {"x": True},
    )
    assert run.open == ["a"]


# -- limits ----------------------------------------------------------------------


def test_a_loop_that_feeds_its_own_condition_is_stopped(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> xor -> ready -> up -> xor",
            ready=draw.catch(conditional="${n > 0}"),
            up=draw.script("n = n + 1"),
        ),
        {"n": 1},
        step_limit=500,
    )
    (reason,) = run.stuck.values()
    assert "500 steps" in reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "no condition"), ("${n >", "condition"), ("plain text", "condition")],
)
def test_a_condition_must_be_one(draw: Drawing, text: str, reason: str) -> None:
    problems = SpiffEngine().check(waiting(draw, text))
    assert [p.element for p in problems] == ["ready"]
    assert reason in problems[0].reason


def test_an_unknown_kind_of_change_is_refused(draw: Drawing) -> None:
    model = waiting(draw, **{"camunda:variableEvents": "change"})
    (problem,) = SpiffEngine().check(model)
    assert "camunda:variableEvents: 'change'" in problem.reason
