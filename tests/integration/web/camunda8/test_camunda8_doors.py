"""What users of workers call: instances, messages, tasks, files; and who may."""

from __future__ import annotations

import io

import pytest

from mpms.domain.people.people import Role
from tests.support.camunda8 import Plant8, Program8, weighing8
from tests.support.drawings import in_a_row
from tests.support.site import browser_of

FORM = (
    b'{"id": "asks", "type": "default", "schemaVersion": 16, "components": ['
    b'{"type": "number", "key": "kg", "label": "kg", "validate": {"required": true}}]}'
)
TABLE = b"""<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/"
 id="rates" name="rates" namespace="urn:test"><decision id="rate" name="Rate">
 <decisionTable hitPolicy="UNIQUE"><output id="o" name="rate"/>
 <rule id="r"><outputEntry id="e"><text>1</text></outputEntry></rule>
 </decisionTable></decision></definitions>"""


def test_only_tokens_of_leaders_open_the_door(plant: Plant8) -> None:
    nobody = Program8(browser_of(plant.app()), None)
    status, title, told = nobody.refused("GET", "/topology")
    assert (status, title) == (401, "UNAUTHENTICATED")
    assert "Bearer" in told
    wrong = Program8(browser_of(plant.app()), "mpms_wrong")
    assert wrong.refused("GET", "/topology")[0] == 401
    assert plant.program8(Role.WORKER).refused("GET", "/topology")[0] == 403
    program = plant.program8()
    assert program("GET", "/topology", basic=True).status_code == 200
    program.does("GET", "/status")
    files = {"resources": (io.BytesIO(b"<x/>"), "x.bpmn")}
    assert program.refused("POST", "/deployments", data=files)[0] == 403


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/clock/reset"),
        ("GET", "/authentication/me"),
        ("POST", "/decision-definitions/evaluation"),
        ("DELETE", "/jobs/512"),
        ("GET", ""),
    ],
)
def test_what_is_not_offered_says_so(plant: Plant8, method: str, path: str) -> None:
    status, title, told = plant.program8().refused(method, path)
    assert (status, title) == (501, "NOT_IMPLEMENTED")
    assert f"{method} /v2{path or '/'}" in told


def test_a_key_of_another_kind_is_found_nowhere(plant: Plant8) -> None:
    plant.start("weighing8")
    program = plant.program8()
    (job,) = program.activate()
    instance = job["processInstanceKey"]
    for path in (
        f"/process-instances/{job['jobKey']}",
        f"/user-tasks/{instance}",
        f"/incidents/{instance}",
        f"/process-definitions/{instance}",
        "/process-instances/99999999999999999999",
        "/process-instances/abc",
    ):
        status, title, _ = program.refused("GET", path)
        assert (status, title) == (404, "NOT_FOUND"), path
    assert program.refused("POST", f"/jobs/{instance}/completion")[0] == 404
    assert program.found("process-instances", processInstanceKey=job["jobKey"]) == []


def test_instances_are_found_page_by_page(plant: Plant8) -> None:
    for number in range(5):
        plant.start_only("weighing8", business_key=f"K-{number}")
    plant.start_only("paid8", order="A")
    program = plant.program8()
    asked = {
        "filter": {"processDefinitionId": "weighing8", "state": "ACTIVE"},
        "sort": [{"field": "startDate", "order": "DESC"}],
        "page": {"limit": 2},
    }
    seen = []
    for _ in range(3):
        part = program.gives("POST", "/process-instances/search", asked)
        assert part["page"]["totalItems"] == 5
        seen += [one["businessId"] for one in part["items"]]
        asked |= {"page": {"limit": 2, "after": part["page"]["endCursor"]}}
    assert seen == ["K-4", "K-3", "K-2", "K-1", "K-0"]
    over = program.gives("POST", "/process-instances/search", asked)
    assert (over["items"], over["page"]["totalItems"]) == ([], 5)
    (one,) = program.found("process-instances", businessId={"$in": ["K-2", "K-9"]})
    assert one["businessId"] == "K-2"
    assert program.found("process-instances", state="COMPLETED") == []


def test_a_definition_is_found_and_read(plant: Plant8) -> None:
    plant.deploy_files(weighing8(topic="other"))
    program = plant.program8()
    old, new = program.found("process-definitions", processDefinitionId="weighing8")
    (latest,) = program.found(
        "process-definitions", processDefinitionId="weighing8", isLatestVersion=True
    )
    assert (old["version"], new["version"], latest) == (1, 2, new)
    at_new = f"/process-definitions/{new['processDefinitionKey']}"
    assert program.gives("GET", at_new) == new
    xml = program("GET", f"{at_new}/xml")
    assert b'type="other"' in xml.data
    made = program.gives(
        "POST",
        "/process-instances",
        {"processDefinitionId": "weighing8", "processDefinitionVersion": 1},
    )
    assert made["processDefinitionKey"] == old["processDefinitionKey"]
    lost = {"processDefinitionId": "no-such"}
    assert program.refused("POST", "/process-instances", lost)[0] == 404


def test_a_cancelled_instance_cannot_be_cancelled_again(plant: Plant8) -> None:
    plant.start("weighing8")
    program = plant.program8()
    (one,) = program.found("process-instances")
    at_one = f"/process-instances/{one['processInstanceKey']}"
    program.does("POST", f"{at_one}/cancellation")
    assert program.gives("GET", at_one)["state"] == "TERMINATED"
    assert program.refused("POST", f"{at_one}/cancellation")[0] == 404
    assert program.activate() == []


def test_an_instance_that_ends_at_once_gives_its_result(plant: Plant8) -> None:
    plant.deploy_files(in_a_row("short", "begin over"))
    asked = {
        "processDefinitionId": "short",
        "variables": {"a": 1, "b": 2},
        "awaitCompletion": True,
        "fetchVariables": ["b"],
    }
    made = plant.program8().gives("POST", "/process-instances", asked)
    assert made["variables"] == {"b": 2}


# -- messages --------------------------------------------------------------------------


def test_a_published_message_is_kept_for_its_time_only(plant: Plant8) -> None:
    program = plant.program8()
    for order, time_ms in (("A", 3_600_000), ("B", 3_600_000), ("C", 0)):
        asked = {"name": "paid", "correlationKey": order, "timeToLive": time_ms}
        program.gives("POST", "/messages/publication", asked)
    plant.rows("UPDATE messages SET expires_at = now() WHERE correlation = 'B'")
    waiting = [plant.start("paid8", order=order) for order in "ABC"]
    kept = [len(plant.told("caught", one)) for one in waiting]
    assert kept == [1, 0, 0]
    asked = {"name": "paid", "correlationKey": "B"}
    program.gives("POST", "/messages/publication", asked)
    plant.worker.settle()
    assert len(plant.told("caught", waiting[1])) == 1
    assert plant.rows("SELECT correlation FROM messages") == []


def test_a_message_with_the_same_id_counts_once(plant: Plant8) -> None:
    program = plant.program8()
    asked = {"name": "paid", "correlationKey": "A", "timeToLive": 60_000}
    asked |= {"messageId": "m-1"}
    first = program.gives("POST", "/messages/publication", asked)
    status, title, told = program.refused("POST", "/messages/publication", asked)
    assert (status, title) == (409, "ALREADY_EXISTS")
    assert "m-1" in told
    assert plant.rows("SELECT count(*) FROM messages") == [(1,)]
    plant.rows("UPDATE message_ids SET expires_at = now()")
    again = program.gives("POST", "/messages/publication", asked)
    assert again["messageKey"] != first["messageKey"]


def test_a_message_that_fits_several_is_correlated_with_none(plant: Plant8) -> None:
    for _ in range(2):
        plant.start("paid8", order="A")
    asked = {"name": "paid", "correlationKey": "A"}
    refused = plant.program8().refused("POST", "/messages/correlation", asked)
    assert refused[:2] == (409, "INVALID_STATE")


# -- work for people -------------------------------------------------------------------


def test_a_user_task_is_assigned_and_left_to_others(plant: Plant8) -> None:
    plant.deploy_files(in_a_row("asking", "begin ask over"))
    plant.start("asking", paint="red")
    plant.person("wilma", Role.WORKER)
    plant.person("paul", Role.WORKER)
    program = plant.program8()
    (task,) = program.found("user-tasks", processDefinitionId="asking")
    at_task = f"/user-tasks/{task['userTaskKey']}"
    assert task["assignee"] is None
    program.does("POST", f"{at_task}/assignment", {"assignee": "wilma"})
    (mine,) = program.found("user-tasks", assignee="wilma", state="CREATED")
    assert mine["userTaskKey"] == task["userTaskKey"]
    taken = {"assignee": "paul", "allowOverride": False}
    assert program.refused("POST", f"{at_task}/assignment", taken)[0] == 409
    program.does("POST", f"{at_task}/assignment", {"assignee": "paul"})
    assert program.gives("GET", at_task)["assignee"] == "paul"
    unknown = program.refused("POST", f"{at_task}/assignment", {"assignee": "x"})
    assert unknown[0] == 400
    program.does("DELETE", f"{at_task}/assignee")
    assert program.found("user-tasks", assignee="paul") == []
    (variable,) = program.found(f"user-tasks/{task['userTaskKey']}/variables")
    assert (variable["name"], variable["value"]) == ("paint", '"red"')
    program.does("POST", f"{at_task}/completion")
    assert program.refused("POST", f"{at_task}/completion")[0] == 404


def test_a_user_task_gets_other_dates_and_other_people(plant: Plant8) -> None:
    ask = '<userTask id="ask" camunda:candidateGroups="store,lab"/>'
    plant.deploy_files(in_a_row("asking", "begin ask over", ask=ask))
    plant.start("asking")
    program = plant.program8()
    (task,) = program.found("user-tasks")
    at_task = f"/user-tasks/{task['userTaskKey']}"

    def changed(**changeset: object) -> list[object]:
        program.does("PATCH", at_task, {"changeset": changeset, "action": "late"})
        words = ("dueDate", "followUpDate", "priority")
        now = program.gives("GET", at_task)
        return [now[word] for word in (*words, "candidateGroups", "candidateUsers")]

    due = "2031-05-01T10:00:00.000Z"
    assert changed(
        dueDate="2031-05-01T12:00:00+02:00", priority=0, candidateUsers=["w"]
    ) == [due, None, 0, ["store", "lab"], ["w"]]
    assert changed(followUpDate=due, candidateGroups=[]) == [due, due, 0, [], ["w"]]
    assert changed(dueDate="", followUpDate="") == [None, None, 0, [], ["w"]]
    assert changed() == [None, None, 0, [], ["w"]]
    for wrong in ({"dueDate": "soon"}, {"priority": 101}, {"name": "x"}):
        status, _, told = program.refused("PATCH", at_task, {"changeset": wrong})
        assert status == 400
        assert next(iter(wrong)) in told
    lines = plant.rows(
        "SELECT data FROM events WHERE kind = 'task offered' ORDER BY id"
    )
    assert [data["groups"] for (data,) in lines] == [
        ["store", "lab", "user:w"],
        ["user:w"],
    ]


def test_what_the_model_assigns_stays_assigned(plant: Plant8) -> None:
    ask = '<userTask id="ask" camunda:assignee="wilma"/>'
    plant.deploy_files(in_a_row("asking", "begin ask over", ask=ask))
    plant.start("asking")
    program = plant.program8()
    (task,) = program.found("user-tasks", assignee="wilma")
    refused = program.refused("DELETE", f"/user-tasks/{task['userTaskKey']}/assignee")
    assert refused[0] == 409
    assert "wilma" in refused[2]


def test_tasks_and_incidents_that_are_over_are_not_listed_in_silence(
    plant: Plant8,
) -> None:
    program = plant.program8()
    for path, state in (("user-tasks", "COMPLETED"), ("incidents", "RESOLVED")):
        asked = {"filter": {"state": state}}
        status, _, told = program.refused("POST", f"/{path}/search", asked)
        assert status == 501
        assert "/api/v1/events" in told


# -- files -----------------------------------------------------------------------------


def test_models_tables_and_forms_are_deployed_together(plant: Plant8) -> None:
    ask = '<userTask id="ask" camunda:formRef="asks"/>'
    model = in_a_row("asking", "begin ask over", ask=ask)["asking.bpmn"]
    program = plant.program8(Role.ADMIN)
    files = {
        "tenantId": "<default>",
        "resources": [
            (io.BytesIO(model), "asking.bpmn"),
            (io.BytesIO(FORM), "asks.form"),
            (io.BytesIO(TABLE), "rates.dmn"),
        ],
    }
    done = program.gives("POST", "/deployments", data=files)
    kinds = [next(k for k, v in one.items() if v) for one in done["deployments"]]
    assert kinds == [
        "processDefinition",
        "form",
        "decisionDefinition",
        "decisionRequirements",
    ]
    plant.start("asking")
    (task,) = program.found("user-tasks")
    at_task = f"/user-tasks/{task['userTaskKey']}"
    assert task["formKey"] == done["deployments"][1]["form"]["formKey"]
    assert '"kg"' in program.gives("GET", f"{at_task}/form")["schema"]
    status, _, told = program.refused("POST", f"{at_task}/completion")
    assert status == 400, told
    program.does("POST", f"{at_task}/completion", {"variables": {"kg": 2}})


def test_a_model_that_cannot_run_is_refused_with_the_reason(plant: Plant8) -> None:
    linked = weighing8(inside="<zeebe:linkedResources/>")["weighing8.bpmn"]
    files = {"resources": (io.BytesIO(linked), "weighing8.bpmn")}
    program = plant.program8(Role.ADMIN)
    status, title, told = program.refused("POST", "/deployments", data=files)
    assert (status, title) == (400, "INVALID_ARGUMENT")
    assert "linkedResources" in told
    for wrong in ({}, {"resources": (io.BytesIO(b"x"), "x.java")}):
        assert program.refused("POST", "/deployments", data=wrong)[0] == 400
