"""Workers for Camunda 7 fetch, complete, fail, throw and lock, without a socket."""

from __future__ import annotations

from typing import Any

import pytest

from mpms.services.tasks.submit import submit_form
from tests.support.external_workers import TOPIC, ForeignPlant, weighing

UNKNOWN = "00000000-0000-4000-8000-000000000000"
DETAILS = "line 1\nline 2"


def test_fetched_work_is_completed_with_variables(plant: ForeignPlant) -> None:
    order = plant.start("weighing", "K-1", paint="red", kg=2.5, lot=None)
    worker = plant.outside()
    (task,) = worker.fetch()
    assert task["topicName"] == TOPIC
    assert task["workerId"] == "w1"
    assert task["processInstanceId"] == order
    assert task["processDefinitionKey"] == "weighing"
    assert task["processDefinitionId"].startswith("weighing:1:")
    assert (task["businessKey"], task["activityId"]) == ("K-1", "weigh")
    assert (task["retries"], task["errorMessage"]) == (None, None)
    assert task["lockExpirationTime"].endswith("+0000")
    assert task["variables"] == {
        "paint": {"value": "red", "type": "String", "valueInfo": {}},
        "kg": {"value": 2.5, "type": "Double", "valueInfo": {}},
        "lot": {"value": None, "type": "Null", "valueInfo": {}},
    }
    worker.done(task, "complete", variables={"kg": {"value": 3, "type": "Integer"}})
    assert plant.at(order) == "fill"
    assert plant.variables(order) == {"paint": "red", "kg": 3, "lot": None}
    assert ("api:robot-supervisor", {"name": "kg", "new": 3, "old": 2.5}) in (
        plant.told("variable", order)
    )


def test_locked_work_is_given_to_nobody_else(plant: ForeignPlant) -> None:
    for _ in range(3):
        plant.start("weighing")
    one, two = plant.outside("w1"), plant.outside("w2")
    mine, theirs = one.fetch(most=2), two.fetch(most=2)
    assert (len(mine), len(theirs)) == (2, 1)
    assert not {task["id"] for task in mine} & {task["id"] for task in theirs}
    assert one.fetch() == two.fetch() == []


def test_a_lock_that_ran_out_still_completes_until_another_takes_it(
    plant: ForeignPlant,
) -> None:
    first, second = plant.start("weighing"), plant.start("weighing")
    one, two = plant.outside("w1"), plant.outside("w2")
    kept, lost = one.fetch()
    plant.run_out()
    one.done(kept, "complete")
    (taken,) = two.fetch()
    assert taken["id"] == lost["id"]
    for what, said in (
        ("complete", {}),
        ("failure", {}),
        ("bpmnError", {"errorCode": "X"}),
    ):
        status, words = one.refused(lost, what, **said)
        assert status == 400
        assert words.endswith("is not worker 'w1''s: the last to lock it was 'w2'.")
    two.done(taken, "complete")
    assert [plant.at(first), plant.at(second)] == ["fill", "fill"]


def test_what_is_unknown_or_done_is_not_found(plant: ForeignPlant) -> None:
    plant.start("weighing")
    worker = plant.outside()
    (task,) = worker.fetch()
    worker.done(task, "complete")
    for gone in (task["id"], UNKNOWN, "no-such-id", "a%20b"):
        for what, said in (
            ("complete", {}),
            ("failure", {"retries": 1}),
            ("bpmnError", {"errorCode": "X"}),
            ("extendLock", {"newDuration": 1000}),
            ("lock", {"lockDuration": 1000}),
        ):
            status, words = worker.refused(gone, what, **said)
            assert status == 404, (gone, what)
            assert "There is no external task" in words
        for path in ("", "/errorDetails"):
            assert worker("GET", f"/external-task/{gone}{path}").status_code == 404


def test_a_failure_is_tried_again_later_and_tells_why(plant: ForeignPlant) -> None:
    order = plant.start("weighing")
    worker = plant.outside()
    (task,) = worker.fetch()
    said = {"errorMessage": "no scale", "errorDetails": DETAILS, "retries": 2}
    worker.done(task, "failure", **said, retryTimeout=60_000)
    assert worker.fetch() == []
    shown = worker("GET", f"/external-task/{task['id']}").json
    assert (shown["retries"], shown["errorMessage"]) == (2, "no scale")
    assert (shown["workerId"], shown["lockExpirationTime"]) == (None, None)
    details = worker("GET", f"/external-task/{task['id']}/errorDetails")
    assert (details.text, details.mimetype) == (DETAILS, "text/plain")
    assert plant.incidents() == []
    assert plant.told("job failed", order)[0][1]["again_in_s"] == 60
    plant.due_now()
    (again,) = worker.fetch()
    assert (again["id"], again["retries"]) == (task["id"], 2)
    assert (again["errorMessage"], again["errorDetails"]) == ("no scale", DETAILS)


def test_without_retries_a_failure_is_an_incident_until_somebody_gives_more(
    plant: ForeignPlant,
) -> None:
    order = plant.start("weighing")
    worker = plant.outside()
    (task,) = worker.fetch()
    worker.done(task, "failure", errorMessage="scale broken", retries=0)
    (incident,) = plant.incidents()
    assert (incident.kind, incident.instance_id) == ("job", order)
    assert "scale broken" in incident.message
    assert worker.fetch() == []
    shown = worker("GET", f"/external-task/{task['id']}").json
    assert (shown["retries"], shown["errorMessage"]) == (0, "scale broken")
    assert "it has no retries left" in worker.refused(task, "complete")[1]
    retries = f"/external-task/{task['id']}/retries"
    assert worker("PUT", retries, {"retries": 3}).status_code == 204
    assert plant.incidents() == []
    (again,) = worker.fetch()
    assert (again["id"], again["retries"]) == (task["id"], 3)
    assert worker("PUT", retries, {"retries": 0}).status_code == 204
    assert len(plant.incidents()) == 1
    assert worker("PUT", retries, {"retries": -1}).status_code == 400


def test_an_operator_who_retries_the_incident_begins_anew(plant: ForeignPlant) -> None:
    plant.start("weighing")
    worker = plant.outside()
    (task,) = worker.fetch()
    worker.done(task, "failure", errorMessage="broken", errorDetails=DETAILS)
    (incident,) = plant.incidents()
    plant.program().post(f"/incidents/{incident.id}/retry", {"reason": "mended"})
    (again,) = worker.fetch()
    assert (again["id"], again["retries"]) == (task["id"], None)
    answer = worker("GET", f"/external-task/{task['id']}/errorDetails")
    assert answer.status_code == 204


def test_the_model_catches_an_error_and_the_variables_that_come_with_it(
    plant: ForeignPlant,
) -> None:
    order = plant.start("weighing")
    worker = plant.outside()
    (task,) = worker.fetch()
    kg = {"value": 90, "type": "Integer"}
    said = {"errorCode": "TOO_HEAVY", "errorMessage": "90 kg", "variables": {"kg": kg}}
    worker.done(task, "bpmnError", **said)
    assert plant.at(order) == "split"
    assert plant.variables(order) == {"kg": 90, "told": "90 kg"}
    assert plant.incidents() == []


def test_an_error_that_the_model_does_not_catch_is_an_incident(
    plant: ForeignPlant,
) -> None:
    order = plant.start("weighing", kg=1)
    worker = plant.outside()
    (task,) = worker.fetch()
    kg = {"value": 90, "type": "Integer"}
    worker.done(task, "bpmnError", errorCode="FIRE", variables={"kg": kg})
    (incident,) = plant.incidents()
    assert (incident.kind, incident.element) == ("job", "weigh")
    assert "FIRE" in incident.message
    assert plant.variables(order) == {"kg": 1}, "nothing else was changed"
    assert worker.fetch() == []


def test_locks_are_lengthened_given_back_and_taken_one_by_one(
    plant: ForeignPlant,
) -> None:
    plant.start("weighing")
    one, two = plant.outside("w1"), plant.outside("w2")
    (task,) = one.fetch(lock_ms=1000)
    one.done(task, "extendLock", newDuration=3_600_000)
    (left_s,) = plant.rows("SELECT extract(epoch FROM lease_until - now()) FROM jobs")[
        0
    ]
    assert 3000 < left_s < 3700
    assert two.refused(task, "extendLock", newDuration=1000)[0] == 400
    assert two.refused(task, "lock", lockDuration=1000)[0] == 400
    one.done(task, "lock", lockDuration=1000)
    assert two("POST", f"/external-task/{task['id']}/unlock").status_code == 204
    two.done(task, "lock", lockDuration=60_000)
    assert one.refused(task, "complete")[0] == 400
    plant.run_out()
    status, words = two.refused(task, "extendLock", newDuration=1000)
    assert (status, "has run out" in words) == (400, True)
    one.done(task, "lock", lockDuration=1000)
    assert two("POST", f"/external-task/{task['id']}/unlock", {}).status_code == 204
    assert len(two.fetch()) == 1


def test_what_a_worker_of_ours_runs_is_not_unlocked(plant: ForeignPlant) -> None:
    plant.start("weighing")
    with plant.uow() as tx:
        (job,) = tx.jobs.claim_outside([TOPIC], worker="w1", lease_s=60, limit=1)
    worker = plant.outside("w1")
    assert worker.fetch() == []
    assert worker.refused(job.task_id, "complete")[0] == 400
    answer = worker("POST", f"/external-task/{job.task_id}/unlock")
    assert answer.status_code == 400
    assert "is run by a worker of MPMS itself" in answer.json["message"]


def test_a_handler_of_ours_goes_on_where_a_vanished_worker_stopped(
    plant: ForeignPlant,
) -> None:
    plant.deploy()
    plant.start_only("papers")
    plant.submit(plant.forms()[0].task_id, {})
    assert len(plant.forms()) == 1, "it is printed, and to be filed"
    plant.trouble = "no paper"
    plant.start_only("papers", business_key="K-2")
    look = next(form for form in plant.forms() if form.element == "look")
    submit_form(plant.uow, plant.advance, look.task_id, {}, by="ada")
    (task,) = plant.outside().fetch("print")
    plant.run_out()
    plant.worker.settle()
    assert (
        plant.told("job failed", task["processInstanceId"])[0][1]["error"] == "no paper"
    )
    plant.trouble = None
    plant.due_now()
    assert {form.element for form in plant.forms()} == {"file"}


def test_what_is_suspended_is_not_fetched_and_hears_of_results_later(
    plant: ForeignPlant,
) -> None:
    worker, program = plant.outside(), plant.program()
    orders = {name: plant.start("weighing", name) for name in ("done", "thrown", "new")}
    fetched = {task["businessKey"]: task for task in worker.fetch(most=2)}
    for order in orders.values():
        program.post(f"/instances/{order}/suspend", {"reason": "audit"})
    assert worker.fetch() == []
    worker.done(fetched["done"], "complete", localVariables={})
    worker.done(fetched["thrown"], "bpmnError", errorCode="TOO_HEAVY")
    plant.worker.settle()
    assert plant.forms() == []
    for order in orders.values():
        program.post(f"/instances/{order}/resume", {"reason": "over"})
    plant.worker.settle()
    assert plant.at(orders["done"]) == "fill"
    assert plant.at(orders["thrown"]) == "split"
    assert [task["businessKey"] for task in worker.fetch()] == ["new"]


def test_a_worker_gets_the_variables_and_only_the_work_it_asks_for(
    plant: ForeignPlant,
) -> None:
    mapped = (
        "<extensionElements><camunda:inputOutput>"
        '<camunda:inputParameter name="tone">dark ${paint}</camunda:inputParameter>'
        '<camunda:outputParameter name="kg">${weight}</camunda:outputParameter>'
        "</camunda:inputOutput></extensionElements>"
    )
    plant.deploy_files(weighing("mapped", inside=mapped))
    plain = plant.start("weighing", "K-1", paint="red", kg=5, size="a")
    plant.start("weighing", "K-2", paint="blue", kg=5)
    other = plant.start("mapped", "K-3", paint="green")
    worker = plant.outside()

    def keys(**more: Any) -> list[str]:
        found = worker.fetch(**more)
        plant.run_out()
        return [task["businessKey"] for task in found]

    assert keys() == ["K-1", "K-2", "K-3"]
    assert keys(businessKey="K-2") == ["K-2"]
    assert keys(processDefinitionKey="mapped") == ["K-3"]
    assert keys(processDefinitionKeyIn=["mapped", "x"]) == ["K-3"]
    assert keys(processVariables={"paint": "red", "kg": 5}) == ["K-1"]
    assert keys(processVariables={"paint": "red", "kg": 6}) == []
    (task,) = worker.fetch(processDefinitionKey="mapped", variables=["tone", "nothing"])
    assert task["variables"]["tone"]["value"] == "dark green"
    assert set(task["variables"]) == {"tone"}
    plant.run_out()
    assert keys(processDefinitionId=task["processDefinitionId"]) == ["K-3"]
    assert keys(processDefinitionIdIn=["mapped:1:0", "nonsense"]) == []
    (task,) = worker.fetch(processDefinitionKey="mapped")
    assert set(task["variables"]) == {"paint", "tone"}
    plant.run_out()
    (task,) = worker.fetch(processDefinitionKey="mapped", localVariables=True)
    assert set(task["variables"]) == {"tone"}
    weight = {"weight": {"value": 7, "type": "Integer"}}
    worker.done(task, "complete", localVariables=weight)
    assert plant.variables(other) == {"paint": "green", "kg": 7}
    (task,) = worker.fetch(businessKey="K-1")
    worker.done(task, "complete", localVariables=weight)
    assert "weight" not in plant.variables(plain)


def test_properties_of_the_model_are_told_on_request(plant: ForeignPlant) -> None:
    noted = (
        "<extensionElements><camunda:properties>"
        '<camunda:property name="scale" value="S-7"/>'
        "</camunda:properties></extensionElements>"
    )
    plant.deploy_files(weighing("noted", topic="noted", inside=noted))
    plant.start("noted")
    worker = plant.outside()
    (task,) = worker.fetch("noted", includeExtensionProperties=True)
    assert task["extensionProperties"] == {"scale": "S-7"}
    plant.run_out()
    (task,) = worker.fetch("noted")
    assert task["extensionProperties"] == {}


def test_work_of_others_is_counted_as_ours_is(plant: ForeignPlant) -> None:
    plant.start("weighing")
    worker = plant.outside()
    (task,) = worker.fetch()
    worker.done(task, "complete")
    counted = plant.rows("SELECT topic, run, failed FROM job_counts")
    assert counted == [(TOPIC, 1, 0)]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"maxTasks": 1}, "'workerId' is missing"),
        ({"workerId": "w", "topics": []}, "'maxTasks' is missing"),
        ({"workerId": "w", "maxTasks": 1, "topics": [{}]}, "'topics.0.topicName' is"),
        (
            {
                "workerId": "w",
                "maxTasks": 1,
                "topics": [
                    {"topicName": "a", "lockDuration": 1000, "tenantIdIn": ["x"]}
                ],
            },
            "'topics.0.tenantIdIn' is not offered here",
        ),
        (
            {"workerId": "w", "maxTasks": 1, "asyncResponseTimeout": 1_800_001},
            "'asyncResponseTimeout'",
        ),
        ([], "The body is not a JSON object"),
    ],
)
def test_a_request_that_cannot_be_meant_is_refused_with_a_sentence(
    plant: ForeignPlant, asked: Any, words: str
) -> None:
    answer = plant.outside()("POST", "/external-task/fetchAndLock", asked)
    assert answer.status_code == 400
    assert answer.json["type"] == "InvalidRequestException"
    assert words in answer.json["message"]


def test_a_value_that_cannot_be_kept_leaves_the_task_as_it_was(
    plant: ForeignPlant,
) -> None:
    plant.start("weighing")
    worker = plant.outside()
    (task,) = worker.fetch()
    wrong = {"x": {"value": "<a/>", "type": "Xml"}}
    status, words = worker.refused(task, "complete", variables=wrong)
    assert (status, "which cannot be kept here" in words) == (400, True)
    large = {"x": {"value": "x" * (2 << 20), "type": "String"}}
    status, words = worker.refused(task, "complete", variables=large)
    assert status == 400
    worker.done(task, "complete", variables={})
