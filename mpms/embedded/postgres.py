"""A PostgreSQL server for a machine that has none.

``start`` gives every MPMS process on the machine the same server. A file lock
decides which process supervises it; the others read the address from a file. The
server outlives a killed supervisor on purpose: the next ``start`` adopts it, and
nobody's transactions are lost. ``stop`` is the orderly end.
"""

import fcntl
import logging
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from urllib.parse import urlsplit

from mpms.embedded import postgres_files as files
from mpms.embedded import postgres_launch as launching
from mpms.embedded import postgres_process as processes
from mpms.embedded.postgres_files import PostgresNotStarted

__all__ = ["PostgresNotStarted", "PostgresServer", "read_dsn", "start"]

START_TIMEOUT_S = 60.0
STOP_PATIENCE_S = 30.0
POLL_S = 0.05
WATCH_INTERVAL_S = 0.5
# After kill -9 of the postmaster its last children need a moment to notice.
STILL_ENDING = "pre-existing shared memory block"
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
    except OSError as error:
        raise PostgresNotStarted(
            f"the address of the database in {data_dir} cannot be read: {error}"
        ) from error


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
        self._log = launching.ServerLog(home.log)
        self._child: subprocess.Popen[bytes] | None = None
        self._lock_file: IO[str] | None = None
        self._turn = threading.RLock()
        self._stopping = threading.Event()
        self._watcher: threading.Thread | None = None

    @property
    def owned(self) -> bool:
        """Tell whether this process started the server; an adopted one is not."""
        return self._child is not None

    @property
    def supervises(self) -> bool:
        """Tell whether this process is the one that restarts a dead server."""
        return self._lock_file is not None

    def is_running(self) -> bool:
        """Tell whether the server's process lives; asks the kernel, not the server."""
        if self._child is not None:
            return self._child.poll() is None
        return bool(self.pid) and processes.is_server_of(self.pid, self._home.cluster)

    def ensure_running(self) -> None:
        """Start the server if it is not there; return when it answers."""
        with self._turn:
            if self.is_running():
                return
            give_up_at = time.monotonic() + self._timeout_s
            while not self._take_lock():
                if self._join_running():
                    return
                self._pause(
                    give_up_at,
                    f"another process supervises the database in {self._home.path}"
                    f" but it did not answer within {self._timeout_s:.0f} s",
                )
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
        self._stopping.set()
        if self._watcher is not None:
            self._watcher.join()
            self._watcher = None
        with self._turn:
            if self.owned or even_if_adopted:
                self._end_process()
                if self.supervises:
                    self._home.dsn.unlink(missing_ok=True)
            self._child, self.pid = None, 0
            if self._lock_file is not None:
                self._lock_file.close()
                self._lock_file = None
            self._stopping.clear()

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
        while not self._stopping.wait(WATCH_INTERVAL_S):
            try:
                if not self.is_running():
                    log.warning("PostgreSQL is gone; starting it again")
                    self.ensure_running()
            except (PostgresNotStarted, OSError) as error:
                log.error("PostgreSQL could not be started again: %s", error)

    def _take_lock(self) -> bool:
        if self._lock_file is not None:
            return True
        try:
            file = self._home.lock.open("a")
        except OSError as error:
            raise PostgresNotStarted(
                f"the database in {self._home.path} belongs to another user: {error}"
            ) from error
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
        if not launching.answers(self._home, dsn, create_database=False):
            return False
        self.dsn, self.pid = dsn, found.pid
        return True

    def _start_or_adopt(self, give_up_at: float) -> None:
        account = files.choose_account(self._home)
        while (found := processes.running_postmaster(self._home.pid_file)) is not None:
            if self._answers(found):
                self._child, self.pid = None, found.pid
                return
            self._pause(
                give_up_at,
                f"a server (pid {found.pid}) runs in {self._home.cluster} but does not"
                f" answer",
            )
        bindir = files.choose_bindir(self._bindir, account)
        durable = self._settings.get("fsync") != "off"
        files.make_cluster(self._home, bindir, account, durable=durable)
        processes.remove_stale_pid_file(self._home.pid_file)
        self._launch(bindir, account, give_up_at)

    def _launch(
        self, bindir: Path, account: files.Account | None, give_up_at: float
    ) -> None:
        port = self._first_port()
        while True:
            self._log.rotate()
            settings = {"port": str(port)} | self._settings
            self._child = launching.spawn(self._home, bindir, account, settings)
            self.pid = self._child.pid
            while self._child.poll() is None:
                found = processes.read_pid_file(self._home.pid_file)
                if found and found.pid == self.pid and self._answers(found):
                    return
                self._pause(give_up_at, f"no answer within {self._timeout_s:.0f} s")
            said = self._log.last_lines()
            if PORT_TAKEN in said and self._port is None:
                log.warning("port %s is taken; PostgreSQL gets another one", port)
                port = launching.free_port()
            elif STILL_ENDING not in said:
                raise self._not_started("the server ended at once")
            self._pause(give_up_at, "the server ended again and again")

    def _first_port(self) -> int:
        """Prefer the port of the last run: other processes know it."""
        if self._port is not None:
            return self._port
        last = read_dsn(self._home.path) or self.dsn
        return (urlsplit(last).port if last else None) or launching.free_port()

    def _answers(self, found: processes.Postmaster) -> bool:
        """Connect only to a port that our own server says it holds."""
        if not found.ready or found.port is None:
            return False
        dsn = launching.dsn_of(self._home, found.port)
        if not launching.answers(self._home, dsn, create_database=True):
            return False
        self.dsn = dsn
        if read_dsn(self._home.path) != dsn:
            files.write_private(self._home.dsn, dsn + "\n")
        return True

    def _pause(self, give_up_at: float, complaint: str) -> None:
        if time.monotonic() > give_up_at:
            raise self._not_started(complaint)
        if self._stopping.wait(POLL_S):
            raise self._not_started("it was stopped while it was starting")

    def _not_started(self, complaint: str) -> PostgresNotStarted:
        if self.owned:
            self._end_process()
        self._child, self.pid = None, 0
        return PostgresNotStarted(
            f"PostgreSQL could not be started: {complaint}{self._log.last_lines()}"
        )

    def _end_process(self) -> None:
        if self.pid and not processes.stop_postmaster(
            self.pid, self.is_running, patience_s=STOP_PATIENCE_S
        ):
            log.error("PostgreSQL (pid %d) does not stop", self.pid)
