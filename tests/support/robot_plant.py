"""A plant of real processes: a simulator, workers, PostgreSQL, people.

Every process can be killed, frozen and started again. Tests wait for conditions for
as long as a loaded machine may need, and assert on what happened, never on how fast.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from mpms import assets, bootstrap
from mpms.domain.errors import MpmsError
from mpms.factory.domain.orders import Order, OrderLine
from mpms.services.instances.repair import retry_incident
from mpms.services.instances.start import start_instance
from mpms.services.models.deploy import deploy_models
from mpms.services.tasks.submit import submit_form
from tests.support.factory import ROOT, WORLD_DIR, Database
from tests.support.recorder import Recorder
from tests.support.simulator import Child, Simulator

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


class RobotPlant:
    """One factory of processes."""

    def __init__(self, database_url: str, directory: Path) -> None:
        self.database_url = database_url
        self.directory = directory
        self.services = bootstrap.connect(database_url, application="people")
        self.database = Database(database_url)
        self.workers: dict[str, Child] = {}
        self.errors: Path | None = None  # where processes write what they complain of
        self._closers: list[Callable[[], None]] = [
            self.services.close,
            self.database.close,
        ]
        self.world: Path = WORLD_DIR
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

    def with_world(self) -> None:
        """The shipped world as files of its own."""
        self.world = self.directory / "world"
        shutil.copytree(WORLD_DIR, self.world)

    def start_simulator(self, speed: float = 30.0) -> Simulator:
        trace = self.directory / "trace.jsonl"
        simulator = Simulator(self.world, trace, speed, self.errors)
        self._closers.append(lambda: simulator.kill())
        self.simulator = simulator
        self.robots_url = simulator.url
        return simulator

    def start_robots(self, speed: float) -> None:
        self.start_simulator(speed)

    def with_two_servers(self, other: str, profile: str, speed: float) -> Simulator:
        """One robot is on a server of its own, of another make; the others share
        one. Neither server knows the robots of the other."""
        text = (self.world / "world.yaml").read_text()
        whole = yaml.safe_load(text)
        worlds = {}
        for name, mine in (("shared", False), ("own", True)):
            folder = self.directory / name
            shutil.copytree(self.world, folder)
            robots = [r for r in whole["robots"] if (r["id"] == other) is mine]
            (folder / "world.yaml").write_text(
                yaml.safe_dump(whole | {"robots": robots})
            )
            worlds[name] = folder
        trace = self.directory / "own.jsonl"
        own = Simulator(worlds["own"], trace, speed, self.errors, "ros2")
        self._closers.append(own.kill)
        mixed, self.world = self.world, worlds["shared"]
        self.start_robots(speed)
        for robot in whole["robots"]:
            if robot["id"] == other:
                robot |= {"profile": profile, "url": own.url, "namespace": other}
        (mixed / "world.yaml").write_text(yaml.safe_dump(whole))
        self.world = mixed
        return own

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
            str(ROOT / "tests/acceptance/robots/robot_worker.py"),
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
        return self.database.rows(statement)

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
