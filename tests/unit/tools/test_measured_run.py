"""What ``make test`` says about its cost."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BURNS_AS_AN_ORPHAN = """
import pathlib, subprocess, sys, time
BURNED = pathlib.Path("burned")
BURN = "import pathlib, time\\nwhile time.process_time() < 1.5: pass\\n"
BURN += "pathlib.Path('burned').touch()"
def test_leaves_a_process_behind():
    middle = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', %r])"
    subprocess.run([sys.executable, "-c", middle % BURN], check=True)
    while not BURNED.exists():
        time.sleep(0.01)
"""
FAILS = "def test_fails(): assert False"


def run(directory: Path, tests: str) -> subprocess.CompletedProcess[str]:
    (directory / "pytest.ini").write_text("[pytest]\n")
    (directory / "test_these.py").write_text(tests)
    return subprocess.run(
        [sys.executable, str(ROOT / "tests/measured_run.py"), "-q"],
        cwd=directory,
        env={"PATH": "/usr/bin:/bin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_last_line_but_one_counts_the_cpu_seconds_of_orphans_too(
    tmp_path: Path,
) -> None:
    done = run(tmp_path, BURNS_AS_AN_ORPHAN)
    *_, cost, end = done.stdout.splitlines()
    said = re.fullmatch(r"CPU seconds: (\d+) \(user \d+, system \d+\)", cost)
    assert said is not None, done.stdout
    assert int(said[1]) >= 2  # the orphan's 1.5 s and pytest's own start
    assert re.fullmatch(r"passed in \d+ min \d+ s", end)
    assert done.returncode == 0


def test_a_failed_run_says_so_and_returns_its_code(tmp_path: Path) -> None:
    done = run(tmp_path, FAILS)
    assert done.stdout.splitlines()[-1].startswith("FAILED in ")
    assert done.returncode == 1
