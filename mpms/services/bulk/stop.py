"""Let a bulk action begin nothing more; what it has done stays done."""

from __future__ import annotations

from mpms.domain.bulk import Batch, BatchOver
from mpms.ports.store import UnitOfWork


def stop_batch(uow: UnitOfWork, batch_id: int, *, by: str, reason: str = "") -> Batch:
    """Begin no further item; those that are being done are waited for.

    BatchUnknown, BatchOver.
    """
    with uow() as tx:
        tx.batches.lock(batch_id)
        batch = tx.batches.finish(batch_id, stopped_by=by)
        if batch is None:
            raise BatchOver
        data = {"batch": batch_id, "done": batch.done, "failed": batch.failed}
        data |= {"left": batch.left}
        why = {"reason": reason.strip()} if reason.strip() else {}
        tx.events.append("batch stopped", actor=by, data=data | why)
    return batch
