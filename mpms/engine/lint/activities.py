"""What an activity needs before it can be executed, and what may sit at its border."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from mpms.domain.models.definitions import Problem
from mpms.engine.expressions import is_expression
from mpms.engine.lint.elements import PARTS
from mpms.engine.lint.meanings import shown
from mpms.engine.lint.view import View, at
from mpms.engine.model import Element, ListenerScript, Loop

_DATA_COPY = PARTS["a data association that fills a declared data input or output"]
SCRIPT_FORMATS = frozenset({None, "mpms"})

_Need = tuple[Callable[[Element], object], str]

NEEDS: dict[str, _Need] = {
    "serviceTask": (
        lambda e: e.settings.topic,
        "a service task needs work to do: in Camunda Modeler choose the "
        "implementation 'External' and a topic (for Camunda 8: the job type)",
    ),
    "businessRuleTask": (
        lambda e: bool(e.settings.decision) != bool(e.settings.topic),
        "a business rule task needs a decision (camunda:decisionRef, in Camunda 8 "
        "zeebe:calledDecision) or an external topic, not both",
    ),
    "sendTask": (
        lambda e: bool(e.message) != bool(e.settings.topic),
        "a send task needs either a message with a name or an external topic",
    ),
    "receiveTask": (
        lambda e: e.message,
        "a receive task needs a message with a name",
    ),
    "callActivity": (
        lambda e: e.called,
        "a call activity needs the process to call: set calledElement (in "
        "Camunda 8: the process id)",
    ),
    "scriptTask": (
        lambda e: e.script or e.settings.expression or e.settings.topic,
        "a script task needs a script",
    ),
}

_FORM_INSIDE = (
    "forms inside a model are not shown; save the form as a file of its own and link "
    "it by its id"
)
_FORM_ELSEWHERE = (
    "this place of a form is not known; write camunda-forms:deployment:name.form"
)
FORM_SCHEMES = {
    "embedded:": "embedded forms are pages of another system; draw a form file",
    "app:": "forms of another application cannot be shown; draw a form file",
    "camunda-forms:bpmn:": _FORM_INSIDE,
    "operaton-forms:bpmn:": _FORM_INSIDE,
    "camunda-forms:": _FORM_ELSEWHERE,
    "operaton-forms:": _FORM_ELSEWHERE,
}
_FORM_ID = re.compile(r"[\w.-]+")

_Names = Callable[[Element], Iterable[str | None]]
BOUND = ("callActivity", "businessRuleTask")
THROWING = ("endEvent", "intermediateThrowEvent")
_NAMES: tuple[tuple[str, _Names], ...] = (
    ("form", lambda e: [e.settings.form if e.tag == "startEvent" else None]),
    ("signal or message", lambda e: [t.name for t in e.triggers if _begins(e)]),
    ("error code", lambda e: [t.code for t in e.triggers if e.tag not in THROWING]),
)
"""What must be known before there are variables, or before anything is caught."""


def _begins(element: Element) -> bool:
    return element.tag == "startEvent" and element.scope is None


def check_activities(view: View) -> Iterator[Problem]:
    for element in view.accepted():
        need = NEEDS.get(element.tag)
        if need and not need[0](element):
            yield at(element, need[1])
        if element.ad_hoc is not None:
            yield from (at(element, text) for text in _ad_hoc(view, element))
        if element.tag == "complexGateway":
            yield from (at(element, text) for text in _complex(element))
        for listener in element.settings.listeners:
            if not (listener.event and listener.topic):
                yield at(element, "a listener needs its event and the type of its job")
            elif element.loop is not None:
                yield at(
                    element, "listeners of a loop are not executed; draw a subprocess"
                )
        yield from (at(element, text) for text in _told(element))
        if element.tag in BOUND and not element.settings.binding:
            reason = "the binding 'version' and the number of the version go together"
            yield at(element, reason)
        for data in element.data_copies:
            yield at(element, _DATA_COPY.format(shown(data)))
        yield from (at(element, text) for text in _loop(element.loop))
        if element.tag == "boundaryEvent":
            yield from (at(element, text) for text in _host(view, element))
    for flow in view.process.flows.values():
        if any(one.event != "take" for one in flow.scripts):
            yield at(flow, "a listener of a flow listens to 'take'")
        yield from (at(flow, text) for text in _workless(flow.scripts))
    if any(one.event != "start" for one in view.process.scripts):
        reason = (
            "of the listeners of a process only those of 'start' are executed; draw "
            "what is to be done at the end as a step before it"
        )
        yield at(view.process, reason)
    yield from (at(view.process, text) for text in _workless(view.process.scripts))
    for element in view.process.elements.values():
        yield from (at(element, text) for text in _script(element))
        yield from (at(element, text) for text in _names(element))


def _told(element: Element) -> Iterator[str]:
    """What speaks against listeners that are executed in the step."""
    scripts = element.settings.scripts
    yield from _workless(scripts)
    if any(one.event == "take" for one in scripts):
        yield "only flows have listeners of 'take'"
    if any(one.event == "end" for one in scripts):
        if element.tag == "eventBasedGateway":
            yield "an event gateway has no listener of 'end'; give it to its events"
        if any(trigger.kind == "compensate" for trigger in element.triggers):
            yield "an event of compensation has no listeners; give them to its handler"


def _workless(scripts: Iterable[ListenerScript]) -> Iterator[str]:
    for one in scripts:
        if not (one.script or one.value):
            yield (
                "a listener (camunda:executionListener, camunda:taskListener) of "
                f"'{one.event}' has neither an expression nor a script"
            )


def _ad_hoc(view: View, element: Element) -> Iterator[str]:
    inside = view.scopes.get(element.id, ())
    free = [e for e in inside if e.is_activity and not e.incoming]
    if not any(not (e.event_subprocess or e.for_compensation) for e in free):
        yield "an ad-hoc subprocess needs an activity that no flow leads to"
    for event in inside:
        if event.tag in ("startEvent", "endEvent"):
            yield f"an ad-hoc subprocess has no starts and ends; remove '{event.id}'"
    if element.ad_hoc and element.ad_hoc.one_at_a_time and element.ad_hoc.active:
        yield (
            "the ordering 'Sequential' together with active elements is not executed; "
            "let people choose, or run them in parallel"
        )


def _complex(gateway: Element) -> Iterator[str]:
    if len(gateway.incoming) > 1 and not gateway.activation:
        yield (
            "a complex gateway that joins needs an activation condition such as "
            "${activationCount >= 2}"
        )
    elif len(gateway.incoming) < 2 and gateway.activation:
        yield "an activation condition waits for several flows; only one leads here"


def _script(element: Element) -> Iterator[str]:
    if element.tag == "scriptTask" and element.script_format not in SCRIPT_FORMATS:
        format_ = shown(str(element.script_format))
        yield (
            f"scripts in '{format_}' are not executed; set the format 'mpms' and "
            "write assignments like total = a + b"
        )


def _names(element: Element) -> Iterator[str]:
    for noun, get in _NAMES:
        text = next((one for one in get(element) if one and is_expression(one)), None)
        if text is not None:
            reason = f"the {noun} is chosen by an expression, which is not executed"
            yield f"{reason}: {shown(text)}; write the {noun} itself"
            return
    form = element.settings.form
    if form is None or is_expression(form):
        return
    for scheme, reason in FORM_SCHEMES.items():
        if form.startswith(scheme):
            yield f"{reason} (the form key is '{shown(form)}')"
            return
    if not _FORM_ID.fullmatch(form):
        yield f"'{shown(form)}' is no name of a form"


def _loop(loop: Loop | None) -> Iterator[str]:
    if loop is None:
        return
    if loop.kind == "standard":
        if not loop.loop_condition and loop.loop_maximum is None:
            yield "a standard loop needs a condition or a maximum to end"
        return
    if not loop.collection and not loop.cardinality:
        yield "multi-instance needs a collection or a number of turns"
    if loop.collection and loop.cardinality:
        yield "multi-instance has both a collection and a number of turns; give one"
    if bool(loop.output_collection) != bool(loop.output_element):
        yield "multi-instance output needs both a collection and an item"


def _host(view: View, event: Element) -> Iterator[str]:
    host = view.process.elements.get(event.attached_to or "")
    if event.attached_to is None:
        yield "this boundary event is attached to nothing; put it on an activity"
    elif host is None:
        missing = f"'{event.attached_to}', which is not in this process"
        yield f"this boundary event is attached to {missing}"
    elif not host.is_activity:
        yield f"this boundary event is attached to '{host.id}', which is no activity"
    elif host.scope != event.scope:
        yield f"this boundary event is not in the subprocess of its host '{host.id}'"
