"""Layouts by name: tiers, replenishment stations, pick stations, robots, pods.

``1-2-2-8-428`` is the layout that published runs used. A number of pods with a point,
as in ``1-2-2-16-0.85``, is a share of the places of that layout.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

from fleet.rmfs.layout import LIFT_ROWS, STATION_ROWS, LayoutParameters

PATTERN = re.compile(r"(\d+)-(\d+)-(\d+)-(\d+)-(\d+|0?\.\d+)")
SHARE = 0.85
MOST = 100_000
ROBOTS_AN_ELEVATOR = 16


def layout_of_name(name: str) -> LayoutParameters | None:
    """None where the name is not made of five numbers."""
    match = PATTERN.fullmatch(name)
    if match is None:
        return None
    tiers, inputs, outputs, robots = (int(each) for each in match.groups()[:4])
    given = LayoutParameters(
        tiers=tiers,
        robots=robots,
        elevators=max(2, math.ceil(robots / ROBOTS_AN_ELEVATOR)) * (tiers > 1),
        **_sides("replenishment", "west", inputs, tiers),
        **_sides("pick", "east", outputs, tiers),
    )
    if "." in match[5]:
        return replace(given, pod_share=float(match[5]))
    pods = int(match[5])
    columns, rows = _blocks(math.ceil(pods / SHARE / max(tiers, 1)), given)
    return replace(
        given, pods=pods, vertical_aisles=columns - 1, horizontal_aisles=rows - 1
    )


def _sides(kind: str, side: str, count: int, tiers: int) -> dict[str, int]:
    """On one side of the hall; very many stations also on the next one."""
    most = 16 * tiers
    other = {"west": "south", "east": "north"}[side]
    return {
        f"{kind}_{side}": min(count, most),
        f"{kind}_{other}": max(0, count - most),
    }


def _blocks(places: int, given: LayoutParameters) -> tuple[int, int]:
    """Columns and rows of blocks: enough places, room for stations, nearly square."""
    if places > MOST:
        return places, 1
    length = given.block_length
    tiers, lifts = max(given.tiers, 1), LIFT_ROWS * math.ceil(given.elevators / 2)

    def needed(count: int) -> int:
        return STATION_ROWS * math.ceil(count / tiers) + lifts

    high = max(needed(given.pick_east), needed(given.replenishment_west))
    wide = max(needed(given.pick_north), needed(given.replenishment_south)) - lifts
    best, least = (1, 1), math.inf
    for rows in range(1, places + 1):
        if 3 * rows - 1 < high:
            continue
        columns = max(1, math.ceil(places / (2 * length * rows)))
        while columns * (length + 1) - 1 < wide:
            columns += 1
        spare = columns * rows * 2 * length - places
        across, along = columns * (length + 1) - 1, 3 * rows - 1
        cost = abs(across - along - 8) + spare / 4.0
        if cost < least:
            best, least = (columns, rows), cost
        if rows * 3 > 4 * high and columns == 1:
            break
    return best
