"""Do what bulk actions ask, one item a transaction, with its result.

The item stays locked while it is done, and its result is committed together with what
was done: whoever is killed in between has done nothing, and the next worker does it.
Any number of workers share a batch.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass

from mpms.domain.bulk import Batch, BatchItem, ItemState, Target
from mpms.domain.errors import (
    DatabaseAway,
    InstanceBusy,
    InstanceSuspended,
    MpmsError,
    NotFound,
)
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.instances.apply_repair import Why

log = logging.getLogger(__name__)

TURN_S = 0.25  # then the worker's other phases have their turn
TRIES = 3  # of an instance that somebody else is changing
LONGEST = 2000


@dataclass(frozen=True)
class RunBatches:
    """A worker's phase."""

    uow: UnitOfWork
    advance: Advance
    turn_s: float = TURN_S

    def __call__(self) -> bool:
        """Some items of every batch that is open; False if there was none."""
        with self.uow() as tx:
            batches = list(tx.batches.open())
        moved = False
        until = time.monotonic() + self.turn_s
        while batches:
            for batch in tuple(batches):
                if self.one(batch):
                    moved = True
                else:
                    batches.remove(batch)
                    self._finish(batch)
                if time.monotonic() > until:
                    return True
        return moved

    def one(self, batch: Batch) -> bool:
        """Do the next item of a batch; False if there is none to begin."""
        with self.uow() as tx:
            item = tx.batches.claim(batch.id)
            if item is None:
                return False
            state, message = self._done(tx, batch, item)
            tx.batches.settle(batch.id, item.place, state, message)
            tx.events.append(
                "batch item",
                actor=batch.ordered_by,
                instance_id=item.target.instance_id,
                data={
                    "batch": batch.id,
                    "action": str(batch.action),
                    "state": str(state),
                    "message": message,
                },
            )
        return True

    def _done(
        self, tx: Transaction, batch: Batch, item: BatchItem
    ) -> tuple[ItemState, str | None]:
        for again in reversed(range(TRIES)):
            try:
                with tx.undoable():
                    return ItemState.DONE, self._do(tx, batch, item.target)
            except DatabaseAway:
                raise
            except InstanceBusy as busy:
                if not again or isinstance(busy, InstanceSuspended):
                    return ItemState.FAILED, _said(busy)
            except MpmsError as refused:
                return ItemState.FAILED, _said(refused)
            except Exception as fault:
                log.exception("batch %s, item %s", batch.id, item.place)
                return ItemState.FAILED, f"The fault is ours: {_said(fault)}"
        raise AssertionError("the last try returns")

    def _do(self, tx: Transaction, batch: Batch, target: Target) -> str | None:
        why = Why(by=batch.ordered_by, reason=batch.reason)
        if target.instance_id is None:
            raise NotFound("It belongs to no process instance.")
        # Every repair there is: a worker loads them with its first bulk action.
        from mpms.services.bulk.do_item import ACTIONS, Within

        act = ACTIONS[batch.action]
        return act(Within(tx), self.advance, target, batch.details, why)

    def _finish(self, batch: Batch) -> None:
        with self.uow() as tx:
            ended = tx.batches.finish(batch.id)
            if ended is not None:
                data = {"batch": ended.id, "done": ended.done, "failed": ended.failed}
                tx.events.append("batch ended", actor=ended.ordered_by, data=data)


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:LONGEST] or type(error).__name__
