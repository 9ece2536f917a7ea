"""The plant that ``bench/load.py`` loads: real processes, as an installation has them.

PostgreSQL with fsync on, ``mpms work``, ``mpms serve`` and ``shopfloor sim``, each a
process of its own, all on this machine's loopback address.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from mpms import assets, bootstrap
from mpms.domain.people.people import Role
from mpms.embedded import postgres
from mpms.factory.domain.orders import Order, OrderLine
from mpms.services.instances.start import start_instance
from mpms.services.models.deploy import deploy_models
from mpms.services.people.session_tokens import hash_of, new_token

ROOT = Path(__file__).resolve().parents[2]
PAGE_KB = os.sysconf("SC_PAGE_SIZE") / 1024
LINES = (
    OrderLine("RM-001", "Water", Decimal(310)),
    OrderLine("RM-002", "Titanium dioxide", Decimal("120.5")),
    OrderLine("RM-003", "Calcium carbonate", Decimal(240)),
)
PATIENCE_S = 120.0


class LoadedPlant:
    """People with sessions, orders that are placed, and what the processes weigh."""

    def __init__(self, database_url: str) -> None:
        bootstrap.migrate_database(database_url)
        self.services = bootstrap.connect(database_url)
        deploy_models(
            self.services.uow,
            self.services.engine,
            assets.shipped_models(),
            by="bench",
        )
        self.address = ""
        self.roots: dict[str, int] = {}
        self._numbers = 0

    def people(self, count: int) -> list[str]:
        """Session tokens of so many more workers."""
        tokens = []
        with self.services.uow() as tx:
            for _ in range(count):
                self._numbers += 1
                login = f"load{self._numbers:05d}"
                person = tx.people.add(
                    login, login.title(), Role.WORKER, groups=("worker",)
                )
                tokens.append(new_token())
                tx.sessions.open(
                    hash_of(tokens[-1]),
                    person.id,
                    tablet_id=None,
                    expires_at=datetime.now(UTC) + timedelta(hours=12),
                )
        return tokens

    def place_order(self) -> None:
        """An order of one material; they lie at different places."""
        self._numbers += 1
        number = f"LOAD-{self._numbers:06d}"
        line = LINES[self._numbers % len(LINES)]
        with self.services.uow() as tx:
            tx.orders.add(Order(number, "Matt white wall paint", (line,)))
            start_instance(
                tx,
                self.services.advance,
                "warehouse",
                variables={"order_number": number},
                business_key=number,
                actor="bench",
            )

    def orders(self) -> dict[str, int]:
        """How many there are of each state."""
        rows = self.rows("SELECT status, count(*) FROM orders GROUP BY status")
        return {status: count for status, count in rows}

    def tasks(self) -> list[tuple[str, str]]:
        """The id and the form of every open task."""
        return self.rows("SELECT task_id::text, form FROM tasks WHERE form IS NOT NULL")

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        pool = self.services.connections
        with pool.connection() as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())

    def rss_mb(self) -> dict[str, float]:
        """Resident memory of each process with its children."""
        children = _children()
        return {
            name: sum(_rss_kb(pid) for pid in _family(root, children)) / 1024
            for name, root in self.roots.items()
        }


class Hands(threading.Thread):
    """Puts on each robot's scale what its order asks for, as people would."""

    def __init__(self, plant: LoadedPlant, robots_url: str) -> None:
        super().__init__(name="hands", daemon=True)
        self._plant = plant
        self._url = robots_url
        self._put: dict[str, tuple[str, float]] = {}
        self.stop = threading.Event()

    def run(self) -> None:
        while not self.stop.wait(0.1):
            for robot, instance_id, kg in self._asked():
                if self._put.get(robot) != (instance_id, kg):
                    with suppress(OSError, WebSocketException):
                        self._put_load(robot, kg)
                        self._put[robot] = (instance_id, kg)

    def _asked(self) -> list[tuple[str, str, float]]:
        found = []
        with self._plant.services.uow() as tx:
            for robot, instance_id in tx.robot_holds.held().items():
                snapshot = tx.instances.get(instance_id).snapshot
                material = snapshot and snapshot.variables.get("material")
                if material:
                    kg = float(material["required_kg"])
                    found.append((robot, str(instance_id), kg))
        return found

    def _put_load(self, robot: str, kg: float) -> None:
        call = {
            "op": "call_service",
            "id": "load",
            "service": f"/{robot}/put_load",
            "args": {"kg": kg},
        }
        with connect(self._url, compression=None) as link:
            link.send(json.dumps(call))
            link.recv(timeout=2.0)


@contextmanager
def running(directory: Path, speed: float) -> Iterator[LoadedPlant]:
    """A plant at work, as long as the block runs."""
    with ExitStack() as stack:
        server = stack.enter_context(postgres.start(directory / "postgres"))
        plant = LoadedPlant(server.dsn)
        stack.callback(plant.services.close)
        simulator, line = _started(
            stack,
            ("shopfloor", "sim", "paint_factory", "--port", "0", "--with-parent"),
            ("--speed", str(speed)),
            {},
        )
        robots_url = json.loads(line)["url"]
        environment = {
            "MPMS_DATABASE_URL": server.dsn,
            "MPMS_STATE_DIR": str(directory / "state"),
            "MPMS_ROBOTS_URL": robots_url,
        }
        web, line = _started(stack, ("mpms", "serve", "--with-parent"), (), environment)
        found = re.search(r"https?://\S+", line)
        assert found, f"the server of the pages did not start: {line!r}"
        plant.address = found[0]
        worker, _ = _started(stack, ("mpms", "work"), (), environment, waits=False)
        plant.roots = {
            "worker": worker.pid,
            "web": web.pid,
            "simulator": simulator.pid,
        }
        hands = Hands(plant, robots_url)
        hands.start()
        stack.callback(hands.join)
        stack.callback(hands.stop.set)
        wait_for("the worker to have its robots", lambda: _ready_robots(plant) == 3)
        yield plant


def wait_for(what: str, condition: Callable[[], Any]) -> Any:
    give_up_at = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < give_up_at, f"waited in vain for {what}"
        time.sleep(0.05)
    return found


def _ready_robots(plant: LoadedPlant) -> int:
    return int(plant.rows("SELECT count(*) FROM robots WHERE ready")[0][0])


def _started(
    stack: ExitStack,
    command: tuple[str, ...],
    more: tuple[str, ...],
    environment: dict[str, str],
    *,
    waits: bool = True,
) -> tuple[subprocess.Popen[str], str]:
    """A process that is ended with the stack, and the first line that it says."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}
    process = subprocess.Popen(
        [sys.executable, "-m", *command, *more],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=kept | environment | ({"MPMS_WEB_PORT": "0"} if environment else {}),
    )

    def end() -> None:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    stack.callback(end)
    assert process.stdout is not None
    return process, process.stdout.readline() if waits else ""


# -- what processes weigh --------------------------------------------------------------


def _children() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                stat = (entry / "stat").read_text()
                parent = int(stat.rpartition(")")[2].split()[1])
                found.setdefault(parent, []).append(int(entry.name))
    return found


def _family(root: int, children: dict[int, list[int]]) -> Iterator[int]:
    yield root
    for child in children.get(root, []):
        yield from _family(child, children)


def _rss_kb(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_KB
    except OSError:
        return 0.0
