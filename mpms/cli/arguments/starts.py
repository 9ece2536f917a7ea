"""What begins and moves processes: ``mpms processes``, ``messages``, ``signals``."""

from __future__ import annotations

import argparse

Commands = argparse._SubParsersAction
VARIABLE = "NAME=VALUE; a value that is no JSON is a text"


def add_starts(commands_of: Commands[argparse.ArgumentParser]) -> None:
    processes = commands_of.add_parser("processes", help="start deployed processes")
    of_processes = processes.add_subparsers(required=True, metavar="ACTION")
    start = of_processes.add_parser("start", help="start an instance; prints its id")
    start.add_argument("key", metavar="KEY", help="of the process")
    start.add_argument("--version", type=int, help="instead of the latest")
    start.add_argument("--at", metavar="ELEMENT", help="which start event")
    start.add_argument("--business-key", metavar="KEY", help="e.g. the order's number")
    start.add_argument(
        "--as", metavar="LOGIN", dest="login", help="who starts it, if the model asks"
    )
    _variables(start)
    start.set_defaults(run="cli.starts.start")
    waiting = of_processes.add_parser("starts", help="what starts them by itself")
    waiting.set_defaults(run="cli.starts.starts")

    messages = commands_of.add_parser("messages", help="messages to processes")
    of_messages = messages.add_subparsers(required=True, metavar="ACTION")
    send = of_messages.add_parser("send", help="to the one that waits, or starts by it")
    send.add_argument("name", metavar="NAME")
    send.add_argument(
        "--key", dest="correlation", metavar="K", help="the correlation key"
    )
    send.add_argument("--business-key", metavar="KEY", help="of the instance")
    send.add_argument("--instance", dest="instance_id", metavar="ID")
    send.add_argument(
        "--keep", action="store_true", help="if nobody waits, until somebody does"
    )
    _variables(send)
    send.set_defaults(run="cli.starts.send_message")

    signals = commands_of.add_parser("signals", help="signals to all who wait")
    of_signals = signals.add_subparsers(required=True, metavar="ACTION")
    broadcast = of_signals.add_parser("send", help="to everybody; it is not kept")
    broadcast.add_argument("name", metavar="NAME")
    _variables(broadcast)
    broadcast.set_defaults(run="cli.starts.send_signal")


def _variables(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--var",
        action="append",
        default=[],
        dest="variables",
        metavar="NAME=VALUE",
        help=VARIABLE,
    )
