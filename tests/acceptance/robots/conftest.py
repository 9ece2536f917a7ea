"""A plant of real processes: a simulator, workers, PostgreSQL, people.

Every process can be killed, frozen and started again. Tests wait for conditions for
as long as a loaded machine may need, and assert on what happened, never on how fast.
"""

from __future__ import annotations

import importlib.util
import json
import os
import select
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from ipaddress import ip_address
from pathlib import Path
from typing import IO, Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.server import ServerConnection, serve

from mpms import assets, bootstrap
from mpms.domain.errors import MpmsError
from mpms.domain.orders import Order, OrderLine
from mpms.services.deploy_models import deploy_models
from mpms.services.repair_instance import retry_incident
from mpms.services.start_instance import start_instance
from mpms.services.submit_form import submit_form

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PATIENCE_S = 200.0
ANSWERS: dict[str, dict[str, Any]] = {
    "load_material": {"confirmed": True, "lot": "L-7"},
    "unload_material": {"unloaded": True},
    "start_mixing": {"amounts_verified": True, "mixing_started": True},
}
LINES = (
    OrderLine("RM-001", "Water", Decimal("310")),
    OrderLine("RM-002", "Titanium dioxide", Decimal("120.5")),
    OrderLine("RM-003", "Calcium carbonate", Decimal("240")),
)


def wait_for(what: str, condition: Callable[[], Any], patience_s: float = PATIENCE_S):
    """Wait until a condition holds and return what it returned."""
    give_up_at = time.monotonic() + patience_s
    while not (found := condition()):
        assert time.monotonic() < give_up_at, f"in vain for {patience_s:g} s: {what}"
        time.sleep(0.03)
    return found


def _load_checker() -> Any:
    """Test folders are no packages, so the module is loaded by its file."""
    spec = importlib.util.spec_from_file_location("robot_checker", HERE / "checker.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Child:
    """A process that tells its news in lines and ends with its standard input."""

    def __init__(self, *arguments: str, errors: Path | None = None) -> None:
        with ExitStack() as open_now:
            said = None if errors is None else open_now.enter_context(errors.open("ab"))
            self._start(arguments, said)
        self._rest = b""

    def _start(self, arguments: tuple[str, ...], errors: IO[bytes] | None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )

    def line(self) -> str:
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        give_up_at = time.monotonic() + PATIENCE_S
        while b"\n" not in self._rest:
            left_s = give_up_at - time.monotonic()
            assert select.select([descriptor], [], [], left_s)[0], "the child is silent"
            chunk = os.read(descriptor, 65536)
            assert chunk, f"the child ended with {self.process.wait()}"
            self._rest += chunk
        line, self._rest = self._rest.split(b"\n", 1)
        return line.decode()

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


class Simulator:
    """The robots, with an independent record of what they did."""

    def __init__(
        self, world: Path, trace: Path, speed: float, errors: Path | None = None
    ) -> None:
        self._errors = errors
        self._world = world
        self._trace = trace
        self._speed = speed
        self._child = self._start(0)
        self.url = json.loads(self._child.line())["url"]

    def _start(self, port: int) -> Child:
        return Child(
            *("-m", "shopfloor", "sim", str(self._world), "--port", str(port)),
            *("--speed", str(self._speed), "--trace", str(self._trace)),
            "--with-parent",
            errors=self._errors,
        )

    def fault(self, command: str) -> None:
        self._child.say(command)
        answer = json.loads(self._child.line())
        assert answer["ok"], answer

    def freeze(self) -> None:
        self._child.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._child.signal(signal.SIGCONT)

    def kill(self) -> None:
        self._child.kill()

    def restart(self) -> None:
        """On the same port, with every robot at home again."""
        self._child = self._start(int(self.url.rsplit(":", 1)[1]))
        self._child.line()

    def records(self, *events: str) -> list[dict[str, Any]]:
        lines = self._trace.read_bytes().split(b"\n")[:-1]
        records = [json.loads(line) for line in lines]
        return [r for r in records if not events or r["event"] in events]

    def starts(self) -> list[dict[str, Any]]:
        return self.records("goal_started")


class Recorder:
    """A proxy that remembers every frame between the workers and the simulator."""

    def __init__(self, upstream: str, tls: ssl.SSLContext | None = None) -> None:
        self._upstream = upstream
        self.frames: list[tuple[str, str]] = []  # (direction, frame), as they came
        self._server = serve(self._relay, "127.0.0.1", 0, compression=None, ssl=tls)
        port = self._server.socket.getsockname()[1]
        scheme = "ws" if tls is None else "wss"
        self.url = f"{scheme}://127.0.0.1:{port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def _relay(self, client: ServerConnection) -> None:
        with connect(self._upstream, compression=None) as robot:

            def answers() -> None:
                with suppress(ConnectionClosed):
                    for frame in robot:
                        self.frames.append(("from robot", str(frame)))
                        client.send(frame)

            back = threading.Thread(target=answers)
            back.start()
            with suppress(ConnectionClosed):
                for frame in client:
                    self.frames.append(("to robot", str(frame)))
                    robot.send(frame)
            robot.close()
            back.join()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()


class People:
    """They confirm every form; the operator looks after incidents about robots."""

    def __init__(self, services: bootstrap.Services) -> None:
        self._services = services
        self._stop = threading.Event()
        self.retried: list[str] = []
        self._thread = threading.Thread(target=self._work, name="people")
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._stop.wait(0.02):
            with suppress(MpmsError):
                self._look()

    def _look(self) -> None:
        with self._services.uow() as tx:
            tasks = tx.tasks.open()
            incidents = [i for i in tx.incidents.listing() if i.kind == "goal"]
        for incident in incidents:
            retry_incident(
                self._services.uow, self._services.advance, incident.id, by="operator"
            )
            self.retried.append(incident.message)
        for task in tasks:
            answers = ANSWERS.get(task.form or "")
            if answers is not None:
                submit_form(
                    self._services.uow,
                    self._services.advance,
                    task.task_id,
                    answers,
                    by="ada",
                )


class Plant:
    """One factory of processes."""

    def __init__(self, database_url: str, directory: Path) -> None:
        self.database_url = database_url
        self.directory = directory
        self.services = bootstrap.connect(database_url, application="people")
        self.workers: dict[str, Child] = {}
        self.errors: Path | None = None  # where processes write what they complain of
        self._closers: list[Callable[[], None]] = [self.services.close]
        self.world: Path = ROOT / "worlds" / "paint_factory"
        self.deploy(assets.shipped_models())

    def close(self) -> None:
        for worker in self.workers.values():
            worker.kill()
        for closer in reversed(self._closers):
            closer()

    def with_robots(self, count: int) -> None:
        """A world like the shipped one with so many robots, of two kinds."""
        data = yaml.safe_load((self.world / "world.yaml").read_text())
        data["map"].pop("image")
        data["robots"] = []
        for number in range(1, count + 1):
            home = f"parking_{number}"
            data["places"][home] = {"x_m": 2.0, "y_m": 1.4 + 0.6 * number}
            kind, speed_mps = ("tractor", 1.4) if number % 3 == 0 else ("carrier", 1.0)
            data["robots"].append(
                {
                    "id": f"robot{number}",
                    "kind": kind,
                    "home": home,
                    "profile": "move_base",
                    "max_speed_mps": speed_mps,
                    "max_payload_kg": 1500.0,
                }
            )
        self.world = self.directory / "world"
        self.world.mkdir()
        (self.world / "world.yaml").write_text(yaml.safe_dump(data))

    def start_simulator(self, speed: float = 30.0) -> Simulator:
        trace = self.directory / "trace.jsonl"
        simulator = Simulator(self.world, trace, speed, self.errors)
        self._closers.append(lambda: simulator.kill())
        self.simulator = simulator
        self.robots_url = simulator.url
        return simulator

    def record(self) -> Recorder:
        recorder = Recorder(self.robots_url)
        self._closers.append(recorder.close)
        self.robots_url = recorder.url
        return recorder

    def start_people(self) -> People:
        people = People(self.services)
        self._closers.append(people.close)
        return people

    def start_worker(self, name: str, lease_s: float = 3.0) -> Child:
        worker = Child(
            str(HERE / "robot_worker.py"),
            *(self.database_url, self.robots_url, str(self.world), name, str(lease_s)),
            errors=self.errors,
        )
        self.workers[name] = worker
        worker.line()
        return worker

    def deploy(self, files: dict[str, bytes]) -> None:
        deploy_models(self.services.uow, self.services.engine, files, by="test")

    def stop_workers(self) -> None:
        for name in list(self.workers):
            self.kill_worker(name)

    def kill_worker(self, name: str) -> None:
        self.workers.pop(name).kill()

    def send_order(self, number: str) -> str:
        order = Order(number, "Matt white wall paint", LINES, customer="buyer@example")
        with self.services.uow() as tx:
            tx.orders.add(order)
            return start_instance(
                tx,
                self.services.advance,
                "warehouse",
                variables={"order_number": number},
                business_key=number,
                actor="test",
            )

    def start(self, key: str, **variables: Any) -> str:
        with self.services.uow() as tx:
            return start_instance(
                tx, self.services.advance, key, variables=variables, actor="test"
            )

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with (
            self.services.connections.connection() as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def done(self) -> list[str]:
        """Numbers of the orders that are done."""
        rows = self.rows("SELECT number FROM orders WHERE status = 'done'")
        return [number for (number,) in rows]

    def robot(self, name: str) -> dict[str, Any]:
        names = ("owner", "link", "ready", "why_not", "x_m", "y_m", "reported_at")
        columns = ", ".join(names)
        rows = self.rows(f"SELECT {columns} FROM robots WHERE robot = '{name}'")
        return dict(zip(names, rows[0], strict=True)) if rows else {}

    def goals(
        self, *, seconds: bool = False, aside: bool = False
    ) -> list[dict[str, Any]]:
        """``seconds``: instants as seconds since the epoch. ``aside``: also those that
        no process waits for, of robots that made room."""
        names = (
            *("id", "robot", "place", "x_m", "y_m", "state", "inferred", "reason"),
            *("created_at", "sent_at", "ended_at"),
        )
        which = "true" if aside else "task_id IS NOT NULL"
        rows = self.rows(
            f"SELECT {', '.join(names)} FROM goals WHERE {which} ORDER BY created_at"
        )
        goals = [dict(zip(names, row, strict=True)) for row in rows]
        for goal in goals if seconds else ():
            for name in ("created_at", "sent_at", "ended_at"):
                goal[name] = goal[name] and goal[name].timestamp()
        return goals

    def starts_of_goals(self) -> dict[str, int]:
        """How often the robots started each goal id."""
        counts: dict[str, int] = {}
        for record in self.simulator.starts():
            counts[record["goal_id"]] = counts.get(record["goal_id"], 0) + 1
        return counts

    def stops(self, robot: str | None = None) -> list[str]:
        """Where the robots arrived, in order, by what they say they did."""
        where = yaml.safe_load((self.world / "world.yaml").read_text())["places"]
        found = []
        for record in self.simulator.records("goal_ended"):
            if record["status"] == 3 and robot in (None, record["robot"]):
                found += [
                    name
                    for name, at in where.items()
                    if abs(at["x_m"] - record["x_m"]) + abs(at["y_m"] - record["y_m"])
                    < 0.1
                ]
        return found


@pytest.fixture
def plant(database_url: str, tmp_path: Path) -> Iterator[Plant]:
    plant = Plant(database_url, tmp_path)
    yield plant
    plant.close()


@pytest.fixture
def simulator(tmp_path: Path) -> Iterator[Simulator]:
    """The shipped world's robots, without an orchestrator."""
    world = ROOT / "worlds" / "paint_factory"
    simulator = Simulator(world, tmp_path / "trace.jsonl", speed=20.0)
    yield simulator
    simulator.kill()


@pytest.fixture
def behind_tls(
    simulator: Simulator, certificate: tuple[Path, Path]
) -> Iterator[Recorder]:
    """A proxy that asks for TLS, as one would run on a robot."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    proxy = Recorder(simulator.url, context)
    yield proxy
    proxy.close()


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate of our own for 127.0.0.1, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a robot's own CA")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = tmp_path / "robot.pem", tmp_path / "robot.key"
    public.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return public, private


@pytest.fixture(scope="session")
def check() -> Callable[..., list[str]]:
    """Return a function that finds broken promises in what both sides recorded."""
    found: Callable[..., list[str]] = _load_checker().violations
    return found


@pytest.fixture
def until() -> Callable[..., Any]:
    return wait_for
