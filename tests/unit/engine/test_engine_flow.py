"""Where a token goes: sequences, gateways, implicit splits, conditions, ends."""

import pytest

from mpms.domain.errors import ModelRefused
from mpms.domain.instances.instances import InstanceStatus
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

pytestmark = pytest.mark.covers("A3")


def test_a_sequence_is_walked_step_by_step(draw: Drawing, play: Player) -> None:
    run = play(draw("start -> a -> b -> end"))
    assert run.open == ["a"]
    run.complete("a")
    assert run.open == ["b"]
    run.complete("b")
    assert run.done
    assert run.passed("left") == ["start", "a", "b", "end"]


def test_plain_and_manual_tasks_and_plain_events_wait_for_nothing(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> plain -> by_hand -> milestone -> end",
            plain=draw.task("task"),
            by_hand=draw.task("manualTask"),
            milestone=draw.throw(),
        )
    )
    assert run.done


def test_a_process_without_end_event_completes_when_its_last_token_is_gone(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> a"))
    run.complete("a")
    assert run.done


def test_a_line_of_five_hundred_tasks_is_walked(draw: Drawing, play: Player) -> None:
    names = [f"t{i}" for i in range(500)]
    run = play(draw(" -> ".join(["start", *names, "end"])))
    for name in names:
        run.complete(name)
    assert run.done


@pytest.mark.parametrize(
    ("x", "way"), [(5, "small"), (50, "middle"), (5000, "large"), (7, "small")]
)
def test_an_exclusive_gateway_takes_the_first_true_flow_else_the_default(
    draw: Drawing, play: Player, x: int, way: str
) -> None:
    run = play(
        draw(
            "start -> xor",
            "xor -> large otherwise",
            "xor -> small if x < 10",
            "xor -> middle if x < 100",
        ),
        {"x": x},
    )
    assert run.open == [way]


def test_an_exclusive_gateway_does_not_wait_when_ways_meet(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> a -> xor -> after -> end",
            "and -> b -> xor",
        )
    )
    run.complete("a")
    assert run.open == ["after", "b"]
    run.complete("b")
    assert run.open == ["after", "after"]


def test_a_parallel_gateway_sends_a_token_along_every_flow_and_joins_all(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and_fork -> a -> and_join -> after -> end",
            "and_fork -> b -> and_join",
            "and_fork -> c -> and_join",
        )
    )
    assert run.open == ["a", "b", "c"]
    run.complete("b")
    run.complete("c")
    assert run.open == ["a"]
    run.complete("a")
    assert run.open == ["after"]
    run.complete("after")
    assert run.done
    assert run.passed("left").count("and_join") == 1


def test_one_gateway_can_join_and_fork(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> and_fork -> a -> and_both -> c -> end",
            "and_fork -> b -> and_both -> d -> end",
        )
    )
    run.complete("a")
    run.complete("b")
    assert run.open == ["c", "d"]


def test_several_flows_out_of_a_task_are_a_parallel_split(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> a -> b -> end", "a -> c -> end"))
    run.complete("a")
    assert run.open == ["b", "c"]
    run.complete("b")
    assert run.status is InstanceStatus.ACTIVE
    run.complete("c")
    assert run.done


def test_several_flows_out_of_a_start_event_are_a_parallel_split(
    draw: Drawing, play: Player
) -> None:
    assert play(draw("start -> a", "start -> b")).open == ["a", "b"]


@pytest.mark.parametrize(
    ("x", "ways"), [(1, ["a", "c"]), (3, ["a", "b", "c"]), (9, ["b", "c"])]
)
def test_conditions_on_flows_out_of_a_task_choose_all_that_hold(
    draw: Drawing, play: Player, x: int, ways: list[str]
) -> None:
    model = draw("start -> t", "t -> a if x < 5", "t -> b if x > 2", "t -> c")
    run = play(model)
    run.complete("t", x=x)
    assert run.open == ways


@pytest.mark.parametrize(("x", "ways"), [(1, ["a"]), (3, ["a", "b"]), (0, ["c"])])
def test_the_default_flow_of_a_task_is_for_when_no_condition_holds(
    draw: Drawing, play: Player, x: int, ways: list[str]
) -> None:
    run = play(
        draw("start -> t", "t -> a if x > 0", "t -> b if x > 2", "t -> c otherwise")
    )
    run.complete("t", x=x)
    assert run.open == ways


@pytest.mark.parametrize("host", ["t", "xor", "or"])
def test_an_only_flow_that_is_the_default_is_taken(
    draw: Drawing, play: Player, host: str
) -> None:
    run = play(draw(f"start -> first -> {host}", f"{host} -> a otherwise"))
    run.complete("first")
    if host == "t":
        run.complete("t")
    assert run.open == ["a"]


@pytest.mark.parametrize(
    ("x", "ways"), [(0, ["c"]), (1, ["a"]), (3, ["a", "b"]), (9, ["b"])]
)
def test_an_inclusive_gateway_takes_every_true_flow_else_the_default(
    draw: Drawing, play: Player, x: int, ways: list[str]
) -> None:
    run = play(
        draw(
            "start -> or",
            "or -> a if x > 0 and x < 5",
            "or -> b if x > 2",
            "or -> c otherwise",
        ),
        {"x": x},
    )
    assert run.open == ways


def test_a_terminate_end_cancels_every_other_token_of_the_process(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> a -> end_all",
            "and -> b -> end",
            "and -> pause -> end",
            "and -> sub",
            end_all=draw.end(terminate=None),
            pause=draw.catch(timer="PT1H"),
            sub=draw.sub("start_in -> inner"),
        )
    )
    assert run.open == ["a", "b", "inner", "pause"]
    run.complete("a")
    assert run.done
    assert {w.element for w in run.step.closed} == {"a", "b", "inner", "pause"}


def test_a_terminate_end_in_a_subprocess_ends_the_subprocess_only(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> sub -> after -> end",
            "and -> beside -> end",
            sub=draw.sub(
                "start_in -> and_in -> a -> end_all",
                "and_in -> b",
                end_all=draw.end(terminate=None),
            ),
        )
    )
    run.complete("a")
    assert run.open == ["after", "beside"]


def test_a_process_that_the_file_does_not_hold_is_refused(
    draw: Drawing, play: Player
) -> None:
    with pytest.raises(ModelRefused, match="no process 'other'"):
        play(draw("start -> a"), key="other")
