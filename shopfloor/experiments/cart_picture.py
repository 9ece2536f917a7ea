"""Cart against robot: a table (CSV, a row an order and way) and a picture (SVG)."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from xml.sax.saxutils import escape

from shopfloor.experiments.cart import Compared, Exposure

TITLES = {
    "cart": "cart",
    "robot_one_worker": "robot, one worker",
    "robot_two_workers": "robot, two workers",
    "robot_two_workers_rounds": "robot in rounds, two workers",
}
COLOURS = {
    "cart": "#b45309",
    "robot_one_worker": "#0369a1",
    "robot_two_workers": "#0ea5e9",
    "robot_two_workers_rounds": "#7dd3fc",
}
PANELS = (
    ("seconds", "Order to last material in the tank", "min", 60.0),
    ("worker_s", "Work of all workers", "min", 60.0),
    ("near_tank_s", "Workers near a tank", "min", 60.0),
    ("walked_m", "Workers walk", "m", 1.0),
    ("pushed_kg_m", "Workers push", "t m", 1000.0),
)
WIDTH, PANEL, LEFT, WIDE = 860, 148, 220, 520
GREY = "#4b5563"


def table_of(compared: Compared) -> str:
    text = io.StringIO()
    names = list(asdict(Exposure()))
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["order", "way", *names])
    for place, number in enumerate(compared.numbers):
        for way, found in compared.rows.items():
            values = asdict(found[place])
            out.writerow([number, way, *(round(values[name], 1) for name in names)])
    return text.getvalue()


def picture_of(compared: Compared) -> str:
    """Means as bars; the thin line goes from the least to the most of all orders."""
    ways = [way for way in TITLES if way in compared.rows]
    height = 70 + PANEL * len(PANELS)
    facts = compared.facts
    title = (
        f"{facts['orders']} orders of {facts['kg_per_order']:g} kg in"
        f" {facts['world']}: cart and robot, per order"
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="13">'
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>'
        f'<text x="20" y="30" font-size="17" font-weight="bold">{escape(title)}</text>'
    ]
    for panel, (name, words, unit, scale) in enumerate(PANELS):
        parts.append(
            _panel(compared, ways, 52 + PANEL * panel, name, words, unit, scale)
        )
    return "".join(parts) + "</svg>\n"


def _panel(
    compared: Compared,
    ways: list[str],
    top: int,
    name: str,
    words: str,
    unit: str,
    scale: float,
) -> str:
    values = {w: [asdict(e)[name] / scale for e in compared.rows[w]] for w in ways}
    most = max((max(each) for each in values.values()), default=0.0) or 1.0
    parts = [
        f'<text x="20" y="{top + 14}" font-weight="bold">{words}, {unit}</text>',
    ]
    for place, way in enumerate(ways):
        y = top + 26 + 27 * place
        each = values[way]
        mean, low, high = sum(each) / len(each), min(each), max(each)
        length = WIDE * mean / most
        middle = y + 9
        parts.append(
            f'<text x="{LEFT - 10}" y="{y + 14}" text-anchor="end" fill="{GREY}">'
            f"{TITLES[way]}</text>"
            f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="18" '
            f'fill="{COLOURS[way]}"/>'
            f'<line x1="{LEFT + WIDE * low / most:.1f}" y1="{middle}" '
            f'x2="{LEFT + WIDE * high / most:.1f}" y2="{middle}" stroke="#111827"/>'
            f'<text x="{LEFT + WIDE * high / most + 8:.1f}" y="{y + 14}">{mean:.1f}'
            "</text>"
        )
    return "".join(parts)
