"""The command line: parse, call, print. Every error is one sentence, never a trace.

A parser only names the function that it runs, below ``mpms``, and that takes the
settings and the options by their names. So a command loads what it uses, and asking
for help loads next to nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from mpms.cli.arguments.audit import add_audit
from mpms.cli.arguments.compare import add_compare
from mpms.cli.arguments.incidents import add_incidents
from mpms.cli.arguments.instances import add_instances
from mpms.cli.arguments.models import add_models
from mpms.cli.arguments.orders import add_orders
from mpms.cli.arguments.people import add_tls, add_tokens, add_users
from mpms.cli.arguments.records import add_records
from mpms.cli.arguments.robots import add_robots
from mpms.cli.arguments.scales import add_scales
from mpms.cli.arguments.starts import add_starts
from mpms.domain.errors import MpmsError
from mpms.log_lines import start_log
from mpms.settings import Settings

LASTING = ("work", "demo")  # commands that keep a file of their log
DEMO = "demo.house.run"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = vars(parser().parse_args(arguments))
    run: str = options.pop("run")
    try:
        settings = Settings.read()
        if run == DEMO:
            import_module("mpms.demo.extra").require_extra()
            settings = import_module("mpms.demo.known_secrets").apart(settings)
        name = sys.argv[1] if arguments is None and len(sys.argv) > 1 else ""
        lasting = name in LASTING
        start_log(settings, name if lasting else "mpms", file=lasting)
        module, _, function = run.rpartition(".")
        command = getattr(import_module(f"mpms.{module}"), function)
        return int(command(settings, **options) or 0)
    except MpmsError as error:
        print(f"mpms: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 0


def parser() -> argparse.ArgumentParser:
    """Every command that is promised to stay."""
    top = argparse.ArgumentParser(
        prog="mpms", description="Manufacturing process management."
    )
    commands_of = top.add_subparsers(title="commands", required=True, metavar="COMMAND")

    run = commands_of.add_parser("demo", help="everything, embedded, on this machine")
    run.add_argument("--once", action="store_true", help="one order, then end")
    run.add_argument(
        "--fast", action="store_true", help="no pauses between the robot's moves"
    )
    run.set_defaults(run=DEMO)

    work = commands_of.add_parser("work", help="run a worker until stopped")
    _add_keep_demo_data(work)
    work.set_defaults(run="cli.work.work")

    serve = commands_of.add_parser("serve", help="serve the pages until stopped")
    _add_keep_demo_data(serve)
    serve.add_argument("--demo", action="store_true", help=argparse.SUPPRESS)
    serve.add_argument("--with-parent", action="store_true", help=argparse.SUPPRESS)
    serve.set_defaults(run="cli.serve.serve")

    migrate = commands_of.add_parser("migrate", help="bring the database up to date")
    migrate.set_defaults(run="cli.commands.migrate")

    backup = commands_of.add_parser("backup", help="copy the database into a file")
    backup.add_argument("file", type=Path, metavar="FILE")
    backup.set_defaults(run="cli.backup.backup")
    restore = commands_of.add_parser("restore", help="fill an empty database with it")
    restore.add_argument("file", type=Path, metavar="FILE")
    restore.set_defaults(run="cli.backup.restore")

    check = commands_of.add_parser("check", help="is everything there and reachable?")
    check.set_defaults(run="cli.commands.check")

    plugins = commands_of.add_parser("plugins", help="what is installed beside MPMS")
    plugins.set_defaults(run="cli.plugins.listing")

    add_starts(commands_of)
    add_users(commands_of)
    add_tokens(commands_of)
    add_tls(commands_of)
    add_audit(commands_of)
    add_instances(commands_of)
    add_incidents(commands_of)

    add_models(commands_of)
    add_orders(commands_of)
    add_records(commands_of)
    add_compare(commands_of)
    add_scales(commands_of)
    add_robots(commands_of)
    return top


def _add_keep_demo_data(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--keep-demo-data",
        action="store_true",
        help="go on with the database of the demo, without its known passwords",
    )


if __name__ == "__main__":
    sys.exit(main())
