"""The command ``mpms compare-manual``."""

from __future__ import annotations

import argparse
from pathlib import Path

Commands = argparse._SubParsersAction
MOST_ORDERS = 100_000


def add_compare(commands_of: Commands[argparse.ArgumentParser]) -> None:
    compare = commands_of.add_parser(
        "compare-manual",
        help="orders picked with a cart and with robots: time and exposure",
    )
    compare.add_argument(
        "--orders", type=_orders, default=200, help="the newest so many; 200"
    )
    compare.add_argument(
        "--random", action="store_true", help="orders that it makes up instead"
    )
    compare.add_argument("--seed", type=int, default=1, help="of random orders; 1")
    compare.add_argument(
        "--out",
        type=Path,
        default=Path("compare_manual"),
        metavar="NAME",
        help="NAME.csv, each order, and NAME.svg",
    )
    compare.set_defaults(run="cli.compare_manual.compare_manual")


def _orders(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_ORDERS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number of orders (1 to {MOST_ORDERS})"
        )
    return int(text)
