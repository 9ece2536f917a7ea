"""What waits for the end of a step, and what is prepared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psycopg2
import pytest

from mpms.adapters.postgres.database import link as links
from mpms.adapters.postgres.database.connections import Connections
from mpms.adapters.postgres.database.gathered import ORDER, Gathered
from mpms.adapters.postgres.database.link import Link
from mpms.adapters.postgres.database.prepared import prepared
from mpms.adapters.postgres.database.queries import Queries, QueriesInvalid, parse
from mpms.adapters.postgres.database.statements import Statements
from mpms.adapters.postgres.database.unit_of_work import PostgresUnitOfWork
from tests.support.waiting_instances import WaitingInstances


@pytest.fixture
def link(pool: Connections) -> Iterator[Link]:
    with pool.bare() as link:
        yield link


@pytest.fixture
def statements(link: Link, queries: Queries) -> Statements:
    return Statements(link, queries, queries.prepared)


def say(statements: Statements, kind: str, *, task_id: str | None = None) -> None:
    row: dict[str, Any] = {"instance_id": None, "element": None, "task_id": task_id}
    statements.gather(
        "events_append", kind=kind, actor="test", data="{}", age_s=0.0, **row
    )


def ask(pool: Connections, question: str) -> object:
    with pool.connection() as connection, connection.cursor() as cursor:
        cursor.execute(question)
        return (cursor.fetchone() or [None])[0]


def test_what_waits_is_written_with_the_next_question(statements: Statements) -> None:
    say(statements, "one")
    say(statements, "two")
    rows = statements.rows("events_held", known=[], limit=9)
    assert [row[3] for row in rows] == ["one", "two"]


def test_nothing_is_kept_of_a_transaction_that_is_not_committed(
    pool: Connections, queries: Queries
) -> None:
    with pool.bare() as link:
        unfinished = Statements(link, queries, queries.prepared)
        say(unfinished, "one")
        unfinished.flush()
    assert ask(pool, "SELECT count(*) FROM events") == 0


def test_a_question_alone_begins_no_transaction_but_keeps_one_together(
    pool: Connections, queries: Queries, link: Link
) -> None:
    idle = psycopg2.extensions.TRANSACTION_STATUS_IDLE
    alone = Statements(link, queries, queries.prepared)
    assert alone.row_alone("jobs_count") == (0, 0, 0, 0)
    assert link.info.transaction_status == idle
    say(alone, "one")
    assert alone.row_alone("jobs_count") == (0, 0, 0, 0)
    assert link.info.transaction_status != idle
    assert ask(pool, "SELECT count(*) FROM events") == 0
    alone.commit()
    assert ask(pool, "SELECT count(*) FROM events") == 1


def test_what_fails_before_the_commit_is_not_taken_for_a_word_unsaid(
    statements: Statements,
) -> None:
    """PostgreSQL says the same of a channel that has no good name."""
    say(statements, "lost")
    statements.run_later(
        "external_tasks_claim", wanted="{}", worker="w", limit=1, reach=1
    )
    with pytest.raises(psycopg2.errors.InvalidParameterValue):
        statements.commit(notify="mpms")


def test_a_task_that_comes_and_goes_in_one_transaction_is_never_written(
    uow: PostgresUnitOfWork, plant: WaitingInstances, pool: Connections
) -> None:
    instance_id = plant.instance()
    numbered = ask(pool, "SELECT last_value FROM jobs_id_seq")
    with uow() as tx:
        wait = plant.job_wait()
        tx.waits.open_job(instance_id, wait)
        tx.waits.close_waits(instance_id, [wait])
    assert ask(pool, "SELECT last_value FROM jobs_id_seq") == numbered
    with uow() as tx:
        wait = plant.job_wait()
        tx.waits.open_job(instance_id, wait)
        assert tx.jobs.number_of(wait.task_id)
        tx.waits.close_waits(instance_id, [wait])
    assert ask(pool, "SELECT count(*) FROM jobs") == 0


def test_a_timer_that_is_closed_and_opened_again_stays(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    """It moved: the step says both of the same task."""
    instance_id = plant.instance()
    wait = plant.timer_wait()
    for _ in range(2):
        with uow() as tx:
            tx.waits.close_waits(instance_id, [wait])
            tx.waits.open_timer(instance_id, wait)
    with uow() as tx:
        assert tx.waits.known(instance_id) == {wait.task_id}


def test_a_statement_is_prepared_once_a_connection(
    link: Link, statements: Statements
) -> None:
    for _ in range(3):
        assert statements.row("definitions_latest", key="none") is None
    assert link.prepared == {"definitions_latest"}


@pytest.mark.parametrize("known", [True, False])
def test_after_an_error_everything_is_prepared_that_is_needed(
    pool: Connections, queries: Queries, known: bool
) -> None:
    """A message that failed may or may not have prepared what it began with."""
    with pool.bare() as link:
        if known:
            before = Statements(link, queries, queries.prepared)
            say(before, "before")
            before.commit()
        failing = Statements(link, queries, queries.prepared)
        say(failing, "lost", task_id="no uuid")
        with pytest.raises(psycopg2.Error):
            failing.commit()
        with link.cursor() as cursor:
            cursor.execute("ROLLBACK")
        after = Statements(link, queries, queries.prepared)
        say(after, "kept")
        after.commit()
    assert ask(pool, "SELECT count(*) FROM events") == 1 + known


def test_plans_are_made_again_after_a_while(
    link: Link, statements: Statements, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were made for tables of the size that these had then."""
    statements.row("definitions_latest", key="none")
    with link.cursor() as cursor:
        cursor.execute("PREPARE old AS SELECT 1")
        monkeypatch.setattr(links, "FORGET_AFTER_S", -1.0)
        statements.row("definitions_latest", key="none")
        cursor.execute("SELECT name FROM pg_prepared_statements")
        assert cursor.fetchall() == [("definitions_latest",)]


@pytest.mark.parametrize("asks", [True, False])
def test_what_fails_in_a_part_is_taken_back_and_what_was_before_it_stands(
    uow: PostgresUnitOfWork, asks: bool
) -> None:
    """Also where neither had come to the database."""
    with uow() as tx:
        tx.events.append("before", actor="test")
        for _ in range(2):
            with suppress(RuntimeError), tx.undoable(at_once=False):
                tx.events.append("inside", actor="test")
                if asks:
                    tx.events.last(1)
                raise RuntimeError
            with tx.undoable(at_once=False):
                tx.events.append("after", actor="test")
                if asks:
                    tx.events.last(1)
    with uow() as tx:
        said = [line.kind for line in tx.events.last(10)]
    assert said == ["before", "after", "after"]


def test_a_part_within_a_part_is_taken_back_with_it(uow: PostgresUnitOfWork) -> None:
    with uow() as tx:
        tx.events.append("before", actor="test")
        with suppress(RuntimeError), tx.undoable(at_once=False):
            with tx.undoable(at_once=False):
                tx.events.append("inside", actor="test")
                tx.events.last(1)
            tx.events.append("inside", actor="test")
            raise RuntimeError
        tx.events.append("after", actor="test")
    with uow() as tx:
        assert [line.kind for line in tx.events.last(10)] == ["before", "after"]


def test_rows_of_plug_ins_are_written_after_our_own(queries: Queries) -> None:
    gathered = Gathered()
    for name in ("robots_row", ORDER[1], ORDER[0], "robots_row"):
        gathered.add(name, {"id": name})
    written = [(name, len(columns["id"])) for name, columns in gathered.take()]
    assert written == [(ORDER[0], 1), (ORDER[1], 1), ("robots_row", 2)]
    assert set(ORDER) <= set(queries.prepared)


def test_the_types_of_arguments_are_those_that_the_statement_says() -> None:
    found = prepared(
        "some_rows", "SELECT 1 %% 2 WHERE a = ANY (%(ids)s::uuid[]) AND b = %(b)s;"
    )
    assert found.prepare == (
        b"PREPARE some_rows AS SELECT 1 % 2 WHERE a = ANY ($1::uuid[]) AND b = $2"
    )
    assert found.execute == "EXECUTE some_rows(%(ids)s::uuid[], %(b)s)"


def test_a_file_says_what_is_prepared() -> None:
    text = "-- name: some_rows, prepared\n-- Why.\nSELECT 1;\n"
    (query,) = parse(text, "some.sql")
    assert (query.name, query.prepared) == ("some_rows", True)
    with pytest.raises(QueriesInvalid, match="no name"):
        parse(text.replace("prepared", "cached"), "some.sql")
