"""Calibration: what a walk over known positions, or the ranges alone, reveal."""

import math
import random
from collections.abc import Callable

import pytest

from shopfloor.tracking import (
    Anchor,
    Calibration,
    CalibrationRefused,
    KnownRange,
    Link,
    RangeNoise,
    UnknownAnchor,
    UnusableRange,
    calibrate,
)
from shopfloor.tracking.evaluation import evaluate
from shopfloor.tracking.range_files import RecordedRange

Record = Callable[..., list[RecordedRange]]
OFFSETS_M = {"a": 0.45, "b": 0.2, "c": -0.1, "d": 0.3}


def known_ranges(
    anchors: tuple[Anchor, ...], rise_m: float, late_share: float = 0.0
) -> list[KnownRange]:
    rng = random.Random(3)
    found = []
    for _ in range(400):
        x, y = rng.uniform(0.0, 30.0), rng.uniform(0.0, 20.0)
        for anchor in anchors:
            flat_m = math.dist((x, y), (anchor.x_m, anchor.y_m))
            late_m = rng.uniform(0.3, 2.0) if rng.random() < late_share else 0.0
            measured_m = (
                1.01 * math.hypot(flat_m, rise_m)
                + OFFSETS_M[anchor.id]
                + rng.gauss(0.0, 0.05)
                + late_m
            )
            found.append(KnownRange(anchor.id, max(0.0, measured_m), x, y))
    return found


@pytest.mark.parametrize("late_share", [0.0, 0.15])
def test_offset_and_scale_of_each_link_are_found(
    corners: tuple[Anchor, ...], late_share: float
) -> None:
    high = tuple(Anchor(a.id, a.x_m, a.y_m, 1.0) for a in corners)
    found = calibrate(known_ranges(high, 0.0, late_share), high, tag_height_m=1.0)
    for name, link in found.links.items():
        at_15_m = link.offset_m + link.scale * 15.0
        truth_m = OFFSETS_M[name] + 1.01 * 15.0
        assert at_15_m == pytest.approx(truth_m, abs=0.03 + 0.3 * late_share)
        assert link.scale == pytest.approx(1.01, abs=0.006)
        assert link.noise_m < 0.2


def test_an_unknown_height_is_found_too(corners: tuple[Anchor, ...]) -> None:
    found = calibrate(known_ranges(corners, 2.5), corners)
    (rise_m,) = {link.rise_m for link in found.links.values()}
    assert rise_m == pytest.approx(2.5, abs=0.4)


@pytest.mark.long
def test_a_calibrated_filter_is_far_better_than_a_raw_one(
    corners: tuple[Anchor, ...], record: Record
) -> None:
    def spoil(taken: list[RecordedRange]) -> list[RecordedRange]:
        return [
            RecordedRange(
                r.at_s, r.tag, r.anchor, r.range_m + OFFSETS_M[r.anchor], r.truth_m
            )
            for r in taken
        ]

    walked = spoil(record(corners, RangeNoise(delayed_share=0.1), 1))
    scored = spoil(record(corners, RangeNoise(delayed_share=0.1), 2))
    known = [KnownRange(r.anchor, r.range_m, *r.truth_m) for r in walked if r.truth_m]
    run = evaluate(scored, corners, calibration=calibrate(known, corners))
    assert run.ours.mean_m <= 0.10
    assert run.plain.mean_m / run.ours.mean_m >= 1.9


def test_a_link_without_calibration_is_taken_as_it_is() -> None:
    calibration = Calibration({"a": Link(0.5, 1.0, 0.0, 0.05)})
    assert calibration.correct("a", 5.0) == pytest.approx(4.5)
    assert calibration.correct("a", 0.2) == 0.0
    assert calibration.correct("b", 5.0) == 5.0
    assert calibration.noise_m("b", 0.1) == 0.1


def test_what_does_not_determine_a_calibration_is_refused(
    corners: tuple[Anchor, ...],
) -> None:
    with pytest.raises(CalibrationRefused, match="no range with a known position"):
        calibrate([], corners)
    few = [KnownRange("a", 5.0, 3.0, 4.0)] * 4
    with pytest.raises(CalibrationRefused, match="'a' has 4 ranges"):
        calibrate(few, corners)
    with pytest.raises(UnknownAnchor, match="'x'"):
        calibrate([KnownRange("x", 5.0, 3.0, 4.0)], corners)
    with pytest.raises(UnusableRange, match="nan"):
        calibrate([KnownRange("a", math.nan, 3.0, 4.0)], corners)
    with pytest.raises(CalibrationRefused, match="not finite"):
        calibrate([KnownRange("a", 5.0, math.nan, 4.0)], corners)


def test_one_place_gives_an_offset_and_no_scale(corners: tuple[Anchor, ...]) -> None:
    still = [KnownRange("a", 5.3, 3.0, 4.0)] * 20
    link = calibrate(still, corners).links["a"]
    assert link.offset_m == pytest.approx(0.3)
    assert link.scale == 1.0
