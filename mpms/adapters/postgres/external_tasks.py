"""The queue as workers of others see it: the same table, with other columns read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from mpms.adapters.postgres.database.statements import (
    REACH,
    Repository,
    Row,
    as_json,
    is_uuid,
)
from mpms.domain.external_tasks import ExternalTask, TaskFilter, WantedTopic
from mpms.domain.jobs import Job

CLAIM = "external_tasks_claim"
NOTE_EVERY_S = 10.0
KEPT_S = 24 * 3600.0


class ExternalTasks(Repository):
    """Rows of ``jobs`` and ``fetched_topics``."""

    def claim(
        self, wanted: Sequence[WantedTopic], *, worker: str, limit: int
    ) -> list[ExternalTask]:
        """Lease due jobs, also those whose lease ran out. Commit before answering.

        All of a queue is looked at only if its head is taken, which an empty one, the
        usual case of who polls, is not.
        """
        asked = {
            "wanted": as_json([asdict(one) for one in wanted]),
            "worker": worker,
            "limit": limit,
        }
        rows = self._statements.rows(CLAIM, reach=limit + REACH, **asked)
        if not rows and self.due_topics((one.topic for one in wanted), most=1):
            rows = self._statements.rows(CLAIM, reach=None, **asked)
        return [_task(row) for row in rows]

    def due_topics(self, topics: Iterable[str], *, most: int) -> dict[str, int]:
        rows = self._statements.rows(
            "external_tasks_due_topics", topics=sorted(set(topics)), most=most
        )
        return {topic: number for topic, number in rows}

    def get(self, task_id: str) -> ExternalTask | None:
        if not is_uuid(task_id):
            return None
        row = self._statements.row("external_tasks_get", task_id=task_id)
        return None if row is None else _task(row)

    def find(
        self, which: TaskFilter, *, limit: int | None = None, offset: int = 0
    ) -> list[ExternalTask]:
        rows = self._statements.rows(
            "external_tasks_find",
            **_given(which),
            direction=-1 if which.newest_first else 1,
            by_priority=which.by_priority,
            limit=limit,
            offset=offset,
        )
        return [_task(row) for row in rows]

    def count(self, which: TaskFilter) -> int:
        row = self._statements.row("external_tasks_count", **_given(which))
        return 0 if row is None else int(row[0])

    def lease(self, job_id: int, *, worker: str, lease_s: float) -> bool:
        return self._change(
            "external_tasks_lease", id=job_id, worker=worker, lease_s=lease_s
        )

    def extend(self, job_id: int, *, worker: str, lease_s: float) -> bool:
        return self._change(
            "external_tasks_extend", id=job_id, worker=worker, lease_s=lease_s
        )

    def release(self, job_id: int, *, worker: str) -> bool:
        return self._change("external_tasks_release", id=job_id, worker=worker)

    def remember(self, job_id: int, *, retries: int, details: str | None) -> None:
        self._change(
            "external_tasks_remember", id=job_id, retries=retries, details=details
        )

    def set_retries(self, job_id: int, retries: int) -> None:
        self._change("external_tasks_set_retries", id=job_id, retries=retries)

    def note_topics(self, topics: Iterable[str], *, worker: str) -> None:
        """Written now and then only; who has not asked for a day goes with it."""
        named = sorted(set(topics))
        if self._change(
            "external_tasks_note_topics",
            topics=named,
            worker=worker,
            every_s=NOTE_EVERY_S,
        ):
            self._change("external_tasks_forget_topics", older_than_s=KEPT_S)

    def topics(self, *, within_s: float) -> frozenset[str]:
        rows = self._statements.rows("external_tasks_topics", within_s=within_s)
        return frozenset(row[0] for row in rows)

    def _change(self, statement: str, **parameters: Any) -> bool:
        return self._statements.run(statement, **parameters) > 0


def _given(which: TaskFilter) -> dict[str, Any]:
    """An id that can be none is of no row."""
    given = asdict(which)
    del given["newest_first"], given["by_priority"]
    for name in ("task_ids", "instance_ids"):
        if given[name] is not None:
            given[name] = [one for one in given[name] if is_uuid(one)]
    return given


def _task(row: Row) -> ExternalTask:
    job_id, task_id, instance_id, business_key, key, version, definition_id = row[:7]
    element, topic, inputs, variables, state, leased_by, lease_until = row[7:14]
    retries_left, error, created_at, suspended, attempts, delays = row[14:20]
    resets, details, instance_number, priority = row[20:]
    job = Job(
        id=job_id,
        task_id=str(task_id),
        instance_id=str(instance_id),
        business_key=business_key,
        element=element,
        topic=topic,
        inputs=variables if inputs is None else inputs,
        attempts=attempts,
        retry_delays_s=tuple(delays),
        idempotency_key=f"{task_id}:{resets}",
    )
    return ExternalTask(
        job=job,
        key=key,
        version=version,
        definition_id=definition_id,
        variables=variables,
        mapped=inputs,
        given_up=state == "given_up",
        leased_by=leased_by,
        lease_until=lease_until,
        retries_left=retries_left,
        error=error,
        details=details,
        created_at=created_at,
        suspended=suspended,
        instance_number=instance_number,
        priority=priority,
    )
