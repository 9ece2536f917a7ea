"""An instance that nothing can move any more says so, and where."""

from typing import Any

import pytest

from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player


def test_a_join_that_can_never_fill_is_stuck_and_stays_so_on_retry(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> xor",
            "xor -> other if x > 1",
            "xor -> and_join otherwise",
            "other -> and_join -> after -> end",
        ),
        {"x": 0},
    )
    assert list(run.stuck) == ["and_join"]
    assert "no longer come" in run.stuck["and_join"]
    run.retry("and_join")
    assert list(run.stuck) == ["and_join"]


def test_a_join_is_not_stuck_while_another_branch_may_still_come(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and_fork -> a -> and_join -> end",
            "and_fork -> b -> and_join",
        )
    )
    run.complete("a")
    assert run.open == ["b"]


@pytest.mark.parametrize("answer", [[1], "text", {"n": object()}, {"n": float("nan")}])
def test_a_pure_handler_that_gives_no_variables_leaves_its_task_stuck(
    draw: Drawing, play: Player, answer: Any
) -> None:
    model = draw("start -> a -> end", a=draw.service("t"))
    run = play(model, pure={"t": lambda _: answer})
    assert list(run.stuck) == ["a"]
