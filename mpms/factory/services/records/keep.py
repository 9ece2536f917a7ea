"""Fill the batch record of an order, in the transaction in which something happens.

The history tells nearly everything; what it does not say, such as which model this
version is or what was ordered, is looked up in the same transaction. Nothing is read
from a process later.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from mpms.domain.history.events import Told
from mpms.domain.jobs import Job
from mpms.factory.domain.orders import ENDED, OrderStatus
from mpms.factory.domain.records import Entry
from mpms.factory.domain.records.from_history import bounded, entries_of, grown
from mpms.factory.domain.stock import kg_of
from mpms.factory.ports.store import Transaction
from mpms.factory.services.orders.overview import Load, loads_in
from mpms.factory.services.records.append import append_entries

MOST_KNOWN = 50_000  # instances whose order is remembered
LOADED = "loaded"  # the variable in which a model lists what is in the tank
WEIGHED = "scale.weigh"
PRODUCED = (OrderStatus.DONE, OrderStatus.COMPLETED_MANUALLY)


class KeepRecords:
    """Writes lines before a transaction commits; one a process, shared by threads."""

    def __init__(self) -> None:
        # What an instance works for never changes, so it is asked for once.
        self._known: dict[str, str | None] = {}

    def __call__(self, tx: Transaction, noted: Sequence[object]) -> None:
        told = [each for each in noted if isinstance(each, Told)]
        entries = [each for each in noted if isinstance(each, Entry)]
        records = self._records(tx, told)
        if records:
            found = entries_of(told, lambda line: records.get(_about(line)))
            entries += [more for each in found for more in _complete(tx, each)]
            entries += _loads(tx, told, records)
        if entries:
            append_entries(tx, _named(tx, entries))
            _note_ends(tx, entries)

    def _records(self, tx: Transaction, told: Iterable[Told]) -> dict[str, str]:
        """The order that each line is about, by what ``_about`` gives."""
        found: dict[str, str | None] = {}
        keys: dict[str, str | None] = {}
        strange: set[str] = set()
        for line in told:
            about = _about(line)
            if not about or about in keys or about in found:
                continue
            if about != line.instance_id:
                keys[about] = about
            elif about in self._known:
                found[about] = self._known[about]
            elif line.kind == "instance started":
                keys[about] = line.data.get("key")
            else:
                strange.add(about)
        if strange - keys.keys():
            keys |= tx.records.keys_of(strange - keys.keys())
        asked = {key for key in keys.values() if key}
        orders = tx.records.orders_of(asked) if asked else set()
        for about, key in keys.items():
            found[about] = key if key in orders else None
            if about != key:
                self._remember(about, found[about])
        return {about: order for about, order in found.items() if order is not None}

    def _remember(self, instance_id: str, order: str | None) -> None:
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[instance_id] = order


def _about(line: Told) -> str:
    """The number of the order, where the line says it, else the instance."""
    order = line.data.get("order")
    return order if isinstance(order, str) and order else line.instance_id or ""


def _complete(tx: Transaction, entry: Entry) -> Iterable[Entry]:
    """An entry with what only the database knows, and what follows from it."""
    more: dict[str, Any] = {}
    if entry.what == "order accepted":
        more = _ordered(tx, entry.record)
    elif entry.what == "instance started":
        more = _model(tx, entry.data)
    elif entry.what == "migrated":
        more = {"instance": entry.data.get("instance")}
    elif entry.what == "decided":
        xml = tx.definitions.decision(str(entry.data.get("decision")))
        more = {"sha256": None if xml is None else hashlib.sha256(xml).hexdigest()}
    yield replace(entry, data={**entry.data, **more}) if more else entry
    if entry.what == "order status" and entry.new in PRODUCED:
        yield from _product(tx, entry)


def _ordered(tx: Transaction, number: str) -> dict[str, Any]:
    order = tx.orders.get(number)
    version = tx.catalogue.newest()
    content = tx.catalogue.content(version) if version else None
    digest = None if content is None else hashlib.sha256(content.encode()).hexdigest()
    return {
        "product": order.product,
        "customer": order.customer,
        "due": None if order.due is None else order.due.isoformat(),
        "priority": order.priority,
        "catalogue": {"version": version, "sha256": digest},
        "lines": [
            {
                "material": line.material,
                "name": line.name,
                "required_kg": line.required_kg,
                "lot": line.lot,
            }
            for line in order.lines
        ],
    }


def _model(tx: Transaction, data: Mapping[str, Any]) -> dict[str, Any]:
    definition = tx.definitions.of_version(data["process"], data["version"])
    return {"name": definition.name, "sha256": definition.digest}


def _product(tx: Transaction, entry: Entry) -> Iterable[Entry]:
    order = tx.orders.get(entry.record)
    loaded = tx.order_views.lines(entry.record)
    total_kg = sum((each.measured_kg or Decimal(0) for each in loaded), Decimal(0))
    yield Entry(
        entry.record,
        "produced",
        entry.who,
        data={"material": order.product, "lot": order.number, "kg": total_kg},
    )


def _loads(
    tx: Transaction, told: Iterable[Told], records: Mapping[str, str]
) -> Iterable[Entry]:
    """What came into the tank, as the model lists it."""
    for line in told:
        number = records.get(_about(line))
        name = line.data.get("name") if line.kind == "variable" else None
        if number is None or name != LOADED:
            continue
        for each in grown(line.data.get("old"), line.data.get("new")):
            for load in loads_in([each]):
                yield _load(tx, number, line, load)


def _load(tx: Transaction, number: str, line: Told, load: Load) -> Entry:
    data: dict[str, Any] = {"material": load.code, "lot": load.lot}
    who = line.actor
    booked = [p for p in tx.picks.of_order(number) if p.used_at is not None]
    if booked and booked[-1].material == load.code:  # its line was filled when booked
        pick = booked[-1]
        name: str | None = tx.orders.get(number).lines[pick.line].name
        required_kg: Decimal | None = kg_of(pick.grams)
        who = pick.loaded_by or who
    else:
        line_of_order = tx.orders.record_next_load(
            number, load.code, measured_kg=load.loaded_kg, lot=load.lot
        )
        name, required_kg = line_of_order or (None, None)
    if load.loaded_kg is not None:
        kg = Decimal(str(load.loaded_kg))
        data["kg"] = kg
        if required_kg is not None:
            data |= {"required_kg": required_kg, "deviation_kg": kg - required_kg}
    if name is None:
        data["not_ordered"] = True
    else:
        data["name"] = name
    return Entry(number, "loaded", who, where=line.element, data=data)


def _named(tx: Transaction, entries: Sequence[Entry]) -> list[Entry]:
    """With the names of people, which their accounts need not keep."""
    names = tx.records.names_of({entry.who for entry in entries})
    return [
        replace(e, data={**e.data, "person": names[e.who]}) if e.who in names else e
        for e in entries
    ]


def _note_ends(tx: Transaction, entries: Iterable[Entry]) -> None:
    for entry in entries:
        if entry.what == "order status" and isinstance(entry.new, str):
            tx.records.set_ended(entry.record, entry.new in ENDED)


def note_weighing(tx: Transaction, job: Job, results: Mapping[str, Any]) -> None:
    """A scale has answered: all that its work gave."""
    if job.topic != WEIGHED or not job.business_key:
        return
    if not tx.records.orders_of([job.business_key]):
        return
    data = {key: bounded(value) for key, value in results.items()}
    instrument, raw = data.pop("instrument", None), data.pop("raw", None)
    tx.records.note(
        Entry(
            job.business_key,
            "weighed",
            str(job.inputs.get("robot") or job.topic),
            where=job.element,
            instrument=None if instrument is None else str(instrument),
            raw=None if raw is None else str(raw),
            data={"material": job.inputs.get("code"), **data},
        )
    )
