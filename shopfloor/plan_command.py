"""``shopfloor plan``: one path, or all of a scenario's, as JSON.

For looking at a map before a robot does: does a way exist, how long is it, and does
it keep clear. Every path is checked by the validator before it is printed. The
planners are imported when they are called: the other commands start without them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shopfloor.grid import Grid

UNUSABLE = 2
NO_PATH = 1


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "plan",
        help="a path on a map, as JSON",
        description="Ends with 0 if a path was found (with --scen: for every row), "
        "1 if not, 2 if the map or the scenario cannot be used.",
    )
    parser.add_argument(
        "map", type=FilePath, help=".map (MovingAI; cells) or .yaml (ROS map; metres)"
    )
    parser.add_argument("--start", nargs=2, type=float, metavar=("X", "Y"))
    parser.add_argument("--goal", nargs=2, type=float, metavar=("X", "Y"))
    parser.add_argument("--method", default="auto", help="a planner; auto: the best")
    parser.add_argument(
        "--margin", type=float, default=0.0, help="distance kept from obstacles"
    )
    parser.add_argument(
        "--scen", type=FilePath, help="plan every row of this MovingAI scenario"
    )
    return parser


def run(options: argparse.Namespace) -> int:
    from shopfloor.grid import (
        MapRefused,
        MapUnreadable,
        ScenarioRefused,
        read_map,
        read_scenario,
    )
    from shopfloor.planning import TooManyCorners, UnknownMethod, prepare

    if options.scen is None and (options.start is None or options.goal is None):
        return _refuse("a plan needs --start X Y and --goal X Y, or --scen FILE")
    if options.scen is not None and (options.start or options.goal):
        return _refuse("--scen brings its own starts and goals")
    try:
        grid = read_map(options.map)
        if options.scen is not None and options.map.suffix.lower() != ".map":
            raise MapUnreadable(f"--scen needs a MovingAI map, not {options.map}")
        rows = [] if options.scen is None else read_scenario(options.scen, grid)
        grid = grid.inflated(options.margin)
        if options.method == "auto":
            prepare(grid)
        if options.scen is None:
            answer = _one(grid, options.start, options.goal, options.method)
            found = answer["status"] == "ok"
        else:
            answers = [
                {**_one(grid, row.start, row.goal, options.method), "row": number}
                | {"octile_length": row.octile_length}
                for number, row in enumerate(rows, start=1)
            ]
            answer = _summary(options, answers)
            found = answer["found"] == len(answers)
    except (MapRefused, ScenarioRefused, TooManyCorners, UnknownMethod) as error:
        return _refuse(str(error))
    print(json.dumps(answer))
    return 0 if found else NO_PATH


def _one(grid: Grid, start: Any, goal: Any, method: str) -> dict[str, Any]:
    from shopfloor.planning import find_faults, plan

    began = time.perf_counter()
    path = plan(grid, start, goal, method)
    took_ms = 1000.0 * (time.perf_counter() - began)
    return {
        "status": path.status.value,
        "method": path.method,
        "start": _plain(start),
        "goal": _plain(goal),
        "length": path.length_m if path.ok else None,
        "points": path.xy.tolist(),
        "expansions": path.expansions,
        "took_ms": round(took_ms, 4),
        "faults": [fault.cause for fault in find_faults(grid, path, start, goal)],
    }


def _plain(point: Any) -> list[float | None]:
    """JSON has no word for what is not finite."""
    return [float(v) if abs(v) < float("inf") else None for v in point]


def _summary(
    options: argparse.Namespace, answers: list[dict[str, Any]]
) -> dict[str, Any]:
    found = [answer for answer in answers if answer["status"] == "ok"]
    times = [answer["took_ms"] for answer in answers]
    return {
        "map": str(options.map),
        "scenario": str(options.scen),
        "method": options.method,
        "queries": len(answers),
        "found": len(found),
        "faulty": sum(bool(answer["faults"]) for answer in answers),
        "mean_ms": round(sum(times) / len(times), 4) if times else None,
        "rows": answers,
    }


def _refuse(reason: str) -> int:
    print(f"shopfloor: {reason}", file=sys.stderr)
    return UNUSABLE
