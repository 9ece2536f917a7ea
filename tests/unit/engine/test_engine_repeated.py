"""Repeated activities of every kind, their borders, and what ends one turn or all."""

from typing import Any

import pytest

from mpms.domain.instances.steps import Complete, Fail, Receive
from mpms.engine.runner import SpiffEngine
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Play, Player

pytestmark = pytest.mark.covers("A3")

HOSTS = ["user", "service", "receive", "call", "sub"]


def repeated(draw: Drawing, host: str, loop: str) -> Any:
    if host == "sub":
        return draw.sub("start_in -> inner -> end_in", loop=loop)
    made = {
        "user": lambda: draw.user(loop=loop),
        "service": lambda: draw.service("work", loop=loop),
        "receive": lambda: draw.receive("letter", loop=loop),
        "call": lambda: draw.call("other", loop=loop),
    }
    return made[host]()


def finish_one(run: Play, host: str) -> None:
    waits = run.waits("inner" if host == "sub" else "many")
    command = Receive if host == "receive" else Complete
    run.do(command(waits[0].task_id))


@pytest.mark.parametrize("sequential", [True, False])
@pytest.mark.parametrize("host", HOSTS)
def test_every_activity_can_be_repeated(
    draw: Drawing, play: Player, host: str, sequential: bool
) -> None:
    loop = draw.times("3", sequential=sequential)
    run = play(draw("start -> many -> after", many=repeated(draw, host, loop)))
    for left in (3, 2, 1):
        assert len(run.step.waits) == (1 if sequential else left)
        finish_one(run, host)
    assert run.open == ["after"]


@pytest.mark.parametrize("host", HOSTS)
def test_a_border_event_interrupts_all_turns(
    draw: Drawing, play: Player, host: str
) -> None:
    run = play(
        draw(
            "start -> many -> after",
            "edge -> beside",
            many=repeated(draw, host, draw.times("3")),
            edge=draw.border("many", signal="stop"),
        )
    )
    finish_one(run, host)
    run.receive("edge")
    assert run.open == ["beside"]


@pytest.mark.parametrize("host", HOSTS)
def test_a_border_event_beside_leaves_all_turns_alone(
    draw: Drawing, play: Player, host: str
) -> None:
    run = play(
        draw(
            "start -> many -> after",
            "edge -> beside",
            many=repeated(draw, host, draw.times("2")),
            edge=draw.border("many", cycle="R2/PT1M", interrupting=False),
        )
    )
    run.fire("edge")
    run.fire("edge")
    for _ in range(2):
        finish_one(run, host)
    assert run.open == ["after", "beside", "beside"]


@pytest.mark.parametrize("host", HOSTS)
def test_a_completion_condition_cancels_the_rest(
    draw: Drawing, play: Player, host: str
) -> None:
    loop = draw.times("3", until="${nrOfCompletedInstances >= 2}")
    run = play(draw("start -> many -> after", many=repeated(draw, host, loop)))
    finish_one(run, host)
    assert "after" not in run.open
    finish_one(run, host)
    assert run.open == ["after"]
    assert "many" in run.passed("cancelled")


def test_a_standard_loop_with_a_maximum_needs_no_condition(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> t -> end", t=draw.user(loop=draw.again(most=3))))
    for _ in range(3):
        run.complete("t")
    assert run.done


def test_a_standard_loop_without_any_end_is_refused(draw: Drawing) -> None:
    model = draw("start -> t", t=draw.user(loop=draw.again()))
    (problem,) = SpiffEngine().check(model)
    assert "a condition or a maximum" in problem.reason


def test_a_maximum_of_none_takes_no_turn(draw: Drawing, play: Player) -> None:
    loop = draw.again(most=1, before=True).replace('"1"', '"0"')
    run = play(draw("start -> t -> after", t=draw.user(loop=loop)))
    assert run.open == ["after"]


def test_loops_inside_loops_multiply(draw: Drawing, play: Player) -> None:
    inner = draw.sub(
        "start_i -> a -> end_i", loop=draw.each("${row}", "x", sequential=True)
    )
    run = play(
        draw(
            "start -> outer -> after",
            outer=draw.sub(
                "start_o -> inner -> end_o",
                inner=inner,
                loop=draw.each("${rows}", "row"),
            ),
        ),
        {"rows": [[1, 2], [], [3]]},
    )
    assert run.open == ["a", "a"]
    for _ in range(3):
        run.do(Complete(run.waits("a")[0].task_id))
    assert run.open == ["after"]


def test_a_terminate_end_ends_its_turn_only(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> many -> after",
            many=draw.sub(
                "start_in -> and -> a",
                "and -> b -> end_all",
                end_all=draw.end(terminate=None),
                loop=draw.times("2"),
            ),
        )
    )
    run.complete_turn("b", 0)
    assert run.open == ["a", "b"]
    run.complete_turn("b", 1)
    assert run.open == ["after"]


def test_an_error_in_one_turn_ends_all_turns(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> many -> after",
            "edge -> mend",
            edge=draw.border("many", error="Jam"),
            many=draw.sub(
                "start_in -> a -> end_bad",
                end_bad=draw.end(error="Jam"),
                loop=draw.times("3"),
            ),
        )
    )
    run.complete_turn("a", 1)
    assert run.open == ["mend"]


def test_an_event_subprocess_catches_the_error_of_its_own_turn(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> many -> after",
            many=draw.sub(
                "start_in -> job -> end_in",
                loop=draw.times("2"),
                job=draw.service("work"),
                on=draw.on("fail -> mend", fail=draw.begin(error="Jam")),
            ),
        )
    )
    run.do(Fail(run.waits("job")[0].task_id, "Jam"))
    assert run.open == ["job", "mend"]
    run.complete("mend")
    run.complete("job")
    assert run.open == ["after"]
