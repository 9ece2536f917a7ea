"""Durations, instants, cycles and retry cycles as models write them."""

from datetime import UTC, datetime, timedelta

import pytest

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.expressions import (
    Cycle,
    Duration,
    parse_cycle,
    parse_duration,
    parse_instant,
    parse_retry_cycle,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PT5M", timedelta(minutes=5)),
        ("P1D", timedelta(days=1)),
        ("P2W", timedelta(weeks=2)),
        ("P1DT12H30M10.5S", timedelta(days=1, hours=12, minutes=30, seconds=10.5)),
        ("PT0,25S", timedelta(seconds=0.25)),
        (" PT36H ", timedelta(hours=36)),
        ("PT0S", timedelta()),
    ],
)
def test_an_exact_duration_is_read(text: str, expected: timedelta) -> None:
    assert parse_duration(text) == Duration(0, expected)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("P1M", (2026, 1, 31), (2026, 2, 28)),
        ("P1M", (2028, 1, 31), (2028, 2, 29)),
        ("P1Y", (2028, 2, 29), (2029, 2, 28)),
        ("P11M", (2026, 3, 15), (2027, 2, 15)),
        ("P1Y2M3D", (2026, 11, 30), (2028, 2, 2)),
    ],
)
def test_months_and_years_follow_the_calendar(
    text: str, start: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    later = parse_duration(text).added_to(datetime(*start, 8, tzinfo=UTC))
    assert later == datetime(*end, 8, tzinfo=UTC)


def test_the_end_of_the_calendar_is_an_error_of_ours() -> None:
    for text in ("P9999Y", "P1M", "P9999999D", "PT1S"):
        with pytest.raises(ExpressionFailed, match="passes the year 9999"):
            parse_duration(text).added_to(
                datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
            )


@pytest.mark.parametrize(
    "text",
    [
        *("", "P", "PT", "P1", "5M", "PT5", "PT5m", "-PT5M", "P-1D", "P1.5D", "P1H"),
        *("P1DT", "PT1S1M", "P1D1M", "1 hour", "PT٥M", "PT1e5S", "P99999999999D"),
        *("${x}", "R3/PT1S", "PT5M\0"),
    ],
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ExpressionInvalid, match="is no duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31T08:00:00Z",
        "2026-01-31T08:00Z",
        "2026-01-31T08:00:00",
        "2026-01-31T11:00:00+03:00",
        "2026-01-31T11:00:00+0300",
        " 2026-01-31T08:00:00.000Z ",
        *("2026-01-31T09:00[Europe/Berlin]", "2026-01-31T10:00:00+02:00[Europe/Kiev]"),
    ],
)
def test_an_instant_is_utc(text: str) -> None:
    instant = parse_instant(text)
    assert instant == datetime(2026, 1, 31, 8, tzinfo=UTC)
    assert instant.tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        *("", "2026-01-31", "2026-02-30T00:00:00Z", "2026-01-31T25:00:00Z", "now"),
        *("20260131T080000Z", "2026-W05-6T08:00:00Z", "2026-01-31 08:00:00Z"),
        *("0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00", "tomorrow"),
        *("２０２６-01-31T08:00:00Z", "2026-01-31T09:00[Nowhere/City]"),
    ],
)
def test_what_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(ExpressionInvalid, match="is no date and time"):
        parse_instant(text)


def test_cycles_are_read() -> None:
    ten_seconds = Duration(0, timedelta(seconds=10))
    start = datetime(2026, 1, 1, tzinfo=UTC)
    assert parse_cycle("R3/PT10S") == Cycle(3, None, ten_seconds)
    assert parse_cycle("R/PT10S") == Cycle(None, None, ten_seconds)
    assert parse_cycle("R3/2026-01-01T00:00:00Z/PT10S") == Cycle(3, start, ten_seconds)
    assert parse_cycle("R/P1M") == Cycle(None, None, Duration(1, timedelta()))


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("0 0/5 * * * ?", "is a cron expression, which is not supported"),
        ("*/5 * * * *", "is a cron expression"),
        ("0 0 12 1/1 * ? *", "is a cron expression"),
        ("@daily", "is a cron expression"),
        ("PT10S", "is no cycle"),
        ("R3", "is no cycle"),
        ("R3/", "is no duration"),
        ("Rx/PT1S", "is no cycle"),
        ("R3/PT10S/2026-01-01T00:00:00Z", "a cycle with an end"),
        ("R3/yesterday/PT10S", "is no date and time"),
        ("R0/PT10S", "at least one repetition"),
        ("R/PT0S", "duration above zero"),
        ("", "is no cycle"),
    ],
)
def test_what_is_no_cycle_is_refused(text: str, cause: str) -> None:
    with pytest.raises(ExpressionInvalid, match=cause):
        parse_cycle(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("R3/PT10S", (10.0, 10.0, 10.0)),
        ("PT5S,PT10S,PT1M", (5.0, 10.0, 60.0)),
        ("PT5S, PT0.5S", (5.0, 0.5)),
        ("PT5S", (5.0,)),
        ("PT0S", (0.0,)),
    ],
)
def test_a_retry_cycle_is_a_row_of_waits(
    text: str, expected: tuple[float, ...]
) -> None:
    assert parse_retry_cycle(text) == expected


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "is no duration"),
        ("PT5S,", "is no duration"),
        ("3", "is no duration"),
        ("R/PT10S", "is no retry cycle"),
        ("R3/2026-01-01T00:00:00Z/PT10S", "is no retry cycle"),
        ("R999999999/PT1S", "more than 100 retries"),
        (",".join(["PT1S"] * 101), "more than 100 retries"),
        ("P1M", "months or years"),
        ("${retries}", "is no duration"),
    ],
)
def test_what_is_no_retry_cycle_is_refused(text: str, cause: str) -> None:
    with pytest.raises(ExpressionInvalid, match=cause):
        parse_retry_cycle(text)
