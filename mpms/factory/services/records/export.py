"""A record as a file that anybody can verify: see docs/records.md."""

from __future__ import annotations

import json
from typing import Any

from mpms.factory.domain.errors import RecordUnknown
from mpms.factory.domain.records import PLANT, Line
from mpms.factory.ports.store import UnitOfWork

FORMAT = "mpms record 1"


def export_record(uow: UnitOfWork, record: str, *, key: str | None) -> dict[str, Any]:
    """RecordUnknown. ``key``: the plant's public key, where it is known here."""
    with uow() as tx:
        lines = tx.records.lines(record)
        if not lines:
            raise RecordUnknown(f"There is no batch record of {record}.")
        plant = [] if record == PLANT else tx.records.lines(PLANT)
    told = [line for line in plant if _tells_of(line, record)]
    return {
        "format": FORMAT,
        "record": record,
        "key": key,
        "lines": [_row(line) for line in lines],
        "plant": [_row(line) for line in told],
    }


def _row(line: Line) -> dict[str, Any]:
    return {"line": line.line, "content": line.content, "hash": line.hash}


def _tells_of(line: Line, record: str) -> bool:
    if record not in line.content:
        return False
    data = json.loads(line.content).get("data", {})
    return data.get("record") == record or record in data.get("heads", {})
