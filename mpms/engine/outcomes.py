"""What came of a command: what waits now, what is new, what is over."""

from __future__ import annotations

from SpiffWorkflow.util.task import TaskState

from mpms.domain.instances.instances import InstanceStatus, Snapshot
from mpms.domain.instances.steps import Step, StuckWait, Wait
from mpms.engine import codec
from mpms.engine.tokens import Tokens


def settled(run: Tokens, before: tuple[Wait, ...]) -> Step:
    """Run on until everything waits, and say what came of it."""
    run.settle()
    if not run.status().ended and not waits_of(run):
        run.stop_at_joins()
    return step_of(run, before)


def waits_of(run: Tokens) -> tuple[Wait, ...]:
    waits: list[Wait] = []
    for token in run.tasks.values():
        if token._state == TaskState.ERROR:
            reason = token.internal_data["stuck"]["reason"]
            facts: tuple[str, str, str, str | None] = token.task_spec.wait_facts(token)
            waits.append(StuckWait(*facts, reason))
        elif {"listening", "held"} & token.internal_data.keys():
            continue  # what is inside it waits
        elif token._state == TaskState.STARTED and token is not run.task_tree:
            wait = token.task_spec.wait(token)
            if wait is not None:
                waits.append(wait)
    return tuple(waits)


def step_of(run: Tokens, before: tuple[Wait, ...]) -> Step:
    status = run.status()
    waits = () if status.ended else waits_of(run)
    was, now = {_kind_of(w) for w in before}, {_kind_of(w) for w in waits}
    return Step(
        snapshot=Snapshot(codec.dump(run), run.task_tree.data),
        status=status,
        waits=waits,
        opened=tuple(w for w in waits if _kind_of(w) not in was),
        closed=tuple(w for w in before if _kind_of(w) not in now),
        throws=tuple(run.throws),
        trace=tuple(run.trace),
        error=run.error,
        escalations=tuple(run.escalations),
    )


def _kind_of(wait: Wait) -> tuple[object, ...]:
    """What makes two waits the same one: a timer's due time and a reason belong."""
    due_at, reason = getattr(wait, "due_at", None), getattr(wait, "reason", None)
    return wait.task_id, type(wait), due_at, reason


def unchanged(snapshot: Snapshot, waits: tuple[Wait, ...]) -> Step:
    active = InstanceStatus.ACTIVE
    return Step(snapshot, active, waits, (), (), (), (), caught=False)
