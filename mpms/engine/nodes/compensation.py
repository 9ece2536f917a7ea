"""Compensation: undoing what completed, in reverse order, all at once.

The handlers of a scope are started one after the other, each as soon as the one before
it waits for something outside; so they wait together, as in Camunda 7, and those that
wait for nothing are done in reverse order.

A scope remembers in its own token which activities completed that a handler can undo,
with the variables that were theirs alone: ``[activity, event, variables, inside]``,
``event`` being the one at its border or its event subprocess that catches the
compensation, ``inside`` what a completed subprocess remembered. What is compensated
is taken from the list, and the list goes with its scope: nothing outlives live tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from SpiffWorkflow.util.task import TaskState

from mpms.domain.errors import ExpressionFailed
from mpms.domain.instances.steps import Variables
from mpms.engine.model import Element
from mpms.engine.nodes.base import Node
from mpms.engine.tokens import Token, Tokens

MEMORY = 1_000
"""Completed activities a scope remembers; each is saved again at every step."""

Record = list[Any]


def remember(token: Token, event: str | None) -> None:
    """An activity completed: keep what is needed to undo it."""
    inside = token.internal_data.get("undo", [])
    if event is None and not inside:
        return
    kept = token.parent.internal_data.setdefault("undo", [])
    if len(kept) >= MEMORY:
        raise ExpressionFailed(
            f"More than {MEMORY:,} completed activities wait here for a compensation"
            " that may come. Put the loop's turn into a called process."
        )
    kept.append([token.task_spec.element_id, event, dict(token.data), inside])


def hand_over(body: Token) -> None:
    """A multi-instance activity completed: its turns can be undone one by one."""
    records = body.internal_data.get("undo")
    if records:
        body.parent.internal_data.setdefault("undo", []).extend(records)


def compensable(token: Token) -> list[str]:
    """The activities that a token remembers, and the events that catch for them."""
    found: list[str] = []
    pending = [*_records(token)]
    while pending:
        activity, event, _, inside = pending.pop()
        found += [activity] if event is None else [activity, event]
        pending += inside
    return found


def rename_compensable(token: Token, new_name: Callable[[str], str]) -> None:
    """Another version of the model may have other ids."""
    pending = [*_records(token)]
    while pending:
        record = pending.pop()
        record[0] = new_name(record[0])
        record[1] = None if record[1] is None else new_name(record[1])
        pending += record[3]


def _records(token: Token) -> list[Record]:
    internal = token.internal_data
    return [*internal.get("undo", ()), *internal.get("undoing", ())]


def undo_name(element_id: str) -> str:
    return f"{element_id}#undo"


class Undoing(Node):
    """Holds the tokens of handlers until all is undone."""

    def undo_next(self, token: Token) -> None:
        """Start one handler; called again while records are left."""
        run: Tokens = token.workflow
        records: list[Record] = token.internal_data["undoing"]
        activity, event, variables, inside = records.pop()
        run.note("compensated", token, activity=activity)
        specs = self._wf_spec.task_specs
        if event is not None and not specs[event].is_event_subprocess:
            specs[event].start_handler(token, variables)
            return
        again = Token(run, specs[undo_name(activity)], token, state=TaskState.STARTED)
        again.data.update(variables)
        again.internal_data["undoes"] = True
        if event is None:
            again.internal_data["undoing"] = inside
        else:
            again.internal_data.update(undo=inside, undoing=[])
            run.place(specs[event], again)

    def scope_emptied(self, token: Token) -> None:
        if not token.internal_data["undoing"]:
            token.complete()


class CompensationBoundary(Node):
    """Catches the compensation of its activity; no token ever waits there."""

    def start_handler(self, undoing: Token, variables: Variables) -> None:
        run: Tokens = undoing.workflow
        passing = Token(run, self, undoing, state=TaskState.COMPLETED)
        run.note("caught", passing, kind="compensate", event="")
        run.note("left", passing)
        run.take(passing)
        handler = self._wf_spec.task_specs[self._element.handlers[0]]
        run.place(handler, undoing).data.update(variables)


class UndoScope(Undoing):
    """A completed subprocess, opened again with its variables for its handlers."""

    def __init__(self, wf_spec: Any, element: Element) -> None:
        super().__init__(wf_spec, element, undo_name(element.id))

    def leave(self, token: Token) -> None:
        close_silently(token)


def close_silently(token: Token) -> None:
    run: Tokens = token.workflow
    scope_token = token.parent
    run.take(token)
    run.close_scope_if_empty(scope_token)


class CompensationThrow(Undoing):
    """Undoes one activity or all of its scope, on the way or at the end.

    In an event subprocess the scope is also the one around it.
    """

    def _run_hook(self, token: Token) -> bool | None:
        run: Tokens = token.workflow
        trigger = self._element.trigger
        records = self.claim(token, None if trigger is None else trigger.activity)
        if not records:
            return True
        undoing = token
        if trigger is not None and not trigger.wait_for_completion:
            undoing = Token(run, self, token.parent, state=TaskState.STARTED)
            undoing.internal_data["undoes"] = True
        undoing.internal_data["undoing"] = records
        return None if undoing is token else True

    def claim(self, token: Token, activity: str | None) -> list[Record]:
        """Take over what is to be undone, so that nothing is undone twice."""
        found: list[Record] = []
        at: Token = token.parent
        while True:
            kept = at.internal_data.pop("undo", [])
            wanted = [r for r in kept if activity in (None, r[0])]
            rest = [r for r in kept if activity not in (None, r[0])]
            if rest:
                at.internal_data["undo"] = rest
            found = wanted + found
            if not at.task_spec.is_event_subprocess:
                return found
            at = at.parent

    def leave(self, token: Token) -> None:
        if "undoes" in token.internal_data:
            close_silently(token)
        else:
            super().leave(token)


class CancelEnd(Undoing):
    """Cancels its transaction: all is stopped, then undone, then it is left."""

    def _run_hook(self, token: Token) -> bool | None:
        run: Tokens = token.workflow
        run.note("left", token)
        run.cancel_inside(token.parent, but=token)
        records = token.parent.internal_data.pop("undo", [])
        token.internal_data["undoing"] = records
        return None if records else True

    def leave(self, token: Token) -> None:
        run: Tokens = token.workflow
        event = next(
            w
            for w in run.watchers(token.parent)
            if w.task_spec.catches("cancel", "") is not None
        )
        event.task_spec.take_over(event, "")
