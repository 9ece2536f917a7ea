"""History: one ordered stream of what happened, appended to and never changed."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any


@dataclass(frozen=True, order=True)
class Cursor:
    """A position in the stream.

    Lines are ordered by transaction first: a slow transaction may commit lines with
    low numbers late, and a reader who followed numbers alone would skip them.
    """

    transaction: int = 0
    line: int = 0


@dataclass(frozen=True)
class Event:
    """One line: who, when, what, on what, with old and new values in ``data``."""

    cursor: Cursor
    at: datetime
    kind: str
    actor: str
    instance_id: str | None
    element: str | None
    task_id: str | None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Told:
    """A line that a transaction adds to the history and has not committed yet."""

    kind: str
    actor: str
    instance_id: str | None
    element: str | None
    task_id: str | None
    data: dict[str, Any]


@dataclass(frozen=True)
class PluginRows:
    """Rows of a plug-in that go with instances."""

    name: str
    title: str  # for people, in English
    rows: int


@dataclass(frozen=True)
class HistoryCounts:
    """How much of the past goes, or would go."""

    instances: int = 0
    events: int = 0
    answers: int = 0
    incidents: int = 0
    attachments: int = 0
    loose_events: int = 0  # of no instance: sign-ins, deployments
    of_plugins: tuple[PluginRows, ...] = ()

    def __add__(self, other: HistoryCounts) -> HistoryCounts:
        rows = {each.name: each for each in self.of_plugins}
        for each in other.of_plugins:
            before = rows.get(each.name, replace(each, rows=0))
            rows[each.name] = replace(each, rows=before.rows + each.rows)
        return HistoryCounts(
            self.instances + other.instances,
            self.events + other.events,
            self.answers + other.answers,
            self.incidents + other.incidents,
            self.attachments + other.attachments,
            self.loose_events + other.loose_events,
            tuple(rows.values()),
        )

    def by_name(self) -> dict[str, int]:
        """Each number by its name, those of plug-ins too."""
        ours = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name != "of_plugins"
        }
        return ours | {each.name: each.rows for each in self.of_plugins}
