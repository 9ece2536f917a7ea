"""A robot behind rosbridge that takes part in an experiment."""

from __future__ import annotations

import argparse
import threading
import time
from typing import Any
from uuid import uuid4

from robot_bridge.client import RobotClient
from robot_bridge.reports import CommandState, Ended, LinkState, Report
from shopfloor.experiments.rmfs import running
from shopfloor.experiments.rmfs.footprint import footprint
from shopfloor.experiments.rmfs.hybrid import Hybrid, Told
from shopfloor.experiments.rmfs.simulation import Simulation

PERMIT_S = 3600.0


class BridgeRobot:
    """See ``hybrid.OutsideRobot``. ``x_m`` and ``y_m``: where cell 0, 0 lies."""

    def __init__(
        self,
        url: str,
        robot: str,
        *,
        profile: str = "move_base",
        namespace: str | None = None,
        x_m: float = 0.0,
        y_m: float = 0.0,
    ) -> None:
        self._offset = (x_m, y_m)
        self._lock = threading.Lock()
        self._ended: dict[str, str] = {}
        self._names: dict[int, str] = {}
        self._client = RobotClient(url, profile, robot, self._hear, namespace=namespace)
        self._client.start()

    def close(self) -> None:
        self._client.stop()

    def ready(self) -> bool:
        seen = self._client.snapshot()
        return seen.link is LinkState.UP and seen.reconciled and not seen.stopped

    def go(self, told: Told) -> None:
        name = f"rmfs-{told.number}-{uuid4().hex[:8]}"
        with self._lock:
            self._names[told.number] = name
        self._client.permit(time.monotonic() + PERMIT_S)
        x_m, y_m = self._offset
        self._client.navigate(name, told.x_m + x_m, told.y_m + y_m, told.yaw)

    def ended(self, number: int) -> str | None:
        with self._lock:
            return self._ended.get(self._names[number])

    def _hear(self, robot: str, report: Report) -> None:
        if isinstance(report, Ended):
            arrived = report.state is CommandState.SUCCEEDED
            why = "" if arrived else f"{report.state}: {report.reason}"
            with self._lock:
                self._ended[report.command_id] = why


def run_hybrid(options: argparse.Namespace, x_m: float, y_m: float) -> dict[str, Any]:
    """The record of a run in which robot 0 drives behind rosbridge. RmfsRefused."""
    experiment = running.prepare(
        options.layout, options.scenario, options.controllers, options.settings
    )
    simulation = Simulation(
        experiment.layout,
        experiment.floor,
        experiment.scenario,
        experiment.choices,
        seed=options.seed,
        registry=experiment.known,
        duration_s=options.hours * 3600.0,
    )
    robot = BridgeRobot(
        options.bridge,
        options.robot,
        profile=options.profile,
        namespace=options.namespace or f"/{options.robot}",
        x_m=x_m,
        y_m=y_m,
    )
    hybrid = Hybrid(simulation, 0, robot, speed=options.speed)
    try:
        hybrid.run(options.hours * 3600.0)
    finally:
        robot.close()
    return {
        "layout": experiment.layout_name,
        "seed": options.seed,
        **footprint(simulation),
        "bridge_drives": len(hybrid.drives),
        "bridge_failures": hybrid.failures,
    }
