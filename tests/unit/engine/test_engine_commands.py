"""Commands for tasks that are gone or of another kind change nothing."""

from collections.abc import Callable

import pytest

from mpms.domain.errors import TaskGone
from mpms.domain.instances.instances import InstanceStatus
from mpms.domain.instances.steps import (
    Cancel,
    Command,
    Complete,
    Fail,
    Fire,
    Receive,
    Retry,
    Start,
)
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

pytestmark = pytest.mark.covers("A3", "A16")

COMMANDS: dict[str, Callable[[str], Command]] = {
    "complete": Complete,
    "fail": lambda task_id: Fail(task_id, "Jam"),
    "fire": Fire,
    "receive": Receive,
    "retry": Retry,
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_task_that_never_was_is_gone(draw: Drawing, play: Player, name: str) -> None:
    run = play(draw("start -> a"))
    before = run.snapshot
    with pytest.raises(TaskGone):
        run.do(COMMANDS[name]("00000000-0000-0000-0000-000000000000"))
    assert run.snapshot is before


def test_a_task_completed_twice_is_gone_the_second_time(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> xor -> a -> xor"))
    task_id = run.wait("a").task_id
    run.complete("a")
    with pytest.raises(TaskGone):
        run.do(Complete(task_id))
    assert run.open == ["a"]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_task_of_a_completed_process_is_gone(
    draw: Drawing, play: Player, name: str
) -> None:
    run = play(draw("start -> a -> end"))
    task_id = run.wait("a").task_id
    run.complete("a")
    with pytest.raises(TaskGone):
        run.do(COMMANDS[name](task_id))


WRONG = {
    "user": ["fire", "receive", "retry"],
    "job": ["fire", "receive", "retry"],
    "call": ["fire", "receive", "retry"],
    "timer": ["complete", "fail", "receive", "retry"],
    "signal": ["complete", "fail", "fire", "retry"],
    "receive": ["complete", "fail", "fire", "retry"],
    "stuck": ["complete", "fail", "fire", "receive"],
    "edge_timer": ["complete", "fail", "receive", "retry"],
    "edge_signal": ["complete", "fail", "fire", "retry"],
}


@pytest.mark.parametrize(
    ("element", "name"), [(e, n) for e, names in WRONG.items() for n in names]
)
def test_a_command_of_the_wrong_kind_is_refused(
    draw: Drawing, play: Player, element: str, name: str
) -> None:
    run = play(
        draw(
            "start -> and -> user",
            "and -> job",
            "and -> call",
            "and -> timer",
            "and -> signal",
            "and -> receive",
            "and -> stuck",
            job=draw.service("work"),
            call=draw.call("other"),
            timer=draw.catch(timer="PT1M"),
            signal=draw.catch(signal="ping"),
            receive=draw.receive("letter"),
            stuck=draw.script("x = missing"),
            edge_timer=draw.border("user", timer="PT1M"),
            edge_signal=draw.border("user", signal="stop"),
        )
    )
    before = run.snapshot
    with pytest.raises(TaskGone):
        run.do(COMMANDS[name](run.wait(element).task_id))
    assert run.snapshot is before


@pytest.mark.parametrize("name", COMMANDS)
def test_what_waits_for_nothing_outside_takes_no_command(
    draw: Drawing, play: Player, name: str
) -> None:
    """Subprocesses, loop bodies, joins, event gateways and error boundaries."""
    run = play(
        draw(
            "start -> and -> sub",
            "and -> many",
            "and -> a -> and_join -> after",
            "and -> b -> and_join",
            "and -> event -> pause",
            sub=draw.sub("start_in -> inner"),
            many=draw.user(loop=draw.times("2")),
            pause=draw.catch(timer="PT1M"),
            edge=draw.border("sub", error=None),
        )
    )
    run.complete("a")
    waiting = {w.task_id for w in run.step.waits}
    seen = {line.task_id: line.element for line in run.trace if line.task_id}
    live = run.engine.tokens(run.definition, run.kept)
    seen |= {token.task_id: token.element for token in live}
    others = set(seen) - waiting
    assert {"sub", "many", "and_join", "event", "edge"} <= {seen[t] for t in others}
    for task_id in others:
        with pytest.raises(TaskGone):
            run.do(COMMANDS[name](task_id))


def test_an_instance_is_started_once(draw: Drawing, play: Player) -> None:
    run = play(draw("start -> a"))
    with pytest.raises(TaskGone, match="started already"):
        run.do(Start())


def test_an_instance_that_was_not_started_takes_no_command(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> a"))
    run.snapshot = None
    with pytest.raises(TaskGone, match="not been started"):
        run.do(Cancel())


def test_cancel_closes_everything(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> and -> a",
            "and -> sub",
            "and -> event -> pause",
            "and -> many",
            "and -> call",
            "and -> stuck",
            sub=draw.sub("start_in -> inner"),
            pause=draw.catch(timer="PT1M"),
            many=draw.service("work", loop=draw.times("3")),
            call=draw.call("other"),
            stuck=draw.script("x = missing"),
            edge=draw.border("sub", timer="PT1H"),
        )
    )
    waits = len(run.step.waits)
    step = run.cancel()
    assert run.status is InstanceStatus.CANCELLED
    assert step.waits == ()
    assert len(step.closed) == waits == 9
    assert {"a", "sub", "inner", "many", "call", "stuck"} <= set(
        run.passed("cancelled")
    )


def test_an_error_that_nobody_catches_changes_nothing(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> sub",
            "other -> beside",
            sub=draw.sub("start_in -> job", job=draw.service("work")),
            other=draw.border("sub", error="Other"),
        )
    )
    waits = run.step.waits
    step = run.fail("job", "Jam", "paper")
    assert step.caught is False
    assert step.waits == waits
    run.complete("job")
    assert run.done
