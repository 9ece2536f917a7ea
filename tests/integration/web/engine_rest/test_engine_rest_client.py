"""Clients for Camunda 7, unmodified, in three languages, work for ``mpms serve``."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from select import select
from typing import Any
from urllib.parse import urlsplit

import pytest

from hatch_build import PagesFailed
from mpms.domain.external_tasks import foreign
from mpms.domain.people.people import Role
from mpms.server.serve import THREADS
from mpms.services.instances.start import start_instance
from tests.support.databases import Databases
from tests.support.external_workers import ForeignPlant, served, weighing
from tests.support.factory import opened
from tests.support.foreign_clients import (
    LANGUAGES,
    ClientMissing,
    ClientProcess,
    Command,
)
from tests.support.waiting import PATIENCE_S, until

Start = Callable[..., ClientProcess]
SHORT_MS = 1500


@pytest.fixture(
    scope="module",
    params=["js", "python", pytest.param("java", marks=pytest.mark.soak)],
)
def client(request: pytest.FixtureRequest) -> Command:
    try:
        return LANGUAGES[request.param]()
    except (
        ClientMissing,
        PagesFailed,
        subprocess.SubprocessError,
        OSError,
    ) as failure:
        pytest.skip(f"the client for {request.param} cannot be used: {failure}")


@pytest.fixture(scope="module")
def busy(databases: Databases) -> Iterator[ForeignPlant]:
    """Shared: each test has a model and a topic of its own."""
    with opened(databases, ForeignPlant) as plant:
        yield plant


@pytest.fixture(scope="module")
def url(busy: ForeignPlant, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    state = tmp_path_factory.mktemp("engine rest")
    with served(busy.url, state) as url:
        yield url
    shutil.rmtree(state, ignore_errors=True)


@pytest.fixture
def topic(busy: ForeignPlant, request: pytest.FixtureRequest) -> str:
    """Also the key of the model with one step of this topic."""
    name = re.sub(r"\W+", "_", request.node.name)
    busy.deploy_files(weighing(name, topic=name))
    return str(name)


@pytest.fixture
def start(busy: ForeignPlant, url: str, client: Command, topic: str) -> Iterator[Start]:
    """Start a client that serves the topic; it must have met no error at the end."""
    token = busy.token(Role.SUPERVISOR).secret
    clients: list[ClientProcess] = []

    def started(behaviour: str, name: str = "w-1", **more: Any) -> ClientProcess:
        clients.append(
            ClientProcess(client, url, token, topic, behaviour, name=name, **more)
        )
        return clients[-1]

    yield started
    for one in clients:
        one.close()
    assert [error for one in clients for error in one.errors()] == []


def at(plant: ForeignPlant, instance_id: str, element: str) -> None:
    until(
        f"{instance_id} is at {element}",
        lambda: [form.element for form in plant.forms(instance_id)] == [element],
    )


def test_it_completes_work_with_variables(
    busy: ForeignPlant, topic: str, start: Start
) -> None:
    when = "2026-11-18T09:00:00.000+00:00"
    client = start("complete")
    order = busy.start_only(topic, kg=21, paint="red", parts=[1, {"a": None}], at=when)
    at(busy, order, "fill")
    assert until("it tells", lambda: client.heard)[0]["seen"] == {
        "kg": 21,
        "paint": "red",
        "parts": [1, {"a": None}],
        "at": "2026-11-18T09:00:00.000Z",
    }
    assert busy.variables(order) == {
        "kg": 42,
        "paint": "red",
        "parts": [1, {"a": None}],
        "weighed": True,
        "lots": [{"lot": "A", "kg": 1.5}],
        "at": "2026-11-18T10:00:00.000+00:00",
        "note": None,
    }


def test_it_fails_until_an_operator_must_look(
    busy: ForeignPlant, topic: str, start: Start
) -> None:
    order = busy.start_only(topic)
    client = start("fail")
    (incident,) = until(
        "an incident", lambda: [i for i in busy.incidents() if i.instance_id == order]
    )
    until("it tells", lambda: len(client.heard) >= 3)
    assert [one["retries"] for one in client.heard] == [2, 1, 0]
    assert len(set(client.tasks())) == 1
    assert "no scale" in incident.message
    assert [told["error"] for _, told in busy.told("job failed", order)] == [
        "no scale",
        "no scale",
    ]


def test_the_model_catches_what_it_throws(
    busy: ForeignPlant, topic: str, start: Start
) -> None:
    order = busy.start_only(topic)
    start("throw")
    at(busy, order, "split")
    assert busy.variables(order) == {"kg": 90, "told": "90 kg"}


def test_it_keeps_its_lock_as_long_as_it_needs(
    busy: ForeignPlant, topic: str, start: Start
) -> None:
    order = busy.start_only(topic)
    one = start("extend", lock_ms=SHORT_MS)
    until("it is locked", one.tasks)
    two = start("complete", name="w-2")
    at(busy, order, "fill")
    assert two.tasks() == []


def test_another_takes_over_what_a_killed_one_had_locked(
    busy: ForeignPlant, topic: str, start: Start
) -> None:
    order = busy.start_only(topic)
    one = start("hang", lock_ms=SHORT_MS)
    until("it is locked", one.tasks)
    one.kill()
    two = start("complete", name="w-2")
    at(busy, order, "fill")
    assert until("it tells", two.tasks) == one.tasks()


@pytest.mark.parametrize(
    "number", [100, pytest.param(1000, marks=pytest.mark.soak)], ids=str
)
def test_every_job_is_done_once_by_four_of_them(
    busy: ForeignPlant, topic: str, start: Start, number: int
) -> None:
    with busy.uow() as tx:
        orders = {
            start_instance(tx, busy.advance, topic, actor="test") for _ in range(number)
        }
    clients = [start("count", name=f"w-{n}") for n in range(4)]
    began_s = time.monotonic()
    until("all are done", lambda: sum(len(c.tasks()) for c in clients) >= number)
    took_s = time.monotonic() - began_s
    print(f"{number} jobs in {took_s:.1f} s: {number / took_s:.0f} a second")
    done = [task for client in clients for task in client.tasks()]
    assert len(done) == len(set(done)) == number

    def left() -> list[str]:
        rows = busy.rows(
            "SELECT instance_id::text FROM events WHERE kind = 'left'"
            " AND element = 'weigh' AND instance_id::text = ANY (%s)",
            list(orders),
        )
        return sorted(one for (one,) in rows)

    until("all are settled", lambda: len(left()) >= number)
    assert left() == sorted(orders)
    forms = {form.instance_id for form in busy.forms() if form.element == "fill"}
    assert orders <= forms


# -- waiting for work ------------------------------------------------------------------


class Waiting:
    """A client that has asked for one piece of work and waits for it."""

    def __init__(
        self,
        url: str,
        token: str,
        topic: str,
        wait_ms: int,
        name: str = "w",
        **more: Any,
    ) -> None:
        parts = urlsplit(url)
        self._link = HTTPConnection(str(parts.hostname), parts.port, timeout=PATIENCE_S)
        asked = {
            "workerId": name,
            "maxTasks": 1,
            "asyncResponseTimeout": wait_ms,
            "topics": [{"topicName": topic, "lockDuration": 60_000, **more}],
        }
        path = "/engine-rest/external-task/fetchAndLock"
        headers = {"Authorization": f"Bearer {token}"}
        self._link.request("POST", path, json.dumps(asked), headers)

    def fileno(self) -> int:
        return self._link.sock.fileno()

    def answer(self) -> list[dict[str, Any]]:
        with closing(self._link):
            answer = self._link.getresponse()
            assert answer.status == 200
            return list(json.loads(answer.read()))

    def close(self) -> None:
        self._link.close()


def test_more_clients_wait_than_the_server_has_threads(
    busy: ForeignPlant, url: str, topic: str
) -> None:
    """Pages answer meanwhile, and who waits gets work as soon as there is some."""
    token = busy.token(Role.SUPERVISOR).secret
    waiting = [Waiting(url, token, topic, 60_000) for _ in range(THREADS + 20)]
    parts = urlsplit(url)
    with closing(HTTPConnection(str(parts.hostname), parts.port, PATIENCE_S)) as link:
        link.request("GET", "/healthz")
        assert link.getresponse().status == 200
    orders = {busy.start_only(topic) for _ in range(3)}
    taken: set[str] = set()
    while taken < orders:
        for one in select(waiting, [], [], PATIENCE_S)[0]:
            waiting.remove(one)
            (task,) = one.answer()
            taken.add(task["processInstanceId"])
    assert taken == orders
    assert len(waiting) == THREADS + 20 - len(orders)
    for one in waiting:
        one.close()


def test_who_wants_one_order_waits_for_it_beside_those_who_want_any(
    busy: ForeignPlant, url: str, topic: str
) -> None:
    token = busy.token(Role.SUPERVISOR).secret
    picky = Waiting(url, token, topic, 60_000, "picky", businessKey="K-7")
    hurried = [Waiting(url, token, topic, 60_000) for _ in range(3)]
    for key in ("K-1", "K-2", "K-3"):
        busy.start_only(topic, business_key=key)
    assert sorted(one.answer()[0]["businessKey"] for one in hurried) == [
        "K-1",
        "K-2",
        "K-3",
    ]
    busy.start_only(topic, business_key="K-7")
    assert [task["businessKey"] for task in picky.answer()] == ["K-7"]


def test_waiting_ends_with_an_empty_list_when_its_time_is_up(
    busy: ForeignPlant, url: str, topic: str
) -> None:
    assert Waiting(url, busy.token(Role.SUPERVISOR).secret, topic, 300).answer() == []


def test_nobody_keeps_a_server_from_ending_by_waiting(
    busy: ForeignPlant, topic: str, tmp_path: Path
) -> None:
    with served(busy.url, tmp_path) as url:
        token = busy.token(Role.SUPERVISOR).secret
        waiting = Waiting(url, token, topic, 60_000, "late")
        until(
            "it asks",
            lambda: busy.rows(
                "SELECT worker FROM fetched_topics WHERE worker = %s", foreign("late")
            ),
        )
    assert waiting.answer() == []
