"""Instances that wait for things, without the engine: rows for the repositories."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from mpms.adapters.postgres.database.connections import Connections
from mpms.adapters.postgres.database.unit_of_work import (
    PostgresTransaction,
    PostgresUnitOfWork,
)
from mpms.domain.instances.instances import Parent
from mpms.domain.instances.steps import EventWait, FormWait, JobWait, TimerWait
from tests.support.waiting import PATIENCE_S, eventually

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


class WaitingInstances:
    """Makes instances and what they wait for, each in a committed transaction."""

    def __init__(self, uow: PostgresUnitOfWork, pool: Connections) -> None:
        self.uow = uow
        self.pool = pool

    def instance(
        self, *, business_key: str | None = "ORD-1", parent: Parent | None = None
    ) -> str:
        instance_id = str(uuid4())
        with self.uow() as tx:
            definition = tx.definitions.deploy("mix", "Mix", b"<mix/>", by="test")
            tx.instances.add(
                instance_id,
                tx.definitions.id_of(definition),
                business_key=business_key,
                parent=parent,
            )
        return instance_id

    def job(self, instance_id: str, topic: str = "drive", **more: Any) -> str:
        wait = self.job_wait(topic, **more)
        with self.uow() as tx:
            tx.waits.open_job(instance_id, wait)
        return wait.task_id

    def job_wait(self, topic: str = "drive", **more: Any) -> JobWait:
        given: dict[str, Any] = {
            "inputs": {"to": "tank"},
            "retry_delays_s": (1.0, 5.0),
        }
        return JobWait(str(uuid4()), "drive_to", "Drive", None, topic, **given | more)

    def form_wait(self, *groups: str) -> FormWait:
        return FormWait(
            str(uuid4()), "load", "Load it", "Worker", "load", "ada", groups, {"n": 1}
        )

    def timer_wait(self, due_at: datetime = LONG_AGO) -> TimerWait:
        return TimerWait(str(uuid4()), "wait", "Wait", None, due_at)

    def timer(self, instance_id: str, due_at: datetime = LONG_AGO) -> str:
        wait = self.timer_wait(due_at)
        with self.uow() as tx:
            tx.waits.open_timer(instance_id, wait)
        return wait.task_id

    def event_wait(
        self, kind: str, event: str, correlation: str | None = None
    ) -> EventWait:
        return EventWait(str(uuid4()), "catch", "Catch", None, kind, event, correlation)

    def subscription(
        self,
        instance_id: str,
        kind: str = "message",
        event: str = "parcel",
        correlation: str | None = None,
    ) -> str:
        wait = self.event_wait(kind, event, correlation)
        with self.uow() as tx:
            tx.waits.open_subscription(instance_id, wait)
        return wait.task_id

    def ask(self, statement: str) -> Any:
        """Ask the database behind the repositories' back."""
        with self.pool.connection() as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            row = cursor.fetchone()
            assert row is not None
            return row[0]

    def until_somebody_waits(self) -> None:
        eventually(
            lambda: self.ask(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                " AND datname = current_database()"
            ),
            "somebody waits for a lock",
        )

    def drain_deliveries(self) -> list[tuple[str, str, str | None, dict[str, Any]]]:
        taken: list[tuple[str, str, str | None, dict[str, Any]]] = []
        while True:
            with self.uow() as tx:
                claimed = tx.deliveries.claim()
            if claimed is None:
                return taken
            taken.append(
                (claimed.instance_id, claimed.kind, claimed.task_id, claimed.data)
            )

    @contextmanager
    def meanwhile(self, work: Callable[[PostgresTransaction], None]) -> Iterator[None]:
        """Run work in a transaction of another thread; re-raise what it raised."""
        raised: list[BaseException] = []

        def run() -> None:
            try:
                with self.uow() as tx:
                    work(tx)
            except BaseException as error:
                raised.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield
        finally:
            thread.join(PATIENCE_S)
        assert not thread.is_alive()
        if raised:
            raise raised[0]
