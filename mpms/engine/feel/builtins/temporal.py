"""Functions on dates: the clock of the step, and the calendar."""

import calendar
from datetime import UTC, date, datetime
from typing import Any

from ...expressions.faults import Fault
from ..calls import builtin
from ..far import day as far_day
from ..far import days_of, near_year
from ..nodes import whole_number
from ..temporal import iso_text
from ..values import Frame, Months, lift

_DAYS = (
    *("Monday", "Tuesday", "Wednesday", "Thursday"),
    *("Friday", "Saturday", "Sunday"),
)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def _clock(frame: Frame, function: str) -> datetime:
    if frame.now is None:
        raise Fault(f"asks for {function}() where no clock is given")
    if frame.now.tzinfo is None:
        raise Fault(f"asks for {function}() but the clock has no time zone")
    return frame.now.astimezone(UTC)


@builtin("now()")
def now(frame: Frame) -> datetime:
    return _clock(frame, "now")


@builtin("today()")
def today(frame: Frame) -> date:
    return _clock(frame, "today").date()


@builtin("day of week(date: date|date and time)")
def day_of_week(frame: Frame, day: date) -> str:
    return _DAYS[day.weekday()]


@builtin("day of year(date: date|date and time)")
def day_of_year(frame: Frame, day: date) -> Any:
    return lift(day.timetuple().tm_yday)


@builtin("month of year(date: date|date and time)")
def month_of_year(frame: Frame, day: date) -> str:
    return _MONTHS[day.month - 1]


@builtin("week of year(date: date|date and time)")
def week_of_year(frame: Frame, day: date) -> Any:
    return lift(day.isocalendar().week)


@builtin("last day of month(date: date|date and time)")
def last_day_of_month(frame: Frame, day: date) -> date:
    last = calendar.monthrange(near_year(day), day.month)[1]
    return far_day(day.year, day.month, last)


@builtin("years and months duration(from: date|date and time, to: date|date and time)")
def months_between(frame: Frame, start: date, end: date) -> Months:
    """Whole months between the days; a month that is not over does not count."""
    first, last, sign = _day(start), _day(end), 1
    if days_of(first) > days_of(last):
        first, last, sign = last, first, -1
    months = (last.year - first.year) * 12 + last.month - first.month
    if last.day < first.day:
        months -= 1
    return Months(months * sign)


@builtin(
    "cycle(interval: days and time duration|years and months duration)",
    "cycle(repetitions!: number, "
    "interval: days and time duration|years and months duration)",
)
def cycle(frame: Frame, first: Any, interval: Any = None) -> str:
    """What Camunda 8 adds for timers; repetitions of null never end."""
    if interval is None:
        return f"R/{iso_text(first)}"
    times = "" if first is None else whole_number(first, frame)
    return f"R{times}/{iso_text(interval)}"


def _day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value
