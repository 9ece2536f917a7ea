"""A painted line in synthetic pictures, and a robot that follows it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shopfloor.control.line_following import (
    Picture,
    Pid,
    bottom_centre,
    eroded,
    in_range,
    largest_shape,
    line_offset,
)

ROWS, COLUMNS = 24, 32
PIXEL_M = 0.005
LOOKS_AHEAD_M = 0.05
LINE_M = 0.02
FLOOR, LINE = 200, 30
SPEED_MPS, STEP_S = 0.2, 0.05


def wave_m(x_m: float) -> float:
    return 0.08 * math.sin(2.0 * x_m)


def picture_from(
    x_m: float, y_m: float, yaw: float, chance: np.random.Generator
) -> Picture:
    """What a camera above the floor sees before a robot; its lowest row is nearest."""
    row, column = np.mgrid[0:ROWS, 0:COLUMNS]
    ahead = LOOKS_AHEAD_M + (ROWS - 1 - row) * PIXEL_M
    left = ((COLUMNS - 1) / 2.0 - column) * PIXEL_M
    x = x_m + ahead * math.cos(yaw) - left * math.sin(yaw)
    y = y_m + ahead * math.sin(yaw) + left * math.cos(yaw)
    on_line = np.abs(y - 0.08 * np.sin(2.0 * x)) < LINE_M / 2.0
    found = np.where(on_line, LINE, FLOOR) + chance.normal(0.0, 8.0, (ROWS, COLUMNS))
    specks = chance.random((ROWS, COLUMNS)) < 0.02
    return np.clip(np.where(specks, LINE, found), 0, 255).astype(np.uint8)


@pytest.mark.covers("R88")
def test_a_picture_becomes_a_line_with_a_bottom_centre() -> None:
    picture = np.full((9, 12), FLOOR, np.uint8)
    picture[:, 3:7] = LINE
    picture[8, 4:8] = LINE  # at the bottom it has moved on
    picture[2:4, 10] = LINE  # a speck
    mask = in_range(picture, 0, 80)
    assert int(mask.sum()) == 9 * 4 + 1 + 2
    thin = eroded(mask)
    assert not thin[:, 10].any(), "specks are gone"
    assert thin[4].nonzero()[0].tolist() == [4, 5]
    shape = largest_shape(mask)
    assert shape is not None
    assert not shape[:, 10].any()
    assert bottom_centre(shape) == (5.0, 8)
    assert line_offset(np.full((9, 12), FLOOR, np.uint8)) is None


@pytest.mark.covers("R87")
def test_a_controller_keeps_a_robot_on_a_winding_line() -> None:
    chance = np.random.default_rng(1)
    pid = Pid(proportional=2.0, integral=0.2, derivative=0.1, most=2.0)
    x_m, y_m, yaw = 0.0, 0.05, 0.0  # beside the line at first
    off_m = []
    for _ in range(400):
        offset = line_offset(picture_from(x_m, y_m, yaw, chance))
        assert offset is not None, "the line was lost"
        yaw -= pid(offset, STEP_S) * STEP_S
        x_m += SPEED_MPS * STEP_S * math.cos(yaw)
        y_m += SPEED_MPS * STEP_S * math.sin(yaw)
        off_m.append(abs(y_m - wave_m(x_m)))
    assert x_m > 3.0
    assert max(off_m[:5]) > 0.04
    assert max(off_m[100:]) < 0.02


def test_the_sum_does_not_grow_where_more_cannot_be_asked_for() -> None:
    pid = Pid(proportional=1.0, integral=1.0, most=1.0)
    for _ in range(100):
        assert pid(5.0, 1.0) == 1.0
    assert pid(-0.5, 1.0) < 0.0
