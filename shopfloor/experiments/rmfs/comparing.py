"""Runs side by side: means with 95 % intervals, differences, plots."""

from __future__ import annotations

import argparse
import csv
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fleet.rmfs.errors import RmfsRefused
from fleet.rmfs.plots import bars, scatter
from fleet.rmfs.statistics import Interval, difference, interval
from shopfloor.experiments.rmfs.results import RECORD

MEASURES = (
    "orders_per_h",
    "items_per_h",
    "score",
    "pile_on",
    "distance_km_per_h",
    "trips_per_h",
    "pick_station_idle",
    "order_turnover_s",
    "late_share",
)
Runs = dict[str, dict[int, dict[str, Any]]]
"""By case and seed: the record."""


def read_runs(paths: Sequence[Path]) -> Runs:
    """RmfsRefused, with every path that has no runs."""
    found: Runs = {}
    wrong = []
    for path in paths:
        log = path if path.is_file() else path / "runs.jsonl"
        single = path / RECORD
        if log.is_file() and log.suffix == ".jsonl":
            for line in log.read_text(encoding="utf-8").splitlines():
                run = json.loads(line)
                found.setdefault(run["case"], {})[run["seed"]] = run["record"]
        elif single.is_file():
            whole = json.loads(single.read_text(encoding="utf-8"))
            record = whole["record"]
            name = " ".join([record["layout"], *whole["settings"]])
            found.setdefault(name, {})[record["seed"]] = record
        else:
            wrong.append(f"{path} has neither {RECORD} nor runs.jsonl")
    if wrong:
        raise RmfsRefused(*wrong)
    return found


def compare(options: argparse.Namespace) -> int:
    runs = read_runs(options.runs)
    if options.json:
        print(json.dumps(table_of(runs)))
        return 0
    report(options.runs, options.out)
    return 0


def table_of(runs: Runs, measures: Sequence[str] = MEASURES) -> dict[str, Any]:
    """For each case and measure: mean, interval, runs, and the lead over the first."""
    table: dict[str, Any] = {}
    first = next(iter(runs), "")
    for case, by_seed in runs.items():
        row: dict[str, Any] = {}
        for name in measures:
            values = {seed: float(run[name]) for seed, run in by_seed.items()}
            found = interval(list(values.values()))
            base = {seed: float(run[name]) for seed, run in runs[first].items()}
            lead = difference(values, base)
            row[name] = {
                "mean": found.mean,
                "half_width": _number(found.half),
                "runs": found.count,
                "difference": None if lead is None else lead.mean,
                "difference_half_width": None if lead is None else _number(lead.half),
            }
        table[case] = row
    return table


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def report(paths: Sequence[Path], out: Path | None, *, measure: str = "score") -> None:
    """Print the table; with ``out`` also write it, and plots."""
    runs = read_runs(paths)
    measures = list(MEASURES if measure in MEASURES else (measure, *MEASURES))
    table = table_of(runs, measures)
    width = max([len("case"), *map(len, table)])
    order = sorted(table, key=lambda case: -table[case][measure]["mean"])
    columns = measures[:5]
    print("Means with 95 % intervals over seeds; differences are taken seed by seed.")
    heading = [f"{'case':<{width}}", f"{'runs':>4}"]
    heading += [f"{name:>17}" for name in columns]
    print("  ".join([*heading, f"{measure} against the first"]))
    for case in order:
        cells = [f"{case:<{width}}", f"{table[case][measure]['runs']:>4}"]
        cells += [f"{_shown(table[case][name]):>17}" for name in columns]
        cells.append(_against(runs[case], runs[order[0]], measure))
        print("  ".join(cells).rstrip())
    if out is None:
        return
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "comparison.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            [
                "case",
                "measure",
                "mean",
                "half_width",
                "runs",
                "difference",
                "difference_half_width",
            ]
        )
        for case in order:
            for name, each in table[case].items():
                writer.writerow([case, name, *each.values()])
    for name in measures:
        values = [
            (case, table[case][name]["mean"], table[case][name]["half_width"] or 0.0)
            for case in order
        ]
        (out / f"compare_{name}.svg").write_text(bars(name, values), "utf-8")
    points = [
        (case, float(_first(runs[case])["robots"]), table[case]["orders_per_h"]["mean"])
        for case in order
    ]
    front = scatter("Throughput against robots", points, "robots", "orders per hour")
    (out / "pareto.svg").write_text(front, "utf-8")


def _against(
    case: dict[int, dict[str, Any]], best: dict[int, dict[str, Any]], measure: str
) -> str:
    """How far a case is from the best one, and whether that may be chance."""
    if case is best:
        return ""
    values = {seed: float(run[measure]) for seed, run in case.items()}
    lead = difference(values, {s: float(run[measure]) for s, run in best.items()})
    if lead is None:
        return "no seed in common"
    if not math.isfinite(lead.half):
        return f"{lead.mean:+.3g}, one seed"
    verdict = "sure" if abs(lead.mean) > lead.half else "maybe chance"
    return f"{lead.mean:+.3g} ± {lead.half:.2g}, {verdict}"


def _first(by_seed: dict[int, dict[str, Any]]) -> dict[str, Any]:
    return next(iter(by_seed.values()))


def _shown(each: dict[str, Any]) -> str:
    half = each["half_width"]
    found = Interval(each["mean"], half or 0.0, each["runs"])
    return f"{found.mean:.4g}" + (f" ± {half:.2g}" if half is not None else "")
