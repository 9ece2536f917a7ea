"""Where everything was, every few seconds: what a picture that moves is drawn from.

A view only looks. A run with one and a run without it are the same run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fleet.rmfs.floor import STORAGE
from shopfloor.experiments.rmfs import drive_kernels as drive
from shopfloor.experiments.rmfs.heat import KINDS, heat
from shopfloor.experiments.rmfs.simulation import Simulation
from shopfloor.experiments.rmfs.traffic import arrays as traffic

MOST_POSITIONS = 60_000
"""Of all robots in all frames: about two megabytes as text."""
LEAST_S = 2.0
ALONG = ((1, 0), (0, 1), (-1, 0), (0, -1))
LANE, PLACE, PICK, REPLENISHMENT, QUEUE = "l", "s", "p", "r", "q"


class View:
    """Frames of one run."""

    def __init__(self, simulation: Simulation, duration_s: float) -> None:
        self._simulation = simulation
        robots = max(1, len(simulation.warehouse.robots))
        self.every_s = max(LEAST_S, duration_s * robots / MOST_POSITIONS)
        self._stored: set[int] = set()
        self.frames: list[dict[str, Any]] = []

    def look(self) -> None:
        stored = self._cells_with_pods()
        frame = {"at_s": round(self._simulation.warehouse.now, 1), **self._robots()}
        frame["put"] = sorted(stored - self._stored)
        frame["taken"] = sorted(self._stored - stored)
        self._stored = stored
        self.frames.append(frame)

    def now(self) -> dict[str, Any]:
        """One frame that stands for itself."""
        at_s = round(self._simulation.warehouse.now, 1)
        stored = sorted(self._cells_with_pods())
        return {"at_s": at_s, **self._robots(), "put": stored, "taken": []}

    def whole(self) -> dict[str, Any]:
        return {
            "floor": floor_of(self._simulation),
            "frames": self.frames,
            "heat": {kind: _rounded(self._simulation, kind) for kind in KINDS},
        }

    def _cells_with_pods(self) -> set[int]:
        place = self._simulation.warehouse.stock.place
        return set(place[place >= 0].tolist())

    def _robots(self) -> dict[str, Any]:
        """Tier, column and row in cells, heading in quarters, 1 with a pod on it."""
        run, found = self._simulation, []
        fleet, size = run.traffic, run.layout.cell_m
        for robot in run.warehouse.robots:
            whole = fleet.whole[robot.number]
            tier, x, y = run.floor.spots[whole[traffic.FROM_CELL]].tolist()
            heading = int(whole[traffic.HEADING])
            if whole[traffic.PHASE] == traffic.DRIVING:
                real, limits = fleet.real[robot.number], fleet.arrays.limits
                metres, _ = drive.where_at(real, limits, run.warehouse.now)
                x += ALONG[heading][0] * metres / size
                y += ALONG[heading][1] * metres / size
            place = [tier, round(float(x), 2), round(float(y), 2)]
            found.append([*place, heading, int(robot.carries)])
        return {"robots": found}


def floor_of(run: Simulation) -> dict[str, Any]:
    """Cells by tier, column and row, and what each is."""
    floor = run.floor
    letters = [PLACE if kind == STORAGE else LANE for kind in floor.kind.tolist()]
    for zone in floor.stations:
        for spot in zone.cells:
            letters[floor.number[spot]] = QUEUE
        last = floor.number[zone.cells[-1]]
        letters[last] = PICK if zone.kind == "pick" else REPLENISHMENT
    return {"cells": floor.spots.tolist(), "kinds": "".join(letters)}


def _rounded(run: Simulation, kind: str) -> list[float]:
    found: list[float] = np.round(heat(run, kind), 2).tolist()
    return found
