"""The commands about models: ``mpms models``."""

from __future__ import annotations

import argparse
from pathlib import Path

Commands = argparse._SubParsersAction


def add_models(commands_of: Commands[argparse.ArgumentParser]) -> None:
    models = commands_of.add_parser("models", help="process models")
    of_models = models.add_subparsers(required=True, metavar="ACTION")
    lint = of_models.add_parser("lint", help="can these files be executed exactly?")
    lint.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="file or folder"
    )
    lint.add_argument("--text", action="store_true", help="for people, not as JSON")
    lint.set_defaults(run="cli.models.print_lint")
    elements = of_models.add_parser("elements", help="what is executed, what refused")
    elements.add_argument(
        "--markdown", action="store_true", help="as the page docs/bpmn.md (the default)"
    )
    elements.set_defaults(run="cli.models.print_elements")
    deploy = of_models.add_parser("deploy", help="deploy .bpmn, .dmn and .form files")
    deploy.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help="file or folder"
    )
    deploy.add_argument("--plugin", metavar="NAME", help="what a plug-in ships")
    deploy.set_defaults(run="cli.commands.deploy")
    drive = of_models.add_parser(
        "testdrive", help="drive a model in virtual time before it goes live"
    )
    drive.add_argument(
        "model", metavar="MODEL", help="a .bpmn file, a process, or process@version"
    )
    drive.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help="what belongs to it"
    )
    drive.add_argument("--process", metavar="KEY", help="which one of the file")
    drive.add_argument(
        "--orders",
        default="month",
        metavar="day|week|month|N",
        help="those of the history, or N made up; month",
    )
    drive.add_argument(
        "--days", type=float, default=30.0, help="over which N orders come; 30"
    )
    drive.add_argument("--seeds", type=int, default=3, help="runs of each version; 3")
    drive.add_argument("--people", type=int, metavar="N", help="not those of the plant")
    drive.add_argument("--robots", type=int, metavar="N", help="only the first N")
    beside = drive.add_mutually_exclusive_group()
    beside.add_argument("--against", type=int, metavar="VERSION")
    beside.add_argument("--alone", action="store_true", help="beside no other version")
    drive.add_argument("--json", action="store_true", dest="as_json")
    drive.set_defaults(run="cli.testdrive.run")
