"""Cron texts: when the next turn comes.

Written here rather than taken from a library, because two dialects look alike and
the libraries read one of them: Quartz, which Camunda 7 uses, has six or seven fields
from the second on and counts the days of the week from Sunday = 1; Unix has five and
counts from Sunday = 0. Whatever the two would read differently is told apart by the
number of fields, and whatever is still doubtful is refused. Times are UTC.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from mpms.domain.errors import ExpressionInvalid

LAST_YEAR = 2199
MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
ANY = ("?", "*")
_MONTHS = {name.upper(): n for n, name in enumerate(calendar.month_abbr) if name}
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


@dataclass(frozen=True)
class Field:
    """One field of a cron text and the numbers it may hold."""

    noun: str
    least: int
    most: int
    names: dict[str, int]
    wraps: bool  # Quartz reads FRI-MON and 22-2; Unix does not


@dataclass(frozen=True)
class Days:
    """Which days of a month: by number, from its end, by weekday."""

    numbers: frozenset[int] = frozenset()
    before_last: frozenset[int] = frozenset()  # L is 0, L-3 is 3
    near: frozenset[int] = frozenset()  # 15W: the working day nearest to the 15th
    last_working: bool = False
    weekdays: frozenset[int] = frozenset()  # Monday is 0
    last_weekdays: frozenset[int] = frozenset()
    nth_weekdays: frozenset[tuple[int, int]] = frozenset()

    def of(self, year: int, month: int) -> set[int]:
        last = calendar.monthrange(year, month)[1]
        found = {day for day in self.numbers if day <= last}
        found |= {last - back for back in self.before_last if back < last}
        found |= {_near(year, month, day, last) for day in self.near if day <= last}
        if self.last_working:
            found.add(_near(year, month, last, last))
        for day in range(1, last + 1):
            weekday = calendar.weekday(year, month, day)
            if (
                weekday in self.weekdays
                or (weekday in self.last_weekdays and day + 7 > last)
                or (weekday, (day + 6) // 7) in self.nth_weekdays
            ):
                found.add(day)
        return found


@dataclass(frozen=True)
class Cron:
    """A cron text, read."""

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: Days
    months: frozenset[int]
    weekdays: Days
    years: frozenset[int] | None
    either_day: bool  # Unix: a day fits by its number or by its weekday

    def after(self, instant: datetime) -> datetime | None:
        """The first turn later than an instant; None if there is none any more."""
        start = instant.astimezone(UTC).replace(microsecond=0) + timedelta(seconds=1)
        for year, month in self._months_from(start):
            for day in sorted(self._days_of(year, month)):
                today = (year, month, day)
                if today < (start.year, start.month, start.day):
                    continue
                is_first = today == (start.year, start.month, start.day)
                earliest = (
                    (start.hour, start.minute, start.second) if is_first else (0, 0, 0)
                )
                for time in self._times_from(earliest[0]):
                    if time >= earliest:
                        return datetime(*today, *time, tzinfo=UTC)
        return None

    def _months_from(self, start: datetime) -> Iterator[tuple[int, int]]:
        for year in range(start.year, LAST_YEAR + 1):
            if self.years is not None and year not in self.years:
                continue
            for month in sorted(self.months):
                if (year, month) >= (start.year, start.month):
                    yield year, month

    def _days_of(self, year: int, month: int) -> set[int]:
        by_number = self.days.of(year, month)
        by_weekday = self.weekdays.of(year, month)
        return by_number | by_weekday if self.either_day else by_number & by_weekday

    def _times_from(self, first_hour: int) -> Iterator[tuple[int, int, int]]:
        return (
            (hour, minute, second)
            for hour in self.hours
            if hour >= first_hour
            for minute in self.minutes
            for second in self.seconds
        )


def is_cron(text: str) -> bool:
    """Whether a timer's text means a cron text rather than ISO 8601."""
    stripped = text.strip()
    return stripped.startswith("@") or len(stripped.split()) in (5, 6, 7)


def parse_cron(text: str) -> Cron:
    """Read a cron text of either dialect. ExpressionInvalid."""
    stripped = text.strip()
    if stripped.startswith("@"):
        if stripped.lower() not in MACROS:
            raise ExpressionInvalid(
                f"'{stripped}' is no schedule; write one of {', '.join(MACROS)}"
            )
        stripped = MACROS[stripped.lower()]
    fields = stripped.upper().split()
    if len(fields) not in (5, 6, 7):
        raise ExpressionInvalid(
            f"'{text.strip()[:60]}' is no cron text: it has five fields (minute hour"
            " day month weekday) or six or seven (second first, year last)"
        )
    try:
        cron = _unix(fields) if len(fields) == 5 else _quartz(fields)
    except ExpressionInvalid as fault:
        raise ExpressionInvalid(f"'{text.strip()[:60]}': {fault}") from None
    if cron.years is None and cron.after(datetime(2000, 1, 1, tzinfo=UTC)) is None:
        raise ExpressionInvalid(f"'{text.strip()[:60]}' names a day that never comes")
    return cron


def _unix(fields: list[str]) -> Cron:
    minute, hour, day, month, weekday = fields
    names = {name: n for n, name in enumerate(_DAYS)}
    on_weekdays = _numbers(weekday, Field("weekday", 0, 7, names, False))
    return Cron(
        seconds=(0,),
        minutes=_numbers(minute, Field("minute", 0, 59, {}, False)),
        hours=_numbers(hour, Field("hour", 0, 23, {}, False)),
        days=Days(frozenset(_numbers(day, Field("day", 1, 31, {}, False)))),
        months=frozenset(_numbers(month, Field("month", 1, 12, _MONTHS, False))),
        weekdays=Days(weekdays=frozenset((n + 6) % 7 for n in on_weekdays)),
        years=None,
        either_day=not day.startswith("*") and not weekday.startswith("*"),
    )


def _quartz(fields: list[str]) -> Cron:
    second, minute, hour, day, month, weekday, *year = fields
    if day not in ANY and weekday not in ANY:
        raise ExpressionInvalid(
            "a day and a weekday together mean different things in different"
            " programs; write ? for one of them"
        )
    if day == "?" and weekday == "?":
        raise ExpressionInvalid("only one of day and weekday can be ?")
    years = Field("year", 1970, LAST_YEAR, {}, False)
    any_year = not year or year[0] == "*"
    return Cron(
        seconds=_numbers(second, Field("second", 0, 59, {}, True)),
        minutes=_numbers(minute, Field("minute", 0, 59, {}, True)),
        hours=_numbers(hour, Field("hour", 0, 23, {}, True)),
        days=_days(day),
        months=frozenset(_numbers(month, Field("month", 1, 12, _MONTHS, True))),
        weekdays=_weekdays(weekday),
        years=None if any_year else frozenset(_numbers(year[0], years)),
        either_day=False,
    )


def _days(text: str) -> Days:
    field = Field("day", 1, 31, {}, True)
    if text in ANY:
        return Days(frozenset(range(1, 32)))
    numbers: set[int] = set()
    before_last: set[int] = set()
    near: set[int] = set()
    last_working = False
    for part in text.split(","):
        if part == "LW":
            last_working = True
        elif match := re.fullmatch(r"L(?:-([0-9]{1,2}))?", part):
            before_last.add(int(match[1] or 0))
            if max(before_last) > 30:
                raise ExpressionInvalid(f"no month has a day '{part}'")
        elif match := re.fullmatch(r"([0-9]{1,2})W", part):
            near.add(_number(match[1], field))
        else:
            numbers.update(_range(part, field))
    return Days(
        frozenset(numbers), frozenset(before_last), frozenset(near), last_working
    )


def _weekdays(text: str) -> Days:
    field = Field("weekday", 1, 7, {n: i for i, n in enumerate(_DAYS, start=1)}, True)
    if text in ANY:
        return Days(weekdays=frozenset(range(7)))
    plain: set[int] = set()
    last: set[int] = set()
    nth: set[tuple[int, int]] = set()
    for part in text.split(","):
        if match := re.fullmatch(r"([A-Z]{3}|[0-9])#([0-9])", part):
            if not 1 <= int(match[2]) <= 5:
                raise ExpressionInvalid(f"no month has a weekday '{part}'")
            nth.add((_from_sunday(_number(match[1], field)), int(match[2])))
        elif part != "L" and (match := re.fullmatch(r"([A-Z]{3}|[0-9])L", part)):
            last.add(_from_sunday(_number(match[1], field)))
        elif part == "L":
            plain.add(_from_sunday(7))
        else:
            plain.update(_from_sunday(n) for n in _range(part, field))
    return Days(
        weekdays=frozenset(plain),
        last_weekdays=frozenset(last),
        nth_weekdays=frozenset(nth),
    )


def _from_sunday(number: int) -> int:
    """Quartz counts Sunday as 1, Python Monday as 0."""
    return (number + 5) % 7


def _numbers(text: str, field: Field) -> tuple[int, ...]:
    found: set[int] = set()
    for part in text.split(","):
        found.update(_range(part, field))
    return tuple(sorted(found))


def _range(part: str, field: Field) -> Iterator[int]:
    bounds, slash, step_text = part.partition("/")
    first_text, dash, last_text = bounds.partition("-")
    step = 1
    if slash:
        longest = field.most - field.least + 1
        if not (step_text.isascii() and step_text.isdigit()) or not (
            0 < int(step_text[:9]) <= longest
        ):
            raise ExpressionInvalid(f"'{part}' is no step for the {field.noun}")
        step = int(step_text)
    if bounds == "*":
        yield from range(field.least, field.most + 1, step)
        return
    first = _number(first_text, field)
    if not dash:
        if slash and not field.wraps:
            raise ExpressionInvalid(f"write '{first_text}-{field.most}/{step}'")
        yield from range(first, field.most + 1, step) if slash else (first,)
        return
    last = _number(last_text, field)
    if last >= first:
        yield from range(first, last + 1, step)
        return
    if not field.wraps:
        raise ExpressionInvalid(f"'{part}' runs backwards")
    size = field.most - field.least + 1
    for number in range(first, last + size + 1, step):
        yield field.least + (number - field.least) % size


def _number(text: str, field: Field) -> int:
    if text in field.names:
        return field.names[text]
    if text.isascii() and text.isdigit() and len(text) <= 4:
        number = int(text)
        if field.least <= number <= field.most:
            return number
    raise ExpressionInvalid(
        f"'{text}' is no {field.noun} ({field.least} to {field.most})"
    )


def _near(year: int, month: int, day: int, last: int) -> int:
    """The working day nearest to a day, in the same month."""
    weekday = calendar.weekday(year, month, day)
    if weekday == calendar.SATURDAY:
        return day - 1 if day > 1 else day + 2
    if weekday == calendar.SUNDAY:
        return day + 1 if day < last else day - 2
    return day
