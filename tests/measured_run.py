"""Run pytest and say what the run cost: all CPU seconds of all its processes.

Databases, browsers and factories are started by tests and often outlive the process
that started them. This process becomes the parent of such orphans, so that the kernel
adds their CPU time to ours when they end, and none outlives an interrupted run.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
ORPHANS_END_WITHIN_S = 5.0
TESTS = Path(__file__).resolve().parent
UNIT = f"{TESTS.name}/unit"


def main(arguments: list[str]) -> int:
    """Run pytest with these arguments; return its exit code."""
    started_at = time.monotonic()
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        print("the CPU time of orphans will not be counted")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if "-n" in arguments:
        _compile_ahead([each for each in arguments if each.startswith(TESTS.name)])
    pytest = subprocess.Popen([sys.executable, "-m", "pytest", *arguments])
    signal.signal(signal.SIGTERM, lambda number, frame: pytest.terminate())
    code = _reap_until_ended(pytest)
    _end_orphans()
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    minutes, seconds = divmod(round(time.monotonic() - started_at), 60)
    total_s = spent.ru_utime + spent.ru_stime
    print(
        f"CPU seconds: {total_s:.0f}"
        f" (user {spent.ru_utime:.0f}, system {spent.ru_stime:.0f})"
    )
    print(f"{'passed' if code == 0 else 'FAILED'} in {minutes} min {seconds} s")
    return code


def _compile_ahead(paths: list[str]) -> None:
    """In a fresh clone every module must be compiled, and all processes of the run
    would do so at the same moment: a third of a minute of CPU time for each.

    What is wrong with a file is said by the run itself.
    """
    if any((TESTS / "unit").glob("*/__pycache__")):
        return
    halves = [paths] if paths else [[UNIT], [TESTS.name, f"--ignore={UNIT}"]]
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-qq"]
    running = [
        subprocess.Popen(
            [*collect, *half], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for half in halves
    ]
    for each in running:
        each.wait()


def _reap_until_ended(pytest: subprocess.Popen[bytes]) -> int:
    while True:
        try:
            pid, status = os.wait()
        except KeyboardInterrupt:
            continue  # pytest got it too, and ends in its own way
        if pid == pytest.pid:
            pytest.returncode = os.waitstatus_to_exitcode(status)
            return pytest.returncode


def _end_orphans() -> None:
    """The children of a process that is ended become ours, so we look again."""
    while left := _orphans_after(ORPHANS_END_WITHIN_S):
        for pid in left:
            print(f"still ran after the tests, and is ended: {pid} {_command(pid)}")
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _orphans_after(patience_s: float) -> list[int]:
    """Wait a little for processes that are about to end; return those that are not."""
    give_up_at = time.monotonic() + patience_s
    while time.monotonic() < give_up_at:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return []
        if pid == 0:
            time.sleep(0.05)
    own = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return [int(pid) for pid in own.split()]


def _command(pid: int) -> str:
    raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    return raw.replace(b"\0", b" ").decode(errors="replace")[:120]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
