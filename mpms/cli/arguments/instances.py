"""The commands that look at instances and repair them: ``mpms instances``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import datetime

from mpms.domain.instances.instances import InstanceStatus

Commands = argparse._SubParsersAction
Parser = argparse.ArgumentParser
Add = Callable[..., Parser]


def add_instances(commands_of: Commands[Parser]) -> None:
    instances = commands_of.add_parser("instances", help="look at them, repair them")
    of_instances = instances.add_subparsers(required=True, metavar="ACTION")

    def add(word: str, text: str, *words: str) -> Parser:
        one = of_instances.add_parser(word, help=text)
        for each in words:
            one.add_argument(each, metavar=each.upper())
        one.set_defaults(run="cli.instances.run", action=word)
        return one

    _add_looking(add)
    _add_tokens(add)
    _add_whole(add)
    _add_many(add)


def _add_looking(add: Add) -> None:
    listing = add("list", "instances, the newest first")
    listing.add_argument("--process", metavar="KEY")
    listing.add_argument("--version", type=int)
    listing.add_argument("--status", choices=[str(s) for s in InstanceStatus])
    listing.add_argument("--key", metavar="BUSINESS_KEY", help="an order number")
    listing.add_argument("--suspended", action="store_true")
    listing.add_argument("--incidents", action="store_true", help="in trouble")
    listing.add_argument("--limit", type=int, default=100)
    add("show", "tokens, variables, incidents", "instance")
    export = add("export", "their history, for process mining", "process")
    export.add_argument("out", metavar="FILE", help="is written anew")
    export.add_argument("--format", choices=["xes", "ocel"], default="xes")
    for bound, text in (("since", "that began from then on"), ("until", "before then")):
        export.add_argument(
            f"--{bound}", type=_instant, metavar="TIME", help=f"{text}, ISO 8601"
        )


def _add_tokens(add: Add) -> None:
    set_ = add("set", "change variables", "instance")
    _variables(set_)
    set_.add_argument("--remove", action="append", default=[], metavar="NAME")
    set_.add_argument("--task", help="only for this live task")
    skip = add("skip", "go on without doing it", "instance", "task")
    _variables(skip)
    move = add("move", "go on elsewhere", "instance", "task", "element")
    cancel = add("cancel-activity", "take a token away", "instance", "task")
    for one in (set_, skip, move, cancel):
        _reason(one)


def _add_whole(add: Add) -> None:
    cancel = add("cancel", "end an instance now", "instance")
    cancel.add_argument(
        "--completed-manually",
        action="store_true",
        help="its order was completed by hand, not cancelled",
    )
    _reason(cancel)
    for word, text in (
        ("suspend", "let instances or a process stand still"),
        ("resume", "let them go on"),
    ):
        one = add(word, text)
        one.add_argument("instances", nargs="*", metavar="INSTANCE")
        one.add_argument("--process", metavar="KEY", help="start no new instance")
        one.add_argument("--with-instances", action="store_true")
        _reason(one, required=word == "suspend")
    restart = add("restart", "repeat what has ended", "instance")
    restart.add_argument("elements", nargs="+", metavar="ELEMENT")
    restart.add_argument(
        "--set", action="append", default=[], dest="variables", metavar="NAME=VALUE"
    )
    restart.add_argument("--latest", action="store_true", help="in the latest version")
    _reason(restart)


def _add_many(add: Add) -> None:
    retry = add("retry", "incidents by number, or all that fit")
    retry.add_argument("incidents", nargs="*", type=int, metavar="INCIDENT")
    retry.add_argument("--kind", help="stuck, job, call, goal ...")
    retry.add_argument("--text", help="a part of the message")
    retry.add_argument("--element")
    retry.add_argument("--process", metavar="KEY")
    retry.add_argument("--older-than", type=float, metavar="SECONDS")
    _reason(retry)
    migrate = add("migrate", "to another version", "process")
    migrate.add_argument("--to", type=int, required=True, metavar="VERSION")
    migrate.add_argument("--from", type=int, dest="from_version", metavar="VERSION")
    migrate.add_argument(
        "--instance", action="append", default=[], dest="instances", metavar="ID"
    )
    migrate.add_argument(
        "--rename", action="append", default=[], metavar="OLD=NEW", help="an element"
    )
    migrate.add_argument("--plan", action="store_true", help="change nothing")
    _reason(migrate, required=False)
    purge = add("purge", "forget what ended long ago")
    purge.add_argument("--older-than", type=float, required=True, metavar="DAYS")
    purge.add_argument("--dry-run", action="store_true", help="only count")
    _reason(purge, required=False)


def _instant(text: str) -> datetime:
    """Without a zone it is a time of this machine."""
    return datetime.fromisoformat(text).astimezone()


def _variables(parser: Parser) -> None:
    parser.add_argument(
        "variables", nargs="*", metavar="NAME=VALUE", help="JSON, else a text"
    )


def _reason(parser: Parser, *, required: bool = True) -> None:
    parser.add_argument(
        "--reason", required=required, default="", help="why, for the history"
    )
