"""Who may use the API of Camunda 7, at which addresses, and what it does not offer."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest

from mpms.domain.people.people import Role
from mpms.web.engine_rest import engines
from tests.support.drawings import draw, signal
from tests.support.external_workers import ExternalWorker, ForeignPlant, weighing
from tests.support.site import browser_of

NAMED = "/engine-rest/engine/default"
VERSION = "/version"
# What else the API of Camunda 7 begins with, as its reference lists it.
NOUNS = (
    *("authorization", "batch", "case-definition", "case-execution", "case-instance"),
    *("condition", "decision-definition", "decision-requirements-definition"),
    *("event-subscription", "execution", "filter", "group", "identity/groups", "job"),
    *("job-definition", "metrics", "migration/generate", "modification/execute"),
    *("schema/log", "telemetry/configuration", "tenant", "user", "user/profile"),
)
PAST_NOUNS = (
    *("batch", "case-instance", "case-activity-instance", "cleanup/job"),
    *("decision-instance", "detail", "external-task-log", "identity-link-log"),
    *("job-log", "user-operation"),
)


def test_tokens_are_known_as_bearers_and_as_passwords(plant: ForeignPlant) -> None:
    worker = plant.outside()
    assert worker("GET", VERSION).json == {"version": "7.24.0"}
    assert worker("GET", VERSION, basic=True).status_code == 200
    assert worker("GET", "/engine", basic=True).json == [{"name": "default"}]
    assert worker("GET", VERSION).content_type == "application/json"


@pytest.mark.parametrize("secret", [None, "", "wrong", "mpms_wrong"])
def test_without_a_known_token_nothing_is_told(
    plant: ForeignPlant, secret: str | None
) -> None:
    stranger = ExternalWorker(browser_of(plant.app()), secret, "w1")
    for basic in (False, True):
        for path in (VERSION, "/no/such/thing", "/external-task/count"):
            answer = stranger("GET", path, basic=basic)
            assert answer.status_code == 401
            assert set(answer.json) == {"type", "message"}
            assert "Basic" in answer.headers["WWW-Authenticate"]


def test_a_session_of_the_pages_is_no_token(plant: ForeignPlant) -> None:
    browser = plant.browser(Role.ADMIN)
    assert browser.get("/engine-rest/version").status_code == 401
    assert browser.post("/engine-rest/signal", json={"name": "x"}).status_code == 401


@pytest.mark.parametrize("role", [Role.WORKER, Role.VIEWER])
def test_only_leaders_tokens_may_work(plant: ForeignPlant, role: Role) -> None:
    answer = plant.outside(role=role)("GET", "/external-task")
    assert answer.status_code == 403
    assert answer.json["message"].startswith("This is open to: admin, supervisor.")


def test_who_guesses_must_wait(plant: ForeignPlant) -> None:
    stranger = ExternalWorker(browser_of(plant.app()), "mpms_guess", "w1")
    seen = [stranger("GET", VERSION, basic=True) for _ in range(25)]
    assert {answer.status_code for answer in seen[:20]} == {401}
    assert seen[-1].status_code == 429
    assert int(seen[-1].headers["Retry-After"]) > 0
    assert plant.outside()("GET", VERSION).status_code == 200


def test_both_beginnings_of_addresses_do_the_same(plant: ForeignPlant) -> None:
    plant.start("weighing")
    worker = plant.outside(base=NAMED)
    (task,) = worker.fetch()
    worker.done(task, "complete")
    assert worker("GET", "/external-task/count").json == {"count": 0}


def test_everything_else_is_refused_by_name(plant: ForeignPlant) -> None:
    leader = plant.outside()
    for method, path in (
        ("GET", ""),
        ("GET", "/"),
        ("DELETE", "/external-task/x"),
        ("POST", "/external-task/retries-async"),
        ("GET", "/engine/other/version"),
        *(("GET", f"/{noun}") for noun in NOUNS),
        *(("GET", f"/history/{noun}") for noun in PAST_NOUNS),
        ("PATCH", "/task"),
        ("DELETE", "/deployment/x"),
        ("POST", "/task/x/bpmnEscalation"),
        ("GET", "/task/x/identity-links"),
        ("POST", "/process-instance/x/modification"),
        ("POST", "/process-definition/x/restart"),
        ("GET", "/process-definition/statistics"),
        ("GET", "/deployment/registered"),
        ("GET", "/history/process-instance/report"),
    ):
        answer = leader(method, path)
        assert answer.status_code == 501, path
        assert answer.json["type"] == "RestException"
        assert f"{method} /engine-rest{path or '/'} of" in answer.json["message"]


def test_a_fault_of_ours_is_told_in_the_same_shape(
    plant: ForeignPlant,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> Any:
        raise RuntimeError("surprise")

    monkeypatch.setattr(engines, "answer", broken)
    answer = plant.outside()("GET", VERSION)
    assert (answer.status_code, answer.json["type"]) == (500, "RestException")
    number = answer.json["message"].rpartition(" ")[2].rstrip(".")
    assert number in caplog.text


# -- models, starts, messages, signals -------------------------------------------------


def deploy(plant: ForeignPlant, role: Role, name: str, content: bytes) -> Any:
    form = {
        "deployment-name": "first try",
        "enable-duplicate-filtering": "true",
        "data": (BytesIO(content), name),
    }
    return plant.outside(role=role)("POST", "/deployment/create", data=form)


def test_models_are_deployed_and_started(plant: ForeignPlant) -> None:
    (content,) = weighing("fresh").values()
    made = deploy(plant, Role.ADMIN, "fresh.bpmn20.xml", content)
    assert made.status_code == 200
    (shown,) = made.json["deployedProcessDefinitions"].values()
    assert (shown["key"], shown["version"]) == ("fresh", 1)
    worker = plant.outside()
    asked = {
        "businessKey": "K-9",
        "variables": {"kg": {"value": 1, "type": "Integer"}},
        "withVariablesInReturn": True,
    }
    started = worker("POST", "/process-definition/key/fresh/start", asked).json
    assert started["definitionId"] == shown["id"]
    assert (started["businessKey"], started["ended"]) == ("K-9", False)
    assert started["variables"]["kg"]["value"] == 1
    (task,) = worker.fetch()
    assert task["processInstanceId"] == started["id"]
    odd = worker("POST", "/process-definition/key/a%00b/start", {})
    assert (odd.status_code, odd.json["type"]) == (400, "InvalidRequestException")
    gone = worker("POST", "/process-definition/key/no/start", {})
    assert gone.status_code == 404
    assert gone.json["message"] == "No process 'no' is deployed."


def test_a_model_that_cannot_run_is_refused_with_its_problems(
    plant: ForeignPlant,
) -> None:
    (content,) = weighing("fresh").values()
    broken = content.replace(b'"external"', b'"unheard of"')
    answer = deploy(plant, Role.ADMIN, "fresh.bpmn", broken)
    assert (answer.status_code, answer.json["type"]) == (400, "ParseException")
    assert "fresh.bpmn: weigh" in answer.json["message"]
    assert deploy(plant, Role.ADMIN, "a.groovy", b"").status_code == 400
    assert deploy(plant, Role.SUPERVISOR, "fresh.bpmn", content).status_code == 403


def test_messages_and_signals_reach_who_waits(plant: ForeignPlant) -> None:
    waiting = (
        '<startEvent id="begin"/><receiveTask id="wait" messageRef="paid"/>'
        '<userTask id="sign"/><endEvent id="over"/>'
    )
    plant.deploy_files(
        draw(
            "order",
            waiting,
            "begin wait",
            "wait sign",
            "sign over",
            declared='<message id="paid" name="paid"/>',
        )
    )
    plant.deploy_files(
        draw(
            "night",
            '<startEvent id="begin"/>'
            + signal("wait", "rest")
            + '<userTask id="sign"/><endEvent id="over"/>',
            "begin wait",
            "wait sign",
            "sign over",
            declared='<signal id="rest" name="rest"/>',
        )
    )
    order, night = plant.start("order", "K-1"), plant.start("night")
    worker = plant.outside()
    asked = {
        "messageName": "paid",
        "businessKey": "K-1",
        "processVariables": {"sum": {"value": 5, "type": "Long"}},
        "resultEnabled": True,
    }
    answer = worker("POST", "/message", asked)
    assert answer.json[0]["execution"]["processInstanceId"] == order
    plant.worker.settle()
    assert plant.at(order) == "sign"
    assert plant.variables(order) == {"sum": 5}
    again = worker("POST", "/message", asked)
    assert again.status_code == 400
    assert again.json["type"] == "MismatchingMessageCorrelationException"
    for wrong in (
        {"messageName": "paid", "correlationKeys": {"a": {"value": []}}},
        {"messageName": "paid", "all": True},
        {"messageName": "paid", "correlationKeys": {"a": {"value": 1}, "b": {}}},
    ):
        assert worker("POST", "/message", wrong).status_code == 400, wrong
    assert worker("POST", "/signal", {"name": "rest"}).status_code == 204
    plant.worker.settle()
    assert plant.at(night) == "sign"


def test_files_are_kept_and_fetched_by_their_own_address(plant: ForeignPlant) -> None:
    plant.deploy_files(weighing("twice"))
    order = plant.start("weighing", "K-1")
    worker = plant.outside()
    (task,) = worker.fetch()
    file = {"value": "AAEC", "type": "File", "valueInfo": {"filename": "a.bin"}}
    worker.done(task, "complete", variables={"sheet": file, "n": {"value": 1}})
    for path in (
        f"/execution/{order}/localVariables/sheet/data",
        f"/process-instance/{order}/variables/sheet/data",
    ):
        answer = worker("GET", path)
        assert (answer.data, answer.mimetype) == (b"\0\1\2", "application/octet-stream")
    for path, status in (
        (f"/execution/{order}/localVariables/n/data", 400),
        (f"/execution/{order}/localVariables/x/data", 404),
        ("/execution/nonsense/localVariables/x/data", 404),
    ):
        assert worker("GET", path).status_code == status
