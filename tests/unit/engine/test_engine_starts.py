"""Start events: which a process has, which one begins it, when its timers come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mpms.domain.errors import StartUnknown, VariableTooLarge
from mpms.domain.instances.limits import KB, Limits
from mpms.domain.instances.steps import Complete, Fire, Start, StuckWait, TimerWait
from mpms.domain.models.definitions import Definition
from mpms.domain.processes.starts import Due, StartEvent
from mpms.engine.runner import SpiffEngine

NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
HEAD = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
    ' xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="file"'
    ' targetNamespace="urn:test">'
    '<message id="m" name="Order placed"/><message id="m2" name="Order changed"/>'
    '<signal id="s" name="alarm"/><process id="P" isExecutable="true">'
)
PLAIN = '<startEvent id="plain"/>'
MESSAGE = (
    '<startEvent id="by_message"><messageEventDefinition id="md" messageRef="m"/>'
    "</startEvent>"
)
SIGNAL = (
    '<startEvent id="by_signal"><signalEventDefinition id="sd" signalRef="s"/>'
    "</startEvent>"
)
SCRIPT = (
    '<scriptTask id="{id}" scriptFormat="mpms"><script>{text}</script></scriptTask>'
)


def timer(tag: str, text: str, id_: str = "by_timer") -> str:
    return (
        f'<startEvent id="{id_}"><timerEventDefinition id="{id_}_d"><{tag}>{text}'
        f"</{tag}></timerEventDefinition></startEvent>"
    )


def drawn(*starts: str) -> bytes:
    """Every start leads to a form of its own, named after it."""
    body = ""
    for number, start in enumerate(starts):
        id_ = start.split('id="', 1)[1].split('"', 1)[0]
        form = f"form_{id_}_{number}"
        body += f'{start}<userTask id="{form}"/>'
        body += f'<sequenceFlow id="f{number}" sourceRef="{id_}" targetRef="{form}"/>'
    return f"{HEAD}{body}</process></definitions>".encode()


def definition(xml: bytes) -> Definition:
    return Definition(str(hash(xml)), "P", 1, "", xml)


def reasons(xml: bytes) -> list[tuple[str, str]]:
    return [(p.element, p.reason) for p in SpiffEngine().check(xml)]


def due(tag: str, text: str, now: datetime = NOON) -> Due | None:
    (start,) = SpiffEngine().starts(drawn(timer(tag, text)))
    return SpiffEngine().first_due(start, now=now)


def test_the_start_events_of_a_file_are_told_with_what_triggers_them() -> None:
    xml = drawn(PLAIN, MESSAGE, SIGNAL, timer("timeCycle", "R3/PT10M"))
    assert reasons(xml) == []
    assert SpiffEngine().starts(xml) == [
        StartEvent("P", "plain", "", "none"),
        StartEvent("P", "by_message", "", "message", "Order placed"),
        StartEvent("P", "by_signal", "", "signal", "alarm"),
        StartEvent("P", "by_timer", "", "timer", None, "cycle", "R3/PT10M"),
    ]


@pytest.mark.parametrize("at", [None, "plain", "by_message", "by_signal"])
def test_a_process_begins_at_the_start_that_was_triggered(at: str | None) -> None:
    xml = definition(drawn(PLAIN, MESSAGE, SIGNAL))
    step = SpiffEngine().advance(xml, None, Start({"a": 1}, at), now=NOON)
    (wait,) = step.waits
    assert wait.element.startswith(f"form_{at or 'plain'}")
    assert step.snapshot.variables == {"a": 1}
    assert [line.element for line in step.trace if line.kind == "left"] == [
        at or "plain"
    ]


def test_a_start_without_a_plain_start_event_names_those_there_are() -> None:
    xml = definition(drawn(MESSAGE, SIGNAL))
    with pytest.raises(StartUnknown) as refusal:
        SpiffEngine().advance(xml, None, Start(), now=NOON)
    assert "'by_message' (message Order placed)" in str(refusal.value)
    assert "'by_signal' (signal alarm)" in str(refusal.value)
    with pytest.raises(StartUnknown, match="no start event 'nowhere'"):
        SpiffEngine().advance(xml, None, Start(at="nowhere"), now=NOON)


def test_an_element_that_is_no_start_cannot_be_started_at() -> None:
    xml = definition(drawn(PLAIN))
    with pytest.raises(StartUnknown, match="form_plain_0"):
        SpiffEngine().advance(xml, None, Start(at="form_plain_0"), now=NOON)


@pytest.mark.parametrize(
    ("xml", "element", "reason"),
    [
        (
            drawn(PLAIN, '<startEvent id="plain_2"/>'),
            "plain_2",
            "a second start beside 'plain'",
        ),
        (
            drawn(MESSAGE, MESSAGE.replace("by_message", "again")),
            "again",
            "the message 'Order placed' starts the process at 'by_message' already",
        ),
        (
            drawn(timer("timeDuration", "${wait}")),
            "by_timer",
            "the timer needs wait, but a process that has not begun has no variables",
        ),
        (
            drawn('<startEvent id="c"><conditionalEventDefinition id="d">'
                  "<condition>${a}</condition></conditionalEventDefinition>"
                  "</startEvent>"),
            "c",
            "",
        ),
    ],
)  # fmt: skip
def test_starts_that_cannot_be_told_apart_or_evaluated_are_refused(
    xml: bytes, element: str, reason: str
) -> None:
    found = reasons(xml)
    assert [where for where, _ in found] == [element]
    assert reason in found[0][1]


@pytest.mark.parametrize(
    ("text", "refused"),
    [("0 0 8 ? * 2-6", True), ("0 0 8 ? * MON-FRI", False), ("0 8 * * 1", False)],
)
def test_weekdays_by_number_are_refused_where_they_mean_two_things(
    text: str, refused: bool
) -> None:
    seven = drawn(timer("timeCycle", text))
    assert reasons(seven) == []
    work = (
        '<serviceTask id="work"><extensionElements><zeebe:taskDefinition'
        ' xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" type="robot.move"/>'
        '</extensionElements></serviceTask><sequenceFlow id="to"'
        ' sourceRef="form_by_timer_0" targetRef="work"/></process>'
    )
    eight = seven.replace(b"</process>", work.encode())
    found = reasons(eight)
    assert [where for where, _ in found] == (["by_timer"] if refused else [])
    assert not refused or "write its name" in found[0][1]


@pytest.mark.parametrize(
    ("tag", "text", "at"),
    [
        ("timeDate", "2026-03-01T08:00:00Z", "2026-03-01T08:00"),
        ("timeDate", "2020-03-01T08:00:00Z", "2020-03-01T08:00"),  # at once
        ("timeDuration", "P1M", "2026-02-28T12:00"),
        ("timeDuration", "${'PT' + '5M'}", "2026-01-31T12:05"),
        ("timeCycle", "R3/PT10M", "2026-01-31T12:10"),
        ("timeCycle", "R/2026-01-01T00:00:00Z/P1D", "2026-02-01T00:00"),
        ("timeCycle", "R/2027-01-01T00:00:00Z/P1D", "2027-01-01T00:00"),
        ("timeCycle", "0 30 8 ? * MON-FRI", "2026-02-02T08:30"),
        ("timeCycle", "30 8 * * *", "2026-02-01T08:30"),
        ("timeCycle", "R3/2026-01-01T00:00:00Z/P1D", None),  # over
        ("timeCycle", "0 0 0 1 1 ? 2020", None),
    ],
)
def test_a_timer_start_is_first_due(tag: str, text: str, at: str | None) -> None:
    found = due(tag, text)
    expected = None if at is None else datetime.fromisoformat(at).replace(tzinfo=UTC)
    assert (found.at if found else None) == expected


def follow(tag: str, text: str, late: timedelta = timedelta()) -> list[str]:
    """The turns of a timer start; somebody looks ``late`` after each is due."""
    engine = SpiffEngine()
    (start,) = engine.starts(drawn(timer(tag, text)))
    at = engine.first_due(start, now=NOON)
    turns: list[str] = []
    while at is not None and len(turns) < 5:
        turns.append(f"{at.at:%m-%d %H:%M}")
        at = engine.next_due(start.timer, at, now=at.at + late)
    return turns


@pytest.mark.parametrize(
    ("tag", "text", "turns"),
    [
        ("timeDate", "2026-03-01T08:00:00Z", ["03-01 08:00"]),
        ("timeDuration", "PT1H", ["01-31 13:00"]),
        ("timeCycle", "R3/PT10M", ["01-31 12:10", "01-31 12:20", "01-31 12:30"]),
        (
            "timeCycle",  # the 31st stays the 31st after a February
            "R5/2026-01-31T18:00:00Z/P1M",
            ["01-31 18:00", "02-28 18:00", "03-31 18:00", "04-30 18:00", "05-31 18:00"],
        ),
        (
            "timeCycle",
            "0 0 8 ? * MON,FRI",
            ["02-02 08:00", "02-06 08:00", "02-09 08:00", "02-13 08:00", "02-16 08:00"],
        ),
    ],
)
def test_a_cycle_has_its_turns(tag: str, text: str, turns: list[str]) -> None:
    assert follow(tag, text) == turns


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("R/PT10M", ["01-31 12:10", "01-31 12:40", "01-31 13:10"]),
        ("R7/PT10M", ["01-31 12:10", "01-31 12:40", "01-31 13:10"]),
        ("0 0/10 * * * ?", ["01-31 12:10", "01-31 12:40", "01-31 13:10"]),
    ],
)
def test_turns_that_were_missed_are_used_up(text: str, turns: list[str]) -> None:
    found = follow("timeCycle", text, late=timedelta(minutes=25))
    assert found[:3] == turns
    assert len(found) == (3 if text.startswith("R7") else 5)


def test_a_cron_cycle_repeats_on_a_boundary_that_does_not_interrupt() -> None:
    xml = (
        f'{HEAD}{PLAIN}<sequenceFlow id="a" sourceRef="plain" targetRef="work"/>'
        '<userTask id="work"/><boundaryEvent id="remind" attachedToRef="work"'
        ' cancelActivity="false"><timerEventDefinition id="t"><timeCycle>'
        "0 0 * * * ?</timeCycle></timerEventDefinition></boundaryEvent>"
        '<sequenceFlow id="b" sourceRef="remind" targetRef="told"/>'
        '<endEvent id="told"/></process></definitions>'
    ).encode()
    assert reasons(xml) == []
    engine, model = SpiffEngine(), definition(xml)
    step = engine.advance(model, None, Start(), now=NOON)
    assert due_of(step) == NOON + timedelta(hours=1)
    for late_h, following_h in ((1, 2), (5, 6)):  # two turns fall due, then one late
        now = NOON + timedelta(hours=late_h)
        step = engine.advance(model, step.snapshot, fire(step), now=now)
        assert due_of(step) == NOON + timedelta(hours=following_h)


def fire(step: Any) -> Any:
    (wait,) = [w for w in step.waits if isinstance(w, TimerWait)]
    return Fire(wait.task_id)


def due_of(step: Any) -> datetime:
    (at,) = [w.due_at for w in step.waits if isinstance(w, TimerWait)]
    assert isinstance(at, datetime)
    return at


# -- limits --------------------------------------------------------------------------

SMALL = Limits(variable_bytes=2 * KB, instance_bytes=5 * KB)


def test_a_variable_from_outside_that_is_too_large_is_refused_by_name() -> None:
    engine, model = SpiffEngine(limits=SMALL), definition(drawn(PLAIN))
    with pytest.raises(VariableTooLarge, match="'photo' has 3 KB; at most 2 KB"):
        engine.advance(model, None, Start({"a": 1, "photo": "x" * 3 * KB}), now=NOON)
    step = engine.advance(model, None, Start({"photo": "x" * 1000}), now=NOON)
    (form,) = step.waits
    command = Complete(form.task_id, {"list": ["y" * 100] * 50})
    with pytest.raises(VariableTooLarge, match="'list'"):
        engine.advance(model, step.snapshot, command, now=NOON)


def test_all_variables_together_have_a_limit_too() -> None:
    engine, model = SpiffEngine(limits=SMALL), definition(drawn(PLAIN))
    three = {name: "x" * 1500 for name in "abc"}
    step = engine.advance(model, None, Start(three), now=NOON)
    (form,) = step.waits
    command = Complete(form.task_id, {"d": "x" * 1500})
    with pytest.raises(VariableTooLarge, match="With the variable 'd'"):
        engine.advance(model, step.snapshot, command, now=NOON)
    replaced = Complete(form.task_id, {"a": "y" * 1500})
    done = engine.advance(model, step.snapshot, replaced, now=NOON)
    assert done.snapshot.variables["a"].startswith("y")
    many = {f"n{number}": number for number in range(2000)}
    with pytest.raises(VariableTooLarge, match="together"):
        engine.advance(model, None, Start(many), now=NOON)


def test_a_script_that_writes_too_much_is_stuck_with_the_name() -> None:
    xml = (
        f'{HEAD}{PLAIN}<sequenceFlow id="a" sourceRef="plain" targetRef="grow"/>'
        f"{SCRIPT.format(id='grow', text='big = big + big')}"
        '<sequenceFlow id="b" sourceRef="grow" targetRef="grow_2"/>'
        f"{SCRIPT.format(id='grow_2', text='big = big + big')}"
        '<sequenceFlow id="c" sourceRef="grow_2" targetRef="end"/>'
        '<endEvent id="end"/></process></definitions>'
    ).encode()
    assert reasons(xml) == []
    engine = SpiffEngine(limits=SMALL)
    start = Start({"big": "x" * 900})
    step = engine.advance(definition(xml), None, start, now=NOON)
    (wait,) = step.waits
    assert isinstance(wait, StuckWait)
    assert wait.element == "grow_2"
    assert "'big'" in wait.reason
    assert len(step.snapshot.variables["big"]) == 1800
