"""History: ordered, final, and followed without a gap."""

from typing import Any
from uuid import uuid4

import psycopg2
import pytest

from mpms.adapters.postgres.database.unit_of_work import (
    PostgresTransaction,
    PostgresUnitOfWork,
)
from mpms.domain.history.events import Cursor, Event
from tests.support.waiting import eventually
from tests.support.waiting_instances import WaitingInstances


def after(uow: PostgresUnitOfWork, cursor: Cursor, **more: Any) -> list[Event]:
    with uow() as tx:
        return list(tx.events.after(cursor, **more))


def follow(
    uow: PostgresUnitOfWork, plant: WaitingInstances, number: int, start: Cursor
) -> list[Event]:
    """Read on until so many lines are there, a few at a time, as a page does."""
    seen: list[Event] = []

    def read() -> bool:
        cursor = seen[-1].cursor if seen else start
        seen.extend(after(uow, cursor, limit=2))
        return len(seen) >= number

    # Any transaction of the server, such as a vacuum, holds new lines back a moment.
    eventually(read, f"{number} lines")
    return seen


def test_lines_come_back_in_order_with_all_they_say(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    instance_id, task_id = plant.instance(), str(uuid4())
    with uow() as tx:
        tx.events.append("received", actor="mail", data={"z": 1, "a": 2})
        tx.events.append_many(
            instance_id,
            "ada",
            [(f"step {n}", "load", task_id, {"n": n}) for n in range(5)],
        )
        tx.events.append_many(instance_id, "ada", [])
        tx.events.append("left", actor="ada", instance_id=instance_id)
    lines = follow(uow, plant, 7, Cursor())
    first, second, *_, last = lines
    assert (first.kind, first.actor, first.instance_id) == (
        "received",
        "mail",
        None,
    )
    assert list(first.data) == ["z", "a"]
    assert (second.instance_id, second.element, second.task_id, second.data) == (
        instance_id,
        "load",
        task_id,
        {"n": 0},
    )
    assert [line.data.get("n") for line in lines[1:6]] == list(range(5))
    assert (last.kind, last.element, last.data) == ("left", None, {})
    assert sorted(lines, key=lambda line: line.cursor) == lines
    of_instance = after(uow, Cursor(), instance_id=instance_id)
    assert of_instance == lines[1:]
    assert after(uow, lines[2].cursor, limit=2) == lines[3:5]
    assert after(uow, last.cursor) == []


def make_written(tx: PostgresTransaction) -> None:
    """Lines wait for the end of the step; a question takes them along."""
    tx.events.last(1)


def test_the_line_of_a_slow_writer_is_never_skipped(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    with uow() as tx:
        tx.events.append("before", actor="x")
    (before,) = follow(uow, plant, 1, Cursor())
    with uow() as slow:
        slow.events.append("slow", actor="x")
        make_written(slow)
        with uow() as quick:
            quick.events.append("quick", actor="x")
        assert after(uow, before.cursor) == []
        slow.events.append("again", actor="x")
    rest = follow(uow, plant, 3, before.cursor)
    assert [line.kind for line in rest] == ["slow", "again", "quick"]


def test_a_reader_that_resumes_between_writers_sees_every_line_once(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    seen: list[Event] = []
    with uow() as one:
        one.events.append("one", actor="x")
        make_written(one)
        with uow() as two:
            two.events.append("two", actor="x")
            make_written(two)
            with uow() as three:
                three.events.append("three", actor="x")
            seen += after(uow, Cursor())
        seen += after(uow, Cursor())
    assert seen == []
    seen = follow(uow, plant, 3, Cursor())
    assert [line.kind for line in seen] == ["one", "two", "three"]


@pytest.mark.parametrize(
    "change", ["UPDATE events SET actor = 'y'", "DELETE FROM events"]
)
def test_history_cannot_be_changed(
    uow: PostgresUnitOfWork, plant: WaitingInstances, change: str
) -> None:
    with uow() as tx:
        tx.events.append("done", actor="x")
    with pytest.raises(psycopg2.Error, match="append-only"):
        plant.ask(f"{change} RETURNING 1")
