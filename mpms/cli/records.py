"""What ``mpms records`` does: verify, export, show the key."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from mpms import bootstrap
from mpms.cli.commands import FileUnreadable
from mpms.cli.database import plain, with_services
from mpms.domain.errors import MpmsError
from mpms.factory.adapters.plant_key import read_key, read_or_make_key
from mpms.factory.adapters.plant_key import verify as verify_signature
from mpms.factory.domain.records import PLANT, Head
from mpms.factory.domain.records.verifying import Verified
from mpms.factory.services.records.export import export_record
from mpms.factory.services.records.verify import verify_records
from mpms.factory.settings import records_key
from mpms.settings import Settings

MOST_TOLD = 20


class ExpectationUnreadable(MpmsError):
    """Say the line that was noted as LINE:HASH, such as 214:9f86d081…"""


class RecordsBroken(MpmsError):
    """Batch records are not as they were written."""


def verify(settings: Settings, expect: str | None, keys: list[str]) -> int:
    """Every chain, every seal; the first broken line of each record."""
    known = list(keys)
    if not known and records_key(settings).exists():
        known = [read_key(records_key(settings)).public]
    expected = None if expect is None else _expected(expect)
    found: list[Verified] = []

    def run(services: bootstrap.Services) -> None:
        found.append(
            verify_records(
                services.uow,
                verify_signature,
                keys=known,
                expected=expected,
                progress=_progress,
            )
        )

    with_services(settings, run)
    (report,) = found
    _tell(report, keys_known=bool(known))
    if report.faults:
        raise RecordsBroken(f"broken: {report.faults[0]}")
    return 0


def _tell(report: Verified, *, keys_known: bool) -> None:
    for fault in report.faults[:MOST_TOLD]:
        print(fault)
    if len(report.faults) > MOST_TOLD:
        print(f"… and {len(report.faults) - MOST_TOLD} more records")
    print(f"{report.lines} lines of {report.records} records, {report.seals} seals")
    if report.open_records:
        print(f"{report.open_records} records have lines that are not sealed yet")
    if report.keys and not keys_known:
        made = ", ".join(sorted(report.keys))
        print(f"The plant's key is not here; seals were made with {made}")
    if report.head.lines and not report.faults:
        print(f"Note for later: --expect {report.head.lines}:{report.head.hash}")


def _progress(lines: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{lines} lines", end="", file=sys.stderr, flush=True)


def _expected(text: str) -> Head:
    line, _, digest = text.partition(":")
    if not line.isdecimal() or len(digest) != 64:
        raise ExpectationUnreadable
    return Head(PLANT, int(line), digest.lower())


def export(settings: Settings, order: str, out: Path | None) -> int:
    """One record as JSON, to standard output or a file."""
    key = None
    if records_key(settings).exists():
        key = read_key(records_key(settings)).public

    def run(services: bootstrap.Services) -> None:
        text = json.dumps(export_record(services.uow, plain(order), key=key), indent=1)
        if out is None:
            print(text)
            return
        try:
            out.write_text(text + "\n", encoding="utf-8")
        except OSError as failure:
            raise FileUnreadable(f"{out}: {failure.strerror}.") from failure

    return with_services(settings, run)


def key(settings: Settings) -> int:
    """The public key of the plant, for those who verify elsewhere."""
    print(read_or_make_key(records_key(settings)).public)
    return 0
