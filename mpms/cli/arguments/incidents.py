"""The commands about incidents: ``mpms incidents``."""

from __future__ import annotations

import argparse

from mpms.ports.incidents.inbox import SORTS

Commands = argparse._SubParsersAction


def add_incidents(commands_of: Commands[argparse.ArgumentParser]) -> None:
    incidents = commands_of.add_parser("incidents", help="what is stuck, by cause")
    of_incidents = incidents.add_subparsers(required=True, metavar="ACTION")
    causes = of_incidents.add_parser("list", help="open causes")
    causes.add_argument("--sort", choices=SORTS, default=SORTS[0])
    causes.add_argument("--cause", help="the incidents of this one")
    causes.set_defaults(run="cli.incidents.listing")
    closing = of_incidents.add_parser(
        "close", help="put aside what cannot be tried again"
    )
    closing.add_argument("what", metavar="CAUSE|INCIDENT")
    closing.add_argument("--reason", required=True, help="why, for the history")
    closing.set_defaults(run="cli.incidents.close")
