"""Which elements and events are executed: tag, and event kind by position.

An empty reason means executed.
"""

from __future__ import annotations

from collections.abc import Iterator

from mpms.domain.models.definitions import Problem
from mpms.engine.lint.view import at
from mpms.engine.model import Element, EventTrigger, Process

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
    "complexGateway": EXECUTED,
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
    "transaction": EXECUTED,
    "adHocSubProcess": EXECUTED,
}

_NO_CONDITION_START = (
    "a process is not started by a condition, for before it starts it has no variables "
    "that one could look at; let whoever changes the data start it by a message or "
    "signal, or start it plainly and wait in an intermediate conditional event"
)
_NO_START = "a process cannot be started by this kind of event ({kind})"
_CANCEL = "cancel events are ends of a transaction and events at its border only"
_COMPENSATE = (
    "compensation is caught at the border of an activity, or by an event subprocess"
)
_LINK = "links are intermediate events: one throws, one catches"
_INNER_START = (
    "the start inside a subprocess must be plain: it begins with its activity"
)
_CATCH_ONLY = "this event cannot throw a {kind}"
_THROW_ONLY = "this event cannot wait for a {kind}"

EVENTS: dict[str, dict[str, str]] = {
    "start": {
        "conditional": _NO_CONDITION_START,
        "escalation": _NO_START,
        "compensate": _NO_START,
        "cancel": _CANCEL,
        "link": _LINK,
        "none": EXECUTED,
        "message": EXECUTED,
        "signal": EXECUTED,
        "timer": EXECUTED,
        "error": _NO_START,
        "terminate": _THROW_ONLY,
    },
    "inner start": {
        "conditional": _INNER_START,
        "escalation": _INNER_START,
        "compensate": _INNER_START,
        "cancel": _INNER_START,
        "link": _INNER_START,
        "none": EXECUTED,
        "message": _INNER_START,
        "signal": _INNER_START,
        "timer": _INNER_START,
        "error": _INNER_START,
        "terminate": _INNER_START,
    },
    "event start": {
        "none": "the start of an event subprocess does not say what it waits for",
        "message": EXECUTED,
        "signal": EXECUTED,
        "timer": EXECUTED,
        "error": EXECUTED,
        "escalation": EXECUTED,
        "conditional": EXECUTED,
        "compensate": EXECUTED,
        "cancel": _CANCEL,
        "link": _LINK,
        "terminate": _THROW_ONLY,
    },
    "end": {
        "escalation": EXECUTED,
        "compensate": EXECUTED,
        "cancel": EXECUTED,
        "conditional": _CATCH_ONLY,
        "link": _LINK,
        "none": EXECUTED,
        "terminate": EXECUTED,
        "error": EXECUTED,
        "signal": EXECUTED,
        "message": EXECUTED,
        "timer": _CATCH_ONLY,
    },
    "throw": {
        "escalation": EXECUTED,
        "compensate": EXECUTED,
        "link": EXECUTED,
        "conditional": _CATCH_ONLY,
        "cancel": _CANCEL,
        "none": EXECUTED,
        "signal": EXECUTED,
        "message": EXECUTED,
        "timer": _CATCH_ONLY,
        "error": "errors are thrown by an end event, not on the way",
        "terminate": "a process is terminated by an end event, not on the way",
    },
    "catch": {
        "link": EXECUTED,
        "conditional": EXECUTED,
        "escalation": (
            "escalations are caught at the border of an activity, or by an event "
            "subprocess"
        ),
        "compensate": _COMPENSATE,
        "cancel": _CANCEL,
        "none": "this catching event does not say what it waits for",
        "timer": EXECUTED,
        "signal": EXECUTED,
        "message": EXECUTED,
        "error": (
            "errors are caught at the border of an activity, or by an event subprocess"
        ),
        "terminate": _THROW_ONLY,
    },
    "boundary": {
        "escalation": EXECUTED,
        "conditional": EXECUTED,
        "compensate": EXECUTED,
        "cancel": EXECUTED,
        "link": _LINK,
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

TIMERS = {
    ("start", True): {"date": EXECUTED, "duration": EXECUTED, "cycle": EXECUTED},
    ("catch", True): {"date": EXECUTED, "duration": EXECUTED, "cycle": EXECUTED},
    ("boundary", True): {"date": EXECUTED, "duration": EXECUTED, "cycle": EXECUTED},
    ("boundary", False): {"date": EXECUTED, "duration": EXECUTED, "cycle": EXECUTED},
    ("event start", True): {"date": EXECUTED, "duration": EXECUTED, "cycle": EXECUTED},
    ("event start", False): {
        "date": EXECUTED,
        "duration": EXECUTED,
        "cycle": EXECUTED,
    },
}

INTERRUPTING = {
    ("boundary", "error"): "an error always interrupts its activity",
    ("boundary", "compensate"): EXECUTED,  # comes after the activity: says nothing
    ("boundary", "cancel"): "a cancelled transaction is always interrupted",
    ("event start", "error"): "an error always interrupts its scope",
    ("event start", "compensate"): EXECUTED,
}
"""Kinds that cannot leave what they watch running; the others can."""

PARTS = {
    "an event with several triggers": EXECUTED,
    "an event with several triggers that are all needed, in the flow or at a border": (
        EXECUTED
    ),
    "a start that needs several triggers at once": (
        "a start that needs all of its triggers is not executed; start with one and "
        "wait for the others behind it"
    ),
    "several triggers, one of them an error, a link, a cancel or compensation": (
        "this event has several triggers, one of them {}, which is not executed; draw "
        "an event of its own for it"
    ),
    "a data object, data store or data association that is only drawn": EXECUTED,
    "a data association that fills a declared data input or output": (
        "the data association with '{}' fills a declared data input or output, which "
        "is not executed; variables are shared, or use camunda:inputOutput"
    ),
    "an activity for compensation with boundary events": (
        "boundary events of an activity for compensation are not executed"
    ),
    "a transaction that is a loop and has a cancel end": (
        "a transaction that is a loop cannot be cancelled"
    ),
    "compensation of a whole process": (
        "a whole process is not compensated; put this into a subprocess"
    ),
}
"""Combinations that are no element of their own; an empty reason means executed."""

_VARIABLE_EVENTS = frozenset({"create", "update", "delete"})
_NEEDS_NAME = frozenset({"signal", "message", "link"})
_WITH_CODE = {"error": "error", "escalation": "escalation"}


def check_elements(process: Process) -> Iterator[Problem]:
    for element in process.elements.values():
        if reason := TAGS.get(element.tag, f"{element.tag} is not executed"):
            yield at(element, reason)
        if position := position_of(element, process):
            yield from (at(element, text) for text in _event(element, position))


def position_of(element: Element, process: Process) -> str:
    """The column of the event table; empty if this is no event."""
    if element.tag != "startEvent":
        return _POSITIONS.get(element.tag, "")
    if element.scope is None:
        return "start"
    enclosing = process.elements.get(element.scope)
    of_event = enclosing is not None and enclosing.event_subprocess
    return "event start" if of_event else "inner start"


_IN_SEVERAL = {
    "start": frozenset({"message", "signal", "timer"}),
    "event start": frozenset(
        {"message", "signal", "timer", "conditional", "error", "escalation"}
    ),
    "boundary": frozenset(
        {"message", "signal", "timer", "conditional", "error", "escalation"}
    ),
    "catch": frozenset({"message", "signal", "timer", "conditional"}),
    "throw": frozenset({"message", "signal", "escalation"}),
    "end": frozenset({"message", "signal", "escalation", "terminate"}),
}
_WAITED_FOR = _IN_SEVERAL["catch"]
_NEEDS_ALL = PARTS["a start that needs several triggers at once"]
_NOT_IN_SEVERAL = PARTS[
    "several triggers, one of them an error, a link, a cancel or compensation"
]


def _event(element: Element, position: str) -> Iterator[str]:
    if len(element.triggers) < 2:
        yield from _trigger(element, element.trigger, position)
        return
    fitting = _IN_SEVERAL.get(position, frozenset())
    if element.waits_for_all and position in ("start", "event start"):
        yield _NEEDS_ALL
    elif element.waits_for_all:
        fitting &= _WAITED_FOR
    for trigger in element.triggers:
        found = list(_trigger(element, trigger, position))
        if not found and trigger.kind not in fitting:
            article = "an" if trigger.kind[0] in "aeiou" else "a"
            found = [_NOT_IN_SEVERAL.format(f"{article} {trigger.kind}")]
        yield from found


def _trigger(
    element: Element, trigger: EventTrigger | None, position: str
) -> Iterator[str]:
    kind = trigger.kind if trigger else "none"
    reason = EVENTS[position].get(kind, f"events of the kind '{kind}' are not executed")
    if reason or trigger is None:
        yield from [reason.format(kind=kind)] if reason else []
        return
    if kind == "timer":
        yield from _timer(element, trigger, position)
    elif kind in _NEEDS_NAME and not (trigger.name or element.settings.topic):
        yield f"this event names no {kind}; choose one that has a name"
    elif noun := _WITH_CODE.get(kind):
        yield from _code(trigger, noun, position)
    elif kind == "conditional":
        yield from _condition(trigger)
    if not element.interrupting and (why := INTERRUPTING.get((position, kind))):
        word = "cancelActivity" if position == "boundary" else "isInterrupting"
        yield f"{why}; set {word} to true"


def _code(trigger: EventTrigger, noun: str, position: str) -> Iterator[str]:
    if trigger.code:
        return
    if position in ("end", "throw"):
        event = "end" if position == "end" else "event"
        yield f"this {noun} {event} names no {noun} with an {noun} code"


def _condition(trigger: EventTrigger) -> Iterator[str]:
    if not trigger.text:
        yield "this event has no condition"
    for word in trigger.variable_events:
        if word not in _VARIABLE_EVENTS:
            yield f"camunda:variableEvents: '{word}' is not create, update or delete"


def _timer(element: Element, trigger: EventTrigger, position: str) -> Iterator[str]:
    timer = trigger.timer
    interrupts = element.interrupting or (position, False) not in TIMERS
    known = TIMERS[position, interrupts]
    nothing = "this timer has neither a date, a duration nor a cycle; write one of them"
    reason = known.get(timer, nothing)
    if reason:
        yield reason
