"""The shape of the drawing: ways in, ways out, conditions, borders."""

from __future__ import annotations

from collections.abc import Iterator

from mpms.domain.models.definitions import Problem
from mpms.engine.lint.view import View, at
from mpms.engine.model import ACTIVITY_TAGS, Element, Flow
from mpms.engine.reading.tags import EVENT_TAGS, GATEWAY_TAGS

_WITH_START = frozenset({"subProcess", "transaction"})
_DECIDING = frozenset({"exclusiveGateway", "inclusiveGateway"})
_MAY_HAVE_DEFAULT = ACTIVITY_TAGS | _DECIDING | {"complexGateway"}
_MAY_HAVE_CONDITIONS = _MAY_HAVE_DEFAULT | EVENT_TAGS
_WAITED_FOR = frozenset({"timer", "signal", "message", "conditional"})

NO_WAY_IN = {
    "startEvent": (
        "a flow cannot lead to a start event; let it lead to the step after it"
    ),
    "boundaryEvent": (
        "a flow cannot lead to a boundary event; let it lead to its activity"
    ),
}
NO_WAY_OUT = {
    "endEvent": "a flow cannot leave an end event; draw an intermediate event instead"
}
NO_CONDITION = {
    "parallelGateway": (
        "a flow leaving a parallel gateway cannot have a condition; draw an inclusive "
        "gateway instead"
    ),
    "eventBasedGateway": (
        "a flow leaving an event gateway cannot have a condition; remove it, for the "
        "event that comes decides"
    ),
}


def check_flows(view: View) -> Iterator[Problem]:
    for flow in view.process.flows.values():
        yield from (at(flow, text) for text in _flow(view, flow))
    for element in view.accepted():
        yield from (at(element, text) for text in _default(view, element))
        if element.tag in GATEWAY_TAGS and not element.outgoing:
            reason = "no flow leaves this gateway; draw where it leads to"
            yield at(element, reason)
        if element.tag == "exclusiveGateway" and len(element.outgoing) > 1:
            yield from _undecided(view, element)
        if element.tag == "eventBasedGateway":
            yield from _after_event_gateway(view, element)
    yield from _starts(view)
    yield from _unreached(view)


def _flow(view: View, flow: Flow) -> Iterator[str]:
    source, target = view.source(flow), view.target(flow)
    if source.scope != target.scope:
        yield (
            f"the flow from '{source.id}' to '{target.id}' crosses the border of a "
            "subprocess; let it lead to the subprocess itself"
        )
    if reason := NO_WAY_OUT.get(source.tag, "") or NO_WAY_IN.get(target.tag, ""):
        yield reason
    if flow.condition is None or source.id in view.refused:
        return
    if source.tag not in _MAY_HAVE_CONDITIONS:
        yield NO_CONDITION[source.tag]
    if source.default == flow.id:
        yield (
            "the default flow cannot have a condition; remove it, for this flow is "
            "taken if no other is"
        )


def _default(view: View, element: Element) -> Iterator[str]:
    if element.default is None:
        return
    if element.tag not in _MAY_HAVE_DEFAULT:
        yield "only activities, exclusive and inclusive gateways have a default flow"
    elif element.default not in element.outgoing:
        yield f"the default flow '{element.default}' does not leave this element"


def _undecided(view: View, gateway: Element) -> Iterator[Problem]:
    for flow in view.outgoing(gateway):
        if flow.condition is None and flow.id != gateway.default:
            reason = (
                f"the flow to '{flow.target}' leaves a gateway with several ways and "
                "has neither a condition nor is it the default flow"
            )
            if flow.name:
                reason += f"; its label '{flow.name}' is no condition"
            yield at(flow, f"{reason}; write one like ${{a > 1}}, or =a > 1 in FEEL")


def _after_event_gateway(view: View, gateway: Element) -> Iterator[Problem]:
    for flow in view.outgoing(gateway):
        target = view.target(flow)
        waits = target.tag == "receiveTask" or (
            target.tag == "intermediateCatchEvent"
            and all(trigger.kind in _WAITED_FOR for trigger in target.triggers)
        )
        if not waits:
            reason = (
                "after an event gateway only timer, signal, message and conditional "
                "events and receive tasks are executed"
            )
            yield at(target, reason)
        elif len(target.incoming) > 1:
            yield at(target, "after an event gateway there can be no second way in")
        elif target.loop is not None or target.id in view.boundaries:
            reason = "a receive task after an event gateway has no loop and no border"
            yield at(target, f"{reason} events")


def _starts(view: View) -> Iterator[Problem]:
    begun = (e for e in view.accepted() if e.tag in _WITH_START)
    scopes = [None, *(e.id for e in begun if not e.event_subprocess)]
    for scope in scopes:
        starts = [e for e in view.scopes.get(scope, ()) if e.tag == "startEvent"]
        place = view.process if scope is None else view.process.elements[scope]
        if not starts:
            noun = "process" if scope is None else "subprocess"
            yield at(place, f"the {noun} has no start event; draw one")
        plain = [start for start in starts if not start.triggers]
        for start in plain[1:]:
            reason = f"a second start beside '{plain[0].id}'"
            yield at(start, f"{reason}; draw one start and a gateway after it")


def _unreached(view: View) -> Iterator[Problem]:
    """Elements without a way in, and circles that no way leads to.

    What follows an element reported here, or refused already, is not reported too.
    """
    found: list[Element] = []
    ad_hoc = {e.id for e in view.process.elements.values() if e.ad_hoc}
    links = [e for e in view.process.elements.values() if _is_link(e)]
    for element in view.process.elements.values():
        if element.tag == "startEvent":
            found.append(element)
            continue
        freely = element.scope in ad_hoc and element.is_activity
        if element.event_subprocess or element.for_compensation or freely:
            found.append(element)
            continue
        if element.incoming or element.tag == "boundaryEvent":
            continue
        if _is_link(element) and element.tag == "intermediateCatchEvent":
            if not any(_leads_to(throw, element) for throw in links):
                found.append(element)
            continue
        found.append(element)
        if not {element.id, element.scope} & view.refused:
            reason = "no flow leads to this element, so it is never reached"
            yield at(element, f"{reason}; connect or remove it")
    reached = {element.id for element in found}
    while found:
        element = found.pop()
        followers = [view.target(flow) for flow in view.outgoing(element)]
        if _is_link(element):
            followers += [e for e in links if _leads_to(element, e)]
        for follower in (*followers, *view.boundaries.get(element.id, ())):
            if follower.id not in reached:
                reached.add(follower.id)
                found.append(follower)
    for element in view.accepted():
        if element.id in reached or element.tag == "boundaryEvent":
            continue
        if not _is_link(element) or element.incoming:
            reason = "this element cannot be reached from the start"
            yield at(element, f"{reason}; connect or remove it")


def _is_link(element: Element) -> bool:
    return element.trigger is not None and element.trigger.kind == "link"


def _leads_to(throw: Element, catch: Element) -> bool:
    return (
        catch.tag == "intermediateCatchEvent"
        and throw.tag == "intermediateThrowEvent"
        and catch.scope == throw.scope
        and catch.triggers[0].name == throw.triggers[0].name
    )
