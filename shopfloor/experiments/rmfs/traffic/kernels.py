"""All robots on the floor, in continuous time: who drives when, and who gives way.

A robot owns the cell it stands in and the cells it will roll through before it could
stop; nobody enters a cell that another owns. It gives a cell back when it is half way
to the next one. Lanes are one-way where the floor says so (the idea of flow annotated
replanning, Wang and Botea 2008), each robot follows the distance to its goal, and
who waits longest for a cell gets it. A ring of robots that wait for each other is found
when its last one stops; one of them goes aside then.

Rules differ in who goes first and which way: by waiting time (FAR), by the time under
way, which robots in the way inherit (as in PIBT), without regard (SIMPLE), and along
paths that were planned for all (PLANNED): there, who is to be in a cell first enters it
first.

The kernel runs until a robot is where it was sent, or until a moment.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel
from shopfloor.experiments.rmfs.drive_kernels import (
    CELL_M,
    DETOUR,
    DRIVE_BEGAN_AT,
    DRIVEN_M,
    DRIVES_S,
    EVADED_S,
    EVADES_SINCE,
    HELD_UNTIL,
    LIFTED_S,
    NEVER,
    RETRY_S,
    RULE,
    STOPS_AT,
    WAITED_S,
    WAITS_SINCE,
    when_at,
)
from shopfloor.experiments.rmfs.traffic.arrays import (
    ARRIVAL_S,
    ARRIVED,
    ASIDE,
    BARRED,
    BUSY,
    DRIVING,
    EVENTS,
    FROM_CELL,
    FRONT,
    GOAL,
    HEADING,
    IDLE,
    LEFT_CELLS,
    LENGTH,
    LIFT,
    LIFTED,
    LIFTS,
    LOST,
    NONE,
    PHASE,
    PIBT,
    PIECES_AT_ONCE,
    READY,
    RECORD_FULL,
    RECORDED,
    STORAGE,
    TAIL,
    TURNING,
    WAITING,
    WANT,
    Traffic,
)
from shopfloor.experiments.rmfs.traffic.cells import (
    extend,
    free,
    lengthen,
    own,
    own_tunnel,
    start_drive,
)
from shopfloor.experiments.rmfs.traffic.choice import around, choose, tunnel_free
from shopfloor.experiments.rmfs.traffic.record import record_drive, write_piece
from shopfloor.experiments.rmfs.traffic.rings import inherit, turn_or_go, untangle


@kernel
def wait(t: Traffic, robot: int, cell: int, now: float) -> None:
    whole, real = t.whole[robot], t.real[robot]
    if whole[PHASE] != WAITING:
        if whole[WANT] != cell:
            real[WAITS_SINCE] = now
        whole[PHASE] = WAITING
    whole[WANT] = cell
    front = whole[FRONT]
    if t.zone[front] >= 0 and t.behind[front] > 0 and t.shortcut[front] < 0:
        t.due[robot] = math.inf  # in a queue there is one way on, and free() wakes
        return
    t.due[robot] = now + t.limits[RETRY_S]
    if t.limits[RULE] == PIBT:
        inherit(t, robot)
    untangle(t, robot, now)


@kernel
def ride(t: Traffic, robot: int, tier: int, now: float) -> None:
    """Take the lift if it is free and so is the cell where it ends."""
    whole, real = t.whole[robot], t.real[robot]
    here = whole[FRONT]
    end, lift = t.lift[here, tier], t.lift_of[here]
    if t.owner[end] >= 0 or t.lift_user[lift] >= 0:
        if whole[PHASE] != WAITING:
            real[WAITS_SINCE] = now
            whole[PHASE] = WAITING
        whole[WANT] = end
        t.due[robot] = now + 1.0
        return
    if whole[PHASE] == WAITING:
        real[WAITED_S] += now - real[WAITS_SINCE]
    own(t, robot, end, now)
    t.lift_user[lift] = robot
    whole[WANT] = -1
    whole[LIFT] = end
    whole[PHASE] = LIFTED
    t.counts[LIFTS] += 1
    floors = abs(t.spots[end, 0] - t.spots[here, 0])
    real[LIFTED_S] += t.lift_s[lift] * floors
    t.due[robot] = now + t.lift_s[lift] * floors


@kernel
def go(t: Traffic, robot: int, now: float) -> int:
    """Enter the cell ahead, or wait for it. BARRED: somebody is below the pods."""
    whole = t.whole[robot]
    here = whole[FRONT]
    ahead = t.out[here, whole[HEADING]]
    if t.kind[ahead] == STORAGE and ahead != whole[GOAL]:
        if not tunnel_free(t, here, whole[HEADING]):
            return BARRED
        cells = own_tunnel(t, robot, here, now)
        start_drive(t, robot, cells, now)
    elif t.owner[ahead] >= 0:
        wait(t, robot, ahead, now)
    else:
        own(t, robot, ahead, now)
        whole[FRONT] = ahead
        start_drive(t, robot, 1, now)
    return NONE


@kernel
def decide_again(t: Traffic, robot: int, now: float) -> int:
    """The way below the pods is taken meanwhile: along the lanes then."""
    whole = t.whole[robot]
    heading = choose(t, robot, whole[FRONT], False)
    if heading < 0 or heading >= 4:
        whole[PHASE] = WAITING
        whole[WANT] = -1
        t.real[robot, WAITS_SINCE] = now
        t.due[robot] = now + t.limits[RETRY_S]
        return NONE
    if heading != whole[HEADING]:
        turn_or_go(t, robot, heading, now)
        whole[WANT] = -1
        return NONE
    return go(t, robot, now)


@kernel
def stay(t: Traffic, robot: int, now: float) -> None:
    """A robot that is held up stands where it is, and wants nothing until then."""
    whole, real = t.whole[robot], t.real[robot]
    if whole[PHASE] != WAITING:
        real[WAITS_SINCE] = now
    whole[PHASE] = WAITING
    whole[WANT] = -1
    t.due[robot] = real[HELD_UNTIL]


@kernel
def decide(t: Traffic, robot: int, now: float) -> int:
    """A standing robot goes on, turns, waits, or is there."""
    whole = t.whole[robot]
    here = whole[FRONT]
    if here == whole[GOAL]:
        whole[PHASE] = IDLE
        whole[WANT] = -1
        t.due[robot] = math.inf
        return ARRIVED
    if t.real[robot, HELD_UNTIL] > now:
        stay(t, robot, now)
        return NONE
    heading = choose(t, robot, here, True)
    if heading < 0:
        whole[PHASE] = IDLE
        t.due[robot] = math.inf
        return LOST
    if heading >= 4:
        ride(t, robot, heading - 4, now)
        return NONE
    if t.limits[DETOUR] > 0.0 and whole[PHASE] == WAITING:
        heading = around(t, robot, heading)
    if heading != whole[HEADING]:
        turn_or_go(t, robot, heading, now)
        whole[WANT] = -1
        return NONE
    why = go(t, robot, now)
    if why == BARRED:
        return decide_again(t, robot, now)
    return why


@kernel
def stop_evading(real: NDArray[np.float64], now: float) -> None:
    """A robot that stepped aside stands there, or drives on to where it is to go."""
    if real[EVADES_SINCE] != NEVER:
        real[EVADED_S] += now - real[EVADES_SINCE]
        real[EVADES_SINCE] = NEVER


@kernel
def happen(t: Traffic, robot: int, now: float) -> int:
    """What is due for a robot."""
    whole, real = t.whole[robot], t.real[robot]
    t.counts[EVENTS] += 1
    phase = whole[PHASE]
    if phase == DRIVING:
        size = t.limits[CELL_M]
        if whole[LEFT_CELLS] < whole[LENGTH]:
            tail = whole[TAIL]
            whole[TAIL] = t.out[tail, whole[HEADING]]
            whole[LEFT_CELLS] += 1
            more = extend(t, robot, now) if whole[WANT] < 0 else 0
            if more:
                stop_evading(real, now)
                lengthen(t, robot, more, now)
            elif whole[LEFT_CELLS] < whole[LENGTH]:
                mark_m = (whole[LEFT_CELLS] + 0.5) * size
                t.due[robot] = when_at(real, t.limits, mark_m)
            else:
                t.due[robot] = real[STOPS_AT]
            free(t, tail, now)
            return NONE
        record_drive(t, robot, now)
        stop_evading(real, now)
        real[DRIVEN_M] += whole[LENGTH] * size
        real[DRIVES_S] += now - real[DRIVE_BEGAN_AT]
        whole[FROM_CELL] = whole[FRONT]
        return decide(t, robot, now)
    if phase == TURNING:
        if whole[ASIDE] >= 0:
            whole[FRONT] = t.out[whole[FROM_CELL], whole[ASIDE]]
            whole[ASIDE] = -1
            start_drive(t, robot, 1, now)
            return NONE
        if real[HELD_UNTIL] > now:
            stay(t, robot, now)
            return NONE
        why = go(t, robot, now)
        return decide_again(t, robot, now) if why == BARRED else why
    if phase == LIFTED:
        left, end = whole[FRONT], whole[LIFT]
        whole[FRONT] = end
        whole[FROM_CELL] = end
        t.lift_user[t.lift_of[end]] = -1
        if len(t.record):
            write_piece(t, robot, now, now + ARRIVAL_S, 0.0, 0.0, 0.0)
        free(t, left, now)
        return decide(t, robot, now)
    if phase == BUSY:
        whole[PHASE] = IDLE
        t.due[robot] = math.inf
        return READY
    return decide(t, robot, now)


@kernel
def reached(t: Traffic, robot: int, now: float) -> None:
    """A robot that drives elsewhere is where its drive ends, or has turned."""
    whole, real = t.whole[robot], t.real[robot]
    if t.outside[robot] == 0 or (whole[PHASE] != DRIVING and whole[PHASE] != TURNING):
        return
    t.due[robot] = now
    if whole[PHASE] == TURNING:
        return
    real[STOPS_AT] = now
    while whole[LEFT_CELLS] < whole[LENGTH]:
        tail = whole[TAIL]
        whole[TAIL] = t.out[tail, whole[HEADING]]
        whole[LEFT_CELLS] += 1
        free(t, tail, now)


@kernel
def advance(t: Traffic, until: float) -> tuple[float, int, int]:
    """Run to the next moment that somebody must decide about, at most ``until``.

    The moment, the robot and why: ARRIVED, READY (what it was busy with is over),
    RECORD_FULL, LOST (no way leads to its goal), or NONE at ``until``.
    """
    count = len(t.whole)
    room = len(t.record) - PIECES_AT_ONCE * (count + 8)
    while True:
        robot = 0
        now = t.due[0]
        for n in range(1, count):
            if t.due[n] < now:
                robot, now = n, t.due[n]
        if now > until:
            return until, -1, NONE
        if len(t.record) and t.counts[RECORDED] >= room:
            return now, -1, RECORD_FULL
        why = happen(t, robot, now)
        if why != NONE:
            return now, robot, why
