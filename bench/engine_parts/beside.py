"""Our side of ``bench/beside_operaton.py``: the measures, and the processes they need.

Workers are processes that stay, as in a plant; between measures they wait for a word.
"""

from __future__ import annotations

import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit

import psycopg2

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

from engine_parts.external import served  # noqa: E402

from mpms import bootstrap  # noqa: E402
from mpms.domain.external_tasks import WantedTopic  # noqa: E402
from mpms.domain.jobs import Done  # noqa: E402
from mpms.services.external_tasks.complete import complete_task  # noqa: E402
from mpms.services.external_tasks.fetch import fetch_tasks  # noqa: E402
from mpms.services.instances.start import start_instance  # noqa: E402
from mpms.services.jobs.handlers import Handlers  # noqa: E402
from mpms.services.jobs.run import RunJobs  # noqa: E402
from mpms.services.models.deploy import deploy_models  # noqa: E402
from mpms.services.tasks.submit import submit_form  # noqa: E402
from mpms.worker import Worker  # noqa: E402

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"
CAMUNDA = "http://camunda.org/schema/1.0/bpmn"
INSIDE = '<serviceTask id="s{}" camunda:type="external" camunda:topic="bench.work"/>'
LEASED = '<serviceTask id="s{}" camunda:type="external" camunda:topic="bench.leased"/>'
FORM = '<userTask id="s{}"/>'


def line(key: str, length: int, task: str) -> bytes:
    parts = ['<startEvent id="s0"/>']
    parts += [task.format(i) for i in range(1, length + 1)]
    parts.append(f'<endEvent id="s{length + 1}"/>')
    parts += [
        f'<sequenceFlow id="f{i}" sourceRef="s{i}" targetRef="s{i + 1}"/>'
        for i in range(length + 1)
    ]
    return f"""<definitions xmlns="{BPMN}" xmlns:camunda="{CAMUNDA}"
        targetNamespace="bench"><process id="{key}" isExecutable="true">
        {"".join(parts)}</process></definitions>""".encode()


MODELS = {
    "line.bpmn": line("line", 10, INSIDE),
    "leased.bpmn": line("leased", 10, LEASED),
    "clerk.bpmn": line("clerk", 1, FORM),
}


def work(url: str, name: str, told: Any, stop: Any) -> None:
    """A worker process, until told to stop."""
    handlers = Handlers()
    handlers.add_inside("bench.work", lambda tx, job: Done({}))
    services = bootstrap.connect(url)
    with services.listen() as alarm:
        worker = Worker(services.uow, services.advance, handlers, alarm, name=name)
        told.wait()
        worker.run(stop)
    services.close()


def help_out(url: str, name: str, link: Connection) -> None:
    """A client in a process of its own: does what it is told, says when it is done."""
    services = bootstrap.connect(url)
    jobs = RunJobs(services.uow, services.advance, Handlers())

    def complete(tasks: Sequence[str]) -> None:
        for task in tasks:
            submit_form(services.uow, services.advance, task, {}, by=name)

    def lease(_: object) -> None:
        wanted = [WantedTopic("bench.leased", 60.0)]
        while found := fetch_tasks(
            services.uow, services.engine, wanted, worker=name, most=10
        ):
            for task in found:
                complete_task(
                    jobs, task.job.task_id, name, variables={}, local={}, by=name
                )

    does: dict[str, Callable[[Any], None]] = {"complete": complete, "lease": lease}
    while (said := link.recv()) is not None:
        what, given = said
        does[what](given)
        link.send("done")
    services.close()


class Ours:
    """The measures; each starts the processes that it needs before it looks."""

    def __init__(self, server: str, url: str) -> None:
        self._server, self._url = server, url
        self._services = bootstrap.connect(url)
        self._look = psycopg2.connect(url)
        self._look.autocommit = True
        self._clients: list[tuple[SpawnProcess, Connection]] = []
        self._pid: int | None = None  # of the first worker

    @classmethod
    @contextmanager
    def beside(cls, server: str) -> Iterator[Self]:
        """With a migrated database of its own on the server."""
        _create(server, "ours")
        url = _named(server, "ours")
        bootstrap.migrate_database(url)
        ours = cls(server, url)
        services = ours._services
        deploy_models(services.uow, services.engine, MODELS, by="bench")
        try:
            yield ours
        finally:
            for process, link in ours._clients:
                link.send(None)
                process.join()
            ours._look.close()
            services.close()

    def make_database(self, name: str) -> tuple[str, str, str]:
        """A database for the other side: its address for a JVM, user and password."""
        _create(self._server, name)
        parts = urlsplit(self._server)
        address = f"jdbc:postgresql://{parts.hostname}:{parts.port}/{name}"
        return address, parts.username or "", parts.password or ""

    def throughput(self, workers: int, number: int) -> float:
        """Finished ten-step instances a second; they lie ready when it begins."""
        self._stock("line", number)
        with self._working(workers) as begin:
            begin()
            begun = time.perf_counter()
            while self._jobs_left():
                time.sleep(0.01)
            took_s = time.perf_counter() - begun
        self._expect_none_active("line")
        return number / took_s

    def latency(self, times: int) -> float:
        """One ten-step instance from its start to its end, ms; one worker waits."""
        services, taken = self._services, []
        with self._working(1) as begin, services.listen() as alarm:
            begin()
            for _ in range(times):
                time.sleep(0.05)
                begun = time.perf_counter()
                with services.uow() as tx:
                    started = start_instance(
                        tx, services.advance, "line", actor="bench"
                    )
                while not self._ended(started):
                    alarm.wait(1.0)
                taken.append((time.perf_counter() - begun) * 1e3)
        return statistics.median(taken)

    def user_tasks(self, clients: int, number: int) -> float:
        """Forms answered a second; each ends its instance."""
        self._stock("clerk", number)
        with self._services.uow() as tx:
            tasks = [task.task_id for task in tx.tasks.open()]
        return len(tasks) / self._together(
            "complete", [tasks[n::clients] for n in range(clients)]
        )

    def external(self, workers: int, number: int) -> float:
        """Finished instances of ten leased jobs a second: fetch ten, complete each."""
        self._stock("leased", number)
        took_s = 0.0
        while self._jobs_left():
            took_s += self._together("lease", [None] * workers)
        self._expect_none_active("leased")
        return number / took_s

    def deploy(self, times: int, files: Sequence[Path]) -> float:
        """Both models as new versions, ms."""
        services, taken = self._services, []
        for _ in range(times):
            mark = f"<!-- {time.time_ns()} -->".encode()
            new = {path.name: path.read_bytes() + mark for path in files}
            begun = time.perf_counter()
            deploy_models(services.uow, services.engine, new, by="bench")
            taken.append((time.perf_counter() - begun) * 1e3)
        return statistics.median(taken)

    def memory_mb(self) -> float:
        """What a worker that has worked and a web server use."""
        self._stock("line", 20)
        with self._working(1) as begin:
            begin()
            while self._jobs_left():
                time.sleep(0.02)
            assert self._pid is not None
            found = memory_mb(self._pid)
        with served(self._url) as server:
            return found + memory_mb(server.pid)

    @contextmanager
    def _working(self, workers: int) -> Iterator[Callable[[], None]]:
        """Worker processes that begin when told."""
        context = multiprocessing.get_context("spawn")
        told, stop = context.Barrier(workers + 1), context.Event()
        processes = [
            context.Process(target=work, args=(self._url, f"w{i}", told, stop))
            for i in range(workers)
        ]
        for process in processes:
            process.start()
        self._pid = processes[0].pid
        try:
            yield told.wait
        finally:
            stop.set()
            for process in processes:
                process.join()

    def _together(self, what: str, shares: Sequence[Any]) -> float:
        while len(self._clients) < len(shares):
            context = multiprocessing.get_context("spawn")
            here, there = context.Pipe()
            name = f"c{len(self._clients)}"
            process = context.Process(target=help_out, args=(self._url, name, there))
            process.start()
            self._clients.append((process, here))
            here.send(("complete", []))  # until it has loaded
            here.recv()
        links = [link for _, link in self._clients[: len(shares)]]
        begun = time.perf_counter()
        for link, share in zip(links, shares, strict=True):
            link.send((what, share))
        for link in links:
            link.recv()
        return time.perf_counter() - begun

    def _stock(self, key: str, number: int) -> None:
        services = self._services
        for _ in range(number):
            with services.uow() as tx:
                start_instance(tx, services.advance, key, actor="bench")

    def _jobs_left(self) -> bool:
        """A question that costs little, since it is asked while others work."""
        with self._look.cursor() as cursor:
            cursor.execute("SELECT EXISTS (SELECT FROM jobs)")
            return bool((cursor.fetchone() or [False])[0])

    def _expect_none_active(self, key: str) -> None:
        with self._services.uow() as tx:
            left = tx.instances.counts().get((key, "active"), 0)
        assert left == 0, f"{left} instances of {key} have no job and go on"

    def _ended(self, instance_id: str) -> bool:
        with self._look.cursor() as cursor:
            cursor.execute(
                "SELECT status <> 'active' FROM instances WHERE id = %s", [instance_id]
            )
            return bool((cursor.fetchone() or [False])[0])


def memory_mb(pid: int) -> float:
    """What a process and its children use, by the kernel's word."""
    pids = [pid]
    for other in pids:
        for task in Path(f"/proc/{other}/task").iterdir():
            pids += [int(child) for child in (task / "children").read_text().split()]
    kilobytes = 0
    for each in pids:
        for row in Path(f"/proc/{each}/status").read_text().splitlines():
            if row.startswith("VmRSS:"):
                kilobytes += int(row.split()[1])
    return kilobytes / 1024


def _create(server: str, name: str) -> None:
    connection = psycopg2.connect(server)
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    connection.close()


def _named(server: str, name: str) -> str:
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
