"""Who owns which cell: robots take those they will roll through, and give them back.

Nobody enters a cell that another owns. A drive is begun and lengthened with the cells
that it has; who waits longest for a cell gets it when it comes free.
"""

from __future__ import annotations

import math

from kernel_store.compiled import kernel
from shopfloor.experiments.rmfs.drive_kernels import (
    BRAKE,
    CELL_M,
    DRIVE_BEGAN_AT,
    HELD_UNTIL,
    RANK,
    RISE,
    RULE,
    TOP,
    WAITED_S,
    WAITS_SINCE,
    plan_drive,
    when_at,
    where_at,
)
from shopfloor.experiments.rmfs.traffic.arrays import (
    DRIVING,
    FROM_CELL,
    FRONT,
    GOAL,
    HEADING,
    LEFT_CELLS,
    LENGTH,
    LONG_S,
    PHASE,
    PIBT,
    PLANNED,
    STORAGE,
    TAIL,
    TUNNELS,
    WAITING,
    WANT,
    Traffic,
)
from shopfloor.experiments.rmfs.traffic.choice import choose, planned_step
from shopfloor.experiments.rmfs.traffic.record import record_drive


@kernel
def own(t: Traffic, robot: int, cell: int, now: float) -> None:
    t.owner[cell] = robot
    t.owned_at[cell] = now
    t.visits[cell] += 1


@kernel
def start_drive(t: Traffic, robot: int, cells: int, now: float) -> None:
    """From where the robot stands, through cells that it owns already."""
    whole, real = t.whole[robot], t.real[robot]
    if whole[PHASE] == WAITING:
        real[WAITED_S] += now - real[WAITS_SINCE]
    whole[TAIL] = whole[FROM_CELL]
    whole[LENGTH] = cells
    whole[LEFT_CELLS] = 0
    whole[PHASE] = DRIVING
    whole[WANT] = -1
    size = t.limits[CELL_M]
    plan_drive(real, t.limits, now, 0.0, 0.0, cells * size)
    t.due[robot] = when_at(real, t.limits, 0.5 * size)
    if t.outside[robot]:
        t.due[robot] = math.inf
    real[DRIVE_BEGAN_AT] = now


@kernel
def lengthen(t: Traffic, robot: int, cells: int, now: float) -> None:
    """The end of a drive moves on."""
    whole, real = t.whole[robot], t.real[robot]
    record_drive(t, robot, now)
    at_m, speed = where_at(real, t.limits, now)
    whole[LENGTH] += cells
    size = t.limits[CELL_M]
    plan_drive(real, t.limits, now, at_m, speed, whole[LENGTH] * size)
    t.due[robot] = when_at(real, t.limits, (whole[LEFT_CELLS] + 0.5) * size)


@kernel
def own_tunnel(t: Traffic, robot: int, cell: int, now: float) -> int:
    """All cells below the pods ahead, and the lane behind them; how many."""
    whole = t.whole[robot]
    end, heading = t.tunnel[cell, whole[HEADING]], whole[HEADING]
    cells = 0
    while cell != end:
        cell = t.out[cell, heading]
        own(t, robot, cell, now)
        cells += 1
    whole[FRONT] = end
    t.counts[TUNNELS] += 1
    return cells


@kernel
def extend(t: Traffic, robot: int, now: float) -> int:
    """Own as many cells ahead as the robot needs to keep its speed; how many more."""
    whole, real = t.whole[robot], t.real[robot]
    if real[HELD_UNTIL] > now:
        return 0
    size, top = t.limits[CELL_M], t.limits[TOP]
    at_m, speed = where_at(real, t.limits, now)
    mark_m = (whole[LEFT_CELLS] + 0.5) * size
    fast = math.sqrt(speed * speed + 2.0 * t.limits[RISE] * max(0.0, mark_m - at_m))
    fast = min(top, fast)
    needed_m = mark_m + fast * fast / (2.0 * t.limits[BRAKE])
    more = 0
    while (whole[LENGTH] + more) * size < needed_m - 1e-9:
        front = whole[FRONT]
        if front == whole[GOAL]:
            break
        heading = choose(t, robot, front, True)
        if heading != whole[HEADING]:
            break
        ahead = t.out[front, heading]
        if t.kind[ahead] == STORAGE and ahead != whole[GOAL]:
            more += own_tunnel(t, robot, front, now)
            continue
        if t.owner[ahead] >= 0:
            whole[WANT] = ahead
            real[WAITS_SINCE] = now
            break
        own(t, robot, ahead, now)
        whole[FRONT] = ahead
        more += 1
    return more


@kernel
def free(t: Traffic, cell: int, now: float) -> None:
    """Give a cell back; who waits longest for it has it at once."""
    t.held_s[cell] += now - t.owned_at[cell]
    t.owner[cell] = -1
    chosen = -1
    since = math.inf
    for n in range(t.into.shape[1]):
        beside = t.into[cell, n]
        if beside < 0:
            break
        other = t.owner[beside]
        if other < 0 or t.whole[other, WANT] != cell or t.whole[other, FRONT] != beside:
            continue
        column = RANK if t.limits[RULE] == PIBT else WAITS_SINCE
        key = t.real[other, column]
        if t.limits[RULE] == PLANNED:
            key += LONG_S * planned_step(t, other, cell)
        if key < since:
            chosen, since = other, key
    if chosen < 0:
        return
    whole = t.whole[chosen]
    if t.lift_of[cell] >= 0 and t.lift_of[whole[FRONT]] == t.lift_of[cell]:
        t.due[chosen] = now
        return
    if whole[PHASE] == DRIVING:
        whole[WANT] = -1
        own(t, chosen, cell, now)
        whole[FRONT] = cell
        lengthen(t, chosen, 1, now)
    elif whole[PHASE] == WAITING:
        own(t, chosen, cell, now)
        whole[FRONT] = cell
        start_drive(t, chosen, 1, now)
