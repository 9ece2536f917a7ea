"""The ISO 8601 texts of timers and retries.

Months and years have no fixed length, so a duration is added to an instant rather
than turned into seconds. Cron texts are refused by name: they look like a cycle, and
reading them almost right would fire timers at the wrong time.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid

from .faults import shown

MAX_RETRIES = 100

_DURATION = re.compile(
    r"P(?=[0-9T])(?:([0-9]{1,4})Y)?(?:([0-9]{1,5})M)?(?:([0-9]{1,6})W)?"
    r"(?:([0-9]{1,7})D)?"
    r"(?:T(?=[0-9])(?:([0-9]{1,8})H)?(?:([0-9]{1,9})M)?"
    r"(?:([0-9]{1,10}(?:[.,][0-9]{1,6})?)S)?)?"
)
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?"
    r"(Z|[+-][0-9]{2}:?[0-9]{2})?"
)
_IN_ZONE = re.compile(r"(.*)\[([A-Za-z0-9_+\-/]{1,64})\]")
_REPETITION = re.compile(r"R([0-9]{0,9})")


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time of which the months follow the calendar."""

    months: int
    exact: timedelta

    def added_to(self, instant: datetime) -> datetime:
        """The instant that much later; a missing day becomes the month's last."""
        try:
            years, month = divmod(instant.month - 1 + self.months, 12)
            year = instant.year + years
            last = calendar.monthrange(year, month + 1)[1]
            moved = instant.replace(
                year=year, month=month + 1, day=min(instant.day, last)
            )
            return moved + self.exact
        except (OverflowError, ValueError, calendar.IllegalMonthError):
            raise ExpressionFailed(
                f"a duration added to {instant.isoformat()} passes the year 9999"
            ) from None

    @property
    def is_zero(self) -> bool:
        return not self.months and not self.exact


@dataclass(frozen=True, slots=True)
class Cycle:
    """A repeated timer; without repetitions it repeats for ever."""

    repetitions: int | None
    start_at: datetime | None
    duration: Duration


def parse_duration(text: str) -> Duration:
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise _unreadable(text, "duration", "PT5M, P1DT12H or P1M")
    years, months, weeks, days, hours, minutes, seconds = match.groups(default="0")
    exact = timedelta(
        weeks=int(weeks),
        days=int(days),
        hours=int(hours),
        minutes=int(minutes),
        seconds=float(seconds.replace(",", ".")),
    )
    return Duration(int(years) * 12 + int(months), exact)


def parse_instant(text: str) -> datetime:
    """In UTC, which is also meant where the text names no zone."""
    stripped = text.strip()
    try:
        zoned = _IN_ZONE.fullmatch(stripped)
        clock, zone = zoned.groups() if zoned else (stripped, None)
        if not _INSTANT.fullmatch(clock):
            raise ValueError
        instant = datetime.fromisoformat(clock)
        known = UTC if zone is None else ZoneInfo(zone)
        if instant.tzinfo is None:
            instant = instant.replace(tzinfo=known)
        return instant.astimezone(UTC)
    except (ValueError, OverflowError, OSError, KeyError):
        raise _unreadable(text, "date and time", "2026-01-31T08:00:00Z") from None


def parse_cycle(text: str) -> Cycle:
    stripped = text.strip()
    if len(stripped.split()) in (5, 6, 7) or stripped.startswith("@"):
        raise ExpressionInvalid(
            f"{shown(text)} is a cron expression, which is not supported; "
            "write a cycle like R/PT5M"
        )
    first, *parts = stripped.split("/")
    repetition = _REPETITION.fullmatch(first)
    if repetition is None or len(parts) not in (1, 2):
        raise _unreadable(text, "cycle", "R3/PT10S or R/2026-01-31T08:00:00Z/PT1H")
    if len(parts) == 2 and parts[0].startswith("P"):
        raise ExpressionInvalid(
            f"{shown(text)} is a cycle with an end, which is not supported"
        )
    count = int(repetition[1]) if repetition[1] else None
    start_at = parse_instant(parts[0]) if len(parts) == 2 else None
    duration = parse_duration(parts[-1])
    if count == 0 or duration.is_zero:
        raise ExpressionInvalid(
            f"{shown(text)} is no cycle: it needs at least one repetition and a "
            "duration above zero"
        )
    return Cycle(count, start_at, duration)


def parse_retry_cycle(text: str) -> tuple[float, ...]:
    """The waits before each retry in seconds: ``R3/PT10S`` or ``PT5S,PT1M``."""
    if text.strip().startswith("R"):
        cycle = parse_cycle(text)
        if cycle.repetitions is None or cycle.start_at is not None:
            raise _unreadable(text, "retry cycle", "R3/PT10S or PT5S,PT10S,PT1M")
        count, durations = cycle.repetitions, [cycle.duration]
    else:
        count, durations = 1, [parse_duration(part) for part in text.split(",")]
    if count * len(durations) > MAX_RETRIES:
        raise ExpressionInvalid(
            f"{shown(text)} asks for more than {MAX_RETRIES} retries"
        )
    if any(duration.months for duration in durations):
        raise ExpressionInvalid(
            f"{shown(text)} waits for months or years between retries"
        )
    return tuple(duration.exact.total_seconds() for duration in durations) * count


def _unreadable(text: str, noun: str, example: str) -> ExpressionInvalid:
    return ExpressionInvalid(f"{shown(text)} is no {noun}; write one like {example}")
