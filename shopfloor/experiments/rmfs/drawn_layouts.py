"""Layouts that a file draws cell by cell.

One text for each tier, the north first.
``> < ^ v`` are lanes with their direction, ``+`` lanes that lead to every lane beside
them, ``#`` storage places, a space is a wall. ``ways`` has further ones: tier, x, y of
the start and of the end. Stations name their cells from the entrance of their queue on.
"""

from __future__ import annotations

from fleet.model.fields import Entry, Mistakes
from fleet.rmfs.errors import LayoutRefused
from fleet.rmfs.floor import STEPS, Floor, Lift, Sketch, Spot, Zone, build
from fleet.rmfs.layout import LayoutParameters

ARROWS = {">": (0,), "^": (1,), "<": (2,), "v": (3,), "+": (0, 1, 2, 3)}
STATION_KINDS = ["pick", "replenishment"]


def draw(top: Entry, given: LayoutParameters, wrong: Mistakes) -> Floor | None:
    """None where there are mistakes; they are in ``wrong``."""
    sketch = Sketch(cell_m=given.cell_m)
    entry = top.get("drawing")
    if entry is None:
        return None
    drawings = list(entry.items()) if entry.is_list() else [entry]
    headings: dict[Spot, tuple[int, ...]] = {}
    for tier, drawing in enumerate(drawings):
        rows = drawing.as_text().rstrip("\n").split("\n")
        for down, row in enumerate(rows):
            for x, sign in enumerate(row):
                spot = (tier, x, len(rows) - 1 - down)
                if sign == "#":
                    sketch.places.add(spot)
                elif sign in ARROWS:
                    sketch.lanes.add(spot)
                    headings[spot] = ARROWS[sign]
                elif sign not in " .":
                    drawing.wrong(f"has {sign!r} in row {down + 1}, column {x + 1}")
    for (tier, x, y), ways in headings.items():
        for heading in ways:
            dx, dy = STEPS[heading]
            end = (tier, x + dx, y + dy)
            if end in sketch.lanes:
                sketch.ways.add(((tier, x, y), end))
    more = top.get("ways")
    for pair in [] if more is None else more.items():
        numbers = pair.numbers(6)
        if numbers is not None:
            whole = [int(number) for number in numbers]
            sketch.ways.add(
                ((whole[0], whole[1], whole[2]), (whole[3], whole[4], whole[5]))
            )
    _read_stations(top, sketch)
    _read_lifts(top, sketch)
    if wrong.found:
        return None
    try:
        return build(sketch)
    except LayoutRefused as refused:
        for reason in refused.lines:
            wrong.add(entry.file, entry.line, reason)
        return None


def _read_stations(top: Entry, sketch: Sketch) -> None:
    entry = top.get("stations")
    for each in [] if entry is None else entry.items():
        kind = each.one_of("kind", STATION_KINDS, "")
        if not kind:
            each.wrong(f"lacks kind ({' or '.join(STATION_KINDS)})")
            kind = "pick"
        cells = _spots(each, "cells", sketch)
        item = each.get("item_s")
        capacity = each.get("capacity")
        each.finish()
        sketch.zones.append(
            Zone(
                kind,
                cells,
                item_s=None if item is None else item.as_number(above=0.0),
                capacity=None if capacity is None else int(capacity.as_number(least=1)),
            )
        )


def _read_lifts(top: Entry, sketch: Sketch) -> None:
    entry = top.get("elevators_drawn")
    for each in [] if entry is None else entry.items():
        enters = _spots(each, "enters", sketch)
        leaves = _spots(each, "leaves", sketch)
        tier_s = each.number("tier_s", 10.0, above=0.0)
        each.finish()
        sketch.lifts.append(Lift(enters, leaves, tier_s))


def _spots(entry: Entry, key: str, sketch: Sketch) -> list[Spot]:
    found: list[Spot] = []
    listed = entry.get(key)
    if listed is None:
        entry.wrong(f"lacks {key}")
        return found
    for each in listed.items():
        numbers = each.numbers(3)
        if numbers is None:
            continue
        spot = (int(numbers[0]), int(numbers[1]), int(numbers[2]))
        if spot not in sketch.lanes:
            each.wrong("is no lane (tier, x, y)")
        found.append(spot)
    return found
