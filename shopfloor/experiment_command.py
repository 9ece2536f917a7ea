"""``shopfloor experiment``: a question about a plant, answered as one JSON object.

The kernels are imported when the command is called.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

UNUSABLE = 2
MOST_ORDERS = 100_000
MOST_ROBOTS = 1000


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "experiment", help="a question about a plant, answered as JSON"
    )
    trials = parser.add_subparsers(dest="trial", required=True)
    cart = trials.add_parser(
        "cart",
        help="picking with a cart against picking with a robot",
        description="Time and worker exposure per order. Prints what was assumed too; "
        "ends with 2 if the world cannot be used.",
    )
    cart.add_argument("world", help="a world's name, its directory or its file")
    cart.add_argument("--orders", type=_orders, default=200)
    cart.add_argument("--seed", type=_seed, default=1)
    cart.add_argument(
        "--given", type=Path, metavar="FILE.json", help="these orders, no random ones"
    )
    cart.add_argument(
        "--out", type=Path, metavar="NAME", help="NAME.csv, each order, and NAME.svg"
    )
    stop = trials.add_parser(
        "stop",
        help="the emergency stop beside racks: the rule as published, and ours",
        description="How many robots beside racks stand for ever, how many goals they "
        "reach and how near they come to racks, under each rule.",
    )
    stop.add_argument("--robots", type=_robots, default=10)
    stop.add_argument("--seed", type=_seed, default=1)
    return parser


def _robots(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_ROBOTS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number of robots (1 to {MOST_ROBOTS})"
        )
    return int(text)


def _orders(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_ORDERS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number of orders (1 to {MOST_ORDERS})"
        )
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 0 or more")
    return int(text)


def run(options: argparse.Namespace) -> int:
    return _stop(options) if options.trial == "stop" else _cart(options)


def _stop(options: argparse.Namespace) -> int:
    from dataclasses import asdict

    from shopfloor.control.trial import Rule, run_trial

    rules: tuple[Rule, ...] = ("literal", "unexplained")
    found = [asdict(run_trial(rule, options.seed, options.robots)) for rule in rules]
    for each in found:
        each["least_clearance_m"] = round(each["least_clearance_m"], 4)
    print(json.dumps({"seed": options.seed, "rules": found}))
    return 0


def _cart(options: argparse.Namespace) -> int:
    from shopfloor.cli import find_world
    from shopfloor.experiments.cart import compare_each, given_in, random_orders
    from shopfloor.experiments.cart_picture import picture_of, table_of
    from shopfloor.sim.world import WorldRefused
    from shopfloor.sim.world_file import load_world

    try:
        world = load_world(find_world(options.world))
        if options.given is None:
            orders = random_orders(world, options.orders, options.seed)
        else:
            orders = given_in(options.given.read_text(encoding="utf-8"), world)
        found = compare_each(world, orders, options.seed)
        if options.out is not None:
            table, picture = (options.out.with_suffix(e) for e in (".csv", ".svg"))
            table.write_text(table_of(found), encoding="utf-8")
            picture.write_text(picture_of(found), encoding="utf-8")
    except (WorldRefused, OSError) as error:
        print(f"shopfloor: {error}", file=sys.stderr)
        return UNUSABLE
    print(json.dumps(found.facts))
    return 0
