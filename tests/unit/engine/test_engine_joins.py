"""Joins: right in every order, inside loops, and by BPMN's rule when inclusive."""

import random

import pytest

from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player
from tests.support.seeds import seeds

pytestmark = pytest.mark.covers("A3", "A47")


@pytest.mark.parametrize("batch", seeds(8, 2))
def test_a_parallel_join_inside_a_loop_is_right_in_every_order(
    draw: Drawing, play: Player, batch: int
) -> None:
    model = draw(
        "start -> xor_again -> and_fork -> a -> and_join -> check -> xor_more",
        "and_fork -> b1 -> b2 -> and_join",
        "and_fork -> c -> and_join",
        "xor_more -> xor_again if more",
        "xor_more -> end otherwise",
    )
    for order in range(25):
        seed = batch * 1000 + order
        print("seed", seed)
        chance = random.Random(seed)
        run = play(model)
        turns = chance.randint(1, 6)
        for turn in range(turns):
            assert run.open == ["a", "b1", "c"]
            for _ in range(4):
                assert "check" not in run.open
                run.complete(chance.choice(run.open))
            assert run.open == ["check"]
            run.complete("check", more=turn + 1 < turns)
        assert run.done
        assert run.passed("left").count("and_join") == turns


def test_a_fast_branch_that_loops_waits_for_one_token_of_each_flow(
    draw: Drawing, play: Player
) -> None:
    """Two tokens on one flow and none on the other do not open a join."""
    run = play(
        draw(
            "start -> and_fork -> xor -> a -> and_join -> after -> end",
            "and_fork -> again -> xor",
            "and_fork -> b -> and_join",
        )
    )
    run.complete("a")
    run.complete("again")
    run.complete("a")
    assert run.open == ["b"]
    run.complete("b")
    assert run.open == ["after"]
    run.complete("after")
    assert not run.done  # the second token on the first flow still waits


def test_a_join_in_a_subprocess_counts_its_own_scope_only(
    draw: Drawing, play: Player
) -> None:
    inner = draw.sub(
        "start_in -> and_in -> a -> and_out -> c -> end_in",
        "and_in -> b -> and_out",
        loop=draw.times("2"),
    )
    run = play(draw("start -> sub -> end", sub=inner))
    assert run.open == ["a", "a", "b", "b"]
    run.complete_turn("a", 0)
    run.complete_turn("b", 1)
    assert run.open == ["a", "b"]
    run.complete_turn("b", 0)
    assert run.open == ["a", "c"]


def inclusive(draw: Drawing) -> bytes:
    return draw(
        "start -> or_fork",
        "or_fork -> a if x > 0",
        "or_fork -> b1 if x > 1",
        "or_fork -> c otherwise",
        "a -> or_join -> after -> end",
        "b1 -> b2 -> or_join",
        "c -> or_join",
    )


def test_an_inclusive_join_waits_for_what_can_still_come(
    draw: Drawing, play: Player
) -> None:
    run = play(inclusive(draw), {"x": 2})
    run.complete("a")
    assert run.open == ["b1"]
    run.complete("b1")
    assert run.open == ["b2"]
    run.complete("b2")
    assert run.open == ["after"]
    run.complete("after")
    assert run.done


@pytest.mark.parametrize(("x", "only"), [(1, "a"), (0, "c")])
def test_an_inclusive_join_does_not_wait_for_ways_not_taken(
    draw: Drawing, play: Player, x: int, only: str
) -> None:
    run = play(inclusive(draw), {"x": x})
    run.complete(only)
    assert run.open == ["after"]


def test_an_inclusive_join_opens_when_the_awaited_token_takes_another_way(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> a -> or_join -> after -> end",
            "and -> b -> xor",
            "xor -> or_join if join",
            "xor -> elsewhere otherwise",
        )
    )
    run.complete("a")
    assert run.open == ["b"]
    run.complete("b", join=False)
    assert run.open == ["after", "elsewhere"]


def test_an_inclusive_join_waits_for_a_token_at_a_boundary_or_in_a_subprocess(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> a -> or_join -> after -> end",
            "and -> sub -> end_other",
            "late -> or_join",
            sub=draw.sub("start_in -> inner -> end_in"),
            late=draw.border("sub", timer="PT1H"),
        )
    )
    run.complete("a")
    assert run.open == ["inner", "late"]  # the boundary could still send one
    run.complete("inner")
    assert run.open == ["after"]


def test_an_inclusive_join_ignores_tokens_that_can_reach_a_filled_flow_too(
    draw: Drawing, play: Player
) -> None:
    """BPMN: a token counts only if it has no path to a flow that holds one."""
    run = play(
        draw(
            "start -> and -> a -> or_join -> after -> end",
            "and -> b -> xor",
            "xor -> xor_a if to_a",
            "xor -> or_join otherwise",
            "xor_a -> a",
        )
    )
    run.complete("a")
    assert run.open == ["after", "b"]


def test_an_inclusive_join_takes_a_task_with_its_boundary_as_one_token(
    draw: Drawing, play: Player
) -> None:
    """The task can reach the filled flow, so its boundary holds nobody up."""
    run = play(
        draw(
            "start -> and -> a -> xor -> or_join -> after",
            "and -> b -> xor",
            "edge -> or_join",
            edge=draw.border("b", timer="PT1H"),
        )
    )
    run.complete("a")
    assert run.open == ["after", "b", "edge"]


def test_an_inclusive_join_inside_a_loop_does_not_wait_for_the_next_turn(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> xor_again -> or_fork",
            "or_fork -> a if x > 0",
            "or_fork -> b if x > 1",
            "or_fork -> c otherwise",
            "a -> or_join",
            "b -> or_join",
            "c -> or_join -> check -> xor_more",
            "xor_more -> xor_again if x < 9",
            "xor_more -> end otherwise",
        ),
        {"x": 2},
    )
    run.complete("b")
    run.complete("a")
    run.complete("check", x=0)
    assert run.open == ["c"]
    run.complete("c")
    run.complete("check", x=1)
    run.complete("a")
    run.complete("check", x=9)
    assert run.done


def test_a_token_that_comes_to_a_stuck_gateway_waits_for_a_turn_of_its_own(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> xor_a -> a -> or",
            "and -> later -> xor_a",
            "and -> b -> or",
            "or -> good if fine",
            "or -> bad otherwise",
        )
    )
    run.complete("b")
    run.complete("a")
    assert list(run.stuck) == ["or"]
    run.complete("later")
    run.complete("a", fine=True)
    assert run.open == ["good"]
    run.retry("or")
    assert run.open == ["good", "good"]


def test_nested_joins_are_right_in_every_order(draw: Drawing, play: Player) -> None:
    model = draw(
        "start -> and1 -> and2 -> a -> and3 -> c -> and4 -> end",
        "and2 -> b -> and3",
        "and1 -> d -> and4",
    )
    for order in (["a", "b", "c", "d"], ["d", "b", "a", "c"], ["b", "d", "a", "c"]):
        run = play(model)
        for task in order:
            run.complete(task)
        assert run.done
