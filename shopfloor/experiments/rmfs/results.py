"""The results of a run as files: record, series, cells, plots."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.plots import popularity, progression
from shopfloor.experiments.rmfs.heat import KINDS, heat, picture
from shopfloor.experiments.rmfs.running import Outcome

RECORD = "footprint.json"
SERIES = "series.csv"


def write(outcome: Outcome, directory: Path) -> None:
    """Everything but the log of events."""
    directory.mkdir(parents=True, exist_ok=True)
    experiment = outcome.experiment
    whole = {
        "settings": list(experiment.settings),
        "strategies": experiment.strategies,
        "parameters": {p: dict(c.parameters) for p, c in experiment.choices.items()},
        "record": outcome.record,
    }
    (directory / RECORD).write_text(json.dumps(whole, indent=1) + "\n", "utf-8")
    with open(directory / "footprint.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(outcome.record))
        writer.writeheader()
        writer.writerow(outcome.record)
    outcome.series.write(directory / SERIES)
    _write_cells(outcome, directory / "cells.csv")
    _write_stock(outcome, directory / "stock.csv")
    weights = outcome.simulation.warehouse.stock.catalogue.weight
    (directory / "popularity.svg").write_text(popularity(weights.tolist()), "utf-8")
    for kind in KINDS:
        for name, logarithm in ((kind, False), (f"{kind}_log", True)):
            image = picture(outcome.simulation, kind, logarithm=logarithm)
            image.save(directory / f"heat_{name}.png")
    (directory / "progression.svg").write_text(
        progression(outcome.series.rows, title=_title(outcome)), "utf-8"
    )


def _title(outcome: Outcome) -> str:
    experiment = outcome.experiment
    shown = ("poa", "pps", "rps", "psa", "ta", "pp")
    chosen = ", ".join(f"{p} {experiment.strategies[p]}" for p in shown)
    return f"{experiment.layout_name}, {chosen}, seed {outcome.seed}"


def _write_cells(outcome: Outcome, path: Path) -> None:
    """The numbers behind the heat maps."""
    run = outcome.simulation
    columns: dict[str, NDArray[np.float64]] = {k: heat(run, k) for k in KINDS}
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["tier", "x", "y", *KINDS])
        for cell, (tier, x, y) in enumerate(run.floor.spots.tolist()):
            values = [f"{columns[kind][cell]:g}" for kind in KINDS]
            writer.writerow([tier, x, y, *values])


def _write_stock(outcome: Outcome, path: Path) -> None:
    """What is on which pod at the end, and where the pod stands, if it does."""
    run = outcome.simulation
    stock, spots = run.warehouse.stock, run.floor.spots
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["pod", "tier", "x", "y", "sku", "units"])
        for pod in range(stock.pods):
            place = int(stock.place[pod])
            where = ["", "", ""] if place < 0 else spots[place].tolist()
            for sku in np.flatnonzero(stock.units[:, pod]).tolist():
                writer.writerow([pod, *where, sku, int(stock.units[sku, pod])])
