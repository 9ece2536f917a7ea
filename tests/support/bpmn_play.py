"""Plays models step by step, with every promise of a step checked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from mpms.domain.execution import Execution
from mpms.domain.instances.instances import InstanceStatus, Snapshot
from mpms.domain.instances.steps import (
    Cancel,
    Command,
    Complete,
    Escalate,
    Fail,
    Fire,
    Receive,
    Retry,
    Start,
    Step,
    StuckWait,
    TimerWait,
    TraceLine,
    Wait,
)
from mpms.domain.models.definitions import Definition
from mpms.engine import codec
from mpms.engine.runner import SpiffEngine
from mpms.engine.tokens import STEP_LIMIT

MORNING = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
WaitKey = tuple[object, ...]


def key_of(wait: Wait) -> WaitKey:
    due_at, reason = getattr(wait, "due_at", None), getattr(wait, "reason", None)
    return wait.task_id, type(wait), due_at, reason


class Running:
    """One instance as tests see it: where it stands, and what it has passed."""

    def __init__(self, engine: SpiffEngine, definition: Definition) -> None:
        self.engine, self.definition = engine, definition
        self.now = MORNING
        self.snapshot: Snapshot | None = None
        self.step: Step
        self.trace: list[TraceLine] = []

    @property
    def open(self) -> list[str]:
        """The elements that wait for something outside, stuck ones aside."""
        return sorted(
            w.element for w in self.step.waits if not isinstance(w, StuckWait)
        )

    @property
    def stuck(self) -> dict[str, str]:
        return {
            w.element: w.reason for w in self.step.waits if isinstance(w, StuckWait)
        }

    @property
    def kept(self) -> Snapshot:
        """The snapshot of an instance that was started."""
        assert self.snapshot is not None
        return self.snapshot

    @property
    def variables(self) -> dict[str, Any]:
        return self.kept.variables

    def sees(self, task_id: str) -> dict[str, Any]:
        """The variables that a task sees."""
        return self.engine.visible(self.definition, self.kept, task_id)

    @property
    def status(self) -> InstanceStatus:
        return self.step.status

    @property
    def done(self) -> bool:
        return self.status is InstanceStatus.COMPLETED

    def passed(self, kind: str) -> list[str | None]:
        return [line.element for line in self.trace if line.kind == kind]


class Play(Running):
    """One instance, played step by step.

    After every step it checks what holds for all of them: ``opened`` and ``closed``
    add up to ``waits``, the snapshot alone gives the same waits again, the snapshot
    handed in is unchanged, and the variables are JSON.
    """

    def __init__(
        self, engine: SpiffEngine, definition: Definition, **options: Any
    ) -> None:
        super().__init__(engine, definition)
        self.options = options
        self._held: dict[WaitKey, Wait] = {}

    def do(self, command: Command) -> Step:
        before = self.snapshot
        written = None if before is None else json.dumps(before.variables)
        step = self.engine.advance(
            self.definition, before, command, now=self.now, **self.options
        )
        if before is not None:
            assert json.dumps(before.variables) == written
        if not step.caught:
            assert step.snapshot is before
            assert not step.opened
            assert not step.closed
            assert not step.throws
            assert not step.trace
        self._add_up(step)
        self.snapshot = Snapshot(
            step.snapshot.state, json.loads(json.dumps(step.snapshot.variables))
        )
        if not step.status.ended:
            looked = self.engine._look(self.definition, self.snapshot)
            assert codec.dump(looked) == step.snapshot.state
        again = self.engine.waits(self.definition, self.snapshot)
        assert Counter(map(key_of, again)) == Counter(map(key_of, step.waits))
        self.step = step
        self.trace += step.trace
        return step

    def _add_up(self, step: Step) -> None:
        for wait in step.closed:
            del self._held[key_of(wait)]
        for wait in step.opened:
            assert key_of(wait) not in self._held
            self._held[key_of(wait)] = wait
        assert Counter(self._held.keys()) == Counter(map(key_of, step.waits))

    def go_over(self, definition: Definition, step: Step) -> None:
        """The instance runs in another version from now on."""
        self.definition, self.snapshot, self.step = definition, step.snapshot, step
        self._held = {key_of(wait): wait for wait in step.waits}
        self.trace += step.trace

    # -- looking -------------------------------------------------------------------

    def waits(self, element: str) -> list[Any]:
        return [w for w in self.step.waits if w.element == element]

    def wait(self, element: str) -> Any:
        found = self.waits(element)
        assert len(found) == 1, f"{element}: {len(found)} of {self.step.waits}"
        return found[0]

    # -- acting --------------------------------------------------------------------

    def complete(self, element: str, **variables: Any) -> Step:
        return self.do(Complete(self.wait(element).task_id, variables))

    def complete_turn(self, element: str, turn: int, **variables: Any) -> Step:
        for wait in self.waits(element):
            if self.sees(wait.task_id)["loopCounter"] == turn:
                return self.do(Complete(wait.task_id, variables))
        raise AssertionError(f"{element} has no open turn {turn}")

    def fail(self, element: str, code: str, message: str = "") -> Step:
        return self.do(Fail(self.wait(element).task_id, code, message))

    def fire(self, element: str) -> Step:
        wait = self.wait(element)
        assert isinstance(wait, TimerWait)
        self.now = max(self.now, wait.due_at)
        return self.do(Fire(wait.task_id))

    def receive(self, element: str, **variables: Any) -> Step:
        return self.do(Receive(self.wait(element).task_id, variables))

    def escalate(self, element: str, code: str, **variables: Any) -> Step:
        return self.do(Escalate(self.wait(element).task_id, code, variables))

    def receive_at(self, task_id: str, **variables: Any) -> Step:
        return self.do(Receive(task_id, variables))

    def retry(self, element: str) -> Step:
        (stuck,) = (w for w in self.waits(element) if isinstance(w, StuckWait))
        return self.do(Retry(stuck.task_id))

    def cancel(self) -> Step:
        return self.do(Cancel("enough"))

    def mend(self, **variables: Any) -> None:
        """Change variables as an operator does, beside the process."""
        self.snapshot = Snapshot(self.kept.state, {**self.variables, **variables})


class Player:
    """Deploys a drawing and starts one instance of it."""

    def __call__(
        self,
        xml: bytes,
        variables: dict[str, Any] | None = None,
        *,
        pure: Mapping[str, Any] | None = None,
        key: str = "process",
        step_limit: int = STEP_LIMIT,
        execution: Execution | None = None,
        **options: Any,
    ) -> Play:
        engine = SpiffEngine(pure, step_limit=step_limit, execution=execution)
        assert engine.check(xml) == []
        played = Play(engine, Definition("digest", key, 1, "", xml), **options)
        played.do(Start(variables or {}))
        return played
