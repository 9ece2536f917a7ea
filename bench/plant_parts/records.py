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

from mpms import bootstrap
from mpms.factory.adapters.plant_key import verify
from mpms.factory.domain.records import PLANT, Entry, Head, Line, chained
from mpms.factory.services.records.genealogy import trace_lot
from mpms.factory.services.records.verify import verify_records

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
