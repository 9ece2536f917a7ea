"""What the cockpit reads.

Instances that run are few and change often, so they are sorted when asked for; those
that ended never change again and lie in an index in the order of their ends. A page is
merged from both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, Row
from mpms.domain.instances.instances import InstanceStatus
from mpms.ports.instances.rows import ENDED, InstanceFilter, InstancePlace, InstanceRow
from mpms.ports.processes.cockpit import (
    Heat,
    InstanceStand,
    ProcessRow,
    Standing,
    TrendHour,
    VersionRow,
)

_LIKE = str.maketrans({"\\": r"\\", "%": r"\%", "_": r"\_"})


class Cockpit(Repository):
    """Reads only."""

    def processes(self) -> Sequence[ProcessRow]:
        return [ProcessRow(*row) for row in self._statements.rows("cockpit_processes")]

    def trends(self, since: datetime) -> Mapping[str, Sequence[TrendHour]]:
        found: dict[str, list[TrendHour]] = defaultdict(list)
        for key, *row in self._statements.rows("cockpit_trends", since=since):
            found[key].append(_trend_hour(row))
        return found

    def late(self, today: date) -> Mapping[str, int]:
        found: Counter[str] = Counter()
        for key, late in self._statements.added("late", today=today):
            found[key] += late
        return found

    def versions(self, key: str) -> Sequence[VersionRow]:
        return [
            VersionRow(*row)
            for row in self._statements.rows("cockpit_versions", key=key)
        ]

    def places(self, instance_ids: Sequence[str]) -> Sequence[InstanceStand]:
        if not instance_ids:
            return []
        rows = self._statements.rows("cockpit_places", ids=list(instance_ids))
        return [InstanceStand(*row) for row in rows]

    def instances(
        self, wanted: InstanceFilter, *, below: InstancePlace | None, limit: int
    ) -> Sequence[InstanceRow]:
        """The last changed first."""
        return self._found(wanted, below, limit, limit)[0]

    def counted(
        self, wanted: InstanceFilter, *, limit: int, most: int
    ) -> tuple[Sequence[InstanceRow], int]:
        """The first of them, and how many there are; counting stops at ``most``."""
        return self._found(wanted, None, limit, most)

    def _found(
        self,
        wanted: InstanceFilter,
        below: InstancePlace | None,
        limit: int,
        most: int,
    ) -> tuple[Sequence[InstanceRow], int]:
        asked = _asked(wanted, below) | {"limit": limit, "most": most}
        rows: list[InstanceRow] = []
        number = 0
        for name, status in _statements(wanted):
            found = self._statements.rows(name, **asked, status=status)
            rows += (_instance(row[:-1]) for row in found)
            number += found[0][-1] if found else 0
        rows.sort(key=lambda row: (row.place.at, row.id), reverse=True)
        return rows[:limit], min(number, most)

    def heat(
        self,
        key: str,
        *,
        definition_id: int | None,
        since: datetime,
        until: datetime,
    ) -> Sequence[Heat]:
        rows = self._statements.rows(
            "cockpit_heat",
            key=key,
            definition_id=definition_id,
            since=since,
            until=until,
        )
        return [_heat(row) for row in rows]

    def heat_of(
        self, instance_ids: Sequence[str], *, since: datetime, until: datetime
    ) -> Sequence[Heat]:
        rows = self._statements.rows(
            "cockpit_heat_of", ids=list(instance_ids), since=since, until=until
        )
        return [_heat(row) for row in rows]

    def standing(
        self,
        key: str,
        *,
        definition_id: int | None = None,
        instance_ids: Sequence[str] | None = None,
    ) -> Sequence[Standing]:
        ids = None if instance_ids is None else list(instance_ids)
        rows = self._statements.rows(
            "cockpit_standing", key=key, definition_id=definition_id, ids=ids
        )
        return [Standing(*row) for row in rows]


def _statements(wanted: InstanceFilter) -> list[tuple[str, str | None]]:
    """What to ask, and for which status; None: for every end there is."""
    names: list[tuple[str, str | None]] = []
    if InstanceStatus.ACTIVE in wanted.statuses:
        names.append(("cockpit_running", None))
    ends: set[str | None] = {s.value for s in wanted.statuses if s.ended}
    if len(ends) == len(ENDED):
        ends = {None}
    if not wanted.of_the_present:
        valued = wanted.value is not None
        name = "cockpit_ended_with_value" if valued else "cockpit_ended"
        names += ((name, end) for end in ends)
    return names


def _asked(wanted: InstanceFilter, below: InstancePlace | None) -> dict[str, Any]:
    begins = wanted.business_key.translate(_LIKE)
    return {
        "key": wanted.key,
        "definition_id": wanted.definition_id,
        "business_key": f"{begins}%" if begins else None,
        "name": wanted.name,
        "value": wanted.value,
        "element": wanted.element,
        "stuck": wanted.stuck,
        "suspended": wanted.suspended,
        "since": wanted.since,
        "until": wanted.until,
        "before_at": None if below is None else below.at,
        "before_id": None if below is None else below.id,
    }


def _trend_hour(row: Sequence[Any]) -> TrendHour:
    hour, started, completed, cancelled, failed, seconds = row
    return TrendHour(
        hour, int(started), int(completed), int(cancelled), int(failed), seconds
    )


def _heat(row: Row) -> Heat:
    return Heat(row[0], int(row[1]), int(row[2]), *row[3:])


def _instance(row: Row) -> InstanceRow:
    found, status = list(row), InstanceStatus(row[4])
    found[4] = status
    return InstanceRow(*found)
