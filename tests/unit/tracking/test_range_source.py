"""Simulated ranges: repeatable, and as spoilt as they were ordered."""

import itertools
import math
import statistics

import pytest

from shopfloor.tracking import Anchor, RangeNoise, RangeSource

ANCHOR = Anchor("a", 0.0, 0.0, 2.5)


def taken(noise: RangeNoise, count: int, step_s: float, seed: int = 5) -> list[float]:
    print(f"seed {seed}")
    source = RangeSource((ANCHOR,), noise, seed)
    ranges = (source.measure(step_s * i, "t", 3.0, 4.0) for i in range(count))
    return [one.range_m for several in ranges for one in several]


@pytest.mark.covers("A40")
def test_ranges_scatter_around_the_distance() -> None:
    ranges = taken(RangeNoise(noise_m=0.1), 4000, 0.1)
    assert statistics.mean(ranges) == pytest.approx(5.0, abs=0.01)
    assert statistics.stdev(ranges) == pytest.approx(0.1, abs=0.01)


def test_the_height_counts_where_it_is_known() -> None:
    source = RangeSource((ANCHOR,), RangeNoise(noise_m=0.0), 1)
    (one,) = source.measure(0.0, "t", 3.0, 4.0, height_m=1.0)
    assert one.range_m == pytest.approx(math.hypot(5.0, 1.5))


@pytest.mark.long
@pytest.mark.parametrize("share", [0.1, 0.3])
def test_obstructions_have_the_share_and_the_length_that_were_ordered(
    share: float,
) -> None:
    noise = RangeNoise(noise_m=0.0, delayed_share=share, delay_m=1.0, burst_s=2.0)
    late = [r > 5.4 for r in taken(noise, 200_000, 0.1)]
    assert sum(late) / len(late) == pytest.approx(share, abs=0.02)
    bursts = sum(b and not a for a, b in itertools.pairwise(late))
    assert sum(late) * 0.1 / bursts == pytest.approx(2.0, rel=0.15)


def test_a_hidden_anchor_is_delayed_as_long_as_it_is_hidden() -> None:
    source = RangeSource((ANCHOR,), RangeNoise(noise_m=0.0), 1)
    hidden = [
        source.measure(0.1 * i, "t", 3.0, 4.0, hidden={"a"})[0].range_m
        for i in range(5)
    ]
    assert min(hidden) > 5.2
    assert len(set(hidden)) == 1
    assert source.measure(1.0, "t", 3.0, 4.0)[0].range_m == pytest.approx(5.0)


def test_lost_and_far_ranges_are_missing() -> None:
    assert len(taken(RangeNoise(lost_share=0.4), 5000, 0.1)) == pytest.approx(
        3000, 0.05
    )
    assert taken(RangeNoise(reach_m=4.0), 10, 0.1) == []


def test_the_same_seed_gives_the_same_ranges() -> None:
    noise = RangeNoise(delayed_share=0.3)
    assert taken(noise, 500, 0.1, 7) == taken(noise, 500, 0.1, 7)
    assert taken(noise, 500, 0.1, 7) != taken(noise, 500, 0.1, 8)
