"""Whatever dies, every order is finished once and every effect happens once.

Worker processes are killed with SIGKILL while they work, and so is PostgreSQL. The
moments are drawn from a seed that is printed; nothing here depends on how fast the
machine is, only on the work being finished in the end.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

import psycopg2
import pytest

from mpms import assets, bootstrap
from mpms.domain.errors import MpmsError, TaskGone
from mpms.embedded import postgres
from mpms.embedded.postgres import PostgresServer
from mpms.factory.domain.orders import Order, OrderLine
from mpms.factory.services.orders.accept import accept_order
from mpms.services.instances.repair import cancel_instance
from mpms.services.instances.start import start_instance
from mpms.services.models.deploy import deploy_models
from mpms.services.tasks.submit import submit_form

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("crash_worker.py")
WORKERS = 2
LIVE = ("tasks", "jobs", "timers", "calls", "subscriptions", "deliveries", "messages")
STOPS = ["A", "tank", "B", "tank", "C", "tank", "home"]
ANSWERS = {
    "load_material": {"confirmed": True},
    "unload_material": {"unloaded": True},
    "start_mixing": {"amounts_verified": True, "mixing_started": True},
}
LINES = (
    OrderLine("RM-001", "Water", Decimal(310)),
    OrderLine("RM-002", "Titanium dioxide", Decimal("120.5")),
    OrderLine("RM-003", "Calcium carbonate", Decimal(240)),
)
EFFECTS = """
    CREATE TABLE effects (
        key text PRIMARY KEY,
        instance_id uuid NOT NULL,
        element text NOT NULL,
        calls integer NOT NULL DEFAULT 1
    )
"""


def step(element: str, reach: str) -> str:
    return (
        f'<serviceTask id="{element}" camunda:type="external"'
        f' camunda:topic="probe.{reach}"/>'
    )


def model(key: str, elements: str, *ways: str) -> bytes:
    flows = "".join(
        f'<sequenceFlow id="{source}_to_{target}" sourceRef="{source}"'
        f' targetRef="{target}"/>'
        for source, target in (way.split() for way in ways)
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
        <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
            xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
            id="drawing" targetNamespace="urn:test">
        <process id="{key}" isExecutable="true">{elements}{flows}</process>
        </definitions>""".encode()


# Every kind of waiting in one process: jobs, a fork, a timer, a call and a form.
PROBE = model(
    "probe",
    '<startEvent id="begin"/>'
    + step("first", "outside")
    + step("second", "inside")
    + '<parallelGateway id="fork"/>'
    + step("left_hand", "outside")
    + step("right_hand", "inside")
    + '<parallelGateway id="join"/>'
    + '<intermediateCatchEvent id="rest"><timerEventDefinition id="rest_timer">'
    + "<timeDuration>PT0.1S</timeDuration></timerEventDefinition>"
    + '</intermediateCatchEvent><callActivity id="call" calledElement="probe_child"/>'
    + '<userTask id="sign"/>'
    + step("ninth", "inside")
    + step("tenth", "outside")
    + '<endEvent id="end"/>',
    *("begin first", "first second", "second fork", "fork left_hand"),
    *("fork right_hand", "left_hand join", "right_hand join", "join rest"),
    *("rest call", "call sign", "sign ninth", "ninth tenth", "tenth end"),
)
CHILD = model(
    "probe_child",
    '<startEvent id="begin"/>'
    + step("child_first", "outside")
    + step("child_second", "inside")
    + '<endEvent id="end"/>',
    *("begin child_first", "child_first child_second", "child_second end"),
)
OUTSIDE = {"first", "left_hand", "tenth", "child_first"}
INSIDE = {"second", "right_hand", "ninth", "child_second"}


@dataclass
class Crew:
    """Worker processes; a dead one is replaced."""

    url: str
    directory: Path
    log: IO[bytes]
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    started: int = 0

    def hire(self) -> None:
        self.started += 1
        self.processes.append(
            subprocess.Popen(
                [sys.executable, str(SCRIPT), self.url, *self._names(self.started)],
                stderr=self.log,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
            )
        )

    def _names(self, number: int) -> tuple[str, str]:
        return f"worker-{number}", str(self.directory / f"ready-{number}")

    def wait_until_at_work(self, process: subprocess.Popen[bytes]) -> None:
        number = self.started - len(self.processes) + 1
        number += self.processes.index(process)
        ready = Path(self._names(number)[1])

        def at_work() -> bool:
            assert process.poll() is None, f"worker {number} died by itself: {self}"
            return ready.exists()

        wait_for(at_work, 120, lambda: f"worker {number} does not start: {self}")

    def kill_oldest(self, after_s: float) -> None:
        """Kill the worker that has run longest, once its successor is at work."""
        victim = self.processes[0]
        self.wait_until_at_work(victim)
        time.sleep(after_s)
        victim.kill()
        victim.wait()
        self.processes.pop(0)
        self.hire()

    def dismiss(self) -> None:
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes.clear()

    def __str__(self) -> str:
        return Path(self.log.name).read_text(errors="replace")[-4000:]


def wait_for(
    condition: Callable[[], bool], limit_s: float, complaint: Callable[[], object]
) -> None:
    give_up_at = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < give_up_at, complaint()
        time.sleep(0.05)


class Tireless(threading.Thread):
    """Answers every form, each one twice, whatever the database does."""

    def __init__(self, services: bootstrap.Services) -> None:
        super().__init__(name="person")
        self.stop = threading.Event()
        self._services = services

    def run(self) -> None:
        while not self.stop.wait(0.02):
            try:
                self._answer_all()
            except MpmsError:
                self.stop.wait(0.1)

    def _answer_all(self) -> None:
        with self._services.uow() as tx:
            tasks = tx.tasks.open()
        for task in tasks:
            answers = ANSWERS.get(task.form or "", {})
            for _ in range(2):
                try:
                    submit_form(
                        self._services.uow,
                        self._services.advance,
                        task.task_id,
                        answers,
                        by="person",
                    )
                except TaskGone:
                    break


@pytest.fixture
def own_server(postgres_directory: Path) -> Iterator[PostgresServer]:
    """A server that may be killed without spoiling other tests.

    Commits wait for the log: what was answered must survive a killed server.
    """
    bindir = os.environ.get("MPMS_TEST_PG_BINDIR")
    with postgres.start(
        postgres_directory / "crashes",
        bindir=Path(bindir) if bindir else None,
        port=quiet_port(),
        settings={"fsync": "off", "full_page_writes": "off", "max_connections": "100"},
    ) as server:
        yield server


def quiet_port() -> int:
    """A free port that no outgoing connection is given while the server is away."""
    for port in random.sample(range(15000, 32000), 200):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no free port")


def kill_database(server: PostgresServer, away_s: float) -> None:
    os.kill(server.pid, signal.SIGKILL)
    wait_for(lambda: not server.is_running(), 60, lambda: "the server does not die")
    time.sleep(away_s)
    server.ensure_running()


def run_and_crash(
    server: PostgresServer,
    directory: Path,
    *,
    seed: int,
    orders: int,
    probes: int,
    kills: int,
    database_kills: int,
    limit_s: float,
) -> int:
    """Do all the work while workers are killed; return how many were started."""
    print(f"seed {seed}")
    chance = random.Random(seed)
    bootstrap.migrate_database(server.dsn)
    rows(server, EFFECTS)
    services = bootstrap.connect(server.dsn)
    files = assets.shipped_models() | {"probe.bpmn": PROBE, "probe_child.bpmn": CHILD}
    deploy_models(services.uow, services.engine, files, by="test")
    handling = start(services, "orders_handling")
    log = (directory / "workers.log").open("ab")
    crew = Crew(server.dsn, directory, log)
    person = Tireless(services)
    person.start()
    try:
        for _ in range(WORKERS):
            crew.hire()
        database_dies_at = set(chance.sample(range(kills), database_kills))
        for turn in range(kills):
            for n in share(orders, turn, kills):
                place_order(services, f"MO-{n:04d}")
            for n in share(probes, turn, kills):
                start(services, "probe", f"P-{n}")
            crew.kill_oldest(after_s=chance.uniform(0.0, 0.5))
            if turn in database_dies_at:
                kill_database(server, away_s=chance.uniform(0.0, 0.5))
        wait_for(
            lambda: all_ended(server, orders, probes),
            limit_s,
            lambda: f"unfinished: {unfinished(server)}\n{crew}",
        )
    finally:
        person.stop.set()
        person.join()
        crew.dismiss()
        log.close()
    cancel_instance(services.uow, services.advance, handling, by="test", reason="end")
    services.close()
    return crew.started


def share(total: int, turn: int, turns: int) -> range:
    return range(total * turn // turns + 1, total * (turn + 1) // turns + 1)


def start(services: bootstrap.Services, key: str, business_key: str = "") -> str:
    with services.uow() as tx:
        return start_instance(
            tx, services.advance, key, business_key=business_key or None, actor="test"
        )


def place_order(services: bootstrap.Services, number: str) -> None:
    with services.uow() as tx:
        order = Order(number, "Matt white wall paint", LINES)
        accept_order(tx, services.engine, order, by="test")


def rows(server: PostgresServer, statement: str) -> list[tuple[Any, ...]]:
    with (
        closing(psycopg2.connect(server.dsn)) as connection,
        connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def all_ended(server: PostgresServer, orders: int, probes: int) -> bool:
    ended = dict(
        rows(
            server,
            "SELECT key, count(*) FROM instances WHERE status <> 'active' GROUP BY 1",
        )
    )
    wanted = {"warehouse": orders, "probe": probes, "probe_child": probes}
    return all(ended.get(key, 0) >= count for key, count in wanted.items())


def unfinished(server: PostgresServer) -> list[tuple[Any, ...]]:
    return [
        *rows(
            server,
            "SELECT i.key, i.business_key, j.element, j.state, j.attempts,"
            " j.last_error, j.leased_by, j.lease_until FROM instances AS i"
            " LEFT JOIN jobs AS j ON j.instance_id = i.id WHERE i.status = 'active'",
        ),
        *rows(server, "SELECT * FROM goals WHERE state IN ('new', 'sent')"),
        *rows(server, "SELECT * FROM robot_holds"),
        *rows(server, "SELECT * FROM incidents"),
        *rows(server, "SELECT * FROM deliveries"),
        *rows(server, "SELECT task_id, element, form FROM tasks"),
        *rows(server, "SELECT * FROM timers"),
    ]


def check_everything(server: PostgresServer, orders: int, probes: int) -> None:
    """Once and not twice; nothing left over, nothing locked."""
    assert rows(
        server, "SELECT key, status, count(*) FROM instances GROUP BY 1, 2 ORDER BY 1"
    ) == [
        ("orders_handling", "cancelled", 1),
        ("probe", "completed", probes),
        ("probe_child", "completed", probes),
        ("warehouse", "completed", orders),
    ]
    assert rows(server, "SELECT status, count(*) FROM orders GROUP BY 1") == [
        ("done", orders)
    ]
    assert rows(
        server,
        "SELECT count(DISTINCT business_key) FROM instances WHERE key = 'warehouse'",
    ) == [(orders,)]
    ends = rows(
        server,
        "SELECT count(*), count(DISTINCT instance_id) FROM events"
        " WHERE kind = 'instance completed'",
    )
    assert ends == [(orders + 2 * probes, orders + 2 * probes)]

    missions = rows(
        server,
        "SELECT array_agg(place ORDER BY created_at), array_agg(DISTINCT state)"
        " FROM goals WHERE task_id IS NOT NULL GROUP BY instance_id",
    )
    assert missions == [(STOPS, ["reached"])] * orders

    outside = rows(server, "SELECT element, count(*) FROM effects GROUP BY 1")
    assert dict(outside) == dict.fromkeys(OUTSIDE, probes)
    inside = rows(
        server,
        "SELECT element, count(*), count(DISTINCT data ->> 'key') FROM events"
        " WHERE kind = 'connection tested' GROUP BY 1",
    )
    assert {e: (n, keys) for e, n, keys in inside} == dict.fromkeys(
        INSIDE, (probes, probes)
    )
    kept = rows(
        server,
        "SELECT count(*) FROM effects AS e JOIN instances AS i ON i.id = e.instance_id"
        " WHERE i.variables ->> e.element = e.key",
    )
    assert kept == [(len(OUTSIDE) * probes,)]
    twice = rows(
        server,
        "SELECT instance_id, element, count(*) FROM events WHERE kind = 'left'"
        " AND instance_id IN (SELECT id FROM instances WHERE key LIKE 'probe%')"
        " GROUP BY 1, 2 HAVING count(*) > 1",
    )
    assert [e for _, e, n in twice if (e, n) != ("join", 2)] == []
    forms = rows(server, "SELECT count(*) FROM answers")
    assert forms == [(7 * orders + probes,)]

    for table in (*LIVE, "robot_holds"):
        assert rows(server, f"SELECT * FROM {table}") == [], table
    assert rows(server, "SELECT * FROM incidents WHERE resolved_at IS NULL") == []
    wait_for(
        lambda: (
            rows(
                server,
                "SELECT count(*) FROM pg_locks WHERE pid <> pg_backend_pid()"
                " AND locktype IN ('advisory', 'tuple', 'transactionid')",
            )
            == [(0,)]
        ),
        60,
        lambda: "something stays locked",
    )
    assert rows(server, "SELECT count(*) FROM pg_prepared_xacts") == [(0,)]


def test_orders_survive_killed_workers_and_a_killed_database(
    own_server: PostgresServer, tmp_path: Path
) -> None:
    work = {"orders": 2, "probes": 3}
    started = run_and_crash(
        own_server,
        tmp_path,
        seed=20260302,
        kills=3,
        database_kills=1,
        limit_s=200.0,
        **work,
    )
    assert started == WORKERS + 3
    check_everything(own_server, **work)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", [1])
def test_fifty_orders_survive_a_hundred_kills(
    own_server: PostgresServer, tmp_path: Path, seed: int
) -> None:
    work = {"orders": 50, "probes": 50}
    started = run_and_crash(
        own_server,
        tmp_path,
        seed=seed,
        kills=100,
        database_kills=5,
        limit_s=1800.0,
        **work,
    )
    assert started == WORKERS + 100
    check_everything(own_server, **work)
