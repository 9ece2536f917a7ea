"""Which way a robot goes on from a cell.

Each robot follows the distance to its goal along one-way lanes; without a pod it may
pass below others, in a queue it takes short cuts, and a plan goes before all.
"""

from __future__ import annotations

from kernel_store.compiled import kernel
from shopfloor.experiments.rmfs.drive_kernels import DETOUR, RULE, TUNNEL_GAIN
from shopfloor.experiments.rmfs.traffic.arrays import (
    FAR,
    FRONT,
    GOAL,
    HEADING,
    LOADED,
    PLANNED,
    ROW,
    SIMPLE,
    STORAGE,
    Traffic,
)


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
