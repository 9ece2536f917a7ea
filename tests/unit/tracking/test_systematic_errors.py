"""Offset, height and bias of the links are learnt while a tag is tracked."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from shopfloor.tracking import (
    Anchor,
    Bounds,
    RangeNoise,
    RangeSource,
    TagTracker,
)
from shopfloor.tracking.evaluation import Evaluation, evaluate
from shopfloor.tracking.range_files import RecordedRange

Record = Callable[..., list[RecordedRange]]
LATE_M = {"a": 0.33, "b": 0.28, "c": 0.35, "d": 0.27}
RISE_M = 2.4


def spoilt(
    record: Record, anchors: tuple[Anchor, ...], noise: RangeNoise, seed: int
) -> list[RecordedRange]:
    """Anchors hang 2.4 m above the tag, and every link is late by its own amount."""
    found = []
    for one in record(anchors, noise, seed):
        assert one.truth_m is not None
        at = next(a for a in anchors if a.id == one.anchor)
        flat_m = math.dist(one.truth_m, (at.x_m, at.y_m))
        more_m = math.hypot(flat_m, RISE_M) - flat_m + LATE_M[one.anchor]
        found.append(replace(one, range_m=one.range_m + more_m))
    return found


@pytest.mark.covers("A40", "A41")
@pytest.mark.parametrize(
    ("noise", "mean_m"), [(RangeNoise(), 0.09), (RangeNoise(delayed_share=0.1), 0.10)]
)
def test_nobody_tells_the_filter_how_far_the_ranges_are_off(
    corners: tuple[Anchor, ...],
    hall: Bounds,
    record: Record,
    noise: RangeNoise,
    mean_m: float,
) -> None:
    run = evaluate(spoilt(record, corners, noise, 3), corners, bounds=hall)
    assert run.ours.mean_m <= mean_m
    assert run.plain.mean_m > 2.0 * run.ours.mean_m
    assert run.consistency >= 0.9


def test_what_was_learnt_can_be_read(
    corners: tuple[Anchor, ...], record: Record
) -> None:
    run: Evaluation = evaluate(spoilt(record, corners, RangeNoise(), 5), corners)
    learnt = run.learnt["tag"]
    assert learnt.offset_m == pytest.approx(0.31, abs=3.0 * learnt.offset_sigma_m)
    assert learnt.rise_m == pytest.approx(RISE_M, abs=3.0 * learnt.rise_sigma_m)
    assert set(learnt.biases_m) == set("abcd")
    assert learnt.biases_m["c"] > learnt.biases_m["d"]


def test_what_was_learnt_outlasts_a_silence(
    corners: tuple[Anchor, ...], hall: Bounds, record: Record
) -> None:
    tracker = TagTracker(corners, bounds=hall)
    assert tracker.learnt is None
    for one in spoilt(record, corners, RangeNoise(), 7):
        tracker.absorb(one.at_s, one.anchor, one.range_m)
    before = tracker.learnt
    tracker.absorb(one.at_s + 60.0, "a", 5.0)
    assert tracker.estimate is None
    source = RangeSource(corners, RangeNoise(), 8)
    for step in range(10):
        at_s = one.at_s + 61.0 + 0.1 * step
        for heard in source.measure(at_s, "tag", 8.0, 6.0):
            at = next(a for a in corners if a.id == heard.anchor)
            flat_m = math.dist((8.0, 6.0), (at.x_m, at.y_m))
            more_m = math.hypot(flat_m, RISE_M) - flat_m + LATE_M[heard.anchor]
            tracker.absorb(at_s, heard.anchor, heard.range_m + more_m)
    estimate, after = tracker.estimate, tracker.learnt
    assert estimate is not None
    assert before is not None
    assert after is not None
    assert after.offset_m == pytest.approx(before.offset_m, abs=0.1)
    assert after.offset_sigma_m < 0.08
    assert (estimate.x_m, estimate.y_m) == pytest.approx((8.0, 6.0), abs=0.2)


def test_heights_of_anchors_help_although_the_tags_is_not_known(
    hall: Bounds, corners: tuple[Anchor, ...], record: Record
) -> None:
    hung = tuple(replace(a, z_m=3.5) for a in corners)
    taken = []
    for one in record(corners, RangeNoise(), 9):
        assert one.truth_m is not None
        at = next(a for a in corners if a.id == one.anchor)
        flat_m = math.dist(one.truth_m, (at.x_m, at.y_m))
        more_m = math.hypot(flat_m, 3.5 - 0.9) - flat_m
        taken.append(replace(one, range_m=one.range_m + more_m))
    run = evaluate(taken, hung, bounds=hall)
    assert run.ours.mean_m <= 0.09
    assert run.learnt["tag"].rise_m == pytest.approx(2.6, abs=0.4)


def test_anchors_in_a_row_are_believed_as_they_are(record: Record) -> None:
    """An offset and a place farther away look the same to them."""
    row = tuple(Anchor(str(i), 10.0 * i, 0.0) for i in range(4))
    strip = Bounds(0.0, 0.0, 30.0, 6.0)
    run = evaluate(record(row, RangeNoise(), 11, inside=strip), row, bounds=strip)
    assert run.ours.mean_m <= 0.2
    assert abs(run.learnt["tag"].offset_m) < 0.1
