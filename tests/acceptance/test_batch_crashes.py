"""A bulk action outlives its workers: each item is done once, whoever is killed."""

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
from mpms.domain.bulk import BatchAction, TheseInstances
from mpms.services.bulk.order import order_batch
from mpms.services.bulk.show import show_batch
from mpms.services.instances.start import start_instance
from mpms.services.models.deploy import deploy_models

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("batch_worker.py")
ITEMS = 40
PATIENCE_S = 120.0
MODEL = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    targetNamespace="urn:test">
  <process id="p" isExecutable="true"><startEvent id="start"/><userTask id="a"/>
    <endEvent id="end"/><sequenceFlow id="f1" sourceRef="start" targetRef="a"/>
    <sequenceFlow id="f2" sourceRef="a" targetRef="end"/></process></definitions>"""


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


def test_a_worker_killed_in_the_middle_of_an_item_loses_and_repeats_nothing(
    database_url: str, services: bootstrap.Services
) -> None:
    deploy_models(services.uow, services.engine, {"p.bpmn": MODEL}, by="test")
    ids = []
    for _ in range(ITEMS):
        with services.uow() as tx:
            ids.append(start_instance(tx, services.advance, "p", actor="test"))
    batch_id = order_batch(
        services.uow,
        BatchAction.SET_VARIABLES,
        TheseInstances(tuple(ids)),
        details={"variables": {"kg": 7}},
        by="boss",
        reason="wrong scale",
    )
    first = hire(database_url, "first", hang=8)
    try:
        assert first.stdout is not None
        assert first.stdout.readline() == "hangs\n"
        # Seven are committed; the eighth is done and would be lost with its worker.
        assert show_batch(services.uow, batch_id).batch.done == 7
    finally:
        dismiss(first)
    others = [hire(database_url, "second"), hire(database_url, "third")]
    try:
        give_up_at = time.monotonic() + PATIENCE_S
        while show_batch(services.uow, batch_id).batch.ended_at is None:
            assert time.monotonic() < give_up_at, show_batch(services.uow, batch_id)
            time.sleep(0.05)
    finally:
        for other in others:
            dismiss(other)
    batch = show_batch(services.uow, batch_id).batch
    assert (batch.done, batch.failed) == (ITEMS, 0)
    once = rows(
        database_url,
        "SELECT instance_id, count(*) FROM events WHERE kind = 'variables set'"
        " GROUP BY 1",
    )
    assert {one for one, _ in once} == set(ids)
    assert {count for _, count in once} == {1}
    told = "SELECT kind, count(*) FROM events WHERE kind LIKE 'batch %' GROUP BY 1"
    assert dict(rows(database_url, told)) == {
        "batch ordered": 1,
        "batch item": ITEMS,
        "batch ended": 1,
    }
