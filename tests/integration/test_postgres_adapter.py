"""Connections, named queries and migrations against a real server."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg2
import pytest
from psycopg2.extensions import connection

from mpms.adapters.postgres.database import migrate as migrations
from mpms.adapters.postgres.database.connections import Connections
from mpms.adapters.postgres.database.listening import Notification
from mpms.adapters.postgres.database.migrate import migrate, pending
from mpms.adapters.postgres.database.migration_files import MigrationsInvalid
from mpms.adapters.postgres.database.queries import (
    Queries,
    QueriesInvalid,
    QueryUnknown,
)
from mpms.domain.errors import DatabaseAway
from mpms.embedded.postgres_launch import free_port

WAIT_S = 30.0


@pytest.fixture
def empty_url(create_database: Callable[..., str]) -> str:
    return create_database()


@pytest.fixture
def connections(empty_url: str) -> Iterator[Connections]:
    with Connections(empty_url, maximum=2, application_name="mpms test") as pool:
        yield pool


def ask(lent: connection, statement: str) -> object:
    with lent.cursor() as cursor:
        cursor.execute(statement)
        row = cursor.fetchone()
        assert row is not None
        return row[0]


def run(lent: connection, statement: str) -> None:
    with lent.cursor() as cursor:
        cursor.execute(statement)


def cut(url: str, name: str) -> None:
    """End the server's side of every connection with this application name."""
    with closing(psycopg2.connect(url)) as other:
        run(
            other,
            "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity"
            f" WHERE application_name = '{name}'",
        )


# Connections


def test_a_block_is_one_committed_transaction(connections: Connections) -> None:
    with connections.connection() as lent:
        run(lent, "CREATE TABLE seen (n int)")
        run(lent, "INSERT INTO seen VALUES (1)")
    with connections.connection() as lent:
        assert ask(lent, "SELECT count(*) FROM seen") == 1


def test_a_block_that_raises_leaves_nothing(connections: Connections) -> None:
    def create_and_fail() -> None:
        with connections.connection() as lent:
            run(lent, "CREATE TABLE seen (n int)")
            raise LookupError

    with pytest.raises(LookupError):
        create_and_fail()
    with connections.connection() as lent:
        assert ask(lent, "SELECT to_regclass('seen')") is None


def test_a_swallowed_database_error_is_not_committed_silently(
    connections: Connections,
) -> None:
    with (
        pytest.raises(psycopg2.errors.InFailedSqlTransaction),
        connections.connection() as lent,
        pytest.raises(psycopg2.errors.UndefinedTable),
    ):
        run(lent, "SELECT * FROM missing")


def test_connections_are_reused_and_tell_name_and_time_zone(
    connections: Connections,
) -> None:
    with connections.connection() as lent:
        first = ask(lent, "SELECT pg_backend_pid()")
        assert ask(lent, "SHOW application_name") == "mpms test"
        assert ask(lent, "SHOW timezone") == "UTC"
    with connections.connection() as lent:
        assert ask(lent, "SELECT pg_backend_pid()") == first


def test_a_server_that_does_not_answer_is_named_as_the_cause() -> None:
    url = f"postgresql://mpms@127.0.0.1:{free_port()}/mpms"
    with (
        Connections(url) as pool,
        pytest.raises(DatabaseAway, match="refused"),
        pool.connection(),
    ):
        pass


def test_a_wrong_password_is_named_as_the_cause(empty_url: str) -> None:
    user_and_password, rest = empty_url.split("@")
    with (
        Connections(f"{user_and_password}x@{rest}") as pool,
        pytest.raises(DatabaseAway, match="password authentication failed"),
        pool.connection(),
    ):
        pass


def test_an_idle_connection_that_the_server_closed_is_replaced(
    connections: Connections, empty_url: str
) -> None:
    with connections.connection() as lent:
        first = ask(lent, "SELECT pg_backend_pid()")
    cut(empty_url, "mpms test")
    with connections.connection() as lent:
        assert ask(lent, "SELECT pg_backend_pid()") != first


def test_losing_the_server_inside_a_block_is_database_away(
    connections: Connections, empty_url: str
) -> None:
    def lose_it() -> None:
        with connections.connection() as lent:
            run(lent, "SELECT 1")
            cut(empty_url, "mpms test")
            run(lent, "SELECT 1")

    with pytest.raises(DatabaseAway, match="lost"):
        lose_it()
    with connections.connection() as lent:
        assert ask(lent, "SELECT 1") == 1


def test_a_statement_that_took_too_long_stays_what_it_is(
    connections: Connections,
) -> None:
    with (
        pytest.raises(psycopg2.errors.QueryCanceled),
        connections.connection() as lent,
    ):
        run(lent, "SET LOCAL statement_timeout = 10; SELECT pg_sleep(30)")


def test_no_more_connections_are_opened_than_allowed(empty_url: str) -> None:
    with (
        Connections(empty_url, maximum=1, patience_s=0.2) as pool,
        pool.connection(),
        pytest.raises(DatabaseAway, match="all 1 connections"),
        pool.connection(),
    ):
        pass


def test_a_waiting_thread_gets_the_connection_that_comes_back(empty_url: str) -> None:
    served = []
    with Connections(empty_url, maximum=2) as pool:

        def work() -> None:
            for _ in range(20):
                with pool.connection() as lent:
                    served.append(ask(lent, "SELECT pg_backend_pid()"))

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT_S)
    assert len(served) == 120
    assert len(set(served)) <= 2


def test_closed_connections_refuse_to_be_lent(empty_url: str) -> None:
    pool = Connections(empty_url)
    pool.close()
    with pytest.raises(DatabaseAway, match="closed"), pool.connection():
        pass


# Listening


def test_a_notification_wakes_a_listener(connections: Connections) -> None:
    with connections.listen("jobs", "Goals") as listener:
        with connections.connection() as lent:
            run(lent, "SELECT pg_notify('Goals', '7')")
        assert listener.wait(WAIT_S) == [Notification("Goals", "7")]
        assert listener.wait(0.0) == []


def test_a_listener_connects_again_and_reports_what_it_may_have_missed(
    connections: Connections, empty_url: str
) -> None:
    with connections.listen("jobs") as listener:
        cut(empty_url, "mpms test")
        assert listener.wait(WAIT_S) == [Notification("jobs", "")]
        with connections.connection() as lent:
            run(lent, "NOTIFY jobs, 'again'")
        assert listener.wait(WAIT_S) == [Notification("jobs", "again")]


def test_a_listener_outlasts_a_database_that_is_away() -> None:
    url = f"postgresql://mpms@127.0.0.1:{free_port()}/mpms"
    with Connections(url) as pool, pool.listen("jobs") as listener:
        assert listener.wait(0.1) == []


def test_a_listener_can_be_woken_by_another_thread(connections: Connections) -> None:
    with connections.listen("jobs") as listener:
        waker = threading.Timer(0.05, listener.wake)
        waker.start()
        assert listener.wait(600) == []
        waker.join()


# Queries


def write_queries(directory: Path, **files: str) -> Path:
    for name, text in files.items():
        (directory / f"{name}.sql").write_text(text)
    return directory


def test_queries_are_found_by_name_and_run(
    tmp_path: Path, connections: Connections
) -> None:
    queries = Queries(
        write_queries(
            tmp_path,
            orders="-- Orders as they came in.\n\n"
            "-- name: orders_count\n-- How many there are.\nSELECT %(n)s::int + 1;\n",
            goals="-- name: goals_like\n-- Finds goals.\n"
            "SELECT 'a' LIKE 'a%%', %(n)s::int, %(m)s::int, %(n)s::int\n",
        )
    )
    assert sorted(queries) == ["goals_like", "orders_count"]
    assert queries.query("orders_count").purpose == "How many there are."
    assert queries.query("goals_like").parameters == ["n", "m"]
    with connections.connection() as lent, lent.cursor() as cursor:
        cursor.execute(queries["orders_count"], {"n": 4})
        assert cursor.fetchone() == (5,)
        cursor.execute(queries["goals_like"], {"n": 1, "m": 2})
        assert cursor.fetchone() == (True, 1, 2, 1)


def test_an_unknown_query_is_named(tmp_path: Path) -> None:
    with pytest.raises(QueryUnknown, match=r"^there is no query named orders_find$"):
        Queries(tmp_path)["orders_find"]


def test_a_name_used_twice_is_refused_with_both_files(tmp_path: Path) -> None:
    text = "-- name: orders_count\n-- Counts.\nSELECT 1\n"
    with pytest.raises(QueriesInvalid, match=r"in a\.sql and in b\.sql"):
        Queries(write_queries(tmp_path, a=text, b=text))


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("SELECT 1\n", "must begin with a line"),
        ("-- name: orders_count\nSELECT 1\n", "what the query is for"),
        ("-- name: orders_count\n", "what the query is for"),
        ("-- name: orders_count\n-- Counts.\n-- nothing\n;\n", "is empty"),
        ("-- name: Orders\n-- Counts.\nSELECT 1\n", "'Orders' is no name"),
        ("-- name: orders_like\n-- Likes.\nSELECT 'a%'\n", "percent sign as %%"),
        ("-- name: orders_like\n-- Likes.\nSELECT %s\n", r"write a parameter as"),
    ],
)
def test_a_malformed_query_file_is_refused_with_its_cause(
    tmp_path: Path, text: str, cause: str
) -> None:
    with pytest.raises(QueriesInvalid, match=cause) as refusal:
        Queries(write_queries(tmp_path, orders=text))
    assert "orders.sql" in str(refusal.value)


def test_a_missing_directory_of_queries_is_named(tmp_path: Path) -> None:
    with pytest.raises(QueriesInvalid, match="nowhere"):
        Queries(tmp_path / "nowhere")


# Migrations

FIRST = "CREATE TABLE orders (id int PRIMARY KEY);\n"
SECOND = "ALTER TABLE orders ADD COLUMN note text DEFAULT '100%';\n"


@pytest.fixture
def two_migrations(tmp_path: Path) -> Path:
    (tmp_path / "0001_orders.sql").write_text(FIRST)
    (tmp_path / "0002_add_note.sql").write_text(SECOND)
    return tmp_path


def test_migrations_are_applied_once_and_in_order(
    connections: Connections, two_migrations: Path
) -> None:
    with connections.connection() as lent:
        assert pending(lent, two_migrations) == ["0001_orders", "0002_add_note"]
        assert migrate(lent, two_migrations) == ["0001_orders", "0002_add_note"]
        assert pending(lent, two_migrations) == []
        assert migrate(lent, two_migrations) == []
        run(lent, "INSERT INTO orders (id) VALUES (1)")
        assert ask(lent, "SELECT note FROM orders") == "100%"
        assert ask(lent, "SELECT count(*) FROM schema_migrations") == 2


def test_line_ends_of_a_checkout_are_no_change(
    connections: Connections, two_migrations: Path
) -> None:
    with connections.connection() as lent:
        migrate(lent, two_migrations)
        for path in two_migrations.iterdir():
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        assert migrate(lent, two_migrations) == []


def test_a_changed_migration_is_refused_by_name(
    connections: Connections, two_migrations: Path
) -> None:
    with connections.connection() as lent:
        migrate(lent, two_migrations)
        (two_migrations / "0001_orders.sql").write_text(FIRST + "-- later thought\n")
        for action in (migrate, pending):
            with pytest.raises(migrations.MigrationChanged, match="0001_orders"):
                action(lent, two_migrations)


def test_a_database_newer_than_the_program_is_refused(
    connections: Connections, two_migrations: Path
) -> None:
    with connections.connection() as lent:
        migrate(lent, two_migrations)
        (two_migrations / "0002_add_note.sql").unlink()
        with pytest.raises(
            migrations.DatabaseNewer, match=r"0002_add_note.*knows is 0001_orders"
        ):
            migrate(lent, two_migrations)


def test_a_failing_migration_leaves_nothing_and_keeps_those_before_it(
    connections: Connections, two_migrations: Path
) -> None:
    wrong = two_migrations / "0003_wrong.sql"
    wrong.write_text("CREATE TABLE half (id int);\nSELECT * FROM missing;\n")
    with connections.connection() as lent:
        with pytest.raises(migrations.MigrationFailed, match=r"0003_wrong.*missing"):
            migrate(lent, two_migrations)
        assert ask(lent, "SELECT to_regclass('half')") is None
        assert ask(lent, "SELECT max(version) FROM schema_migrations") == 2


@pytest.mark.parametrize(
    ("name", "text", "cause"),
    [
        ("0003_add.sql", FIRST, "0002 is expected"),
        ("0001_again.sql", FIRST, "0002 is expected"),
        ("0002-add.sql", FIRST, "is named like"),
        ("0002_add.sql", FIRST + "COMMIT;\n", "COMMIT; is not allowed"),
    ],
)
def test_files_that_are_no_sequence_are_refused(
    connections: Connections, tmp_path: Path, name: str, text: str, cause: str
) -> None:
    (tmp_path / "0001_a_first.sql").write_text(FIRST)
    (tmp_path / name).write_text(text)
    with (
        connections.connection() as lent,
        pytest.raises(MigrationsInvalid, match=cause),
    ):
        migrate(lent, tmp_path)


def test_a_function_body_may_contain_begin(
    connections: Connections, tmp_path: Path
) -> None:
    (tmp_path / "0001_function.sql").write_text(
        "CREATE FUNCTION one() RETURNS int LANGUAGE plpgsql AS $$\n"
        "BEGIN\n  RETURN 1;\nEND;\n$$;\n"
    )
    with connections.connection() as lent:
        assert migrate(lent, tmp_path) == ["0001_function"]


def test_many_processes_may_migrate_at_once(
    empty_url: str, two_migrations: Path
) -> None:
    applied: list[str] = []
    with Connections(empty_url, maximum=6) as pool:

        def start_up() -> None:
            with pool.connection() as lent:
                applied.extend(migrate(lent, two_migrations))

        threads = [threading.Thread(target=start_up) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT_S)
    assert sorted(applied) == ["0001_orders", "0002_add_note"]
