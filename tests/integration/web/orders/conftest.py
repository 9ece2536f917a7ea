"""The pages of orders over a real database and real processes.

The plant is moved by hand as in the tests of the processes; people are signed in by
rows, because how they sign in is not looked at here.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient

import mpms.web
from mpms import assets as shipped
from mpms import bootstrap
from mpms.adapters.memory import LoopbackRobots, LoopbackScale, MemoryIntake
from mpms.domain.goals import GoalReport
from mpms.domain.order_mail import Catalogue
from mpms.domain.orders import Order, OrderLine, OrderStatus
from mpms.domain.people import Role
from mpms.domain.steps import Throw
from mpms.ports.floor import FloorSeen
from mpms.ports.mail import LetterId
from mpms.ports.store import MailRecord
from mpms.services.current_catalogue import CurrentCatalogue
from mpms.services.deploy_models import deploy_models
from mpms.services.start_instance import start_instance
from mpms.services.submit_form import submit_form
from mpms.services.tokens import hash_of
from mpms.web import assets, security, signed_in, texts
from mpms.web.desk import Desk
from mpms.web.pages import orders
from mpms.web.rights import require_rights
from mpms.worker import Worker
from tests.support.databases import Contents, Databases, contents_of

ROOT = Path(__file__).resolve().parents[4]
SCRIPT = '<script>alert("x")</script>'
SAMPLE = (
    OrderLine("RM-001", "Water", Decimal("310")),
    OrderLine("RM-002", "Titanium dioxide", Decimal("120.5")),
)
ANSWERS: dict[str, dict[str, Any]] = {
    "load_material": {"confirmed": True, "lot": "L-2026-0042"},
    "unload_material": {"unloaded": True},
    "start_mixing": {"amounts_verified": True, "mixing_started": True},
}


class SilentAlarm:
    """A worker driven by hand does not sleep."""

    def wait(self, timeout_s: float) -> object:
        raise AssertionError("a worker driven by hand does not sleep")

    def wake(self) -> None:
        pass


class EmptyFloor:
    """No robot is seen."""

    def seen(self) -> FloorSeen:
        return FloorSeen()

    def costmap(self, robot: str) -> list[Any]:
        return []

    def global_costmap(self, robot: str) -> list[Any]:
        return []

    def close(self) -> None:
        pass


class HeldRobots(LoopbackRobots):
    """Robots that do not arrive while they are held."""

    held = False

    def reports(self) -> list[GoalReport]:
        return [] if self.held else list(super().reports())


class CountingUnitOfWork:
    """Opens transactions and counts their statements."""

    def __init__(self, uow: Any) -> None:
        self._uow = uow
        self.statements: list[str] = []
        self._lock = threading.Lock()

    @contextmanager
    def __call__(self) -> Iterator[Any]:
        with self._uow() as tx:
            statements = tx.orders._statements
            plain = statements._executed

            def counted(name: str, parameters: Any) -> Any:
                with self._lock:
                    self.statements.append(name)
                return plain(name, parameters)

            statements._executed = counted
            yield tx


class Plant:
    """One factory and its pages."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.services = bootstrap.connect(url)
        self.uow = CountingUnitOfWork(self.services.uow)
        self.world = bootstrap.world_named("paint_factory")
        self.robots = HeldRobots(self.world)
        self.scale = LoopbackScale(self._asked_for)
        self.intake = MemoryIntake(self.services.uow)
        self.worker = Worker(
            self.services.uow,
            self.services.advance,
            bootstrap.factory_handlers(
                self.services, self.world, scale=self.scale, intake=self.intake
            ),
            self.robots,
            SilentAlarm(),
            name="by hand",
        )
        self.mailed: list[bytes] = []
        self.mail_server_away = False
        self.mails = 0
        self._app: Flask | None = None

    def close(self) -> None:
        self.robots.close()
        self.services.close()

    # -- the pages ------------------------------------------------------------------

    def desk(self, **changes: Any) -> Desk:
        catalogue = (ROOT / "worlds/paint_factory/catalogue.json").read_bytes()
        known = inspect.signature(Desk).parameters
        values: dict[str, Any] = {
            "uow": self.uow,
            "engine": self.services.engine,
            "advance": self.services.advance,
            "clock": self.services.clock,
            "world": self.world,
            "world_dir": ROOT / "worlds/paint_factory",
            "floor": EmptyFloor(),
            "live": SimpleNamespace(),
            "hasher": SimpleNamespace(),
            "materials": CurrentCatalogue(lambda: Catalogue.from_json(catalogue)),
            "hand_to_mail_server": self._take_mail,
            "orders_address": "orders@plant.example.com",
            **changes,
        }
        return Desk(**{k: v for k, v in values.items() if k in known})

    def app(self, **changes: Any) -> Flask:
        if changes or self._app is None:
            app = self._new_app(**changes)
            if changes:
                return app
            self._app = app
        return self._app

    def _new_app(self, **changes: Any) -> Flask:
        app = Flask(mpms.web.__name__, static_folder=None)
        app.config.update(
            TESTING=True,
            PROPAGATE_EXCEPTIONS=False,
            MAX_CONTENT_LENGTH=12 << 20,
            MAX_FORM_MEMORY_SIZE=1 << 20,
        )
        app.extensions["desk"] = self.desk(**changes)
        app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
        for part in (assets, texts, security, signed_in):
            part.install(app)
        app.jinja_env.globals.update(
            asset=lambda name: f"/static/{name}",
            assets_later=dict,
            browser_texts=dict,
        )
        app.register_blueprint(orders.pages)
        require_rights(app)
        return app

    def browser(self, role: str, language: str = "en", **changes: Any) -> FlaskClient:
        """A browser in which somebody with this role is signed in."""
        login, token = f"{role}-{language}", f"token-of-{role}-{language}"
        with self.services.uow() as tx:
            person = tx.people.get(login)
            if person is None:
                person = tx.people.add(
                    login, f"{role.title()} Doe", Role(role), language=language
                )
                tx.sessions.open(
                    hash_of(token),
                    person.id,
                    tablet_id=None,
                    expires_at=datetime.now(UTC) + timedelta(hours=12),
                )
        client = self.app(**changes).test_client()
        client.set_cookie(signed_in.SESSION_COOKIE, token)
        return client

    def _take_mail(self, raw: bytes) -> None:
        if self.mail_server_away:
            raise ConnectionRefusedError("nobody there")
        self.mailed.append(raw)

    # -- orders ---------------------------------------------------------------------

    def add(self, number: str, **order: Any) -> Order:
        """An order that nobody works on."""
        values: dict[str, Any] = {
            "product": "Matt white wall paint",
            "lines": SAMPLE,
            "customer": "buyer@example.com",
        }
        made = Order(number, **(values | order))
        with self.services.uow() as tx:
            tx.orders.add(made)
        return made

    def make(self, number: str, *, run: bool = True, **order: Any) -> str:
        """Store an order and start its process, tied to it as in production."""
        self.add(number, **order)
        with self.services.uow() as tx:
            instance_id = start_instance(
                tx,
                self.services.advance,
                "warehouse",
                variables={"order_number": number},
                business_key=number,
                actor="orders_handling",
            )
            tx.orders.assign(number, instance_id)
            tx.orders.set_status(number, OrderStatus.IN_PROCESS)
        if run:
            self.worker.settle()
        return instance_id

    def add_mail(
        self,
        raw: bytes | None,
        *,
        number: str | None,
        outcome: str = "accepted",
        reasons: list[dict[str, str]] | None = None,
        sender: str = "buyer@example.com",
        message_id: str = "<1@example.com>",
    ) -> None:
        self.mails += 1
        with self.services.uow() as tx:
            tx.mails.add(
                MailRecord(
                    LetterId("orders", "INBOX", 1, self.mails),
                    sha256=f"{self.mails:064d}",
                    size_bytes=len(raw or b""),
                    raw=raw,
                    sender=sender,
                    message_id=message_id,
                    counts=outcome == "accepted",
                    outcome=outcome,
                    reasons=reasons or [],
                    order_number=number,
                )
            )

    # -- people and robots ------------------------------------------------------------

    def forms(self) -> list[Any]:
        with self.services.uow() as tx:
            return list(tx.tasks.open())

    def answer(
        self, answers: dict[str, Any] | None = None, by: str = "ada", **more: Any
    ) -> None:
        """Answer the oldest open form."""
        task = self.forms()[0]
        submit_form(
            self.services.uow,
            self.services.advance,
            task.task_id,
            answers or ANSWERS[task.form or ""],
            by=by,
            **more,
        )
        self.worker.settle()

    def answer_everything(self) -> None:
        for _ in range(100):
            if not self.forms():
                return
            self.answer()
        raise AssertionError("forms without end")

    def throw(self, event: str) -> None:
        with self.services.uow() as tx:
            tx.deliveries.throw(Throw("signal", event, None, {}))
        self.worker.settle()

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def _asked_for(self, robot: str) -> float:
        with self.services.uow() as tx:
            holder = tx.robot_holds.held()[robot]
            snapshot = tx.instances.get(holder).snapshot
        assert snapshot is not None
        return float(snapshot.variables["material"]["required_kg"])


@pytest.fixture(scope="session")
def stocked(databases: Databases) -> Contents:
    """What a database holds in which the shipped models are deployed."""
    url = databases.lend()
    services = bootstrap.connect(url)
    try:
        deploy_models(
            services.uow, services.engine, shipped.shipped_models(), by="engineer"
        )
    finally:
        services.close()
    held = contents_of(url)
    databases.take_back(url)
    return held


@pytest.fixture
def plant(databases: Databases, stocked: Contents) -> Iterator[Plant]:
    url = databases.lend(stocked)
    plant = Plant(url)
    yield plant
    plant.close()
    databases.take_back(url)


@pytest.fixture
def script() -> str:
    """What must never reach a page as it stands."""
    return SCRIPT


@pytest.fixture
def row_of() -> Callable[[str, str], str]:
    """Return a function that cuts the row of an order out of the list."""

    def cut(page: str, number: str) -> str:
        rows = [r for r in page.split("<tr")[1:] if f">{number}</a>" in r]
        assert len(rows) == 1, (number, len(rows))
        return " ".join(rows[0].split("</tr>")[0].split())

    return cut
