"""A factory over a real database, with a worker that tests drive by hand.

The base of every house, plant, shop and bench of the tests: what they do beyond this
stands in classes of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Self, TypeVar

import psycopg2
from psycopg2.extensions import connection

from mpms import assets, bootstrap
from mpms.domain.incidents.incidents import Incident
from mpms.domain.instances.instances import Instance
from mpms.domain.instances.limits import Limits
from mpms.domain.instances.steps import Throw
from mpms.domain.tasks import FormTask
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import LoopbackRobots
from mpms.factory.domain.worlds import World
from mpms.factory.ports.robots.robots import Robots
from mpms.ports.clock import Clock
from mpms.services.instances.start import start_instance
from mpms.services.jobs.handlers import Handlers
from mpms.services.models.deploy import deploy_models
from mpms.services.tasks.submit import Submitted, submit_form
from tests.support import kept_connections
from tests.support.databases import Contents, Databases
from tests.support.factory_worker import FactoryWorker
from tests.support.fakes import SilentAlarm

ROOT = Path(__file__).resolve().parents[2]
WORLD_DIR = ROOT / "worlds" / "paint_factory"


@cache
def paint_factory() -> World:
    """The shipped world; it cannot be changed, so one reading is enough."""
    return factory_bootstrap.world_named("paint_factory")


class Database:
    """Looks into a database beside the product, over a connection of its own."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._connection: connection | None = None

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run one statement as a transaction of its own."""
        if self._connection is None or self._connection.closed:
            kept = kept_connections.OF.get(self.url)
            self._connection = kept.lend_plain() if kept is not None else None
            if self._connection is None:
                self._connection = psycopg2.connect(self.url)
                self._connection.autocommit = True
        with self._connection.cursor() as cursor:
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        kept = kept_connections.OF.get(self.url)
        if self._connection is not None:
            if kept is None:
                self._connection.close()
            else:
                kept.take_plain(self._connection)
            self._connection = None


class Factory:
    """Deploys models, starts them and shows what became of them."""

    def __init__(
        self,
        url: str,
        *,
        clock: Clock | None = None,
        handlers: Handlers | None = None,
        robots: Robots | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.url = url
        self.database = Database(url)
        self.services = bootstrap.connect(url, clock=clock, limits=limits)
        self._kept = kept_connections.OF.get(url)
        if self._kept is not None:
            self._kept.give(self.services.connections)
        self.uow, self.advance = self.services.uow, self.services.advance
        self.engine, self.clock = self.services.engine, self.services.clock
        self.world = paint_factory()
        self.robots = robots or LoopbackRobots(self.world)
        self.handlers = handlers or Handlers()
        self.worker = self.another_worker("by hand")

    def another_worker(self, name: str, **more: Any) -> FactoryWorker:
        return FactoryWorker(
            self.uow,
            self.advance,
            self.handlers,
            self.robots,
            SilentAlarm(),
            name=name,
            **more,
        )

    def prepare(self) -> None:
        """Write what every test of such a factory finds; done once, then copied."""

    def close(self) -> None:
        self.robots.close()
        if self._kept is not None:
            self._kept.take(self.services.connections)
        self.services.close()
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- what is done ----------------------------------------------------------------

    def deploy_files(self, files: dict[str, bytes], note: str = "") -> None:
        deploy_models(self.uow, self.engine, files, by="engineer", note=note)

    def start_only(
        self, key: str, *, business_key: str | None = None, **variables: Any
    ) -> str:
        """Start a process; the worker does nothing yet."""
        with self.uow() as tx:
            return start_instance(
                tx,
                self.advance,
                key,
                variables=variables,
                business_key=business_key,
                actor="operator",
            )

    def start(self, key: str, **more: Any) -> str:
        """Start a process and let everything happen that can happen now."""
        instance_id = self.start_only(key, **more)
        self.worker.settle()
        return instance_id

    def submit(
        self, task_id: str, answers: dict[str, Any], by: str = "ada"
    ) -> Submitted:
        submitted = submit_form(self.uow, self.advance, task_id, answers, by=by)
        self.worker.settle()
        return submitted

    def throw(
        self, kind: str, event: str, correlation: str | None = None, **variables: Any
    ) -> None:
        with self.uow() as tx:
            tx.deliveries.throw(Throw(kind, event, correlation, variables))
        self.worker.settle()

    def due_now(self) -> None:
        """Delays of retries are over; they are PostgreSQL's time, not ours."""
        self.rows("UPDATE jobs SET run_at = now() WHERE state = 'ready'")
        self.worker.settle()

    def use_up_attempts(self) -> None:
        """Let every delay pass until no job is left to be tried."""
        self.worker.settle()
        while self.rows("SELECT id FROM jobs WHERE state = 'ready'"):
            self.due_now()

    # -- what is seen ----------------------------------------------------------------

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.database.rows(statement, *values)

    def instance(self, instance_id: str) -> Instance:
        with self.uow() as tx:
            return tx.instances.get(instance_id)

    def variables(self, instance_id: str) -> dict[str, Any]:
        snapshot = self.instance(instance_id).snapshot
        assert snapshot is not None
        return snapshot.variables

    def forms(self, instance_id: str | None = None) -> list[FormTask]:
        with self.uow() as tx:
            return list(tx.tasks.open(instance_id=instance_id))

    def incidents(self) -> list[Incident]:
        with self.uow() as tx:
            return list(tx.incidents.listing())

    def told(
        self, kind: str, instance_id: str | None = None
    ) -> list[tuple[str, dict[str, Any]]]:
        """Who did what of this kind, in the order of the history."""
        rows = self.rows(
            "SELECT actor, data FROM events WHERE kind = %s"
            " AND coalesce(instance_id::text = %s, true) ORDER BY id",
            kind,
            instance_id,
        )
        return [(actor, data) for actor, data in rows]


def stocked_contents(databases: Databases) -> Contents:
    """What a database holds in which the shipped models are deployed."""

    def fill(url: str) -> None:
        with Factory(url) as factory:
            factory.deploy_files(assets.shipped_models())

    return databases.prepared("shipped models", fill)


F = TypeVar("F", bound=Factory)


@contextmanager
def opened(databases: Databases, kind: type[F]) -> Iterator[F]:
    """A factory of this kind over a database that holds what it has prepared."""

    def fill(url: str) -> None:
        with kind(url) as made:
            made.prepare()

    contents = databases.prepared(f"{kind.__module__}.{kind.__qualname__}", fill)
    with databases.lent(contents) as url, kind(url) as made:
        yield made
