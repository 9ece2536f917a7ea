"""Heat maps of a run: where robots were, where trips ended, how full places are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fleet.rmfs.floor import STORAGE
from shopfloor.experiments.rmfs.simulation import Simulation

KINDS = ("robot_positions", "trips", "storage_state")
CELL_PIXELS = 14
COLD, WARM, HOT = (49, 24, 110), (214, 78, 92), (252, 233, 120)
LANE_GREY, PLACE_GREY, WALL = (236, 236, 236), (214, 218, 226), (255, 255, 255)


def heat(run: Simulation, kind: str) -> NDArray[np.float64]:
    """A number for each cell.

    Seconds in which a robot had it, trips that ended there, or the share of a pod's
    space that is taken in the place.
    """
    floor = run.floor
    if kind == "robot_positions":
        held: NDArray[np.float64] = run.traffic.arrays.held_s.copy()
        owned = run.traffic.arrays.owner >= 0
        held[owned] += run.warehouse.now - run.traffic.arrays.owned_at[owned]
        return held
    if kind == "trips":
        return run.tally.trips_to.astype(np.float64)
    stock = run.warehouse.stock
    found = np.zeros(floor.count)
    stored = stock.place >= 0
    found[stock.place[stored]] = stock.used[stored] / stock.capacity
    return found


def picture(run: Simulation, kind: str, *, logarithm: bool) -> Image.Image:
    """One tier beside the other, the north above."""
    floor = run.floor
    values = heat(run, kind)
    if logarithm:
        values = np.log1p(values)
    most = float(values.max()) or 1.0
    spots = floor.spots.astype(np.int64)
    low = spots.min(axis=0)
    width, height = (spots.max(axis=0) - low)[1:] + 1
    tiers = int(spots[:, 0].max()) + 1
    image = np.full((height, tiers * (width + 1) - 1, 3), WALL, np.uint8)
    for cell, (tier, x, y) in enumerate(spots.tolist()):
        row, column = height - 1 - (y - low[2]), tier * (width + 1) + x - low[1]
        if values[cell] > 0.0:
            image[row, column] = shade(values[cell] / most)
        else:
            stored = floor.kind[cell] == STORAGE
            image[row, column] = PLACE_GREY if stored else LANE_GREY
    pixels = np.kron(image, np.ones((CELL_PIXELS, CELL_PIXELS, 1), np.uint8))
    return Image.fromarray(pixels)


def shade(share: float) -> tuple[int, ...]:
    """From cold to hot."""
    low, high, part = (
        (COLD, WARM, share * 2) if share < 0.5 else (WARM, HOT, share * 2 - 1)
    )
    return tuple(round(a + (b - a) * part) for a, b in zip(low, high, strict=True))
