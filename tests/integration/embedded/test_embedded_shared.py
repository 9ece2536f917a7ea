"""Several processes share one embedded server, and none touches what is not its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from mpms.embedded import postgres
from mpms.embedded import postgres_process as processes
from mpms.embedded.postgres import PostgresServer
from tests.support.embedded_server import (
    FAST,
    ROOT,
    Supervise,
    answers,
    ask,
    cluster_of,
    finish,
    first_line,
    kill_and_bury,
)
from tests.support.waiting import eventually


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
