"""The whole factory on this machine, to be watched and played with.

Everything is real but the hardware: PostgreSQL, mail servers, the engine, the worker,
the pages, and rosbridge to a simulator of the robots in a process of its own. The
load that was asked for lies on the robot's simulated scale when it is weighed, and
somebody who never tires does what nobody takes.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

from rich.console import Console

from mpms import bootstrap
from mpms.cli.database import database
from mpms.demo.known_secrets import require_demo, with_uow
from mpms.demo.people import PEOPLE, settle_people
from mpms.demo.plant import Plant, factory
from mpms.demo.site import DemoSite
from mpms.demo.state import alone, left_elsewhere
from mpms.embedded.mail import MailHome
from mpms.settings import Settings

PATIENCE_S = 25.0
PAUSE_S = 0.6
SPEED, FAST_SPEED = 7.0, 40.0
WATCHED_SPEED = 3.0
UNDER_WAY = 2
"""Orders that are kept under way, as long as the demo runs."""
NEXT_ORDER_S = 20.0
MOST_ORDERS = 500


def run(settings: Settings, *, once: bool, fast: bool = False) -> int:
    """One order in the terminal, or a factory with pages until Ctrl-C."""
    # Also where the shell that started it in the background has them ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with alone(settings.state_dir) as note_pages:
        return _run(settings, note_pages, once=once, fast=fast)


def _run(
    settings: Settings, note_pages: Callable[[str], None], *, once: bool, fast: bool
) -> int:
    console = Console(highlight=False)
    console.print("[bold]MPMS[/bold], a paint factory on this machine\n")
    if left := left_elsewhere(settings):
        console.print(f"  {left}\n", soft_wrap=True, markup=False)
    with database(settings) as url:
        _say(console, "PostgreSQL", "running on 127.0.0.1")
        bootstrap.migrate_database(url)
        require_demo(url)
        with_uow(url, settle_people)  # first of all: by them the database is known
        if once:
            return _one_order(console, url, settings, fast=fast)
        return _open_house(console, url, settings, note_pages)


def _one_order(console: Console, url: str, settings: Settings, *, fast: bool) -> int:
    with factory(
        url,
        settings,
        speed=FAST_SPEED if fast else SPEED,
        patience_s=0.0,
        pause_s=0.0 if fast else PAUSE_S,
    ) as plant:
        _introduce(console, plant)
        number = plant.buyer.send_order()
        _say(console, "Order", f"{number} was mailed")
        plant.show(console, number)
        console.print()
    return 0


def _open_house(
    console: Console,
    url: str,
    settings: Settings,
    note_pages: Callable[[str], None],
) -> int:
    with factory(
        url, settings, speed=WATCHED_SPEED, patience_s=PATIENCE_S, pause_s=0.0
    ) as plant:
        _introduce(console, plant)
        with DemoSite(settings, url, plant.simulator.url) as site:
            note_pages(site.address)
            taken = f"; port {settings.web_port} is taken" if site.moved else ""
            _say(console, "Pages", site.address + taken)
            for _ in range(UNDER_WAY):
                _say(console, "Order", f"{plant.buyer.send_order()} was mailed")
            console.print(f"\n  Open [bold]{site.address}[/bold] and sign in as\n")
            for person in PEOPLE:
                console.print(
                    f"    {person.login:<6} {person.password}   {person.role},"
                    f" {person.name}" + (f", PIN {person.pin}" if person.pin else "")
                )
            console.print("\n  Ctrl-C ends the demo.")
            _keep_busy(plant, site)
    return 0


def _keep_busy(plant: Plant, site: DemoSite) -> None:
    sent, next_at = UNDER_WAY, time.monotonic() + NEXT_ORDER_S
    while True:
        time.sleep(1.0)
        site.require_running()
        due = time.monotonic() >= next_at and plant.orders_open() < UNDER_WAY
        if due and sent < MOST_ORDERS:
            plant.buyer.send_order()
            sent += 1
            next_at = time.monotonic() + NEXT_ORDER_S


def _introduce(console: Console, plant: Plant) -> None:
    robots = plant.simulator
    _say(console, "Models", ", ".join(plant.models))
    _say(console, "Robots", f"simulated, {robots.url} (process {robots.pid})")
    _say(console, "Mail", f"{plant.home.orders}, {_ports(plant.home)}")


def _say(console: Console, what: str, text: str) -> None:
    console.print(f"  [green]✓[/green] {what:<12} {text}")


def _ports(home: MailHome) -> str:
    return f"IMAP {home.host}:{home.imap_port}, SMTP {home.host}:{home.smtp_port}"
