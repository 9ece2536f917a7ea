"""A dump taken while orders run goes on living on another server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg2
import pytest

from mpms import assets
from mpms.adapters.webhook_post import HttpPoster
from mpms.embedded import postgres
from mpms.embedded.postgres import PostgresServer
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import LoopbackScale
from mpms.factory.domain.orders import Order, OrderLine
from mpms.factory.services.orders.accept import accept_order
from mpms.plugins import loading
from mpms.services.history.tally import TallyHistory
from mpms.services.webhooks.manage import add_webhook
from mpms.services.webhooks.tell import TellWebhooks
from tests.support.factory import Factory
from tests.support.receiver import Receiver
from tests.support.waiting import eventually

ORDERS = 10
ANSWERS = {
    "load_material": {"confirmed": True},
    "unload_material": {"unloaded": True},
    "start_mixing": {"amounts_verified": True, "mixing_started": True},
}
LINES = (OrderLine("RM-001", "Water", Decimal(310)),)


def mpms(url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mpms", *arguments],
        env=os.environ | {"MPMS_DATABASE_URL": url},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@contextmanager
def new_server(directory: Path) -> Iterator[PostgresServer]:
    bindir = os.environ.get("MPMS_TEST_PG_BINDIR")
    with postgres.start(
        directory, bindir=Path(bindir) if bindir else None, settings={"fsync": "off"}
    ) as server:
        yield server


class Plant(Factory):
    """Ten orders, moved on by hand, with a webhook and figures that follow."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        scale = LoopbackScale(lambda _: 310.0)
        self.handlers = factory_bootstrap.factory_handlers(
            self.uow, self.advance, self.world, scale=scale
        )
        self.worker = self.another_worker("by hand", lease_s=2.0)

    def begin(self, url: str) -> None:
        self.deploy_files(assets.shipped_models())
        self.start("orders_handling")
        add_webhook(
            self.uow,
            url,
            ["order *", "form answered"],
            known_kinds=loading.kinds(),
            private_allowed=True,
            by="admin",
        )
        for number in range(1, ORDERS + 1):
            with self.uow() as tx:
                order = Order(f"MO-{number:04d}", "Matt white wall paint", LINES)
                accept_order(tx, self.engine, order, by="test")
        self.worker.settle()

    def answer(self, most: int) -> bool:
        """Answer that many forms; False when none is left."""
        forms = self.forms()[:most]
        for form in forms:
            self.submit(form.task_id, ANSWERS[form.form or ""])
        return bool(forms)

    def finish(self) -> bool:
        """A robot that a worker of the old server held is free after its lease."""
        self.worker.settle()
        while self.answer(ORDERS):
            pass
        return self.rows("SELECT DISTINCT status FROM orders") == [("done",)]

    def follow(self) -> None:
        """Webhooks and figures read the history to its end."""
        tell = TellWebhooks(self.uow, self.clock, HttpPoster(private_allowed=True))
        while tell():
            pass
        tally = TallyHistory(self.uow)
        while tally():
            pass

    def use_up_numbers(self, transactions: int) -> None:
        """As years of work do."""
        for _ in range(transactions):
            self.rows("SELECT pg_current_xact_id()")

    def numbers(self) -> list[Any]:
        return [n for (n,) in self.rows("SELECT number FROM orders ORDER BY 1")]


def test_a_dump_of_a_busy_plant_goes_on_on_a_new_server(
    create_database: Callable[..., str],
    databases: Any,
    postgres_directory: Path,
    tmp_path: Path,
    receiver: Receiver,
) -> None:
    file = tmp_path / "plant.dump"
    with Plant(create_database(databases.template)) as old:
        old.use_up_numbers(3000)
        old.begin(receiver.url)
        old.answer(5)
        old.follow()
        told_before = set(receiver.ids)
        with subprocess.Popen(
            [sys.executable, "-m", "mpms", "backup", str(file)],
            env=os.environ | {"MPMS_DATABASE_URL": old.url},
        ) as backup:
            while backup.poll() is None and old.answer(1):
                pass
            assert backup.wait(120) == 0
    assert told_before
    receiver.got.clear()
    with new_server(postgres_directory / "restored") as server:
        done = mpms(server.dsn, "restore", str(file))
        assert done.returncode == 0, done.stderr
        assert "renumbered" in done.stderr
        with Plant(server.dsn) as plant:
            assert plant.numbers() == [f"MO-{n:04d}" for n in range(1, ORDERS + 1)]
            eventually(plant.finish, "every order is done")
            plant.follow()
            # Every line once: none of those told before, none left out.
            asked = plant.rows(
                "SELECT id FROM events WHERE kind LIKE 'order %'"
                " OR kind = 'form answered' ORDER BY id"
            )
            assert len(receiver.ids) == len(set(receiver.ids))
            assert not told_before & set(receiver.ids)
            assert told_before | set(receiver.ids) == {line for (line,) in asked}
            # Figures counted what happened on both servers.
            ended = "SELECT count(*) FROM instances WHERE status = 'completed'"
            counted = "SELECT sum(completed) FROM process_hours"
            assert plant.rows(counted) == plant.rows(ended)
        again = mpms(server.dsn, "restore", str(file))
        assert again.returncode == 1
        assert "is not empty" in again.stderr


def test_a_backup_that_cannot_be_made_or_restored_says_why_and_changes_nothing(
    database_url: str, create_database: Callable[..., str], tmp_path: Path
) -> None:
    there = tmp_path / "there.dump"
    there.write_text("kept")
    refused = mpms(database_url, "backup", str(there))
    assert (refused.returncode, there.read_text()) == (1, "kept")
    assert "exists already" in refused.stderr
    nowhere = mpms(database_url, "backup", str(tmp_path / "no" / "where.dump"))
    assert (nowhere.returncode, "No such file" in nowhere.stderr) == (1, True)
    empty = create_database()
    for file, reason in ((tmp_path / "none", "no such file"), (there, "not restored")):
        refused = mpms(empty, "restore", str(file))
        assert refused.returncode == 1
        assert reason in refused.stderr
    with closing(psycopg2.connect(empty)) as connection, connection.cursor() as asked:
        asked.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
        assert asked.fetchone() == (0,)
