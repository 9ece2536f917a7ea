"""The tag filter: accurate, consistent, never lost for long, and plain about misuse."""

import math
from collections.abc import Callable

import pytest

from shopfloor.tracking import (
    Anchor,
    Bounds,
    Driving,
    DuplicateAnchor,
    PlainEkf,
    RangeNoise,
    RangeSource,
    TagTracker,
    TimeWentBackwards,
    TooFewAnchors,
    TrackingRefused,
    UnknownAnchor,
    UnusableOdometry,
    UnusableRange,
    UnusableTime,
    Walking,
    WrongMotionModel,
)
from shopfloor.tracking.evaluation import evaluate
from shopfloor.tracking.range_files import RecordedRange

Record = Callable[..., list[RecordedRange]]
SIX_WALKS = (11, 12, 13, 14, 15, 16)
WALKS = [
    pytest.param((11, 12), id="two walks"),
    pytest.param(SIX_WALKS, id="six walks", marks=pytest.mark.soak),
]
HALF_A_METRE = RangeNoise(delayed_share=0.3, spread=0.0)


@pytest.mark.long
@pytest.mark.covers("A40", "A44")
def test_four_anchors_locate_a_person_although_three_in_ten_ranges_are_delayed(
    corners: tuple[Anchor, ...], hall: Bounds, record: Record
) -> None:
    runs = [
        evaluate(record(corners, HALF_A_METRE, seed), corners, bounds=hall)
        for seed in SIX_WALKS
    ]
    ours = sum(run.ours.mean_m for run in runs) / len(runs)
    plain = sum(run.plain.mean_m for run in runs) / len(runs)
    assert ours <= 0.13
    assert plain / ours >= 2.3


def test_where_no_range_is_delayed_doubting_costs_nothing(
    corners: tuple[Anchor, ...], hall: Bounds, record: Record
) -> None:
    run = evaluate(record(corners, RangeNoise(), 21), corners, bounds=hall)
    assert run.ours.mean_m <= 0.08
    assert run.ours.mean_m <= 1.05 * run.plain.mean_m


@pytest.mark.parametrize(
    "noise",
    [
        RangeNoise(delayed_share=0.3, delay_m=1.0, spread=0.5),
        RangeNoise(delayed_share=0.3, delay_m=2.0, spread=0.2),
        RangeNoise(delayed_share=0.3, delay_m=0.8, burst_s=0.01),
        RangeNoise(delayed_share=0.3, delay_m=0.5, burst_s=5.0),
        RangeNoise(delayed_share=0.2, lost_share=0.5),
    ],
    ids=["a metre", "two metres", "every range anew", "for long", "half of them lost"],
)
def test_other_obstructions_are_borne_as_well(
    corners: tuple[Anchor, ...], hall: Bounds, record: Record, noise: RangeNoise
) -> None:
    run = evaluate(record(corners, noise, 31), corners, bounds=hall)
    assert run.ours.mean_m <= 0.18
    assert run.ours.mean_m < run.plain.mean_m


@pytest.mark.long
@pytest.mark.covers("A41")
def test_the_truth_lies_within_three_sigma_nearly_always(
    corners: tuple[Anchor, ...], hall: Bounds, record: Record
) -> None:
    for noise in (RangeNoise(), RangeNoise(delayed_share=0.1), HALF_A_METRE):
        runs = [
            evaluate(record(corners, noise, seed), corners, bounds=hall)
            for seed in SIX_WALKS
        ]
        inside = sum(run.within_three_sigma for run in runs)
        assert inside / sum(len(run.ours.x_m) for run in runs) >= 0.95


@pytest.mark.covers("A41")
@pytest.mark.parametrize("seed", range(40, 46))
def test_it_converges_from_an_unknown_start(
    corners: tuple[Anchor, ...], record: Record, seed: int
) -> None:
    tracker = TagTracker(corners)
    assert tracker.estimate is None
    taken = record(corners, RangeNoise(), seed, 3.0)
    for one in taken:
        estimate = tracker.update(one.at_s, one.anchor, one.range_m)
    assert estimate is not None
    assert one.truth_m is not None
    error_m = math.dist((estimate.x_m, estimate.y_m), one.truth_m)
    assert error_m <= 0.5
    assert error_m <= 4.0 * estimate.sigma_m


@pytest.mark.covers("A43")
@pytest.mark.parametrize("walks", WALKS)
def test_two_anchors_on_a_wall_keep_the_error_bounded(
    corners: tuple[Anchor, ...], hall: Bounds, record: Record, walks: tuple[int, ...]
) -> None:
    for noise, mean_m, worst_m in (
        (RangeNoise(), 0.15, 1.5),
        (HALF_A_METRE, 0.40, 4.0),
    ):
        for seed in walks:
            taken = record(corners[:2], noise, seed)
            run = evaluate(taken, corners[:2], bounds=hall)
            assert run.ours.mean_m <= mean_m
            assert run.ours.worst_m <= worst_m


@pytest.mark.covers("A43")
def test_two_anchors_leave_two_places_until_a_third_decides(
    corners: tuple[Anchor, ...],
) -> None:
    a, b, c = corners[:3]
    x, y = 12.0, 7.0
    tracker = TagTracker((a, b, c))
    at_s = 0.0
    for _ in range(30):
        for anchor in (a, b):
            at_s += 0.05
            distance_m = math.dist((x, y), (anchor.x_m, anchor.y_m))
            estimate = tracker.update(at_s, anchor.id, distance_m)
    assert estimate is not None
    both = {round(estimate.y_m), *(round(other[1]) for other in estimate.alternatives)}
    assert both == {-7, 7}
    estimate = tracker.update(at_s, "c", math.dist((x, y), (c.x_m, c.y_m)))
    assert estimate is not None
    assert (estimate.x_m, estimate.y_m) == pytest.approx((x, y), abs=0.2)
    assert sum(share for *_, share in estimate.alternatives) < 0.01


@pytest.mark.covers("A44")
@pytest.mark.parametrize("walks", WALKS)
def test_anchors_on_one_side_leave_y_worse_than_x(
    hall: Bounds, record: Record, walks: tuple[int, ...]
) -> None:
    row = tuple(Anchor(str(i), 10.0 * i, 0.0) for i in range(4))
    strip = Bounds(0.0, 0.0, 30.0, 6.0)
    square_x = square_y = total = 0.0
    for seed in walks:
        taken = record(row, RangeNoise(), seed, inside=strip)
        run = evaluate(taken, row, bounds=strip)
        square_x += sum(error**2 for error in run.ours.x_m)
        square_y += sum(error**2 for error in run.ours.y_m)
        total += run.ours.mean_m
    assert square_y > 1.5 * square_x
    assert total / len(walks) <= 0.2


def test_a_tag_that_was_silent_is_found_anew(
    corners: tuple[Anchor, ...], hall: Bounds
) -> None:
    tracker = TagTracker(corners, bounds=hall)
    source = RangeSource(corners, RangeNoise(), 51)
    for step in range(100):
        for one in source.measure(0.1 * step, "tag", 3.0, 4.0):
            tracker.absorb(one.at_s, one.anchor, one.range_m)
    for step in range(20):
        for one in source.measure(60.0 + 0.1 * step, "tag", 26.0, 15.0):
            tracker.absorb(one.at_s, one.anchor, one.range_m)
    estimate = tracker.estimate
    assert estimate is not None
    assert tracker.restarts == 1
    assert (estimate.x_m, estimate.y_m) == pytest.approx((26.0, 15.0), abs=0.3)


@pytest.mark.parametrize("seed", range(60, 66))
def test_a_filter_that_believes_in_the_wrong_place_finds_back(
    corners: tuple[Anchor, ...], hall: Bounds, seed: int
) -> None:
    """Told a wrong start with confidence, while ranges keep coming."""
    print(f"seed {seed}")
    tracker = TagTracker(corners, bounds=hall)
    tracker.start_at(0.0, 25.0, 17.0, 0.05)
    source = RangeSource(corners, RangeNoise(delayed_share=0.1), seed)
    for step in range(50):
        for one in source.measure(0.1 * step, "tag", 6.0, 5.0):
            tracker.absorb(one.at_s, one.anchor, one.range_m)
    estimate = tracker.estimate
    assert estimate is not None
    assert (estimate.x_m, estimate.y_m) == pytest.approx((6.0, 5.0), abs=0.5)


@pytest.mark.covers("A42")
@pytest.mark.parametrize("count", [4, 2])
def test_a_robot_is_located_by_odometry_without_knowing_its_heading(
    corners: tuple[Anchor, ...], hall: Bounds, count: int
) -> None:
    anchors = corners[:count]
    tracker = TagTracker(anchors, Driving(), bounds=hall if count == 2 else None)
    source = RangeSource(anchors, RangeNoise(delayed_share=0.1), 71)
    x, y, yaw = 18.0, 8.0, 1.0
    errors = []
    for step in range(1600):
        turn = 0.01 + 0.004 * math.sin(step / 60.0)
        forward = 0.04
        x += forward * math.cos(yaw + turn / 2.0)
        y += forward * math.sin(yaw + turn / 2.0)
        yaw += turn
        at_s = 0.05 * step
        tracker.move(at_s, forward * 1.01, 0.0, turn)
        one = source.measure_one(at_s, "robot", x, y, anchors[step % count])
        assert one is not None
        estimate = tracker.update(at_s, one.anchor, one.range_m)
        if step >= 400:
            assert estimate is not None
            errors.append(math.dist((estimate.x_m, estimate.y_m), (x, y)))
    assert estimate is not None
    assert estimate.heading_rad is not None
    assert estimate.velocity_mps is None
    assert sum(errors) / len(errors) <= 0.2
    assert abs(math.remainder(estimate.heading_rad - yaw, 2.0 * math.pi)) < 0.2


@pytest.mark.covers("A42")
def test_a_person_keeps_walking_between_two_ranges_and_a_robot_stands() -> None:
    anchors = (Anchor("a", 0.0, 0.0), Anchor("b", 20.0, 0.0))
    person = TagTracker(anchors, Walking(memory_s=100.0))
    robot = TagTracker(anchors, Driving())
    for tracker, moving in ((person, True), (robot, False)):
        tracker.start_at(0.0, 5.0, 8.0, 0.1, heading_rad=0.0)
        for step in range(1, 81):
            at_s = 0.05 * step
            x = 5.0 + (1.2 * at_s if moving else 0.0)
            anchor = anchors[step % 2]
            distance_m = math.dist((x, 8.0), (anchor.x_m, anchor.y_m))
            tracker.absorb(at_s, anchor.id, distance_m)
        # The next range comes a second later and says nothing new about y.
        ahead = x + (1.2 if moving else 0.0)
        tracker.absorb(at_s + 1.0, "a", math.dist((ahead, 8.0), (0.0, 0.0)))
        estimate = tracker.estimate
        assert estimate is not None
        assert (estimate.x_m, estimate.y_m) == pytest.approx((ahead, 8.0), abs=0.25)
    velocity = person.estimate
    assert velocity is not None
    assert velocity.velocity_mps == pytest.approx((1.2, 0.0), abs=0.25)


def test_odometry_carries_a_robot_through_a_silence() -> None:
    tracker = TagTracker((Anchor("a", 0.0, 0.0), Anchor("b", 20.0, 0.0)), Driving())
    tracker.start_at(0.0, 5.0, 5.0, 0.05, heading_rad=math.pi / 2.0)
    for step in range(1, 21):
        tracker.move(0.1 * step, 0.1, 0.05, 0.0)
    estimate = tracker.estimate
    assert estimate is not None
    # Left of a robot that faces y is the negative x.
    assert (estimate.x_m, estimate.y_m) == pytest.approx((4.0, 7.0), abs=1e-6)


def test_more_anchors_than_links_followed_are_no_trouble(record: Record) -> None:
    many = tuple(
        Anchor(f"{i}-{j}", 7.5 * i, 10.0 * j) for i in range(5) for j in range(3)
    )
    run = evaluate(record(many, RangeNoise(delayed_share=0.2), 81), many)
    assert run.ours.mean_m <= 0.13


def test_the_same_ranges_give_the_same_positions(
    corners: tuple[Anchor, ...], record: Record
) -> None:
    taken = record(corners, HALF_A_METRE, 91, 20.0)
    one, other = evaluate(taken, corners), evaluate(taken, corners)
    assert one.ours.x_m == other.ours.x_m
    assert one.ours.y_m == other.ours.y_m


def test_an_unknown_anchor_is_named(corners: tuple[Anchor, ...]) -> None:
    tracker = TagTracker(corners)
    with pytest.raises(UnknownAnchor, match="'x'; known are a, b, c, d"):
        tracker.update(0.0, "x", 1.0)
    with pytest.raises(UnknownAnchor):
        PlainEkf(corners, start=(1.0, 1.0)).update(0.0, "x", 1.0)


@pytest.mark.parametrize("motion", [Walking(), Driving()])
def test_time_never_goes_backwards(
    corners: tuple[Anchor, ...], motion: Walking | Driving
) -> None:
    tracker = TagTracker(corners, motion)
    tracker.update(10.0, "a", 5.0)
    with pytest.raises(TimeWentBackwards, match=r"9\.500 s follows one of 10\.000 s"):
        tracker.update(9.5, "a", 5.0)
    tracker.update(10.0, "b", 26.0)
    with pytest.raises(UnusableTime):
        tracker.update(math.nan, "a", 5.0)


@pytest.mark.parametrize("range_m", [math.nan, math.inf, -math.inf, -0.1, 1e9])
def test_a_range_that_is_no_distance_changes_nothing(
    corners: tuple[Anchor, ...], record: Record, range_m: float
) -> None:
    tracker = TagTracker(corners)
    for one in record(corners, RangeNoise(), 95, 2.0):
        before = tracker.update(one.at_s, one.anchor, one.range_m)
    with pytest.raises(UnusableRange, match="anchor 'a'"):
        tracker.update(one.at_s + 1.0, "a", range_m)
    assert tracker.estimate == before


def test_one_place_is_too_few_anchors() -> None:
    with pytest.raises(TooFewAnchors, match="at least 2 anchors"):
        TagTracker([Anchor("a", 1.0, 1.0)])
    with pytest.raises(TooFewAnchors, match="there are 1"):
        TagTracker([Anchor("a", 1.0, 1.0), Anchor("b", 1.0, 1.01)])
    with pytest.raises(DuplicateAnchor, match="'a'"):
        TagTracker([Anchor("a", 1.0, 1.0), Anchor("a", 5.0, 1.0)])
    with pytest.raises(TrackingRefused, match="'b' is not finite"):
        TagTracker([Anchor("a", 1.0, 1.0), Anchor("b", math.nan, 1.0)])


def test_odometry_is_for_robots_and_finite(corners: tuple[Anchor, ...]) -> None:
    with pytest.raises(WrongMotionModel):
        TagTracker(corners).move(0.0, 1.0, 0.0, 0.0)
    with pytest.raises(UnusableOdometry):
        TagTracker(corners, Driving()).move(0.0, math.nan, 0.0, 0.0)


def test_one_anchor_alone_locates_nobody(corners: tuple[Anchor, ...]) -> None:
    tracker = TagTracker(corners)
    for step in range(100):
        assert tracker.update(0.1 * step, "a", 5.0) is None
