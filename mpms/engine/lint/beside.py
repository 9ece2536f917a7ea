"""What stands beside the flow: links, event subprocesses, what undoes, what cancels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from mpms.domain.models.definitions import Problem
from mpms.engine.lint.elements import PARTS
from mpms.engine.lint.view import View, at
from mpms.engine.model import SUBPROCESS_TAGS, Element


def check_beside(view: View) -> Iterator[Problem]:
    yield from _links(view)
    for element in view.accepted():
        if element.event_subprocess:
            yield from (at(element, text) for text in _event_subprocess(view, element))
        if element.for_compensation:
            yield from (at(element, text) for text in _handler(view, element))
        for kind, check in _RULES.items():
            if element.trigger is not None and element.trigger.kind == kind:
                yield from (at(element, text) for text in check(view, element))
    yield from _rivals(view)


# -- links -------------------------------------------------------------------------


def _links(view: View) -> Iterator[Problem]:
    throws: dict[tuple[str | None, str], list[Element]] = defaultdict(list)
    catches: dict[tuple[str | None, str], list[Element]] = defaultdict(list)
    for element in view.accepted():
        trigger = element.trigger
        if trigger is None or trigger.kind != "link":
            continue
        throwing = element.tag == "intermediateThrowEvent"
        place = throws if throwing else catches
        place[element.scope, trigger.name].append(element)
        if throwing and element.outgoing:
            yield at(element, "no flow leaves a link that throws: its catch goes on")
        if not throwing and element.incoming:
            yield at(element, "no flow leads to a link that catches: its throw does")
    for (scope, name), elements in throws.items():
        if (scope, name) not in catches:
            where = "no link event in the same scope catches"
            yield from (at(e, f"{where} '{name}'; name both alike") for e in elements)
    for (scope, name), elements in catches.items():
        if (scope, name) not in throws:
            where = "no link event in the same scope throws"
            yield from (at(e, f"{where} '{name}'; name both alike") for e in elements)
        for second in elements[1:]:
            reason = f"'{elements[0].id}' catches the link '{name}' already"
            yield at(second, reason)


# -- event subprocesses ------------------------------------------------------------


def _event_subprocess(view: View, element: Element) -> Iterator[str]:
    if element.tag != "subProcess":
        yield "only a plain subprocess can be an event subprocess"
    if element.incoming or element.outgoing:
        yield "an event subprocess has no flows: its event starts it"
    if element.loop is not None:
        yield "an event subprocess cannot be a loop"
    if element.id in view.boundaries:
        yield "an event subprocess has no boundary events"
    inside = view.scopes.get(element.id, ())
    starts = [e for e in inside if e.tag == "startEvent"]
    if len(starts) != 1:
        yield f"an event subprocess needs exactly one start event, not {len(starts)}"


# -- compensation ------------------------------------------------------------------


def _compensation(view: View, event: Element) -> Iterator[str]:
    if event.tag == "boundaryEvent":
        yield from _compensation_border(view, event)
    elif event.tag == "startEvent":
        yield from _compensation_start(view, event)
    else:
        yield from _compensation_throw(view, event)


def _compensation_border(view: View, event: Element) -> Iterator[str]:
    elements = view.process.elements
    if event.outgoing:
        yield "no flow leaves a compensation event: draw an association to its handler"
    handlers = [elements[id_] for id_ in event.handlers]
    if len(handlers) != 1:
        yield (
            "a compensation event needs one association to the activity that undoes, "
            f"not {len(handlers)}"
        )
    for handler in handlers:
        if not handler.is_activity or not handler.for_compensation:
            yield f"'{handler.id}' is not marked as an activity for compensation"
        elif handler.scope != event.scope:
            yield f"the handler '{handler.id}' is not in the same scope"
    host = elements.get(event.attached_to or "")
    if host is not None and host.for_compensation:
        yield "an activity for compensation is not compensated itself"
    if host is not None and host.event_subprocess:
        yield "an event subprocess has no boundary events"


def _compensation_start(view: View, event: Element) -> Iterator[str]:
    around = view.process.elements[event.scope or ""].scope
    if around is None:
        yield PARTS["compensation of a whole process"]
    elif any(_is(e, "compensate") for e in view.boundaries.get(around, ())):
        yield f"'{around}' has a compensation event at its border already"


def _compensation_throw(view: View, event: Element) -> Iterator[str]:
    wanted = event.triggers[0].activity
    if wanted is None:
        return
    elements = view.process.elements
    undone = elements.get(wanted)
    scopes = {event.scope}
    around = elements.get(event.scope or "")
    while around is not None and around.event_subprocess:
        scopes.add(around.scope)
        around = elements.get(around.scope or "")
    if undone is None or not undone.is_activity:
        yield f"there is no activity '{wanted}' to compensate"
    elif undone.scope not in scopes:
        yield f"'{wanted}' is not in the scope of this event, so it is never undone"
    elif undone.tag not in SUBPROCESS_TAGS and not any(
        _is(e, "compensate") for e in view.boundaries.get(wanted, ())
    ):
        yield f"'{wanted}' has no compensation event, so nothing would be undone"


def _handler(view: View, element: Element) -> Iterator[str]:
    if element.incoming or element.outgoing:
        yield "an activity for compensation is outside the flow: remove its flows"
        return
    if element.id in view.boundaries:
        yield PARTS["an activity for compensation with boundary events"]
    events = (e for e in view.process.elements.values() if element.id in e.handlers)
    if not any(_is(e, "compensate") for e in events):
        yield "no compensation event leads to this activity by an association"


# -- transactions ------------------------------------------------------------------


def _cancel(view: View, event: Element) -> Iterator[str]:
    elements = view.process.elements
    if event.tag == "boundaryEvent":
        host = elements.get(event.attached_to or "")
        if host is not None and host.tag != "transaction":
            yield f"'{host.id}' is no transaction, so it is never cancelled"
        return
    around = elements.get(event.scope or "")
    if around is None or around.tag != "transaction":
        yield "a cancel end stands directly in a transaction; move it there"
    elif not any(_is(e, "cancel") for e in view.boundaries.get(around.id, ())):
        yield (
            f"the transaction '{around.id}' has no cancel event at its border; draw "
            "one and where it leads to"
        )
    elif around.loop is not None:
        yield PARTS["a transaction that is a loop and has a cancel end"]


_RULES = {"compensate": _compensation, "cancel": _cancel}


# -- rivals ------------------------------------------------------------------------


def _rivals(view: View) -> Iterator[Problem]:
    """Two events that would catch the same; nobody could say which is meant."""
    groups: dict[str | None, list[Element]] = defaultdict(list)
    for element in view.accepted():
        if element.tag == "startEvent" and element.scope:
            around = view.process.elements[element.scope]
            if around.event_subprocess:
                groups[around.scope].append(element)
    for scope, starts in groups.items():
        where = f"two event subprocesses of '{scope or view.process.id}'"
        yield from _same(starts, where)
    for host, events in view.boundaries.items():
        accepted = [e for e in events if e.id not in view.refused]
        yield from _same(accepted, f"two boundary events of '{host}'")


_CAUGHT = {
    "error": "every error",
    "escalation": "every escalation",
    "compensate": "its compensation",
    "cancel": "its cancelling",
}


def _same(events: list[Element], where: str) -> Iterator[Problem]:
    seen: set[tuple[str, str | None]] = set()
    for event, trigger in ((e, t) for e in events for t in e.triggers):
        if trigger.kind not in _CAUGHT:
            continue
        key = (trigger.kind, trigger.code)
        if key in seen:
            what = f"{trigger.kind} '{trigger.code}'" if trigger.code else None
            yield at(event, f"{where} catch {what or _CAUGHT[trigger.kind]}")
        seen.add(key)


def _is(event: Element, kind: str) -> bool:
    return event.trigger is not None and event.trigger.kind == kind
