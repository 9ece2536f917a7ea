"""The commands about batch records: ``mpms records``."""

from __future__ import annotations

import argparse
from pathlib import Path

Commands = argparse._SubParsersAction


def add_records(commands_of: Commands[argparse.ArgumentParser]) -> None:
    records = commands_of.add_parser("records", help="batch records of orders")
    of_records = records.add_subparsers(required=True, metavar="ACTION")
    verify = of_records.add_parser("verify", help="are they as they were written?")
    verify.add_argument(
        "--expect",
        metavar="LINE:HASH",
        help="a line of the plant's record that was noted or printed before",
    )
    verify.add_argument(
        "--key",
        action="append",
        default=[],
        dest="keys",
        metavar="HEX",
        help="a public key that seals may have; else the key of this plant",
    )
    verify.set_defaults(run="cli.records.verify")
    export = of_records.add_parser("export", help="one record as JSON")
    export.add_argument("order")
    export.add_argument("--out", type=Path, metavar="FILE")
    export.set_defaults(run="cli.records.export")
    key = of_records.add_parser("key", help="the public key that seals are made with")
    key.set_defaults(run="cli.records.key")
