"""``shopfloor passability``: which vehicle gets through which alley with which planner.

Writes a table (CSV, a row a drive) and its picture; says on the error output how far
it is. Somebody who buys a vehicle or builds an alley wants to know before.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

UNUSABLE = 2
WIDTHS = "0.9,1.0,1.1,1.2,1.4,1.6,2.0"
VEHICLES = "zebrat,car,indoor"
MOST_SEEDS = 1000


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "passability",
        help="which vehicle gets through which alley, as a table and a picture",
        description="Drives every vehicle with every planner through alleys of every "
        "width. Ends with 0 when all drives are done, whoever got through; 2 when "
        "something asked for does not exist.",
    )
    parser.add_argument("--vehicles", default=VEHICLES, help="names or files")
    parser.add_argument(
        "--planners", default="", help="such as a_star+dwa,hybrid+teb; all unless said"
    )
    parser.add_argument("--widths", default=WIDTHS, help=f"metres: {WIDTHS}")
    parser.add_argument("--seeds", type=_count, default=1, help="drives in each cell")
    parser.add_argument(
        "--gap", type=float, default=0.5, help="width of the way beside it; 0: none"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("passability"),
        metavar="NAME",
        help="NAME.csv and NAME.png",
    )


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_SEEDS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number from 1 to {MOST_SEEDS}"
        )
    return int(text)


def _numbers(text: str) -> list[float]:
    """ValueError names what is no number."""
    found = []
    for part in text.split(","):
        try:
            found.append(float(part))
        except ValueError:
            raise ValueError(f"{part.strip()!r} is no width in metres") from None
    return found


def run(options: argparse.Namespace) -> int:
    from fleet.bodies.file import load_vehicle
    from fleet.bodies.passability import as_csv
    from shopfloor.plant.png import png_of
    from shopfloor.sim.world import WorldRefused
    from shopfloor.streets.passability import PAIRS, trials
    from shopfloor.streets.passability_picture import picture_of
    from shopfloor.vehicles.errors import VehicleRefused

    def say(done: int, total: int, what: str) -> None:
        print(f"{done + 1} of {total}: {what}", file=sys.stderr, flush=True)

    planners = [p.strip() for p in options.planners.split(",") if p.strip()]
    table, picture = (options.out.with_suffix(end) for end in (".csv", ".png"))
    try:
        vehicles = [load_vehicle(v.strip()) for v in options.vehicles.split(",")]
        found = []
        for trial in trials(
            vehicles,
            planners or PAIRS,
            _numbers(options.widths),
            options.seeds,
            options.gap,
            say,
        ):
            found.append(trial)
            # What was found stays, whatever becomes of the rest.
            table.write_text(as_csv(found), encoding="utf-8")
    except (VehicleRefused, WorldRefused, ValueError) as error:
        print(f"shopfloor: {error}", file=sys.stderr)
        return UNUSABLE
    except OSError as error:
        print(
            f"shopfloor: {table} cannot be written: {error.strerror}", file=sys.stderr
        )
        return UNUSABLE
    picture.write_bytes(png_of(picture_of(found, {v.name: v.title for v in vehicles})))
    passed = sum(t.passed for t in found)
    facts = {"drives": len(found), "passed": passed}
    print(json.dumps(facts | {"table": str(table), "picture": str(picture)}))
    return 0
