"""Every element and event: executed, or refused with element and reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mpms.domain.models.definitions import Problem
from mpms.engine.lint import check
from mpms.engine.lint.elements import EVENTS, EXECUTED, TAGS
from mpms.engine.reading.tags import NODE_TAGS

Build = Callable[..., bytes]

TIMER = "<timerEventDefinition><{0}>{1}</{0}></timerEventDefinition>"
DEFINITIONS = {
    "none": "",
    "timer": TIMER.format("timeDuration", "PT5M"),
    "signal": "<signalEventDefinition signalRef='s'/>",
    "message": "<messageEventDefinition messageRef='m'/>",
    "error": "<errorEventDefinition errorRef='e'/>",
    "escalation": "<escalationEventDefinition escalationRef='esc'/>",
    "terminate": "<terminateEventDefinition/>",
    "link": "<linkEventDefinition name='there'/>",
    "conditional": "<conditionalEventDefinition><condition>${a}</condition>"
    "</conditionalEventDefinition>",
    "compensate": "<compensateEventDefinition/>",
    "cancel": "<cancelEventDefinition/>",
}
FLOW = "<sequenceFlow id='{0}_{1}' sourceRef='{0}' targetRef='{1}'/>"


def in_position(position: str, inner: str) -> str:
    if position == "start":
        return f"<startEvent id='x'>{inner}</startEvent><task id='t'/>" + FLOW.format(
            "x", "t"
        )
    if position == "end":
        return f"<startEvent id='b'/><endEvent id='x'>{inner}</endEvent>" + FLOW.format(
            "b", "x"
        )
    if position == "inner start":
        inside = f"<startEvent id='x'>{inner}</startEvent>"
        body = f"<startEvent id='b'/><subProcess id='sub'>{inside}</subProcess>"
        return body + FLOW.format("b", "sub")
    if position == "boundary":
        event = f"<boundaryEvent id='x' attachedToRef='t'>{inner}</boundaryEvent>"
        body = f"<startEvent id='b'/><userTask id='t'/>{event}<endEvent id='late'/>"
        return body + FLOW.format("b", "t") + FLOW.format("x", "late")
    if position == "event start":
        inside = f"<startEvent id='x'>{inner}</startEvent>"
        on = f"<subProcess id='on' triggeredByEvent='true'>{inside}</subProcess>"
        body = f"<startEvent id='b'/><subProcess id='sub'><startEvent id='i'/>{on}"
        return body + "</subProcess>" + FLOW.format("b", "sub")
    tag = f"intermediate{position.capitalize()}Event"
    body = f"<startEvent id='b'/><{tag} id='x'>{inner}</{tag}>"
    return body + FLOW.format("b", "x")


ALONE_REFUSED = {
    ("throw", "link"): "no link event in the same scope catches",
    ("catch", "link"): "no flow leads to a link that catches",
    ("end", "cancel"): "stands directly in a transaction",
    ("boundary", "cancel"): "is no transaction",
    ("boundary", "compensate"): "no flow leaves a compensation event",
}
"""Executed, but never alone: what the smallest drawing with one lacks."""


EVENT_CASES = [
    (position, kind, reason)
    for position, kinds in EVENTS.items()
    for kind, reason in kinds.items()
]


def test_the_tables_name_every_element_and_every_event() -> None:
    assert set(TAGS) == NODE_TAGS
    assert all(set(kinds) == set(DEFINITIONS) for kinds in EVENTS.values())


@pytest.mark.parametrize(("position", "kind", "reason"), EVENT_CASES)
def test_an_event_is_executed_or_refused_as_the_table_says(
    bpmn: Build, position: str, kind: str, reason: str
) -> None:
    lint = check(bpmn(in_position(position, DEFINITIONS[kind])))
    if (position, kind) in ALONE_REFUSED:
        assert ALONE_REFUSED[position, kind] in lint.problems[0].reason
    elif reason == EXECUTED:
        assert lint.problems == []
        assert lint.deployable
    else:
        assert lint.problems == [Problem("x", "", reason.format(kind=kind))]
        assert not lint.deployable


def test_what_is_executed_is_what_the_engine_promises() -> None:
    executed = {
        position: {kind for kind, reason in kinds.items() if reason == EXECUTED}
        for position, kinds in EVENTS.items()
    }
    assert executed == {
        "start": {"none", "message", "signal", "timer"},
        "inner start": {"none"},
        "event start": {
            *("timer", "signal", "message", "error", "escalation"),
            *("conditional", "compensate"),
        },
        "end": {
            *("none", "terminate", "error", "signal", "message"),
            *("escalation", "compensate", "cancel"),
        },
        "throw": {"none", "signal", "message", "escalation", "compensate", "link"},
        "catch": {"timer", "signal", "message", "conditional", "link"},
        "boundary": {
            *("timer", "error", "signal", "message", "escalation"),
            *("conditional", "compensate", "cancel"),
        },
    }


def test_a_refused_element_is_named_once(line: Build) -> None:
    problems = check(line("<adHocSubProcess id='x' name='The one'/>")).problems
    reason = "an ad-hoc subprocess needs an activity that no flow leads to"
    assert problems == [Problem("x", "The one", reason)]


@pytest.mark.parametrize("interrupting", ["true", "false"])
@pytest.mark.parametrize("kind", ["timer", "signal", "message"])
def test_boundary_events_may_leave_their_activity_running(
    bpmn: Build, kind: str, interrupting: str
) -> None:
    body = in_position("boundary", DEFINITIONS[kind])
    body = body.replace(
        "attachedToRef", f"cancelActivity='{interrupting}' attachedToRef"
    )
    assert check(bpmn(body)).problems == []


@pytest.mark.parametrize(
    ("position", "timer", "text", "reason"),
    [
        ("catch", "timeDate", "2030-01-31T08:00:00Z", ""),
        ("catch", "timeDate", "${due}", ""),
        ("catch", "timeDate", "tomorrow", "timer date"),
        ("catch", "timeDuration", "=wait", ""),
        ("catch", "timeDuration", "5 minutes", "timer duration"),
        ("catch", "timeDuration", "${", "timer duration"),
        ("catch", "timeDuration", "", "the timer duration is empty"),
        ("start", "timeCycle", "R/PT5M", ""),
        ("start", "timeCycle", "0 0 8 ? * MON-FRI", ""),
        ("start", "timeCycle", "0 0 30 2 *", "never comes"),
        ("start", "timeDuration", "${wait}", "has no variables"),
    ],
)
def test_timers_are_read_at_deployment(
    bpmn: Build, position: str, timer: str, text: str, reason: str
) -> None:
    problems = check(bpmn(in_position(position, TIMER.format(timer, text)))).problems
    assert len(problems) == (1 if reason else 0)
    assert not reason or reason in problems[0].reason


@pytest.mark.parametrize(
    ("cycle", "count"),
    [("R/PT5M", 0), ("R3/PT5M", 0), ("0 0 * * *", 0), ("0 60 * * *", 1), ("R/", 1)],
)
def test_a_cycle_is_executed_on_a_boundary_that_does_not_interrupt(
    bpmn: Build, cycle: str, count: int
) -> None:
    body = in_position("boundary", TIMER.format("timeCycle", cycle))
    body = body.replace("attachedToRef", "cancelActivity='false' attachedToRef")
    assert len(check(bpmn(body)).problems) == count


@pytest.mark.parametrize(
    ("position", "inner", "reason"),
    [
        ("catch", "<timerEventDefinition/>", "neither a date, a duration nor a cycle"),
        ("catch", "<signalEventDefinition/>", "names no signal"),
        (
            "throw",
            "<messageEventDefinition messageRef='nameless'/>",
            "names no message",
        ),
        ("end", "<errorEventDefinition/>", "names no error with an error code"),
        ("end", "<errorEventDefinition errorRef='codeless'/>", "names no error"),
        (
            "boundary",
            "<errorEventDefinition errorRef='codeless'/>",
            "",
        ),
        ("boundary", "<errorEventDefinition/>", ""),
        ("catch", DEFINITIONS["timer"] + DEFINITIONS["signal"], ""),
        ("boundary", DEFINITIONS["timer"] + DEFINITIONS["error"], ""),
        ("end", DEFINITIONS["message"] + DEFINITIONS["signal"], ""),
        (
            "end",
            DEFINITIONS["error"] + DEFINITIONS["signal"],
            "several triggers, one of them an error",
        ),
        (
            "catch",
            "<timerEventDefinition><timeDuration>PT1S</timeDuration>"
            "<timeDate>2030-01-01T00:00:00Z</timeDate></timerEventDefinition>",
            "more than one time",
        ),
    ],
)
def test_a_trigger_must_say_what_it_means(
    bpmn: Build, position: str, inner: str, reason: str
) -> None:
    reasons = [p.reason for p in check(bpmn(in_position(position, inner))).problems]
    assert len(reasons) == (1 if reason else 0)
    assert not reason or reason in reasons[0]


def test_an_error_always_interrupts(bpmn: Build) -> None:
    body = in_position("boundary", DEFINITIONS["error"])
    body = body.replace("attachedToRef", "cancelActivity='false' attachedToRef")
    (problem,) = check(bpmn(body)).problems
    assert "always interrupts" in problem.reason


@pytest.mark.parametrize(
    ("inside", "reason"),
    [
        (f"<startEvent id='i'>{DEFINITIONS['error']}</startEvent>", ""),
        ("", "needs exactly one start event, not 0"),
        (
            f"<startEvent id='i'>{DEFINITIONS['error']}</startEvent>"
            f"<startEvent id='j'>{DEFINITIONS['signal']}</startEvent>",
            "needs exactly one start event, not 2",
        ),
        (
            "<standardLoopCharacteristics loopMaximum='2'/>"
            f"<startEvent id='i'>{DEFINITIONS['error']}</startEvent>",
            "cannot be a loop",
        ),
    ],
)
def test_an_event_subprocess_has_one_start_and_no_loop(
    bpmn: Build, inside: str, reason: str
) -> None:
    body = (
        "<startEvent id='b'/>"
        f"<subProcess id='x' triggeredByEvent='true'>{inside}</subProcess>"
    )
    reasons = [p.reason for p in check(bpmn(body)).problems]
    assert len(reasons) == (1 if reason else 0)
    assert not reason or reason in reasons[0]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("error", "always interrupts its scope"),
        ("escalation", ""),
        ("conditional", ""),
        ("timer", ""),
    ],
)
def test_the_start_of_an_event_subprocess_may_leave_its_scope_running(
    bpmn: Build, kind: str, reason: str
) -> None:
    body = in_position("event start", DEFINITIONS[kind])
    body = body.replace("<startEvent id='x'", "<startEvent id='x' isInterrupting='0'")
    reasons = [p.reason for p in check(bpmn(body)).problems]
    assert len(reasons) == (1 if reason else 0)
    assert not reason or reason in reasons[0]


@pytest.mark.parametrize(
    ("attached", "reason"),
    [
        ("", "attached to nothing"),
        ("attachedToRef='gone'", "'gone', which is not in this process"),
        ("attachedToRef='b'", "'b', which is no activity"),
        ("attachedToRef='inner'", "not in the subprocess of its host 'inner'"),
    ],
)
def test_a_boundary_event_needs_an_activity(
    bpmn: Build, attached: str, reason: str
) -> None:
    body = (
        "<startEvent id='b'/><subProcess id='t'><startEvent id='i'/>"
        "<task id='inner'/>" + FLOW.format("i", "inner") + "</subProcess>"
        f"<boundaryEvent id='x' {attached}>{DEFINITIONS['signal']}</boundaryEvent>"
    )
    (problem,) = check(bpmn(body + FLOW.format("b", "t"))).problems
    assert (problem.element, reason in problem.reason) == ("x", True)


def test_two_boundary_events_for_the_same_error_are_refused(bpmn: Build) -> None:
    body = in_position("boundary", DEFINITIONS["error"])
    twin = f"<boundaryEvent id='y' attachedToRef='t'>{DEFINITIONS['error']}"
    (problem,) = check(bpmn(f"{body}{twin}</boundaryEvent>")).problems
    assert problem == Problem(
        "y", "", "two boundary events of 't' catch error 'Broken'"
    )


def test_flows_without_ids_each_have_a_condition_of_their_own(bpmn: Build) -> None:
    ways = "".join(
        f"<sequenceFlow sourceRef='x' targetRef='{to}'>"
        f"<conditionExpression>${{a == {n}}}</conditionExpression></sequenceFlow>"
        for n, to in enumerate(("e1", "e2"))
    )
    body = (
        "<startEvent id='began'/><sequenceFlow sourceRef='began' targetRef='x'/>"
        f"<exclusiveGateway id='x'/>{ways}<endEvent id='e1'/><endEvent id='e2'/>"
    )
    assert check(bpmn(body)).problems == []


def test_the_category_of_an_element_is_only_drawn(line: Build) -> None:
    grouped = "<userTask id='x'><categoryValueRef>c</categoryValueRef></userTask>"
    assert check(line(grouped)).problems == []


def test_an_event_subprocess_may_be_marked_as_for_compensation(line: Build) -> None:
    inner = (
        "<subProcess id='undo' triggeredByEvent='true' isForCompensation='true'>"
        "<startEvent id='back'><compensateEventDefinition/></startEvent>"
        "<sequenceFlow id='u1' sourceRef='back' targetRef='t'/><userTask id='t'/>"
        "</subProcess>"
    )
    sub = (
        "<subProcess id='x'><startEvent id='i'/><userTask id='w'/>"
        f"<sequenceFlow id='i1' sourceRef='i' targetRef='w'/>{inner}</subProcess>"
    )
    assert check(line(sub)).problems == []


def test_the_name_of_a_user_task_must_be_readable(line: Build) -> None:
    (problem,) = check(line("<userTask id='x' name='Order ${number'/>")).problems
    assert problem.reason.startswith("name: ")
