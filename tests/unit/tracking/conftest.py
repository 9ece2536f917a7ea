"""A hall with anchors in its corners, and somebody who wanders through it."""

from collections.abc import Callable

import pytest

from shopfloor.tracking import Anchor, Bounds, RangeNoise, RangeSource
from shopfloor.tracking.range_files import RecordedRange
from shopfloor.tracking.walks import wander

Record = Callable[..., list[RecordedRange]]
STEP_S = 0.025


@pytest.fixture(scope="session")
def hall() -> Bounds:
    return Bounds(0.0, 0.0, 30.0, 20.0)


@pytest.fixture(scope="session")
def corners() -> tuple[Anchor, ...]:
    return (
        Anchor("a", 0.0, 0.0),
        Anchor("b", 30.0, 0.0),
        Anchor("c", 30.0, 20.0),
        Anchor("d", 0.0, 20.0),
    )


@pytest.fixture(scope="session")
def record(hall: Bounds) -> Record:
    """Return a function that records a walk, one anchor after another."""

    def take(
        anchors: tuple[Anchor, ...],
        noise: RangeNoise,
        seed: int,
        duration_s: float = 60.0,
        inside: Bounds = hall,
    ) -> list[RecordedRange]:
        print(f"seed {seed}")
        source = RangeSource(anchors, noise, seed)
        taken = []
        for step, (at_s, x, y) in enumerate(wander(inside, duration_s, STEP_S, seed)):
            one = source.measure_one(at_s, "tag", x, y, anchors[step % len(anchors)])
            if one is not None:
                taken.append(
                    RecordedRange(at_s, "tag", one.anchor, one.range_m, (x, y))
                )
        return taken

    return take
