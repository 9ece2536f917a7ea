"""The commands about robots: ``mpms robots``."""

from __future__ import annotations

import argparse

Commands = argparse._SubParsersAction


def add_robots(commands_of: Commands[argparse.ArgumentParser]) -> None:
    robots = commands_of.add_parser("robots", help="robots")
    of_robots = robots.add_subparsers(required=True, metavar="ACTION")
    probe = of_robots.add_parser("probe", help="drive one goal and say what happened")
    probe.add_argument(
        "url", metavar="URL", help="ws://host:port of a rosbridge server"
    )
    probe.add_argument("--profile", default="move_base", help="name or file")
    probe.add_argument("--goal", nargs=2, type=float, required=True, metavar=("X", "Y"))
    probe.add_argument("--robot", default="robot", help="its name")
    probe.add_argument("--namespace", help="of its topics, where it has one")
    probe.add_argument("--timeout", type=float, default=60.0, metavar="S")
    probe.set_defaults(run="cli.commands.probe_robot")
