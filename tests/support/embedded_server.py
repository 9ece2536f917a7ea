"""Embedded PostgreSQL servers of tests: started, asked, killed and cleared away."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2

from mpms.embedded import postgres_files as files
from mpms.embedded import postgres_process as processes
from mpms.embedded.postgres import PostgresServer
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


def sweep(home: Path) -> None:
    if (left := processes.running_postmaster(files.Home(home).pid_file)) is not None:
        os.kill(left.pid, signal.SIGQUIT)
        eventually(lambda: not processes.is_server_of(left.pid, home / "cluster"))


Supervise = Callable[..., "subprocess.Popen[str]"]


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


def first_argument(pid: int) -> bytes:
    return (Path("/proc") / str(pid) / "cmdline").read_bytes().split(b"\0")[0]
