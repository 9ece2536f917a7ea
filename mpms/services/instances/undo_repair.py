"""Take back what somebody did to an instance, where a process allows it.

What can be taken back is found in the history itself: a variable has its old value
there, a moved token the element it came from. Taking back is an ordinary repair with
who and why, and its line names the line that it undoes. A step that was skipped or
cancelled is over for good: what it meant to do may have been done by somebody since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mpms.domain.errors import RepairRefused
from mpms.domain.instances.instances import Instance
from mpms.domain.instances.steps import LiveToken
from mpms.ports.engine import Engine
from mpms.ports.instances.cockpit import Line
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.instances.apply_repair import Why
from mpms.services.instances.migrate import migrate_instance
from mpms.services.instances.move_token import move_token
from mpms.services.instances.set_variables import set_variables
from mpms.services.instances.suspend import resume_instance, suspend_instance

UNDOABLE = ("variables set", "token moved", "suspended", "resumed", "migrated")
GONE_ON = "The token has gone on since, so it cannot be moved back."


@dataclass(frozen=True)
class Undo:
    """How one line of the history is taken back."""

    line: Line
    task_id: str | None = None
    element: str = ""  # where a token goes back to
    variables: Mapping[str, Any] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    version: int = 0
    renamed: Mapping[str, str] = field(default_factory=dict)


def plan_undo(uow: UnitOfWork, engine: Engine, instance_id: str, line: int) -> Undo:
    """RepairRefused says why it cannot be taken back; InstanceUnknown."""
    with uow() as tx:
        instance = tx.instances.get(instance_id)
        found = tx.cockpit_instance.line(instance_id, line)
        if found is None or found.kind not in UNDOABLE:
            raise RepairRefused("This cannot be undone.")
        if line in tx.cockpit_instance.undone(instance_id):
            raise RepairRefused("This has already been undone.")
        return _plan(tx, engine, instance, found)


def list_undoable(
    uow: UnitOfWork, engine: Engine, instance_id: str, lines: Sequence[Line]
) -> frozenset[int]:
    """Which of these lines can be taken back now. InstanceUnknown."""
    found = set()
    with uow() as tx:
        instance = tx.instances.get(instance_id)
        if instance.status.ended:
            return frozenset()
        undone = tx.cockpit_instance.undone(instance_id)
        for line in lines:
            if line.kind not in UNDOABLE or line.line in undone:
                continue
            try:
                _plan(tx, engine, instance, line)
            except RepairRefused:
                continue
            found.add(line.line)
    return frozenset(found)


def undo_repair(
    uow: UnitOfWork,
    advance: Advance,
    instance_id: str,
    line: int,
    *,
    by: str,
    reason: str,
) -> None:
    """ReasonMissing, RepairRefused, TaskGone, InstanceUnknown, InstanceBusy."""
    undo = plan_undo(uow, advance.engine, instance_id, line)
    why = Why(by=by, reason=reason)
    match undo.line.kind:
        case "variables set":
            set_variables(
                uow,
                advance,
                instance_id,
                undo.variables,
                removed=undo.removed,
                task_id=undo.task_id,
                undoes=line,
                **why,
            )
        case "token moved":
            moved = undo.task_id or ""
            move_token(
                uow, advance, instance_id, moved, undo.element, undoes=line, **why
            )
        case "suspended":
            resume_instance(uow, instance_id, undoes=line, **why)
        case "resumed":
            suspend_instance(uow, instance_id, undoes=line, **why)
        case _:
            migrate_instance(
                uow,
                advance,
                instance_id,
                undo.version,
                renamed=undo.renamed,
                undoes=line,
                **why,
            )


def _plan(tx: Transaction, engine: Engine, instance: Instance, line: Line) -> Undo:
    if instance.status.ended or instance.snapshot is None:
        raise RepairRefused("The process has ended, so nothing of it can be undone.")
    match line.kind:
        case "suspended":
            if instance.suspended is None:
                raise RepairRefused("The process is already running.")
            return Undo(line)
        case "resumed":
            if instance.suspended is not None:
                raise RepairRefused("The process is already suspended.")
            return Undo(line)
        case "migrated":
            return _version_before(tx, instance, line)
    definition = tx.definitions.by_id(instance.definition_id)
    live = {t.task_id: t for t in engine.tokens(definition, instance.snapshot)}
    then = tx.cockpit_instance.same_step(instance.id, line.line)
    if line.kind == "token moved":
        return _place_before(line, then, live)
    return _values_before(instance, line, then, live)


def _place_before(
    line: Line, then: Sequence[Line], live: Mapping[str, LiveToken]
) -> Undo:
    target = line.data.get("to")
    came = [x for x in then if x.kind == "entered" and x.element == target]
    stands = (live.get(x.task_id or "") for x in came)
    token = next((token for token in stands if token is not None), None)
    if token is None or line.element is None:
        raise RepairRefused(GONE_ON)
    return Undo(line, task_id=token.task_id, element=line.element)


def _values_before(
    instance: Instance,
    line: Line,
    then: Sequence[Line],
    live: Mapping[str, LiveToken],
) -> Undo:
    holder: Mapping[str, Any] = {}
    if line.task_id is not None:
        if line.task_id not in live:
            raise RepairRefused("The step that the variable belonged to is over.")
        holder = live[line.task_id].local
    elif instance.snapshot is not None:
        holder = instance.snapshot.variables
    meant = {*line.data.get("names", ()), *line.data.get("removed", ())}
    first: dict[str, dict[str, Any]] = {}
    for change in then:
        name = change.data.get("name")
        same = ("local" in change.data) == (line.task_id is not None)
        if change.kind == "variable" and name in meant and same:
            first.setdefault(str(name), change.data)
    if not first:
        raise RepairRefused("This did not change anything.")
    for name, change_data in first.items():
        expected = {} if "removed" in change_data else {name: change_data.get("new")}
        if {n: v for n, v in holder.items() if n == name} != expected:
            raise RepairRefused(f"The variable {name} was changed again since.")
    return Undo(
        line,
        task_id=line.task_id,
        variables={n: d["old"] for n, d in first.items() if "old" in d},
        removed=tuple(n for n, d in first.items() if "old" not in d),
    )


def _version_before(tx: Transaction, instance: Instance, line: Line) -> Undo:
    definition = tx.definitions.by_id(instance.definition_id)
    if definition.version != line.data.get("to"):
        raise RepairRefused("The process is in another version by now.")
    renamed = line.data.get("renamed") or {}
    back = {new: old for old, new in renamed.items()}
    return Undo(line, version=int(line.data["from"]), renamed=back)
