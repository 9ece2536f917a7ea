"""The tokens of one instance, as a SpiffWorkflow tree that holds live tasks only.

SpiffWorkflow keeps every task that ever ran and predicts every task that might;
both make a step cost more the longer an instance lives, and a loop stalls silently
once its tree is 1,000 deep. Here nothing is predicted, and a task leaves the tree
when its token moves on, so the tree is as deep as subprocesses are nested and as
large as there are tokens, after ten turns of a loop or ten million.

The parent of a token is the scope it runs in: the process, a subprocess, a
multi-instance body or an event gateway.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from SpiffWorkflow.task import Task
from SpiffWorkflow.util.task import TaskState
from SpiffWorkflow.workflow import Workflow

from mpms.domain.errors import ExpressionFailed
from mpms.domain.instances.instances import InstanceStatus
from mpms.domain.instances.limits import Limits
from mpms.domain.instances.steps import Escalation, Throw, TraceLine, Variables

STEP_LIMIT = 10_000
UNSEEN = frozenset({"listens", "undoes", "part"})
"""Marks of tokens that are no step of their own: nobody hears of them."""

Change = tuple[Any, str, str]  # the token that holds it, its name, create or update
PureHandler = Callable[[Variables], Variables | None]


class Token(Task):
    """A SpiffWorkflow task without its logging, which costs more than the step."""

    def _set_state(self, value: int) -> None:
        self._state = value

    @property
    def key(self) -> str:
        return str(self.id)


@dataclass
class Surroundings:
    """What a step may look at besides the instance itself."""

    now: datetime
    business_key: str | None = None
    decision: Callable[..., Any] | None = None  # by its key and its binding
    pure: Mapping[str, PureHandler] = field(default_factory=dict)
    step_limit: int = STEP_LIMIT
    limits: Limits = field(default_factory=Limits)
    standard_feel: bool = False
    missing_is_null: bool = True


class Tokens(Workflow):
    """One instance in memory, for the length of one step."""

    def __init__(self, spec: Any, surroundings: Surroundings) -> None:
        super().__init__(spec, deserializing=True)
        self.around = surroundings
        self.ready: deque[Token] = deque()
        self.throws: list[Throw] = []
        self.trace: list[TraceLine] = []
        self.error: tuple[str, str] | None = None
        self.cancelled = False
        self.steps = 0
        self.held_bytes: int | None = None  # of variables; None: not weighed yet
        self.escalations: list[Escalation] = []
        self.has_conditions: bool = getattr(spec, "has_conditions", False)
        self.changes: list[Change] = []  # of variables, where conditions watch them

    # -- the tree ------------------------------------------------------------

    def restore(
        self, parent: Token | None, spec: Any, state: int, task_id: Any = None
    ) -> Token:
        token = Token(self, spec, parent, state=state, id=task_id)
        if parent is None:
            self.task_tree = token
        return token

    def place(
        self, spec: Any, scope: Token, *, via: str | None = None, **internal: Any
    ) -> Token:
        """Put a new token on an element; it runs when its turn comes."""
        token = Token(self, spec, scope, state=TaskState.READY)
        token.internal_data.update(internal)
        self.ready.append(token)
        if "on" not in internal:  # an event at a border is entered when it comes
            self.note("entered", token, **({"via": via} if via else {}))
        return token

    def listen(self, scope: Token, names: Iterable[str] | None = None) -> None:
        """Wait for the events that start the event subprocesses of a scope."""
        for name in scope.task_spec.listeners if names is None else names:
            spec = self.spec.task_specs[name]
            token = Token(self, spec, scope, state=TaskState.READY)
            token.internal_data.update(on=scope.key, listens=True)
            self.ready.append(token)

    def take(self, token: Token) -> None:
        """Take a token and everything inside it off the tree."""
        for child in list(token.children):
            self.take(child)
        token._set_state(TaskState.COMPLETED)
        parent = token.parent
        if parent is not None:
            parent._children.remove(token.id)
        self.tasks.pop(token.id, None)

    def cancel_token(self, token: Token) -> None:
        """Cancel an activity with its inner tokens and its boundary events."""
        for child in list(token.children):
            self.cancel_token(child)
        self.drop_watchers(token)
        if token.id in self.tasks:
            token.task_spec.cancelled(token)
            left = token._state == TaskState.COMPLETED  # an end that throws
            if not left and not UNSEEN & token.internal_data.keys():
                self.note("cancelled", token)
            self.take(token)

    def cancel_inside(self, scope: Token, *, but: Token | None = None) -> None:
        """Cancel everything in a scope, or everything but one token."""
        for child in list(scope.children):
            if child is not but and child.id in self.tasks:
                self.cancel_token(child)

    def watchers(self, activity: Token) -> list[Token]:
        """The boundary events that watch an activity."""
        scope, key = activity.parent, activity.key
        if scope is None or not activity.task_spec.boundary:
            return []
        return [t for t in scope.children if t.internal_data.get("on") == key]

    def drop_watchers(self, activity: Token) -> None:
        for watcher in self.watchers(activity):
            self.take(watcher)

    def listeners(self, scope: Token) -> list[Token]:
        """The starts of event subprocesses that wait in a scope."""
        if not scope.task_spec.listeners:
            return []
        return [t for t in scope.children if "listens" in t.internal_data]

    def is_empty(self, scope: Token) -> bool:
        """Nothing inside; what only waits to start an event subprocess is nothing."""
        if not scope.task_spec.listeners:
            return not scope._children
        return all("listens" in t.internal_data for t in scope.children)

    def close_scope_if_empty(self, scope: Token) -> None:
        """A scope ends when its last token is gone."""
        if scope.id not in self.tasks or scope._state != TaskState.STARTED:
            return
        if scope.task_spec.is_ad_hoc:
            try:
                scope.task_spec.one_left(scope)
            except ExpressionFailed as failure:
                self.get_stuck(scope, "joining", str(failure))
                return
        if scope.task_spec.listeners:
            self._stop_listening_at_the_end(scope)
        if not scope._children and scope is not self.task_tree:
            scope.task_spec.scope_emptied(scope)

    def _stop_listening_at_the_end(self, scope: Token) -> None:
        """BPMN: a scope that only waits for event subprocesses starts no new ones."""
        if self.is_in_flow(scope):
            return
        for listener in self.listeners(scope):
            self.take(listener)

    def is_in_flow(self, scope: Token) -> bool:
        """Whether something is active that is no event subprocess."""
        return any(
            "listens" not in t.internal_data and not t.task_spec.is_event_subprocess
            for t in scope.children
        )

    # -- running -----------------------------------------------------------------

    def settle(self) -> None:
        """Run until every token waits for something outside."""
        while True:
            if self.changes:
                self.check_conditions()
            while self.ready:
                token = self.ready.popleft()
                if token.id in self.tasks and token._state == TaskState.READY:
                    self.run_now(token)
                    if self.changes:
                        self.check_conditions()
            if any(
                t.task_spec.fire_if_complete(t)
                for t in list(self.tasks.values())
                if t._state == TaskState.WAITING and t.id in self.tasks
            ):
                continue
            if not self._undo_one_more():
                return

    def _undo_one_more(self) -> bool:
        """Start the next handler of a compensation, when what ran before it waits."""
        for token in reversed(self.tasks.values()):
            if token.internal_data.get("undoing") and token._state == TaskState.STARTED:
                token.task_spec.undo_next(token)
                return True
        return False

    def check_conditions(self) -> None:
        """Let every conditional event look at what has changed, at once."""
        changes, self.changes = self.changes, []
        watching = [
            t
            for t in self.tasks.values()
            if t.task_spec.is_conditional and t._state == TaskState.STARTED
        ]
        for token in watching:
            if token.id not in self.tasks:
                continue
            try:
                token.task_spec.look(token, changes)
            except ExpressionFailed as failure:
                self.get_stuck(token, "entering", str(failure))

    def run_now(self, token: Token) -> None:
        """Run one token; what cannot be executed gets stuck."""
        self.steps += 1
        limit = self.around.step_limit
        if self.steps > limit:
            self.get_stuck(
                token,
                "entering",
                f"The process took {limit:,} steps without waiting for anything."
                " Does it loop for ever?",
            )
            return
        spec = token.task_spec
        try:
            if spec.async_before and spec.hold_before(token):
                return
            if spec.told is not None and not (spec.tells_itself or spec.is_beside):
                spec.told.run(token, "start")
            token.run()
        except ExpressionFailed as failure:
            self.get_stuck(token, "entering", str(failure))

    def stop_at_joins(self) -> None:
        """Nothing outside can move this instance any more: say where it stands."""
        if any(t.task_spec.is_conditional for t in self.tasks.values()):
            return  # an operator may change a variable
        for token in list(self.tasks.values()):
            if token._state == TaskState.WAITING:
                self.get_stuck(
                    token,
                    "joining",
                    "It waits for tokens that can no longer come, since no other part"
                    " of the process is active.",
                )

    def get_stuck(self, token: Token, stage: str, reason: str) -> None:
        """Leave a token where it is, for an operator; other branches go on."""
        token._set_state(TaskState.ERROR)
        token.internal_data["stuck"] = {"stage": stage, "reason": reason}
        self.note("stuck", token, reason=reason)

    # -- what is told to the outside ---------------------------------------------

    def note(self, kind: str, token: Token | None, /, **data: Any) -> None:
        element = None if token is None else token.task_spec.element_id
        if token is not None and "turn" in token.internal_data:
            data["turn"] = token.internal_data["turn"]
        self.trace.append(
            TraceLine(kind, element, None if token is None else token.key, data)
        )

    def status(self) -> InstanceStatus:
        if self.error is not None:
            return InstanceStatus.FAILED
        if self.cancelled:
            return InstanceStatus.CANCELLED
        if self.is_empty(self.task_tree):
            return InstanceStatus.COMPLETED
        return InstanceStatus.ACTIVE
