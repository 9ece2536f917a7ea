"""A PostgreSQL server for a machine that has none.

``start`` gives every MPMS process on the machine the same server. A file lock
decides which process supervises it; the others read the address from a file. The
server outlives a killed supervisor on purpose: the next ``start`` adopts it, and
nobody's transactions are lost. ``stop`` is the orderly end.
"""

import fcntl
import logging
import os
import random
import socket
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from urllib.parse import quote, urlsplit

import psycopg2

from mpms.embedded import postgres_files as files
from mpms.embedded import postgres_process as processes
from mpms.embedded.postgres_files import PostgresNotStarted

__all__ = ["PostgresNotStarted", "PostgresServer", "read_dsn", "start"]

START_TIMEOUT_S = 60.0
STOP_PATIENCE_S = 30.0
POLL_S = 0.05
WATCH_INTERVAL_S = 0.5
LOG_LIMIT_BYTES = 10_000_000
# Below the range from which the kernel lends ports to outgoing connections: a
# client that knocks at a dead server's port must not be answered by itself.
PORTS = range(20_000, 32_000)
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "cluster_name": "mpms",
    "log_checkpoints": "off",
    "log_timezone": "UTC",
    "timezone": "UTC",
}
TRANSIENT = "pre-existing shared memory block"
PORT_TAKEN = "could not bind"

log = logging.getLogger(__name__)


def start(
    data_dir: Path,
    *,
    bindir: Path | None = None,
    port: int | None = None,
    settings: Mapping[str, str] | None = None,
    timeout_s: float = START_TIMEOUT_S,
) -> "PostgresServer":
    """Return the running server of this directory, started or adopted."""
    server = PostgresServer(
        files.open_home(data_dir), bindir, port, settings or {}, timeout_s
    )
    try:
        server.ensure_running()
    except BaseException:
        server.stop()
        raise
    return server


def read_dsn(data_dir: Path) -> str | None:
    """Return the address of the directory's server without starting anything."""
    try:
        return files.Home(data_dir).dsn.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None


class PostgresServer:
    """One server, seen from one of the processes that use it."""

    def __init__(
        self,
        home: files.Home,
        bindir: Path | None,
        port: int | None,
        settings: Mapping[str, str],
        timeout_s: float,
    ) -> None:
        self.dsn = ""
        self.pid = 0
        self._home = home
        self._bindir = bindir
        self._port = port
        self._settings = dict(settings)
        self._timeout_s = timeout_s
        self._child: subprocess.Popen[bytes] | None = None
        self._lock_file: IO[str] | None = None
        self._turn = threading.RLock()
        self._enough = threading.Event()
        self._watcher: threading.Thread | None = None

    @property
    def owned(self) -> bool:
        """Tell whether this process started the server; an adopted one is not."""
        return self._child is not None

    @property
    def supervises(self) -> bool:
        """Tell whether this process holds the lock and restarts a dead server."""
        return self._lock_file is not None

    def is_running(self) -> bool:
        """Tell whether the server's process lives; asks the kernel, not the server."""
        if self._child is not None and self._child.pid == self.pid:
            return self._child.poll() is None
        return processes.is_server_of(self.pid, self._home.cluster)

    def ensure_running(self) -> None:
        """Start the server if it is not there; return when it answers."""
        with self._turn:
            if self.pid and self.is_running():
                return
            give_up_at = time.monotonic() + self._timeout_s
            while not self._take_lock():
                if self._join_running():
                    return
                if time.monotonic() > give_up_at:
                    raise PostgresNotStarted(
                        f"another process supervises the database in {self._home.path}"
                        f" but it did not answer within {self._timeout_s:.0f} s"
                    )
                time.sleep(POLL_S)
            self._start_or_adopt(give_up_at)

    def supervise(self) -> None:
        """Restart the server whenever it dies, in a thread, until ``stop``."""
        with self._turn:
            if self._watcher is None:
                self._watcher = threading.Thread(
                    target=self._watch, name="postgres-supervisor", daemon=True
                )
                self._watcher.start()

    def stop(self, *, even_if_adopted: bool = False) -> None:
        """Shut a server of ours down; leave an adopted one unless told otherwise."""
        self._enough.set()
        if self._watcher is not None:
            self._watcher.join()
            self._watcher = None
        with self._turn:
            if self.pid and (self.owned or even_if_adopted):
                ended = processes.stop_postmaster(
                    self.pid, self.is_running, patience_s=STOP_PATIENCE_S
                )
                if not ended:
                    log.error("PostgreSQL (pid %d) does not stop", self.pid)
                elif self.supervises:
                    self._home.dsn.unlink(missing_ok=True)
            if self._lock_file is not None:
                self._lock_file.close()
                self._lock_file = None
            self._child = None
            self.pid = 0
            self._enough.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _watch(self) -> None:
        while not self._enough.wait(WATCH_INTERVAL_S):
            try:
                if not self.is_running():
                    log.warning("PostgreSQL is gone; starting it again")
                    self.ensure_running()
            except (PostgresNotStarted, OSError) as error:
                log.error("PostgreSQL could not be started again: %s", error)

    def _take_lock(self) -> bool:
        if self._lock_file is not None:
            return True
        file = self._home.lock.open("a")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return False
        self._lock_file = file
        return True

    def _join_running(self) -> bool:
        """Take the address that the supervising process published, if it is alive."""
        found = processes.running_postmaster(self._home.pid_file)
        dsn = read_dsn(self._home.path)
        if found is None or dsn is None or urlsplit(dsn).port != found.port:
            return False
        if not self._answers(dsn):
            return False
        self.dsn, self.pid = dsn, found.pid
        return True

    def _start_or_adopt(self, give_up_at: float) -> None:
        account = files.choose_account(self._home)
        files.require_reachable(self._home, account)
        while (found := processes.running_postmaster(self._home.pid_file)) is not None:
            if found.port is not None and self._answers(dsn := self._dsn(found.port)):
                self._child = None
                self._publish(dsn, found.pid)
                return
            if time.monotonic() > give_up_at:
                raise PostgresNotStarted(
                    f"a server (pid {found.pid}) runs in {self._home.cluster} but does"
                    " not answer" + self._last_lines()
                )
            time.sleep(POLL_S)
        bindir = files.choose_bindir(self._home, self._bindir, account)
        durable = self._settings.get("fsync") != "off"
        files.make_cluster(self._home, bindir, account, durable=durable)
        processes.remove_stale_pid_file(self._home.pid_file)
        self._launch(bindir, account, give_up_at)

    def _launch(
        self, bindir: Path, account: files.Account | None, give_up_at: float
    ) -> None:
        port = self._first_port()
        while True:
            self._child = self._spawn(bindir, account, port)
            dsn = self._dsn(port)
            while self._child.poll() is None:
                if self._answers(dsn):
                    self._publish(dsn, self._child.pid)
                    return
                if time.monotonic() > give_up_at:
                    raise self._not_started(f"no answer in {self._timeout_s:.0f} s")
                time.sleep(POLL_S)
            said = self._last_lines()
            if PORT_TAKEN in said and self._port is None:
                port = free_port()
            elif TRANSIENT not in said:
                raise self._not_started("it ended at once")
            if time.monotonic() > give_up_at:
                raise self._not_started("it ended again and again")
            time.sleep(POLL_S)

    def _first_port(self) -> int:
        """Prefer the port of the last run: other processes know it."""
        if self._port is not None:
            return self._port
        last = read_dsn(self._home.path) or self.dsn
        return (urlsplit(last).port if last else None) or free_port()

    def _spawn(
        self, bindir: Path, account: files.Account | None, port: int
    ) -> subprocess.Popen[bytes]:
        command = [str(bindir / "postgres"), "-D", str(self._home.cluster)]
        for name, value in (SETTINGS | {"port": str(port)} | self._settings).items():
            command += ["-c", f"{name}={value}"]
        log_path = self._home.log
        if log_path.exists() and log_path.stat().st_size > LOG_LIMIT_BYTES:
            log_path.replace(log_path.with_name(log_path.name + ".1"))
        try:
            with log_path.open("ab") as log_file:
                os.fchmod(log_file.fileno(), 0o600)
                self._log_start = log_file.tell()
                return subprocess.Popen(
                    command,
                    stdout=log_file,
                    stderr=subprocess.STDOUT,
                    cwd="/",
                    start_new_session=True,
                    **files.run_as(account),
                )
        except OSError as error:
            raise PostgresNotStarted(f"{command[0]} does not run: {error}") from error

    def _answers(self, dsn: str) -> bool:
        """Make a database of ours if need be, and check whose server this is."""
        try:
            postgres = psycopg2.connect(dsn, dbname="postgres", connect_timeout=5)
        except psycopg2.OperationalError:
            return False
        try:
            postgres.autocommit = True
            with postgres.cursor() as cursor:
                cursor.execute("SHOW data_directory")
                (directory,) = cursor.fetchone() or ("",)
                if Path(directory).resolve() != self._home.cluster.resolve():
                    return False
                cursor.execute(
                    "SELECT 1 FROM pg_database WHERE datname = %s", (files.DATABASE,)
                )
                if cursor.fetchone() is None and self.supervises:
                    cursor.execute(f"CREATE DATABASE {files.DATABASE}")
        except psycopg2.OperationalError:
            return False
        finally:
            postgres.close()
        return True

    def _dsn(self, port: int) -> str:
        password = quote(files.read_password(self._home), safe="")
        return (
            f"postgresql://{files.ROLE}:{password}@127.0.0.1:{port}/{files.DATABASE}"
        )

    def _publish(self, dsn: str, pid: int) -> None:
        self.dsn, self.pid = dsn, pid
        if read_dsn(self._home.path) != dsn:
            files.write_private(self._home.dsn, dsn + "\n")

    def _not_started(self, what: str) -> PostgresNotStarted:
        if self._child is not None and self._child.poll() is None:
            self._child.kill()
            self._child.wait()
        self._child = None
        return PostgresNotStarted(f"PostgreSQL: {what}" + self._last_lines())

    def _last_lines(self) -> str:
        """Return the end of what the server wrote since it was last started."""
        try:
            with self._home.log.open("rb") as file:
                file.seek(getattr(self, "_log_start", 0))
                text = file.read().decode(errors="replace")
        except OSError:
            return ""
        lines = "\n".join(text.strip().splitlines()[-8:])
        return f"; the last lines of {self._home.log}:\n{lines}" if lines else ""


def free_port() -> int:
    """Find a port of 127.0.0.1 on which nobody listens."""
    for candidate in random.SystemRandom().sample(PORTS, 200):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", candidate))
            except OSError:
                continue
            return candidate
    raise PostgresNotStarted("no free port found on 127.0.0.1")
