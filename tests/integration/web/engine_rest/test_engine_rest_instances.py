"""Instances, their history, incidents and models over the API of Camunda 7."""

from __future__ import annotations

from typing import Any

import pytest

from mpms.domain.errors import InstanceBusy
from mpms.domain.people.people import Role
from mpms.services.external_tasks.complete import complete_task
from mpms.web.engine_rest import external_tasks, histories
from tests.support.drawings import draw
from tests.support.external_workers import ExternalWorker, ForeignPlant, weighing


@pytest.fixture
def leader(plant: ForeignPlant) -> ExternalWorker:
    return plant.outside()


def ids(asker: ExternalWorker, path: str, **query: Any) -> list[str]:
    """The same by query and by body, and as many as are counted."""
    answer = asker("GET", path, query_string=query)
    assert answer.status_code == 200, answer.text
    found = [one["id"] for one in answer.json]
    assert [one["id"] for one in asker("POST", path, query).json] == found, query
    assert asker("GET", path + "/count", query_string=query).json == {
        "count": len(found)
    }
    return found


def ok(asker: ExternalWorker, method: str, path: str, body: Any = None) -> Any:
    answer = asker(method, path, body)
    assert answer.status_code in (200, 204), answer.text
    return answer.json if answer.data else None


def test_instances_are_found_as_long_as_they_run_and_as_history(
    plant: ForeignPlant, leader: ExternalWorker
) -> None:
    live, past = "/process-instance", "/history/process-instance"
    a = plant.start("weighing", business_key="K-1", kg=1)
    b = plant.start("weighing", business_key="K-2")
    assert ids(leader, live, sortBy="businessKey", sortOrder="desc") == [b, a]
    assert ids(leader, live, businessKey="K-1") == [a]
    assert ids(leader, live, businessKeyLike="K-%", processInstanceIds=b) == [b]
    assert ids(leader, live, variables="kg_eq_1") == []  # a query's values are texts
    same = [{"name": "kg", "operator": "eq", "value": 1}]
    assert [i["id"] for i in ok(leader, "POST", live, {"variables": same})] == [a]
    ok(leader, "DELETE", f"{live}/{b}")
    assert ids(leader, live) == [a]
    assert leader("GET", f"{live}/{b}").status_code == 404
    assert leader("DELETE", f"{live}/{b}").status_code == 404
    assert leader("DELETE", f"{live}/nonsense?failIfNotExists=false").status_code == 204
    assert ids(leader, past, sortBy="startTime", sortOrder="asc") == [a, b]
    assert ids(leader, past, finished="true") == [b]
    assert ids(leader, past, unfinished="true", processDefinitionKey="weighing") == [a]
    assert ids(leader, past, externallyTerminated="true") == [b]
    assert ids(leader, past, processInstanceBusinessKey="K-2") == [b]
    assert ids(leader, past, startedBefore="2020-01-01T00:00:00.000+0000") == []
    assert ids(leader, past, finishedAfter="2020-01-01T00:00:00.000+0000") == [b]
    shown = ok(leader, "GET", f"{past}/{b}")
    assert (shown["state"], shown["businessKey"]) == ("EXTERNALLY_TERMINATED", "K-2")
    assert shown["durationInMillis"] >= 0
    assert ok(plant.outside(role=Role.VIEWER), "GET", f"{past}/{b}") == shown
    assert plant.outside(role=Role.VIEWER)("DELETE", f"{live}/{a}").status_code == 403
    for wrong in ({"variables": "kg_gt_1"}, {"variables": "kg"}, {"sortBy": "x"}):
        assert leader("GET", live, query_string=wrong).status_code == 400, wrong


def test_variables_and_standing_still_are_changed(
    plant: ForeignPlant, leader: ExternalWorker
) -> None:
    order = plant.start("weighing", kg=1, old=2)
    home = f"/process-instance/{order}"
    ok(leader, "PUT", f"{home}/variables/at", {"value": "x", "type": "String"})
    typed = {"kg": {"value": 3, "type": "Long"}}
    change = {"modifications": typed, "deletions": ["old"]}
    ok(leader, "POST", f"{home}/variables", change)
    assert plant.variables(order) == {"kg": 3, "at": "x"}
    assert ok(leader, "GET", f"{home}/variables")["kg"]["value"] == 3
    assert ok(leader, "GET", f"{home}/variables/at")["type"] == "String"
    ok(leader, "DELETE", f"{home}/variables/at")
    assert leader("GET", f"{home}/variables/at").status_code == 404
    for _ in range(2):
        ok(leader, "PUT", f"{home}/suspended", {"suspended": True})
    assert ids(leader, "/process-instance", suspended="true") == [order]
    ok(leader, "PUT", f"{home}/suspended", {"suspended": False})
    tree = ok(leader, "GET", f"{home}/activity-instances")
    (child,) = tree["childActivityInstances"]
    assert (child["activityId"], child["activityType"]) == ("weigh", "serviceTask")
    (variable,) = ok(leader, "GET", f"/variable-instance?processInstanceIdIn={order}")
    assert (variable["name"], variable["value"]) == ("kg", 3)


def test_history_tells_where_an_instance_has_been(
    plant: ForeignPlant, leader: ExternalWorker
) -> None:
    order = plant.start("weighing", business_key="K-1")
    (task,) = leader.fetch()
    leader.done(task, "complete", variables={"kg": {"value": 5}})
    (form,) = plant.forms(order)
    path = "/history/activity-instance"
    seen = ok(leader, "GET", f"{path}?processInstanceId={order}&sortBy=startTime")
    assert [one["activityId"] for one in seen] == ["begin", "weigh", "fill"]
    assert [one["endTime"] is None for one in seen] == [False, False, True]
    assert ids(leader, path, processInstanceId=order, unfinished="true") == [
        form.task_id
    ]
    assert ids(leader, path, processInstanceId=order, activityType="serviceTask") == [
        task["id"]
    ]
    assert ids(leader, "/history/task", processInstanceBusinessKey="K-1") == [
        form.task_id
    ]
    ok(leader, "POST", f"/task/{form.task_id}/complete", {})
    (done,) = ok(
        leader, "GET", f"/history/task?processInstanceId={order}&finished=true"
    )
    assert (done["deleteReason"], done["assignee"]) == (
        "completed",
        "api:robot-supervisor",
    )
    values = "/history/variable-instance"
    (kg,) = ok(
        leader, "GET", f"{values}?processInstanceId={order}&variableNameLike=k%25"
    )
    assert (kg["name"], kg["value"], kg["processInstanceId"]) == ("kg", 5, order)


LONG_AGO = "2020-01-01T00:00:00.000+0000"


def test_history_of_many_instances_is_found_by_what_is_asked_for_most(
    plant: ForeignPlant, leader: ExternalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = (plant.start("weighing") for _ in "ab")
    for task in leader.fetch():
        leader.done(task, "complete")
    plant.person("anna", Role.SUPERVISOR)
    ((done,), (open_,)) = plant.forms(a), plant.forms(b)
    ok(leader, "POST", f"/task/{open_.task_id}/claim", {"userId": "anna"})
    ok(leader, "POST", f"/task/{done.task_id}/complete", {})
    tasks, activities = "/history/task", "/history/activity-instance"
    by_key = {"processDefinitionKey": "weighing", "sortBy": "startTime"}
    assert ids(leader, tasks, **by_key) == [done.task_id, open_.task_id]
    assert ids(leader, tasks, taskAssignee="api:robot-supervisor") == [done.task_id]
    assert ids(leader, tasks, taskAssignee="anna") == [open_.task_id]
    assert ids(leader, tasks, taskId=done.task_id) == [done.task_id]
    assert ids(leader, tasks, taskId=done.task_id, processInstanceId=b) == []
    assert ids(leader, tasks, unfinished="true") == [open_.task_id]
    assert ids(leader, tasks, finishedAfter=LONG_AGO) == [done.task_id]
    assert ids(leader, tasks, finishedBefore=LONG_AGO) == []
    assert ids(leader, activities, activityId="fill", canceled="true") == []
    assert ids(leader, activities, activityInstanceId=open_.task_id) == [open_.task_id]
    assert ids(leader, activities, processDefinitionKeyIn="other") == []
    monkeypatch.setattr(histories, "MOST_INSTANCES", 1)
    assert ids(leader, tasks, processInstanceId=a) == [done.task_id]
    for path in (tasks, activities, "/history/variable-instance"):
        refused = leader("GET", path, query_string=by_key | {"sortBy": ""})
        assert refused.status_code == 400
        assert refused.json["message"].startswith("2 process instances would have")


def test_incidents_are_listed_and_their_jobs_go_on(
    plant: ForeignPlant, leader: ExternalWorker
) -> None:
    order = plant.start("weighing")
    (task,) = leader.fetch()
    found_out = {"weight": {"value": 7, "type": "Integer"}}
    leader.done(
        task,
        "failure",
        errorMessage="no scale",
        retries=1,
        variables=found_out,
        localVariables={"tried": {"value": "A"}},
    )
    assert plant.variables(order) == {"weight": 7}
    (task,) = leader.fetch()
    assert task["variables"]["weight"]["value"] == 7
    assert task["variables"]["tried"]["value"] == "A"
    leader.done(task, "failure", errorMessage="no scale", retries=0)
    (ident,) = ids(leader, "/incident", processInstanceId=order)
    shown = ok(leader, "GET", f"/incident/{ident}")
    assert (shown["incidentType"], shown["activityId"]) == (
        "failedExternalTask",
        "weigh",
    )
    assert ids(leader, "/incident", incidentType="failedExternalTask") == [ident]
    assert ids(leader, "/incident", incidentMessageLike="%scale%") == [ident]
    assert ids(leader, "/incident", processDefinitionKeyIn="other") == []
    assert ids(leader, "/process-instance", withIncident="true") == [order]
    assert leader("DELETE", f"/incident/{ident}").status_code == 400, "it waits"
    ok(leader, "PUT", f"/job/{shown['configuration']}/retries", {"retries": 1})
    assert ids(leader, "/incident") == []
    assert ids(leader, "/history/incident", resolved="true") == [ident]
    (task,) = leader.fetch()
    leader.done(task, "complete")
    assert plant.at(order) == "fill"


def test_models_are_listed_read_and_started_in_any_version(
    plant: ForeignPlant, leader: ExternalWorker
) -> None:
    path = "/process-definition"
    plant.deploy_files(weighing(inside="<documentation>new</documentation>"))
    first, second = ids(leader, path, sortBy="version")
    assert ids(leader, path, latestVersion="true", key="weighing") == [second]
    assert ids(leader, path, keyLike="wei%", version=1) == [first]
    latest = ok(leader, "GET", f"{path}/key/weighing")
    assert (latest["id"], latest["version"]) == (second, 2)
    assert "documentation" in ok(leader, "GET", f"{path}/key/weighing/xml")["bpmn20Xml"]
    assert "documentation" not in ok(leader, "GET", f"{path}/{first}/xml")["bpmn20Xml"]
    started = ok(leader, "POST", f"{path}/{first}/start", {"businessKey": "K-1"})
    assert (started["definitionId"], started["businessKey"]) == (first, "K-1")
    assert leader("POST", f"{path}/weighing:9:1/start", {}).status_code == 404
    new, old = ids(leader, "/deployment")
    assert ok(leader, "GET", f"/deployment/{new}")["id"] == latest["deploymentId"]
    assert ids(leader, "/deployment", sortBy="deploymentTime") == [old, new]
    assert leader("GET", "/deployment/1").status_code == 404


def test_a_message_is_correlated_by_variables_of_the_instance(
    plant: ForeignPlant, leader: ExternalWorker
) -> None:
    plant.deploy_files(
        draw(
            "order",
            '<startEvent id="begin"/><receiveTask id="wait" messageRef="paid"/>'
            '<userTask id="sign"/><endEvent id="over"/>',
            "begin wait",
            "wait sign",
            "sign over",
            declared='<message id="paid" name="paid"/>',
        )
    )
    plant.start("order", customer="A", number=1)
    second = plant.start("order", customer="A", number=2)
    keys = {"customer": {"value": "A"}, "number": {"value": 2, "type": "Integer"}}

    def send(**said: Any) -> Any:
        return leader("POST", "/message", {"messageName": "paid", **said})

    several = send(correlationKeys={"customer": {"value": "A"}})
    assert several.json["type"] == "MismatchingMessageCorrelationException"
    nobody = send(correlationKeys=keys | {"number": {"value": 3}})
    assert "customer, number" in nobody.json["message"]
    sent = send(correlationKeys=keys, resultEnabled=True)
    assert sent.json[0]["execution"]["processInstanceId"] == second
    plant.worker.settle()
    assert plant.at(second) == "sign"


def test_an_instance_that_others_change_is_waited_for(
    plant: ForeignPlant, leader: ExternalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as the door does; then the client hears when to ask again."""
    order = plant.start("weighing")
    (task,) = leader.fetch()
    busy = iter([True, True, False, *[True] * 9])

    def settle(*given: Any, **more: Any) -> None:
        if next(busy):
            raise InstanceBusy
        complete_task(*given, **more)

    monkeypatch.setattr(external_tasks, "complete_task", settle)
    leader.done(task, "complete")
    assert plant.at(order) == "fill"
    answer = leader.does(task, "complete")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
