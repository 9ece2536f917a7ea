"""Timers, signals and messages start each process once, whoever is killed meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2
import pytest

from mpms import bootstrap
from mpms.services.messages.broadcast_signal import broadcast_signal
from mpms.services.messages.correlate import correlate_message
from mpms.services.models.deploy import deploy_models

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("batch_worker.py")
EACH = 8
PATIENCE_S = 120.0
TRIGGERS = {
    "timed": "<timerEventDefinition><timeDate>2026-01-05T08:00:00Z</timeDate>"
    "</timerEventDefinition>",
    "alarmed": '<signalEventDefinition signalRef="alarm"/>',
    "written": '<messageEventDefinition messageRef="letter_{}"/>',
}


def model(kind: str, number: int) -> bytes:
    trigger = TRIGGERS[kind].format(number)
    return f"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
        targetNamespace="urn:test"><signal id="alarm" name="alarm"/>
      <message id="letter_{number}" name="letter {number}"/>
      <process id="{kind}_{number}" isExecutable="true">
        <startEvent id="begin">{trigger}</startEvent>
        <sequenceFlow id="f1" sourceRef="begin" targetRef="form"/>
        <userTask id="form"/>
      </process></definitions>""".encode()


@pytest.fixture
def services(database_url: str) -> Iterator[bootstrap.Services]:
    services = bootstrap.connect(database_url)
    yield services
    services.close()


def hire(url: str, name: str, hang: int = 0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), url, name, str(hang)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )


def dismiss(worker: subprocess.Popen[str]) -> None:
    worker.kill()
    worker.wait()
    if worker.stdout is not None:
        worker.stdout.close()


def rows(url: str, statement: str) -> list[tuple[Any, ...]]:
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def forms(url: str) -> int:
    return int(rows(url, "SELECT count(*) FROM tasks")[0][0])


@pytest.mark.parametrize("hang", [1, pytest.param(5, marks=pytest.mark.soak), 17])
def test_each_process_is_started_once_though_a_worker_is_killed_on_the_way(
    database_url: str, services: bootstrap.Services, hang: int
) -> None:
    drawn = {f"{k}_{n}.bpmn": model(k, n) for k in TRIGGERS for n in range(EACH)}
    deploy_models(services.uow, services.engine, drawn, by="test")
    assert broadcast_signal(services.uow, services.advance, "alarm", by="test") == EACH
    for number in range(EACH):
        correlate_message(services.uow, services.advance, f"letter {number}", by="test")
    first = hire(database_url, "first", hang=hang)
    try:
        assert first.stdout is not None
        assert first.stdout.readline() == "hangs\n"
        assert forms(database_url) < hang  # its last step is done and not committed
    finally:
        dismiss(first)
    others = [hire(database_url, "second"), hire(database_url, "third")]
    try:
        give_up_at = time.monotonic() + PATIENCE_S
        while forms(database_url) < len(drawn):
            assert time.monotonic() < give_up_at, f"{forms(database_url)} started"
            time.sleep(0.05)
    finally:
        for other in others:
            dismiss(other)
    started = rows(database_url, "SELECT key, count(*) FROM instances GROUP BY key")
    assert dict(started) == {name.removesuffix(".bpmn"): 1 for name in drawn}
    told = rows(
        database_url,
        "SELECT instance_id, count(*) FROM events WHERE kind = 'instance started'"
        " GROUP BY instance_id",
    )
    assert [count for _, count in told] == [1] * len(drawn)
