"""The worker: waits for a database that is away, and one bad round stops nothing."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mpms import bootstrap
from mpms.domain.errors import DatabaseAway
from mpms.domain.jobs import Answer, Done, Job
from mpms.embedded import postgres
from mpms.embedded.postgres import PostgresServer
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import LoopbackRobots
from mpms.services.instances.start import start_instance
from mpms.services.jobs.handlers import Handlers
from mpms.services.models.deploy import deploy_models
from tests.support.bench import Bench
from tests.support.factory_worker import FactoryWorker
from tests.support.waiting import eventually

MODEL = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="d" targetNamespace="t">
  <process id="probe" isExecutable="true"><startEvent id="begin"/>
  <serviceTask id="work" camunda:type="external" camunda:topic="work"/>
  <endEvent id="end"/>
  <sequenceFlow id="one" sourceRef="begin" targetRef="work"/>
  <sequenceFlow id="two" sourceRef="work" targetRef="end"/></process>
  </definitions>"""


class WatchedAlarm:
    """Counts how often somebody went to sleep."""

    def __init__(self, alarm: Any) -> None:
        self.naps = 0
        self.wake = alarm.wake
        self._alarm = alarm

    def wait(self, timeout_s: float) -> object:
        self.naps += 1
        return self._alarm.wait(timeout_s)


@pytest.fixture
def mortal_server(postgres_directory: Path) -> Iterator[PostgresServer]:
    """A server of this test's own; commits wait for the log."""
    bindir = os.environ.get("MPMS_TEST_PG_BINDIR")
    with postgres.start(
        postgres_directory / "mortal",
        bindir=Path(bindir) if bindir else None,
        settings={"fsync": "off", "full_page_writes": "off"},
    ) as server:
        yield server


def test_a_worker_waits_for_a_killed_database_and_goes_on(
    mortal_server: PostgresServer,
) -> None:
    bootstrap.migrate_database(mortal_server.dsn)
    services = bootstrap.connect(mortal_server.dsn)
    world = factory_bootstrap.world_named("paint_factory")
    calls: list[str] = []
    gate = threading.Event()

    def work(job: Job) -> Answer:
        calls.append(job.idempotency_key)
        gate.wait(60)
        return Done({"worked": True})

    handlers = Handlers()
    handlers.add_outside("work", work)
    stop = threading.Event()
    deploy_models(services.uow, services.engine, {"probe.bpmn": MODEL}, by="test")
    with services.listen() as alarm:
        worker = FactoryWorker(
            services.uow,
            services.advance,
            handlers,
            LoopbackRobots(world, on_report=alarm.wake),
            alarm,
            name="patient",
            poll_s=0.05,
            lease_s=1.0,
        )
        thread = threading.Thread(target=worker.run, args=(stop,), name="worker")
        thread.start()
        try:
            with services.uow() as tx:
                before = start_instance(tx, services.advance, "probe", actor="test")
            eventually(lambda: len(calls) == 1)
            os.kill(mortal_server.pid, signal.SIGKILL)
            eventually(lambda: not mortal_server.is_running())
            with pytest.raises(DatabaseAway), services.uow() as tx:
                tx.instances.get(before)
            gate.set()  # the handler is done while there is no database
            eventually(lambda: worker._last_word.startswith("waiting for the data"))
            assert thread.is_alive()
            mortal_server.ensure_running()

            def status(instance_id: str) -> str:
                try:
                    with services.uow() as tx:
                        return str(tx.instances.get(instance_id).status)
                except DatabaseAway:
                    return "away"

            eventually(lambda: status(before) == "completed")
            with services.uow() as tx:
                after = start_instance(tx, services.advance, "probe", actor="test")
            eventually(lambda: status(after) == "completed")
            assert worker._last_word == ""
        finally:
            gate.set()
            stop.set()
            alarm.wake()
            thread.join()
    assert len(set(calls)) == 2  # one key for each instance, however often it ran
    services.close()


def test_a_phase_that_fails_does_not_keep_the_others_from_their_turn(
    bench: Bench,
) -> None:
    done: list[str] = []

    def fails() -> bool:
        raise ValueError("a bad round")

    def runs() -> bool:
        done.append("ran")
        return False

    bench.worker.phases = [fails, runs]
    with pytest.raises(ValueError, match="a bad round"):
        bench.worker.turn()
    assert done == ["ran"]


def test_a_worker_that_stops_gives_back_its_leases(bench: Bench) -> None:
    gate = threading.Event()

    def slow(job: Job) -> Answer:
        gate.wait(60)
        return Done()

    bench.handlers.add_outside("work", slow)
    bench.deploy_files({"probe.bpmn": MODEL})
    bench.start_only("probe")
    stop = threading.Event()
    with bench.services.listen() as alarm:
        worker = FactoryWorker(
            bench.uow,
            bench.advance,
            bench.handlers,
            bench.robots,
            alarm,
            name="leaving",
            poll_s=0.05,
        )
        thread = threading.Thread(target=worker.run, args=(stop,))
        thread.start()
        leased = "SELECT leased_by FROM jobs"
        eventually(lambda: bench.rows(leased) == [("leaving",)])
        eventually(
            lambda: (
                {o for (o,) in bench.rows("SELECT owner FROM robots")} == {"leaving"}
            )
        )
        stop.set()
        alarm.wake()
        thread.join()
    assert bench.rows(leased) == [(None,)]
    assert {o for (o,) in bench.rows("SELECT owner FROM robots")} == {None}
    gate.set()


def test_an_idle_worker_is_woken_by_a_commit(bench: Bench) -> None:
    bench.handlers.add_inside("work", lambda tx, job: Done())
    bench.deploy_files({"probe.bpmn": MODEL})
    stop = threading.Event()
    with bench.services.listen() as alarm:
        watched = WatchedAlarm(alarm)
        worker = FactoryWorker(
            bench.uow,
            bench.advance,
            bench.handlers,
            bench.robots,
            watched,
            name="sleepy",
            poll_s=600.0,
        )
        thread = threading.Thread(target=worker.run, args=(stop,))
        thread.start()
        try:
            eventually(lambda: watched.naps > 0)
            instance_id = bench.start_only("probe")
            eventually(lambda: bench.instance(instance_id).status == "completed")
        finally:
            stop.set()
            alarm.wake()
            thread.join()
