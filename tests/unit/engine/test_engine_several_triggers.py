"""Events with several triggers: one is enough, or all must come."""

import pytest

from mpms.domain.instances.steps import EventWait, Fire, Move, Receive, TimerWait
from mpms.domain.models.definitions import Definition
from mpms.engine.runner import SpiffEngine
from tests.support.bpmn_drawing import Drawing, Drawn
from tests.support.bpmn_play import Play, Player

pytestmark = pytest.mark.covers("A3")


def all_of(drawn: Drawn) -> Drawn:
    drawn.attributes["parallelMultiple"] = "true"
    return drawn


def receive(run: Play, element: str, event: str, **variables: object) -> None:
    (wait,) = (
        w for w in run.waits(element) if isinstance(w, EventWait) and w.event == event
    )
    run.do(Receive(wait.task_id, dict(variables)))


def test_one_trigger_of_a_catching_event_is_enough(draw: Drawing, play: Player) -> None:
    come = draw.catch(message="paid", signal="stop", timer="PT1H", conditional="${go}")
    for way in ("paid", "stop", "timer"):
        run = play(draw("start -> come -> after", come=come), {"go": False})
        assert run.open == ["come"] * 3
        if way == "timer":
            (wait,) = (w for w in run.waits("come") if isinstance(w, TimerWait))
            run.now = wait.due_at
            run.do(Fire(wait.task_id))
        else:
            receive(run, "come", way, by=way)
            assert run.variables["by"] == way
        assert run.open == ["after"]
        assert run.passed("entered").count("come") == 1
    at_once = play(draw("start -> come -> after", come=come), {"go": True})
    assert at_once.open == ["after"]


def test_all_triggers_of_a_parallel_event_must_come(
    draw: Drawing, play: Player
) -> None:
    come = all_of(draw.catch(message="paid", signal="packed"))
    run = play(draw("start -> come -> after", come=come))
    receive(run, "come", "packed", a=1)
    assert run.open == ["come"]
    receive(run, "come", "paid", b=2)
    assert run.open == ["after"]
    assert run.variables == {"a": 1, "b": 2}


def test_an_event_gateway_is_left_by_an_event_with_several_triggers(
    draw: Drawing, play: Player
) -> None:
    come = draw.catch(message="paid", signal="stop")
    late = draw.catch(timer="PT1H")
    xml = draw(
        "start -> event_which -> come -> after",
        "event_which -> late -> told",
        come=come,
        late=late,
    )
    run = play(xml)
    receive(run, "come", "stop")
    assert run.open == ["after"]


@pytest.mark.parametrize("interrupting", [True, False])
def test_any_trigger_at_a_border_starts_its_path(
    draw: Drawing, play: Player, interrupting: bool
) -> None:
    border = draw.border(
        "work", interrupting=interrupting, message="ask", signal="stop"
    )
    run = play(draw("start -> work -> end", "come -> told", come=border))
    receive(run, "come", "stop")
    assert run.open == (["told"] if interrupting else ["come", "come", "told", "work"])
    if not interrupting:
        receive(run, "come", "ask")
        assert run.open.count("told") == 2


def test_an_error_is_one_of_the_triggers_at_a_border(
    draw: Drawing, play: Player
) -> None:
    border = draw.border("work", error="Broken", timer="PT1H")
    xml = draw(
        "start -> work -> end",
        "come -> told",
        work=draw.service("drill"),
        come=border,
    )
    run = play(xml)
    run.fail("work", "Broken", "no bit")
    assert run.open == ["told"]
    late = play(xml)
    late.fire("come")
    assert late.open == ["told"]


def test_all_triggers_at_a_border_must_come_each_time(
    draw: Drawing, play: Player
) -> None:
    border = all_of(draw.border("work", interrupting=False, message="a", signal="b"))
    run = play(draw("start -> work -> end", "come -> told", come=border))
    for times in (1, 2):
        receive(run, "come", "a")
        assert run.open.count("told") == times - 1
        receive(run, "come", "b")
        assert run.open.count("told") == times
    run.complete("work")
    assert run.open == ["told", "told"]


def test_each_trigger_starts_an_event_subprocess(draw: Drawing, play: Player) -> None:
    handler = draw.on(
        "begin_it -> told",
        begin_it=draw.begin(interrupting=False, message="ask", signal="stop"),
    )
    run = play(draw("start -> work -> end", handler=handler))
    receive(run, "begin_it", "ask")
    receive(run, "begin_it", "stop")
    assert run.open.count("told") == 2


def test_an_event_throws_all_it_names_and_an_end_ends_last(
    draw: Drawing, play: Player
) -> None:
    xml = draw(
        "start -> and_both -> tell -> end_all",
        "and_both -> work",
        tell=draw.throw(signal="one", message="two"),
        end_all=draw.end(message="three", terminate=None),
    )
    run = play(xml)
    assert [throw.event for throw in run.step.throws] == ["one", "two", "three"]
    assert run.done


def test_a_process_starts_by_each_of_its_triggers(draw: Drawing) -> None:
    start = draw.begin(message="order", signal="restock")
    found = SpiffEngine().starts(draw("start -> a", start=start))
    assert [(s.element, s.kind, s.event) for s in found] == [
        ("start", "message", "order"),
        ("start", "signal", "restock"),
    ]


def test_an_operator_moves_the_event_and_not_one_of_its_triggers(
    draw: Drawing, play: Player
) -> None:
    come = draw.catch(message="paid", signal="stop")
    run = play(draw("start -> come -> after", come=come))
    run.do(Move(run.waits("come")[1].task_id, "after"))
    assert run.open == ["after"]


@pytest.mark.parametrize(
    ("drawn", "reason"),
    [
        (Drawn("startEvent"), "a start that needs all of its triggers"),
        (Drawn("intermediateThrowEvent"), None),
    ],
)
def test_a_start_that_needs_all_at_once_is_refused(
    draw: Drawing, drawn: Drawn, reason: str | None
) -> None:
    each = all_of(Drawn(drawn.tag, triggers={"message": "a", "signal": "b"}))
    path = "it -> a" if reason else "start -> it -> a"
    reasons = [p.reason for p in SpiffEngine().check(draw(path, it=each))]
    assert [r for r in reasons if reason and reason in r] == reasons


@pytest.mark.parametrize("waits_for_all", [True, False])
def test_an_event_with_several_triggers_goes_over_to_another_version(
    draw: Drawing, play: Player, waits_for_all: bool
) -> None:
    border = draw.border("work", message="ask", signal="stop")
    if waits_for_all:
        all_of(border)
    old = draw("start -> work -> end", "come -> told", come=border)
    new = draw("start -> work -> end", "come -> told_at_once", come=border)
    run = play(old)
    version = Definition("digest 2", "process", 2, "", new)
    assert run.engine.obstacles(run.definition, version, run.kept, {}) == []
    step = run.engine.migrate(run.definition, version, run.kept, {}, now=run.now)
    run.go_over(version, step)
    receive(run, "come", "ask")
    if waits_for_all:
        receive(run, "come", "stop")
    assert run.open == ["told_at_once"]


# -- complex gateways ----------------------------------------------------------------


def race(draw: Drawing, *after: str) -> bytes:
    when = "<activationCondition>${activationCount == 1}</activationCondition>"
    return draw(
        "start -> and_all -> a -> meet",
        "and_all -> b -> meet",
        *(after or ("meet -> won",)),
        meet=Drawn("complexGateway", inside=when),
    )


def test_a_token_that_comes_late_to_a_complex_gateway_is_told(
    draw: Drawing, play: Player
) -> None:
    run = play(race(draw))
    run.complete("a")
    assert run.open == ["b", "won"]
    assert "meet" not in run.passed("came late")
    run.complete("b")
    assert run.passed("came late") == ["meet"]
    assert run.open == ["won"]


def test_flows_that_ask_are_taken_once_more_when_it_begins_anew(
    draw: Drawing, play: Player
) -> None:
    xml = race(
        draw,
        "meet -> won if waitingForStart",
        "meet -> all_done if not waitingForStart",
    )
    run = play(xml)
    run.complete("a")
    assert run.open == ["b", "won"]
    run.complete("b")
    assert run.open == ["all_done", "won"]
    assert "waitingForStart" not in run.variables
