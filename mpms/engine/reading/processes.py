"""One process element of the file as a ``Process``: nodes, flows, lanes.

The walk keeps its own stack, and flows are joined through a table: neither a deep
drawing nor a line of thousands of steps can exhaust the interpreter's stack.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from lxml import etree

from mpms.domain.models.definitions import Problem
from mpms.domain.people.people import group_of
from mpms.engine.model import SUBPROCESS_TAGS, Element, Flow, Process
from mpms.engine.reading.ad_hoc import read_ad_hoc
from mpms.engine.reading.artifacts import data_copies, read_associations
from mpms.engine.reading.declared import Declared
from mpms.engine.reading.events import read_triggers
from mpms.engine.reading.inner_forms import own_form_id
from mpms.engine.reading.lanes import Lanes
from mpms.engine.reading.loops import loop_node, read_loop
from mpms.engine.reading.names import (
    attribute,
    camunda,
    child_expression,
    child_text,
    children,
    is_true,
    referred,
    shown_name,
    tag_of,
)
from mpms.engine.reading.settings import comma_list, own_listeners, read_settings
from mpms.engine.reading.tags import NODE_TAGS
from mpms.engine.reading.timeouts import timeouts

CORRELATION_PROPERTY = "correlationKey"


@dataclass
class _Found:
    """What the walk meets, before references are joined."""

    nodes: dict[str, tuple[etree._Element, str | None]] = field(default_factory=dict)
    flows: list[etree._Element] = field(default_factory=list)
    lanes: Lanes = field(default_factory=Lanes)
    associations: list[etree._Element] = field(default_factory=list)


def read_process(
    root: etree._Element,
    declared: Declared,
    problems: list[Problem],
    *,
    camunda_8: bool = False,
) -> Process:
    """Problems are what cannot be put into the records: missing ids, dead ends."""
    found = _walk(root, problems)
    flows = _flows(found, problems)
    associations = read_associations(found.associations)
    incoming: dict[str, list[str]] = defaultdict(list)
    outgoing: dict[str, list[str]] = defaultdict(list)
    for flow in flows.values():
        incoming[flow.target].append(flow.id)
        outgoing[flow.source].append(flow.id)
    elements: dict[str, Element] = {}
    for id_, (node, scope) in found.nodes.items():
        inherited = elements[scope].lane if scope in elements else None
        elements[id_] = _element(
            node,
            declared,
            problems,
            scope=scope,
            lane=found.lanes.of.get(id_, inherited),
            incoming=tuple(incoming[id_]),
            outgoing=tuple(outgoing[id_]),
            handlers=_handlers(id_, associations, found),
        )
    for id_, (node, _) in found.nodes.items():
        if elements[id_].tag == "userTask":
            for timer in timeouts(node, elements[id_], declared, problems):
                elements[timer.id] = timer
    for id_, lanes in found.lanes.disputed.items():
        if id_ in elements:
            reason = f"is in two lanes, '{lanes[0]}' and '{lanes[1]}'"
            problems.append(Problem(id_, elements[id_].name, reason))
    return Process(
        id=attribute(root, "id") or "",
        name=shown_name(root),
        elements=elements,
        flows=flows,
        lanes=tuple(found.lanes.names),
        executable=is_true(root, "isExecutable", otherwise=True),
        camunda_8=camunda_8,
        job_priority=camunda(root, "taskPriority") or camunda(root, "jobPriority"),
        starters=(
            *comma_list(camunda(root, "candidateStarterGroups")),
            *map(group_of, comma_list(camunda(root, "candidateStarterUsers"))),
        ),
        scripts=own_listeners(root),
    )


def _walk(root: etree._Element, problems: list[Problem]) -> _Found:
    found = _Found()
    stack: list[tuple[etree._Element, str | None, int]] = [(root, None, 0)]
    while stack:
        node, scope, depth = stack.pop()
        _, tag = tag_of(node)
        inside, inside_depth = scope, depth
        if node is not root:
            if tag == "sequenceFlow":
                found.flows.append(node)
                continue
            if tag == "association":
                found.associations.append(node)
                continue
            if tag == "laneSet":
                found.lanes.add(node, depth)
                continue
            if tag not in NODE_TAGS:
                continue
            id_ = attribute(node, "id")
            if id_ is None:
                article = "an" if tag[0] in "aeiou" else "a"
                why = f"{article} {tag} has no id"
                problems.append(Problem("", shown_name(node), why))
                id_ = f"{tag}#{len(found.nodes)}"  # it is there all the same
            if id_ in found.nodes:
                continue
            found.nodes[id_] = (node, scope)
            if tag not in SUBPROCESS_TAGS:
                continue
            inside, inside_depth = id_, depth + 1
        stack.extend(
            (part, inside, inside_depth) for part in reversed(list(children(node)))
        )
    return found


def _flows(found: _Found, problems: list[Problem]) -> dict[str, Flow]:
    flows: dict[str, Flow] = {}
    for node in found.flows:
        source = referred(attribute(node, "sourceRef")) or ""
        target = referred(attribute(node, "targetRef")) or ""
        id_ = attribute(node, "id") or f"{source}_to_{target}_{len(flows)}"
        name = shown_name(node)
        missing = [
            f"{verb} '{end}', which is not in this process"
            if end
            else f"{verb} nothing; connect its end with a step"
            for verb, end in (("starts at", source), ("leads to", target))
            if end not in found.nodes
        ]
        problems.extend(Problem(id_, name, f"the flow {text}") for text in missing)
        if not missing and id_ not in flows:
            condition = child_expression(node, "conditionExpression")
            scripts = own_listeners(node)
            flows[id_] = Flow(id_, name, source, target, condition, scripts)
    return flows


def _element(
    node: etree._Element,
    declared: Declared,
    problems: list[Problem],
    *,
    scope: str | None,
    lane: str | None,
    incoming: tuple[str, ...],
    outgoing: tuple[str, ...],
    handlers: tuple[str, ...],
) -> Element:
    _, tag = tag_of(node)
    id_, name = attribute(node, "id") or "", shown_name(node)
    asker = Problem(id_, name, "")
    by_event = is_true(node, "triggeredByEvent")
    loop = loop_node(node)
    settings = read_settings(node, loop)
    correlation = dict(settings.properties).get(CORRELATION_PROPERTY)
    message = declared.find("message", node, asker, problems)
    triggers = read_triggers(node, declared, correlation, asker, problems)
    if tag == "startEvent" and scope is None and correlation is None:
        # Nothing can be compared with a key before there is an instance.
        triggers = tuple(replace(trigger, correlation=None) for trigger in triggers)
    return Element(
        id=id_,
        name=name,
        tag=tag,
        scope=scope,
        lane=lane,
        incoming=incoming,
        outgoing=outgoing,
        default=referred(attribute(node, "default")),
        triggers=triggers,
        attached_to=referred(attribute(node, "attachedToRef")),
        interrupting=_interrupting(node, tag),
        waits_for_all=is_true(node, "parallelMultiple"),
        event_subprocess=by_event,
        loop=read_loop(loop),
        script=child_text(node, "script"),
        script_format=attribute(node, "scriptFormat"),
        called=referred(attribute(node, "calledElement")) or settings.called,
        message=message.name or None,
        message_correlation=(correlation or message.correlation)
        if message.name
        else None,
        settings=settings,
        # An event subprocess is begun by its event: this says nothing about it.
        for_compensation=is_true(node, "isForCompensation") and not by_event,
        handlers=handlers,
        data_copies=data_copies(node),
        ad_hoc=read_ad_hoc(node),
        activation=child_expression(node, "activationCondition") or None,
        choice_form=own_form_id(node) if tag == "adHocSubProcess" else None,
    )


def _handlers(
    id_: str, associations: dict[str, list[str]], found: _Found
) -> tuple[str, ...]:
    """Activities that an association leads to; annotations are none."""
    targets = associations.get(id_, ())
    return tuple(t for t in targets if t in found.nodes)


def _interrupting(node: etree._Element, tag: str) -> bool:
    word = "cancelActivity" if tag == "boundaryEvent" else "isInterrupting"
    return is_true(node, word, otherwise=True)
