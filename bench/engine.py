"""Cost of a step: flat over an instance's life, and against plain SpiffWorkflow.

Needs no set-up: it starts a PostgreSQL of its own with fsync on. The last line is one
JSON object. Ratios within one run say more than milliseconds on a shared machine.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import statistics
import sys
import tempfile
import threading
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import psycopg2

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from engine_parts.external import external_jobs_per_s  # noqa: E402
from engine_parts.services import figures as service_figures  # noqa: E402

from mpms import bootstrap  # noqa: E402
from mpms.domain.instances.steps import (  # noqa: E402
    Complete,
    EventWait,
    Fire,
    FormWait,
    JobWait,
    Receive,
    Start,
    TimerWait,
)
from mpms.domain.jobs import Done  # noqa: E402
from mpms.domain.models.definitions import Definition  # noqa: E402
from mpms.embedded import postgres  # noqa: E402
from mpms.engine.runner import SpiffEngine  # noqa: E402
from mpms.factory.adapters.memory import FixedClock, LoopbackRobots, SystemClock  # noqa: E402
from mpms.factory.domain.worlds import World  # noqa: E402
from mpms.services.instances.start import start_instance  # noqa: E402
from mpms.services.jobs.handlers import Handlers  # noqa: E402
from mpms.services.models.deploy import deploy_models  # noqa: E402
from tests.support.factory_worker import FactoryWorker  # noqa: E402

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"
CAMUNDA = "http://camunda.org/schema/1.0/bpmn"
SAMPLE = 60
STOCK = 200


def loop_model() -> bytes:
    """A form in a loop for ever: one completed task a turn."""
    return f"""<definitions xmlns="{BPMN}" targetNamespace="bench">
      <process id="turns" isExecutable="true">
        <startEvent id="begin"/>
        <sequenceFlow id="f1" sourceRef="begin" targetRef="again"/>
        <exclusiveGateway id="again"/>
        <sequenceFlow id="f2" sourceRef="again" targetRef="form"/>
        <userTask id="form"/>
        <sequenceFlow id="f3" sourceRef="form" targetRef="again"/>
      </process></definitions>""".encode()


def line_model(length: int = 10) -> bytes:
    """A line of service tasks."""
    parts = ['<startEvent id="s0"/>']
    for i in range(1, length + 1):
        parts.append(
            f'<serviceTask id="s{i}" xmlns:camunda="{CAMUNDA}"'
            ' camunda:type="external" camunda:topic="bench.work"/>'
        )
    parts.append(f'<endEvent id="s{length + 1}"/>')
    parts += [
        f'<sequenceFlow id="f{i}" sourceRef="s{i}" targetRef="s{i + 1}"/>'
        for i in range(length + 1)
    ]
    return f"""<definitions xmlns="{BPMN}" targetNamespace="bench">
      <process id="line" isExecutable="true">{"".join(parts)}</process>
      </definitions>""".encode()


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def cycles(url: str) -> dict[str, float]:
    """Median of lock, load, complete, save, commit after so many completed tasks."""
    services = bootstrap.connect(url)
    deploy_models(
        services.uow, services.engine, {"turns.bpmn": loop_model()}, by="bench"
    )
    with services.uow() as tx:
        instance_id = start_instance(tx, services.advance, "turns", actor="bench")
    figures: dict[str, float] = {}
    done = 0
    for after in (10, 100, 1_000, 10_000):
        say(f"cycle after {after:,} completed tasks")
        while done < after:
            turn(services, instance_id)
            done += 1
        times = []
        for _ in range(SAMPLE):
            begun = time.perf_counter()
            turn(services, instance_id)
            times.append(time.perf_counter() - begun)
            done += 1
        figures[f"cycle_ms_{after}"] = round(statistics.median(times) * 1e3, 3)
    services.close()
    return figures


def turn(services: bootstrap.Services, instance_id: str) -> None:
    with services.uow() as tx:
        instance = tx.instances.lock(instance_id)
        definition = tx.definitions.by_id(instance.definition_id)
        assert instance.snapshot is not None
        (wait,) = services.engine.waits(definition, instance.snapshot)
        services.advance(tx, instance, Complete(wait.task_id, {}), actor="bench")


def stock_cycle(url: str, completed: int) -> float:
    """The same with plain SpiffWorkflow, its JSON serializer and a json column."""
    from SpiffWorkflow.bpmn.parser.BpmnParser import BpmnParser
    from SpiffWorkflow.bpmn.serializer.workflow import BpmnWorkflowSerializer
    from SpiffWorkflow.bpmn.workflow import BpmnWorkflow
    from SpiffWorkflow.util.task import TaskState

    say(f"plain SpiffWorkflow after {completed:,} completed tasks")
    parser = BpmnParser()
    from lxml import etree

    parser.add_bpmn_xml(etree.fromstring(branches_of_forms(completed)))
    sys.setrecursionlimit(100_000)
    box: dict[str, Any] = {}

    def build() -> None:
        workflow = BpmnWorkflow(parser.get_spec("forms"))
        workflow.do_engine_steps()
        for _ in range(completed):
            task = workflow.get_next_task(state=TaskState.READY, manual=True)
            task.run()
            workflow.do_engine_steps()
        box["workflow"] = workflow

    serializer = BpmnWorkflowSerializer()
    _deep(build)
    box["text"] = serializer.serialize_json(box["workflow"])
    times: list[float] = []

    def measure() -> None:
        connection = psycopg2.connect(url)
        with connection, connection.cursor() as cursor:
            cursor.execute("CREATE TABLE bench_state (id int PRIMARY KEY, state json)")
            cursor.execute("INSERT INTO bench_state VALUES (1, %s)", (box["text"],))
        for _ in range(8):
            begun = time.perf_counter()
            with connection, connection.cursor() as cursor:
                cursor.execute("SELECT state::text FROM bench_state FOR UPDATE")
                ((state,),) = cursor.fetchall()
                workflow = serializer.deserialize_json(state)
                task = workflow.get_next_task(state=TaskState.READY, manual=True)
                task.run()
                workflow.do_engine_steps()
                text = serializer.serialize_json(workflow)
                cursor.execute("UPDATE bench_state SET state = %s", (text,))
            times.append(time.perf_counter() - begun)
        connection.close()

    _deep(measure)
    return round(statistics.median(times) * 1e3, 3)


def branches_of_forms(completed: int) -> bytes:
    """Five parallel lines: SpiffWorkflow's search of its tree ends at depth 1,000."""
    parts = ['<startEvent id="s"/>', '<parallelGateway id="split"/>']
    flows = [("s", "split")]
    for branch in range(5):
        before = "split"
        for i in range(completed // 5 + 4):
            form = f"b{branch}_{i}"
            parts.append(f'<userTask id="{form}"/>')
            flows.append((before, form))
            before = form
        parts.append(f'<endEvent id="e{branch}"/>')
        flows.append((before, f"e{branch}"))
    parts += [
        f'<sequenceFlow id="f{i}" sourceRef="{a}" targetRef="{b}"/>'
        for i, (a, b) in enumerate(flows)
    ]
    return f"""<bpmn:definitions xmlns:bpmn="{BPMN}" xmlns="{BPMN}" targetNamespace="b">
      <process id="forms" isExecutable="true">{"".join(parts)}</process>
      </bpmn:definitions>""".encode()


def _deep(work: Any) -> None:
    """Run in a thread with a large stack, since SpiffWorkflow recurses."""
    failures: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as failure:
            failures.append(failure)

    threading.stack_size(512 * 1024 * 1024)
    thread = threading.Thread(target=guarded)
    thread.start()
    thread.join()
    threading.stack_size(0)
    if failures:
        raise failures[0]


def orders_loop(turns: int) -> dict[str, int]:
    """The order loop after so many turns: tokens and bytes while it rests."""
    say(f"orders_handling: {turns:,} turns")
    engine = SpiffEngine()
    xml = (ROOT / "processes" / "orders_handling.bpmn").read_bytes()
    digest = hashlib.sha256(xml).hexdigest()
    definition = Definition(digest, "orders_handling", 1, "", xml)
    clock = FixedClock(SystemClock().now())
    step = engine.advance(definition, None, Start(), now=clock.now())
    results: dict[str, dict[str, Any]] = {
        "mail.read": {"mails": 1, "accepted": 1},
        "orders.next": {"order_number": "MO-2026-0001"},
    }
    found = 0
    while found < turns:
        clock.move(1.0)
        wait = step.waits[found % len(step.waits)]
        found += 1
        if isinstance(wait, JobWait):
            command: Any = Complete(wait.task_id, results.get(wait.topic, {}))
        elif isinstance(wait, TimerWait):
            clock.move(timedelta(days=1).total_seconds())
            command = Fire(wait.task_id)
        elif isinstance(wait, EventWait):
            command = Receive(wait.task_id)
        else:
            assert isinstance(wait, FormWait)
            command = Complete(wait.task_id)
        step = engine.advance(definition, step.snapshot, command, now=clock.now())
    _, rows = orjson.loads(step.snapshot.state)
    return {
        "loop_nodes_at_rest": len(rows),
        "loop_bytes_at_rest": len(step.snapshot.state),
    }


def work_for_a_while(url: str, name: str, barrier: Any, stop: Any) -> None:
    handlers = Handlers()
    handlers.add_inside("bench.work", lambda tx, job: Done({}))
    services = bootstrap.connect(url)
    robots = LoopbackRobots(World("bench", {}, {}, ()))
    with services.listen() as alarm:
        worker = FactoryWorker(
            services.uow, services.advance, handlers, robots, alarm, name=name
        )
        barrier.wait()
        worker.run(stop)
    services.close()


def throughput(url: str, workers: int) -> tuple[float, float]:
    """Finished ten-step instances and jobs a second with so many processes."""
    say(f"throughput with {workers} worker processes")
    services = bootstrap.connect(url)
    context = multiprocessing.get_context("spawn")
    barrier, stop = context.Barrier(workers + 1), context.Event()
    processes = [
        context.Process(target=work_for_a_while, args=(url, f"w{i}", barrier, stop))
        for i in range(workers)
    ]
    for process in processes:
        process.start()
    barrier.wait()
    before = finished(services)
    begun = time.perf_counter()
    with services.uow() as tx:
        for _ in range(STOCK):
            start_instance(tx, services.advance, "line", actor="bench")
    while finished(services) < before + STOCK:
        time.sleep(0.05)
    took_s = time.perf_counter() - begun
    stop.set()
    for process in processes:
        process.join()
    services.close()
    return STOCK / took_s, 10 * STOCK / took_s


def finished(services: bootstrap.Services) -> int:
    with services.uow() as tx:
        return tx.instances.counts().get(("line", "completed"), 0)


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="mpms-bench-") as directory,
        suppress(KeyboardInterrupt),
    ):
        Path(directory).chmod(0o711)
        with postgres.start(Path(directory) / "postgres") as server:
            url = server.dsn
            bootstrap.migrate_database(url)
            figures: dict[str, Any] = dict(cycles(url))
            figures["stock_cycle_ms_1000"] = stock_cycle(url, 1_000)
            figures |= orders_loop(10_000)
            services = bootstrap.connect(url)
            deploy_models(
                services.uow, services.engine, {"line.bpmn": line_model()}, by="bench"
            )
            services.close()
            jobs = []
            for workers in (1, 2, 4):
                instances_per_s, jobs_per_s = throughput(url, workers)
                figures[f"instances_per_s_{workers}"] = round(instances_per_s, 1)
                jobs.append(jobs_per_s)
            figures["jobs_per_s"] = round(max(jobs), 1)
            say("external_jobs_per_s")
            figures["external_jobs_per_s"] = external_jobs_per_s(url)
            figures |= service_figures(url, say)
            ratio = figures["cycle_ms_10000"] / figures["cycle_ms_10"]
            figures["cycle_ratio_10000_to_10"] = round(ratio, 3)
            ratio = figures["cycle_ms_1000"] / figures["stock_cycle_ms_1000"]
            figures["cycle_ratio_to_stock_1000"] = round(ratio, 4)
            print(json.dumps(figures))


if __name__ == "__main__":
    main()
