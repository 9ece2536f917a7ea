"""The choice of a robot: who arrives first, who may not go, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.choice import LOW_BATTERY, MINIMUM_BATTERY, Candidate, choose


def robot(name: str = "r1", **facts: object) -> Candidate:
    values: dict[str, object] = {
        **{"distance_m": 10.0, "speed_mps": 1.0, "payload_kg": 500.0, "battery": 0.9},
        **facts,
    }
    return Candidate(id=name, **values)  # type: ignore[arg-type]


def test_the_robot_that_arrives_first_goes() -> None:
    near, far = robot("near", distance_m=5.0), robot("far", distance_m=20.0)
    choice = choose([far, near])
    assert choice.chosen == "near"
    assert choice.reasons == (
        "near: arrives first, in about 5 s",
        "far: would need about 20 s",
    )


def test_a_faster_robot_may_come_from_farther_away() -> None:
    slow = robot("slow", distance_m=10.0, speed_mps=0.5)
    fast = robot("fast", distance_m=15.0, speed_mps=1.5)
    assert choose([slow, fast]).chosen == "fast"


def test_a_tie_goes_to_the_lower_id_whatever_the_order() -> None:
    one, two = robot("r1"), robot("r2")
    assert choose([one, two]) == choose([two, one])
    assert choose([two, one]).chosen == "r1"


def test_a_robot_that_cannot_carry_the_load_stays() -> None:
    small = robot("small", distance_m=1.0, payload_kg=100.0)
    choice = choose([small, robot("strong")], load_kg=300.0)
    assert choice.chosen == "strong"
    assert "small: carries 100 kg, not 300 kg" in choice.reasons


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"why_not": "link down"}, "link down"),
        ({"battery": MINIMUM_BATTERY - 0.01}, "battery at 14%"),
        ({"speed_mps": 0.0}, "cannot drive"),
    ],
)
def test_a_robot_that_may_not_drive_now_is_waited_for(
    facts: dict[str, object], why: str
) -> None:
    choice = choose([robot(**facts)])
    assert choice.chosen is None
    assert choice.may_change
    assert choice.reasons == (f"r1: {why}",)


def test_a_low_battery_costs_time() -> None:
    tired = robot("tired", distance_m=5.0, battery=LOW_BATTERY - 0.01)
    assert choose([tired, robot("fresh", distance_m=60.0)]).chosen == "fresh"
    assert choose([tired]).chosen == "tired"


def test_an_unknown_battery_and_an_unknown_place_rule_nobody_out() -> None:
    strange = robot("strange", distance_m=None, battery=None)
    assert choose([strange]).chosen == "strange"
    assert choose([strange, robot("known")]).chosen == "known"


def test_waiting_cannot_help_where_nobody_is_built_for_the_load() -> None:
    choice = choose([robot(payload_kg=100.0, why_not="busy")], load_kg=300.0)
    assert choice.chosen is None
    assert not choice.may_change


def test_without_robots_the_choice_says_so() -> None:
    choice = choose([])
    assert choice.chosen is None
    assert not choice.may_change
    assert choice.reasons == ("there is no robot",)


CANDIDATES = st.builds(
    Candidate,
    id=st.text("abc", min_size=1, max_size=3),
    distance_m=st.none() | st.floats(0.0, 500.0),
    speed_mps=st.floats(0.0, 3.0),
    payload_kg=st.floats(0.0, 1000.0),
    battery=st.none() | st.floats(0.0, 1.0),
    why_not=st.none() | st.just("busy"),
)


@given(
    st.lists(CANDIDATES, max_size=6, unique_by=lambda c: c.id), st.floats(0.0, 1000.0)
)
def test_whoever_is_chosen_is_able_and_everybody_is_explained(
    candidates: list[Candidate], load_kg: float
) -> None:
    choice = choose(candidates, load_kg=load_kg)
    explained = {reason.split(":")[0] for reason in choice.reasons}
    if candidates:
        assert explained == {c.id for c in candidates}
    if choice.chosen is not None:
        (chosen,) = [c for c in candidates if c.id == choice.chosen]
        assert chosen.why_not is None
        assert chosen.payload_kg >= load_kg
        assert chosen.speed_mps > 0
        assert chosen.battery is None or chosen.battery >= MINIMUM_BATTERY
    else:
        assert not any(
            c.why_not is None
            and c.payload_kg >= load_kg
            and c.speed_mps > 0
            and (c.battery is None or c.battery >= MINIMUM_BATTERY)
            for c in candidates
        )
