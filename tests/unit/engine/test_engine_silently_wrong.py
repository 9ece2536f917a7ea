"""What SpiffWorkflow's own specs get wrong in silence, one test for each.

What this engine does not execute either is refused before deployment; the tests of
the lint show those.
"""

from datetime import timedelta
from typing import Any

import pytest

from mpms.domain.errors import BusinessError
from mpms.domain.instances.instances import InstanceStatus
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

pytestmark = pytest.mark.covers("A3")


def test_a_signal_end_event_throws_its_signal(draw: Drawing, play: Player) -> None:
    run = play(draw("start -> tell", tell=draw.end(signal="email received")))
    assert [t.event for t in run.step.throws] == ["email received"]
    assert run.done


def test_a_link_that_nobody_catches_is_refused_not_dropped(
    draw: Drawing, play: Player
) -> None:
    with pytest.raises(AssertionError, match="no link event in the same scope"):
        play(draw("start -> away", away=draw.throw(link="nowhere")))


def test_a_condition_on_a_flow_that_leaves_a_task_is_honoured(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> t", "t -> a if x > 1", "t -> b if x > 5"))
    run.complete("t", x=3)
    assert run.open == ["a"]


def test_a_condition_on_a_flow_that_leaves_a_parallel_gateway_is_refused(
    draw: Drawing, play: Player
) -> None:
    with pytest.raises(AssertionError, match="parallel gateway cannot"):
        play(draw("start -> and", "and -> a if x > 1", "and -> b"))


def test_an_error_event_subprocess_does_not_run_at_once(
    draw: Drawing, play: Player
) -> None:
    handler = draw.on("bad -> b", bad=draw.begin(error="Jam"))
    run = play(draw("start -> a -> end", handler=handler))
    assert run.open == ["a"]
    run.complete("a")
    assert run.done


def test_an_error_end_without_a_catcher_never_leads_on_to_the_normal_path(
    draw: Drawing, play: Player
) -> None:
    sub = draw.sub("start_in -> end_bad", end_bad=draw.end(error="Broken"))
    run = play(draw("start -> sub -> normal", sub=sub))
    assert run.status is InstanceStatus.FAILED
    assert "normal" not in run.passed("entered")


def test_two_timers_after_one_event_gateway_each_have_their_own_time(
    draw: Drawing, play: Player
) -> None:
    model = draw(
        "start -> event -> soon -> a",
        "event -> late -> b",
        soon=draw.catch(timer="PT1M"),
        late=draw.catch(timer="PT2M"),
    )
    for first, then in (("soon", "a"), ("late", "b")):
        run = play(model)
        assert run.wait("soon").due_at == run.now + timedelta(minutes=1)
        assert run.wait("late").due_at == run.now + timedelta(minutes=2)
        run.fire(first)
        assert run.open == [then]


def test_a_loop_does_not_stop_in_silence_after_a_thousand_turns(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> xor -> a -> xor2 -> xor"))
    for _ in range(1200):
        run.complete("a")
    assert run.open == ["a"]


def test_a_python_exception_becomes_an_error_that_the_model_catches(
    draw: Drawing, play: Player
) -> None:
    def work(inputs: dict[str, Any]) -> None:
        raise BusinessError("Jam")

    run = play(
        draw(
            "start -> t -> normal",
            "edge -> mend",
            t=draw.service("work"),
            edge=draw.border("t", error="Jam"),
        ),
        pure={"work": work},
    )
    assert run.open == ["mend"]


def test_a_non_interrupting_signal_fires_more_than_once(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> a",
            "edge -> b",
            edge=draw.border("a", signal="knock", interrupting=False),
        )
    )
    run.receive("edge")
    run.receive("edge")
    assert run.open == ["a", "b", "b", "edge"]


def test_a_sequential_loop_needs_no_output_and_can_be_entered_again(
    draw: Drawing, play: Player
) -> None:
    loop = draw.each("${xs}", "x", sequential=True, collect=("ys", "y"))
    run = play(
        draw("start -> xor -> many -> again -> xor", many=draw.user(loop=loop)),
        {"xs": [1, 2]},
    )
    for turn in range(3):
        run.complete("many", y=turn)
        run.complete("many", y=turn + 10)
        assert run.variables["ys"] == [turn, turn + 10]
        run.complete("again")


def test_a_stale_branch_does_not_overwrite_another_at_a_join(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and_in -> a -> and_out -> after",
            "and_in -> b -> and_out",
        ),
        {"status": "old", "items": [1, 1]},
    )
    run.complete("a", status="new", items=[2, 2])
    run.complete("b")
    assert run.variables == {"status": "new", "items": [2, 2]}


def test_a_call_copies_nothing_that_is_not_mapped(draw: Drawing, play: Player) -> None:
    run = play(draw("start -> c -> a", c=draw.call("other")), {"secret": 1})
    assert run.wait("c").inputs == {}
    run.complete("c", secret=2, more=3)
    assert run.variables == {"secret": 1}


def test_a_thrown_signal_does_not_copy_the_throwers_variables(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> tell", tell=draw.end(signal="ping")), {"secret": 1})
    assert run.step.throws[0].variables == {}


def test_an_inner_catcher_does_not_swallow_a_signal_thrown_beside_it(
    draw: Drawing, play: Player
) -> None:
    """Its own waits get it at once, all others from the table of subscriptions."""
    run = play(
        draw(
            "start -> and -> hear -> a",
            "and -> t -> tell",
            hear=draw.catch(signal="ping"),
            tell=draw.end(signal="ping"),
        )
    )
    run.complete("t")
    assert [t.event for t in run.step.throws] == ["ping"]
    assert run.open == ["a"]


def test_a_task_in_a_subprocess_may_have_a_lane_of_its_own(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> sub",
            sub=draw.sub("start_in -> a"),
            lanes={"Robot": ["sub"], "Worker": ["start", "a"]},
        )
    )
    assert run.wait("a").lane == "Worker"
