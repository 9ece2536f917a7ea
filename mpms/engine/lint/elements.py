"""Which elements and events are executed: tag, and event kind by position.

An empty reason means executed.
"""

from __future__ import annotations

from collections.abc import Iterator

from mpms.domain.models import Problem
from mpms.engine.lint.view import at
from mpms.engine.model import Element, Process

EXECUTED = ""

TAGS = {
    "startEvent": EXECUTED,
    "endEvent": EXECUTED,
    "intermediateThrowEvent": EXECUTED,
    "intermediateCatchEvent": EXECUTED,
    "boundaryEvent": EXECUTED,
    "exclusiveGateway": EXECUTED,
    "parallelGateway": EXECUTED,
    "inclusiveGateway": EXECUTED,
    "eventBasedGateway": EXECUTED,
    "complexGateway": (
        "complex gateways are not executed; draw exclusive, inclusive or parallel ones"
    ),
    "task": EXECUTED,
    "userTask": EXECUTED,
    "manualTask": EXECUTED,
    "serviceTask": EXECUTED,
    "scriptTask": EXECUTED,
    "businessRuleTask": EXECUTED,
    "sendTask": EXECUTED,
    "receiveTask": EXECUTED,
    "callActivity": EXECUTED,
    "subProcess": EXECUTED,
    "transaction": (
        "transactions are not executed; draw a subprocess with an error boundary event"
    ),
    "adHocSubProcess": (
        "ad-hoc subprocesses are not executed; connect the activities with flows"
    ),
}

EVENT_SUBPROCESS = "event subprocesses are not executed yet; draw boundary events"

_NO_COMPENSATION = "compensation is not executed; draw the undoing as ordinary steps"
_NO_CANCEL = "cancel events belong to transactions, which are not executed"
_NO_LINK = "link events are not executed; connect the steps with a sequence flow"
_NO_CONDITION = (
    "conditional events are not executed; draw a gateway, or wait for a signal"
)
_NO_ESCALATION = "escalations are not executed; draw an error or a signal"
_NOT_AT_ALL = {
    "compensate": _NO_COMPENSATION,
    "cancel": _NO_CANCEL,
    "link": _NO_LINK,
    "conditional": _NO_CONDITION,
    "escalation": _NO_ESCALATION,
}
_START_LATER = (
    "a process is not started by a {kind} yet; draw a plain start event and begin "
    "the process from outside"
)
_INNER_START = (
    "the start inside a subprocess must be plain: it begins with its activity"
)
_CATCH_ONLY = "this event cannot throw a {kind}"
_THROW_ONLY = "this event cannot wait for a {kind}"

EVENTS: dict[str, dict[str, str]] = {
    "start": {
        **_NOT_AT_ALL,
        "none": EXECUTED,
        "message": _START_LATER,
        "signal": _START_LATER,
        "timer": _START_LATER,
        "error": _THROW_ONLY,
        "terminate": _THROW_ONLY,
    },
    "inner start": {
        **_NOT_AT_ALL,
        "none": EXECUTED,
        "message": _INNER_START,
        "signal": _INNER_START,
        "timer": _INNER_START,
        "error": _INNER_START,
        "terminate": _INNER_START,
    },
    "end": {
        **_NOT_AT_ALL,
        "none": EXECUTED,
        "terminate": EXECUTED,
        "error": EXECUTED,
        "signal": EXECUTED,
        "message": EXECUTED,
        "timer": _CATCH_ONLY,
    },
    "throw": {
        **_NOT_AT_ALL,
        "none": EXECUTED,
        "signal": EXECUTED,
        "message": EXECUTED,
        "timer": _CATCH_ONLY,
        "error": "errors are thrown by an end event, not on the way",
        "terminate": "a process is terminated by an end event, not on the way",
    },
    "catch": {
        **_NOT_AT_ALL,
        "none": "this catching event does not say what it waits for",
        "timer": EXECUTED,
        "signal": EXECUTED,
        "message": EXECUTED,
        "error": "errors are caught at the border of an activity only",
        "terminate": _THROW_ONLY,
    },
    "boundary": {
        **_NOT_AT_ALL,
        "none": "this boundary event does not say what it waits for",
        "timer": EXECUTED,
        "error": EXECUTED,
        "signal": EXECUTED,
        "message": EXECUTED,
        "terminate": _THROW_ONLY,
    },
}

_POSITIONS = {
    "endEvent": "end",
    "intermediateThrowEvent": "throw",
    "intermediateCatchEvent": "catch",
    "boundaryEvent": "boundary",
}

_CYCLE = (
    "a timer that repeats is executed on a non-interrupting boundary event only; "
    "here write a date or a duration"
)
TIMERS = {
    ("catch", True): {"date": EXECUTED, "duration": EXECUTED, "cycle": _CYCLE},
    ("boundary", True): {"date": EXECUTED, "duration": EXECUTED, "cycle": _CYCLE},
    ("boundary", False): {"date": EXECUTED, "duration": EXECUTED, "cycle": EXECUTED},
}

_NEEDS_NAME = frozenset({"signal", "message"})


def judge_elements(process: Process) -> Iterator[Problem]:
    for element in process.elements.values():
        if reason := TAGS.get(element.tag, f"{element.tag} is not executed"):
            yield at(element, reason)
        if element.event_subprocess:
            yield at(element, EVENT_SUBPROCESS)
        if position := position_of(element, process):
            yield from (at(element, text) for text in _event(element, position))


def position_of(element: Element, process: Process) -> str:
    """The column of the event table; empty if this is no event of its own.

    The start of an event subprocess is not judged: the subprocess is.
    """
    if element.tag != "startEvent":
        return _POSITIONS.get(element.tag, "")
    if element.scope is None:
        return "start"
    enclosing = process.elements.get(element.scope)
    return "" if enclosing and enclosing.event_subprocess else "inner start"


def _event(element: Element, position: str) -> Iterator[str]:
    if len(element.triggers) > 1:
        yield "events with several triggers are not executed; draw one event for each"
        return
    trigger = element.trigger
    kind = trigger.kind if trigger else "none"
    reason = EVENTS[position].get(kind, f"events of the kind '{kind}' are not executed")
    if reason or trigger is None:
        yield from [reason.format(kind=kind)] if reason else []
        return
    if kind == "timer":
        yield from _timer(element, position)
    elif kind in _NEEDS_NAME and not trigger.name:
        yield f"this event names no {kind}; choose one that has a name"
    elif kind == "error" and position == "end" and not trigger.code:
        yield "this error end names no error with an error code"
    elif kind == "error" and trigger.name and not trigger.code:
        yield f"the error '{trigger.name}' has no error code"
    elif kind == "error" and not element.interrupting:
        yield "an error always interrupts its activity; set cancelActivity to true"


def _timer(element: Element, position: str) -> Iterator[str]:
    timer = element.triggers[0].timer
    known = TIMERS[position, element.interrupting or position != "boundary"]
    reason = known.get(timer, "this timer has neither a date, a duration nor a cycle")
    if reason:
        yield reason
