"""A whole factory with pages, as ``mpms demo`` starts it.

PostgreSQL, the mail servers, the simulator behind rosbridge, the worker and the web
server are the real ones. Nobody confirms forms but the tests.
"""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from typing import Any

from playwright.sync_api import Page, expect
from websockets.sync.client import connect

from mpms import assets
from mpms.demo.buyer import BUYER
from mpms.demo.people import PEOPLE
from mpms.demo.plant import Plant
from mpms.demo.site import DemoSite
from mpms.domain.errors import InstanceBusy, TaskGone
from mpms.embedded import mail
from mpms.services.instances.repair import cancel_instance
from mpms.services.models.deploy import deploy_models
from mpms.services.people.session_tokens import hash_of, new_token
from mpms.settings import Settings
from mpms.web.site.signed_in import SESSION_COOKIE
from tests.support.browsers import PATIENCE_MS as PATIENCE_MS


class House:
    """The factory, its pages, and who works there."""

    def __init__(
        self,
        plant: Plant,
        site: DemoSite,
        settings: Settings,
        database_url: str,
        mail_again: ExitStack,
    ) -> None:
        self.plant = plant
        self.site = site
        self.settings = settings
        self.database_url = database_url
        self.mail_again = mail_again
        self.services = plant.services
        # Downwards: the page for a new order suggests the next number upwards.
        self._numbers = itertools.count(6999, -1)

    @property
    def address(self) -> str:
        return self.site.address.rstrip("/")

    def send_order(self) -> str:
        return self.plant.buyer.send_order()

    def sign_in(self, page: Page, login: str) -> None:
        """The browser has a session afterwards; the page stays where it is."""
        token = new_token()
        with self.services.uow() as tx:
            person = tx.people.get(login)
            assert person is not None, login
            tx.sessions.open(
                hash_of(token),
                person.id,
                tablet_id=None,
                expires_at=datetime.now(UTC) + timedelta(hours=12),
            )
        page.context.add_cookies(
            [{"name": SESSION_COOKIE, "value": token, "url": self.address}]
        )

    def sign_in_on_page(self, page: Page, login: str) -> None:
        """As a person does; the page is the person's first one afterwards."""
        person = next(p for p in PEOPLE if p.login == login)
        page.goto(f"{self.address}/login")
        page.locator("input[name=login]:not([type=hidden])").fill(person.login)
        page.locator("input[type=password]").fill(person.password)
        page.locator("form:has(input[type=password]) button").first.click()
        page.wait_for_url(re.compile(rf"^{re.escape(self.address)}/(?!login)"))

    def open_task(self, page: Page, task_id: str) -> None:
        """And wait for its cards: before, the page shows all of them at once."""
        page.goto(f"{self.address}/tasks/{task_id}")
        expect(page.locator("[data-stepper-count]")).not_to_be_empty()

    def order(self, materials: int = 1, *, start: int = 0) -> str:
        """Mail an order of one or more raw materials; return its number. Another
        ``start`` is another place: one robot at a time is sent to each."""
        number = f"MO-2026-{next(self._numbers):04d}"
        lines = ("RM-001 Water 310 kg", "RM-002 Titanium dioxide 120.5 kg")
        message = EmailMessage()
        message["From"], message["To"] = BUYER, self.plant.home.orders
        message["Subject"] = f"Order {number}"
        message["Message-ID"] = make_msgid(domain="example.com")
        message["Date"] = format_datetime(datetime.now(UTC))
        wanted = "".join(f"- {line}\n" for line in lines[start : start + materials])
        message.set_content(
            f"Order: {number}\nProduct: Test paint\n\nMaterials:\n{wanted}"
        )
        self.plant.buyer.hand_over(bytes(message))
        return number

    def task(self, number: str, element: str) -> str:
        """Wait for a task of an order; return its id."""
        give_up_at = time.monotonic() + PATIENCE_MS / 1000
        while time.monotonic() < give_up_at:
            with self.services.uow() as tx:
                for task in tx.tasks.open():
                    if task.business_key == number and task.element == element:
                        return task.task_id
            time.sleep(0.1)
        raise AssertionError(f"{number} never came to {element}")

    def until(self, what: str, true: Callable[[], Any]) -> Any:
        give_up_at = time.monotonic() + PATIENCE_MS / 1000
        while time.monotonic() < give_up_at:
            if found := true():
                return found
            time.sleep(0.1)
        raise AssertionError(f"waited in vain: {what}")

    def clear(self) -> None:
        """End what a test has left: three robots do not serve more orders. What is on
        them is taken off first, or they would bring it back."""
        self.rows(
            "UPDATE order_picks SET state = 'returned' WHERE state = 'on robot'"
            " RETURNING pick"
        )
        self._cancel_all("key IN ('warehouse', 'return_material')")

    def put_back(self) -> None:
        """What the next file expects: the shipped models, and nothing that waits."""
        self._cancel_all("key <> 'orders_handling'")
        services = self.services
        with services.uow() as tx:
            for incident in tx.incidents.listing():
                tx.incidents.close(incident.id, by="test")
        # Each of these is counted beside the incidents on every supervisor's page.
        self.rows(
            "UPDATE late_answers SET decided_at = now(), decided_by = 'test',"
            " decision = 'discarded' WHERE decided_at IS NULL RETURNING id"
        )
        self.rows(
            "UPDATE orders SET status = 'cancelled'"
            " WHERE status IN ('waiting for release', 'new', 'in process')"
            " RETURNING number"
        )
        shipped = {"warehouse.bpmn": assets.shipped_models()["warehouse.bpmn"]}
        deploy_models(services.uow, services.engine, shipped, by="test")
        self.break_robot("clear *")

    def _cancel_all(self, which: str) -> None:
        for (instance_id,) in self.rows(
            f"SELECT id::text FROM instances WHERE status = 'active' AND {which}"
        ):
            self.cancel(instance_id)

    def cancel(self, instance_id: str) -> None:
        """It may end by itself at this very moment, or a worker may have it."""

        def done() -> bool:
            try:
                cancel_instance(
                    self.services.uow,
                    self.services.advance,
                    instance_id,
                    by="test",
                    reason="the test is over",
                )
            except InstanceBusy:
                return False
            except TaskGone:
                pass
            return True

        self.until(f"{instance_id} is cancelled", done)

    def status(self, number: str) -> str:
        with self.services.uow() as tx:
            return str(tx.orders.get(number).status)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        pool = self.services.connections
        with pool.connection() as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())

    def report(self) -> str:
        """What moves and what waits, for whoever reads why a test failed."""
        looks = {
            "orders": "SELECT number, status, received_at FROM orders"
            " WHERE status IN ('waiting for release', 'new', 'in process')",
            "mails": "SELECT outcome, count(*), max(read_at) FROM mails GROUP BY 1",
            "jobs": "SELECT topic, state, run_at, attempts, last_error FROM jobs",
            "tasks": "SELECT element, created_at FROM tasks",
            "robots": "SELECT robot, ready, why_not, link, x_m, y_m FROM robots",
            "held": "SELECT robot, instance_id FROM robot_holds",
            "goals": "SELECT robot, place, state, created_at, sent_at FROM goals"
            " WHERE ended_at IS NULL",
            "messages": "SELECT event FROM messages",
            "deliveries": "SELECT kind, not_before, failures FROM deliveries",
            "timers": "SELECT element, due_at FROM timers",
            "incidents": "SELECT kind, message FROM incidents"
            " WHERE resolved_at IS NULL",
            "history": "SELECT at, kind, element, actor FROM events"
            " ORDER BY id DESC LIMIT 40",
        }
        said = [f"told: {list(self.plant.told)}"]
        for what, statement in looks.items():
            said.append(what)
            said += ["  " + "; ".join(map(str, row)) for row in self.rows(statement)]
        return "\n".join(said)

    def stop_mail(self) -> None:
        """Both servers end; their ports refuse whoever calls."""
        self.plant.mail_servers.stop()

    def start_mail(self) -> None:
        """On the same ports, with the same mailboxes."""
        directory = self.settings.state_dir / "mail"
        self.plant.mail_servers = self.mail_again.enter_context(
            mail.start(directory, others=[BUYER])
        )

    def break_robot(self, line: str) -> None:
        """Over rosbridge, by the simulator's own switch."""
        request = {"op": "call_service", "id": "break", "service": "/sim/fault"}
        with connect(self.plant.simulator.url) as link:
            link.send(json.dumps(request | {"args": {"command": line}}))
            assert json.loads(link.recv(timeout=60))["result"]

    def restart_site(self) -> None:
        """The web server dies and comes back on the same port."""
        port = self.site.address.rsplit(":", 1)[1].strip("/")
        self.site.__exit__(None, None, None)
        self.start_site(port)

    def stop_site(self) -> str:
        port = self.site.address.rsplit(":", 1)[1].strip("/")
        self.site.__exit__(None, None, None)
        return port

    def start_site(self, port: str) -> None:
        settings = replace(self.settings, web_port=int(port))
        self.site = DemoSite(settings, self.database_url, self.plant.simulator.url)
        self.site.__enter__()
