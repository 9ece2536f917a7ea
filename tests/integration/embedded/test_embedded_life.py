"""An embedded server is made, stopped, killed and started again."""

import os
import signal
import socket
import stat
from contextlib import closing
from pathlib import Path

import psycopg2
import pytest

from mpms.embedded import postgres
from mpms.embedded import postgres_process as processes
from mpms.embedded.postgres import PostgresNotStarted, PostgresServer
from tests.support.embedded_server import (
    FAST,
    answers,
    ask,
    cluster_of,
    kill_and_bury,
    listener_on,
)
from tests.support.waiting import eventually


def test_a_fresh_directory_becomes_a_private_server(home: Path) -> None:
    with postgres.start(home, settings=FAST) as server:
        assert server.owned
        assert server.supervises
        assert postgres.read_dsn(home) == server.dsn
        assert ask(server.dsn, "SELECT current_database()") == "mpms"
        assert ask(server.dsn, "SHOW listen_addresses") == "127.0.0.1"
        assert ask(server.dsn, "SHOW unix_socket_directories") == ""
        assert ask(server.dsn, "SHOW server_encoding") == "UTF8"
        assert ask(server.dsn, "SELECT lower('ÄÖÜŞ')") == "äöüş"
        methods = "SELECT string_agg(DISTINCT auth_method, ' ') FROM pg_hba_file_rules"
        assert ask(server.dsn, methods) == "scram-sha-256"
        for secret in ("dsn", "password", "server.log"):
            assert stat.S_IMODE((home / secret).stat().st_mode) == 0o600
        assert not list(home.glob("*.part"))
        assert not (home / "initdb.password").exists()
        pid = server.pid
    assert not processes.is_server_of(pid, home / "cluster")
    assert postgres.read_dsn(home) is None


def test_the_server_is_a_direct_child_and_never_runs_as_root(
    server: PostgresServer,
) -> None:
    process = Path("/proc") / str(server.pid)
    parent = (process / "stat").read_text().rsplit(")", 1)[1].split()[1]
    assert int(parent) == os.getpid()
    owner = process.stat().st_uid
    assert owner != 0
    assert owner == cluster_of(server).stat().st_uid
    groups = next(
        line.split()[1:]
        for line in (process / "status").read_text().splitlines()
        if line.startswith("Groups:")
    )
    assert "0" not in groups or os.geteuid() != 0


def test_what_was_stored_is_there_after_an_orderly_stop(used_home: Path) -> None:
    with postgres.start(used_home, settings=FAST) as server:
        ask(server.dsn, "CREATE TABLE stored AS SELECT 7 AS n")
    with postgres.start(used_home, settings=FAST) as server:
        assert ask(server.dsn, "SELECT n FROM stored") == 7


def test_a_killed_server_is_restarted_with_every_acknowledged_row(
    used_home: Path,
) -> None:
    with postgres.start(used_home) as server:
        ask(server.dsn, "CREATE TABLE acknowledged (n int)")
        with closing(psycopg2.connect(server.dsn)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                for n in range(50):
                    cursor.execute("INSERT INTO acknowledged VALUES (%s)", (n,))
            before, dsn = server.pid, server.dsn
            kill_and_bury(server)
        server.ensure_running()
        assert server.pid != before
        assert server.dsn == dsn
        assert ask(server.dsn, "SELECT count(*) FROM acknowledged") == 50


def test_a_supervised_server_comes_back_by_itself(used_home: Path) -> None:
    with postgres.start(used_home, settings=FAST) as server:
        server.supervise()
        before = server.pid
        os.kill(before, signal.SIGKILL)
        eventually(lambda: server.pid not in (0, before) and answers(server.dsn))


def test_a_port_taken_meanwhile_is_left_to_its_new_owner(used_home: Path) -> None:
    with postgres.start(used_home, settings=FAST) as server:
        port = int(server.dsn.rsplit(":", 1)[1].split("/")[0])
        kill_and_bury(server)
        with listener_on(port):
            server.ensure_running()
            assert f":{port}/" not in server.dsn
            assert answers(server.dsn)
            assert postgres.read_dsn(used_home) == server.dsn


def test_a_given_port_that_is_taken_is_named_as_the_cause(used_home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PostgresNotStarted, match="could not bind"):
            postgres.start(used_home, port=port, settings=FAST)
