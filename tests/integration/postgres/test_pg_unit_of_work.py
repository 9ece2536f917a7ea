"""Transactions: what they keep, how they fail, whom they wake."""

import re
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import psycopg2
import pytest

from mpms.adapters import postgres
from mpms.adapters.postgres.database.connections import Connections
from mpms.adapters.postgres.database.queries import Queries
from mpms.adapters.postgres.database.statements import Statements, as_json
from mpms.adapters.postgres.database.unit_of_work import PostgresUnitOfWork
from mpms.domain.errors import DatabaseAway
from mpms.domain.history.kinds import KindUnknown
from mpms.domain.incidents.incidents import Incident
from mpms.factory.ports.store import UnitOfWork
from tests.support.waiting_instances import WaitingInstances

CUT = """
    SELECT pg_terminate_backend(pid, 30000)
    FROM pg_stat_activity
    WHERE state = 'idle in transaction' AND datname = current_database()
"""


def open_incidents(uow: UnitOfWork) -> list[Incident]:
    with uow() as tx:
        return list(tx.incidents.listing())


def test_the_adapter_is_a_unit_of_work(uow: PostgresUnitOfWork) -> None:
    port: UnitOfWork = uow
    with port() as tx:
        assert tx.instances.counts() == {}


def test_leaving_the_block_commits_and_an_exception_rolls_back(
    uow: PostgresUnitOfWork,
) -> None:
    with uow() as tx:
        tx.incidents.open("kept", "kept")

    def fail() -> None:
        with uow() as tx:
            tx.incidents.open("lost", "lost")
            raise RuntimeError("mid-way")

    with pytest.raises(RuntimeError, match="mid-way"):
        fail()
    assert [incident.kind for incident in open_incidents(uow)] == ["kept"]


def test_a_transaction_whose_statement_failed_is_never_reported_as_committed(
    uow: PostgresUnitOfWork,
) -> None:
    def go_on_after_an_error() -> None:
        with uow() as tx:
            tx.incidents.open("lost", "lost")
            tx.wake()
            with suppress(psycopg2.Error):
                tx.instances.children("no uuid")

    with pytest.raises(psycopg2.Error):
        go_on_after_an_error()
    assert open_incidents(uow) == []


def test_a_lost_connection_is_database_away_and_the_next_transaction_works(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    def lose() -> None:
        with uow() as tx:
            tx.incidents.open("lost", "lost")
            assert plant.ask(CUT) is True
            tx.instances.counts()

    with pytest.raises(DatabaseAway):
        lose()
    assert open_incidents(uow) == []


@pytest.mark.parametrize("wakes", [False, True])
def test_a_connection_lost_before_the_commit_is_database_away(
    uow: PostgresUnitOfWork, plant: WaitingInstances, wakes: bool
) -> None:
    def lose() -> None:
        with uow() as tx:
            tx.incidents.open("lost", "lost")
            assert plant.ask(CUT) is True
            if wakes:
                tx.wake()

    with pytest.raises(DatabaseAway):
        lose()
    assert open_incidents(uow) == []


def test_workers_are_woken_by_a_commit_and_not_by_a_rollback(
    uow: PostgresUnitOfWork, pool: Connections, queries: Queries
) -> None:
    def fail() -> None:
        with uow() as tx:
            tx.wake()
            raise RuntimeError

    marker = PostgresUnitOfWork(pool, queries, channel="marker")
    with pool.listen("mpms", "marker") as listener:
        with pytest.raises(RuntimeError):
            fail()
        with marker() as tx:
            tx.wake()
        assert [each.channel for each in listener.wait(60)] == ["marker"]
        with uow() as tx:
            tx.wake()
            tx.wake()
        assert [each.channel for each in listener.wait(60)] == ["mpms"]


def test_workers_are_woken_outside_the_transaction(
    uow: PostgresUnitOfWork, pool: Connections
) -> None:
    seen: list[int] = []
    with pool.listen("mpms") as listener:
        with uow() as tx:
            tx.incidents.open("news", "news")
            tx.wake()
        assert listener.wait(60)
        seen.append(len(open_incidents(uow)))
    assert seen == [1]
    with pool.connection() as connection:
        assert not connection.autocommit


def test_a_wake_that_fails_does_not_undo_or_deny_the_commit(
    pool: Connections, queries: Queries
) -> None:
    uow = PostgresUnitOfWork(pool, queries, channel="x" * 200)
    with uow() as tx:
        tx.incidents.open("kept", "kept")
        tx.wake()
    assert len(open_incidents(uow)) == 1


def test_a_limited_wait_ends_with_its_block(
    pool: Connections, queries: Queries
) -> None:
    def limit() -> object:
        with connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            return (cursor.fetchone() or [None])[0]

    with pool.connection() as connection:
        statements = Statements(connection, queries)
        with statements.waiting_at_most(1.5):
            assert limit() == "1500ms"
        assert limit() == "0"


def test_a_decimal_is_written_with_all_its_digits() -> None:
    written = as_json({"kg": Decimal("12.3400000000000000000001"), 7: None})
    assert written == '{"kg":12.3400000000000000000001,"7":null}'
    with pytest.raises(TypeError):
        as_json({"kg": Decimal("NaN")})


def test_every_statement_is_used_and_every_used_statement_exists(
    queries: Queries,
) -> None:
    (folder,) = postgres.__path__
    folders = (Path(folder), Path(folder).parents[1] / "factory/adapters/postgres")
    source = "".join(p.read_text() for f in folders for p in f.rglob("*.py"))
    source += (folders[1].parents[1] / "plugin.py").read_text()
    assert [name for name in queries if f'"{name}"' not in source] == []
    asked = r'_statements\.(?!(?:run_)?added\b)\w+\(\s*"(\w+)"'
    used = re.findall(asked, source)
    assert [name for name in used if name not in queries] == []
    assert len(used) > 50


def test_a_part_that_fails_takes_the_parts_inside_it_along(
    uow: PostgresUnitOfWork,
) -> None:
    with uow() as tx:
        tx.events.append("before", actor="test")
        with suppress(RuntimeError), tx.undoable():
            with tx.undoable():
                tx.events.append("inside", actor="test")
            raise RuntimeError
        with tx.undoable():
            tx.events.append("after", actor="test")
    with uow() as tx:
        assert [line.kind for line in tx.events.last(10)] == ["before", "after"]


def test_a_line_of_an_unknown_kind_cannot_be_written(uow: PostgresUnitOfWork) -> None:
    with pytest.raises(KindUnknown, match="'dough burnt'"), uow() as tx:
        tx.events.append("dough burnt", actor="baker")
    with uow() as tx:
        assert tx.events.last(10) == []


def test_a_store_that_no_plug_in_brings_is_named(uow: PostgresUnitOfWork) -> None:
    with uow() as tx, pytest.raises(AttributeError, match="the store 'ovens'"):
        tx.ovens.listing()
