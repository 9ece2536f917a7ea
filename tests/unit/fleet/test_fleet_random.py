"""Random plants on bad days: nothing is lost, nobody touches, everything is done."""

from __future__ import annotations

import pytest

from tests.support.fleet_trials import check_delivered
from tests.support.random_plants import bad_day


@pytest.mark.parametrize("seed", range(3))
def test_a_bad_day_in_a_random_plant_ends_with_everything_done(seed: int) -> None:
    day = bad_day(seed, turns=8)
    check_delivered(day.trial)
    assert day.trial.done["store"] + day.trial.done.get("retrieve", 0) > 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3, 43))
def test_many_bad_days(seed: int) -> None:
    check_delivered(bad_day(seed, turns=40).trial)
