"""What pods offer to orders, counted over all pods or all waiting orders at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel

PICKS, COMPLETED, AGE, LATENESS = 0, 1, 2, 3
OFFERS = 4
MOST_LINES = 8


@kernel
def offers(
    free: NDArray[np.int16],
    pods: NDArray[np.int32],
    sku: NDArray[np.int32],
    units: NDArray[np.int32],
    order: NDArray[np.int32],
    age_s: NDArray[np.float64],
    late_s: NDArray[np.float64],
    into: NDArray[np.float64],
) -> None:
    """For each pod: units it has of these lines, orders it completes, age, lateness.

    Lines of one order follow each other and carry its number in ``order``.
    """
    for n in range(len(pods)):
        pod = pods[n]
        picks = 0
        completed = 0
        age = 0.0
        late = 0.0
        whole = True
        for k in range(len(sku)):
            if k == 0 or order[k] != order[k - 1]:
                whole = True
            there = min(int(free[sku[k], pod]), int(units[k]))
            picks += there
            age += there * age_s[k]
            late += there * late_s[k]
            if there < units[k]:
                whole = False
            last = k + 1 == len(sku) or order[k + 1] != order[k]
            if last and whole:
                completed += 1
        into[n, PICKS] = picks
        into[n, COMPLETED] = completed
        into[n, AGE] = age
        into[n, LATENESS] = late


@kernel
def demand_of_pods(
    free: NDArray[np.int16],
    pods: NDArray[np.int32],
    skus: NDArray[np.int32],
    demand: NDArray[np.int32],
    into: NDArray[np.float64],
) -> None:
    """Units of each pod that waiting orders ask for."""
    for n in range(len(pods)):
        found = 0
        for k in range(len(skus)):
            found += min(int(free[skus[k], pods[n]]), int(demand[skus[k]]))
        into[n] = found


@kernel
def best_match(
    free: NDArray[np.int16],
    pods: NDArray[np.int32],
    rows: NDArray[np.int32],
    sku: NDArray[np.int32],
    units: NDArray[np.int32],
    lines: NDArray[np.int32],
    rank: NDArray[np.float64],
    whole_only: bool,
) -> tuple[int, int]:
    """Of the orders in ``rows`` the one of which these pods have most lines.

    Among equals the lowest rank. With ``whole_only`` one pod has to have everything.
    Its place in ``rows`` and the number of lines; -1 if there is none.
    """
    best, most = -1, 0
    for n in range(len(rows)):
        row = rows[n]
        matched = 0
        if whole_only:
            for p in range(len(pods)):
                complete = True
                for k in range(lines[row]):
                    if free[sku[row, k], pods[p]] < units[row, k]:
                        complete = False
                        break
                if complete:
                    matched = 1
                    break
        else:
            for k in range(lines[row]):
                there = 0
                for p in range(len(pods)):
                    there += free[sku[row, k], pods[p]]
                if there >= units[row, k]:
                    matched += 1
        if matched == 0:
            continue
        if matched > most or (matched == most and rank[row] < rank[rows[best]]):
            best, most = n, matched
    return best, most


@kernel
def most_common(
    wanted: NDArray[np.int32],
    rows: NDArray[np.int32],
    sku: NDArray[np.int32],
    lines: NDArray[np.int32],
    rank: NDArray[np.float64],
) -> int:
    """Of the orders in ``rows`` the one with most lines in common with a station's.

    Every order of the station that still wants a SKU counts. Among equals the lowest
    rank.
    """
    best, most = 0, -1
    for n in range(len(rows)):
        row = rows[n]
        shared = 0
        for k in range(lines[row]):
            shared += wanted[sku[row, k]]
        if shared > most or (shared == most and rank[row] < rank[rows[best]]):
            best, most = n, shared
    return best
