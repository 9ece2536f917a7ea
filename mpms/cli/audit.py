"""What ``mpms audit`` does: verify the log of what people did, and take it along."""

from __future__ import annotations

import sys
from pathlib import Path

from mpms import bootstrap
from mpms.cli.commands import FileUnreadable
from mpms.cli.database import with_services
from mpms.domain.errors import MpmsError
from mpms.domain.history.audit_chain import ChainCheck, ChainHead
from mpms.services.history.chain_audit import (
    export_chain,
    verify_audit,
    verify_export,
)
from mpms.settings import Settings


class ExpectationUnreadable(MpmsError):
    """Say the line that was noted as NUMBER:HASH, such as 214:9f86d081…"""


class AuditBroken(MpmsError):
    """The audit log is not as it was written."""


def verify(settings: Settings, expect: str | None, file: Path | None) -> int:
    """The log of the database, or one that was exported."""
    expected = None if expect is None else _expected(expect)
    if file is not None:
        try:
            with file.open(encoding="utf-8") as lines:
                return _tell(verify_export(lines, expected))
        except (OSError, UnicodeDecodeError) as error:
            raise FileUnreadable(f"{file} cannot be read: {error}") from error
    found: list[ChainCheck] = []

    def run(services: bootstrap.Services) -> None:
        found.append(verify_audit(services.uow, expected))

    with_services(settings, run)
    return _tell(found[0])


def export(settings: Settings, out: Path | None) -> int:
    """Every line with its hash, one JSON object a line."""

    def run(services: bootstrap.Services) -> None:
        if out is None:
            for line in export_chain(services.uow):
                sys.stdout.write(line + "\n")
            return
        with out.open("w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in export_chain(services.uow))

    return with_services(settings, run)


def _tell(check: ChainCheck) -> int:
    if check.fault is not None:
        raise AuditBroken(f"broken: {check.fault}")
    print(f"{check.head.number} lines, each as it was written")
    if check.head.number:
        print(f"Note for later: --expect {check.head}")
    return 0


def _expected(text: str) -> ChainHead:
    number, _, digest = text.partition(":")
    if not (number.isascii() and number.isdigit() and len(digest) == 64):
        raise ExpectationUnreadable
    return ChainHead(int(number), digest.lower())
