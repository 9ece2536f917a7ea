"""Process instances and their locks.

The lock of an instance comes before the locks of its rows, everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from psycopg2 import Binary

from mpms.adapters.postgres.database.statements import (
    Repository,
    Row,
    Statements,
    as_json,
    is_uuid,
)
from mpms.domain.errors import (
    InstanceBusy,
    InstanceUnknown,
    ProcessSuspended,
    ProcessUnknown,
)
from mpms.domain.instances.instances import (
    Instance,
    InstanceLine,
    InstanceStatus,
    Parent,
    Snapshot,
    Suspension,
)


class Instances(Repository):
    """Rows of ``instances``."""

    def __init__(self, statements: Statements) -> None:
        super().__init__(statements)
        self.saved: set[str] = set()

    def add(
        self,
        instance_id: str,
        definition_id: int,
        *,
        business_key: str | None,
        parent: Parent | None,
        restarted_from: str | None = None,
    ) -> Instance:
        """The new one, which nobody else sees yet. ProcessUnknown, ProcessSuspended."""
        added = self._statements.row(
            "instances_insert",
            id=instance_id,
            definition_id=definition_id,
            business_key=business_key,
            parent_id=parent.instance_id if parent else None,
            parent_task=parent.task_id if parent else None,
            restarted_from=restarted_from,
        )
        if added is None:
            stopped = self._statements.row(
                "instances_suspension", definition_id=definition_id
            )
            if stopped is not None:
                key, by, reason, _ = stopped
                raise ProcessSuspended(
                    f"The process {key} is suspended by {by}: {reason}."
                    " No new instance is started."
                )
            raise ProcessUnknown(f"There is no deployed model number {definition_id}.")
        return instance_of(added)

    def lock(self, instance_id: str, *, wait_s: float = 2.0) -> Instance:
        """Lock the row for this transaction. InstanceUnknown, InstanceBusy."""
        self._refuse_nonsense(instance_id)
        row = self._statements.row("instances_lock_free", id=instance_id)
        if row is None:
            found = self.get(instance_id)
            if wait_s <= 0:
                raise InstanceBusy
            with self._statements.waiting_at_most(wait_s):
                row = self._statements.row("instances_lock", id=found.id)
        if row is None:
            raise InstanceUnknown
        return instance_of(row)

    def save(
        self,
        instance_id: str,
        snapshot: Snapshot,
        status: InstanceStatus,
        end_reason: str | None,
    ) -> None:
        """Write a locked one; of several steps in one transaction the last."""
        self.saved.add(instance_id)
        self._statements.ungather("instances_save", "id", instance_id)
        self._statements.gather(
            "instances_save",
            id=instance_id,
            state=Binary(snapshot.state),
            variables=as_json(snapshot.variables),
            status=status.value,
            end_reason=end_reason,
        )

    def get(self, instance_id: str) -> Instance:
        self._refuse_nonsense(instance_id)
        row = self._statements.row("instances_get", id=instance_id)
        if row is None:
            raise InstanceUnknown
        return instance_of(row)

    def children(self, instance_id: str, task_id: str | None = None) -> list[str]:
        rows = self._statements.rows(
            "instances_children", id=instance_id, task_id=task_id
        )
        return [child for (child,) in rows]

    def depth(self, instance_id: str, *, limit: int) -> int:
        row = self._statements.row("instances_depth", id=instance_id, limit=limit)
        return 0 if row is None else int(row[0])

    def by_business_key(self, business_key: str) -> Sequence[Instance]:
        rows = self._statements.rows(
            "instances_by_business_key", business_key=business_key
        )
        return [instance_of(row) for row in rows]

    def business_keys(self, instance_ids: Iterable[str]) -> dict[str, str | None]:
        rows = self._statements.rows("instances_business_keys", ids=list(instance_ids))
        return dict(rows)

    def counts(self) -> dict[tuple[str, str], int]:
        rows = self._statements.rows("instances_count")
        return {(key, status): number for key, status, number in rows}

    def find(
        self,
        *,
        key: str | None = None,
        version: int | None = None,
        status: InstanceStatus | None = None,
        business_key: str | None = None,
        suspended: bool | None = None,
        troubled: bool | None = None,
        limit: int | None = 100,
    ) -> Sequence[InstanceLine]:
        """What fits all that is given, newest first."""
        rows = self._statements.rows(
            "instances_find",
            key=key,
            version=version,
            status=None if status is None else status.value,
            business_key=business_key,
            suspended=suspended,
            troubled=troubled,
            limit=limit,
        )
        return [_line(row) for row in rows]

    def set_definition(self, instance_id: str, definition_id: int) -> None:
        """Put a locked instance under another version of its process."""
        self._statements.run_later(
            "instances_set_definition", id=instance_id, definition_id=definition_id
        )

    def restart_of(self, instance_id: str) -> str | None:
        """The active instance that repeats this one."""
        row = self._statements.row("instances_restart_of", id=instance_id)
        return None if row is None else row[0]

    def _refuse_nonsense(self, instance_id: str) -> None:
        if not is_uuid(instance_id):
            raise InstanceUnknown


def instance_of(row: Row) -> Instance:
    (
        instance_id,
        definition_id,
        key,
        business_key,
        parent_id,
        parent_task,
        status,
        state,
        variables,
        revision,
        started_at,
        changed_at,
        ended_at,
        end_reason,
        suspended_by,
        suspended_reason,
        suspended_at,
        restarted_from,
    ) = row
    return Instance(
        id=instance_id,
        definition_id=definition_id,
        key=key,
        business_key=business_key,
        parent=None if parent_id is None else Parent(parent_id, parent_task),
        status=InstanceStatus(status),
        snapshot=None if state is None else Snapshot(bytes(state), variables),
        revision=revision,
        started_at=started_at,
        changed_at=changed_at,
        ended_at=ended_at,
        end_reason=end_reason,
        suspended=_suspension(suspended_by, suspended_reason, suspended_at),
        restarted_from=restarted_from,
    )


def _line(row: Row) -> InstanceLine:
    *head, by, reason, at, parent_id, restarted_from, incidents = row
    instance_id, key, version, business_key, status, *times = head
    started_at, ended_at, end_reason = times
    return InstanceLine(
        id=instance_id,
        key=key,
        version=version,
        business_key=business_key,
        status=InstanceStatus(status),
        started_at=started_at,
        ended_at=ended_at,
        end_reason=end_reason,
        suspended=_suspension(by, reason, at),
        parent_id=parent_id,
        restarted_from=restarted_from,
        incidents=incidents,
    )


def _suspension(
    by: str | None, reason: str | None, at: datetime | None
) -> Suspension | None:
    return None if by is None or at is None else Suspension(by, reason or "", at)
