"""``shopfloor warehouse``: build, command and look at a running warehouse.

For experiments without a program and without a view. Everything goes over rosbridge, so
the warehouse may run elsewhere; answers are JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

UNUSABLE = 2
REFUSED = 1
DEFAULT_URL = "ws://127.0.0.1:9090"
DEFAULT_LIMIT_S = 120.0
SIZES = ("robots", "items", "shelves")


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "warehouse",
        help="shelves that robots carry: create, command, look",
        description="The warehouse is started with: shopfloor sim kiva_empty (or"
        " kiva_small, kiva_medium, kiva_large). Ends with 1 if the warehouse refuses"
        " what is asked, 2 if nobody answers or an option cannot be used.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    create = verbs.add_parser("create", help="fill an empty warehouse")
    create.add_argument("world", nargs="?", help="a preset, a world file or SDF")
    for name in SIZES:
        create.add_argument(f"--{name}", type=int, help=f"so many {name}")
    create.add_argument("--name", default="Warehouse")
    create.add_argument("--id", default="1")
    create.add_argument(
        "--replace", action="store_true", help="also if it is not empty"
    )
    command = verbs.add_parser(
        "command",
        help="tell robots something",
        description="mov X Y KIVA, movx DIST KIVA, movy DIST KIVA, rot cw|ccw KIVA, "
        "lift 1|0 KIVA SHELF",
    )
    command.add_argument("words", nargs="+", help="a command, for instance: mov 3 4 1")
    command.add_argument(
        "--wait", action="store_true", help="until it has ended, and say how"
    )
    command.add_argument(
        "--timeout",
        type=float,
        default=DEFAULT_LIMIT_S,
        help="seconds to wait for the end",
    )
    state = verbs.add_parser("state", help="all poses and statuses")
    state.add_argument("--stock", metavar="SKU", help="only where this item lies")
    state.add_argument(
        "--format", choices=("json", "yaml", "sdf", "urdf", "plant"), default="json"
    )
    experiment = verbs.add_parser(
        "experiment",
        help="how long retrieval takes with so many robots; needs no server",
    )
    experiment.add_argument("world", nargs="?", default="medium")
    experiment.add_argument("--robots", type=int, nargs="+", default=[1, 2, 4])
    experiment.add_argument(
        "--units", type=int, default=20, help="brought and returned"
    )
    experiment.add_argument("--seed", type=int, default=1, help="which units")
    log = verbs.add_parser("log", help="what a trace says about each robot")
    log.add_argument("trace", type=Path, help="written by shopfloor sim --trace")
    for each in (create, command, state):
        each.add_argument("--url", default=DEFAULT_URL, help="of its rosbridge")
    return parser


def run(options: argparse.Namespace) -> int:
    from shopfloor.warehouse.asking import NoAnswer
    from shopfloor.warehouse.errors import WarehouseRefused

    verbs = {"create": _create, "command": _command, "state": _state}
    verbs |= {"experiment": _experiment, "log": _log}
    try:
        return verbs[options.verb](options)
    except WarehouseRefused as error:
        return _refuse(str(error), REFUSED)
    except NoAnswer as error:
        return _refuse(str(error), UNUSABLE)


def _refuse(reason: str, code: int) -> int:
    print(f"shopfloor: {reason}", file=sys.stderr)
    return code


def _create(options: argparse.Namespace) -> int:
    from shopfloor.warehouse.asking import asking

    sizes = {name: getattr(options, name) for name in SIZES}
    given = [name for name, value in sizes.items() if value is not None]
    if (options.world is None) == (not given):
        return _refuse("create takes a world, or numbers, and not both", UNUSABLE)
    if options.world is None:
        lacking = [f"--{name}" for name in SIZES if name not in given]
        if lacking:
            return _refuse(f"{', '.join(lacking)} is missing", UNUSABLE)
        with asking(options.url) as warehouse:
            made = warehouse.call(
                "/warehouse/create_warehouse_models",
                header={},
                warehouse_name=options.name,
                warehouse_id=options.id,
                replace=options.replace,
                **sizes,
            )
    else:
        world = _text_of(options.world)
        with asking(options.url) as warehouse:
            made = warehouse.call(
                "/warehouse/insert_world", world=world, replace=options.replace
            )
    print(json.dumps({"ok": True, "made": made["message"]}))
    return 0


def _text_of(world: str) -> str:
    """Of a file here, since the server reads none for strangers; or a preset's name."""
    from shopfloor.warehouse.errors import WorldUnknown
    from shopfloor.warehouse.world_file import FILE

    given = Path(world)
    file = given / FILE if given.is_dir() else given
    if not file.is_file():
        return world
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WorldUnknown(f"{file} cannot be read: {error}") from None


def _command(options: argparse.Namespace) -> int:
    from shopfloor.warehouse.asking import asking
    from shopfloor.warehouse.commands import parse_command

    command = parse_command(" ".join(options.words))
    line = command.line()
    with asking(options.url) as warehouse:
        warehouse.listen("/warehouse/reports")
        warehouse.call("/warehouse/command", line=line)
        answer = {"command": line, "outcome": "accepted", "reason": ""}
        until = time.monotonic() + options.timeout
        while options.wait and answer["outcome"] == "accepted":
            report = warehouse.hear("/warehouse/reports", until)
            if report["command"] == line and report["level"] == "high":
                answer = {key: report[key] for key in answer}
    print(json.dumps(answer))
    return 0 if answer["outcome"] in ("accepted", "done") else REFUSED


def _state(options: argparse.Namespace) -> int:
    from shopfloor.warehouse.asking import asking

    with asking(options.url) as warehouse:
        if options.stock is not None:
            found = warehouse.call("/warehouse/find_items", sku=options.stock)
            print(found["json"])
        elif options.format == "json":
            print(warehouse.call("/warehouse/state")["json"])
        else:
            told = warehouse.call("/warehouse/export", format=options.format)
            print(told["text"], end="")
    return 0


def _experiment(options: argparse.Namespace) -> int:
    import random
    from dataclasses import asdict

    from shopfloor.warehouse.launch import load_warehouse
    from shopfloor.warehouse.retrieval import retrieve
    from shopfloor.warehouse.world_file import find_file

    warehouse = load_warehouse(find_file(options.world)).warehouse
    there = list(warehouse.storage_units)
    if not 0 < options.units <= len(there):
        return _refuse(f"--units is 1 to {len(there)}, not {options.units}", UNUSABLE)
    rng = random.Random(options.seed)  # noqa: S311 - which units, repeatable
    units = rng.sample(there, options.units)
    runs = [asdict(retrieve(warehouse, n, units)) for n in options.robots]
    print(json.dumps({"world": warehouse.name, "seed": options.seed, "runs": runs}))
    return 0


def _log(options: argparse.Namespace) -> int:
    from shopfloor.warehouse.log import analyse

    try:
        lines = options.trace.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        return _refuse(f"{options.trace} cannot be read: {error}", UNUSABLE)
    print(json.dumps(analyse(lines)))
    return 0
