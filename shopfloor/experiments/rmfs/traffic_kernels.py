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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel
from shopfloor.experiments.rmfs.drive_kernels import (
    BEGAN_AT,
    BRAKE,
    BRAKES_AT,
    CELL_M,
    DETOUR,
    DRIVE_BEGAN_AT,
    DRIVEN_M,
    DRIVES_S,
    FULL_TURN_S,
    HELD_UNTIL,
    LIFTED_S,
    RANK,
    RECORDED_AT,
    RETRY_S,
    RISE,
    RISEN_AT,
    RULE,
    STOPS_AT,
    TOP,
    TUNNEL_GAIN,
    TURNED_S,
    WAITED_S,
    WAITS_SINCE,
    plan_drive,
    when_at,
    where_at,
)

# Columns of ``whole``: what is known of each robot as a whole number.
FROM_CELL, FRONT, HEADING, PHASE, GOAL, ROW = 0, 1, 2, 3, 4, 5
LOADED, WANT, LENGTH, LEFT_CELLS, TAIL, ASIDE, LIFT = 6, 7, 8, 9, 10, 11, 12
WHOLES = 13
IDLE, DECIDING, TURNING, DRIVING, WAITING, LIFTED, BUSY = 0, 1, 2, 3, 4, 5, 6
NONE, ARRIVED, READY, RECORD_FULL, LOST, BARRED = 0, 1, 2, 3, 4, 5
# Columns of ``counts``.
EVENTS, DEADLOCKS, RECORDED, ASIDES, TUNNELS, LIFTS, TURNS = range(7)
COUNTS = 7
FAR = 65535
STORAGE = 1
FAR_RULE, PIBT, SIMPLE, PLANNED = 0, 1, 2, 3
PIECE = 9
"""Robot, start, end, tier, x, y at the start, heading, speed, acceleration."""
PIECES_AT_ONCE = 4
LONG_S = 1e7
"""Longer than any run: who comes first by plan goes first, however long others wait."""
ARRIVAL_S = 1e-6
"""The piece that says on which tier a lift has left a robot."""


class Traffic(NamedTuple):
    """Every array of the kernel."""

    out: NDArray[np.int32]
    into: NDArray[np.int32]
    kind: NDArray[np.int8]
    spots: NDArray[np.int32]
    lift: NDArray[np.int32]
    lift_of: NDArray[np.int32]
    lift_s: NDArray[np.float64]
    lift_user: NDArray[np.int32]
    zone: NDArray[np.int32]
    behind: NDArray[np.int32]
    following: NDArray[np.int32]
    shortcut: NDArray[np.int32]
    chain: NDArray[np.int32]
    tunnel: NDArray[np.int32]
    tunnel_length: NDArray[np.int32]
    table: NDArray[np.uint16]
    owner: NDArray[np.int32]
    owned_at: NDArray[np.float64]
    visits: NDArray[np.int64]
    held_s: NDArray[np.float64]
    whole: NDArray[np.int32]
    real: NDArray[np.float64]
    due: NDArray[np.float64]
    limits: NDArray[np.float64]
    counts: NDArray[np.int64]
    record: NDArray[np.float64]
    plan: NDArray[np.int32]
    """Cells of each robot, step by step; -1: nothing is planned."""
    outside: NDArray[np.uint8]
    """1: it really drives elsewhere; ``reached`` says when it is there."""


@kernel
def heading_to(t: Traffic, cell: int, end: int) -> int:
    for heading in range(4):
        if t.out[cell, heading] == end:
            return heading
    return -1


@kernel
def planned_step(t: Traffic, robot: int, cell: int) -> int:
    """In which step of its plan a robot enters a cell; a large number: in none."""
    for step in range(1, t.plan.shape[1]):
        if t.plan[robot, step] == cell:
            return step
    return FAR


@kernel
def planned_heading(t: Traffic, robot: int, cell: int) -> int:
    """Where its plan leads on from a cell; -1: nowhere."""
    for step in range(t.plan.shape[1] - 1):
        after = t.plan[robot, step + 1]
        if t.plan[robot, step] == cell and after >= 0 and after != cell:
            if t.kind[after] == STORAGE and after != t.whole[robot, GOAL]:
                return -1
            if t.table[t.whole[robot, ROW], after] == FAR:
                return -1
            return heading_to(t, cell, after)
    return -1


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
def tunnel_free(t: Traffic, cell: int, heading: int) -> bool:
    end = t.tunnel[cell, heading]
    if end < 0:
        return False
    while cell != end:
        cell = t.out[cell, heading]
        if t.owner[cell] >= 0:
            return False
    return True


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
def shortcut_free(t: Traffic, cell: int) -> bool:
    end = t.shortcut[cell]
    if end < 0:
        return False
    for behind in range(t.behind[end], t.behind[cell]):
        if t.owner[t.chain[t.zone[cell], behind]] >= 0:
            return False
    return True


@kernel
def choose(t: Traffic, robot: int, cell: int, tunnels: bool) -> int:
    """Where to go on from a cell: a heading, 4 plus a tier for a lift, -1 nowhere.

    Straight on if that is as short; else where it is free. Below pods if that is
    shorter and free now.
    """
    whole = t.whole[robot]
    goal, row, ahead = whole[GOAL], whole[ROW], whole[HEADING]
    zone = t.zone[cell]
    if zone >= 0 and t.behind[cell] > 0 and t.zone[goal] == zone:
        if shortcut_free(t, cell):
            return heading_to(t, cell, t.shortcut[cell])
        return heading_to(t, cell, t.following[cell])
    here = int(t.table[row, cell])
    stored = t.kind[cell] == STORAGE
    if tunnels and whole[LOADED] == 0 and here > 1:
        least = here - (1 if stored else int(t.limits[TUNNEL_GAIN]))
        best = -1
        for heading in range(4):
            end = t.tunnel[cell, heading]
            if end < 0:
                continue
            steps = t.tunnel_length[cell, heading] + int(t.table[row, end])
            if heading != ahead:
                steps += 1
            if steps <= least and tunnel_free(t, cell, heading):
                least, best = steps - 1, heading
        if best >= 0:
            return best
    if t.limits[RULE] == PLANNED:
        heading = planned_heading(t, robot, cell)
        if heading >= 0:
            return heading
    best, best_key = -1, 1 << 30
    for heading in range(4):
        end = t.out[cell, heading]
        if end < 0 or (t.kind[end] == STORAGE and end != goal):
            continue
        there = int(t.table[row, end])
        if there >= here and not stored:
            continue
        key = 4 * there if stored else 0
        if t.owner[end] >= 0 and t.limits[RULE] != SIMPLE:
            key += 8
        if heading != ahead:
            key += 2
        if key < best_key:
            best, best_key = heading, key
    if best < 0 or t.lift.shape[1] > 1:
        for tier in range(t.lift.shape[1]):
            end = t.lift[cell, tier]
            if end >= 0 and t.table[row, end] < here and best < 0:
                best = 4 + tier
    return best


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
def inherit(t: Traffic, robot: int) -> None:
    """Who is in the way of a robot gets its rank, and so on."""
    rank = t.real[robot, RANK]
    other = blocked_by(t, robot)
    for _ in range(len(t.whole)):
        if other < 0 or t.real[other, RANK] <= rank:
            return
        t.real[other, RANK] = rank
        other = blocked_by(t, other)


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
def around(t: Traffic, robot: int, heading: int) -> int:
    """A free lane that is not much farther, where the best one stays taken."""
    here, row = t.whole[robot, FRONT], t.whole[robot, ROW]
    ahead = t.out[here, heading]
    if t.owner[ahead] < 0 or t.zone[here] >= 0 or t.lift_of[ahead] >= 0:
        return heading
    best, least = heading, int(t.table[row, here]) + int(t.limits[DETOUR])
    for other in range(4):
        end = t.out[here, other]
        if end < 0 or t.kind[end] == STORAGE or t.owner[end] >= 0 or t.zone[end] >= 0:
            continue
        if int(t.table[row, end]) < least:
            best, least = other, int(t.table[row, end])
    return best


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
                lengthen(t, robot, more, now)
            elif whole[LEFT_CELLS] < whole[LENGTH]:
                mark_m = (whole[LEFT_CELLS] + 0.5) * size
                t.due[robot] = when_at(real, t.limits, mark_m)
            else:
                t.due[robot] = real[STOPS_AT]
            free(t, tail, now)
            return NONE
        record_drive(t, robot, now)
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


@kernel
def fill_distances(
    into: NDArray[np.int32],
    kind: NDArray[np.int8],
    zone: NDArray[np.int32],
    behind: NDArray[np.int32],
    lift_of: NDArray[np.int32],
    lift_cells: int,
    goal: int,
    row: NDArray[np.uint16],
    queue: NDArray[np.int32],
    queued: NDArray[np.uint8],
) -> None:
    """Steps to the goal from every cell; nobody passes places or strange queues."""
    row[:] = FAR
    row[goal] = 0
    size = len(queue)
    queue[0] = goal
    first, last = 0, 1
    while first != last:
        cell = queue[first]
        first = (first + 1) % size
        queued[cell] = 0
        if cell != goal:
            if kind[cell] == STORAGE:
                continue
            if zone[cell] >= 0 and zone[cell] != zone[goal]:
                continue
        for n in range(into.shape[1]):
            start = into[cell, n]
            if start < 0:
                break
            if zone[start] >= 0 and zone[start] != zone[goal] and behind[start] > 0:
                continue
            lifted = lift_of[start] >= 0 and lift_of[start] == lift_of[cell]
            step = lift_cells if lifted else 1
            steps = row[cell] + step
            if steps < row[start]:
                row[start] = steps
                if queued[start] == 0:
                    queued[start] = 1
                    queue[last] = start
                    last = (last + 1) % size


@kernel
def fill_reach(
    out: NDArray[np.int32],
    lift: NDArray[np.int32],
    kind: NDArray[np.int8],
    zone: NDArray[np.int32],
    lift_cells: int,
    start: int,
    row: NDArray[np.uint16],
    queue: NDArray[np.int32],
    queued: NDArray[np.uint8],
) -> None:
    """Steps from a cell to every cell; nobody passes places or strange queues."""
    row[:] = FAR
    row[start] = 0
    size = len(queue)
    queue[0] = start
    first, last = 0, 1
    while first != last:
        cell = queue[first]
        first = (first + 1) % size
        queued[cell] = 0
        if cell != start and (kind[cell] == STORAGE or zone[cell] >= 0):
            continue
        for n in range(4 + lift.shape[1]):
            end = out[cell, n] if n < 4 else lift[cell, n - 4]
            if end < 0:
                continue
            if kind[cell] == STORAGE and kind[end] == STORAGE:
                continue
            steps = row[cell] + (1 if n < 4 else lift_cells)
            if steps < row[end]:
                row[end] = steps
                if queued[end] == 0:
                    queued[end] = 1
                    queue[last] = end
                    last = (last + 1) % size
