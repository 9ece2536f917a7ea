"""The command line: parse, call, print. Every error is one sentence, never a trace."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from mpms import (
    commands,
    demo,
    model_commands,
    order_commands,
    order_desk,
    web_commands,
)
from mpms.cli_instances import add_instances
from mpms.cli_people import add_tls, add_tokens, add_users
from mpms.cli_starts import add_starts
from mpms.demo.known_secrets import apart, require_plant
from mpms.domain.errors import MpmsError
from mpms.incident_commands import add_incidents
from mpms.log_lines import start_log
from mpms.settings import Settings

LASTING = ("work", "demo")  # commands that keep a file of their log


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parsed = parser().parse_args(arguments)
    try:
        settings = Settings.read()
        if parsed.run is _demo:
            settings = apart(settings)
        name = sys.argv[1] if arguments is None and len(sys.argv) > 1 else ""
        lasting = name in LASTING
        start_log(settings, name if lasting else "mpms", file=lasting)
        return int(parsed.run(settings, parsed) or 0)
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
    run.set_defaults(run=_demo)

    work = commands_of.add_parser("work", help="run a worker until stopped")
    _add_keep_demo_data(work)
    work.set_defaults(
        run=lambda s, a: commands.work(
            s, partial(require_plant, keep_demo_data=a.keep_demo_data)
        )
    )

    serve = commands_of.add_parser("serve", help="serve the pages until stopped")
    _add_keep_demo_data(serve)
    serve.add_argument("--demo", action="store_true", help=argparse.SUPPRESS)
    serve.add_argument("--with-parent", action="store_true", help=argparse.SUPPRESS)
    serve.set_defaults(
        run=lambda s, a: web_commands.serve(
            s,
            demo=a.demo,
            with_parent=a.with_parent,
            keep_demo_data=a.keep_demo_data,
        )
    )

    migrate = commands_of.add_parser("migrate", help="bring the database up to date")
    migrate.set_defaults(run=lambda s, a: commands.migrate(s))

    check = commands_of.add_parser("check", help="is everything there and reachable?")
    check.set_defaults(run=lambda s, a: commands.check(s))

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
    lint.set_defaults(
        run=lambda s, a: model_commands.print_lint(a.files, as_text=a.text)
    )
    elements = of_models.add_parser("elements", help="what is executed, what refused")
    elements.add_argument(
        "--markdown", action="store_true", help="as the page docs/bpmn.md (the default)"
    )
    elements.set_defaults(run=lambda s, a: model_commands.print_elements())
    deploy = of_models.add_parser("deploy", help="deploy .bpmn, .dmn and .form files")
    deploy.add_argument("files", nargs="+", type=Path, metavar="FILE")
    deploy.set_defaults(run=lambda s, a: commands.deploy(s, a.files))

    orders = commands_of.add_parser("orders", help="manufacturing orders")
    of_orders = orders.add_subparsers(required=True, metavar="ACTION")
    checking = of_orders.add_parser("check", help="what would become of these mails?")
    checking.add_argument("directory", type=Path, metavar="DIR")
    checking.set_defaults(run=lambda s, a: _print(order_commands.check(a.directory)))
    send = of_orders.add_parser("send", help="hand a mail to the SMTP server")
    send.add_argument("file", type=Path, metavar="FILE.eml")
    send.set_defaults(run=lambda s, a: order_desk.send(s, a.file))
    listing = of_orders.add_parser("list", help="the latest orders")
    listing.set_defaults(run=lambda s, a: order_desk.listing(s))
    release = of_orders.add_parser("release", help="let an order that waits be made")
    release.add_argument("number")
    release.set_defaults(run=lambda s, a: order_desk.release(s, a.number))
    refuse = of_orders.add_parser("refuse", help="cancel an order that waits")
    refuse.add_argument("number")
    refuse.add_argument("--why", required=True, help="told to the sender")
    refuse.set_defaults(run=lambda s, a: order_desk.refuse(s, a.number, a.why))

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
    probe.set_defaults(run=lambda s, a: commands.probe_robot(s, a))
    return top


def _demo(settings: Settings, asked: argparse.Namespace) -> int:
    return demo.run(settings, once=asked.once, fast=asked.fast)


def _add_keep_demo_data(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--keep-demo-data",
        action="store_true",
        help="go on with the database of the demo, without its known passwords",
    )


def _print(result: object) -> int:
    print(json.dumps(result, ensure_ascii=False, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
