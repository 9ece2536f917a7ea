"""How much it costs to start a command, and how much an installation takes.

    python bench/startup.py [--runs 7] [--no-wheels]

CPU seconds are user and system of the child process, the median of several runs with
warm caches. A worker is ready when it writes its first heartbeat into the table
``workers``: that begins the first round of its loop, which takes jobs. It has a
database that is up to date, and neither mail nor robots to connect to. Sizes are of
site-packages in a new environment without pip, as pip leaves it; the packages are
downloaded, and ``--no-wheels`` leaves the sizes out. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg2

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from mpms import bootstrap  # noqa
from mpms.embedded import postgres  # noqa: E402

MPMS = (sys.executable, "-m", "mpms")
MODEL = ROOT / "processes" / "warehouse.bpmn"
COUNT_MODULES = """
import sys
from mpms.cli import main
try:
    main(["--help"])
finally:
    print(len(sys.modules), file=sys.stderr)
"""
BEATING = """
SELECT count(*) FROM pg_locks WHERE relation = 'workers'::regclass AND NOT granted
"""
GIVE_UP_S = 60.0
LOOK_S = 0.005
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def environment(**more: str) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}
    return clean | {"PYTHONPATH": str(ROOT)} | more


def cpu_s(*command: object) -> float:
    """CPU seconds of a program that ends by itself."""
    child = subprocess.Popen(
        list(map(str, command)), env=environment(), stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, f"{command} ended with {child.returncode}"
    return used.ru_utime + used.ru_stime


def worker_cpu_s(url: str, state_dir: Path) -> float:
    """CPU seconds of a worker up to its first heartbeat.

    The table is locked until the seconds are read, so that the worker stands still at
    this point however late a busy machine lets us look.
    """
    with (
        closing(psycopg2.connect(url)) as holding,
        closing(psycopg2.connect(url)) as looking,
    ):
        holding.cursor().execute("LOCK TABLE workers IN SHARE MODE")
        looking.autocommit = True
        cursor = looking.cursor()
        child = subprocess.Popen(
            [*MPMS, "work"],
            env=environment(MPMS_DATABASE_URL=url, MPMS_STATE_DIR=str(state_dir)),
        )
        try:
            give_up_at = time.monotonic() + GIVE_UP_S
            while True:
                cursor.execute(BEATING)
                if cursor.fetchone() != (0,):
                    return cpu_so_far_s(child.pid)
                assert child.poll() is None, "the worker has ended"
                assert time.monotonic() < give_up_at, "the worker says nothing"
                time.sleep(LOOK_S)
        finally:
            holding.rollback()
            child.send_signal(signal.SIGTERM)
            child.wait(GIVE_UP_S)


def cpu_so_far_s(pid: int) -> float:
    """Of all threads of a running process; proc(5) counts after its name."""
    facts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(facts[11]) + int(facts[12])) * TICK_S


def median(measure: Callable[[], float], runs: int) -> float:
    measure()  # warms the caches
    return statistics.median(measure() for _ in range(runs))


def help_modules() -> int:
    done = subprocess.run(
        [sys.executable, "-c", COUNT_MODULES],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stderr)


def installed_mb(wheel: Path, extra: str, directory: Path) -> float:
    """Megabytes of site-packages in a new environment with this wheel."""
    venv.create(directory, with_pip=False, symlinks=True)
    pip(
        *("--python", directory / "bin" / "python", "install"),
        *("--constraint", ROOT / "constraints.txt", f"{wheel}{extra}"),
    )
    (packages,) = directory.glob("lib/python*/site-packages")
    files = [path for path in packages.rglob("*") if path.is_file()]
    return sum(path.stat().st_size for path in files) / 1e6


def pip(*arguments: object) -> None:
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"),
            *map(str, arguments),
        ],
        check=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--no-wheels", action="store_true")
    asked = parser.parse_args()
    result: dict[str, float] = {
        "help_cpu_s": median(lambda: cpu_s(*MPMS, "--help"), asked.runs),
        "lint_cpu_s": median(lambda: cpu_s(*MPMS, "models", "lint", MODEL), asked.runs),
    }
    with tempfile.TemporaryDirectory(prefix="mpms_bench_") as name:
        scratch = Path(name)
        # The server may run under another account, which must get in.
        scratch.chmod(0o755)
        with postgres.start(scratch / "postgres") as server:
            bootstrap.migrate_database(server.dsn)
            result["worker_cpu_s"] = median(
                lambda: worker_cpu_s(server.dsn, scratch / "state"), asked.runs
            )
        result["help_modules"] = help_modules()
        print(" ".join(f"{name} {value:.3f}" for name, value in result.items()))
        if not asked.no_wheels:
            pip("wheel", "--no-deps", "--no-build-isolation", "-w", scratch, ROOT)
            (wheel,) = scratch.glob("*.whl")
            for kind, extra in (("bare", ""), ("demo", "[demo]")):
                size = installed_mb(wheel, extra, scratch / kind)
                result[f"wheel_mb_{kind}"] = round(size, 1)
    print(json.dumps({name: round(value, 3) for name, value in result.items()}))


if __name__ == "__main__":
    main()
