"""What cannot be executed is stuck with a reason; the rest goes on, a retry mends."""

from typing import Any

import pytest

from mpms.domain.errors import BusinessError
from mpms.domain.instances.instances import InstanceStatus
from mpms.domain.instances.steps import StuckWait
from mpms.engine.tokens import STEP_LIMIT
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Play, Player

pytestmark = pytest.mark.covers("A3")


def beside(draw: Drawing, *lines: str, **elements: Any) -> bytes:
    """A branch under test and one that must not suffer from it."""
    return draw("start -> and -> b -> b2", *lines, **elements)


def check_others_go_on(run: Play, element: str, reason: str) -> None:
    assert list(run.stuck) == [element]
    assert reason in run.stuck[element]
    assert run.open == ["b"]
    assert run.status is InstanceStatus.ACTIVE
    assert element in run.passed("stuck")
    run.complete("b")
    assert run.open == ["b2"]
    assert list(run.stuck) == [element]


@pytest.mark.parametrize("gateway", ["xor", "or"])
def test_an_unknown_variable_in_a_condition_names_itself(
    draw: Drawing, play: Player, gateway: str
) -> None:
    run = play(
        beside(
            draw,
            f"and -> {gateway}",
            f"{gateway} -> big if weight > 5",
            f"{gateway} -> small otherwise",
        )
    )
    check_others_go_on(run, gateway, "weight")
    run.mend(weight=9)
    run.retry(gateway)
    assert run.open == ["b2", "big"]


@pytest.mark.parametrize(
    ("weight", "reason"), [("heavy", "heavy"), (None, "null"), ([1], "")]
)
def test_a_condition_that_makes_no_sense_is_no_guess(
    draw: Drawing, play: Player, weight: Any, reason: str
) -> None:
    model = beside(
        draw, "and -> xor", "xor -> big if weight > 5", "xor -> small otherwise"
    )
    check_others_go_on(play(model, {"weight": weight}), "xor", reason)


def test_a_condition_that_is_neither_true_nor_false_is_refused(
    draw: Drawing, play: Player
) -> None:
    model = beside(draw, "and -> xor", "xor -> big if weight", "xor -> c otherwise")
    check_others_go_on(play(model, {"weight": 1}), "xor", "true or false")


@pytest.mark.parametrize("source", ["xor", "or", "t"])
def test_no_way_out_is_told(draw: Drawing, play: Player, source: str) -> None:
    run = play(
        beside(
            draw,
            f"and -> {source}",
            f"{source} -> a if x > 5",
            f"{source} -> c if x < 3",
            t=draw.task("task"),
        )
        if source == "t"
        else beside(
            draw,
            f"and -> {source}",
            f"{source} -> a if x > 5",
            f"{source} -> c if x < 3",
        ),
        {"x": 4},
    )
    check_others_go_on(run, source, "No way leads on")
    run.mend(x=6)
    run.retry(source)
    assert run.open == ["a", "b2"]


def test_a_failing_script_can_be_retried(draw: Drawing, play: Player) -> None:
    script = draw.script("n = n + 1\nshare = 10 / parts")
    run = play(beside(draw, "and -> s -> after", s=script), {"n": 0, "parts": 0})
    check_others_go_on(run, "s", "zero")
    assert run.variables["n"] == 0
    run.mend(parts=5)
    run.retry("s")
    assert run.open == ["after", "b2"]
    assert run.variables == {"n": 1, "parts": 5, "share": 2.0}


def test_a_retry_that_fails_again_tells_the_new_reason(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> s", s=draw.script("x = first + second")))
    assert "first" in run.stuck["s"]
    run.mend(first=1)
    step = run.retry("s")
    assert "second" in run.stuck["s"]
    (opened,), (closed,) = step.opened, step.closed
    assert isinstance(opened, StuckWait)
    assert isinstance(closed, StuckWait)
    assert opened.reason == run.stuck["s"]
    assert "first" in closed.reason
    step = run.retry("s")
    assert step.opened == step.closed == ()


def test_inputs_are_mapped_anew_by_a_retry_not_twice(
    draw: Drawing, play: Player
) -> None:
    task = draw.service("work", inputs={"n": "${n + 1}"}, outputs={"out": "${got}"})
    tries = []

    def work(inputs: dict[str, Any]) -> dict[str, Any]:
        tries.append(inputs["n"])
        if len(tries) < 3:
            raise BusinessError("Jam", "paper")
        return {"got": inputs["n"]}

    run = play(draw("start -> t -> after", t=task), {"n": 1}, pure={"work": work})
    run.retry("t")
    run.retry("t")
    assert tries == [2, 2, 2]
    assert run.variables == {"n": 1, "out": 2}


def test_inputs_are_mapped_anew_when_the_rest_of_the_task_failed(
    draw: Drawing, play: Player
) -> None:
    task = draw.user(assignee="${boss}", inputs={"n": "${n + 1}"})
    run = play(draw("start -> t", t=task), {"n": 1})
    run.retry("t")
    run.mend(boss="ann")
    run.retry("t")
    assert run.wait("t").inputs == {"n": 2}


def test_a_task_that_failed_to_begin_has_no_boundary_events_until_it_does(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> t -> after",
            "edge -> late",
            t=draw.receive("letter", key="${number}"),
            edge=draw.border("t", timer="PT1M"),
        )
    )
    assert list(run.stuck) == ["t"]
    assert run.open == []
    run.mend(number=1)
    run.retry("t")
    assert run.open == ["edge", "t"]


@pytest.mark.parametrize(
    "kind", ["user", "service", "call", "script", "send", "receive"]
)
def test_an_input_that_fails_leaves_the_task_unopened(
    draw: Drawing, play: Player, kind: str
) -> None:
    name = {
        "user": (),
        "service": ("work",),
        "call": ("other",),
        "script": ("y = x",),
        "send": ("letter",),
        "receive": ("letter",),
    }[kind]
    task = getattr(draw, kind)(*name, inputs={"x": "${missing + 1}"})
    run = play(
        beside(
            draw,
            "and -> t -> after",
            "edge -> late",
            t=task,
            edge=draw.border("t", timer="PT1M"),
        )
    )
    check_others_go_on(run, "t", "missing")
    assert run.step.throws == ()
    run.mend(missing=1)
    run.retry("t")
    assert run.stuck == {}


def test_an_output_that_fails_is_mapped_by_the_retry_without_repeating_the_work(
    draw: Drawing, play: Player
) -> None:
    task = draw.service("count", outputs={"total": "${kg * price}"})
    calls = []

    def counting(inputs: dict[str, Any]) -> dict[str, Any]:
        calls.append(1)
        return {"kg": 4}

    run = play(beside(draw, "and -> t -> after", t=task), pure={"count": counting})
    check_others_go_on(run, "t", "price")
    run.mend(price=5)
    run.retry("t")
    assert run.open == ["after", "b2"]
    assert run.variables == {"price": 5, "total": 20}
    assert calls == [1]


def test_a_form_answer_is_kept_when_its_output_fails(
    draw: Drawing, play: Player
) -> None:
    task = draw.user(outputs={"total": "${kg * price}"})
    run = play(draw("start -> t -> after", t=task))
    run.complete("t", kg=3)
    assert "price" in run.stuck["t"]
    run.mend(price=2)
    run.retry("t")
    assert run.variables == {"price": 2, "total": 6}


def test_the_results_of_a_call_are_kept_when_their_mapping_fails(
    draw: Drawing, play: Player
) -> None:
    call = draw.call(
        "other",
        returns={"good": "${outcome}"},
        outputs={"total": "${good * price}"},
    )
    run = play(draw("start -> c -> after", c=call))
    run.complete("c", outcome=7)
    assert "price" in run.stuck["c"]
    run.mend(price=3)
    run.retry("c")
    assert run.open == ["after"]
    assert run.variables == {"price": 3, "total": 21}


def test_outputs_are_not_written_again_when_only_the_way_on_failed(
    draw: Drawing, play: Player
) -> None:
    task = draw.user(outputs={"n": "${n + 1}"})
    run = play(
        draw("start -> t", "t -> a if x > 5", "t -> c otherwise", t=task), {"n": 1}
    )
    run.complete("t")
    assert "x" in run.stuck["t"]
    assert run.variables == {"n": 2}
    run.mend(x=9)
    run.retry("t")
    assert run.open == ["a"]
    assert run.variables == {"n": 2, "x": 9}


def test_a_thrown_event_is_not_repeated_when_only_the_way_on_failed(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> s",
            "s -> a if x > 5",
            "s -> c otherwise",
            s=draw.send("letter"),
        )
    )
    assert len(run.step.throws) == 1
    run.mend(x=9)
    run.retry("s")
    assert run.open == ["a"]
    assert not run.step.throws


def test_a_boundary_event_of_a_stuck_task_can_still_interrupt_it(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> t -> after",
            "edge -> beside",
            t=draw.user(outputs={"x": "${missing}"}),
            edge=draw.border("t", timer="PT1H"),
        )
    )
    run.complete("t")
    assert list(run.stuck) == ["t"]
    run.fire("edge")
    assert run.stuck == {}
    assert run.open == ["beside"]


@pytest.mark.parametrize(
    "event", [{"timer": "${when}"}, {"message": "m", "key": "${when}"}]
)
def test_an_event_that_cannot_be_awaited_is_stuck(
    draw: Drawing, play: Player, event: dict[str, Any]
) -> None:
    run = play(beside(draw, "and -> pause -> after", pause=draw.catch(**event)))
    check_others_go_on(run, "pause", "when")
    run.mend(when="PT1M")
    run.retry("pause")
    assert run.open == ["b2", "pause"]


@pytest.mark.parametrize("when", ["5 minutes", 5, None, ""])
def test_a_timer_that_is_no_time_is_stuck(
    draw: Drawing, play: Player, when: Any
) -> None:
    model = beside(draw, "and -> pause", pause=draw.catch(timer="${when}"))
    check_others_go_on(play(model, {"when": when}), "pause", "")


def test_a_stuck_event_after_an_event_gateway_can_lose_to_another(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> event -> pause -> a",
            "event -> hear -> c",
            pause=draw.catch(timer="${when}"),
            hear=draw.catch(signal="ping"),
        )
    )
    assert list(run.stuck) == ["pause"]
    run.receive("hear")
    assert run.open == ["c"]
    assert run.stuck == {}


def test_a_boundary_timer_that_cannot_be_read_does_not_stop_its_task(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> t -> after",
            "edge -> beside",
            edge=draw.border("t", timer="${when}"),
        )
    )
    assert run.open == ["t"]
    assert list(run.stuck) == ["edge"]
    run.complete("t")
    assert run.open == ["after"]
    assert run.stuck == {}


# -- loops ---------------------------------------------------------------------------


def test_a_turn_whose_output_fails_waits_while_the_other_turns_go_on(
    draw: Drawing, play: Player
) -> None:
    loop = draw.times("3", collect=("all", "${kg * price}"))
    run = play(draw("start -> many -> after", many=draw.user(loop=loop)))
    run.complete_turn("many", 0, kg=1)
    assert list(run.stuck) == ["many"]
    assert run.open == ["many", "many"]
    run.complete_turn("many", 2, kg=3, price=10)
    run.complete_turn("many", 1, kg=2)
    assert list(run.stuck) == ["many"]
    run.retry("many")
    assert run.open == ["after"]
    assert len(run.variables["all"]) == 3
    assert run.variables["all"][1:] == [20, 30]


def test_a_retried_turn_is_counted_once(draw: Drawing, play: Player) -> None:
    loop = draw.times("3", until="${nrOfCompletedInstances >= enough}")
    run = play(draw("start -> many -> after", many=draw.user(loop=loop)))
    run.complete_turn("many", 0)
    assert "enough" in run.stuck["many"]
    run.mend(enough=2)
    run.retry("many")
    assert run.open == ["many", "many"]
    run.complete_turn("many", 2)
    assert run.open == ["after"]


def test_a_sequential_loop_goes_on_with_the_next_turn_after_a_retry(
    draw: Drawing, play: Player
) -> None:
    loop = draw.times("3", sequential=True, until="${enough}")
    run = play(draw("start -> many -> after", many=draw.user(loop=loop)))
    run.complete("many")
    assert "enough" in run.stuck["many"]
    run.mend(enough=False)
    run.retry("many")
    for turn in (1, 2):
        assert run.wait("many").inputs["loopCounter"] == turn
        run.complete("many")
    assert run.open == ["after"]
    assert run.passed("left").count("many") == 4  # three turns and the whole


def test_a_loop_condition_that_fails_can_be_retried(
    draw: Drawing, play: Player
) -> None:
    for before in (True, False):
        run = play(
            draw(
                "start -> many -> after",
                "edge -> beside",
                many=draw.user(loop=draw.again("${more}", before=before)),
                edge=draw.border("many", timer="PT1M"),
            )
        )
        if not before:
            run.complete("many")
        assert "more" in run.stuck["many"]
        run.mend(more=True)
        run.retry("many")
        assert run.open == ["edge", "many"]
        run.complete("many", more=False)
        assert run.open == ["after"]


# -- endless loops ---------------------------------------------------------------------


def test_an_endless_loop_without_waiting_is_stopped(
    draw: Drawing, play: Player
) -> None:
    run = play(
        beside(
            draw,
            "and -> xor -> s -> xor_on",
            "xor_on -> xor if go",
            "xor_on -> after otherwise",
            s=draw.script("n = n + 1"),
        ),
        {"n": 0, "go": True},
    )
    assert run.open == ["b"]
    ((_, reason),) = run.stuck.items()
    assert "10,000 steps" in reason
    assert 0 < run.variables["n"] < STEP_LIMIT
    (element,) = run.stuck
    run.mend(go=False)
    run.retry(element)
    assert run.open == ["after", "b"]


def test_an_endless_standard_loop_is_stopped(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> s -> after",
            s=draw.script("n = n + 1", loop=draw.again("${true}")),
        ),
        {"n": 0},
    )
    assert "10,000 steps" in run.stuck["s"]


def test_an_endless_loop_that_splits_is_stopped(draw: Drawing, play: Player) -> None:
    """Two tokens for each one: the number of live tokens stays bounded."""
    run = play(draw("start -> xor -> and -> xor", "and -> xor2 -> xor"))
    assert 0 < len(run.step.waits) < STEP_LIMIT
    assert set(run.stuck) <= {"xor", "xor2", "and"}
