"""What the address of a process page asks for: version, window of time, instances.

An address that was tampered with asks for less, never for an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from uuid import UUID

from mpms.domain.instances.instances import InstanceStatus
from mpms.ports.instances.rows import ENDED, InstanceFilter, InstancePlace
from mpms.services.processes.board import hour_of

LONGEST = 200
SHOWS = ("live", "count", "duration", "waiting")
STATES = (
    *("running", "stuck", "suspended"),
    *("completed", "cancelled", "failed", "any"),
)
WINDOWS: Mapping[str, timedelta] = {
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
    "quarter": timedelta(days=90),
}
OWN_WINDOW = "own"
# Positive: not older. Negative: older.
AGES: Mapping[str, timedelta] = {
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
    "over_hour": -timedelta(hours=1),
    "over_day": -timedelta(days=1),
    "over_week": -timedelta(days=7),
}


@dataclass(frozen=True)
class Filter:
    """The parts of an address, each one known to be good."""

    version: int | None
    show: str
    window: str
    first_day: date | None
    last_day: date | None
    state: str
    business_key: str
    name: str
    value: str
    element: str
    age: str
    only: bool  # figures of the instances found, not of all

    @classmethod
    def of(cls, args: Mapping[str, str]) -> Filter:
        first, last = _day(args.get("from", "")), _day(args.get("to", ""))
        window = _one_of((*WINDOWS, OWN_WINDOW), args.get("window", ""), "week")
        if window == OWN_WINDOW and first is None and last is None:
            window = "week"
        return cls(
            version=_version(args.get("version", "")),
            show=_one_of(SHOWS, args.get("show", ""), "live"),
            window=window,
            first_day=first,
            last_day=last,
            state=_one_of(STATES, args.get("state", ""), "running"),
            business_key=_typed(args.get("q", "")),
            name=_typed(args.get("name", "")),
            value=_typed(args.get("value", "")),
            element=_typed(args.get("element", "")),
            age=_one_of(tuple(AGES), args.get("age", ""), ""),
            only=args.get("only", "") == "1",
        )

    @property
    def address(self) -> dict[str, str]:
        """What is not usual, to be written into addresses."""
        own = self.window == OWN_WINDOW
        told = {
            "version": str(self.version or ""),
            "show": "" if self.show == "live" else self.show,
            "window": "" if self.window == "week" else self.window,
            "from": self.first_day.isoformat() if own and self.first_day else "",
            "to": self.last_day.isoformat() if own and self.last_day else "",
            "state": "" if self.state == "running" else self.state,
            "q": self.business_key,
            "name": self.name,
            "value": self.value,
            "element": self.element,
            "age": self.age,
            "only": "1" if self.only else "",
        }
        return {part: text for part, text in told.items() if text}

    @property
    def narrows(self) -> bool:
        """Whether the list is searched, not only looked through."""
        return bool(self.business_key or self.value or self.element or self.age)

    def times(self, now: datetime) -> tuple[datetime, datetime]:
        """From and until when tokens are looked at, by whole hours."""
        until = hour_of(now) + timedelta(hours=1)
        if self.window != OWN_WINDOW:
            return hour_of(now - WINDOWS[self.window]), until
        days = sorted(day for day in (self.first_day, self.last_day) if day)
        if len(days) == 1 and self.last_day is None:
            return _midnight(days[0]), until
        return _midnight(days[0]), _midnight(days[-1] + timedelta(days=1))

    def wanted(
        self, key: str, definition_id: int | None, now: datetime
    ) -> InstanceFilter:
        age = AGES.get(self.age)
        return InstanceFilter(
            key=key,
            definition_id=definition_id,
            statuses=_statuses(self.state),
            business_key=self.business_key,
            name=self.name,
            value=self.value if self.name and self.value else None,
            element=self.element or None,
            stuck=self.state == "stuck",
            suspended=self.state == "suspended",
            since=now - age if age and age > timedelta() else None,
            until=now + age if age and age < timedelta() else None,
        )


def place_of(text: str) -> InstancePlace | None:
    """Where a page begins; None: at the top."""
    at, _, instance_id = text.partition("~")
    try:
        changed_at = datetime.fromisoformat(at)
        UUID(instance_id)
    except ValueError:
        return None
    return None if changed_at.tzinfo is None else InstancePlace(changed_at, instance_id)


def text_of(place: InstancePlace) -> str:
    return f"{place.at.isoformat()}~{place.id}"


def _statuses(state: str) -> tuple[InstanceStatus, ...]:
    if state == "any":
        return tuple(InstanceStatus)
    ended = {str(status): status for status in ENDED}
    return (ended.get(state, InstanceStatus.ACTIVE),)


def _one_of(known: tuple[str, ...], wish: str, otherwise: str) -> str:
    return wish if wish in known else otherwise


def _version(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else None


def _typed(text: str) -> str:
    """No database stores a NUL, and nobody types other control characters."""
    return "".join(c if c.isprintable() else " " for c in text).strip()[:LONGEST]


def _day(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if 2000 <= found.year <= 2999 else None


def _midnight(day: date) -> datetime:
    """When the day begins in the plant: the time zone of the server."""
    return datetime.combine(day, time()).astimezone()
