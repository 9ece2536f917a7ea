"""The embedded server: its life, its sudden deaths, and what it must not touch."""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2
import pytest

from mpms.embedded import postgres
from mpms.embedded import postgres_files as files
from mpms.embedded import postgres_process as processes
from mpms.embedded.postgres import PostgresNotStarted, PostgresServer
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
DEBIAN_BINDIR = Path("/usr/lib/postgresql/15/bin")
NOBODY = 65534
WAIT_S = 60.0
FAST = {"fsync": "off"}

# A process of its own that starts the server, says so, and waits to be told to end.
SUPERVISOR = """
import json, os, sys
from pathlib import Path
from mpms.embedded.postgres import start
import encodings.idna
directory, uid, bindir = sys.argv[1:]
if int(uid) != os.geteuid():
    os.setgroups([])
    os.setgid(int(uid))
    os.setuid(int(uid))
server = start(
    Path(directory), bindir=Path(bindir) if bindir else None, settings={"fsync": "off"}
)
print(json.dumps({
    "dsn": server.dsn, "pid": server.pid, "owned": server.owned,
    "supervises": server.supervises,
}), flush=True)
sys.stdin.readline()
server.stop()
"""


@pytest.fixture(scope="module")
def home_for_all(postgres_directory: Path) -> Iterator[Path]:
    """Made where somebody had begun to make a cluster."""
    path = postgres_directory / f"embedded-used-{os.getpid()}"
    part = path / "cluster.part"
    part.mkdir(parents=True)
    (part / "PG_VERSION").write_text("18\n")
    with postgres.start(path, settings=FAST):
        pass
    yield path
    shutil.rmtree(path)


@pytest.fixture
def used_home(home_for_all: Path) -> Iterator[Path]:
    """A home for tests of something else than its making, which takes long.

    It goes from test to test; whatever still runs in it then is stopped.
    """
    yield home_for_all
    sweep(home_for_all)


@pytest.fixture
def server(used_home: Path) -> Iterator[PostgresServer]:
    with postgres.start(used_home, settings=FAST) as server:
        yield server


@pytest.fixture
def home(postgres_directory: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A directory that the server's account can enter, swept clean afterwards."""
    path = postgres_directory / f"embedded-{request.node.name[:60]}-{os.getpid()}"
    yield path
    sweep(path)
    shutil.rmtree(path, ignore_errors=True)


def sweep(home: Path) -> None:
    if (left := processes.running_postmaster(files.Home(home).pid_file)) is not None:
        os.kill(left.pid, signal.SIGQUIT)
        eventually(lambda: not processes.is_server_of(left.pid, home / "cluster"))


Supervise = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def spawn_supervisor() -> Iterator[Supervise]:
    started: list[subprocess.Popen[str]] = []

    def spawn(
        directory: Path, *, uid: int | None = None, bindir: Path | None = None
    ) -> "subprocess.Popen[str]":
        user = os.geteuid() if uid is None else uid
        process = subprocess.Popen(
            [sys.executable, "-c", SUPERVISOR, directory, str(user), bindir or ""],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        started.append(process)
        return process

    yield spawn
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def first_line(process: "subprocess.Popen[str]") -> dict[str, Any]:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, "the supervising process ended without a word"
    answer: dict[str, Any] = json.loads(line)
    return answer


def finish(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.wait(WAIT_S) == 0


def listener_on(port: int) -> socket.socket:
    """Take a port as soon as the last child of a killed server has let it go."""
    give_up_at = time.monotonic() + WAIT_S
    while True:
        try:
            return socket.create_server(("127.0.0.1", port))
        except OSError:
            assert time.monotonic() < give_up_at, f"port {port} stays taken"
            time.sleep(0.02)


def ask(dsn: str, statement: str) -> Any:
    with (
        closing(psycopg2.connect(dsn)) as connection,
        connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def answers(dsn: str) -> bool:
    try:
        return bool(ask(dsn, "SELECT 1") == 1)
    except psycopg2.OperationalError:
        return False


def cluster_of(server: PostgresServer) -> Path:
    """By our own setting: root hands PostgreSQL an opened directory without a name."""
    return Path(ask(server.dsn, f"SHOW {processes.CLUSTER_SETTING}"))


def kill_and_bury(server: PostgresServer) -> None:
    os.kill(server.pid, signal.SIGKILL)
    eventually(lambda: not server.is_running())


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


def test_a_server_that_outlived_its_supervisor_is_adopted(
    used_home: Path, spawn_supervisor: Supervise
) -> None:
    supervisor = spawn_supervisor(used_home)
    first = first_line(supervisor)
    assert first["owned"]
    ask(first["dsn"], "CREATE TABLE outlived AS SELECT 7 AS n")
    supervisor.kill()
    supervisor.wait()
    assert answers(first["dsn"])

    adopted = postgres.start(used_home)
    assert (adopted.pid, adopted.dsn) == (first["pid"], first["dsn"])
    assert adopted.supervises
    assert not adopted.owned
    adopted.stop()
    assert answers(first["dsn"])

    again = postgres.start(used_home)
    assert ask(again.dsn, "SELECT n FROM outlived") == 7
    again.stop(even_if_adopted=True)
    assert not answers(first["dsn"])
    assert not processes.is_server_of(first["pid"], used_home / "cluster")


def test_an_adopted_server_that_dies_is_started_again(
    used_home: Path, spawn_supervisor: Supervise
) -> None:
    supervisor = spawn_supervisor(used_home)
    first = first_line(supervisor)
    supervisor.kill()
    supervisor.wait()
    with postgres.start(used_home, settings=FAST) as server:
        kill_and_bury(server)
        server.ensure_running()
        assert server.owned
        assert server.dsn == first["dsn"]
        assert answers(server.dsn)


def test_two_processes_that_start_at_once_share_one_server(
    home: Path, spawn_supervisor: Supervise
) -> None:
    pair = [spawn_supervisor(home), spawn_supervisor(home)]
    answers_of_both = [first_line(process) for process in pair]
    assert answers_of_both[0]["pid"] == answers_of_both[1]["pid"]
    assert answers_of_both[0]["dsn"] == answers_of_both[1]["dsn"]
    assert sorted(answer["owned"] for answer in answers_of_both) == [False, True]
    assert sorted(answer["supervises"] for answer in answers_of_both) == [False, True]
    user, owner = sorted(
        zip(pair, answers_of_both, strict=True), key=lambda each: each[1]["owned"]
    )
    finish(user[0])
    assert answers(owner[1]["dsn"])
    finish(owner[0])
    assert not answers(owner[1]["dsn"])


def test_a_user_of_the_server_takes_over_when_the_supervisor_is_gone(
    used_home: Path, spawn_supervisor: Supervise
) -> None:
    supervisor = spawn_supervisor(used_home)
    first = first_line(supervisor)
    with postgres.start(used_home, settings=FAST) as server:
        assert not server.supervises
        supervisor.kill()
        supervisor.wait()
        kill_and_bury(server)
        server.ensure_running()
        assert server.supervises
        assert server.owned
        assert server.dsn == first["dsn"]


def test_an_unrelated_process_in_a_stale_pid_file_is_left_alone(
    used_home: Path,
) -> None:
    with postgres.start(used_home, settings=FAST) as server:
        pid_file = used_home / "cluster" / "postmaster.pid"
        kill_and_bury(server)
        lines = pid_file.read_text().splitlines()
        with subprocess.Popen(["sleep", "600"], cwd=used_home) as stranger:
            pid_file.write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
            server.stop()
            with postgres.start(used_home, settings=FAST) as again:
                assert again.owned
                assert answers(again.dsn)
            assert stranger.poll() is None
            stranger.kill()


def test_only_a_living_postgres_in_the_cluster_counts_as_its_server(
    tmp_path: Path,
) -> None:
    cluster, elsewhere = tmp_path / "cluster", tmp_path / "elsewhere"
    cluster.mkdir()
    elsewhere.mkdir()
    sleep = shutil.which("sleep")
    assert sleep is not None
    impostor = shutil.copy(sleep, tmp_path / "postgres")

    def seen(program: str, directory: Path, *, dead: bool = False) -> bool:
        with subprocess.Popen([program, "600"], cwd=directory) as process:
            name = Path("/proc") / str(process.pid) / "comm"
            eventually(lambda: name.read_text().strip() == Path(program).name)
            if dead:
                process.kill()
                os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            result = processes.is_server_of(process.pid, cluster)
            process.kill()
        return result

    assert seen(str(impostor), cluster)
    assert not seen(str(impostor), cluster, dead=True)
    assert not seen(str(impostor), elsewhere)
    assert not seen(sleep, cluster)


def test_a_pid_file_of_a_living_server_is_never_removed(
    server: PostgresServer,
) -> None:
    pid_file = cluster_of(server) / "postmaster.pid"
    assert not processes.remove_stale_pid_file(pid_file)
    assert pid_file.exists()


def test_a_server_is_recognised_where_root_may_not_look_into_processes(
    server: PostgresServer,
) -> None:
    question = (
        "import sys; from pathlib import Path;"
        "from mpms.embedded.postgres_process import is_server_of;"
        "print(is_server_of(int(sys.argv[1]), Path(sys.argv[2])))"
    )
    command = [sys.executable, "-c", question, str(server.pid)]
    if os.geteuid() == 0:
        command = ["setpriv", "--bounding-set", "-sys_ptrace", *command]

    def recognised(cluster: Path) -> str:
        return subprocess.run(
            [*command, str(cluster)],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        ).stdout.strip()

    assert recognised(cluster_of(server)) == "True"
    assert recognised(cluster_of(server).parent) == "False"


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
            program = Path(os.fsdecode(_first_argument(server.pid)))
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


def _first_argument(pid: int) -> bytes:
    return (Path("/proc") / str(pid) / "cmdline").read_bytes().split(b"\0")[0]


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
