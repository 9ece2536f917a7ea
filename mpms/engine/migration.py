"""Carry a running instance over to another version of its process.

Every live token must find its element again: by its id, or by the explicit mapping
where it was renamed; of the same kind and inside the same scopes. What cannot be
carried over is told before anything is changed. Tokens keep their ids, so forms,
jobs and timers keep their rows; events around activities are opened or dropped as the
new version draws them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from SpiffWorkflow.specs.WorkflowSpec import WorkflowSpec
from SpiffWorkflow.util.task import TaskState

from mpms.domain.errors import ElementUnknown
from mpms.domain.models.definitions import Definition
from mpms.engine.model import Element, Process
from mpms.engine.nodes.activities import SubProcess
from mpms.engine.nodes.base import ProcessNode
from mpms.engine.nodes.compensation import compensable, rename_compensable
from mpms.engine.nodes.gateways import EventGateway
from mpms.engine.repair import is_watching
from mpms.engine.tokens import Surroundings, Token, Tokens

Version = tuple[Definition, Process, WorkflowSpec]


class Migration:
    """From one version to another, with the elements that were renamed."""

    def __init__(self, old: Version, new: Version, renamed: Mapping[str, str]) -> None:
        self.old_definition, self.old, self.old_spec = old
        self.new_definition, self.new, self.new_spec = new
        self.renamed = dict(renamed)
        for source, target in self.renamed.items():
            _require(self.old, self.old_definition, source)
            _require(self.new, self.new_definition, target)

    def obstacles(self, run: Tokens) -> list[str]:
        """Why the instance cannot go; an empty list means it can."""
        found: list[str] = []
        for token in run.tasks.values():
            if token is not run.task_tree and not is_watching(token):
                found += self._obstacles(token)
            found += self._cannot_undo(token)
        return list(dict.fromkeys(found))

    def carry(self, run: Tokens, around: Surroundings) -> Tokens:
        """The same tokens on the new version's elements; there are no obstacles."""
        dropped: set[tuple[str, str]] = set()
        for token in [t for t in run.tasks.values() if self._is_dropped(t)]:
            dropped.add((token.internal_data["on"], token.task_spec.name))
            run.note("cancelled", token)
            run.take(token)
        had = {t.key: _around(t) - _names_at(dropped, t) for t in run.tasks.values()}
        for token in run.tasks.values():
            self._carry_names(token)
        carried = Tokens(self.new_spec, around)
        pending: list[tuple[Token, Token | None]] = [(run.task_tree, None)]
        while pending:
            token, parent = pending.pop()
            node = self.new_spec.task_specs[self._name_of(token.task_spec.name)]
            copy = carried.restore(parent, node, token._state, token.id)
            copy.data, copy.internal_data = token.data, token.internal_data
            pending += ((child, copy) for child in reversed(token.children))
        carried.trace += run.trace
        for token in list(carried.tasks.values()):
            if _has_begun(token):
                self._open_events(token, {self._name_of(n) for n in had[token.key]})
        return carried

    # -- what stands in the way ------------------------------------------------------

    def _obstacles(self, token: Token) -> list[str]:
        node = token.task_spec
        element = self.old.elements[node.position]
        target = self.new.elements.get(self.target_of(element.id))
        who = repr(element.name or element.id)
        if target is None:
            return [f"{who} has a live task and is not in the new version."]
        at = repr(target.name or target.id)
        found = []
        new_node = self.new_spec.task_specs.get(self._name_of(node.name))
        if type(new_node) is not type(node) or not _same_kind(element, target):
            found.append(f"{who} has a live task and {at} is of another kind.")
        if self.scope_of(element) != target.scope:
            found.append(f"{who} has a live task and is inside another scope now.")
        if element.loop is not None and not _same_loop(element, target):
            found.append(f"{who} is in a loop whose turns are made differently now.")
        arrived = token.internal_data.get("arrived", {})
        for flow in arrived:
            if self._flow_of(flow) not in target.incoming:
                found.append(
                    f"{who} holds a token of the flow {flow!r}, which is gone."
                )
        if isinstance(token.parent.task_spec, EventGateway):
            gateway = self.new.elements.get(
                self.target_of(token.parent.task_spec.position)
            )
            ways = () if gateway is None else gateway.outgoing
            if target.id not in {self.new.flows[f].target for f in ways}:
                found.append(f"{who} no longer belongs to the gateway it waits at.")
        for name in _names(token.internal_data.get("begin_at", {})):
            if self.target_of(name) not in self.new.elements:
                found.append(f"{who} shall be entered at {name!r}, which is gone.")
        return found

    def _cannot_undo(self, token: Token) -> list[str]:
        found = []
        for element_id in compensable(token):
            old = self.old.elements[element_id]
            new = self.new.elements.get(self.target_of(element_id))
            if new is None or not _same_kind(old, new):
                who = repr(old.name or old.id)
                found.append(f"{who} may have to be undone and is not there any more.")
        return found

    def target_of(self, element_id: str) -> str:
        return self.renamed.get(element_id, element_id)

    def scope_of(self, element: Element) -> str | None:
        return None if element.scope is None else self.target_of(element.scope)

    def _flow_of(self, flow_id: str) -> str | None:
        """The same flow by its id, else the only one between the same elements."""
        if flow_id in self.new.flows:
            return flow_id
        flow = self.old.flows[flow_id]
        ends = self.target_of(flow.source), self.target_of(flow.target)
        same = [f.id for f in self.new.flows.values() if (f.source, f.target) == ends]
        return same[0] if len(same) == 1 else None

    # -- carrying over ---------------------------------------------------------------

    def _name_of(self, name: str) -> str:
        if name == self.old_spec.start.name:
            return str(self.new_spec.start.name)
        element, mark, role = name.partition("#")  # a turn, a listener, an undoing
        return self.target_of(element) + mark + role

    def _is_dropped(self, token: Token) -> bool:
        """An event around an activity that the new version does not have there."""
        if not is_watching(token):
            return False
        element = self.old.elements[token.task_spec.position]
        target = self.new.elements.get(self.target_of(element.id))
        if target is None or not _same_kind(element, target):
            return True
        host = element.attached_to
        if host is not None and target.attached_to != self.target_of(host):
            return True
        if self.scope_of(element) != target.scope:
            return True
        if "listens" not in token.internal_data:
            return False
        subprocess = self.old.elements[element.scope or ""]
        around = self.new.elements[target.scope or ""]
        return not around.event_subprocess or self.scope_of(subprocess) != around.scope

    def _carry_names(self, token: Token) -> None:
        rename_compensable(token, self.target_of)
        arrived = token.internal_data.get("arrived")
        if arrived:
            token.internal_data["arrived"] = {
                self._flow_of(flow): number for flow, number in arrived.items()
            }
        places = token.internal_data.get("begin_at")
        if places:
            token.internal_data["begin_at"] = self._carry_places(places)

    def _carry_places(self, places: dict[str, Any]) -> dict[str, Any]:
        return {
            self.target_of(name): self._carry_places(inner)
            for name, inner in places.items()
        }

    def _open_events(self, token: Token, had: set[str]) -> None:
        """Events around an activity or scope that only the new version has.

        One that was there and has come already must not come again.
        """
        run: Tokens = token.workflow
        node, specs = token.task_spec, self.new_spec.task_specs
        for name in node.boundary:
            if name not in had:
                run.place(specs[name], token.parent, on=token.key)
        if isinstance(node, SubProcess | ProcessNode) and run.is_in_flow(token):
            run.listen(token, [n for n in node.listeners if n not in had])
        if isinstance(node, EventGateway):
            for way in node.ways:
                if way.target not in {t.task_spec.name for t in token.children}:
                    run.place(specs[way.target], token, via=way.flow)


def _around(token: Token) -> set[str]:
    """The events that its version has around an activity or scope."""
    return {*token.task_spec.boundary, *token.task_spec.listeners}


def _names_at(dropped: set[tuple[str, str]], token: Token) -> set[str]:
    return {name for key, name in dropped if key == token.key}


def _has_begun(token: Token) -> bool:
    if token._state == TaskState.ERROR:
        return bool(token.internal_data["stuck"]["stage"] != "entering")
    return bool(token._state == TaskState.STARTED) and not is_watching(token)


def _same_kind(old: Element, new: Element) -> bool:
    kinds = [
        (e.tag, tuple(t.kind for t in e.triggers), e.event_subprocess, bool(e.loop))
        for e in (old, new)
    ]
    return kinds[0] == kinds[1]


def _same_loop(old: Element, new: Element) -> bool:
    made = [
        None
        if e.loop is None
        else (
            e.loop.kind,
            e.loop.collection,
            e.loop.cardinality,
            e.loop.element_variable,
            e.loop.output_collection,
            e.loop.output_element,
        )
        for e in (old, new)
    ]
    return made[0] == made[1]


def _names(places: Mapping[str, Any]) -> list[str]:
    return [n for name, inner in places.items() for n in (name, *_names(inner))]


def _require(process: Process, definition: Definition, element_id: str) -> None:
    if element_id not in process.elements:
        raise ElementUnknown(
            f"There is no element {element_id!r} in version {definition.version} of"
            f" the process {definition.key!r}."
        )
