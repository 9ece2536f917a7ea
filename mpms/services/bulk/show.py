"""Bulk actions as pages and programs look at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpms.domain.bulk import Batch, BatchItem, ItemState
from mpms.ports.store import UnitOfWork

PAGE = 50


@dataclass(frozen=True)
class BatchPage:
    """One batch with a page of its items."""

    batch: Batch
    items: Sequence[BatchItem]
    after: int | None  # where the next page begins; None: this is the last


@dataclass(frozen=True)
class BatchList:
    """One page of batches, the last ordered first."""

    batches: Sequence[Batch]
    below: int | None  # where the next page begins; None: this is the last


def show_batch(
    uow: UnitOfWork,
    batch_id: int,
    *,
    state: ItemState | None = None,
    after: int = 0,
    limit: int = PAGE,
) -> BatchPage:
    """BatchUnknown."""
    with uow() as tx:
        batch = tx.batches.get(batch_id)
        found = tx.batches.items(batch_id, state=state, after=after, limit=limit + 1)
    shown = found[:limit]
    more = len(found) > limit
    return BatchPage(batch, shown, shown[-1].place if more else None)


def list_batches(
    uow: UnitOfWork, *, below: int | None = None, limit: int = PAGE
) -> BatchList:
    with uow() as tx:
        found = tx.batches.listing(below=below, limit=limit + 1)
    shown = found[:limit]
    return BatchList(shown, shown[-1].id if len(found) > limit else None)
