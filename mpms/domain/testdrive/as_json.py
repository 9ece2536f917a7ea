"""A report as programs read it: the same for the command, the API and the pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpms.domain.testdrive.floor import SQUARE_M, Floor
from mpms.domain.testdrive.report import Driven, Estimate, Note, Report, StepFigures

PLACES = 3


def report_json(report: Report) -> dict[str, Any]:
    return {
        "process": report.process,
        "orders": {"count": report.arrivals, "source": report.source},
        "seeds": list(report.seeds),
        "new": _driven(report.new),
        "present": None if report.present is None else _driven(report.present),
        "differences": [
            {
                "figure": one.figure,
                "present": _round(one.present),
                "new": _round(one.new),
                "difference": _round(one.by.mean),
                "low": _round(one.by.low),
                "high": _round(one.by.high),
                "clear": one.clear,
            }
            for one in report.differences
        ],
        "times": [
            {
                "element": one.element,
                "name": one.name,
                "samples": one.samples,
                "median_s": _round(one.median_s),
                "source": "history" if one.learnt else "default",
            }
            for one in report.times
        ],
        "assumed": _notes(report.assumed),
        "not_simulated": _notes(report.not_simulated),
        "took_s": _round(report.took_s),
        "floor": None if report.floor is None else _floor(report.floor),
    }


def _driven(driven: Driven) -> dict[str, Any]:
    return {
        "title": driven.title,
        "figures": {
            figure: None if found is None else _estimate(found)
            for figure, found in driven.estimates().items()
        },
        "robots": {name: _round(share) for name, share in driven.machines.items()},
        "people": {name: _round(share) for name, share in driven.people.items()},
        "failed": sum(run.failed for run in driven.runs),
        "stuck": dict(driven.stuck),
        "steps": [_step(step) for step in driven.steps],
        "floor_s": [
            [column, row, _round(seconds)]
            for (column, row), seconds in sorted(driven.floor_s.items())
        ],
    }


def _floor(floor: Floor) -> dict[str, Any]:
    return {
        "square_m": SQUARE_M,
        "left_m": floor.left_m,
        "bottom_m": floor.bottom_m,
        "width_m": floor.width_m,
        "height_m": floor.height_m,
        "walls": [list(wall) for wall in floor.walls],
        "places": {name: list(at) for name, at in floor.places.items()},
    }


def _estimate(found: Estimate) -> dict[str, Any]:
    mean, low, high = _round(found.mean), _round(found.low), _round(found.high)
    return {"mean": mean, "low": low, "high": high}


def _step(step: StepFigures) -> dict[str, Any]:
    visits = max(step.visits, 1)
    return {
        "element": step.element,
        "name": step.name,
        "kind": step.kind,
        "visits": step.visits,
        "duration_s": _round(step.seconds / visits),
        "waiting_s": _round(step.waited_s / visits),
    }


def _notes(notes: Sequence[Note]) -> list[dict[str, Any]]:
    """With the sentence whole, and in parts for who speaks another language."""
    return [
        {"sentence": str(note), "text": note.text, "holes": dict(note.holes)}
        for note in notes
    ]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, PLACES)
