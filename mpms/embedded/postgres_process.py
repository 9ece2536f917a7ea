"""Which process is the postmaster of a cluster, if any.

A pid in ``postmaster.pid`` proves nothing: after a crash or a reboot it may be a
zombie or belong to a stranger. Name, state and working directory decide, so that
no stranger is ever signalled and no server is started twice.
"""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

NAMES = ("postgres", "postmaster")
POLL_S = 0.05
CLUSTER_SETTING = "mpms.cluster"
"""Names the cluster to those who ask the server: root hands it over as an opened
directory, which has no path for the server."""


@dataclass(frozen=True)
class Postmaster:
    """What ``postmaster.pid`` says."""

    pid: int
    port: int | None
    ready: bool


def read_pid_file(path: Path) -> Postmaster | None:
    """Read what the server wrote; None when the file is missing or not yet written."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        pid = abs(int(lines[0]))
    except (OSError, ValueError, IndexError):
        return None
    port = lines[3].strip() if len(lines) > 3 else ""
    ready = len(lines) > 7 and lines[7].strip() == "ready"
    return Postmaster(pid, int(port) if port.isdigit() else None, ready)


def is_server_of(pid: int, cluster: Path) -> bool:
    """Tell whether a living PostgreSQL process with this pid works in the cluster."""
    process = Path("/proc") / str(pid)
    try:
        stat = (process / "stat").read_text(encoding="utf-8", errors="replace")
        name = stat[stat.index("(") + 1 : stat.rindex(")")]
        state = stat[stat.rindex(")") + 2]
        if name not in NAMES or state in "ZX":
            return False
        try:
            return os.path.samefile(process / "cwd", cluster)
        except PermissionError:
            return _says_it_serves(process, cluster)
    except OSError:
        return False


def _says_it_serves(process: Path, cluster: Path) -> bool:
    """Decide by owner and command line where the kernel hides the directory.

    Root in a container lacks the capability to look at another account's process.
    PostgreSQL insists on running as the owner of its cluster.
    """
    if process.stat().st_uid != cluster.stat().st_uid:
        return False
    path = os.fsencode(cluster)
    named = (
        path,
        CLUSTER_SETTING.encode() + b"=" + path,
    )  # the first by older versions
    arguments = (process / "cmdline").read_bytes().split(b"\0")
    return any(argument in named for argument in arguments)


def running_postmaster(pid_file: Path) -> Postmaster | None:
    """Return the living postmaster of this cluster, or None."""
    found = read_pid_file(pid_file)
    if found is None or not is_server_of(found.pid, pid_file.parent):
        return None
    return found


def remove_stale_pid_file(pid_file: Path) -> bool:
    """Remove a pid file that names no living server of this cluster.

    PostgreSQL itself would refuse to start while *any* process has that pid.
    """
    if not pid_file.exists() or running_postmaster(pid_file) is not None:
        return False
    pid_file.unlink(missing_ok=True)
    return True


def stop_postmaster(
    pid: int, is_alive: Callable[[], bool], *, patience_s: float
) -> bool:
    """Ask for a fast shutdown, then for an immediate one; tell whether it ended."""
    for request in (signal.SIGINT, signal.SIGQUIT):
        if not is_alive():
            return True
        try:
            os.kill(pid, request)
        except ProcessLookupError:
            return True
        give_up_at = time.monotonic() + patience_s
        while time.monotonic() < give_up_at:
            if not is_alive():
                return True
            time.sleep(POLL_S)
    return not is_alive()
