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
from mpms.engine.model import Element, Process
from mpms.engine.nodes import activities, events, gateways
from mpms.engine.nodes.base import Node, ProcessNode, Way
from mpms.engine.nodes.loops import LoopBody

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
    "callActivity": activities.CallActivity,
}
GATEWAYS: dict[str, type[Node]] = {
    "exclusiveGateway": gateways.ExclusiveGateway,
    "parallelGateway": gateways.ParallelGateway,
    "inclusiveGateway": gateways.InclusiveGateway,
    "eventBasedGateway": gateways.EventGateway,
}
EVENTS: dict[tuple[str, str], Callable[[Any, Element], Node]] = {
    ("startEvent", ""): events.PassThrough,
    ("endEvent", ""): events.PassThrough,
    ("endEvent", "terminate"): events.TerminateEnd,
    ("endEvent", "error"): events.ErrorEnd,
    ("endEvent", "signal"): events.ThrowEvent,
    ("endEvent", "message"): events.ThrowEvent,
    ("intermediateThrowEvent", ""): events.PassThrough,
    ("intermediateThrowEvent", "signal"): events.ThrowEvent,
    ("intermediateThrowEvent", "message"): events.ThrowEvent,
    ("intermediateCatchEvent", "timer"): events.Catcher,
    ("intermediateCatchEvent", "signal"): events.Catcher,
    ("intermediateCatchEvent", "message"): events.Catcher,
    ("boundaryEvent", "timer"): events.BoundaryEvent,
    ("boundaryEvent", "signal"): events.BoundaryEvent,
    ("boundaryEvent", "message"): events.BoundaryEvent,
    ("boundaryEvent", "error"): events.BoundaryEvent,
}


def build(process: Process) -> WorkflowSpec:
    """Turn a process that the lint passed into a spec."""
    spec = WorkflowSpec(name=process.id, addstart=False)
    spec.start = ProcessNode(spec, process.id, _start(process, None))
    for element in process.elements.values():
        node = _node(spec, element)
        for inner in (node, spec.task_specs.get(_turn_name(element))):
            if isinstance(inner, activities.SubProcess):
                inner.start = _start(process, element.id)
    for element in process.elements.values():
        node = spec.task_specs[element.id]
        node.ways = [_way(process, element, flow_id) for flow_id in element.outgoing]
        for way in node.ways:
            node.connect(spec.task_specs[way.target])
        if element.attached_to:
            spec.task_specs[element.attached_to].boundary.append(element.id)
    for node in spec.task_specs.values():
        if isinstance(node, gateways.InclusiveGateway):
            node.reach = _reach(process, node.position)
    return spec


def _node(spec: WorkflowSpec, element: Element) -> Node:
    if element.is_activity:
        kind = ACTIVITIES.get(element.tag)
        if kind is activities.SendTask and element.settings.topic:
            kind = activities.ServiceTask
        if kind is not None and element.loop is not None:
            turn = kind(spec, element, _turn_name(element))
            turn.turn_of = element.id
            return LoopBody(spec, element, turn.name)
        if kind is not None:
            return kind(spec, element)
    elif element.tag in GATEWAYS:
        return GATEWAYS[element.tag](spec, element)
    else:
        trigger = element.trigger.kind if element.trigger else ""
        make = EVENTS.get((element.tag, trigger))
        if make is not None:
            return make(spec, element)
    raise ModelRefused(f"{element.id}: a {element.tag} like this cannot be executed.")


def _turn_name(element: Element) -> str:
    return f"{element.id}#turn"


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
