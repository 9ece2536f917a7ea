"""What Python's own dates cannot say: years beyond 1 to 9999, nanoseconds.

The calendar repeats every 400 years to the weekday. So a far day is a day of an
ordinary year and a number of such cycles; what asks for its month, weekday or zone asks
the ordinary one. Far values are made only where the plain kinds do not reach, and they
are compared and moved as plain numbers of nanoseconds.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

CYCLE_YEARS, CYCLE_DAYS = 400, 146_097
LAST_YEAR = 999_999_999
SECOND = 1_000_000_000
DAY = 86_400 * SECOND


class FarDay(date):
    """A day of the year ``ordinary + 400 * cycles``."""

    cycles = 0

    @property
    def year(self) -> int:
        return near_year(self) + CYCLE_YEARS * self.cycles

    def isoformat(self) -> str:
        return _year(self.year) + super().isoformat()[4:]


class FineTime(time):
    """A time with nanoseconds beyond its microseconds."""

    nanos = 0


class FarInstant(datetime):
    """A date and time of a far year, with nanoseconds, or both."""

    cycles = 0
    nanos = 0

    @property
    def year(self) -> int:
        return near_year(self) + CYCLE_YEARS * self.cycles

    def date(self) -> date:
        return day_at(days_of(self))

    def timetz(self) -> time:
        nanos = nanos_of(self)
        return clock(self.hour, self.minute, self.second, nanos, self.tzinfo)


class FineLength(timedelta):
    """A days-and-time duration with nanoseconds beyond its microseconds.

    Its operators win over those of plain durations on either side of it.
    """

    nanos = 0

    def __add__(self, other: timedelta) -> timedelta:
        return length(nanos_in(self) + nanos_in(other))

    def __sub__(self, other: timedelta) -> timedelta:
        return length(nanos_in(self) - nanos_in(other))

    def __rsub__(self, other: timedelta) -> timedelta:
        return length(nanos_in(other) - nanos_in(self))

    def __neg__(self) -> timedelta:
        return length(-nanos_in(self))

    def __abs__(self) -> timedelta:
        return length(abs(nanos_in(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, timedelta) and nanos_in(self) == nanos_in(other)

    def __lt__(self, other: timedelta) -> bool:
        return nanos_in(self) < nanos_in(other)

    def __le__(self, other: timedelta) -> bool:
        return nanos_in(self) <= nanos_in(other)

    def __gt__(self, other: timedelta) -> bool:
        return nanos_in(self) > nanos_in(other)

    def __ge__(self, other: timedelta) -> bool:
        return nanos_in(self) >= nanos_in(other)

    def __hash__(self) -> int:
        return hash(nanos_in(self))

    __radd__ = __add__


def length(nanos: int) -> timedelta:
    """OverflowError beyond what Python counts."""
    micros, rest = divmod(nanos, 1000)
    if not rest:
        return timedelta(microseconds=micros)
    made = FineLength(microseconds=micros)
    made.nanos = rest
    return made


def _year(year: int) -> str:
    return f"{'-' if year < 0 else ''}{abs(year):04}"


def near_year(value: date) -> int:
    """The year of the ordinary day that stands for it."""
    return int(date.year.__get__(value))


def day(year: int, month: int, number: int) -> date:
    """ValueError for a day that no calendar has."""
    if 1 <= year <= 9999:
        return date(year, month, number)
    if abs(year) > LAST_YEAR:
        raise ValueError
    # Zones of long ago had the sun's time; those of the far future are today's.
    ordinary = year % CYCLE_YEARS + (CYCLE_YEARS if year < 1 else 5 * CYCLE_YEARS)
    made = FarDay(ordinary, month, number)
    made.cycles = (year - ordinary) // CYCLE_YEARS
    return made


def days_of(value: date) -> int:
    """Days since the beginning of the calendar, as ``toordinal``, however far."""
    return value.toordinal() + CYCLE_DAYS * getattr(value, "cycles", 0)


def day_at(number: int) -> date:
    """The day that many days since the beginning. ValueError beyond the last year."""
    cycles, within = divmod(number - 1, CYCLE_DAYS)
    near = date.fromordinal(within + 1)
    return day(near.year + CYCLE_YEARS * cycles, near.month, near.day)


def nanos_of(value: datetime | time) -> int:
    """Nanoseconds of its second."""
    return value.microsecond * 1000 + getattr(value, "nanos", 0)


def clock(hour: int, minute: int, second: int, nanos: int, zone: tzinfo | None) -> time:
    micros, rest = divmod(nanos, 1000)
    if not rest:
        return time(hour, minute, second, micros, zone)
    made = FineTime(hour, minute, second, micros, zone)
    made.nanos = rest
    return made


def joined(at: date, time_: time) -> datetime:
    """A day and a time of day as one."""
    cycles, nanos = getattr(at, "cycles", 0), getattr(time_, "nanos", 0)
    if not cycles and not nanos:
        return datetime.combine(at, time_)
    near = date(near_year(at), at.month, at.day)
    made = FarInstant.combine(near, time_)
    made.cycles, made.nanos = cycles, nanos
    return made


def zoned(value: Any, zone: tzinfo | None) -> Any:
    """The same clock in a zone, or without one."""
    made = value.replace(tzinfo=zone)
    for part in ("cycles", "nanos"):
        if hasattr(value, part):
            setattr(made, part, getattr(value, part))
    return made


def is_far(*values: Any) -> bool:
    return any(
        isinstance(value, FarDay | FineTime | FarInstant | FineLength)
        for value in values
    )


def nanos_since(value: date) -> int:
    """Nanoseconds since the beginning of the calendar; of an instant with a zone, in
    UTC."""
    total = days_of(value) * DAY
    if isinstance(value, datetime):
        total += nanos_of_day(value)
        if (offset := value.utcoffset()) is not None:
            total -= nanos_in(offset)
    return total


def nanos_of_day(value: datetime | time) -> int:
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return seconds * SECOND + nanos_of(value)


def instant_at(nanos: int, zone: tzinfo | None) -> datetime:
    """The instant that long since the beginning, shown in a zone; without one, on a
    clock. ValueError beyond the last year."""
    found = _on_clock(nanos, None if zone is None else UTC)
    if zone is None or zone is UTC:
        return found
    year = near_year(found)
    year += CYCLE_YEARS if year < 2 else -CYCLE_YEARS if year > 9998 else 0
    clock_ = datetime.time(found)
    near = datetime.combine(date(year, found.month, found.day), clock_, UTC)
    there = near.astimezone(zone)
    shown = _on_clock(nanos + nanos_in(there.utcoffset() or timedelta()), None)
    made = joined(shown.date(), zoned(shown.timetz(), zone))
    return made if is_far(made) else made.replace(fold=there.fold)


def moved(value: time, nanos: int) -> time:
    """Around the clock."""
    seconds, rest = divmod((nanos_of_day(value) + nanos) % DAY, SECOND)
    hour, minute = seconds // 3600, seconds // 60 % 60
    return clock(hour, minute, seconds % 60, rest, value.tzinfo)


def nanos_in(length: timedelta) -> int:
    micros = (length.days * 86_400 + length.seconds) * 1_000_000 + length.microseconds
    return micros * 1000 + getattr(length, "nanos", 0)


def _on_clock(nanos: int, zone: tzinfo | None) -> datetime:
    days, within = divmod(nanos, DAY)
    seconds, rest = divmod(within, SECOND)
    hour, minute = seconds // 3600, seconds // 60 % 60
    return joined(day_at(days), clock(hour, minute, seconds % 60, rest, zone))
