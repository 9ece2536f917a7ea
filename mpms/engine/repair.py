"""What an operator may do to a running instance, as Camunda 7's modification does it.

Every function checks first and changes afterwards, so that a refusal changes nothing.
A scope that an operator empties is cancelled: completing it would send a token along
flows that nobody chose.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from SpiffWorkflow.util.task import TaskState

from mpms.domain.errors import ElementUnknown, RepairRefused, TaskGone
from mpms.domain.instances.steps import (
    CancelActivity,
    LiveToken,
    Move,
    Repair,
    SetVariables,
    Skip,
    StartAt,
)
from mpms.domain.models.definitions import Definition
from mpms.engine import scope
from mpms.engine.model import Element, Process
from mpms.engine.nodes.base import Node
from mpms.engine.nodes.compensation import Undoing, UndoScope
from mpms.engine.nodes.gateways import EventGateway, Join
from mpms.engine.nodes.links import LinkThrow
from mpms.engine.nodes.loops import LoopBody
from mpms.engine.tokens import Token, Tokens

Places = dict[str, Any]  # element -> the places inside it, for scopes to be entered


class RepairShop:
    """One instance in memory, and the model whose elements it may be put on."""

    def __init__(self, run: Tokens, process: Process, definition: Definition) -> None:
        self.run, self.process, self.definition = run, process, definition

    def apply(self, command: Repair) -> None:
        """Do what the command says. TaskGone, ElementUnknown, RepairRefused."""
        match command:
            case SetVariables():
                self._set_variables(command)
            case Skip():
                self._skip(self._token(command.task_id), command.variables)
            case Move():
                self._move(self._token(command.task_id), command.element)
            case CancelActivity():
                self._cancel(self._token(command.task_id))

    def begin(self, command: StartAt) -> None:
        """Put the first tokens on elements of the operator's choice."""
        if not command.elements:
            raise RepairRefused("Say at which elements the process shall begin.")
        check_variables(command.variables)
        places: Places = {}
        for element_id in command.elements:
            chain = [*self._enclosing(element_id), element_id]
            self._refuse_loops(chain[:-1])
            at = places
            for scope_id in chain[:-1]:
                at = at.setdefault(scope_id, {})
            if element_id in at:
                raise RepairRefused(f"The element {element_id!r} is named twice.")
            at[element_id] = {}
        root = self.run.restore(None, self.run.spec.start, TaskState.STARTED)
        scope.write(root, command.variables)
        self.run.listen(root)
        self._put(places, root)

    # -- variables -----------------------------------------------------------------

    def _set_variables(self, command: SetVariables) -> None:
        run = self.run
        holder = run.task_tree
        if command.task_id is not None:
            holder = self._token(command.task_id)
        check_variables(command.variables)
        for name in command.removed:
            if name not in holder.data:
                raise RepairRefused(f"There is no variable {name!r} here to remove.")
            if name in command.variables:
                raise RepairRefused(f"{name!r} cannot be both set and removed.")
        scope.write_local(holder, command.variables)
        for name in dict.fromkeys(command.removed):
            data = {"name": name, "old": holder.data.pop(name), "removed": True}
            if holder.parent is not None:
                data["local"] = True
            run.note("variable", None if holder.parent is None else holder, **data)
            if run.has_conditions:
                run.changes.append((holder, name, "delete"))

    # -- tokens --------------------------------------------------------------------

    def _skip(self, token: Token, variables: Mapping[str, Any]) -> None:
        token = _whole(token)
        run, node = self.run, token.task_spec
        if is_watching(token):
            raise RepairRefused(
                f"{_named(token)} only watches; skip or move what it belongs to."
            )
        if isinstance(node, EventGateway):
            raise RepairRefused(
                f"{_named(token)} waits for several events; skip one of them instead."
            )
        if isinstance(node, UndoScope) or "beside" in token.internal_data:
            raise RepairRefused(
                f"{_named(token)} is being undone; skip or cancel what is inside."
            )
        check_variables(variables)
        for child in list(token.children):
            if child.id in run.tasks:
                run.cancel_token(child)
        if isinstance(token.parent.task_spec, EventGateway):
            token.parent.task_spec.won(token.parent, token)
        scope.write(token.parent, variables, by=token)
        run.note("skipped", token)
        token.internal_data.pop("held", None)
        stuck = token.internal_data.pop("stuck", {})
        turning = stuck.get("stage") == "turning"
        token.internal_data["stage"] = "turning" if turning else "choosing"
        token.internal_data["skipped"] = True
        token._set_state(TaskState.COMPLETED)
        if isinstance(node, LinkThrow):
            node.leave(token)  # its flow is not drawn
        else:
            Node.leave(node, token)  # ends do not terminate and raise no error

    def _cancel(self, token: Token) -> None:
        if is_watching(token) and token._state == TaskState.ERROR:
            self.run.cancel_token(token)  # the activity goes on without it
            return
        token = self._movable(token)
        parent = token.parent
        self.run.cancel_token(token)
        self._cancel_emptied(parent)

    def _move(self, token: Token, element_id: str) -> None:
        run = self.run
        token = self._movable(token)
        if any(isinstance(t.task_spec, Undoing) for t in _path(token.parent)):
            raise RepairRefused(
                f"{_named(token)} undoes something; skip or cancel it instead."
            )
        element = self._target(element_id)
        path = _path(token.parent)
        at, places = self._way_in(element, path, leaving=token)
        came_from = self._beside(element, token.task_spec.position)
        run.note("moved", token, to=element_id)
        parent = token.parent
        run.cancel_token(token)
        node = run.spec.task_specs[element_id]
        if isinstance(node, Join) and len(element.incoming) > 1 and not places:
            node.arrive(self._arrival(element, at, came_from), at)
        else:
            self._put(places or {element_id: {}}, at)
        self._cancel_emptied(parent)

    def _put(self, places: Places, at: Token) -> None:
        for name, inner in places.items():
            within = {"begin_at": inner} if inner else {}
            self.run.place(self.run.spec.task_specs[name], at, **within)

    def _cancel_emptied(self, at: Token) -> None:
        run = self.run
        while at is not run.task_tree and not _is_alive(at):
            parent = at.parent
            run.cancel_token(at)
            at = parent
        if _is_alive(at):
            run.close_scope_if_empty(at)  # where only event subprocesses are left
        else:
            for token in list(at.children):
                if token.id in run.tasks:
                    run.cancel_token(token)
            run.cancelled = True

    def _token(self, task_id: str) -> Token:
        found = (t for t in self.run.tasks.values() if t.key == task_id)
        token = next(found, None)
        if token is None or token is self.run.task_tree:
            raise TaskGone(
                "This task no longer exists; somebody or something was faster."
            )
        return token

    @staticmethod
    def _movable(token: Token) -> Token:
        """An event behind an event gateway stands for the gateway's one token."""
        if is_watching(token):
            raise RepairRefused(
                f"{_named(token)} only watches; move or cancel what it belongs to."
            )
        token = _whole(token)
        if isinstance(token.parent.task_spec, EventGateway):
            return token.parent
        return token

    # -- where a token may go --------------------------------------------------------

    def _target(self, element_id: str) -> Element:
        of = f"version {self.definition.version} of the process {self.process.id!r}"
        element = self.process.elements.get(element_id)
        if element is None:
            raise ElementUnknown(f"There is no element {element_id!r} in {of}.")
        why = None
        outer = self.process.elements.get(element.scope or "")
        if element.attached_to:
            why = f"a boundary event; take {element.attached_to!r}, which it watches"
        elif element.event_subprocess:
            why = "an event subprocess; only its event begins it"
        elif element.tag == "startEvent" and outer and outer.event_subprocess:
            why = "the start of an event subprocess; only its event begins it"
        if why is None and self.run.spec.task_specs.get(element_id) is None:
            why = "not a part of the flow"
        if why is None and self._undoes(element):
            why = "there to undo something; only a compensation event begins it"
        if why is not None:
            raise ElementUnknown(
                f"No token can be put on {element_id!r} in {of}: it is {why}."
            )
        return element

    def _undoes(self, element: Element) -> bool:
        """Whether it is a compensation handler or a part of one."""
        at: Element | None = element
        while at is not None:
            inside = self.process.within(at.id) if at.event_subprocess else ()
            if at.for_compensation or any(
                t.kind == "compensate" and e.tag == "startEvent"
                for e in inside
                for t in e.triggers
            ):
                return True
            at = self.process.elements.get(at.scope or "")
        return False

    def _enclosing(self, element_id: str) -> list[str]:
        """The subprocesses around a permitted target, outermost first."""
        element = self._target(element_id)
        chain: list[str] = []
        while element.scope is not None:
            chain.insert(0, element.scope)
            element = self.process.elements[element.scope]
        return chain

    def _refuse_loops(self, chain: Iterable[str]) -> None:
        for scope_id in chain:
            if self.process.elements[scope_id].loop is not None:
                raise RepairRefused(
                    f"{scope_id!r} is a loop: nobody could say which turn is meant."
                    " Move inside one turn only, or to the loop as a whole."
                )

    def _way_in(
        self, element: Element, path: list[Token], *, leaving: Token
    ) -> tuple[Token, Places]:
        """The innermost active scope around a target, and the scopes to be entered."""
        chain = self._enclosing(element.id)
        at = self.run.task_tree
        for place, scope_id in enumerate(chain):
            inner = self._active(at, scope_id, path, leaving)
            if inner is None:
                self._refuse_loops(chain[place:])
                places: Places = {element.id: {}}
                for outer in reversed(chain[place:]):
                    places = {outer: places}
                return at, places
            at = inner
        return at, {}

    def _active(
        self, at: Token, scope_id: str, path: list[Token], leaving: Token
    ) -> Token | None:
        found = [
            t
            for t in at.children
            if t.task_spec.name == scope_id
            and t._state == TaskState.STARTED
            and t is not leaving
        ]
        own = next((t for t in found if t in path), None)
        if own is None:
            if len(found) > 1:
                raise RepairRefused(
                    f"{scope_id!r} is active {len(found)} times: nobody could say"
                    " which one is meant."
                )
            own = found[0] if found else None
        if own is not None and isinstance(own.task_spec, LoopBody):
            own = next((t for t in own.children if t in path), None)
            if own is None:
                self._refuse_loops([scope_id])
        return own

    # -- joins -----------------------------------------------------------------------

    def _beside(self, target: Element, element_id: str) -> str | None:
        """The element in the target's own scope that holds the given one."""
        elements = self.process.elements
        at: Element | None = elements.get(element_id)
        while at is not None and at.scope != target.scope:
            at = elements.get(at.scope or "")
        return None if at is None else at.id

    def _arrival(self, join: Element, at: Token, came_from: str | None) -> str:
        """The flow on which a moved token counts: its own branch, still empty."""
        arrived: dict[str, int] = {}
        for token in at.children:
            if token.task_spec.position == join.id:
                arrived = token.internal_data.get("arrived") or arrived
        flows = join.incoming
        own = [f for f in flows if came_from in self._leading_to(f, join.id)]
        empty = [f for f in flows if f not in arrived]
        return next(
            iter([*(f for f in own if f in empty), *empty, *own, *flows]), flows[0]
        )

    def _leading_to(self, flow_id: str, join: str) -> set[str]:
        """The elements that reach a flow without passing the join."""
        process = self.process
        seen: set[str] = set()
        pending = [process.flows[flow_id].source]
        while pending:
            at = pending.pop()
            if at in seen or at == join:
                continue
            seen.add(at)
            element = process.elements[at]
            pending += [process.flows[f].source for f in element.incoming]
            if element.attached_to:
                pending.append(element.attached_to)
        return seen


def check_variables(variables: Mapping[str, Any]) -> None:
    """RepairRefused unless these can be kept as variables."""
    for name, value in variables.items():
        if not isinstance(name, str) or not name:
            raise RepairRefused(f"A variable needs a name, not {name!r}.")
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as failure:
            raise RepairRefused(
                f"The variable {name!r} cannot be written as JSON: {failure}."
            ) from None


def live_tokens(run: Tokens) -> list[LiveToken]:
    """Every token but the process's own, scopes before what is inside them."""
    found: list[LiveToken] = []
    pending = list(reversed(run.task_tree.children))
    while pending:
        token = pending.pop()
        pending += reversed(token.children)
        task_id, element, name, _ = token.task_spec.wait_facts(token)
        stuck = token.internal_data.get("stuck")
        if token._state == TaskState.ERROR:
            state = "stuck"
        elif token._state == TaskState.WAITING:
            state = "joining"
        else:
            state = "watching" if is_watching(token) else "waiting"
        inside = None if token.parent is run.task_tree else token.parent.key
        reason = stuck["reason"] if stuck else None
        data = dict(token.data)
        found.append(LiveToken(task_id, element, name, state, inside, data, reason))
    return found


def _whole(token: Token) -> Token:
    """A trigger of an event with several stands for the event."""
    return token.parent if "part" in token.internal_data else token


def is_watching(token: Token) -> bool:
    """A boundary event, or the start of an event subprocess, that has not fired."""
    return "on" in token.internal_data


def _is_alive(at: Token) -> bool:
    return any(not is_watching(child) for child in at.children)


def _path(token: Token) -> list[Token]:
    """A token and the scopes around it."""
    found = []
    at: Token | None = token
    while at is not None:
        found.append(at)
        at = at.parent
    return found


def _named(token: Token) -> str:
    _, element, name, _ = token.task_spec.wait_facts(token)
    return repr(name or element)
