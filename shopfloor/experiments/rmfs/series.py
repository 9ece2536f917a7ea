"""Measures over time, one row for each stretch of a run."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from shopfloor.experiments.rmfs.simulation import Simulation

SUMS = ("orders", "items", "lines", "bundles", "distance_m", "trips", "pods_handled")


class Series:
    """Call ``sample`` at the end of each stretch."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._before = self._sums()
        self._at_s = 0.0
        self.rows: list[dict[str, Any]] = []

    def _sums(self) -> dict[str, float]:
        tally = self._simulation.tally
        return {
            "orders": tally.orders_done,
            "items": tally.items,
            "lines": tally.lines,
            "bundles": tally.bundles,
            "distance_m": self._simulation.traffic.driven_m,
            "trips": tally.trips,
            "pods_handled": tally.pods_handled,
        }

    def sample(self) -> None:
        now = self._simulation.warehouse.now
        hours = (now - self._at_s) / 3600.0
        if hours <= 0.0:
            return
        sums, warehouse = self._sums(), self._simulation.warehouse
        row: dict[str, Any] = {"at_h": now / 3600.0}
        for name in SUMS:
            row[f"{name}_per_h"] = (sums[name] - self._before[name]) / hours
        row["inventory_level"] = warehouse.stock.level
        row["orders_waiting"] = len(warehouse.backlog)
        row["bundles_waiting"] = len(warehouse.bundles_waiting)
        row["robots_with_pod"] = sum(robot.carries for robot in warehouse.robots)
        row["pods_inbound"] = sum(len(s.inbound) for s in warehouse.pick_stations)
        self.rows.append(row)
        self._before, self._at_s = sums, now

    def write(self, path: Path) -> None:
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(self.rows[0]) if self.rows else [])
            writer.writeheader()
            writer.writerows(self.rows)
