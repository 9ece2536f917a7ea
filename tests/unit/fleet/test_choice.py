"""Which robot goes, and the reasons a supervisor reads."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.choice import LOW_BATTERY_PENALTY_S, Candidate, choose

NEAR = Candidate("near", 5.0, 1.0, 500.0, 1.0)
FAR = Candidate("far", 50.0, 1.0, 500.0, 1.0)


def test_the_robot_that_arrives_first_goes() -> None:
    choice = choose([FAR, NEAR])
    assert choice.chosen == "near"
    assert choice.reasons == (
        "near: arrives first, in about 5 s",
        "far: would need about 50 s",
    )


def test_speed_counts_as_well_as_distance() -> None:
    assert choose([NEAR, replace(FAR, speed_mps=20.0)]).chosen == "far"


def test_a_tie_goes_to_the_lower_name() -> None:
    twins = [replace(NEAR, id="b"), replace(NEAR, id="a")]
    assert choose(twins).chosen == "a"


def test_a_low_battery_counts_as_lost_time() -> None:
    tired = replace(NEAR, battery=0.3)
    assert choose([tired, FAR]).chosen == "far"
    much_farther = replace(FAR, distance_m=6.0 + LOW_BATTERY_PENALTY_S)
    assert choose([tired, much_farther]).chosen == "near"
    assert choose([replace(tired, battery=None), FAR]).chosen == "near"


@pytest.mark.parametrize(
    ("unfit", "reason"),
    [
        (replace(NEAR, why_not="emergency stop"), "near: emergency stop"),
        (replace(NEAR, battery=0.1), "near: battery at 10%"),
        (replace(NEAR, payload_kg=99.0), "near: carries 99 kg, not 100 kg"),
        (replace(NEAR, speed_mps=0.0), "near: cannot drive"),
    ],
)
def test_a_robot_that_cannot_go_is_passed_over_with_a_reason(
    unfit: Candidate, reason: str
) -> None:
    choice = choose([unfit, FAR], load_kg=100.0)
    assert choice.chosen == "far"
    assert reason in choice.reasons


def test_a_robot_of_unknown_position_is_taken_if_there_is_no_better() -> None:
    lost = replace(NEAR, id="lost", distance_m=None)
    assert choose([lost, NEAR]).chosen == "near"
    assert choose([lost]).chosen == "lost"


def test_waiting_may_help_only_if_some_robot_is_built_for_the_load() -> None:
    busy = replace(NEAR, why_not="works for another order")
    waiting = choose([busy], load_kg=100.0)
    assert (waiting.chosen, waiting.may_change) == (None, True)
    hopeless = choose([busy], load_kg=9000.0)
    assert (hopeless.chosen, hopeless.may_change) == (None, False)
    nobody = choose([])
    assert (nobody.chosen, nobody.may_change) == (None, False)
    assert nobody.reasons == ("there is no robot",)


@given(
    st.lists(
        st.builds(
            Candidate,
            id=st.text("abc", min_size=1, max_size=3),
            distance_m=st.none() | st.floats(0, 100),
            speed_mps=st.floats(0, 3),
            payload_kg=st.floats(0, 1000),
            battery=st.none() | st.floats(0, 1),
            why_not=st.none() | st.just("busy"),
        ),
        unique_by=lambda c: c.id,
    ),
    st.floats(0, 1000),
    st.randoms(use_true_random=False),
)
def test_the_choice_is_fit_and_does_not_depend_on_the_order(
    candidates: list[Candidate], load_kg: float, chance: object
) -> None:
    choice = choose(candidates, load_kg=load_kg)
    shuffled = list(candidates)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert choose(shuffled, load_kg=load_kg) == choice
    if choice.chosen is not None:
        (chosen,) = [c for c in candidates if c.id == choice.chosen]
        assert chosen.why_not is None
        assert chosen.payload_kg >= load_kg
    assert len(choice.reasons) == max(1, len(candidates))
