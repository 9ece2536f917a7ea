"""Following a painted line by camera, as the robots of the published demonstrator do.

A picture becomes black and white by a range of brightness, is eroded so that specks go,
and the largest shape that is left is the line. Its bottom centre says how far the robot
is beside it, and a PID controller turns the robot back. No real robot of ours needs
it; here it is for those who build such a demonstrator.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Mask = NDArray[np.bool_]


def in_range(picture: Picture, least: int, most: int) -> Mask:
    """Where it is as bright as the line."""
    found: Mask = (picture >= least) & (picture <= most)
    return found


def eroded(mask: Mask, times: int = 1) -> Mask:
    """Without the outermost pixels of every shape; the edge of the picture is none."""
    found = mask.copy()
    for _ in range(times):
        wide = np.pad(found, 1, constant_values=True)
        found &= wide[:-2, 1:-1] & wide[2:, 1:-1] & wide[1:-1, :-2] & wide[1:-1, 2:]
    return found


def largest_shape(mask: Mask) -> Mask | None:
    """The one with most pixels, side by side; None: all is empty."""
    left, best = mask.copy(), None
    most = 0
    rows, columns = mask.shape
    while left.any():
        first = np.unravel_index(int(left.argmax()), left.shape)
        shape = np.zeros_like(mask)
        edge = [(int(first[0]), int(first[1]))]
        left[edge[0]] = False
        while edge:
            row, column = edge.pop()
            shape[row, column] = True
            for y, x in (
                *((row - 1, column), (row + 1, column)),
                *((row, column - 1), (row, column + 1)),
            ):
                if 0 <= y < rows and 0 <= x < columns and left[y, x]:
                    left[y, x] = False
                    edge.append((y, x))
        if int(shape.sum()) > most:
            best, most = shape, int(shape.sum())
    return best


def bottom_centre(shape: Mask) -> tuple[float, int]:
    """Column and row of the middle of its lowest row."""
    row = int(np.flatnonzero(shape.any(axis=1))[-1])
    return float(np.flatnonzero(shape[row]).mean()), row


def line_offset(
    picture: Picture, *, least: int = 0, most: int = 80, times: int = 1
) -> float | None:
    """From -1 (at the left edge) to 1 how far the line is beside the middle."""
    shape = largest_shape(eroded(in_range(picture, least, most), times))
    if shape is None:
        return None
    middle = (picture.shape[1] - 1) / 2.0
    offset: float = (bottom_centre(shape)[0] - middle) / middle
    return offset


@dataclass
class Pid:
    """What is asked for from how far something is off, its sum and its change."""

    proportional: float
    integral: float = 0.0
    derivative: float = 0.0
    most: float = 1.0
    _sum: float = field(default=0.0, init=False)
    _last: float | None = field(default=None, init=False)

    def __call__(self, error: float, dt_s: float) -> float:
        change = 0.0 if self._last is None else (error - self._last) / dt_s
        self._last = error
        total = self._sum + error * dt_s
        found = self._asked(error, total, change)
        if abs(found) < self.most:  # else the sum would grow without any use
            self._sum = total
        return max(-self.most, min(self.most, found))

    def _asked(self, error: float, total: float, change: float) -> float:
        return (
            self.proportional * error + self.integral * total + self.derivative * change
        )
