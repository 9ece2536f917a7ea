"""Orders planned together: nobody and nothing does two things at once."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mpms.factory.domain.schedule import (
    Job,
    Leg,
    Resources,
    Robot,
    Schedule,
    lower_bound_s,
    make_schedule,
)


def distance_m(one: str, other: str) -> float:
    return 0.0 if one == other else 20.0


def robots(count: int, payload_kg: float = 500) -> tuple[Robot, ...]:
    return tuple(Robot(f"r{n}", "home", "home", 1.0, payload_kg) for n in range(count))


def job(number: int, legs: int = 2, **more: object) -> Job:
    listed = tuple(Leg(i, f"RM-{i}", f"P{i}", 50) for i in range(legs))
    return Job(f"MO-{number}", f"tank_{number % 2}", listed, 600.0, **more)  # type: ignore[arg-type]


def overlaps(schedule: Schedule) -> list[tuple[object, object]]:
    of: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for bar in schedule.bars:
        of[bar.resource].append((bar.from_s, bar.to_s))
    return [
        (one, other)
        for spans in map(sorted, of.values())
        for one, other in pairwise(spans)
        if other[0] < one[1] - 1e-6
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=12),
    st.integers(1, 4),
    st.integers(1, 4),
)
def test_no_robot_tank_or_person_does_two_things_at_once(
    legs: list[int], count: int, people: int
) -> None:
    jobs = [job(n, each) for n, each in enumerate(legs)]
    made = make_schedule(jobs, Resources(robots(count), people, distance_m))
    assert overlaps(made) == []
    assert made.ends_s.keys() == {each.order for each in jobs}
    bound_s = lower_bound_s(jobs, Resources(robots(count), people, distance_m))
    assert made.makespan_s >= bound_s - 1e-6


def test_materials_of_an_order_come_in_their_order_and_then_it_is_mixed() -> None:
    made = make_schedule([job(0, 3)], Resources(robots(2), 1, distance_m))
    mine = [bar for bar in made.bars if bar.resource == "r0"]
    loads = [bar.pick for bar in mine if bar.kind == "load"]
    assert loads == [0, 1, 2]
    (mix,) = [bar for bar in made.bars if bar.kind == "mix"]
    assert mix.from_s >= max(bar.to_s for bar in mine if bar.kind == "unload")
    assert mix.to_s == made.ends_s["MO-0"]


def test_what_is_urgent_is_made_first_and_what_runs_stays_first() -> None:
    jobs = [job(0, urgency=3), job(2, urgency=0), job(4, begun=True, urgency=3)]
    ends = make_schedule(jobs, Resources(robots(1), 1, distance_m)).ends_s
    assert sorted(ends, key=ends.__getitem__) == ["MO-4", "MO-2", "MO-0"]


def test_looking_longer_never_makes_it_worse() -> None:
    jobs = [job(n, 1 + n % 4, due_s=2000.0 + 50 * n) for n in range(10)]
    resources = Resources(robots(3), 2, distance_m)
    quick = make_schedule(jobs, resources)
    longer = make_schedule(jobs, resources, improve_s=60, most_tries=50)
    assert sum(longer.late_s.values()) <= sum(quick.late_s.values())


@pytest.mark.parametrize(("count", "why"), [(0, "no robot"), (2, "no robot carries")])
def test_an_order_that_nobody_can_make_is_told(count: int, why: str) -> None:
    made = make_schedule([job(0)], Resources(robots(count, 10), 1, distance_m))
    assert why in made.unplanned["MO-0"]
    assert made.bars == ()
