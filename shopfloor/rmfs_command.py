"""``shopfloor rmfs``: experiments with warehouses whose pods are brought by robots.

The kernels are imported when a command is called.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from pathlib import Path
from typing import Any

UNUSABLE = 2
SHOWN = (
    "orders_per_h",
    "items_per_h",
    "score",
    "pile_on",
    "bundles_per_h",
    "distance_km_per_h",
    "trips_per_h",
    "pick_station_idle",
    "order_turnover_s",
    "late_share",
    "collisions",
    "x_realtime",
)


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "rmfs", help="experiments with robots that bring pods to stations"
    )
    commands = parser.add_subparsers(dest="rmfs_command", required=True)
    run = commands.add_parser("run", help="one run")
    _add_parts(run)
    run.add_argument("--hours", type=_hours, help="instead of the scenario's duration")
    run.add_argument("--seed", type=_seed, default=0)
    run.add_argument("--out", type=Path, metavar="DIR", help="write all results there")
    run.add_argument("--json", action="store_true", help="one object, nothing else")
    run.add_argument(
        "--verify",
        action="store_true",
        default=None,
        help="prove with the independent checker that robots never touch "
        "(on up to 24 h and 32 robots by itself)",
    )
    run.add_argument("--no-verify", dest="verify", action="store_false")
    run.add_argument(
        "--events",
        choices=("csv", "parquet", "arrow"),
        help="with --out: also every event; parquet and arrow need pyarrow",
    )
    sweep = commands.add_parser("sweep", help="many runs, on all cores or a cluster")
    sweep.add_argument("file", type=Path, metavar="SWEEP.yaml")
    sweep.add_argument("--scheduler", metavar="ADDRESS", help="of dask.distributed")
    sweep.add_argument("--workers", type=int, help="processes of the local cluster")
    sweep.add_argument("--out", type=Path, metavar="DIR")
    sweep.add_argument("--resume", action="store_true", help="go on after a crash")
    compare = commands.add_parser("compare", help="tables with intervals, and plots")
    compare.add_argument("runs", nargs="+", type=Path, help="of run --out, or sweeps")
    compare.add_argument("--out", type=Path, metavar="DIR", help="for the plots")
    compare.add_argument("--json", action="store_true")
    hybrid = commands.add_parser(
        "hybrid", help="robot 0 really drives, behind rosbridge; the others do not"
    )
    _add_parts(hybrid)
    hybrid.add_argument("--bridge", required=True, metavar="URL", help="ws://...")
    hybrid.add_argument("--robot", default="robot1", help="its name on the bridge")
    hybrid.add_argument("--namespace", help="of its topics; /NAME without it")
    hybrid.add_argument("--profile", default="move_base", help="of its make")
    hybrid.add_argument("--origin", default="0,0", help="x,y in metres of cell 0, 0")
    hybrid.add_argument("--hours", type=_hours, default=1.0)
    hybrid.add_argument("--seed", type=_seed, default=0)
    hybrid.add_argument("--speed", type=float, default=1.0, help="of a simulated one")
    people = commands.add_parser(
        "people", help="the same orders picked by people who walk, beside robots"
    )
    _add_parts(people)
    people.add_argument("--hours", type=_hours, default=4.0)
    people.add_argument("--seed", type=_seed, default=0)
    people.add_argument("--walking-mps", type=float, default=1.0)
    people.add_argument("--orders-on-cart", type=int, default=4)
    people.add_argument("--search-s", type=float, default=8.0, help="at each shelf")
    people.add_argument("--json", action="store_true", help="one object, nothing else")
    batch = commands.add_parser(
        "batch", help="a sweep in one process, told as lines of JSON"
    )
    batch.add_argument("file", type=Path, metavar="SWEEP.yaml")
    batch.add_argument("--done", type=Path, help="JSON: [[case, seed, value], ...]")
    batch.add_argument("--check", action="store_true", help="only read and refuse")
    commands.add_parser("parts", help="all that may be given, as JSON")
    strategies = commands.add_parser("strategies", help="what may be chosen")
    strategies.add_argument("--json", action="store_true")
    return parser


def _add_parts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--layout", default="1-2-2-8-428", metavar="NAME|FILE")
    parser.add_argument("--scenario", default="default", metavar="NAME|FILE")
    parser.add_argument("--controllers", default="default", metavar="NAME|FILE")
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="poa=PodMatch, ta.reallocation_s=60, robots=8, skus=500; many times",
    )


def _hours(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value <= 100_000.0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of hours above 0")
    return value


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 0 or more")
    return int(text)


def run(options: argparse.Namespace) -> int:
    from fleet.rmfs.errors import RmfsRefused

    try:
        status = COMMANDS[options.rmfs_command](options)
        sys.stdout.flush()
        return status
    except RmfsRefused as refused:
        for line in refused.lines:
            print(f"shopfloor: {line}", file=sys.stderr)
        return UNUSABLE
    except BrokenPipeError:  # whoever read it has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"shopfloor: {error}", file=sys.stderr)
        return UNUSABLE


VERIFIED_ROBOT_HOURS = 24 * 32


def _run(options: argparse.Namespace) -> int:
    from fleet.rmfs.errors import RmfsRefused
    from shopfloor.experiments.rmfs import running

    if options.events and options.out is None:
        raise RmfsRefused("--events needs --out")
    experiment = running.prepare(
        options.layout, options.scenario, options.controllers, options.settings
    )
    hours = options.hours or experiment.scenario.duration_s / 3600.0
    verify = options.verify
    if verify is None:
        verify = experiment.layout.robots * hours <= VERIFIED_ROBOT_HOURS
    log = None
    if options.events:
        from shopfloor.experiments.rmfs.event_log import EventLog

        log = EventLog(options.events)
    warm_up(experiment, verify)
    outcome = running.run(
        experiment,
        seed=options.seed,
        hours=options.hours,
        verify=verify,
        listener=log,
        progress=_Progress(),
    )
    record = outcome.record
    if options.out is not None:
        from shopfloor.experiments.rmfs.results import write

        write(outcome, options.out)
        if log is not None:
            log.write(options.out)
    if options.json:
        print(json.dumps(record))
        return 0
    print("\n".join(_table(record)))
    if options.out is not None:
        print(f"written to {options.out}")
    return 0


def _table(record: dict[str, Any]) -> list[str]:
    """What was run, then the measures that people ask for first."""
    parts = ", ".join(record[part] for part in ("layout", "scenario", "controllers"))
    lines = [
        f"{parts}: {record['simulated_h']:g} h, seed {record['seed']}, "
        f"{record['robots']} robots, {record['pods']} pods",
        "",
    ]
    width = max(map(len, SHOWN))
    for name in SHOWN:
        value = record[name]
        shown = f"{value:,.3f}" if isinstance(value, float) else f"{value}"
        if name == "collisions" and not record["collisions_checked"]:
            shown = "not looked for; --verify does"
        lines.append(f"{name:<{width}}  {shown}")
    return lines


class _Progress:
    """How far a run is, on a terminal only."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def __call__(self, share: float) -> None:
        if self._shown:
            end = "\n" if share >= 1.0 else ""
            print(f"\r{share:4.0%}", end=end, file=sys.stderr, flush=True)


def warm_up(experiment: Any, verify: bool) -> None:
    """Kernels are compiled, or loaded, before the clock of a run is read."""
    from shopfloor.experiments.rmfs import running

    running.run(experiment, hours=2.0 / 60.0, verify=verify)


def _sweep(options: argparse.Namespace) -> int:
    from shopfloor.experiments.rmfs.sweep import sweep

    return sweep(options)


def _compare(options: argparse.Namespace) -> int:
    from shopfloor.experiments.rmfs.comparing import compare

    return compare(options)


def _hybrid(options: argparse.Namespace) -> int:
    from fleet.rmfs.errors import RmfsRefused
    from shopfloor.experiments.rmfs.bridge_robot import run_hybrid

    try:
        x_m, y_m = (float(part) for part in options.origin.split(","))
    except ValueError:
        raise RmfsRefused(f"--origin {options.origin!r} is not like 1.5,2") from None
    if not options.speed > 0.0:
        raise RmfsRefused("--speed is more than 0")
    print(json.dumps(run_hybrid(options, x_m, y_m)))
    return 0


def _batch(options: argparse.Namespace) -> int:
    from shopfloor.experiments.rmfs.batch import batch

    return batch(options)


def _people(options: argparse.Namespace) -> int:
    from shopfloor.experiments.rmfs import running
    from shopfloor.experiments.rmfs.manual_picking import Walking, compare_with_people

    experiment = running.prepare(
        options.layout, options.scenario, options.controllers, options.settings
    )
    walking = Walking(
        options.walking_mps,
        options.orders_on_cart,
        options.search_s,
        experiment.layout.item_transfer_s,
    )
    found = compare_with_people(
        experiment, walking, seed=options.seed, hours=options.hours
    )
    if options.json:
        print(json.dumps(found))
        return 0
    on_foot, served = found["walking"], found["with_robots"]
    print(f"{found['orders']} orders, {found['units']} units, {found['layout']}")
    print(
        f"people who walk: {on_foot['units_per_person_h']:g} units by person and hour, "
        f"{on_foot['walking_share']:.0%} of the time on foot"
    )
    print(
        f"{found['robots']} robots that bring pods: {served['units_per_person_h']:g} "
        f"units by person and hour, {found['ratio']:g} times as many"
    )
    return 0


def _parts(options: argparse.Namespace) -> int:
    from shopfloor.experiments.rmfs.parts import parts

    print(json.dumps(parts()))
    return 0


def _strategies(options: argparse.Namespace) -> int:
    from shopfloor.experiments.rmfs.running import registry

    listed = registry().listed()
    if options.json:
        print(json.dumps(listed))
        return 0
    for problem, facts in listed.items():
        print(
            f"{problem}: {facts['decides']} "
            f"(called on: {'; '.join(facts['called_on'])})"
        )
        for name, each in facts["strategies"].items():
            default = "  [default]" if name == facts["default"] else ""
            print(f"  {name}{default}: {each['about']}")
            for parameter, about in each["parameters"].items():
                print(f"    {parameter} = {about['default']} ({about['type']})")
    return 0


COMMANDS = {
    "run": _run,
    "sweep": _sweep,
    "compare": _compare,
    "batch": _batch,
    "hybrid": _hybrid,
    "parts": _parts,
    "people": _people,
    "strategies": _strategies,
}
