"""What bulk actions need of the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from mpms.domain.bulk import Batch, BatchAction, BatchItem, ItemState, Target

if TYPE_CHECKING:
    from mpms.ports.instances.rows import InstanceRow


class Batches(Protocol):
    """Bulk actions, the last ordered first, and their items in order."""

    def add(
        self,
        action: BatchAction,
        details: dict[str, Any],
        targets: Sequence[Target],
        *,
        by: str,
        reason: str,
    ) -> int: ...

    def get(self, batch_id: int) -> Batch: ...  # BatchUnknown
    def lock(self, batch_id: int) -> Batch:
        """Wait until no item is being done; none is begun before the commit.

        BatchUnknown.
        """
        ...

    def open(self) -> Sequence[Batch]:
        """Those that have not ended, the oldest first; their counts are not told."""
        ...

    def listing(self, *, below: int | None, limit: int) -> Sequence[Batch]: ...
    def claim(self, batch_id: int) -> BatchItem | None:
        """The next waiting item, locked; None if all are done or being done, or the
        batch was stopped."""
        ...

    def settle(
        self, batch_id: int, place: int, state: ItemState, message: str | None
    ) -> None: ...

    def finish(self, batch_id: int, *, stopped_by: str | None = None) -> Batch | None:
        """Write down the end; None if it has ended, or if items wait and nobody
        stops it."""
        ...

    def items(
        self,
        batch_id: int,
        *,
        state: ItemState | None = None,
        after: int = 0,
        limit: int,
    ) -> Sequence[BatchItem]: ...

    def instances(self, instance_ids: Sequence[str]) -> Sequence[InstanceRow]:
        """What these instances are now, in whatever order."""
        ...
