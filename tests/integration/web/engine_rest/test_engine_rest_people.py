"""Tasks of people over the API of Camunda 7: found, taken, filled in, by our rights."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mpms.domain.people.people import Role
from tests.support.drawings import draw
from tests.support.external_workers import ExternalWorker, ForeignPlant

FORM = {
    "id": "check",
    "type": "default",
    "schemaVersion": 16,
    "components": [
        {"type": "number", "key": "kg", "label": "Weight", "validate": {"min": 1}},
        {"type": "textfield", "key": "note", "label": "Note"},
    ],
}


def checking() -> dict[str, bytes]:
    """A form for the group paint; BAD is caught; then a task without a form."""
    return draw(
        "checking",
        '<startEvent id="begin"/><userTask id="check" name="Check paint"'
        ' camunda:formRef="check" camunda:formRefBinding="latest"'
        ' camunda:candidateGroups="paint"/>'
        '<boundaryEvent id="bad" attachedToRef="check">'
        '<errorEventDefinition errorRef="spoilt"/></boundaryEvent>'
        '<userTask id="sign" name="Sign"/><endEvent id="over"/><endEvent id="waste"/>',
        "begin check",
        "check sign",
        "sign over",
        "bad waste",
        declared='<error id="spoilt" name="Spoilt" errorCode="BAD"/>',
    ) | {"check.form": json.dumps(FORM).encode()}


@pytest.fixture
def leader(plant: ForeignPlant) -> ExternalWorker:
    plant.deploy_files(checking())
    return plant.outside()


def listed(asker: ExternalWorker, **query: Any) -> list[str]:
    """The same by query and by body, and as many as are counted."""
    answer = asker("GET", "/task", query_string=query)
    assert answer.status_code == 200, answer.text
    found = [one["id"] for one in answer.json]
    if not {"maxResults", "firstResult"} & set(query):
        assert [one["id"] for one in asker("POST", "/task", query).json] == found
        count = asker("GET", "/task/count", query_string=query).json
        assert count == {"count": len(found)}
    return found


def one(asker: ExternalWorker, instance_id: str) -> str:
    (found,) = listed(asker, processInstanceId=instance_id)
    return found


def test_tasks_are_found_by_what_is_known_of_them(
    plant: ForeignPlant, leader: ExternalWorker
) -> None:
    first, second = plant.start("checking", "K-1", kg=1), plant.start("checking", "K-2")
    a, b = one(leader, first), one(leader, second)
    assert listed(leader, sortBy="created", sortOrder="desc") == [b, a]
    assert listed(leader, maxResults=1, firstResult=1, sortBy="created") == [b]
    for query in (
        {"processInstanceBusinessKey": "K-1"},
        {"processInstanceBusinessKeyLike": "%-1"},
        {"processInstanceBusinessKey": "K-1", "taskDefinitionKey": "check"},
        {"taskId": a, "name": "Check paint", "nameLike": "Check%"},
        {"processInstanceIdIn": [first], "processDefinitionKey": "checking"},
        {"candidateGroup": "PAINT", "processInstanceId": first},
        {"unassigned": True, "processInstanceId": first, "active": True},
    ):
        by_body = leader("POST", "/task", query).json
        assert [task["id"] for task in by_body] == [a], query
    equal = [{"name": "kg", "operator": "eq", "value": 1}]
    found = leader("POST", "/task", {"processVariables": equal}).json
    assert [task["id"] for task in found] == [a]
    for query in (
        {"assignee": "anna"},
        {"candidateGroups": "other,more"},
        {"taskDefinitionKey": "sign"},
        {"suspended": "true"},
        {"createdBefore": "2020-01-01T00:00:00.000+0000"},
        {"processDefinitionId": "checking:9:9"},
    ):
        assert listed(leader, **query) == [], query
    shown = leader("GET", f"/task/{a}").json
    assert (shown["name"], shown["taskDefinitionKey"]) == ("Check paint", "check")
    assert shown["processDefinitionId"].startswith("checking:1:")
    assert shown["camundaFormRef"]["key"] == "check"
    for wrong in ({"sortBy": "colour"}, {"colour": "red"}, {"createdAfter": "soon"}):
        assert leader("GET", "/task", query_string=wrong).status_code == 400, wrong
    assert leader("GET", "/task/nonsense").status_code == 404


def test_a_task_is_taken_given_away_and_given_back(
    plant: ForeignPlant, leader: ExternalWorker
) -> None:
    plant.person("anna", Role.WORKER, groups=["paint"])
    task = one(leader, plant.start("checking"))
    assert leader("POST", f"/task/{task}/claim", {"userId": "anna"}).status_code == 204
    assert listed(leader, assignee="anna") == [task]
    assert listed(leader, candidateGroup="paint") == []
    assert listed(leader, candidateGroup="paint", includeAssignedTasks="true") == [task]
    mine = leader("POST", f"/task/{task}/claim", {})
    assert (mine.status_code, mine.json["type"]) == (500, "TaskAlreadyClaimedException")
    gone = leader("POST", f"/task/{task}/assignee", {"userId": "nobody"})
    assert gone.json["message"] == "There is no person with the login nobody."
    assert leader("POST", f"/task/{task}/unclaim").status_code == 204
    assert listed(leader, candidateUser="anna") == [task]
    assert leader("POST", f"/task/{task}/assignee", {"userId": None}).status_code == 204
    assert plant.told("task claimed")[-1][1] == {"assigned_by": "api:robot-supervisor"}


def test_a_form_is_filled_in_with_what_it_asks_for(
    plant: ForeignPlant, leader: ExternalWorker
) -> None:
    order = plant.start("checking", colour="red", parts=[1])
    task = one(leader, order)
    seen = leader("GET", f"/task/{task}/form-variables").json
    assert seen["colour"] == {"value": "red", "type": "String", "valueInfo": {}}
    assert leader("GET", f"/task/{task}/variables/parts").json["value"] == "[1]"
    assert leader("GET", f"/task/{task}/deployed-form").json["id"] == "check"
    assert leader("GET", f"/task/{task}/form").json["camundaFormRef"]["key"] == "check"
    path = f"/task/{task}/submit-form"
    small = leader("POST", path, {"variables": {"kg": {"value": 0}}})
    assert small.status_code == 400
    more = leader("POST", path, {"variables": {"kg": {"value": 2}, "x": {"value": 1}}})
    assert "does not ask for x." in more.json["message"]
    given = {"kg": {"value": 2, "type": "Integer"}, "colour": seen["colour"]}
    back = leader("POST", path, {"variables": given, "withVariablesInReturn": True})
    assert back.json["kg"]["value"] == 2
    assert leader("POST", path, {"variables": given}).status_code == 204, "once more"
    sign = one(leader, order)
    assert leader("GET", f"/task/{sign}/deployed-form").status_code == 404
    free = {"variables": {"signed": {"value": True, "type": "Boolean"}}}
    assert leader("POST", f"/task/{sign}/complete", free).status_code == 204
    assert plant.variables(order)["signed"] is True
    assert leader("POST", "/task/nonsense/complete", {}).status_code == 404


def test_a_problem_goes_the_way_the_model_has_for_it(
    plant: ForeignPlant, leader: ExternalWorker
) -> None:
    order = plant.start("checking")
    task = one(leader, order)
    path = f"/task/{task}/bpmnError"
    assert leader("POST", path, {"errorCode": "UNHEARD"}).status_code == 400
    assert leader("POST", path, {"errorCode": "BAD"}).status_code == 204
    (past,) = leader(
        "GET", f"/history/process-instance?processInstanceIds={order}"
    ).json
    assert past["state"] == "COMPLETED"
    assert leader("POST", path, {"errorCode": "BAD"}).status_code == 404


def test_others_than_leaders_see_and_do_what_is_theirs(
    plant: ForeignPlant, leader: ExternalWorker
) -> None:
    order = plant.start("checking")
    task, doer = one(leader, order), plant.outside(role=Role.WORKER)
    assert listed(doer) == []
    for method, path in (
        ("GET", f"/task/{task}"),
        ("POST", f"/task/{task}/claim"),
        ("POST", f"/task/{task}/complete"),
        ("POST", f"/task/{task}/bpmnError"),
    ):
        body = {"errorCode": "BAD"} if path.endswith("Error") else None
        assert doer(method, path, body).status_code == 403, path
    leader("POST", f"/task/{task}/complete", {"variables": {"kg": {"value": 2}}})
    (mine,) = listed(doer)
    away = doer("POST", f"/task/{mine}/claim", {"userId": "anna"})
    assert (away.status_code, away.json["type"]) == (403, "AuthorizationException")
    assert doer("POST", f"/task/{mine}/claim").status_code == 204
    free = {"variables": {"signed": {"value": True}}}
    assert doer("POST", f"/task/{mine}/complete", free).status_code == 400
    assert doer("POST", f"/task/{mine}/complete", {}).status_code == 204
    assert plant.outside(role=Role.VIEWER)("GET", "/task").status_code == 403


def test_what_stands_still_cannot_be_completed(
    plant: ForeignPlant, leader: ExternalWorker
) -> None:
    order = plant.start("checking")
    task = one(leader, order)
    stop = leader("PUT", f"/process-instance/{order}/suspended", {"suspended": True})
    assert stop.status_code == 204
    assert listed(leader, suspended="true") == [task]
    answer = leader("POST", f"/task/{task}/complete", {"variables": {}})
    assert answer.status_code == 500
    assert answer.json["type"] == "SuspendedEntityInteractionException"
