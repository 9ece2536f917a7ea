"""Whole missions: the simulator as a process, driven goal by goal over the bridge.

Plant time passes only while a goal is driven, so what happens does not depend on how
busy the machine is; waiting is bounded by patience, never measured by it.
"""

from __future__ import annotations

import json
import math
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from websockets.sync.client import connect

from robot_bridge.client import RobotClient
from robot_bridge.reports import CommandState, Ended, Report
from tests.support.factory import ROOT

WORLD = ROOT / "worlds" / "arco_lab"
STOPS = ("A", "tank", "B", "tank", "C", "tank", "home")
PATIENCE_S = 250.0
"""With kernels to compile on a busy machine."""


@contextmanager
def simulator(*options: str) -> Iterator[str]:
    """``shopfloor sim`` as a process; the address of its server."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "shopfloor", "sim", str(WORLD), "--port", "0"),
            *("--with-parent", *options),
        ],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    guard = threading.Timer(PATIENCE_S, process.kill)
    guard.start()
    line = process.stdout.readline()
    guard.cancel()
    guard.join()
    try:
        yield str(json.loads(line)["url"])
    finally:
        process.stdin.close()
        try:
            code = process.wait(PATIENCE_S)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
    assert code == 0


def ask(url: str, service: str) -> dict[str, Any]:
    with connect(url, compression=None) as link:
        link.send(json.dumps({"op": "call_service", "id": "1", "service": service}))
        while True:
            said = json.loads(link.recv(timeout=PATIENCE_S))
            if said["op"] == "service_response":
                values: dict[str, Any] = said["values"]
                return values


def state_of(url: str) -> dict[str, Any]:
    """What the simulator knows to be true."""
    found: dict[str, Any] = json.loads(ask(url, "/sim/state")["json"])
    return found


@dataclass
class Driven:
    """What came of a mission, by the bridge and by the truth."""

    ends: list[CommandState] = field(default_factory=list)
    missed_m: list[float] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    recording: Path = Path()

    @property
    def robot(self) -> dict[str, Any]:
        found: dict[str, Any] = self.state["robots"][0]
        return found


def drive(url: str, driven: Driven) -> None:
    """One goal at a time, the next one when the bridge says that one ended."""
    places = yaml.safe_load((WORLD / "world.yaml").read_text())["places"]
    reports: queue.SimpleQueue[Report] = queue.SimpleQueue()
    client = RobotClient(
        url, "move_base", "arco", lambda _, said: reports.put(said), namespace="arco"
    )
    client.start()
    try:
        for number, stop in enumerate(STOPS):
            place = places[stop]
            x_m, y_m = place["x_m"], place["y_m"]
            name = f"goal {number}"
            client.navigate(name, x_m, y_m, math.radians(place["yaw_deg"]))
            while True:
                said = reports.get(timeout=PATIENCE_S)
                if isinstance(said, Ended) and said.command_id == name:
                    driven.ends.append(said.state)
                    break
            driven.state = state_of(url)
            there = driven.robot
            driven.missed_m.append(math.dist((there["x_m"], there["y_m"]), (x_m, y_m)))
    finally:
        client.stop()


def mission(seed: int, localisation: str, recording: Path) -> Driven:
    """Drive the seven goals among boxes and a person; a record is left there."""
    print(f"seed {seed}, localisation {localisation}")
    driven = Driven(recording=recording)
    with simulator(
        *("--navigation", "full", "--boxes", "2", "--people", "1"),
        *("--seed", str(seed), "--localisation", localisation),
        *("--speed", "20", "--wait-for-goals", "--record", str(recording)),
    ) as url:
        drive(url, driven)
    return driven
