"""A warehouse of real processes: a simulator, workers that lead the fleet, PostgreSQL,
and hands that put packages on inputs, take them from outputs and fill in forms."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import threading
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import yaml
from websockets.sync.client import connect

from mpms.domain.errors import MpmsError
from mpms.factory import bootstrap as factory_bootstrap
from mpms.services.tasks.submit import submit_form
from tests.support.factory import ROOT, WORLD_DIR
from tests.support.robot_plant import RobotPlant
from tests.support.simulator import Child

WORLD = ROOT / "worlds" / "warehouse_small"


class StorageLink:
    """The services of the simulated storage, over a rosbridge connection of its own."""

    def __init__(self, url: str) -> None:
        self._open = ExitStack()
        self._socket = self._open.enter_context(connect(url))
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def call(self, service: str, **args: Any) -> dict[str, Any]:
        with self._lock:
            ident = f"hands:{next(self._numbers)}"
            frame = {"op": "call_service", "service": service, "id": ident}
            self._socket.send(json.dumps(frame | {"args": args}))
            while True:
                answer = json.loads(self._socket.recv(timeout=30.0))
                if answer.get("id") == ident:
                    values: dict[str, Any] = answer["values"]
                    return values

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.call("/storage/state")["json"])
        return found

    def close(self) -> None:
        self._open.close()


class FleetPlant(RobotPlant):
    """The small warehouse, or another with the same kinds of places."""

    def __init__(self, database_url: str, directory: Path) -> None:
        super().__init__(database_url, directory)
        self.world = WORLD
        self.speed = 1.0

    def with_twenty_robots(self) -> None:
        """The same warehouse with ten more of each kind's pattern."""
        folder = self.directory / "world"
        shutil.copytree(WORLD, folder)
        data = yaml.safe_load((folder / "world.yaml").read_text())
        spots = [(6.0 + 2.0 * n, 1.4) for n in range(8)] + [(20.5, 9.0), (20.5, 12.0)]
        for number, (x_m, y_m) in enumerate(spots):
            pattern = data["robots"][number]
            rest = f"rest_{number + 11}"
            data["places"][rest] = {"x_m": x_m, "y_m": y_m, "yaw_deg": 90.0}
            data["robots"].append({**pattern, "id": f"more{number}", "home": rest})
        (folder / "world.yaml").write_text(yaml.safe_dump(data))
        self.world = folder

    def with_paint_factory(self) -> None:
        """The shipped factory."""
        self.world = self.directory / "world"
        shutil.copytree(WORLD_DIR, self.world)

    def start_robots(self, speed: float) -> None:
        self.start_warehouse(speed)

    def start_warehouse(self, speed: float) -> None:
        self.speed = speed
        self.start_simulator(speed=speed)
        self.storage = StorageLink(self.simulator.url)
        self._closers.append(self.storage.close)

    def start_fleet_worker(self, name: str, lease_s: float = 4.0) -> Child:
        worker = Child(
            str(ROOT / "tests/acceptance/fleet/fleet_worker.py"),
            *(self.database_url, self.robots_url, str(self.world), name),
            *(str(lease_s), str(self.speed)),
            errors=self.errors,
        )
        self.workers[name] = worker
        worker.line()
        return worker

    def start_hands(self) -> Hands:
        hands = Hands(self)
        self._closers.append(hands.close)
        return hands


class Hands:
    """People who do what the forms say, on the simulated floor as well."""

    def __init__(self, plant: FleetPlant) -> None:
        self._plant = plant
        self._stop = threading.Event()
        self.wants: dict[str, dict[str, Any]] = {}  # instance to what it is about
        self.delivered: list[tuple[str, str]] = []  # type asked for, package
        self.problems: list[str] = []
        self.refused: list[str] = []
        self._thread = threading.Thread(target=self._work, name="hands")
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._stop.wait(0.05):
            try:
                self._look()
            except MpmsError as refused:  # somebody else was quicker, or it is wrong
                self.refused.append(str(refused))

    def _look(self) -> None:
        with self._plant.services.uow() as tx:
            tasks = tx.tasks.open()
        for task in tasks:
            wants = self.wants.get(task.instance_id)
            if wants is None:
                continue
            answers: dict[str, Any] | None = None
            match task.form:
                case "place_package":
                    answers = self._place(wants)
                case "choose_package" | "choose_item" | "choose_shelf":
                    answers = wants
                case "take_package":
                    answers = self._take(wants)
                case "pick_item":
                    answers = {"picked": wants["amount"]}
                case "transport_failed":
                    self.problems.append(str(task.inputs))
                    answers = {"again": "yes"}
            if answers is not None:
                submit_form(
                    self._plant.services.uow,
                    self._plant.services.advance,
                    task.task_id,
                    answers,
                    by="ada",
                )

    def _place(self, wants: dict[str, Any]) -> dict[str, Any] | None:
        """The form counts when the package lies there; until then somebody waits."""
        if not wants.get("lies"):
            put = self._plant.storage.call(
                "/storage/put", place=wants["place"], package=wants["package"]
            )
            if not put["success"]:
                return None
            wants["lies"] = True
        known = {key: wants[key] for key in ("package", "package_type", "place")}
        return {**known, "placed_by_hand": True}

    def _take(self, wants: dict[str, Any]) -> dict[str, Any]:
        if not wants.get("taken"):
            taken = self._plant.storage.call("/storage/take", place=wants["place"])
            assert taken["success"], taken
            wants["taken"] = taken["message"]
            self.delivered.append((wants["package_type"], taken["message"]))
        return {"taken_by_hand": True}


def kinds_of(world: Path) -> dict[str, str]:
    """Package to its type, of what lies there at the start."""
    files = factory_bootstrap.fleet_of(str(world))
    assert files is not None
    return {package: kind for package, kind in files.world.stock.values()}


class Demand:
    """Half of them store something new, half retrieve what is there or comes.

    Never more of a type than there is or was asked to be stored, so that all end.
    """

    def __init__(self, draw: random.Random, world: Path) -> None:
        files = factory_bootstrap.fleet_of(str(world))
        assert files is not None
        self._draw, self._world = draw, files.world
        self.kinds = kinds_of(world)
        self._left = Counter(self.kinds.values())
        self._lying = len(self.kinds)
        self._number = 0
        self.retrieved = 0

    def next(self) -> tuple[str, dict[str, Any]]:
        """The process and what it is about."""
        draw, world = self._draw, self._world
        full = self._lying + 4 > len(world.storage)
        kinds = [kind for kind in sorted(world.packages) if self._left[kind] > 1]
        if kinds and (full or draw.random() < 0.5):
            kind = draw.choice(kinds)
            self._left[kind] -= 1
            self._lying -= 1
            self.retrieved += 1
            place = draw.choice(world.outputs)
            return "retrieve_package", {"package_type": kind, "place": place}
        kind = draw.choice(sorted(world.packages))
        self._left[kind] += 1
        self._lying += 1
        self._number += 1
        package = f"N-{self._number}"
        self.kinds[package] = kind
        place = draw.choice(world.inputs)
        asked = {"package": package, "package_type": kind, "place": place}
        return "store_package", asked
