"""Cron texts of both dialects: the next turn, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mpms.domain.errors import ExpressionInvalid
from mpms.engine.cron import is_cron, parse_cron

MONDAY = datetime(2026, 11, 16, 17, 50, 30, tzinfo=UTC)  # 30 days in this month


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        # Quartz: second minute hour day month weekday [year], Sunday is 1
        ("0 0/5 * * * ?", "2026-11-16 17:55:00"),
        ("* * * * * ?", "2026-11-16 17:50:31"),
        ("0 * * * * *", "2026-11-16 17:51:00"),
        ("30 50 17 * * ?", "2026-11-17 17:50:30"),
        ("0 0 8 ? * MON-FRI", "2026-11-17 08:00:00"),
        ("0 0 8 ? * 2-6", "2026-11-17 08:00:00"),
        ("0 0 12 ? * 1", "2026-11-22 12:00:00"),
        ("0 0 12 ? * sun", "2026-11-22 12:00:00"),
        ("0 0 12 ? * L", "2026-11-21 12:00:00"),
        ("0 0 12 ? * FRI-MON", "2026-11-20 12:00:00"),
        ("0 0 22-2 * * ?", "2026-11-16 22:00:00"),
        ("0 0 0 L * ?", "2026-11-30 00:00:00"),
        ("0 0 0 L-3 * ?", "2026-11-27 00:00:00"),
        ("0 15 10 ? * 6L", "2026-11-27 10:15:00"),
        ("0 15 10 ? * FRI#3", "2026-11-20 10:15:00"),
        ("0 15 10 ? * 6#5", "2027-01-29 10:15:00"),
        ("0 0 9 LW * ?", "2026-11-30 09:00:00"),
        ("0 0 9 21W * ?", "2026-11-20 09:00:00"),  # the 21st is a Saturday
        ("0 0 9 22W * ?", "2026-11-23 09:00:00"),  # the 22nd is a Sunday
        ("0 0 9 1W 8 ?", "2027-08-02 09:00:00"),  # never into another month
        ("0 0 0 29 2 ?", "2028-02-29 00:00:00"),
        ("0 0 12 1 1 ? 2030", "2030-01-01 12:00:00"),
        ("0 0 12 1 1 ? 2028-2030/2", "2028-01-01 12:00:00"),
        ("0 0,30 8-10 1,15 JAN,JUL ?", "2027-01-01 08:00:00"),
        # Unix: minute hour day month weekday, Sunday is 0 and 7
        ("*/5 * * * *", "2026-11-16 17:55:00"),
        ("51 17 * * *", "2026-11-16 17:51:00"),
        ("50 17 * * *", "2026-11-17 17:50:00"),
        ("0 22 * * 1-5", "2026-11-16 22:00:00"),
        ("0 12 * * 0", "2026-11-22 12:00:00"),
        ("0 12 * * 7", "2026-11-22 12:00:00"),
        ("0 12 * * SUN", "2026-11-22 12:00:00"),
        ("0 0 13 * 5", "2026-11-20 00:00:00"),  # the 13th, or any Friday
        ("0 0 */2 * 1", "2026-11-23 00:00:00"),  # a Monday with an odd number
        ("0 0 31 * *", "2026-12-31 00:00:00"),
        ("10-20/5 18 * * *", "2026-11-16 18:10:00"),
        ("@hourly", "2026-11-16 18:00:00"),
        ("@daily", "2026-11-17 00:00:00"),
        ("@weekly", "2026-11-22 00:00:00"),
        ("@monthly", "2026-12-01 00:00:00"),
        ("@yearly", "2027-01-01 00:00:00"),
    ],
)
def test_the_next_turn_is_the_first_that_fits(text: str, turn: str) -> None:
    assert is_cron(text)
    expected = datetime.fromisoformat(turn).replace(tzinfo=UTC)
    assert parse_cron(text).after(MONDAY) == expected


def test_turns_follow_each_other_without_gap_or_repetition() -> None:
    cron = parse_cron("0 0/20 8-9 ? * MON-FRI")
    at, turns = datetime(2026, 11, 20, 9, 0, tzinfo=UTC), []  # a Friday
    for _ in range(4):
        following = cron.after(at)
        assert following is not None
        at = following
        turns.append(f"{at:%a %H:%M}")
    assert turns == ["Fri 09:20", "Fri 09:40", "Mon 08:00", "Mon 08:20"]


def test_a_year_that_is_over_has_no_turn() -> None:
    assert parse_cron("0 0 12 1 1 ? 2020").after(MONDAY) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0 0 12 1 * MON", "write ? for one of them"),
        ("0 0 12 ? * ?", "only one"),
        ("60 * * * * ?", "'60' is no second"),
        ("0 24 * * *", "'24' is no hour"),
        ("0 0 12 ? * 0", "'0' is no weekday"),
        ("0 0 12 ? * 8", "'8' is no weekday"),
        ("0 0 32 * *", "'32' is no day"),
        ("0 0 1 13 *", "'13' is no month"),
        ("0 0 30 2 *", "never comes"),
        ("0 0 0 31 4,6 ?", "never comes"),
        ("5/15 * * * *", "5-59/15"),
        ("30-10 * * * *", "backwards"),
        ("*/0 * * * *", "no step"),
        ("*/61 * * * *", "no step"),
        ("0 0 12 ? * 6#6", "6#6"),
        ("0 0 0 L-31 * ?", "L-31"),
        ("a b c d e", "'E' is no weekday"),
        ("0 0 * *  * * * *", "five fields"),
        ("@fortnightly", "@weekly"),
        (", * * * *", "'' is no minute"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_reason(
    text: str, reason: str
) -> None:
    with pytest.raises(ExpressionInvalid) as refusal:
        parse_cron(text)
    assert reason in str(refusal.value)
