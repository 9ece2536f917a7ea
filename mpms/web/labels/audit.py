"""The log of what people did, in plain words."""

from __future__ import annotations

import json

from mpms.ports.history.audit import AuditLine
from mpms.web.labels import formats
from mpms.web.labels.history import current_kinds
from mpms.web.texts import t

HIDDEN_KEYS = frozenset({"reason", "old", "new"})
LONGEST_VALUE = 200


def action_words() -> dict[str, str]:
    """The kinds of lines that people write, for reading and for choosing."""
    kinds = current_kinds().kinds.values()
    return {kind.name: t(kind.action) for kind in kinds if kind.action}


def thing_of(line: AuditLine) -> str:
    """What the line is about, in a few words."""
    kinds = current_kinds()
    for key in (
        *kinds.subjects,
        *("login", *kinds.things, "tablet", "process", "setting", "file"),
    ):
        value = line.data.get(key)
        if isinstance(value, str) and value:
            return value
    return line.business_key or ""


def change_of(line: AuditLine) -> str:
    """Old and new value, and what else was noted."""
    told = []
    old, new = line.data.get("old"), line.data.get("new")
    if isinstance(old, dict) and isinstance(new, dict):
        told += [f"{key}: {_plain(old.get(key))} → {_plain(new[key])}" for key in new]
    elif old is not None or new is not None:
        told.append(f"{_plain(old)} → {_plain(new)}")
    thing = thing_of(line)
    told += [
        f"{key}: {_plain(value)}"
        for key, value in line.data.items()
        if key not in HIDDEN_KEYS and value not in (None, "", [], {}, thing)
    ]
    text = "; ".join(told)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


def reason_of(line: AuditLine) -> str:
    reason = line.data.get("reason")
    return reason if isinstance(reason, str) else ""


def _plain(value: object) -> str:
    if value is None:
        return formats.NOTHING
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return ", ".join(value) or formats.NOTHING
    if isinstance(value, str | int | float):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)
