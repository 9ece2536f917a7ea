"""Lists of instances: the last changed first, page by page, found by what one knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpms.ports.instances.rows import InstanceFilter, InstancePlace, InstanceRow
from mpms.ports.store import UnitOfWork

PAGE = 50
CAP = 1_000  # nobody needs to know how many more there are; counting them takes time


@dataclass(frozen=True)
class InstanceList:
    """One page of a list."""

    rows: Sequence[InstanceRow]
    below: InstancePlace | None  # where the next page begins; None: this is the last
    found: int  # at most CAP + 1


def list_instances(
    uow: UnitOfWork,
    wanted: InstanceFilter,
    *,
    below: InstancePlace | None = None,
    limit: int = PAGE,
) -> InstanceList:
    with uow() as tx:
        if below is None:  # the first page and its count are one reading
            most = max(limit, CAP) + 1
            rows, found = tx.cockpit.counted(wanted, limit=limit + 1, most=most)
        else:
            rows = tx.cockpit.instances(wanted, below=below, limit=limit + 1)
            found = 0
    shown = rows[:limit]
    more = len(rows) > limit
    return InstanceList(shown, shown[-1].place if more else None, min(found, CAP + 1))
