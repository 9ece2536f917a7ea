"""The paint factory without hardware: real PostgreSQL, everything else moved by hand.

Time stands still until a test moves it, robots arrive when the worker looks, and the
worker runs in the test's own thread, so every test sees the same order of events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import psycopg2
import pytest

from mpms import assets, bootstrap
from mpms.adapters.memory import (
    FixedClock,
    LoopbackRobots,
    LoopbackScale,
    MemoryIntake,
)
from mpms.adapters.postgres.connections import Connections
from mpms.adapters.postgres.queries import Queries
from mpms.adapters.postgres.unit_of_work import PostgresUnitOfWork
from mpms.domain.events import Cursor, Event
from mpms.domain.instances import Instance
from mpms.domain.orders import Order, OrderLine
from mpms.domain.steps import Throw
from mpms.domain.tasks import FormTask
from mpms.engine.runner import SpiffEngine
from mpms.services.advance_instance import Advance
from mpms.services.deploy_models import deploy_models
from mpms.services.start_instance import start_instance
from mpms.services.submit_form import Submitted, submit_form
from mpms.worker import Worker

MORNING = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
SAMPLE = (
    OrderLine("RM-001", "Water", Decimal("310")),
    OrderLine("RM-002", "Titanium dioxide", Decimal("120.5")),
    OrderLine("RM-003", "Calcium carbonate", Decimal("240")),
)
ANSWERS: dict[str, dict[str, Any]] = {
    "load_material": {"confirmed": True, "lot": "L-7"},
    "unload_material": {"unloaded": True},
    "start_mixing": {"amounts_verified": True, "mixing_started": True},
}


class SilentAlarm:
    """Nobody sleeps here, so nobody is woken."""

    def wait(self, timeout_s: float) -> object:
        raise AssertionError("a worker driven by hand does not sleep")

    def wake(self) -> None:
        pass


class CountedQueries(dict[str, str]):
    """Named statements that remember how often each was used."""

    def __init__(self, queries: Mapping[str, str]) -> None:
        super().__init__(queries)
        self.used: dict[str, int] = {}

    def __getitem__(self, name: str) -> str:
        self.used[name] = self.used.get(name, 0) + 1
        return super().__getitem__(name)


class Plant:
    """One factory; ``worker.settle()`` lets everything happen that can happen now."""

    def __init__(self, database_url: str) -> None:
        self.url = database_url
        self.clock = FixedClock(MORNING)
        self.world = bootstrap.world_named("paint_factory")
        self.connections = Connections(database_url, application_name="mpms plant")
        self.queries = CountedQueries(Queries(assets.directory("db") / "queries"))
        self.uow = PostgresUnitOfWork(self.connections, self.queries)
        self.engine = SpiffEngine()
        self.advance = Advance(self.engine, self.clock)
        self.services = bootstrap.Services(
            self.connections, self.uow, self.engine, self.clock, self.advance
        )
        self.robots = LoopbackRobots(self.world)
        self.scale = LoopbackScale(self._asked_for)
        self.intake = MemoryIntake(self.uow)
        self.worker = Worker(
            self.uow,
            self.advance,
            bootstrap.factory_handlers(
                self.services,
                self.world,
                scale=self.scale,
                intake=self.intake,
            ),
            self.robots,
            SilentAlarm(),
            name="by hand",
        )
        deploy_models(self.uow, self.engine, assets.shipped_models(), by="engineer")

    def close(self) -> None:
        self.robots.close()
        self.connections.close()

    # -- orders -------------------------------------------------------------------

    def order(
        self,
        number: str,
        lines: tuple[OrderLine, ...] = SAMPLE,
        product: str = "Matt white wall paint",
    ) -> Order:
        return Order(number, product, lines, customer="buyer@plant")

    def start(self, key: str, **variables: Any) -> str:
        with self.uow() as tx:
            return start_instance(
                tx,
                self.advance,
                key,
                variables=variables,
                business_key=variables.get("order_number"),
                actor="operator",
            )

    def make(self, number: str, process: str = "warehouse", **order: Any) -> str:
        """Store an order, start its process at once and let it run."""
        with self.uow() as tx:
            tx.orders.add(self.order(number, **order))
        instance_id = self.start(process, order_number=number)
        self.worker.settle()
        return instance_id

    def send_mail(self, *orders: Order) -> None:
        for order in orders:
            self.intake.post(order)
        with self.uow() as tx:
            tx.deliveries.throw(Throw("message", "mailbox changed", None, {}))
        self.worker.settle()

    # -- people --------------------------------------------------------------------

    def forms(self, instance_id: str | None = None) -> list[FormTask]:
        with self.uow() as tx:
            return list(tx.tasks.open(instance_id=instance_id))

    def form(self, element: str, instance_id: str | None = None) -> FormTask:
        """The one open form of an element."""
        found = [t for t in self.forms(instance_id) if t.element == element]
        assert len(found) == 1, (element, [t.element for t in self.forms()])
        return found[0]

    def sees(self, element: str) -> dict[str, Any]:
        """What the form of an element can show."""
        task = self.form(element)
        with self.uow() as tx:
            instance = tx.instances.get(task.instance_id)
            definition = tx.definitions.by_id(instance.definition_id)
        assert instance.snapshot is not None
        return self.engine.visible(definition, instance.snapshot, task.task_id)

    def submit(
        self, task: FormTask, answers: dict[str, Any], by: str = "ada"
    ) -> Submitted:
        submitted = submit_form(self.uow, self.advance, task.task_id, answers, by=by)
        self.worker.settle()
        return submitted

    def confirm(self, element: str, instance_id: str | None = None) -> None:
        self.submit(self.form(element, instance_id), ANSWERS[element])

    def confirm_everything(self, limit: int = 1000) -> None:
        """Answer every form until none is open."""
        for _ in range(limit):
            tasks = self.forms()
            if not tasks:
                return
            self.submit(tasks[0], ANSWERS[tasks[0].form or ""])
        raise AssertionError("forms without end")

    # -- what one sees -------------------------------------------------------------

    def instance(self, instance_id: str) -> Instance:
        with self.uow() as tx:
            return tx.instances.get(instance_id)

    def variables(self, instance_id: str) -> dict[str, Any]:
        snapshot = self.instance(instance_id).snapshot
        assert snapshot is not None
        return snapshot.variables

    def history(self, instance_id: str | None = None) -> list[Event]:
        """Every line, read from the table itself.

        The stream that pages follow holds lines back while any transaction of the
        server runs, also one of its own housekeeping.
        """
        rows = self.rows(
            "SELECT transaction::text::bigint, id, at, kind, actor, instance_id::text,"
            " element, task_id::text, data FROM events ORDER BY id"
        )
        lines = [Event(Cursor(row[0], row[1]), *row[2:]) for row in rows]
        return [e for e in lines if instance_id in (None, e.instance_id)]

    def elements(self, instance_id: str, kind: str = "left") -> list[str]:
        """The elements that a kind of event names, in order."""
        return [
            line.element
            for line in self.history(instance_id)
            if line.kind == kind and line.element
        ]

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def wait_over(self) -> None:
        """Postponed jobs are due now; their delay is PostgreSQL's time, not ours."""
        self.rows("UPDATE jobs SET run_at = now() WHERE state = 'ready'")
        self.worker.settle()

    def order_statements(self) -> int:
        """How many statements have touched the table of orders so far."""
        return sum(n for q, n in self.queries.used.items() if q.startswith("orders_"))

    def _asked_for(self, robot: str) -> float:
        with self.uow() as tx:
            holder = tx.robot_holds.held()[robot]
        return float(self.variables(holder)["material"]["required_kg"])


@pytest.fixture
def plant(database_url: str) -> Iterator[Plant]:
    plant = Plant(database_url)
    yield plant
    plant.close()


@pytest.fixture
def handling(plant: Plant) -> str:
    """A running orders-handling instance that has nothing to do."""
    instance_id = plant.start("orders_handling")
    plant.worker.settle()
    return instance_id


@pytest.fixture
def left_over(plant: Plant) -> Callable[[], dict[str, int]]:
    """Return a function that counts live rows, which a quiet plant has none of."""

    def count() -> dict[str, int]:
        tables = ("tasks", "jobs", "timers", "calls", "subscriptions", "deliveries")
        counts = {t: plant.rows(f"SELECT count(*) FROM {t}")[0][0] for t in tables}
        counts["robot_holds"] = plant.rows("SELECT count(*) FROM robot_holds")[0][0]
        counts["open goals"] = plant.rows(
            "SELECT count(*) FROM goals WHERE state IN ('new', 'sent')"
        )[0][0]
        return counts

    return count
