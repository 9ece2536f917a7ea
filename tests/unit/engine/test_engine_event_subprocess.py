"""Event subprocesses: started by an event while their scope is active."""

from datetime import timedelta
from typing import Any

import pytest

from mpms.domain.errors import TaskGone
from mpms.domain.instances.instances import InstanceStatus
from mpms.domain.instances.steps import Complete, Fail, Receive, SetVariables
from mpms.engine.runner import SpiffEngine
from tests.support.bpmn_drawing import Drawing, Drawn
from tests.support.bpmn_play import Play, Player

pytestmark = pytest.mark.covers("A3")

KINDS: dict[str, str] = {
    "message": "stop",
    "signal": "stop",
    "timer": "PT1H",
    "error": "Jam",
    "escalation": "Jam",
    "conditional": "${go}",
}


def begun(draw: Drawing, kind: str, interrupting: bool) -> Drawn:
    trigger: dict[str, Any] = {kind: KINDS[kind]}
    return draw.begin(interrupting=interrupting, **trigger)


def at_process(draw: Drawing, kind: str, interrupting: bool = True) -> bytes:
    begin = begun(draw, kind, interrupting)
    return draw(
        "start -> and -> a -> end",
        "and -> job -> xor",
        "xor -> end_bad if how == 'error'",
        "xor -> up if how == 'escalation'",
        "xor -> end otherwise",
        "up -> after_up",
        on=draw.on("begin -> mend -> end_on", begin=begin),
        end_bad=draw.end(error="Jam"),
        up=draw.throw(escalation="Jam"),
    )


def inside(draw: Drawing, kind: str, interrupting: bool = True) -> bytes:
    begin = begun(draw, kind, interrupting)
    return draw(
        "start -> and_out -> sub -> normal",
        "and_out -> outside",
        sub=draw.sub(
            "start_in -> and -> a -> end",
            "and -> job -> xor",
            "xor -> end_bad if how == 'error'",
            "xor -> up if how == 'escalation'",
            "xor -> end otherwise",
            "up -> after_up",
            on=draw.on("begin -> mend -> end_on", begin=begin),
            end_bad=draw.end(error="Jam"),
            up=draw.throw(escalation="Jam"),
        ),
    )


def trigger(run: Play, kind: str) -> None:
    if kind in ("message", "signal"):
        run.receive("begin", came=1)
    elif kind == "timer":
        run.fire("begin")
    elif kind == "conditional":
        run.do(SetVariables({"go": True}))
    else:
        run.complete("job", how=kind)


@pytest.mark.parametrize("kind", KINDS)
def test_one_that_interrupts_cancels_its_process_and_ends_it(
    draw: Drawing, play: Player, kind: str
) -> None:
    run = play(at_process(draw, kind), {"go": False, "how": ""})
    trigger(run, kind)
    assert run.open == ["mend"]
    assert "a" in run.passed("cancelled")
    assert "begin" in run.passed("caught")
    run.complete("mend")
    assert run.done


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "error"])
def test_one_that_does_not_interrupt_runs_beside(
    draw: Drawing, play: Player, kind: str
) -> None:
    run = play(at_process(draw, kind, interrupting=False), {"go": False, "how": ""})
    trigger(run, kind)
    assert {"a", "mend"} <= set(run.open)
    run.complete("a")
    run.complete("mend")
    assert not run.done
    run.complete("after_up" if kind == "escalation" else "job", how="")
    assert run.done


@pytest.mark.parametrize("kind", KINDS)
def test_inside_a_subprocess_only_the_subprocess_is_interrupted(
    draw: Drawing, play: Player, kind: str
) -> None:
    run = play(inside(draw, kind), {"go": False, "how": ""})
    trigger(run, kind)
    assert run.open == ["mend", "outside"]
    run.complete("mend")
    assert run.open == ["normal", "outside"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_start_that_waits_never_keeps_its_scope_from_ending(
    draw: Drawing, play: Player, kind: str
) -> None:
    for model in (at_process(draw, kind), inside(draw, kind)):
        run = play(model, {"go": False, "how": ""})
        run.complete("a")
        run.complete("job", how="")
        if "outside" in run.open:
            assert run.open == ["normal", "outside"]
            run.complete("normal")
            run.complete("outside")
        assert run.done
        assert run.step.waits == ()


def test_a_start_that_is_not_triggered_leaves_no_trace(
    draw: Drawing, play: Player
) -> None:
    run = play(at_process(draw, "signal"), {"how": ""})
    run.complete("a")
    run.complete("job")
    assert not {"on", "begin"} & {line.element for line in run.trace}


def test_one_that_does_not_interrupt_starts_again_and_again(
    draw: Drawing, play: Player
) -> None:
    run = play(at_process(draw, "signal", interrupting=False), {"how": ""})
    for times in range(1, 4):
        run.receive("begin")
        assert run.open.count("mend") == times


def test_a_cycle_starts_it_at_its_own_pace(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> a",
            on=draw.on(
                "begin -> mend", begin=draw.begin(interrupting=False, cycle="R3/PT1M")
            ),
        )
    )
    began = run.now
    for turn in (1, 2, 3):
        assert run.wait("begin").due_at == began + timedelta(minutes=turn)
        run.fire("begin")
    assert run.open == ["a", "mend", "mend", "mend"]


def test_a_scope_waits_for_all_that_run_and_starts_no_new_ones_at_its_end(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> sub -> normal",
            sub=draw.sub(
                "start_in -> a",
                on=draw.on(
                    "begin -> mend", begin=draw.begin(interrupting=False, signal="s")
                ),
            ),
        )
    )
    run.receive("begin")
    run.receive("begin")
    assert run.open == ["a", "begin", "mend", "mend"]
    run.complete("a")
    assert run.open == ["mend", "mend"]
    for wait in run.waits("mend"):
        assert not run.waits("normal")
        run.do(Complete(wait.task_id))
    assert run.open == ["normal"]


def several(draw: Drawing) -> bytes:
    return draw(
        "start -> a",
        note=draw.on("hear -> b", hear=draw.begin(interrupting=False, signal="note")),
        stop=draw.on("halt -> c", halt=draw.begin(signal="halt")),
        bad=draw.on("fail -> d", fail=draw.begin(error=None)),
    )


def test_once_one_interrupts_no_other_can_start(draw: Drawing, play: Player) -> None:
    run = play(several(draw))
    run.receive("hear")
    assert run.open == ["a", "b", "halt", "hear"]
    late = Receive(run.wait("hear").task_id)
    run.receive("halt")
    assert run.open == ["c"]
    assert {"a", "b", "note"} <= set(run.passed("cancelled"))
    with pytest.raises(TaskGone):
        run.do(late)


def test_an_error_in_one_that_runs_beside_is_caught_in_the_same_scope(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> a",
            beside=draw.on(
                "hear -> b -> end_bad",
                hear=draw.begin(interrupting=False, signal="note"),
                end_bad=draw.end(error="Jam"),
            ),
            bad=draw.on("fail -> d", fail=draw.begin(error="Jam")),
        )
    )
    run.receive("hear")
    run.complete("b")
    assert run.open == ["d"]


def test_an_error_in_one_that_interrupted_goes_outwards(
    draw: Drawing, play: Player
) -> None:
    handler = draw.on(
        "fail -> b -> end_bad",
        fail=draw.begin(error="Jam"),
        end_bad=draw.end(error="Jam"),
    )
    run = play(
        draw(
            "start -> sub -> normal",
            "edge -> outer",
            sub=draw.sub("start_in -> job", job=draw.service("work"), on=handler),
            edge=draw.border("sub", error="Jam"),
        )
    )
    run.fail("job", "Jam")
    assert run.open == ["b"]
    run.complete("b")
    assert run.open == ["outer"]
    alone = play(draw("start -> job", job=draw.service("work"), on=handler))
    alone.fail("job", "Jam")
    alone.complete("b")
    assert alone.status is InstanceStatus.FAILED


def test_it_catches_before_the_border_of_its_scope_and_after_that_of_the_task(
    draw: Drawing, play: Player
) -> None:
    model = draw(
        "start -> sub -> normal",
        "edge_s -> by_scope",
        edge_s=draw.border("sub", error=None),
        sub=draw.sub(
            "start_in -> job -> after",
            "edge_t -> by_task",
            job=draw.service("work"),
            edge_t=draw.border("job", error="T"),
            on=draw.on("fail -> by_event", fail=draw.begin(error="E")),
        ),
    )
    for code, caught in (("T", "by_task"), ("E", "by_event"), ("X", "by_scope")):
        run = play(model)
        run.fail("job", code, "why")
        assert run.open == [caught]
        assert run.variables["error_code"] == code
        assert run.variables["error_message"] == "why"


def test_a_code_comes_before_any(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> job",
            job=draw.service("work"),
            any=draw.on("fail_any -> a", fail_any=draw.begin(error=None)),
            exact=draw.on("fail -> b", fail=draw.begin(error="Jam")),
        )
    )
    run.fail("job", "Jam")
    assert run.open == ["b"]


def test_a_failed_job_that_no_event_subprocess_catches_changes_nothing(
    draw: Drawing, play: Player
) -> None:
    run = play(at_process(draw, "error"), {"how": ""})
    assert not run.do(Fail(run.wait("job").task_id, "Other")).caught
    assert run.open == ["a", "job"]


def test_an_escalation_thrown_again_inside_it_goes_outwards(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> sub -> normal",
            "edge -> outer",
            edge=draw.border("sub", escalation="Late", interrupting=False),
            sub=draw.sub(
                "start_in -> up -> a",
                up=draw.throw(escalation="Late"),
                on=draw.on(
                    "begin -> again -> b",
                    begin=draw.begin(interrupting=False, escalation="Late"),
                    again=draw.throw(escalation="Late"),
                ),
            ),
        )
    )
    assert run.open == ["a", "b", "outer"]


# -- nested, looped, ended ---------------------------------------------------------


def test_every_turn_of_a_loop_has_its_own(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> many -> normal",
            many=draw.sub(
                "start_in -> a",
                loop=draw.each("${xs}", "x"),
                on=draw.on(
                    "begin -> mend", begin=draw.begin(message="stop", key="${x}")
                ),
            ),
        ),
        {"xs": ["p", "q"]},
    )
    assert sorted(w.correlation for w in run.waits("begin")) == ["p", "q"]
    (first,) = (w for w in run.waits("begin") if w.correlation == "p")
    run.do(Receive(first.task_id))
    assert run.open == ["a", "begin", "mend"]
    run.complete("mend")
    run.complete("a")
    assert run.open == ["normal"]


def test_one_inside_another(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> a",
            outer=draw.on(
                "hear -> b",
                hear=draw.begin(interrupting=False, signal="one"),
                inner=draw.on("fire -> c", fire=draw.begin(signal="two")),
            ),
        )
    )
    assert run.open == ["a", "hear"]
    run.receive("hear")
    assert run.open == ["a", "b", "fire", "hear"]
    run.receive("fire")
    assert run.open == ["a", "c", "hear"]
    run.complete("c")
    run.complete("a")
    assert run.done


@pytest.mark.parametrize("interrupting", [True, False])
def test_a_terminate_end_inside_it_ends_it_alone(
    draw: Drawing, play: Player, interrupting: bool
) -> None:
    run = play(
        draw(
            "start -> a",
            on=draw.on(
                "begin -> and -> b",
                "and -> c -> end_all",
                begin=draw.begin(interrupting=interrupting, signal="s"),
                end_all=draw.end(terminate=None),
            ),
        )
    )
    run.receive("begin")
    run.complete("c")
    assert run.open == ([] if interrupting else ["a", "begin"])
    assert run.done is interrupting


def test_a_terminate_end_of_its_scope_ends_it_too(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> a -> end_all",
            end_all=draw.end(terminate=None),
            on=draw.on("begin -> b", begin=draw.begin(interrupting=False, signal="s")),
        )
    )
    run.receive("begin")
    run.complete("a")
    assert run.done


def test_cancelling_the_instance_ends_it(draw: Drawing, play: Player) -> None:
    run = play(several(draw))
    run.receive("hear")
    run.cancel()
    assert run.status is InstanceStatus.CANCELLED
    assert run.step.waits == ()


def test_an_interrupted_scope_takes_its_waiting_starts_along(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> sub -> normal",
            "edge -> beside",
            edge=draw.border("sub", signal="stop"),
            sub=draw.sub(
                "start_in -> a",
                on=draw.on("begin -> b", begin=draw.begin(timer="PT1H")),
            ),
        )
    )
    assert run.open == ["a", "begin", "edge"]
    run.receive("edge")
    assert run.open == ["beside"]


def test_a_loop_keeps_the_same_bytes_with_event_subprocesses(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> xor -> sub -> xor",
            sub=draw.sub(
                "start_in -> a",
                on=draw.on(
                    "begin -> b", begin=draw.begin(interrupting=False, signal="s")
                ),
            ),
            log=draw.on("hear -> c", hear=draw.begin(interrupting=False, signal="t")),
        )
    )
    before = len(run.kept.state)
    for _ in range(50):
        run.receive("begin")
        run.complete("a")
        run.complete("b")
        run.receive("hear")
        run.complete("c")
        assert len(run.kept.state) == before


def test_a_timer_that_cannot_be_read_is_stuck_and_does_not_hold_its_scope(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> a",
            on=draw.on("begin -> b", begin=draw.begin(timer="${unknown}")),
        )
    )
    assert set(run.stuck) == {"begin"}
    run.mend(unknown="PT1M")
    run.retry("begin")
    assert run.open == ["a", "begin"]
    run.complete("a")
    assert run.done


def test_a_conditional_one_that_triggers_itself_is_stopped(
    draw: Drawing, play: Player
) -> None:
    begin = draw.begin(interrupting=False, conditional="${n % 2 == 0}")
    run = play(
        draw(
            "start -> a",
            on=draw.on(
                "begin -> up -> up2",
                begin=begin,
                up=draw.script("n = n + 1"),
                up2=draw.script("n = n + 1"),
            ),
        ),
        {"n": 0},
        step_limit=300,
    )
    assert any("300 steps" in reason for reason in run.stuck.values())


# -- refused -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "element", "reason"),
    [
        (
            lambda d: d("start -> a", on=d.on("begin -> b", begin=d.begin())),
            "begin",
            "",
        ),
        (
            lambda d: d(
                "start -> a -> on", on=d.on("begin -> b", begin=d.begin(signal="s"))
            ),
            "on",
            "has no flows",
        ),
        (
            lambda d: d(
                "start -> a",
                "edge -> c",
                edge=d.border("on", signal="x"),
                on=d.on("begin -> b", begin=d.begin(signal="s")),
            ),
            "on",
            "no boundary events",
        ),
        (
            lambda d: d(
                "start -> a",
                one=d.on("begin1 -> b", begin1=d.begin(error="E")),
                two=d.on("begin2 -> c", begin2=d.begin(error="E")),
            ),
            "begin2",
            "two event subprocesses of 'process' catch error 'E'",
        ),
    ],
)
def test_what_cannot_be_is_refused(
    draw: Drawing, model: Any, element: str, reason: str
) -> None:
    problems = SpiffEngine().check(model(draw))
    assert [p.element for p in problems] == [element]
    assert reason in problems[0].reason
