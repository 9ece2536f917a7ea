"""Robots that wait for each other: ranks that are inherited, rings that are cut."""

from __future__ import annotations

import math

from kernel_store.compiled import kernel
from shopfloor.experiments.rmfs.drive_kernels import (
    EVADES_SINCE,
    FULL_TURN_S,
    RANK,
    TURNED_S,
    WAITED_S,
    WAITS_SINCE,
)
from shopfloor.experiments.rmfs.traffic.arrays import (
    ASIDE,
    ASIDES,
    DEADLOCKS,
    FRONT,
    HEADING,
    PHASE,
    STORAGE,
    TURNING,
    TURNS,
    WAITING,
    WANT,
    Traffic,
)
from shopfloor.experiments.rmfs.traffic.cells import own


@kernel
def blocked_by(t: Traffic, robot: int) -> int:
    """Who stands where this robot wants to go and will not leave by itself."""
    want = t.whole[robot, WANT]
    if want < 0:
        return -1
    other = t.owner[want]
    if other < 0 or t.whole[other, FRONT] != want or t.whole[other, WANT] < 0:
        return -1
    return int(other)


@kernel
def turn_or_go(t: Traffic, robot: int, heading: int, now: float) -> None:
    whole, real = t.whole[robot], t.real[robot]
    quarter = abs(heading - whole[HEADING])
    if quarter == 3:
        quarter = 1
    if whole[PHASE] == WAITING:
        real[WAITED_S] += now - real[WAITS_SINCE]
    time_s = t.limits[FULL_TURN_S] * quarter / 4.0
    real[TURNED_S] += time_s
    if quarter:
        t.counts[TURNS] += 1
    whole[HEADING] = heading
    whole[PHASE] = TURNING
    t.due[robot] = now + time_s
    if t.outside[robot]:
        t.due[robot] = math.inf


@kernel
def go_aside(t: Traffic, robot: int, now: float) -> bool:
    """Send one of a ring of waiting robots to a free lane beside it."""
    whole = t.whole[robot]
    front = whole[FRONT]
    if whole[PHASE] != WAITING or (t.zone[front] >= 0 and t.behind[front] > 0):
        return False
    for heading in range(4):
        end = t.out[front, heading]
        if end < 0 or t.kind[end] == STORAGE or t.owner[end] >= 0:
            continue
        if t.zone[end] >= 0 or end == whole[WANT]:
            continue
        own(t, robot, end, now)
        whole[ASIDE] = heading
        whole[WANT] = -1
        turn_or_go(t, robot, heading, now)
        t.counts[ASIDES] += 1
        t.real[robot, EVADES_SINCE] = now
        return True
    return False


@kernel
def untangle(t: Traffic, robot: int, now: float) -> None:
    """Is this robot in a ring of robots that wait for each other? Break it."""
    other = blocked_by(t, robot)
    steps = 0
    while other >= 0 and other != robot and steps < len(t.whole):
        other = blocked_by(t, other)
        steps += 1
    if other != robot:
        return
    t.counts[DEADLOCKS] += 1
    member = robot
    for _ in range(steps + 1):
        if go_aside(t, member, now):
            return
        member = blocked_by(t, member)
        if member < 0:
            return


@kernel
def inherit(t: Traffic, robot: int) -> None:
    """Who is in the way of a robot gets its rank, and so on."""
    rank = t.real[robot, RANK]
    other = blocked_by(t, robot)
    for _ in range(len(t.whole)):
        if other < 0 or t.real[other, RANK] <= rank:
            return
        t.real[other, RANK] = rank
        other = blocked_by(t, other)
