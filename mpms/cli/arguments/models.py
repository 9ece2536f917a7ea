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
    deploy.add_argument("files", nargs="*", type=Path, metavar="FILE")
    deploy.add_argument("--plugin", metavar="NAME", help="what a plug-in ships")
    deploy.set_defaults(run="cli.commands.deploy")
