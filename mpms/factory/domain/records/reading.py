"""A record as people read it: what was ordered, loaded, done, decided and signed.

Only lines of the record are read, so that a page and a PDF look the same years later.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from mpms.factory.domain.records.chain import Line
from mpms.factory.domain.records.from_history import STEPS, VALUES
from mpms.factory.domain.records.seals import SEALED

SIGNED, ROUTE = "signed", "route"
# What a reader must not overlook, beside deviations of weights.
EVENTFUL = frozenset(
    {
        *("problem reported", "problem reported too late", "incident", "incident over"),
        *("incident closed", "failed", "stuck", "job failed", "retry", "retried"),
        *("answer came late", "late answer accepted", "late answer discarded"),
        *("cancel", "variables set", "activity skipped", "activity cancelled"),
        *("token moved", "suspended", "resumed", "restarted", "migrated", "override"),
        *("robot goes on", "order waits for release"),
    }
)


@dataclass(frozen=True)
class Said:
    """One line, read."""

    line: int
    at: datetime
    what: str
    who: str
    content: Mapping[str, Any]
    hash: str

    @property
    def data(self) -> Mapping[str, Any]:
        data = self.content.get("data")
        return data if isinstance(data, Mapping) else {}

    @property
    def name(self) -> str:
        """What the person is called, else the login, robot or topic."""
        return str(self.data.get("person") or self.who)

    @property
    def where(self) -> str | None:
        return self.content.get("where")

    @property
    def why(self) -> str | None:
        return self.content.get("why")


@dataclass(frozen=True)
class Loaded:
    """A raw material in the tank."""

    material: str
    name: str
    lot: str | None
    kg: Decimal | None
    required_kg: Decimal | None
    deviation_kg: Decimal | None
    by: str
    at: datetime
    within_kg: Decimal | None = None  # so far it might be off, by the decision table


@dataclass
class Step:
    """One visit of an element."""

    instance: str
    element: str
    entered_at: datetime
    left_at: datetime | None = None
    end: str = ""  # left, cancelled …
    by: str = ""
    values: dict[str, Any] = field(default_factory=dict)


@dataclass
class RecordRead:
    """Everything that pages and documents show of a record."""

    record: str
    lines: list[Said]
    order: Mapping[str, Any] = field(default_factory=dict)
    accepted: Said | None = None
    models: list[Said] = field(default_factory=list)
    loads: list[Loaded] = field(default_factory=list)
    weighings: list[Said] = field(default_factory=list)
    weighed_again: list[Said] = field(default_factory=list)  # not accepted
    steps: list[Step] = field(default_factory=list)
    drives: list[Said] = field(default_factory=list)
    events: list[Said] = field(default_factory=list)
    statuses: list[Said] = field(default_factory=list)
    signatures: list[Said] = field(default_factory=list)
    seals: list[Said] = field(default_factory=list)
    routes: list[Mapping[str, Any]] = field(default_factory=list)
    visited: dict[str, set[str]] = field(default_factory=dict)  # by instance
    beyond_kg: Decimal | None = None  # the tolerance, by the decision last asked

    @property
    def status(self) -> str:
        return str(self.statuses[-1].content["new"]) if self.statuses else "new"

    @property
    def unsealed(self) -> int:
        """Lines after the last seal."""
        last = self.seals[-1].line if self.seals else 0
        return len(self.lines) - last


def read_record(record: str, lines: Iterable[Line]) -> RecordRead:
    found = RecordRead(record, [_said(line) for line in lines])
    open_steps: dict[tuple[str, str], list[Step]] = {}
    for said in found.lines:
        _sort(found, said, open_steps)
    return found


def _said(line: Line) -> Said:
    content = json.loads(line.content)
    at = datetime.fromisoformat(content["at"])
    return Said(line.line, at, content["what"], content["who"], content, line.hash)


def _sort(
    found: RecordRead, said: Said, open_steps: dict[tuple[str, str], list[Step]]
) -> None:
    match said.what:
        case "order accepted":
            found.order, found.accepted = said.data, said
        case "instance started":
            found.models.append(said)
        case "loaded":
            found.loads.append(_loaded(said, found.beyond_kg))
            found.beyond_kg = None
            _accept(found, said)
        case "decided":
            found.beyond_kg = _beyond(said) or found.beyond_kg
        case "weighed":
            found.weighings.append(said)
        case "goal ended":
            found.drives.append(said)
        case "order status":
            found.statuses.append(said)
        case "signed":
            found.signatures.append(said)
        case "sealed":
            found.seals.append(said)
        case "route":
            found.routes.append(said.data)
        case "steps":
            _walk(found, said, open_steps)
        case "form answered":
            _answer(said, open_steps)
    if said.what in EVENTFUL:
        found.events.append(said)


def _walk(
    found: RecordRead, said: Said, open_steps: dict[tuple[str, str], list[Step]]
) -> None:
    instance = str(said.data.get("instance"))
    visited = found.visited.setdefault(instance, set())
    for kind, element, *flow in said.data.get("moves", ()):
        visited.update(flow)
        if element is None:
            continue
        key = (instance, str(element))
        if kind == "entered":
            visited.add(str(element))
            step = Step(instance, str(element), said.at)
            open_steps.setdefault(key, []).append(step)
            found.steps.append(step)
        elif waiting := open_steps.get(key):
            step = waiting.pop(0)
            step.left_at, step.end = said.at, kind
            step.by = step.by or said.name


def _accept(found: RecordRead, loaded: Said) -> None:
    """Of several weighings of a load only the last was accepted."""
    material = loaded.data.get("material")
    since = [
        each.line
        for each in found.lines[: loaded.line - 1]
        if each.what == "loaded" and each.data.get("material") == material
    ]
    begin = since[-1] if since else 0
    mine = [
        each
        for each in found.weighings
        if each.line > begin and each.data.get("material") == material
    ]
    found.weighed_again += mine[:-1]


def _answer(said: Said, open_steps: dict[tuple[str, str], list[Step]]) -> None:
    key = (str(said.data.get("instance")), str(said.where))
    for step in open_steps.get(key, ())[:1]:
        step.by = said.name
        answers = said.data.get("answers")
        step.values = dict(answers) if isinstance(answers, Mapping) else {}


def _beyond(said: Said) -> Decimal | None:
    """How much more than the tolerance a weight was off: what the table was asked."""
    for table in said.data.get("tables") or ():
        if table.get("decision") == TOLERANCE and len(table.get("inputs") or ()) == 1:
            return _kg(table["inputs"][0])
    return None


def _loaded(said: Said, beyond_kg: Decimal | None) -> Loaded:
    data = said.data
    off_kg = _kg(data.get("deviation_kg"))
    within_kg = None
    if off_kg is not None and beyond_kg is not None:
        within_kg = max(abs(off_kg) - beyond_kg, Decimal(0))
    return Loaded(
        str(data.get("material")),
        str(data.get("name") or ""),
        data.get("lot"),
        _kg(data.get("kg")),
        _kg(data.get("required_kg")),
        _kg(data.get("deviation_kg")),
        said.name,
        said.at,
        within_kg,
    )


def _kg(value: object) -> Decimal | None:
    try:
        return None if value is None else Decimal(str(value))
    except InvalidOperation:
        return None


TOLERANCE = "weight_tolerance"
QUIET = frozenset({STEPS, VALUES, SEALED, ROUTE})  # of no use as words
