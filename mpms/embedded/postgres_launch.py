"""Starting one PostgreSQL process and telling whether it is the one we mean.

The server is a direct child, not a daemon: its parent learns at once that it died,
and where nobody else buries dead processes, its parent does. It has a session of
its own, so that Ctrl-C in a terminal ends MPMS in order and not the database first.
"""

import os
import random
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import psycopg2

from mpms.embedded import postgres_process as processes
from mpms.embedded.postgres_files import (
    DATABASE,
    ROLE,
    Account,
    Home,
    PostgresNotStarted,
    handed_to,
    read_password,
    run_as,
)

LOG_LIMIT_BYTES = 10_000_000
CONNECT_TIMEOUT_S = 5
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
# Servers that an older version has started have no name of their own.
WHICH_CLUSTER = (
    f"SELECT coalesce(current_setting('{processes.CLUSTER_SETTING}', true),"
    " current_setting('data_directory'))"
)


class ServerLog:
    """What a server wrote since it was last started."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._since = 0

    def rotate(self) -> None:
        """Begin a new file when the present one has grown too long."""
        if self._path.exists():
            if self._path.stat().st_size > LOG_LIMIT_BYTES:
                self._path.replace(self._path.with_name(self._path.name + ".1"))
            else:
                self._since = self._path.stat().st_size
                return
        self._since = 0

    def last_lines(self) -> str:
        """Return the end of it as the end of an error message."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._since)
                text = file.read().decode(errors="replace")
        except OSError:
            return ""
        lines = "\n".join(text.strip().splitlines()[-8:])
        return f"; the last lines of {self._path}:\n{lines}" if lines else ""


def spawn(
    home: Home,
    bindir: Path,
    account: Account | None,
    settings: Mapping[str, str],
) -> subprocess.Popen[bytes]:
    """Start the server's process; it is not ready yet."""
    command = [str(bindir / "postgres")]
    ours = {processes.CLUSTER_SETTING: str(home.cluster)}
    for name, value in (SETTINGS | ours | dict(settings)).items():
        command += ["-c", f"{name}={value}"]
    try:
        with (
            home.log.open("ab") as log_file,
            handed_to(account, home.cluster) as ((cluster,), inherited),
        ):
            os.fchmod(log_file.fileno(), 0o600)
            return subprocess.Popen(
                [*command, "-D", cluster],
                stdout=log_file,
                stderr=subprocess.STDOUT,
                cwd="/",
                start_new_session=True,
                pass_fds=inherited,
                **run_as(account),
            )
    except OSError as error:
        raise PostgresNotStarted(f"{command[0]} does not run: {error}") from error


def answers(home: Home, dsn: str, *, create_database: bool) -> bool:
    """Tell whether this home's server answers at the address, with our database."""
    try:
        connection = psycopg2.connect(
            dsn, dbname="postgres", connect_timeout=CONNECT_TIMEOUT_S
        )
    except psycopg2.OperationalError:
        return False
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(WHICH_CLUSTER)
            (directory,) = cursor.fetchone() or ("",)
            if Path(directory).resolve() != home.cluster.resolve():
                return False
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,))
            if cursor.fetchone() is not None:
                return True
            if create_database:
                cursor.execute(f"CREATE DATABASE {DATABASE}")
            return create_database
    except psycopg2.OperationalError:
        return False
    finally:
        connection.close()


def dsn_of(home: Home, port: int) -> str:
    """Return the address of this home's server when it listens on the port."""
    password = quote(read_password(home), safe="")
    return f"postgresql://{ROLE}:{password}@127.0.0.1:{port}/{DATABASE}"


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
