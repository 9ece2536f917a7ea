"""Pick orders from a CSV file: at_s, order, sku, units and, if wanted, due_s."""

from __future__ import annotations

import csv
from pathlib import Path

from fleet.model.fields import Entry
from shopfloor.experiments.rmfs.scenario import FileOrder

COLUMNS = ("at_s", "order", "sku", "units")


def read_orders(path: Path, skus: int, entry: Entry) -> tuple[FileOrder, ...]:
    """Mistakes are noted at the entry, with the line of the list."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        entry.wrong(f"cannot be read: {error}")
        return ()
    lacking = [name for name in COLUMNS if not rows or name not in rows[0]]
    if lacking:
        entry.wrong(f"lacks the columns {', '.join(lacking)}")
        return ()
    found: dict[str, tuple[float, float | None, list[tuple[int, int]]]] = {}
    for number, row in enumerate(rows, start=2):
        try:
            at_s = float(row["at_s"])
            sku, units = int(row["sku"]), int(row["units"])
            due_s = float(row["due_s"]) if row.get("due_s") else None
        except (TypeError, ValueError):
            entry.wrong(f"line {number} of the list is not made of numbers")
            continue
        if not (0 <= sku < skus and units >= 1 and at_s >= 0.0):
            entry.wrong(f"line {number} of the list: SKU {sku}, {units} units")
            continue
        lines = found.setdefault(row["order"], (at_s, due_s, []))[2]
        lines.append((sku, units))
        if len(lines) > 8:
            entry.wrong(f"line {number} of the list: more than 8 lines in an order")
    orders = [FileOrder(at, tuple(lines), due) for at, due, lines in found.values()]
    return tuple(sorted(orders, key=lambda order: order.at_s))
