"""The whole factory on this machine, in the terminal, to watch an order being made.

Everything is real but the hardware: PostgreSQL, mail servers, the engine, the worker,
and rosbridge to a simulator of the robots in a process of its own. The scale shows
what was asked for, and a person who never tires confirms every form and looks after
incidents.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from typing import Any

from rich.console import Console
from rich.live import Live

from mpms import assets, bootstrap
from mpms.adapters.mail_account import Password, Security, SmtpAccount
from mpms.adapters.memory import LoopbackScale
from mpms.adapters.smtp import SmtpPostman
from mpms.bootstrap_mail import embedded_desk
from mpms.commands import database, running_worker
from mpms.demo_robots import Simulator
from mpms.demo_view import OrderView
from mpms.domain.errors import MpmsError, TaskGone
from mpms.domain.events import Cursor
from mpms.domain.forms import fields
from mpms.embedded import mail
from mpms.embedded.mail import MailHome
from mpms.services.deploy_models import deploy_models
from mpms.services.repair_instance import retry_incident
from mpms.services.start_instance import start_instance
from mpms.services.submit_form import submit_form
from mpms.settings import Settings

BUYER = "buyer@example.com"
PAUSE_S = 0.6
SPEED, FAST_SPEED = 4.0, 20.0
GIVE_UP_S = 600.0


class DemoStalled(MpmsError):
    """The order did not get through the process."""


def run(settings: Settings, *, once: bool, fast: bool = False) -> int:
    """Show one order, or one after the other until Ctrl-C."""
    console = Console(highlight=False)
    console.print("[bold]MPMS[/bold], a paint factory on this machine\n")
    with database(settings) as url:
        _say(console, "PostgreSQL", "running on 127.0.0.1")
        bootstrap.migrate_database(url)
        with factory(url, settings, fast=fast) as plant:
            _say(console, "Models", ", ".join(plant.models))
            _say(console, "Robots", f"simulated, {plant.robots}")
            _say(console, "Mail", f"{plant.home.orders}, {_ports(plant.home)}")
            while True:
                number = plant.send_order()
                _say(console, "Order", f"{number} was mailed")
                plant.show(console, number)
                console.print()
                if once:
                    return 0
                console.print("The next order comes in 10 s. Ctrl-C ends the demo.")
                time.sleep(10.0)


class Plant:
    """A running factory that orders can be sent to."""

    def __init__(
        self,
        services: bootstrap.Services,
        home: MailHome,
        models: list[str],
        robots: str,
        told: deque[str],
    ) -> None:
        self.services = services
        self.home = home
        self.models = models
        self.robots = robots
        self.told = told
        self.buyer = SmtpPostman(
            SmtpAccount(
                home.host,
                home.smtp_port,
                Security.PLAIN,
                BUYER,
                BUYER,
                Password(home.password(BUYER)),
            )
        )

    def send_order(self) -> str:
        """Mail the sample order with the next free number, as a buyer would."""
        year = date.today().year
        with self.services.uow() as tx:
            taken = {o.number for o in tx.orders.listing(limit=10_000)}
        count = 1
        while f"MO-{year}-{count:04d}" in taken:
            count += 1
        number = f"MO-{year}-{count:04d}"
        letter = EmailMessage()
        letter["From"], letter["To"] = self.buyer.account.sender, self.home.orders
        letter["Subject"] = f"Order {number}"
        letter["Message-ID"] = make_msgid(domain="example.com")
        letter["Date"] = format_datetime(datetime.now(UTC))
        letter.set_content(
            f"Order: {number}\nProduct: Matt white wall paint\n"
            f"Due: {date.today() + timedelta(days=3)}\n\nMaterials:\n"
            "- RM-001 Water 310 kg\n- RM-002 Titanium dioxide 120.5 kg\n"
            "- RM-003 Calcium carbonate 240 kg\n"
        )
        self.buyer.send_raw(letter["From"], [self.home.orders], bytes(letter))
        return number

    def show(self, console: Console, number: str) -> None:
        """Follow an order's process live until it has ended."""
        view = OrderView(number, self.told)
        give_up_at = time.monotonic() + GIVE_UP_S
        cursor = Cursor()
        with Live(view.render(), console=console, refresh_per_second=8) as live:
            while not view.ended:
                if time.monotonic() > give_up_at:
                    raise DemoStalled(f"{number} is stuck: {view.last}")
                with self.services.uow() as tx:
                    instances = tx.instances.by_business_key(number)
                    if instances and not view.steps:
                        definition = tx.definitions.by_id(instances[0].definition_id)
                        view.steps = {
                            s.id: s for s in self.services.engine.steps(definition)
                        }
                    lines = (
                        tx.events.after(cursor, instance_id=instances[0].id)
                        if instances
                        else []
                    )
                    for line in lines:
                        view.take(line)
                        cursor = line.cursor
                live.update(view.render())
                if not lines:
                    time.sleep(0.05)


@contextmanager
def factory(url: str, settings: Settings, *, fast: bool) -> Iterator[Plant]:
    """A worker, simulated robots and a tireless person, as long as the block runs."""
    pause_s = 0.0 if fast else PAUSE_S
    told: deque[str] = deque(maxlen=3)
    stop = threading.Event()
    with ExitStack() as parts:
        simulator = Simulator(
            settings.world, speed=FAST_SPEED if fast else SPEED, on_told=told.append
        )
        parts.callback(simulator.close)
        servers = mail.start(settings.state_dir / "mail", others=[BUYER])
        parts.callback(servers.stop)
        services = bootstrap.connect(url)
        parts.callback(services.close)
        done = deploy_models(
            services.uow, services.engine, assets.shipped_models(), by="demo"
        )
        _start_orders_handling(services)
        parts.enter_context(
            running_worker(
                settings,
                services,
                embedded_desk(settings, servers.home),
                simulator.url,
                scale=LoopbackScale(lambda robot: _asked_for(services, robot)),
                on_told=lambda robot, text: told.append(f"{robot}: {text}"),
            )
        )
        person = threading.Thread(
            target=_confirm_forms, args=(services, stop, pause_s), name="person"
        )
        person.start()
        parts.callback(person.join)
        parts.callback(stop.set)
        yield Plant(
            services,
            servers.home,
            [d.key for d in done.definitions],
            f"{simulator.url} (process {simulator.pid})",
            told,
        )


def _start_orders_handling(services: bootstrap.Services) -> None:
    with services.uow() as tx:
        if not tx.instances.counts().get(("orders_handling", "active")):
            start_instance(tx, services.advance, "orders_handling", actor="demo")


def _asked_for(services: bootstrap.Services, robot: str) -> float:
    """The weight that the order of this robot asks for right now."""
    with services.uow() as tx:
        holder = tx.robot_holds.held().get(robot)
        snapshot = None if holder is None else tx.instances.get(holder).snapshot
    variables: dict[str, Any] = {} if snapshot is None else snapshot.variables
    return float(variables.get("material", {}).get("required_kg", 0.0))


def _confirm_forms(
    services: bootstrap.Services, stop: threading.Event, pause_s: float
) -> None:
    while not stop.wait(0.05):
        try:
            with services.uow() as tx:
                incidents = tx.incidents.listing()
                tasks = tx.tasks.open()
                forms = {t.form: tx.definitions.form(t.form) for t in tasks if t.form}
            for incident in incidents:
                if incident.kind == "goal" and not stop.wait(max(pause_s, 1.0)):
                    retry_incident(
                        services.uow, services.advance, incident.id, by="operator"
                    )
            for task in tasks:
                stop.wait(pause_s)
                answers = _agree(forms.get(task.form or "") or {})
                submit_form(
                    services.uow, services.advance, task.task_id, answers, by="worker"
                )
        except TaskGone:
            continue
        except MpmsError:
            stop.wait(0.5)


def _agree(schema: dict[str, Any]) -> dict[str, Any]:
    """Tick every box, take the first choice, leave the rest as it is."""
    answers: dict[str, Any] = {}
    for field in fields(schema):
        if field["type"] == "checkbox":
            answers[field["key"]] = True
        elif field["type"] in ("radio", "select") and field.get("values"):
            answers[field["key"]] = field["values"][0]["value"]
        elif (field.get("validate") or {}).get("required"):
            answers[field["key"]] = "confirmed in the demo"
    return answers


def _say(console: Console, what: str, text: str) -> None:
    console.print(f"  [green]✓[/green] {what:<12} {text}")


def _ports(home: MailHome) -> str:
    return f"IMAP {home.host}:{home.imap_port}, SMTP {home.host}:{home.smtp_port}"
