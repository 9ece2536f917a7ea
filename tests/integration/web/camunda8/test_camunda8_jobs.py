"""Jobs as clients of Camunda 8 know them: activated, completed, failed, thrown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.camunda8 import MAPPED, TYPE, Plant8, weighing8


def test_an_activated_job_tells_all_that_a_worker_needs(plant: Plant8) -> None:
    plant.deploy_files(weighing8(inside=MAPPED))
    order = plant.start("weighing8", order={"kg": 2}, paint="red")
    program = plant.program8()
    (job,) = program.activate(fetchVariable=["kg", "paint"], tenantIds=["<default>"])
    assert job["variables"] == {"kg": 2, "paint": "red"}
    assert job["customHeaders"] == {"scale": "7"}
    assert (job["type"], job["elementId"], job["worker"]) == (TYPE, "weigh", "w1")
    assert (job["retries"], job["processDefinitionVersion"]) == (3, 2)
    assert job["deadline"] > 1_000_000_000_000
    program.does("POST", f"/jobs/{job['jobKey']}/completion", {"variables": {"kg": 9}})
    assert plant.at(order) == "fill"
    assert plant.variables(order)["total_kg"] == 9


def test_a_job_is_given_to_nobody_else_until_its_time_is_up(plant: Plant8) -> None:
    order = plant.start("weighing8")
    program = plant.program8()
    (job,) = program.activate(worker="w1")
    assert program.activate(worker="w2") == []
    plant.run_out()
    (again,) = program.activate(worker="w2")
    assert again["jobKey"] == job["jobKey"]
    program.does("POST", f"/jobs/{job['jobKey']}/completion")
    assert plant.at(order) == "fill"
    status, title, told = program.refused("POST", f"/jobs/{job['jobKey']}/completion")
    assert (status, title) == (404, "NOT_FOUND")
    assert job["jobKey"] in told


def test_what_nobody_has_activated_cannot_be_settled(plant: Plant8) -> None:
    plant.start("weighing8")
    program = plant.program8()
    (listed,) = program.found("jobs", type=TYPE)
    at_job = f"/jobs/{listed['jobKey']}"
    for method, path, body in (
        ("POST", "/completion", {}),
        ("POST", "/failure", {"retries": 1}),
        ("POST", "/error", {"errorCode": "X"}),
        ("PATCH", "", {"changeset": {"timeout": 1000}}),
    ):
        status, title, told = program.refused(method, at_job + path, body)
        assert (status, title) == (409, "INVALID_STATE"), told
        assert "nobody has locked it" in told


def test_what_a_worker_of_mpms_runs_is_not_anybodys(plant: Plant8) -> None:
    plant.start("weighing8")
    plant.rows(
        "UPDATE jobs SET leased_by = 'machine-1',"
        " lease_until = now() + interval '1 hour'"
    )
    program = plant.program8()
    (listed,) = program.found("jobs", type=TYPE)
    status, _, told = program.refused("POST", f"/jobs/{listed['jobKey']}/completion")
    assert status == 409
    assert "machine-1" in told


def test_a_failure_is_tried_again_after_its_back_off(plant: Plant8) -> None:
    order = plant.start("weighing8")
    program = plant.program8()
    (job,) = program.activate()
    told = {"errorMessage": "no scale", "retries": 2, "retryBackOff": 60_000}
    program.does("POST", f"/jobs/{job['jobKey']}/failure", told)
    assert program.activate() == []
    (listed,) = program.found("jobs", jobKey=job["jobKey"])
    assert (listed["retries"], listed["errorMessage"]) == (2, "no scale")
    assert listed["hasFailedWithRetriesLeft"] is True
    assert plant.told("job failed", order)[0][1]["again_in_s"] == 60
    plant.due_now()
    (again,) = program.activate()
    assert again["retries"] == 2
    assert plant.incidents() == []


def test_without_retries_it_is_an_incident_until_that_is_resolved(
    plant: Plant8,
) -> None:
    plant.start("weighing8")
    program = plant.program8()
    (job,) = program.activate()
    program.does("POST", f"/jobs/{job['jobKey']}/failure", {"errorMessage": "broken"})
    (incident,) = program.found("incidents", jobKey=job["jobKey"], state="ACTIVE")
    assert "broken" in incident["errorMessage"]
    assert incident["elementInstanceKey"] == job["elementInstanceKey"]
    (found,) = program.found("process-instances", hasIncident=True)
    assert found["processInstanceKey"] == job["processInstanceKey"]
    program.does("PATCH", f"/jobs/{job['jobKey']}", {"changeset": {"retries": 4}})
    assert program.activate() == []
    program.does("POST", f"/incidents/{incident['incidentKey']}/resolution", {})
    (again,) = program.activate()
    assert (again["jobKey"], again["retries"]) == (job["jobKey"], 4)
    assert program.found("incidents") == []


def test_an_error_that_the_model_does_not_catch_is_an_incident(plant: Plant8) -> None:
    plant.start("weighing8")
    program = plant.program8()
    (job,) = program.activate()
    thrown = {"errorCode": "NO_PAINT", "errorMessage": "empty"}
    program.does("POST", f"/jobs/{job['jobKey']}/error", thrown)
    (incident,) = plant.incidents()
    assert "NO_PAINT" in incident.message


def test_local_variables_of_a_job_stay_its_own(plant: Plant8) -> None:
    order = plant.start("weighing8", kg=1)
    program = plant.program8()
    (job,) = program.activate()
    at_element = f"/element-instances/{job['elementInstanceKey']}/variables"
    program.does("PUT", at_element, {"variables": {"kg": 5}, "local": True})
    assert plant.variables(order) == {"kg": 1}
    program.does("PUT", at_element, {"variables": {"paint": "red"}})
    assert plant.variables(order) == {"kg": 1, "paint": "red"}
    plant.run_out()
    (again,) = program.activate()
    assert again["variables"] == {"kg": 5, "paint": "red"}


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        ("/jobs/activation", {"type": TYPE, "timeout": 1}, "maxJobsToActivate"),
        (
            "/jobs/activation",
            {"type": TYPE, "timeout": 0, "maxJobsToActivate": 1},
            "timeout",
        ),
        (
            "/jobs/activation",
            {
                "type": TYPE,
                "timeout": 1,
                "maxJobsToActivate": 1,
                "tenantIds": ["other"],
            },
            "tenant",
        ),
        ("/jobs/search", {"filter": {"type": {"$like": "a*"}}}, "$in"),
        ("/jobs/search", {"filter": {"deadline": "2026-11-18"}}, "deadline"),
        ("/jobs/search", {"sort": [{"field": "retries"}]}, "retries"),
        ("/jobs/search", {"page": {"after": "!"}}, "after"),
        ("/jobs/search", {"page": {"limit": 10_000, "from": 1}}, "10000"),
        ("/variables/search", {}, "processInstanceKey"),
        ("/process-instances", {}, "processDefinitionId"),
    ],
)
def test_what_cannot_be_understood_is_named(
    plant: Plant8, path: str, body: dict[str, Any], named: str
) -> None:
    status, title, told = plant.program8().refused("POST", path, body)
    assert (status, title) == (400, "INVALID_ARGUMENT")
    assert named in told


def test_variables_of_a_failure_are_the_jobs_own_at_its_next_try(
    plant: Plant8,
) -> None:
    order = plant.start("weighing8", kg=1)
    program = plant.program8()
    (job,) = program.activate()
    told = {"retries": 1, "variables": {"kg": 2, "tried": True}}
    program.does("POST", f"/jobs/{job['jobKey']}/failure", told)
    (again,) = program.activate()
    assert again["variables"] == {"kg": 2, "tried": True}
    assert (again["jobKey"], again["retries"]) == (job["jobKey"], 1)
    assert plant.variables(order) == {"kg": 1}


def test_the_result_of_a_listener_is_refused_by_name(plant: Plant8) -> None:
    plant.start("weighing8")
    program = plant.program8()
    (job,) = program.activate()
    at_job = f"/jobs/{job['jobKey']}"
    told = {"result": {"type": "userTask", "denied": True}}
    assert program.refused("POST", f"{at_job}/completion", told)[0] == 501
    (listed,) = program.found("jobs", jobKey=job["jobKey"])
    assert (listed["state"], listed["retries"]) == ("CREATED", 3)
