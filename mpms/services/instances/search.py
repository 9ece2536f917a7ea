"""Instances of a process as the cockpit lists them, with where each one stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mpms.ports.instances.rows import InstanceFilter, InstancePlace, InstanceRow
from mpms.ports.processes.cockpit import InstanceStand
from mpms.ports.store import UnitOfWork
from mpms.services.instances.listing import CAP, PAGE, list_instances

EXPORTED = 10_000
AT_ONCE = 1_000


@dataclass(frozen=True)
class FoundInstance:
    """One line of the list."""

    row: InstanceRow
    stands: Sequence[InstanceStand]  # by element
    incidents: int

    @property
    def state(self) -> str:
        """running, stuck, suspended, completed, cancelled or failed."""
        if self.row.status.ended:
            return str(self.row.status)
        if self.incidents:
            return "stuck"
        return "running" if self.row.suspended_at is None else "suspended"


@dataclass(frozen=True)
class FoundInstances:
    """One page of the list."""

    instances: Sequence[FoundInstance]
    below: InstancePlace | None  # where the next page begins
    found: int  # CAP + 1 means more than CAP; only known on the first page
    cap: int = CAP


def search_instances(
    uow: UnitOfWork,
    wanted: InstanceFilter,
    *,
    below: InstancePlace | None = None,
    limit: int = PAGE,
) -> FoundInstances:
    page = list_instances(uow, wanted, below=below, limit=limit)
    return FoundInstances(_placed(uow, page.rows), page.below, page.found)


def export_instances(
    uow: UnitOfWork, wanted: InstanceFilter, *, most: int = EXPORTED
) -> Iterator[FoundInstance]:
    """The first of all that fit, some at a time, so that no transaction lasts long."""
    below: InstancePlace | None = None
    while most > 0:
        limit = min(most, AT_ONCE)
        with uow() as tx:
            rows = tx.cockpit.instances(wanted, below=below, limit=limit)
        yield from _placed(uow, rows)
        if len(rows) < limit:
            return
        most -= limit
        below = rows[-1].place


def _placed(uow: UnitOfWork, rows: Sequence[InstanceRow]) -> list[FoundInstance]:
    running = [row.id for row in rows if not row.status.ended]
    stands: dict[str, list[InstanceStand]] = defaultdict(list)
    incidents: dict[str, int] = {}
    if running:
        with uow() as tx:
            for stand in tx.cockpit.places(running):
                if stand.element is None:
                    incidents[stand.instance_id] = stand.stuck
                else:
                    stands[stand.instance_id].append(stand)
    return [
        FoundInstance(
            row,
            sorted(stands[row.id], key=lambda s: s.element or ""),
            incidents.get(row.id, 0),
        )
        for row in rows
    ]
