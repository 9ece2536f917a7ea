"""Batch records: a million weighings, traced and verified."""

from __future__ import annotations

import io
import random
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

import psycopg2

from mpms import assets, bootstrap
from mpms.domain.models.definitions import Definition
from mpms.factory.adapters.documents import TypstDocuments
from mpms.factory.adapters.plant_key import verify
from mpms.factory.bootstrap import world_named
from mpms.factory.domain.records import PLANT, Entry, Head, Line, chained
from mpms.factory.domain.records.reading import read_record
from mpms.factory.services.records.genealogy import trace_lot
from mpms.factory.services.records.paper import record_pdf
from mpms.factory.services.records.show import Model, RecordShown
from mpms.factory.services.records.verify import verify_records
from mpms.factory.web.record_paper import headings

ORDERS, LOADS = 100_000, 10
LOTS = 20_000
ASKED = 60
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def _orders() -> Iterator[list[Line]]:
    """Each with ten loads; one load in forty is a product of an earlier order."""
    chance = random.Random(23)
    plant: list[Entry] = []
    for number in range(1, ORDERS + 1):
        record = f"MO-{2000 + number // 10_000}-{number % 10_000:04d}"
        entries = []
        for load in range(LOADS):
            lot = f"L-{chance.randrange(LOTS):05d}"
            if number > 100 and chance.random() < 1 / 40:
                before = chance.randrange(max(1, number - 2000), number)
                lot = f"MO-{2000 + before // 10_000}-{before % 10_000:04d}"
            data = {"material": f"RM-{load:03d}", "lot": lot, "kg": "12.345"}
            entries.append(Entry(record, "loaded", "ada", data=data))
        made = {"material": "Paint", "lot": record, "kg": "123.450"}
        entries.append(Entry(record, "produced", "mpms", data=made))
        at = BEGIN + timedelta(minutes=number)
        lines = chained(Head(record), entries, at)
        opened = {"record": record, "hash": lines[0].hash}
        plant.append(Entry(PLANT, "record opened", "mpms", data=opened))
        yield lines
    yield chained(Head(PLANT), plant, BEGIN)


def _fill(url: str) -> int:
    connection = psycopg2.connect(url)
    written = 0
    rows, heads = io.StringIO(), io.StringIO()

    def send() -> None:
        with connection.cursor() as cursor:
            for text, table in (
                (rows, "record_lines (record, line, content, hash)"),
                (heads, "record_heads (record, lines, hash)"),
            ):
                text.seek(0)
                cursor.copy_expert(f"COPY {table} FROM STDIN", text)
                text.truncate(0)
                text.seek(0)

    for lines in _orders():
        for each in lines:
            content = each.content.replace("\\", "\\\\")
            rows.write(f"{each.record}\t{each.line}\t{content}\t{each.hash}\n")
        last = lines[-1]
        heads.write(f"{last.record}\t{last.line}\t{last.hash}\n")
        written += len(lines)
        if rows.tell() > 30_000_000:
            send()
    send()
    connection.commit()
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE record_lines")
    connection.close()
    return written


def measure(url: str, say: Callable[[str], None]) -> dict[str, Any]:
    bootstrap.migrate_database(url)
    started = time.perf_counter()
    lines = _fill(url)
    say(f"{lines} lines written in {time.perf_counter() - started:.0f} s")
    services = bootstrap.connect(url)
    try:
        started = time.perf_counter()
        report = verify_records(services.uow, verify)
        took_s = time.perf_counter() - started
        assert report.lines == lines
        assert not report.faults, report.faults[0]
        say(f"{lines} lines verified in {took_s:.1f} s")
        times_ms, found = [], []
        chance = random.Random(7)
        for turn in range(ASKED):
            lot = f"L-{chance.randrange(LOTS):05d}"
            if turn % 2:
                number = chance.randrange(ORDERS // 2, ORDERS)
                lot = f"MO-{2000 + number // 10_000}-{number % 10_000:04d}"
            started = time.perf_counter()
            tree = trace_lot(services.uow, lot)
            times_ms.append((time.perf_counter() - started) * 1000)
            found.append(len(tree.into) + len(tree.made_of))
        assert sum(found) > ASKED
    finally:
        services.close()
    times_ms.sort()
    return {
        "genealogy_ms": round(median(times_ms), 2),
        "genealogy_p95_ms": round(times_ms[int(ASKED * 0.95)], 2),
        "genealogy_weighings": ORDERS * LOADS,
        "genealogy_rows": round(sum(found) / ASKED, 1),
        "verify_s_1m_lines": round(took_s * 1_000_000 / lines, 2),
    }


def paper() -> dict[str, Any]:
    """The PDF of an order with 30 raw materials, all pictures included."""

    record, entries = "MO-2026-0001", []
    ordered = [
        {"material": f"RM-{n:03d}", "name": f"Material {n}", "required_kg": "12.5"}
        for n in range(30)
    ]
    data: dict[str, Any] = {"product": "Paint", "customer": "x", "lines": ordered}
    entries.append(Entry(record, "order accepted", "mail", data=data))
    elements = ["move_to_material", "load_material", "weigh_material", "move_to_tank"]
    track = [[i / 10, (i % 40) / 10] for i in range(400)]
    for line in ordered:
        for element in elements:
            moves = [["entered", element], ["left", element]]
            steps = {"instance": "i", "moves": moves}
            entries.append(Entry(record, "steps", "ada", data=steps))
        weighed = {"material": line["material"], "measured_kg": 12.5}
        entries.append(Entry(record, "weighed", "robot1", data=weighed))
        for place in ("A", "tank"):
            drive = {"place": place, "state": "reached"}
            entries.append(Entry(record, "goal ended", "robot1", data=drive))
        load = {**line, "lot": "L-1", "kg": "12.5", "deviation_kg": "0"}
        entries.append(Entry(record, "loaded", "ada", data=load))
    route = {"instances": ["i"], "tracks": {"robot1": track}, "places": {}}
    entries.append(Entry(record, "route", "mpms", data=route))
    read = read_record(record, chained(Head(record), entries, BEGIN))
    xml = assets.shipped_models()["warehouse.bpmn"]
    definition = Definition("d", "warehouse", 1, "Warehouse", xml)
    model = Model("i", "warehouse", 1, "Warehouse", "d", definition)
    names = {element: element.replace("_", " ") for element in elements}
    shown = RecordShown(read, (model,), names, None, Head(PLANT))
    times_s = []
    for _ in range(5):
        started = time.perf_counter()
        made = record_pdf(
            shown,
            TypstDocuments(),
            world=world_named("paint_factory"),
            address="http://127.0.0.1/orders/MO-2026-0001/record",
            words=lambda said: said.what,
            texts=headings(),
        )
        times_s.append(time.perf_counter() - started)
        assert made.startswith(b"%PDF-")
    return {"pdf_s_30_lines": round(median(times_s), 3)}
