"""What the address of a process page asks for, and how hot a step is."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest

from mpms.domain.instances.instances import InstanceStatus
from mpms.ports.instances.rows import InstancePlace
from mpms.ports.processes.cockpit import Heat
from mpms.services.processes.heat_map import level, waiting_s
from mpms.web.fields.cockpit_filter import Filter, place_of, text_of
from mpms.web.labels.cockpit import cell

NOW = datetime(2026, 3, 2, 8, 40, tzinfo=UTC)


def test_an_address_says_only_what_is_not_usual() -> None:
    asked = {"version": "2", "show": "live", "state": "running", "q": " MO-1\x00 "}
    assert Filter.of(asked).address == {"version": "2", "q": "MO-1"}
    assert Filter.of({}).address == {}
    whole = {
        **{"version": "3", "show": "count", "window": "own", "from": "2026-01-02"},
        **{"to": "2026-01-05", "state": "any", "q": "a", "name": "n", "value": "v"},
        **{"element": "load", "age": "over_day"},
    }
    assert Filter.of(whole).address == whole


def test_windows_are_whole_hours_that_hold_the_present_one() -> None:
    since, until = Filter.of({"window": "hour"}).times(NOW)
    assert since == datetime(2026, 3, 2, 7, tzinfo=UTC)
    assert until == datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_own_dates_hold_their_last_day_in_either_order() -> None:
    days = {"window": "own", "from": "2026-02-03", "to": "2026-02-01"}
    since, until = Filter.of(days).times(NOW)
    assert since.astimezone().date() == date(2026, 2, 1)
    assert (until - timedelta(seconds=1)).astimezone().date() == date(2026, 2, 3)
    assert Filter.of({"window": "own"}).window == "week"


def test_a_variable_is_only_filtered_by_with_a_value() -> None:
    assert Filter.of({"name": "x"}).wanted("k", None, NOW).value is None
    assert Filter.of({"value": "1"}).wanted("k", None, NOW).value is None
    wanted = Filter.of({"name": "x", "value": "1"}).wanted("k", 7, NOW)
    assert (wanted.name, wanted.value, wanted.definition_id) == ("x", "1", 7)


def test_states_and_ages_become_a_filter() -> None:
    stuck = Filter.of({"state": "stuck"}).wanted("k", None, NOW)
    assert stuck.stuck
    assert stuck.statuses == (InstanceStatus.ACTIVE,)
    failed = Filter.of({"state": "failed"}).wanted("k", None, NOW)
    assert failed.statuses == (InstanceStatus.FAILED,)
    young = Filter.of({"age": "day"}).wanted("k", None, NOW)
    assert (young.since, young.until) == (NOW - timedelta(days=1), None)
    old = Filter.of({"age": "over_day"}).wanted("k", None, NOW)
    assert (old.since, old.until) == (None, NOW - timedelta(days=1))


def test_a_place_survives_its_address_and_nonsense_is_the_top() -> None:
    place = InstancePlace(NOW, str(uuid4()))
    assert place_of(text_of(place)) == place
    for nonsense in ("", "~", "2026-03-02~x", f"2026-03-02T08:00:00~{place.id}"):
        assert place_of(nonsense) is None


@pytest.mark.parametrize(
    ("value", "hot"), [(0, 0), (0.1, 1), (4, 2), (16, 3), (36, 4), (64, 5), (100, 5)]
)
def test_heat_grows_with_the_square_root(value: float, hot: int) -> None:
    assert level(value, 100) == hot


@pytest.mark.parametrize(
    ("kind", "waited_s"),
    [
        ("userTask", 30.0),
        ("receiveTask", 90.0),
        ("callActivity", 90.0),
        ("intermediateCatchEvent", 90.0),
        ("serviceTask", 0.0),
        ("exclusiveGateway", 0.0),
    ],
)
def test_waiting_is_for_people_events_and_other_processes(
    kind: str, waited_s: float
) -> None:
    assert waiting_s(kind, Heat("x", 3, 0, 90.0, 30.0, 60.0)) == waited_s


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_begins_like_a_formula(begin: str) -> None:
    assert cell(f"{begin}1+1") == f"'{begin}1+1"
    assert cell("MO-1") == "MO-1"
    assert cell(None) == ""


def test_a_number_below_zero_is_no_formula() -> None:
    assert (cell(-1.5), cell(-3), cell("-1.5")) == ("-1.5", "-3", "'-1.5")
