"""Dates, times and durations: texts to values and back, and their arithmetic.

Instants with a zone are moved by the exact length of a days-and-time duration; months
follow the calendar, and a day the month lacks becomes its last. What no date can say
(the offset of "10:00@Europe/Paris", a year beyond 999999999) is refused, not guessed.
Years beyond 9999 and nanoseconds are ``far``.
"""

import calendar
import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from ..expressions.faults import Fault
from . import far
from .far import joined
from .numbers import divide, multiply
from .values import Months

Zoned = datetime | time

_DATE = re.compile(r"(-?[0-9]{4,9})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(
    r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,30}))?"
    r"(Z|z|[+-][0-9]{2}:[0-9]{2}(?::[0-9]{2})?|@[A-Za-z0-9_+\-/]{1,64})?"
)
_END_OF_DAY = re.compile(r"24:00:00(?:\.0+)?(?![.0-9])")
_DAYS_TIME = re.compile(
    r"(-?)P(?=[0-9T])(?:([0-9]{1,12})D)?"
    r"(?:T(?=[0-9])(?:([0-9]{1,20})H)?(?:([0-9]{1,20})M)?"
    r"(?:([0-9]{1,20})(?:\.([0-9]{1,30}))?S)?)?"
)
_YEARS_MONTHS = re.compile(r"(-?)P(?=[0-9])(?:([0-9]{1,12})Y)?(?:([0-9]{1,12})M)?")
MAX_MONTHS = 12 * 999_999_999_999
_BEYOND = "makes a date outside the years -999999999 to 999999999"


@lru_cache(maxsize=256)
def zone_named(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, or a path that leads out
        return None


def _nanos(digits: str | None) -> int:
    """What is finer than a nanosecond is cut off."""
    return int((digits or "")[:9].ljust(9, "0"))


def _zone(text: str | None) -> tzinfo | None:
    if not text:
        return None
    if text in ("Z", "z"):
        return UTC
    if text.startswith("@"):
        found = zone_named(text[1:])
        if found is None:
            raise ValueError
        return found
    hours, minutes, *seconds = (int(part) for part in text[1:].split(":"))
    if hours > 14 or minutes > 59:
        raise ValueError
    return offset_zone(
        timedelta(hours=hours, minutes=minutes, seconds=sum(seconds))
        * (-1 if text[0] == "-" else 1)
    )


def offset_zone(offset: timedelta) -> tzinfo:
    return timezone(offset) if offset else UTC


def parse_date(text: str) -> date | None:
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    if len(match[1].lstrip("-")) > 4 and match[1].lstrip("-").startswith("0"):
        return None
    try:
        return far.day(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None


def parse_time(text: str) -> time | None:
    match = _TIME.fullmatch(text.removeprefix("T"))
    if match is None:
        return None
    try:
        return far.clock(
            int(match[1]),
            int(match[2]),
            int(match[3]),
            _nanos(match[4]),
            _zone(match[5]),
        )
    except ValueError:
        return None


def parse_date_time(text: str) -> datetime | None:
    day, sign, clock = text.partition("T")
    found = parse_date(day)
    if found is None or not sign:
        return None if found is None else joined(found, time())
    if (end_of_day := _END_OF_DAY.match(clock)) is not None:
        found = later(found, timedelta(days=1))
        clock = "00:00:00" + clock[end_of_day.end() :]
    at = parse_time(clock)
    return None if at is None else joined(found, at)


def parse_duration(text: str) -> timedelta | Months | None:
    match = _DAYS_TIME.fullmatch(text)
    if match is not None:
        days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:5])
        try:
            seconds += ((days * 24 + hours) * 60 + minutes) * 60
            length = far.length(seconds * far.SECOND + _nanos(match[6]))
        except OverflowError:
            raise Fault("has a duration of more than 999999999 days") from None
        return -length if match[1] else length
    match = _YEARS_MONTHS.fullmatch(text)
    if match is None:
        return None
    months = int(match[2] or 0) * 12 + int(match[3] or 0)
    return Months(-months if match[1] else months)


def parse_any(text: str) -> Any:
    """What ``@"..."`` may hold."""
    for parse in (parse_date, parse_date_time, parse_time, parse_duration):
        found = parse(text)
        if found is not None:
            return found
    return None


# -- to text -----------------------------------------------------------------------


def _clock(value: Zoned) -> str:
    text = f"{value.hour:02}:{value.minute:02}:{value.second:02}"
    if nanos := far.nanos_of(value):
        text += f".{nanos:09}".rstrip("0")
    return text


def _offset(offset: timedelta | None) -> str:
    if offset is None:
        return ""
    if not offset:
        return "Z"
    seconds = int(abs(offset).total_seconds())
    text = f"{'-' if offset < timedelta() else '+'}{seconds // 3600:02}"
    text += f":{seconds // 60 % 60:02}"
    return text + (f":{seconds % 60:02}" if seconds % 60 else "")


def _days_time(value: timedelta) -> str:
    seconds, nanos = divmod(abs(far.nanos_in(value)), far.SECOND)
    days, seconds = divmod(seconds, 86_400)
    fraction = f".{nanos:09}".rstrip("0") if nanos else ""
    hours, minutes, rest = seconds // 3600, seconds // 60 % 60, seconds % 60
    clock = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    clock += f"{rest}{fraction}S" if rest or nanos else ""
    text = f"P{days}D" if days else "P"
    text += f"T{clock}" if clock else ""
    return "PT0S" if text == "P" else ("-" if value < timedelta() else "") + text


def _years_months(value: Months) -> str:
    years, months = divmod(abs(value.count), 12)
    text = (f"{years}Y" if years else "") + (f"{months}M" if months else "")
    return ("-" if value.count < 0 else "") + "P" + (text or "0M")


def feel_text(value: object) -> str | None:
    """The spelling that FEEL reads back, with the zone by name if it has one."""
    if isinstance(value, datetime | time) and isinstance(value.tzinfo, ZoneInfo):
        day = f"{value.date().isoformat()}T" if isinstance(value, datetime) else ""
        return f"{day}{_clock(value)}@{value.tzinfo.key}"
    return iso_text(value)


def iso_text(value: object) -> str | None:
    """ISO 8601; None if the value is nothing of the kind."""
    if isinstance(value, datetime):
        return f"{value.date().isoformat()}T{_clock(value)}{_offset(value.utcoffset())}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        if isinstance(value.tzinfo, ZoneInfo):
            return feel_text(value)
        return _clock(value) + _offset(value.utcoffset())
    if isinstance(value, timedelta):
        return _days_time(value)
    if isinstance(value, Months):
        return _years_months(value)
    return None


# -- arithmetic --------------------------------------------------------------------


def later(value: Any, length: timedelta | Months) -> Any:
    """A date, time or instant moved by a duration."""
    try:
        if isinstance(length, Months):
            return _months_later(value, length.count)
        if not far.is_far(value, length):
            try:
                return _near_later(value, length)
            except OverflowError:
                pass  # it leaves the years that Python knows
        nanos = far.nanos_in(length)
        if isinstance(value, time):
            return far.moved(value, nanos)
        total = far.nanos_since(value) + nanos
        if isinstance(value, datetime):
            return far.instant_at(total, value.tzinfo)
        return far.day_at(total // far.DAY)
    except ValueError:
        raise Fault(_BEYOND) from None


def _near_later(value: Any, length: timedelta) -> Any:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            return value + length
        return (value.astimezone(UTC) + length).astimezone(value.tzinfo)
    if isinstance(value, date):
        return (datetime.combine(value, time()) + length).date()
    return far.moved(value, far.nanos_in(length))


def _months_later(value: date, months: int) -> date:
    years, month = divmod(value.month - 1 + months, 12)
    year = value.year + years
    last = calendar.monthrange(year % 400 + 400, month + 1)[1]
    day = far.day(year, month + 1, min(value.day, last))
    return joined(day, value.timetz()) if isinstance(value, datetime) else day


def shown_in(value: datetime, zone: tzinfo) -> datetime:
    """The same instant on the clocks of a zone; one without a zone is put there."""
    if value.tzinfo is None:
        return far.zoned(value, zone)
    return far.instant_at(far.nanos_since(value), zone)


def alike(left: Any, right: Any) -> tuple[Any, Any]:
    """Two dates, instants or times so that they can be compared and subtracted.

    A date counts as its midnight: in UTC beside an instant with a zone. Far ones are
    numbers of nanoseconds.
    """
    if isinstance(left, datetime) != isinstance(right, datetime):
        left, right = _midnight(left, right), _midnight(right, left)
    if isinstance(left, time) and isinstance(right, time):
        return _clock_nanos(left, right), _clock_nanos(right, left)
    if isinstance(left, datetime) and (left.tzinfo is None) != (right.tzinfo is None):
        raise Fault("meets a date and time with a zone and one without")
    if isinstance(left, datetime) or far.is_far(left, right):
        # Two instants of one zone would be compared by their clocks, not in time.
        return far.nanos_since(left), far.nanos_since(right)
    return left, right


def _midnight(value: Any, other: Any) -> Any:
    if isinstance(value, datetime):
        return value
    return joined(value, time(tzinfo=None if other.tzinfo is None else UTC))


def _clock_nanos(value: time, other: time) -> int:
    if (value.tzinfo is None) != (other.tzinfo is None):
        raise Fault("meets a time with a zone and one without")
    zone, nanos = value.tzinfo, far.nanos_of_day(value)
    if isinstance(zone, ZoneInfo):
        same = isinstance(other.tzinfo, ZoneInfo) and other.tzinfo.key == zone.key
        if not same:
            raise Fault(f"needs a date to know the offset of {zone.key}")
        return nanos
    return nanos - far.nanos_in(value.utcoffset() or timedelta())


def difference(left: Any, right: Any) -> timedelta:
    left, right = alike(left, right)
    if isinstance(left, date):
        return left - right
    try:
        return far.length(left - right)
    except OverflowError:
        raise Fault("makes a duration of more than 999999999 days") from None


def scaled(length: timedelta | Months, factor: Decimal, *, into: bool = False) -> Any:
    """The duration times the factor, or cut into that many parts."""
    compute = divide if into else multiply
    if isinstance(length, Months):
        months = int(compute(Decimal(length.count), factor))
        if abs(months) > MAX_MONTHS:
            raise Fault("makes a duration of more than 999999999999 years")
        return Months(months)
    try:
        return far.length(int(compute(Decimal(far.nanos_in(length)), factor)))
    except OverflowError:
        raise Fault("makes a duration of more than 999999999 days") from None


def seconds_of(length: timedelta) -> Decimal:
    return divide(Decimal(far.nanos_in(length)), Decimal(far.SECOND))
