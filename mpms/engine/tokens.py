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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from SpiffWorkflow.task import Task
from SpiffWorkflow.util.task import TaskState
from SpiffWorkflow.workflow import Workflow

from mpms.domain.errors import ExpressionFailed
from mpms.domain.instances import InstanceStatus
from mpms.domain.steps import Throw, TraceLine, Variables

STEP_LIMIT = 10_000

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
    decision: Callable[[str], Any] | None = None
    pure: Mapping[str, PureHandler] = field(default_factory=dict)


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
        self.note("entered", token, **({"via": via} if via else {}))
        return token

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
            self.note("cancelled", token)
            self.take(token)

    def watchers(self, activity: Token) -> list[Token]:
        """The boundary events that watch an activity."""
        scope, key = activity.parent, activity.key
        if scope is None or not activity.task_spec.boundary:
            return []
        return [t for t in scope.children if t.internal_data.get("on") == key]

    def drop_watchers(self, activity: Token) -> None:
        for watcher in self.watchers(activity):
            self.take(watcher)

    def close_scope_if_empty(self, scope: Token) -> None:
        """A scope ends when its last token is gone."""
        if scope.id not in self.tasks or scope is self.task_tree:
            return
        if not scope.children and scope._state == TaskState.STARTED:
            scope.task_spec.scope_emptied(scope)

    # -- running -----------------------------------------------------------------

    def settle(self) -> None:
        """Run until every token waits for something outside."""
        while True:
            while self.ready:
                token = self.ready.popleft()
                if token.id in self.tasks and token._state == TaskState.READY:
                    self._run(token)
            if not any(
                t.task_spec.fire_if_complete(t)
                for t in list(self.tasks.values())
                if t._state == TaskState.WAITING and t.id in self.tasks
            ):
                return

    def _run(self, token: Token) -> None:
        self.steps += 1
        if self.steps > STEP_LIMIT:
            self.get_stuck(
                token,
                "entering",
                f"The process took {STEP_LIMIT:,} steps without waiting for anything."
                " Does it loop for ever?",
            )
            return
        try:
            token.run()
        except ExpressionFailed as failure:
            self.get_stuck(token, "entering", str(failure))

    def stop_at_joins(self) -> None:
        """Nothing outside can move this instance any more: say where it stands."""
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
        if self.task_tree.children:
            return InstanceStatus.ACTIVE
        return InstanceStatus.COMPLETED
