"""What a bulk action would do, before it is ordered: which can, and why others cannot.

A look at this moment; what an item meets when its turn comes is told with its result.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mpms.domain.bulk import MOST_ITEMS, BatchAction, Target
from mpms.ports.engine import Engine
from mpms.ports.instances.rows import InstanceRow
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.bulk.order import Which, targets_of
from mpms.services.instances.migrate import plan_migration

PLANNED = 200  # instances whose migration is planned beforehand; a plan takes time

Stands = Mapping[str, set[str]]  # elements by instance


@dataclass(frozen=True)
class BatchPreview:
    """How many are meant, and how many of those that were looked at can."""

    total: int  # MOST_ITEMS + 1: too many
    looked_at: int
    ready: int
    refused: Sequence[tuple[str, int]]  # why, and how many; the most frequent first

    @property
    def too_many(self) -> bool:
        return self.total > MOST_ITEMS


def preview_batch(
    uow: UnitOfWork,
    engine: Engine,
    action: BatchAction,
    which: Which,
    details: Mapping[str, Any] | None = None,
) -> BatchPreview:
    """As ``order_batch`` without changing anything; details may still be missing."""
    given = dict(details or {})
    with uow() as tx:
        targets = targets_of(tx, which)
        total = len(targets)
        if total > MOST_ITEMS:
            return BatchPreview(total, 0, 0, ())
        rows = _rows(tx, targets)
        troubled, stands = _stands(tx, action, rows)
    if action is BatchAction.MIGRATE and given.get("version"):
        return _planned(uow, engine, rows, total, given)
    whys = [_why_not(action, row, troubled, stands, given) for row in rows]
    gone = Counter({"gone": total - len(rows)}) if total > len(rows) else Counter()
    return _told(total, [*whys, *gone.elements()])


def _told(total: int, whys: Sequence[str]) -> BatchPreview:
    refused = Counter(why for why in whys if why)
    ready = len(whys) - refused.total()
    return BatchPreview(total, len(whys), ready, refused.most_common())


def _rows(tx: Transaction, targets: Sequence[Target]) -> list[InstanceRow]:
    ids = list(dict.fromkeys(t.instance_id for t in targets if t.instance_id))
    found = {row.id: row for row in tx.batches.instances(ids)}
    every = (found.get(target.instance_id or "") for target in targets)
    return [row for row in every if row is not None]


def _stands(
    tx: Transaction, action: BatchAction, rows: Sequence[InstanceRow]
) -> tuple[set[str], Stands]:
    """Instances with incidents, and where tokens stand; only if it matters."""
    troubled: set[str] = set()
    stands: dict[str, set[str]] = defaultdict(set)
    if action in (BatchAction.RETRY, BatchAction.SKIP, BatchAction.MOVE):
        running = [row.id for row in rows if not row.status.ended]
        for stand in tx.cockpit.places(running):
            if stand.element is None:
                troubled.add(stand.instance_id)
            else:
                stands[stand.instance_id].add(stand.element)
    return troubled, stands


def _why_not(
    action: BatchAction,
    row: InstanceRow,
    troubled: set[str],
    stands: Stands,
    details: Mapping[str, Any],
) -> str:
    """One word that pages translate; nothing if it can be done."""
    if action is BatchAction.RESTART:
        return "" if row.status.ended else "running"
    if row.status.ended:
        return "ended"
    match action:
        case BatchAction.RETRY:
            return "" if row.id in troubled else "no incident"
        case BatchAction.SUSPEND:
            return "" if row.suspended_at is None else "suspended"
        case BatchAction.RESUME:
            return "not suspended" if row.suspended_at is None else ""
        case BatchAction.SKIP | BatchAction.MOVE if details.get("element"):
            return "" if details["element"] in stands.get(row.id, ()) else "no token"
    return ""


def _planned(
    uow: UnitOfWork,
    engine: Engine,
    rows: Sequence[InstanceRow],
    total: int,
    details: Mapping[str, Any],
) -> BatchPreview:
    """ProcessUnknown, ElementUnknown."""
    looked = rows[:PLANNED]
    by_key: dict[str, list[str]] = defaultdict(list)
    for row in looked:
        by_key[row.key].append(row.id)
    whys: list[str] = []
    for key, ids in by_key.items():
        plan = plan_migration(
            uow,
            engine,
            key,
            details["version"],
            instance_ids=ids,
            renamed=details.get("renamed"),
        )
        whys += [" ".join(one.obstacles) for one in plan]
        whys += ["ended"] * (len(ids) - len(plan))
    return _told(total, whys)
