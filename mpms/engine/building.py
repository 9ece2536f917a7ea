"""A process as SpiffWorkflow specs, ready to run.

The lint has refused everything that is not in these tables, so building never
meets an element it does not know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from SpiffWorkflow.specs.WorkflowSpec import WorkflowSpec

from mpms.domain.errors import ModelRefused
from mpms.engine.expressions import compile_condition
from mpms.engine.model import SUBPROCESS_TAGS, Element, Process
from mpms.engine.nodes import activities, events, gateways
from mpms.engine.nodes.ad_hoc import AdHocSubProcess
from mpms.engine.nodes.base import Node, ProcessNode, Way
from mpms.engine.nodes.calls import CallActivity
from mpms.engine.nodes.compensation import (
    CancelEnd,
    CompensationBoundary,
    CompensationThrow,
    UndoScope,
    undo_name,
)
from mpms.engine.nodes.conditional import (
    ConditionalBoundary,
    ConditionalCatch,
    ConditionalListener,
)
from mpms.engine.nodes.escalation import EscalationThrow
from mpms.engine.nodes.event_subprocess import Listener
from mpms.engine.nodes.links import LinkThrow, is_link, link_target
from mpms.engine.nodes.loops import LoopBody
from mpms.engine.starts import starts_of

ACTIVITIES: dict[str, type[activities.Activity]] = {
    "task": activities.Activity,
    "manualTask": activities.Activity,
    "userTask": activities.UserTask,
    "serviceTask": activities.ServiceTask,
    "scriptTask": activities.ScriptTask,
    "businessRuleTask": activities.RuleTask,
    "sendTask": activities.SendTask,
    "receiveTask": activities.ReceiveTask,
    "subProcess": activities.SubProcess,
    "transaction": activities.SubProcess,
    "adHocSubProcess": AdHocSubProcess,
    "callActivity": CallActivity,
}
BY_TOPIC = frozenset({activities.SendTask, activities.RuleTask, activities.ScriptTask})
"""A handler may do the work of these, as of a service task."""

GATEWAYS: dict[str, type[Node]] = {
    "exclusiveGateway": gateways.ExclusiveGateway,
    "parallelGateway": gateways.ParallelGateway,
    "inclusiveGateway": gateways.InclusiveGateway,
    "eventBasedGateway": gateways.EventGateway,
    "complexGateway": gateways.ComplexGateway,
}
EVENTS: dict[tuple[str, str], Callable[[Any, Element], Node]] = {
    ("endEvent", ""): events.PassThrough,
    ("endEvent", "terminate"): events.TerminateEnd,
    ("endEvent", "error"): events.ErrorEnd,
    ("endEvent", "signal"): events.ThrowEvent,
    ("endEvent", "message"): events.ThrowEvent,
    ("endEvent", "escalation"): EscalationThrow,
    ("endEvent", "compensate"): CompensationThrow,
    ("endEvent", "cancel"): CancelEnd,
    ("intermediateThrowEvent", ""): events.PassThrough,
    ("intermediateThrowEvent", "signal"): events.ThrowEvent,
    ("intermediateThrowEvent", "message"): events.ThrowEvent,
    ("intermediateThrowEvent", "escalation"): EscalationThrow,
    ("intermediateThrowEvent", "compensate"): CompensationThrow,
    ("intermediateThrowEvent", "link"): LinkThrow,
    ("intermediateCatchEvent", "timer"): events.Catcher,
    ("intermediateCatchEvent", "signal"): events.Catcher,
    ("intermediateCatchEvent", "message"): events.Catcher,
    ("intermediateCatchEvent", "link"): events.PassThrough,
    ("intermediateCatchEvent", "conditional"): ConditionalCatch,
    ("boundaryEvent", "timer"): events.BoundaryEvent,
    ("boundaryEvent", "signal"): events.BoundaryEvent,
    ("boundaryEvent", "message"): events.BoundaryEvent,
    ("boundaryEvent", "error"): events.BoundaryEvent,
    ("boundaryEvent", "escalation"): events.BoundaryEvent,
    ("boundaryEvent", "conditional"): ConditionalBoundary,
    ("boundaryEvent", "cancel"): events.BoundaryEvent,
    ("boundaryEvent", "compensate"): CompensationBoundary,
}

_CATCHING = frozenset({"boundaryEvent", "startEvent"})


def build(process: Process) -> WorkflowSpec:
    """Turn a process that the lint passed into a spec."""
    spec = WorkflowSpec(name=process.id, addstart=False)
    spec.start = ProcessNode(spec, process.id, starts_of(process))
    for element in process.elements.values():
        node = _node(spec, element)
        for inner in (node, spec.task_specs.get(_turn_name(element))):
            if isinstance(inner, AdHocSubProcess):
                inner.startable = _startable(process, element.id)
            elif isinstance(inner, activities.SubProcess):
                inner.start = _start(process, element.id)
    for element in process.elements.values():
        node = spec.task_specs[element.id]
        node.ways = [_way(process, element, flow_id) for flow_id in element.outgoing]
        for way in node.ways:
            node.connect(spec.task_specs[way.target])
        if isinstance(node, LinkThrow):
            node.target = link_target(process, element)
        if element.attached_to and not _is_compensation(element):
            spec.task_specs[element.attached_to].boundary.append(element.id)
    _let_scopes_listen(process, spec)
    _let_activities_be_undone(process, spec)
    for node in list(spec.task_specs.values()):
        if isinstance(node, gateways.InclusiveGateway):
            node.reach = _reach(process, node.position)
    nodes = spec.task_specs.values()
    spec.has_conditions = any(node.is_conditional for node in nodes)
    return spec


def _let_scopes_listen(process: Process, spec: WorkflowSpec) -> None:
    for element in process.elements.values():
        if not element.event_subprocess:
            continue
        spec.task_specs[element.id].is_event_subprocess = True
        start = process.elements[_start(process, element.id)]
        if _is_compensation(start):
            continue
        conditional = start.triggers[0].kind == "conditional"
        listener = (ConditionalListener if conditional else Listener)(spec, start)
        for scope in _nodes_of(process, spec, element.scope):
            scope.listeners += (listener.name,)


def _let_activities_be_undone(process: Process, spec: WorkflowSpec) -> None:
    """Tell activities what undoes them, and give memory to the scopes around them."""
    for event in process.elements.values():
        if event.tag not in _CATCHING or not _is_compensation(event):
            continue
        undone = event.attached_to
        catcher: str | None = event.id
        if event.tag == "startEvent":
            catcher = event.scope
            undone = process.elements[event.scope or ""].scope
        for node in _nodes_of(process, spec, undone):
            if isinstance(node, activities.Activity):
                node.undone_by = catcher
        while undone is not None:
            for node in _nodes_of(process, spec, undone):
                node.remembers = True
            element = process.elements[undone]
            known = undo_name(undone) in spec.task_specs
            if element.tag in SUBPROCESS_TAGS and not known:
                UndoScope(spec, element)
            undone = element.scope


def _is_compensation(event: Element) -> bool:
    return event.trigger is not None and event.trigger.kind == "compensate"


def _nodes_of(process: Process, spec: WorkflowSpec, scope: str | None) -> list[Node]:
    """The process itself, or an activity and the node of its turns."""
    if scope is None:
        return [spec.start]
    names = (scope, _turn_name(process.elements[scope]))
    return [spec.task_specs[name] for name in names if name in spec.task_specs]


def _node(spec: WorkflowSpec, element: Element) -> Node:
    if element.is_activity:
        kind = ACTIVITIES.get(element.tag)
        if kind in BY_TOPIC and element.settings.topic:
            kind = activities.ServiceTask
        if kind is not None and element.loop is not None:
            turn = kind(spec, element, _turn_name(element))
            turn.turn_of = element.id
            return LoopBody(spec, element, turn.name)
        if kind is not None:
            return kind(spec, element)
    elif element.tag in GATEWAYS:
        return GATEWAYS[element.tag](spec, element)
    elif element.tag == "startEvent":
        return events.StartEvent(spec, element)  # what triggers it is elsewhere
    else:
        trigger = element.trigger.kind if element.trigger else ""
        throws = element.tag in ("intermediateThrowEvent", "endEvent")
        if throws and trigger == "message" and element.settings.topic:
            return activities.ServiceTask(spec, element)
        make = EVENTS.get((element.tag, trigger))
        if make is not None:
            return make(spec, element)
    raise ModelRefused(f"{element.id}: a {element.tag} like this cannot be executed.")


def _turn_name(element: Element) -> str:
    return f"{element.id}#turn"


def _startable(process: Process, scope: str) -> tuple[str, ...]:
    return tuple(
        e.id
        for e in process.within(scope)
        if e.is_activity
        and not (e.incoming or e.event_subprocess or e.for_compensation)
    )


def _start(process: Process, scope: str | None) -> str:
    starts = [e.id for e in process.within(scope) if e.tag == "startEvent"]
    if len(starts) != 1:
        raise ModelRefused(f"{scope or process.id}: exactly one start event is needed.")
    return starts[0]


def _way(process: Process, element: Element, flow_id: str) -> Way:
    flow = process.flows[flow_id]
    condition = compile_condition(flow.condition) if flow.condition else None
    is_default = element.default == flow_id
    return Way(flow_id, flow.target, None if is_default else condition, is_default)


def _reach(process: Process, gateway: str) -> dict[str, frozenset[str]]:
    """Which incoming flows of a gateway each element can reach without passing it."""
    sources: dict[str, list[str]] = {}
    for flow in process.flows.values():
        sources.setdefault(flow.target, []).append(flow.source)
    for element in process.elements.values():
        if element.tag == "intermediateThrowEvent" and is_link(element):
            target = link_target(process, element)
            sources.setdefault(target, []).append(element.id)
    found: dict[str, set[str]] = {}
    for flow_id in process.elements[gateway].incoming:
        seen: set[str] = set()
        pending = [process.flows[flow_id].source]
        while pending:
            at = pending.pop()
            if at in seen or at == gateway:
                continue
            seen.add(at)
            pending += sources.get(at, ())
            attached = process.elements[at].attached_to
            if attached:
                pending.append(attached)
        for element_id in seen:
            found.setdefault(element_id, set()).add(flow_id)
    return {element_id: frozenset(flows) for element_id, flows in found.items()}
