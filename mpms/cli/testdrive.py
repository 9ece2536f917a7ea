"""What ``mpms models testdrive`` does: a model in virtual time, before it goes live."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mpms.bootstrap import Services
from mpms.bootstrap.testdrive import drive_model
from mpms.cli.database import with_services
from mpms.domain.errors import MpmsError
from mpms.domain.testdrive.as_json import report_json
from mpms.services.models.file_kinds import file_kind
from mpms.services.testdrive.ask import Asked
from mpms.settings import Settings

TITLES = {
    "lead_time_mean_s": ("Lead time, mean", "s"),
    "lead_time_p95_s": ("Lead time, 95 of 100 below", "s"),
    "waiting_mean_s": ("Waiting of an order", "s"),
    "ended_share": ("Orders that ended", "%"),
    "robot_use": ("Robots at work", "%"),
    "people_use": ("People at work", "%"),
}
WORST_STEPS = 5


class ModelNotFound(MpmsError):
    """There is neither such a file nor such a process."""


def run(
    settings: Settings,
    *,
    model: str,
    files: Sequence[Path] = (),
    as_json: bool = False,
    **options: Any,
) -> int:
    """Print the report, as a table or as JSON; progress goes to the other stream."""
    asked = _asked(model, files, options)
    found: list[dict[str, Any]] = []

    def use(services: Services) -> None:
        progress = _Progress()
        report = drive_model(services, settings, asked, progress=progress)
        progress.end()
        found.append(report_json(report))

    with_services(settings, use)
    for told in found:
        print(json.dumps(told, ensure_ascii=False) if as_json else _table(told))
    return 0


def _asked(model: str, files: Sequence[Path], options: Mapping[str, Any]) -> Asked:
    if file_kind(model) is None:
        key, _, version = model.partition("@")
        if version and not version.isdecimal():
            raise ModelNotFound(f"Write a version as {key}@2, not {model!r}.")
        chosen = {"process": key, "version": int(version) if version else None}
        return Asked(files=_read(files), **{**options, **chosen})
    return Asked(files=_read([Path(model), *files]), **options)


def _read(paths: Sequence[Path]) -> dict[str, bytes]:
    found = {}
    for path in paths:
        try:
            found[path.name] = path.read_bytes()
        except OSError as failure:
            raise ModelNotFound(f"{path}: {failure.strerror}.") from failure
    return found


class _Progress:
    """Each percent on a terminal, each tenth elsewhere."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._told = -1

    def __call__(self, done: int, of: int) -> None:
        percent = 100 * done // max(of, 1)
        if self._terminal and percent != self._told:
            print(f"\r{percent:3} % of {of:,} orders", end="", file=sys.stderr)
        elif not self._terminal and percent // 10 != self._told // 10:
            print(f"{percent} % of {of:,} orders", file=sys.stderr, flush=True)
        self._told = percent

    def end(self) -> None:
        if self._terminal:
            print(file=sys.stderr)


def _table(told: Mapping[str, Any]) -> str:
    orders, seeds = told["orders"], len(told["seeds"])
    runs = "one run" if seeds == 1 else f"{seeds} runs"
    lines = [
        f"{told['process']}: {orders['count']:,} {orders['source']} orders, {runs},"
        f" {told['took_s']:.1f} s",
        "",
        *_figures(told),
        "",
        *_steps(told),
    ]
    for title, key in (("Assumed", "assumed"), ("Not simulated", "not_simulated")):
        if told[key]:
            lines += ["", f"{title}:", *(f"  - {n['sentence']}" for n in told[key])]
    for name in ("new", "present"):
        version = told[name]
        if version and version["stuck"]:
            lines += ["", f"Did not go on in {version['title']}:"]
            lines += [f"  - {n} × {what}" for what, n in version["stuck"].items()]
    return "\n".join(lines)


def _figures(told: Mapping[str, Any]) -> list[str]:
    new, present = told["new"], told["present"]
    by_figure = {one["figure"]: one for one in told["differences"]}
    heading = f"{'':28}{new['title']:>26}"
    if present is not None:
        heading += f"{present['title']:>26}{'difference (95 %)':>32}"
    lines = [heading]
    for figure, (title, unit) in TITLES.items():
        line = f"{title:28}{_shown(new['figures'][figure], unit):>26}"
        if present is not None:
            line += f"{_shown(present['figures'][figure], unit):>26}"
            one = by_figure.get(figure)
            line += f"{_difference(one, unit):>32}" if one else ""
        lines.append(line.rstrip())
    return lines


def _steps(told: Mapping[str, Any]) -> list[str]:
    steps = sorted(
        (s for s in told["new"]["steps"] if s["waiting_s"]),
        key=lambda step: -step["waiting_s"] * step["visits"],
    )[:WORST_STEPS]
    if not steps:
        return ["Nobody waits for anything."]
    return [
        "Most waiting:",
        *(f"  {s['name']}: {s['waiting_s']:.0f} s each time" for s in steps),
    ]


def _shown(found: Mapping[str, Any] | None, unit: str) -> str:
    return "–" if found is None else _number(found["mean"], unit)


def _difference(one: Mapping[str, Any], unit: str) -> str:
    by = _number(one["difference"], unit, signed=True)
    if one["low"] is None:
        return by
    low, high = (_number(one[end], unit, signed=True) for end in ("low", "high"))
    mark = " *" if one["clear"] else ""
    return f"{by} ({low} to {high}){mark}"


def _number(value: float, unit: str, *, signed: bool = False) -> str:
    sign = "+" if signed else ""
    if unit == "%":
        return f"{100 * value:{sign}.1f} %"
    return f"{value:{sign},.0f} s"
