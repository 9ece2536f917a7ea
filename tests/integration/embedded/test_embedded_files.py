"""What keeps an embedded server from starting is named; programs and accounts."""

import os
import stat
from pathlib import Path

import pytest

from mpms.embedded import postgres
from mpms.embedded import postgres_files as files
from mpms.embedded.postgres import PostgresNotStarted, PostgresServer
from tests.support.embedded_server import (
    DEBIAN_BINDIR,
    FAST,
    NOBODY,
    Supervise,
    answers,
    ask,
    finish,
    first_argument,
    first_line,
    kill_and_bury,
)


def test_a_server_that_refuses_its_settings_says_why(used_home: Path) -> None:
    with pytest.raises(PostgresNotStarted, match="shared_buffers"):
        postgres.start(used_home, settings=FAST | {"shared_buffers": "plenty"})
    with postgres.start(used_home, settings=FAST) as server:
        assert answers(server.dsn)


def test_a_half_made_cluster_is_thrown_away(
    home_for_all: Path, server: PostgresServer
) -> None:
    assert not (home_for_all / "cluster.part").exists()
    assert answers(server.dsn)


def test_a_lost_password_is_named_as_the_cause(used_home: Path) -> None:
    password = used_home / "password"
    password.rename(used_home / "lost")
    try:
        with pytest.raises(PostgresNotStarted, match="password"):
            postgres.start(used_home, settings=FAST)
    finally:
        (used_home / "lost").rename(password)


def test_a_directory_without_programs_is_named(home: Path, tmp_path: Path) -> None:
    with pytest.raises(PostgresNotStarted, match="holds no program initdb"):
        postgres.start(home, bindir=tmp_path)


def test_a_data_directory_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(PostgresNotStarted, match="taken"):
        postgres.start(tmp_path / "taken")


def test_a_way_closed_to_the_server_account_stays_closed_and_serves(
    home: Path, spawn_supervisor: Supervise
) -> None:
    """As root's home is."""
    closed = home / "closed"
    closed.mkdir(parents=True, mode=0o700)
    home.chmod(0o711)
    data = closed / "state" / "data"
    supervisor = spawn_supervisor(data)
    made = first_line(supervisor)
    ask(made["dsn"], "CREATE TABLE kept (n int)")
    supervisor.kill()
    supervisor.wait()
    with postgres.start(data, settings=FAST) as server:
        assert (server.pid, server.owned) == (made["pid"], False)
        kill_and_bury(server)
        server.ensure_running()
        assert ask(server.dsn, "SELECT count(*) FROM kept") == 0
        assert ask(server.dsn, "SELECT pg_reload_conf()")
        assert ask(server.dsn, "SELECT count(*) FROM pg_hba_file_rules") > 0
    for directory in (closed, data):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
        assert directory.stat().st_uid == os.geteuid()


def test_programs_hidden_from_the_server_account_are_copied_once(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden, shared = home / "hidden", home / "shared"
    hidden.mkdir(parents=True, mode=0o700)
    home.chmod(0o711)
    monkeypatch.setattr(files, "SHARED_PROGRAMS", shared)
    package = files.wheel_bindir().parent.parent
    for part in package.parent.glob(f"{package.name}*"):
        (hidden / part.name).symlink_to(part)
    monkeypatch.syspath_prepend(str(hidden))
    assert files.wheel_bindir().is_relative_to(hidden)
    for _ in range(2):
        with postgres.start(hidden / "data", settings=FAST) as server:
            program = Path(os.fsdecode(first_argument(server.pid)))
            expected = shared if os.geteuid() == 0 else hidden
            assert program.is_relative_to(expected)
    if os.geteuid() == 0:
        assert len(list(shared.iterdir())) == 1


def test_programs_that_cannot_be_copied_are_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0:
        assert files.blocking_directory(home, None) is None
        return
    home.mkdir(mode=0o700)
    (home / "taken").touch()
    monkeypatch.setattr(files, "SHARED_PROGRAMS", home / "taken")
    package = files.wheel_bindir().parent.parent
    (home / package.name).symlink_to(package)
    monkeypatch.syspath_prepend(str(home))
    with pytest.raises(PostgresNotStarted, match=rf"cannot be copied to {home}/taken"):
        postgres.start(home / "data")


def test_an_ordinary_user_can_start_a_server(
    home: Path, spawn_supervisor: Supervise
) -> None:
    home.mkdir()
    bindir, uid = None, os.geteuid()
    if uid == 0:
        uid = NOBODY
        home.chmod(0o711)
        account = files.Account(uid, uid, "nobody")
        bindir = files.choose_bindir(None, account)
    data = home / "data"
    data.mkdir(mode=0o700)
    os.chown(data, uid, -1)
    supervisor = spawn_supervisor(data, uid=uid, bindir=bindir)
    answer = first_line(supervisor)
    assert answer["owned"]
    assert (Path("/proc") / str(answer["pid"])).stat().st_uid == uid
    assert (data / "dsn").stat().st_uid == uid
    assert answers(answer["dsn"])
    finish(supervisor)
    assert not answers(answer["dsn"])


def test_postgresql_15_of_the_distribution_serves_as_well(home: Path) -> None:
    if not (DEBIAN_BINDIR / "postgres").exists():
        pytest.skip(f"there is no {DEBIAN_BINDIR}: install postgresql-15")
    with postgres.start(home, bindir=DEBIAN_BINDIR, settings=FAST) as server:
        assert ask(server.dsn, "SHOW server_version").startswith("15.")
        assert ask(server.dsn, "SELECT lower('ÄÖÜŞ')") == "äöüş"
        kill_and_bury(server)
        server.ensure_running()
        assert answers(server.dsn)
    with pytest.raises(PostgresNotStarted, match="made by PostgreSQL 15"):
        postgres.start(home)
