"""The commands about the log of what people did: ``mpms audit``."""

from __future__ import annotations

import argparse
from pathlib import Path

Commands = argparse._SubParsersAction


def add_audit(commands_of: Commands[argparse.ArgumentParser]) -> None:
    audit = commands_of.add_parser("audit", help="the log of what people did")
    of_audit = audit.add_subparsers(required=True, metavar="ACTION")
    verify = of_audit.add_parser("verify", help="is it as it was written?")
    verify.add_argument(
        "--expect", metavar="NUMBER:HASH", help="a line that was noted before"
    )
    verify.add_argument(
        "--file", type=Path, help="one that was exported; needs no database"
    )
    verify.set_defaults(run="cli.audit.verify")
    export = of_audit.add_parser("export", help="every line with its hash, as JSON")
    export.add_argument("--out", type=Path, metavar="FILE")
    export.set_defaults(run="cli.audit.export")
