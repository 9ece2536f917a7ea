"""Which waiting order a rule takes."""

from __future__ import annotations

import numpy as np
import pytest

from fleet.rmfs.scoring_kernels import MOST_LINES, most_common

DUE = np.array([30.0, 20.0, 10.0])


def taken(wanted: list[int], *orders: list[int]) -> int:
    sku = np.zeros((len(orders), MOST_LINES), np.int32)
    for row, skus in enumerate(orders):
        sku[row, : len(skus)] = skus
    lines = np.array([len(skus) for skus in orders], np.int32)
    rows = np.arange(len(orders), dtype=np.int32)
    return most_common(np.array(wanted, np.int32), rows, sku, lines, DUE)


@pytest.mark.covers("RC7")
def test_common_lines_counts_every_order_of_the_station_that_wants_a_sku() -> None:
    assert taken([3, 1, 1, 0], [0], [1, 2], [3]) == 0


@pytest.mark.covers("RC7")
def test_among_equal_orders_the_one_due_first_is_taken_however_many_lines() -> None:
    assert taken([1, 1, 0, 0], [0], [1, 2, 3], [3]) == 1
    assert taken([0, 0, 0, 0], [0], [1], [2, 3]) == 2
