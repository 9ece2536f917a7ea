"""Experiments in the words of a page: measures, states, decisions, plots, files."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response

from fleet.rmfs.plots import bars, progression, scatter
from mpms.factory.ports.experiments import Experiment, Run
from mpms.factory.services.experiments.results import Case, Value
from mpms.web.texts import t

PLOTS = ("progression", "pareto", "measure")
SHARES = ("score", "pick_station_idle", "late_share")


def measure(name: str) -> str:
    return {
        "orders_per_h": t("Orders per hour"),
        "items_per_h": t("Units per hour"),
        "score": t("Use of the pick stations"),
        "pile_on": t("Units per pod visit"),
        "distance_km_per_h": t("Kilometres per hour"),
        "trips_per_h": t("Trips per hour"),
        "pick_station_idle": t("Pick stations idle"),
        "order_turnover_s": t("Time of an order"),
        "late_share": t("Orders late"),
    }.get(name, name)


def decision(problem: str) -> str:
    return {
        "roa": t("Which replenishment station gets a delivery"),
        "poa": t("Which pick station gets an order"),
        "rps": t("Which pod a delivery is stored in"),
        "pps": t("Which pod is brought to a pick station"),
        "psa": t("Where a pod is put back"),
        "ta": t("Which robot does what"),
        "pp": t("Which way robots drive"),
        "sa": t("Which stations are at work"),
        "mm": t("Whether strategies change during a run"),
    }.get(problem, problem)


def state(name: str) -> str:
    return {
        "waiting": t("waits for a worker"),
        "running": t("is running"),
        "done": t("is done"),
        "stopped": t("was stopped"),
        "failed": t("failed"),
    }[name]


CHIPS = {
    "waiting": "",
    "running": "info",
    "done": "ok",
    "stopped": "warn",
    "failed": "bad",
}


def question_field(name: str) -> str:
    return {
        "orders_per_h": t("Orders per hour in the whole warehouse"),
        "lines_per_order": t("Lines of an order, on average (1 to 4)"),
        "units_per_line": t("Units of a line, on average (1 to 3)"),
        "skus": t("Different articles"),
        "pick_stations": t("Pick stations"),
        "replenishment_stations": t("Replenishment stations"),
        "pods": t("Pods (movable shelves)"),
        "robots_from": t("Robots: at least"),
        "robots_to": t("Robots: at most"),
        "hours": t("Simulated hours of each run"),
        "seeds": t("Runs of each case"),
    }[name]


def figure(name: str, value: float) -> float:
    """Shares as per cent."""
    return 100.0 * value if name in SHARES else value


def digits(name: str) -> int:
    return 0 if name in ("orders_per_h", "items_per_h", "trips_per_h") else 1


def unit(name: str) -> str:
    if name in SHARES:
        return " %"
    return " s" if name == "order_turnover_s" else ""


def shown_values(case: Case) -> list[tuple[str, Value]]:
    return list(case.values.items())


def plot(
    kind: str,
    name: str,
    cases: Sequence[Case],
    series: Sequence[Mapping[str, Any]] | None,
) -> str | None:
    """An SVG, or None where there is nothing to draw."""
    if kind == "progression":
        labels = (t("orders per hour"), t("simulated hours"), t("km per hour"))
        return (
            None
            if series is None
            else progression([dict(row) for row in series], name, labels)
        )
    if kind == "pareto":
        points = [
            (case.name, float(case.robots), case.values["orders_per_h"].mean)
            for case in cases
        ]
        return scatter(
            t("Throughput against robots"), points, t("robots"), t("orders per hour")
        )
    if any(name not in case.values for case in cases):
        return None
    rows = [
        (
            case.name,
            figure(name, case.values[name].mean),
            figure(name, case.values[name].half or 0.0),
        )
        for case in cases
    ]
    return bars(measure(name) + unit(name), rows)


def svg(text: str) -> Response:
    return Response(text, content_type="image/svg+xml; charset=utf-8")


def runs_csv(experiment: Experiment, runs: Sequence[Run]) -> Response:
    """Every measure of every run: the footprints."""
    names = list(dict.fromkeys(name for run in runs for name in run.footprint))
    buffer = io.StringIO()
    buffer.write("\ufeff")  # without it a spreadsheet reads umlauts wrongly
    writer = csv.writer(buffer)
    shown = [name for name in names if name != "seed"]
    writer.writerow(["case", "seed", *shown])
    for run in runs:
        writer.writerow(
            [run.case, run.seed, *(run.footprint.get(n, "") for n in shown)]
        )
    answer = Response(buffer.getvalue(), content_type="text/csv; charset=utf-8")
    name = f'attachment; filename="experiment-{experiment.id}.csv"'
    answer.headers["Content-Disposition"] = name
    return answer
