"""Which lines of the history become lines of a record.

Everything that the history tells of an order is kept unless it is named here: what a
new part of the plant writes is in the record without anybody thinking of it. What the
engine says of tokens and variables comes in crowds; of each transaction and instance
it becomes one line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mpms.domain.history.events import Told
from mpms.factory.domain.records.chain import Entry

STEPS, VALUES = "steps", "values"
MOVES = frozenset({"entered", "left", "cancelled", "moved", "skipped", "compensated"})
# Said by other lines, of no meaning for a product, or not yet what happened.
LEFT_OUT = frozenset(
    {
        *("thrown", "caught", "draft begun", "batch item", "reply sent"),
        *("alert sent", "alert not sent", "mail accepted", "incidents assigned"),
    }
)
LARGEST = 4000  # characters of a value; of a larger one its digest is kept


def entries_of(
    told: Iterable[Told], record_of: Callable[[Told], str | None]
) -> list[Entry]:
    """What a transaction's lines say of orders, in order."""
    entries: list[Entry] = []
    crowds: dict[tuple[str, str, str | None], Entry] = {}
    for line in told:
        if line.kind in LEFT_OUT or (record := record_of(line)) is None:
            continue
        if line.kind not in MOVES and line.kind != "variable":
            entries.append(_entry(record, line))
            continue
        what = VALUES if line.kind == "variable" else STEPS
        crowd = crowds.get((record, what, line.instance_id))
        if crowd is None:
            crowd = _crowd(record, what, line)
            crowds[record, what, line.instance_id] = crowd
            entries.append(crowd)
        _join(crowd, line)
    return entries


def _entry(record: str, line: Told) -> Entry:
    data = dict(line.data)
    why = data.pop("reason", None) or data.pop("why", None)
    old, new = data.pop("old", None), data.pop("new", None)
    data.pop("order", None)
    if line.instance_id is not None:
        data["instance"] = line.instance_id
    return Entry(
        record,
        line.kind,
        line.actor,
        where=line.element,
        why=None if why is None else str(why),
        old=old,
        new=new,
        data={key: bounded(value) for key, value in data.items()},
    )


def _crowd(record: str, what: str, line: Told) -> Entry:
    data: dict[str, Any] = {"instance": line.instance_id}
    if what == STEPS:
        return Entry(record, what, line.actor, data=data | {"moves": []})
    return Entry(record, what, line.actor, old={}, new={}, data=data)


def _join(crowd: Entry, line: Told) -> None:
    if crowd.what == STEPS:
        move = [line.kind, line.element]
        if flow := line.data.get("via"):
            move.append(flow)
        crowd.data["moves"].append(move)
        return
    name = str(line.data.get("name"))
    if "old" in line.data and name not in crowd.new:
        crowd.old[name] = bounded(line.data["old"])
    crowd.new[name] = bounded(line.data.get("new"))


def bounded(value: Any) -> Any:
    """The value, or what it can be recognised by."""
    if value is None or isinstance(value, bool | int | float):
        return value
    text = json.dumps(value, default=str, sort_keys=True)
    if len(text) <= LARGEST:
        return value
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return {"characters": len(text), "sha256": digest}


def grown(old: object, new: object) -> Sequence[Any]:
    """What a list has at its end that it did not have before."""
    if not isinstance(new, list):
        return ()
    return new[len(old) if isinstance(old, list) else 0 :]
