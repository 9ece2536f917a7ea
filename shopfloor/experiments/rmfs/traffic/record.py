"""What robots have driven, written down in pieces for the checker and for views."""

from __future__ import annotations

from kernel_store.compiled import kernel
from shopfloor.experiments.rmfs.drive_kernels import (
    BEGAN_AT,
    BRAKE,
    BRAKES_AT,
    CELL_M,
    RECORDED_AT,
    RISE,
    RISEN_AT,
    STOPS_AT,
    where_at,
)
from shopfloor.experiments.rmfs.traffic.arrays import (
    DRIVING,
    FROM_CELL,
    HEADING,
    PHASE,
    RECORDED,
    Traffic,
)


@kernel
def write_piece(
    t: Traffic, robot: int, start: float, end: float, m: float, v: float, a: float
) -> None:
    if end <= start:
        return
    n = t.counts[RECORDED]
    piece = t.record[n]
    cell = t.whole[robot, FROM_CELL]
    heading = t.whole[robot, HEADING]
    size = t.limits[CELL_M]
    x, y = t.spots[cell, 1] * size, t.spots[cell, 2] * size
    if heading == 0:
        x += m
    elif heading == 1:
        y += m
    elif heading == 2:
        x -= m
    else:
        y -= m
    piece[0], piece[1], piece[2], piece[3] = robot, start, end, t.spots[cell, 0]
    piece[4], piece[5], piece[6], piece[7], piece[8] = x, y, heading, v, a
    t.counts[RECORDED] = n + 1


@kernel
def record_drive(t: Traffic, robot: int, until: float) -> None:
    """Write down the part of a drive that is over and not yet written."""
    if len(t.record) == 0:
        return
    real = t.real[robot]
    start = max(real[BEGAN_AT], real[RECORDED_AT])
    real[RECORDED_AT] = until
    for phase in range(3):
        if phase == 0:
            end, rise = real[RISEN_AT], t.limits[RISE]
        elif phase == 1:
            end, rise = real[BRAKES_AT], 0.0
        else:
            end, rise = real[STOPS_AT], -t.limits[BRAKE]
        end = min(end, until)
        if end > start:
            at_m, speed = where_at(real, t.limits, start)
            write_piece(t, robot, start, end, at_m, speed, rise)
            start = end


@kernel
def record_all(t: Traffic, now: float) -> None:
    """Write down what robots have driven up to now."""
    for robot in range(len(t.whole)):
        if t.whole[robot, PHASE] == DRIVING:
            record_drive(t, robot, now)
