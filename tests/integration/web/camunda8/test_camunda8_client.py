"""Camunda's own clients for Camunda 8, unmodified, work for a real ``mpms serve``."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hatch_build import Node, PagesFailed
from mpms.domain.people.people import Role
from mpms.services.instances.start import start_instance
from tests.support.camunda8 import MAPPED, Plant8, extended, weighing8
from tests.support.camunda8_client import CLIENTS_8, Caller8, Worker8, fetch_client_8
from tests.support.databases import Databases
from tests.support.drawings import in_a_row
from tests.support.external_workers import served
from tests.support.factory import opened
from tests.support.foreign_clients import ClientMissing, Command
from tests.support.waiting import until

Start = Callable[..., Worker8]
SHORT_MS = 1500


@pytest.fixture(scope="module")
def node() -> Node:
    try:
        return fetch_client_8()
    except (PagesFailed, subprocess.SubprocessError, OSError) as failure:
        pytest.skip(f"Camunda's client cannot be fetched: {failure}")


@pytest.fixture(
    scope="module",
    params=[
        "js",
        *(pytest.param(c, marks=pytest.mark.soak) for c in ("sdk", "python")),
    ],
)
def client(request: pytest.FixtureRequest) -> Command:
    try:
        return CLIENTS_8[request.param]()
    except (
        ClientMissing,
        PagesFailed,
        subprocess.SubprocessError,
        OSError,
    ) as failure:
        pytest.skip(f"the client {request.param} cannot be used: {failure}")


@pytest.fixture(scope="module")
def busy(databases: Databases) -> Iterator[Plant8]:
    """Shared: each test has a model and a job type of its own."""
    with opened(databases, Plant8) as plant:
        yield plant


@pytest.fixture(scope="module")
def url(busy: Plant8, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    state = tmp_path_factory.mktemp("camunda 8")
    with served(busy.url, state) as url:
        yield url
    shutil.rmtree(state, ignore_errors=True)


@pytest.fixture(scope="module")
def caller(busy: Plant8, url: str, node: Node) -> Iterator[Caller8]:
    client = Caller8(node, url, busy.token(Role.ADMIN).secret)
    yield client
    client.close()


@pytest.fixture
def topic(busy: Plant8, request: pytest.FixtureRequest) -> str:
    """Also the key of the model with one job of this type."""
    name = re.sub(r"\W+", "_", request.node.name)
    busy.deploy_files(weighing8(name, topic=name))
    return name


@pytest.fixture
def start(busy: Plant8, url: str, client: Command, topic: str) -> Iterator[Start]:
    """Start a worker for the type; it must have met no error at the end."""
    token = busy.token(Role.SUPERVISOR).secret
    workers: list[Worker8] = []

    def worker(behaviour: str, name: str = "js-1", **more: Any) -> Worker8:
        workers.append(Worker8(client, url, token, topic, behaviour, name=name, **more))
        return workers[-1]

    yield worker
    for one in workers:
        one.close()
    assert [error for one in workers for error in one.errors()] == []


def at(plant: Plant8, instance_id: str, element: str) -> None:
    until(
        f"{instance_id} is at {element}",
        lambda: [form.element for form in plant.forms(instance_id)] == [element],
    )


def test_it_completes_work_with_mapped_variables_and_headers(
    busy: Plant8, topic: str, start: Start
) -> None:
    busy.deploy_files(weighing8(topic, topic=topic, inside=MAPPED))
    worker = start("complete")
    order = busy.start_only(topic, order={"kg": 21}, paint="red")
    at(busy, order, "fill")
    heard = until("it tells", lambda: worker.heard)[0]
    assert heard["seen"] == {"kg": 21, "order": {"kg": 21}, "paint": "red"}
    assert heard["headers"] == {"scale": "7"}
    assert busy.variables(order) == {
        "order": {"kg": 21},
        "paint": "red",
        "total_kg": 42,
    }


def test_it_fails_until_an_operator_must_look(
    busy: Plant8, topic: str, start: Start
) -> None:
    order = busy.start_only(topic)
    worker = start("fail")
    (incident,) = until(
        "an incident", lambda: [i for i in busy.incidents() if i.instance_id == order]
    )
    until("it tells", lambda: len(worker.heard) >= 3)
    assert [one["retries"] for one in worker.heard] == [2, 1, 0]
    assert len(set(worker.jobs())) == 1
    assert "no scale" in incident.message


def test_the_model_catches_what_it_throws(
    busy: Plant8, topic: str, start: Start
) -> None:
    order = busy.start_only(topic)
    worker = start("throw")
    at(busy, order, "split")
    assert busy.variables(order) == worker.heard[0]["threw"]


def test_it_keeps_its_job_as_long_as_it_needs(
    busy: Plant8, topic: str, start: Start
) -> None:
    order = busy.start_only(topic)
    one = start("extend", lock_ms=SHORT_MS)
    until("it has the job", one.jobs)
    two = start("complete", name="js-2")
    at(busy, order, "fill")
    assert two.jobs() == []


def test_another_takes_over_what_a_killed_one_had(
    busy: Plant8, topic: str, start: Start
) -> None:
    order = busy.start_only(topic)
    one = start("hang", lock_ms=SHORT_MS)
    until("it has the job", one.jobs)
    one.kill()
    two = start("complete", name="js-2")
    at(busy, order, "fill")
    assert until("it tells", two.jobs) == one.jobs()


@pytest.mark.parametrize(
    "number", [60, pytest.param(1000, marks=pytest.mark.soak)], ids=str
)
def test_every_job_is_done_once_by_four_of_them(
    busy: Plant8, topic: str, start: Start, number: int
) -> None:
    with busy.uow() as tx:
        orders = {
            start_instance(tx, busy.advance, topic, actor="test") for _ in range(number)
        }
    workers = [start("count", name=f"js-{n}") for n in range(4)]
    began_s = time.monotonic()
    until("all are done", lambda: sum(len(w.jobs()) for w in workers) >= number)
    took_s = time.monotonic() - began_s
    print(f"{number} jobs in {took_s:.1f} s: {number / took_s:.0f} a second")
    done = [job for worker in workers for job in worker.jobs()]
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


# -- what users of workers call --------------------------------------------------------


def test_it_deploys_starts_assigns_and_completes(
    busy: Plant8, caller: Caller8, topic: str, start: Start, tmp_path: Path
) -> None:
    assert caller("getTopology")["gatewayVersion"].startswith("8.")
    caller("getLicense")
    file = tmp_path / f"{topic}.bpmn"
    file.write_bytes(weighing8(topic, topic=topic, inside=MAPPED)[file.name])
    (deployed,) = caller("deployResourcesFromFiles", [str(file)])["processes"]
    assert deployed["processDefinitionId"] == topic
    assert deployed["processDefinitionVersion"] == 2
    definition = deployed["processDefinitionKey"]
    made = caller(
        "createProcessInstance",
        {
            "processDefinitionKey": definition,
            "variables": {"order": {"kg": 3}},
            "businessId": topic,
        },
    )
    key = made["processInstanceKey"]
    start("complete")
    (order,) = busy.rows(
        "SELECT id::text FROM instances WHERE business_key = %s", topic
    )
    at(busy, order[0], "fill")
    shown = caller("getProcessInstance", {"processInstanceKey": key}, at_once())
    assert (shown["state"], shown["businessId"]) == ("ACTIVE", topic)
    (found,) = caller.search(
        "searchProcessInstances", filter={"processDefinitionKey": definition}
    )
    assert found == shown
    (variable,) = caller.search(
        "searchVariables", filter={"processInstanceKey": key, "name": "total_kg"}
    )
    assert variable["value"] == "6"
    (task,) = caller.search("searchUserTasks", filter={"processInstanceKey": key})
    assert (task["elementId"], task["candidateGroups"]) == ("fill", ["weighers"])
    busy.person("wilma", Role.WORKER, groups=("weighers",))
    at_task = {"userTaskKey": task["userTaskKey"]}
    caller("assignUserTask", {**at_task, "assignee": "wilma"})
    assert caller("getUserTask", at_task, at_once())["assignee"] == "wilma"
    caller("unassignUserTask", at_task)
    assert caller("getUserTask", at_task, at_once())["assignee"] is None
    caller("completeUserTask", {**at_task, "variables": {"filled": True}})
    ended = caller("getProcessInstance", {"processInstanceKey": key}, at_once())
    assert ended["state"] == "COMPLETED"
    assert busy.variables(order[0])["filled"] is True


def test_it_publishes_correlates_broadcasts_and_cancels(
    busy: Plant8, caller: Caller8
) -> None:
    keys = [
        caller(
            "createProcessInstance",
            {"processDefinitionId": "paid8", "variables": {"order": order}},
        )["processInstanceKey"]
        for order in ("A", "B", "C")
    ]
    caller(
        "publishMessage",
        {"name": "paid", "correlationKey": "A", "variables": {"by": "card"}},
    )
    told = caller("correlateMessage", {"name": "paid", "correlationKey": "B"})
    assert told["processInstanceKey"] == keys[1]
    busy.worker.settle()
    caller("broadcastSignal", {"signalName": "closing"})
    busy.worker.settle()
    caller("cancelProcessInstance", {"processInstanceKey": keys[2]})
    states = {
        one["processInstanceKey"]: one["state"]
        for one in caller.search(
            "searchProcessInstances", filter={"processInstanceKey": {"$in": keys}}
        )
    }
    assert [states[key] for key in keys] == ["COMPLETED", "COMPLETED", "TERMINATED"]
    (variable,) = caller.search(
        "searchVariables", filter={"processInstanceKey": keys[0], "name": "by"}
    )
    assert variable["value"] == '"card"'
    lost = caller.refused("correlateMessage", {"name": "paid", "correlationKey": "Z"})
    assert (lost["status"], lost["title"]) == (404, "NOT_FOUND")


def test_it_waits_for_the_result_of_a_process(
    busy: Plant8, caller: Caller8, topic: str, start: Start
) -> None:
    """Nobody completes the first in time; the second ends when its form is filled."""
    asked = {"processDefinitionId": topic, "awaitCompletion": True}
    late = caller.refused("createProcessInstance", {**asked, "requestTimeout": 300})
    assert late["status"] == 504
    busy.deploy_files(only_a_job(topic))
    start("complete")
    asked |= {"variables": {"kg": 4}, "requestTimeout": 60_000}
    made = caller("createProcessInstance", {**asked, "fetchVariables": ["kg"]})
    assert made["variables"] == {"kg": 8}


def test_it_resolves_an_incident_with_new_retries(
    busy: Plant8, caller: Caller8, topic: str
) -> None:
    order = busy.start_only(topic)
    activated = caller(
        "activateJobs", {"type": topic, "timeout": 60_000, "maxJobsToActivate": 5}
    )
    (job,) = activated["jobs"]
    caller("failJob", {"jobKey": job["jobKey"], "errorMessage": "broken", "retries": 0})
    (incident,) = caller.search(
        "searchIncidents", filter={"processInstanceKey": job["processInstanceKey"]}
    )
    assert (incident["errorType"], incident["jobKey"]) == (
        "JOB_NO_RETRIES",
        job["jobKey"],
    )
    (listed,) = caller.search("searchJobs", filter={"jobKey": job["jobKey"]})
    assert (listed["state"], listed["retries"]) == ("FAILED", 0)
    caller("updateJob", {"jobKey": job["jobKey"], "changeset": {"retries": 5}})
    assert len(busy.incidents()) >= 1
    caller("resolveIncident", {"incidentKey": incident["incidentKey"]})
    caller(
        "createElementInstanceVariables",
        {
            "elementInstanceKey": job["elementInstanceKey"],
            "variables": {"scale": "new"},
            "local": True,
        },
    )
    (again,) = caller(
        "activateJobs", {"type": topic, "timeout": 60_000, "maxJobsToActivate": 5}
    )["jobs"]
    assert (again["jobKey"], again["retries"]) == (job["jobKey"], 5)
    assert again["variables"] == {"scale": "new"}
    caller("completeJob", {"jobKey": job["jobKey"], "variables": {"kg": 1}})
    at(busy, order, "fill")


def at_once() -> dict[str, Any]:
    return {"consistency": {"waitUpToMs": 0}}


def only_a_job(key: str) -> dict[str, bytes]:
    definition = extended(f'<zeebe:taskDefinition type="{key}"/>')
    job = f'<serviceTask id="weigh">{definition}</serviceTask>'
    return in_a_row(key, "begin weigh over", weigh=job)
