"""The commands about orders: ``mpms orders``."""

from __future__ import annotations

import argparse
from pathlib import Path

Commands = argparse._SubParsersAction


def add_orders(commands_of: Commands[argparse.ArgumentParser]) -> None:
    orders = commands_of.add_parser("orders", help="manufacturing orders")
    of_orders = orders.add_subparsers(required=True, metavar="ACTION")
    checking = of_orders.add_parser("check", help="what would become of these mails?")
    checking.add_argument("directory", type=Path, metavar="DIR")
    checking.set_defaults(run="cli.orders_check.print_check")
    send = of_orders.add_parser("send", help="hand a mail to the SMTP server")
    send.add_argument("path", type=Path, metavar="FILE.eml")
    send.set_defaults(run="cli.orders.send")
    listing = of_orders.add_parser("list", help="the latest orders")
    listing.set_defaults(run="cli.orders.listing")
    release = of_orders.add_parser("release", help="let an order that waits be made")
    release.add_argument("number")
    release.set_defaults(run="cli.orders.release")
    refuse = of_orders.add_parser("refuse", help="cancel an order that waits")
    refuse.add_argument("number")
    refuse.add_argument(
        "--why", required=True, dest="reason", help="told to the sender"
    )
    refuse.set_defaults(run="cli.orders.refuse")
