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

from mpms.cli_incidents import add_incidents
from mpms.cli_instances import add_instances
from mpms.cli_people import add_tls, add_tokens, add_users
from mpms.cli_starts import add_starts
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
    work.set_defaults(run="work_command.work")

    serve = commands_of.add_parser("serve", help="serve the pages until stopped")
    _add_keep_demo_data(serve)
    serve.add_argument("--demo", action="store_true", help=argparse.SUPPRESS)
    serve.add_argument("--with-parent", action="store_true", help=argparse.SUPPRESS)
    serve.set_defaults(run="web_commands.serve")

    migrate = commands_of.add_parser("migrate", help="bring the database up to date")
    migrate.set_defaults(run="commands.migrate")

    check = commands_of.add_parser("check", help="is everything there and reachable?")
    check.set_defaults(run="commands.check")

    plugins = commands_of.add_parser("plugins", help="what is installed beside MPMS")
    plugins.set_defaults(run="plugin_commands.listing")

    add_starts(commands_of)
    add_users(commands_of)
    add_tokens(commands_of)
    add_tls(commands_of)
    add_instances(commands_of)
    add_incidents(commands_of)

    models = commands_of.add_parser("models", help="process models")
    of_models = models.add_subparsers(required=True, metavar="ACTION")
    lint = of_models.add_parser("lint", help="can these files be executed exactly?")
    lint.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="file or folder"
    )
    lint.add_argument("--text", action="store_true", help="for people, not as JSON")
    lint.set_defaults(run="model_commands.print_lint")
    elements = of_models.add_parser("elements", help="what is executed, what refused")
    elements.add_argument(
        "--markdown", action="store_true", help="as the page docs/bpmn.md (the default)"
    )
    elements.set_defaults(run="model_commands.print_elements")
    deploy = of_models.add_parser("deploy", help="deploy .bpmn, .dmn and .form files")
    deploy.add_argument("files", nargs="*", type=Path, metavar="FILE")
    deploy.add_argument("--plugin", metavar="NAME", help="what a plug-in ships")
    deploy.set_defaults(run="commands.deploy")

    orders = commands_of.add_parser("orders", help="manufacturing orders")
    of_orders = orders.add_subparsers(required=True, metavar="ACTION")
    checking = of_orders.add_parser("check", help="what would become of these mails?")
    checking.add_argument("directory", type=Path, metavar="DIR")
    checking.set_defaults(run="order_commands.print_check")
    send = of_orders.add_parser("send", help="hand a mail to the SMTP server")
    send.add_argument("path", type=Path, metavar="FILE.eml")
    send.set_defaults(run="order_desk.send")
    listing = of_orders.add_parser("list", help="the latest orders")
    listing.set_defaults(run="order_desk.listing")
    release = of_orders.add_parser("release", help="let an order that waits be made")
    release.add_argument("number")
    release.set_defaults(run="order_desk.release")
    refuse = of_orders.add_parser("refuse", help="cancel an order that waits")
    refuse.add_argument("number")
    refuse.add_argument(
        "--why", required=True, dest="reason", help="told to the sender"
    )
    refuse.set_defaults(run="order_desk.refuse")

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
    probe.set_defaults(run="commands.probe_robot")
    return top


def _add_keep_demo_data(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--keep-demo-data",
        action="store_true",
        help="go on with the database of the demo, without its known passwords",
    )


if __name__ == "__main__":
    sys.exit(main())
