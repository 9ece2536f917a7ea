"""The history by the API: followed without gaps, by polling or by waiting."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from flask import request
from pydantic import Field

from mpms.domain.history.events import Cursor, Event
from mpms.domain.people.people import Role
from mpms.domain.webhooks import fits
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.values import CursorInvalid, InstanceId, place_in
from mpms.web.rights import READERS


class PositionUnknown(CursorInvalid):
    """Nothing was ever written at this position, so nothing could be found after it.
    Was the database restored from a backup? Ask without `after`, or from `0`."""


section = Section("Events", "Everything that happened, in order.")

LONGEST_WAIT_S = 25.0
LOOK_S = 0.5
MOST = 500
MOST_READ = 20_000  # of lines that do not fit
LARGEST = (1 << 63) - 1


class EventLine(Shape):
    id: int
    cursor: str
    at: datetime
    kind: str
    actor: str
    instance_id: str | None
    element: str | None
    task_id: str | None
    data: dict[str, Any]


class Events(Shape):
    items: list[EventLine]
    next: str = Field(description="Ask with it as `after` for what comes later.")


class Follow(Given):
    after: Annotated[str, Field(max_length=50)] | None = Field(
        default=None,
        description="`next` of the answer before, or the `cursor` of an event; without"
        " it, and without a header Last-Event-ID, only what comes from now on. `0`:"
        " from the beginning.",
    )
    kind: list[Annotated[str, Field(min_length=1, max_length=100)]] = Field(
        default=[], description="Kinds of events; `*` stands for anything."
    )
    instance_id: InstanceId | None = None
    limit: Annotated[int, Field(ge=1, le=MOST)] = 100
    wait_s: Annotated[float, Field(ge=0, le=LONGEST_WAIT_S)] = Field(
        default=0, description="Wait so long for something to happen."
    )


def text_of(cursor: Cursor) -> str:
    return f"{cursor.transaction}-{cursor.line}"


def cursor_of(text: str) -> Cursor:
    transaction, _, line = text.partition("-")
    numbers = [transaction, line or "0"]
    if not all(n.isascii() and n.isdecimal() and len(n) < 20 for n in numbers):
        raise ValueError(text)
    found = Cursor(int(numbers[0]), int(numbers[1]))
    if max(found.transaction, found.line) > LARGEST:
        raise ValueError(text)
    return found


@section.get("/events", READERS)
def follow(call: Call, query: Follow) -> Events:
    """What happened after a position, in order and without gaps.

    Lines of transactions that still run are kept back until they end, so that no
    line can appear before a position that was read already. Lines about people, such
    as sign-ins, are for administrators.
    """
    given = query.after or request.headers.get("Last-Event-ID") or None
    cursor = place_in(given, cursor_of)
    give_up_at = time.monotonic() + query.wait_s
    with call.desk.uow() as tx:
        newest = tx.events.last(1)
    if cursor is None:
        cursor = newest[-1].cursor if newest else Cursor()
    elif newest and cursor > newest[-1].cursor:
        raise PositionUnknown
    while True:
        found, cursor = _read(call, query, cursor)
        if found or time.monotonic() >= give_up_at:
            break
        time.sleep(LOOK_S)
    return Events(items=[_line(event) for event in found], next=text_of(cursor))


def _read(call: Call, query: Follow, cursor: Cursor) -> tuple[Sequence[Event], Cursor]:
    found: list[Event] = []
    instance_id = None if query.instance_id is None else str(query.instance_id)
    for _ in range(MOST_READ // MOST):
        with call.desk.uow() as tx:
            lines = tx.events.after(cursor, limit=MOST, instance_id=instance_id)
        for line in lines:
            cursor = line.cursor
            if not _may_see(call, line):
                continue
            if not query.kind or fits(query.kind, line.kind):
                found.append(line)
                if len(found) == query.limit:
                    return found, cursor
        if len(lines) < MOST:
            break
    return found, cursor


def _may_see(call: Call, event: Event) -> bool:
    """Who signed in and whose secret changed is for administrators."""
    kind = call.desk.kinds.get(event.kind)
    return kind is None or not kind.for_admins or call.person.role is Role.ADMIN


def _line(event: Event) -> EventLine:
    return EventLine(
        id=event.cursor.line,
        cursor=text_of(event.cursor),
        at=event.at,
        kind=event.kind,
        actor=event.actor,
        instance_id=event.instance_id,
        element=event.element,
        task_id=event.task_id,
        data=event.data,
    )
