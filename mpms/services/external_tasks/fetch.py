"""Hand out due jobs under leases, and remember that somebody asks for their topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mpms.domain.external_tasks import FOREIGN, ExternalTask, WantedTopic, foreign
from mpms.ports.engine import Engine
from mpms.ports.store import Transaction, UnitOfWork


def fetch_tasks(
    uow: UnitOfWork,
    engine: Engine,
    wanted: Sequence[WantedTopic],
    *,
    worker: str,
    most: int,
    prefix: str = FOREIGN,
) -> list[ExternalTask]:
    """Lease at most so many; who vanishes loses them when their time is up."""
    with uow() as tx:
        holder = foreign(worker, prefix)
        tx.external_tasks.note_topics((one.topic for one in wanted), worker=holder)
        found = tx.external_tasks.claim(wanted, worker=holder, limit=most)
        with_more = {one.topic for one in wanted if one.with_properties}
        return [
            _with_properties(tx, engine, task) if task.job.topic in with_more else task
            for task in found
        ]


def _with_properties(
    tx: Transaction, engine: Engine, task: ExternalTask
) -> ExternalTask:
    definition = tx.definitions.by_id(task.definition_id)
    return replace(task, properties=engine.properties(definition, task.job.element))
