"""Bulk actions and their items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mpms.adapters.postgres.database.statements import Repository, Row, as_json
from mpms.domain.bulk import (
    Batch,
    BatchAction,
    BatchItem,
    BatchUnknown,
    ItemState,
    Target,
)
from mpms.domain.instances.instances import InstanceStatus

if TYPE_CHECKING:
    from mpms.ports.instances.rows import InstanceRow


class Batches(Repository):
    """Rows of ``batches`` and ``batch_items``."""

    def add(
        self,
        action: BatchAction,
        details: dict[str, Any],
        targets: Sequence[Target],
        *,
        by: str,
        reason: str,
    ) -> int:
        ((batch_id,),) = self._statements.rows(
            "batches_insert",
            action=action.value,
            details=as_json(details),
            reason=reason,
            by=by,
            items=len(targets),
        )
        self._statements.run(
            "batches_insert_items",
            batch_id=batch_id,
            instance_ids=[target.instance_id for target in targets],
            incident_ids=[target.incident_id for target in targets],
        )
        return int(batch_id)

    def get(self, batch_id: int) -> Batch:
        """BatchUnknown."""
        row = self._statements.row("batches_get", id=batch_id)
        if row is None:
            raise BatchUnknown(f"There is no bulk action {batch_id}.")
        return _batch(row)

    def lock(self, batch_id: int) -> Batch:
        """Wait until no item is being done; none is begun before the commit."""
        self._statements.row("batches_lock", id=batch_id)
        return self.get(batch_id)

    def open(self) -> Sequence[Batch]:
        return [_batch(row) for row in self._statements.rows("batches_open")]

    def listing(self, *, below: int | None, limit: int) -> Sequence[Batch]:
        rows = self._statements.rows("batches_list", below=below, limit=limit)
        return [_batch(row) for row in rows]

    def claim(self, batch_id: int) -> BatchItem | None:
        """The next waiting item, locked."""
        row = self._statements.row("batches_claim", batch_id=batch_id)
        return None if row is None else _item(row)

    def settle(
        self, batch_id: int, place: int, state: ItemState, message: str | None
    ) -> None:
        self._statements.run_later(
            "batches_settle",
            batch_id=batch_id,
            place=place,
            state=state.value,
            message=message,
        )

    def finish(self, batch_id: int, *, stopped_by: str | None = None) -> Batch | None:
        """Write down the end; whoever stops it holds the lock."""
        if stopped_by is None and not self._statements.row(
            "batches_over", batch_id=batch_id
        ):
            return None
        ended = self._statements.run(
            "batches_finish", batch_id=batch_id, stopped_by=stopped_by
        )
        return self.get(batch_id) if ended else None

    def items(
        self,
        batch_id: int,
        *,
        state: ItemState | None = None,
        after: int = 0,
        limit: int,
    ) -> Sequence[BatchItem]:
        rows = self._statements.rows(
            "batches_items",
            batch_id=batch_id,
            state=None if state is None else state.value,
            after=after,
            limit=limit,
        )
        return [_item(row) for row in rows]

    def instances(self, instance_ids: Sequence[str]) -> Sequence[InstanceRow]:
        """What these instances are now, in whatever order."""
        rows = self._statements.rows("batches_targets", ids=list(instance_ids))
        return [_instance(row) for row in rows]


def _batch(row: Row) -> Batch:
    batch_id, action, *rest = row
    return Batch(batch_id, BatchAction(action), *rest)


def _item(row: Row) -> BatchItem:
    place, instance_id, incident_id, state, *rest = row
    return BatchItem(place, Target(instance_id, incident_id), ItemState(state), *rest)


def _instance(row: Row) -> InstanceRow:
    from mpms.ports.instances.rows import InstanceRow

    found, status = list(row), InstanceStatus(row[4])
    found[4] = status
    return InstanceRow(*found)
