"""Events that are caught and thrown on the way: timers, signals, messages, ends."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mpms.domain.instances.instances import InstanceStatus
from mpms.domain.instances.steps import EventWait, Fire, TimerWait
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

pytestmark = pytest.mark.covers("A3")


@pytest.mark.parametrize(
    "text", ["PT90S", "${wait}", "${'PT' + str(seconds) + 'S'}", "=wait"]
)
def test_a_timer_event_waits_for_its_duration(
    draw: Drawing, play: Player, text: str
) -> None:
    run = play(
        draw("start -> pause -> a -> end", pause=draw.catch(timer=text)),
        {"wait": "PT90S", "seconds": 90},
    )
    wait = run.wait("pause")
    assert isinstance(wait, TimerWait)
    assert wait.due_at == run.now + timedelta(seconds=90)
    run.fire("pause")
    assert run.open == ["a"]


def test_a_timer_date_is_an_instant_in_utc(draw: Drawing, play: Player) -> None:
    model = draw("start -> p -> end", p=draw.catch(date="2026-02-01T10:00:00+02:00"))
    run = play(model)
    assert run.wait("p").due_at == datetime(2026, 2, 1, 8, tzinfo=UTC)
    run.fire("p")
    assert run.done


def test_a_timer_fired_before_its_time_goes_on_waiting(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> pause -> end", pause=draw.catch(timer="PT1M")))
    run.now += timedelta(seconds=59)
    step = run.do(Fire(run.wait("pause").task_id))
    assert not step.opened
    assert not step.closed
    assert not step.trace
    assert run.open == ["pause"]


@pytest.mark.parametrize("kind", ["signal", "message"])
def test_a_catch_event_waits_for_its_signal_or_message_and_takes_its_variables(
    draw: Drawing, play: Player, kind: str
) -> None:
    trigger: dict[str, Any] = {kind: "mail came"}
    run = play(draw("start -> hear -> end", hear=draw.catch(**trigger)), {"n": 1})
    wait = run.wait("hear")
    assert isinstance(wait, EventWait)
    assert (wait.kind, wait.event, wait.correlation) == (kind, "mail came", None)
    run.receive("hear", n=2, new="x")
    assert run.done
    assert run.variables == {"n": 2, "new": "x"}
    assert "hear" in run.passed("caught")


def test_a_message_waits_under_its_correlation_key(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> hear -> end",
            hear=draw.catch(message="reached", key="${order.number}"),
        ),
        {"order": {"number": 17}},
    )
    assert run.wait("hear").correlation == "17"


@pytest.mark.covers("A49")
@pytest.mark.parametrize("kind", ["signal", "message"])
@pytest.mark.parametrize("place", ["throw", "end"])
def test_signals_and_messages_are_thrown_on_the_way_and_at_the_end(
    draw: Drawing, play: Player, kind: str, place: str
) -> None:
    event = getattr(draw, place)(**{kind: "email received"})
    lines = ["start -> tell -> after"] if place == "throw" else ["start -> tell"]
    run = play(draw(*lines, tell=event))
    (throw,) = run.step.throws
    assert (throw.kind, throw.event) == (kind, "email received")
    assert throw.correlation is None
    assert run.open == (["after"] if place == "throw" else [])
    assert run.passed("thrown") == ["tell"]


def test_a_thrown_message_carries_its_correlation_key(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw("start -> tell", tell=draw.end(message="done", key="${number}")),
        {"number": "A-1"},
    )
    assert run.step.throws[0].correlation == "A-1"


# -- event gateways --------------------------------------------------------------


def waiting_four_ways(draw: Drawing) -> bytes:
    return draw(
        "start -> xor_again -> event -> soon -> after_soon -> xor_again",
        "event -> late -> after_late",
        "event -> hear -> after_hear",
        "event -> mail -> after_mail",
        "event -> answer -> after_answer",
        soon=draw.catch(timer="PT1M"),
        late=draw.catch(timer="PT1H"),
        hear=draw.catch(signal="ping"),
        mail=draw.catch(message="letter"),
        answer=draw.receive("answer"),
    )


@pytest.mark.parametrize(
    ("winner", "act"),
    [
        ("soon", "fire"),
        ("late", "fire"),
        ("hear", "receive"),
        ("mail", "receive"),
        ("answer", "receive"),
    ],
)
def test_the_first_event_after_an_event_gateway_wins_and_closes_the_others(
    draw: Drawing, play: Player, winner: str, act: str
) -> None:
    run = play(waiting_four_ways(draw))
    assert run.open == ["answer", "hear", "late", "mail", "soon"]
    getattr(run, act)(winner)
    assert run.open == [f"after_{winner}"]
    assert len(run.step.closed) == 5
    losers = {"answer", "hear", "late", "mail", "soon"} - {winner}
    assert set(run.passed("cancelled")) == losers
    assert run.passed("left")[-2:] == ["event", winner]


def test_an_event_gateway_in_a_loop_opens_its_events_anew(
    draw: Drawing, play: Player
) -> None:
    run = play(waiting_four_ways(draw))
    for _ in range(3):
        run.fire("soon")
        run.complete("after_soon")
        assert run.wait("soon").due_at == run.now + timedelta(minutes=1)
        assert len(run.open) == 5


def test_the_variables_of_the_winning_event_reach_the_instance(
    draw: Drawing, play: Player
) -> None:
    run = play(waiting_four_ways(draw))
    run.receive("mail", text="hello")
    assert run.variables == {"text": "hello"}


# -- error ends ------------------------------------------------------------------


def test_an_error_end_is_caught_by_the_nearest_boundary_that_matches(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> outer -> normal",
            "outer_any -> far",
            outer=draw.sub(
                "start_o -> middle -> after_middle",
                "middle_other -> wrong",
                "middle_broken -> near",
                middle=draw.sub(
                    "start_m -> a -> end_bad",
                    end_bad=draw.end(error="Broken"),
                ),
                middle_other=draw.border("middle", error="Other"),
                middle_broken=draw.border("middle", error="Broken"),
            ),
            outer_any=draw.border("outer", error=None),
        )
    )
    run.complete("a")
    assert run.open == ["near"]
    assert run.variables["error_code"] == "Broken"


def test_an_error_end_passes_boundaries_that_catch_another_code(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> outer -> normal",
            "outer_any -> far",
            outer=draw.sub(
                "start_o -> middle -> after_middle",
                "middle_other -> wrong",
                middle=draw.sub("start_m -> end_bad", end_bad=draw.end(error="Broken")),
                middle_other=draw.border("middle", error="Other"),
            ),
            outer_any=draw.border("outer", error=None),
        )
    )
    assert run.open == ["far"]


def test_a_boundary_with_the_code_wins_over_one_for_any_error(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> job -> normal",
            "any -> by_any",
            "exact -> by_code",
            job=draw.service("work"),
            any=draw.border("job", error=None),
            exact=draw.border("job", error="Jam"),
        )
    )
    run.fail("job", "Jam", "paper")
    assert run.open == ["by_code"]
    assert run.variables == {"error_code": "Jam", "error_message": "paper"}


def test_an_error_end_that_nobody_catches_fails_the_instance(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> sub -> normal",
            "and -> b",
            "other -> caught",
            sub=draw.sub("start_in -> a -> end_bad", end_bad=draw.end(error="Broken")),
            other=draw.border("sub", error="Other"),
        )
    )
    run.complete("a")
    assert run.status is InstanceStatus.FAILED
    assert run.step.error is not None
    assert run.step.error[0] == "Broken"
    assert run.step.waits == ()
    assert {w.element for w in run.step.closed} == {"a", "b"}
    assert "normal" not in run.passed("entered")


def test_an_error_end_in_one_branch_cancels_the_others_of_its_subprocess(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> sub -> normal",
            "and -> beside",
            "bad -> mend",
            sub=draw.sub(
                "start_in -> and_in -> a -> end_bad",
                "and_in -> b",
                "and_in -> pause",
                end_bad=draw.end(error="Broken"),
                pause=draw.catch(timer="PT1H"),
            ),
            bad=draw.border("sub", error="Broken"),
        )
    )
    run.complete("a")
    assert run.open == ["beside", "mend"]
