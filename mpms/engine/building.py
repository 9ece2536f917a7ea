"""A process as SpiffWorkflow specs, ready to run.

The lint has refused everything that is not in these tables, so building never
meets an element it does not know.
"""

from __future__ import annotations

from collections.abc import Callable

from SpiffWorkflow.specs.WorkflowSpec import WorkflowSpec

from mpms.domain.errors import ModelRefused
from mpms.engine.expressions import compile_condition
from mpms.engine.model import SUBPROCESS_TAGS, Element, Process
from mpms.engine.nodes import activities, events, gateways
from mpms.engine.nodes.ad_hoc import AdHocSubProcess
from mpms.engine.nodes.base import GoOn, Node, Priority, ProcessNode, Way
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
from mpms.engine.nodes.event_subprocess import Listener, listener_name
from mpms.engine.nodes.links import LinkThrow, is_link, link_target
from mpms.engine.nodes.loops import LoopBody
from mpms.engine.nodes.several import (
    Several,
    SeveralAtBorder,
    SeveralThrow,
    part_name,
    single,
)
from mpms.engine.nodes.told import Told
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
EVENTS: dict[tuple[str, str], Callable[..., Node]] = {
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
        _let_wait_and_tell(process, element, node, spec)
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
            names = [element.id, *_further(spec, element)]
            spec.task_specs[element.attached_to].boundary += names
            for name in names[1:]:
                spec.task_specs[name].ways = node.ways
    _let_scopes_listen(process, spec)
    _let_activities_be_undone(process, spec)
    for node in list(spec.task_specs.values()):
        if isinstance(node, gateways.InclusiveGateway):
            node.reach = _reach(process, node.position)
    nodes = spec.task_specs.values()
    spec.has_conditions = any(node.is_conditional for node in nodes)
    return spec


def _let_wait_and_tell(
    process: Process, element: Element, node: Node, spec: WorkflowSpec
) -> None:
    """Listeners and commit points; in a loop the former belong to each turn."""
    settings, loop = element.settings, element.loop
    turn = spec.task_specs.get(_turn_name(element))
    scripts = settings.scripts
    if element.tag == "startEvent" and element.scope is None:
        scripts = (*process.scripts, *scripts)
    if scripts:
        (turn or node).told = Told(scripts)
        for name in _further(spec, element):
            spec.task_specs[name].told = node.told
    node.async_before, node.async_after = settings.async_before, settings.async_after
    if turn is not None and loop is not None:
        turn.async_before, turn.async_after = loop.async_before, loop.async_after
    for held in (node, turn):
        if held is not None and (held.async_before or held.async_after):
            GoOn(spec, element, held.name)
    if text := settings.job_priority or process.job_priority:
        for one in (node, turn):
            if one is not None:
                one.job_priority = Priority("priority of the job", text)


def _let_scopes_listen(process: Process, spec: WorkflowSpec) -> None:
    for element in process.elements.values():
        if not element.event_subprocess:
            continue
        spec.task_specs[element.id].is_event_subprocess = True
        start = process.elements[_start(process, element.id)]
        if _is_compensation(start):
            continue
        for number, one in enumerate(single(start)):
            conditional = one.triggers[0].kind == "conditional"
            listener = (ConditionalListener if conditional else Listener)(
                spec, one, listener_name(one, number)
            )
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
    elif len(element.triggers) > 1:
        return _several(spec, element)
    else:
        trigger = element.trigger.kind if element.trigger else ""
        throws = element.tag in ("intermediateThrowEvent", "endEvent")
        if throws and trigger == "message" and element.settings.topic:
            return activities.ServiceTask(spec, element)
        make = EVENTS.get((element.tag, trigger))
        if make is not None:
            return make(spec, element)
    raise ModelRefused(f"{element.id}: a {element.tag} like this cannot be executed.")


def _several(spec: WorkflowSpec, element: Element) -> Node:
    """An event with several triggers."""
    if element.tag in ("intermediateThrowEvent", "endEvent"):
        return SeveralThrow(spec, element)
    if element.tag == "intermediateCatchEvent":
        return Several(spec, element)
    if element.waits_for_all:
        return SeveralAtBorder(spec, element)
    first, *others = single(element)
    for number, one in enumerate(others, start=1):
        EVENTS["boundaryEvent", one.triggers[0].kind](spec, one, part_name(one, number))
    return EVENTS["boundaryEvent", first.triggers[0].kind](spec, first)


def _further(spec: WorkflowSpec, element: Element) -> list[str]:
    """The nodes of the other triggers of a boundary event."""
    if len(element.triggers) < 2 or element.waits_for_all:
        return []
    return [part_name(element, n) for n in range(1, len(element.triggers))]


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
    told = Told(flow.scripts) if flow.scripts else None
    held = None if is_default else condition
    return Way(flow_id, flow.target, held, is_default, told)


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
