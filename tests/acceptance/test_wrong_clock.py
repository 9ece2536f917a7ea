"""A machine whose clock is an hour ahead fires no timer early, and is named."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.factory import Database
from tests.support.waiting import eventually

MODEL = b"""<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    id="drawing" targetNamespace="urn:test">
  <process id="wait" isExecutable="true">
    <startEvent id="begin"/>
    <intermediateCatchEvent id="a_while">
      <timerEventDefinition id="d"><timeDuration>PT20S</timeDuration>
      </timerEventDefinition>
    </intermediateCatchEvent>
    <endEvent id="end"/>
    <sequenceFlow id="f1" sourceRef="begin" targetRef="a_while"/>
    <sequenceFlow id="f2" sourceRef="a_while" targetRef="end"/>
  </process>
</definitions>"""
WORKER = "SELECT rounds, clock_ahead_s FROM workers"
LEFT = "SELECT extract(EPOCH FROM due_at - clock_timestamp()) FROM timers"
TOOK = """SELECT extract(EPOCH FROM ended_at - started_at) FROM instances
    WHERE status = 'completed'"""
WAIT_S = 20


@pytest.mark.skipif(
    shutil.which("faketime") is None and not os.environ.get("CI"),
    reason="faketime is not installed",
)
def test_a_worker_whose_clock_is_an_hour_ahead_waits_the_whole_time(
    own_database_url: str, tmp_path: Path
) -> None:
    model = tmp_path / "wait.bpmn"
    model.write_bytes(MODEL)
    environment = os.environ | {
        "MPMS_DATABASE_URL": own_database_url,
        "MPMS_STATE_DIR": str(tmp_path),
        "MPMS_POLL_S": "0.5",
    }
    ahead = ["faketime", "-f", "+1h", sys.executable, "-m", "mpms"]

    def run(*arguments: str) -> None:
        subprocess.run([*ahead, *arguments], env=environment, check=True, timeout=120)

    run("models", "deploy", str(model))
    run("processes", "start", "wait")
    database = Database(own_database_url)
    [(left_s,)] = database.rows(LEFT)
    assert 0 < left_s <= WAIT_S
    # faketime starts the worker as a process of its own, which has to end, too.
    with subprocess.Popen(
        [*ahead, "work"], env=environment, start_new_session=True
    ) as worker:
        try:
            # Rounds are written every few seconds: by the second time it had looked.
            eventually(lambda: [r for r, _ in database.rows(WORKER) if r > 3])
            [(_, clock_ahead_s)] = database.rows(WORKER)
            assert 3590 < clock_ahead_s < 3610
            [(took_s,)] = eventually(lambda: database.rows(TOOK))
            assert took_s >= WAIT_S
        finally:
            os.killpg(worker.pid, signal.SIGTERM)
    database.close()
