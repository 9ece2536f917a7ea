"""External tasks are found and counted as clients of Camunda 7 ask for them."""

from __future__ import annotations

from typing import Any

import pytest

from mpms.domain.external_tasks import foreign
from mpms.services.workers.served_topics import served_topics
from mpms.services.workers.watch_topics import WatchTopics
from tests.support.external_workers import TOPIC, ForeignPlant, weighing


@pytest.fixture
def orders(plant: ForeignPlant) -> dict[str, str]:
    """One locked, one that came to nothing, one that nobody has touched."""
    plant.deploy_files(weighing("other"))
    found = {name: plant.start("weighing", name) for name in ("locked", "failed")}
    worker = plant.outside("w1")
    failed = next(task for task in worker.fetch() if task["businessKey"] == "failed")
    worker.done(failed, "failure", errorMessage="no")
    return found | {"free": plant.start("other", "free")}


def test_tasks_are_found_by_what_clients_ask_for(
    plant: ForeignPlant, orders: dict[str, str]
) -> None:
    worker = plant.outside()

    def found(**asked: Any) -> list[str]:
        listed = worker("GET", "/external-task", query_string=asked)
        assert listed.status_code == 200, listed.text
        counted = worker("GET", "/external-task/count", query_string=asked)
        posted = worker("POST", "/external-task", asked)
        assert posted.json == listed.json
        assert counted.json == {"count": len(listed.json)}
        assert worker("POST", "/external-task/count", asked).json == counted.json
        return [task["businessKey"] for task in listed.json]

    assert found() == ["locked", "failed", "free"]
    assert found(topicName=TOPIC) == ["locked", "failed", "free"]
    assert found(topicName="x") == []
    assert found(workerId="w1") == ["locked"]
    assert found(workerId="w2") == []
    assert found(locked="true") == ["locked"]
    assert found(notLocked="true") == ["failed", "free"]
    assert found(withRetriesLeft="true") == ["locked", "free"]
    assert found(noRetriesLeft="true") == ["failed"]
    assert found(processInstanceId=orders["free"]) == ["free"]
    assert found(processInstanceId="nonsense") == []
    assert found(processDefinitionKey="other") == ["free"]
    assert found(activityId="weigh", sortBy="createTime", sortOrder="desc") == [
        "free",
        "failed",
        "locked",
    ]
    first = worker("GET", "/external-task").json[0]["id"]
    assert found(externalTaskId=first) == ["locked"]
    assert found(externalTaskIdIn=f"{first},x") == ["locked"]


def test_a_list_is_read_page_by_page(
    plant: ForeignPlant, orders: dict[str, str]
) -> None:
    worker = plant.outside()
    some = {"firstResult": 1, "maxResults": 1}
    for answer in (
        worker("GET", "/external-task", query_string=some),
        worker("POST", "/external-task", {}, query_string=some),
    ):
        assert [task["businessKey"] for task in answer.json] == ["failed"]


def test_topics_with_work_are_named(
    plant: ForeignPlant, orders: dict[str, str]
) -> None:
    assert plant.outside()("GET", "/external-task/topic-names").json == [TOPIC]


@pytest.mark.parametrize(
    "asked",
    [
        {"tenantIdIn": "x"},
        {"sortBy": "lockExpirationTime"},
        {"locked": "true", "notLocked": "true"},
        {"maxResults": "many"},
    ],
)
def test_a_filter_that_is_not_looked_at_is_refused(
    plant: ForeignPlant, asked: dict[str, str]
) -> None:
    answer = plant.outside()("GET", "/external-task", query_string=asked)
    assert answer.status_code == 400
    assert answer.json["message"]


def served(plant: ForeignPlant) -> frozenset[str]:
    with plant.uow() as tx:
        return served_topics(tx) or frozenset()


def test_a_topic_is_served_while_somebody_asks_for_it(plant: ForeignPlant) -> None:
    plant.worker.turn()
    assert TOPIC not in served(plant)
    plant.outside().fetch()
    assert TOPIC in served(plant)
    plant.rows("UPDATE fetched_topics SET seen_at = now() - interval '4 minutes'")
    assert TOPIC not in served(plant)
    plant.outside().fetch()
    assert TOPIC in served(plant)
    assert plant.rows("SELECT topic, worker FROM fetched_topics") == [
        (TOPIC, foreign("w1"))
    ]


def test_who_has_not_asked_for_a_day_is_forgotten(plant: ForeignPlant) -> None:
    plant.outside("old").fetch()
    plant.rows("UPDATE fetched_topics SET seen_at = now() - interval '25 hours'")
    plant.outside("new").fetch()
    assert plant.rows("SELECT worker FROM fetched_topics") == [(foreign("new"),)]


def test_nobody_works_on_it_is_over_when_a_client_asks(plant: ForeignPlant) -> None:
    """Neither does it begin while one does."""
    now_s = 0.0
    watch = WatchTopics(plant.uow, 60.0, lambda: now_s)
    plant.start("weighing")

    def later() -> int:
        nonlocal now_s
        now_s += 61.0
        plant.worker.turn()
        watch()
        return len(plant.incidents())

    plant.outside().fetch("something else")
    assert [later(), later()] == [0, 1]
    plant.outside().fetch()
    assert [later(), later()] == [0, 0]
