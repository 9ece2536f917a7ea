"""A program runs the plant: what the pages do, done over the API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.site import NO_PAPER
from tests.support.web_api import Plant

MODEL = "papers"


@pytest.fixture
def stuck(plant: Plant) -> str:
    """An instance whose printer has no paper."""
    plant.deploy()
    plant.trouble = NO_PAPER
    instance: str = plant.start_papers(kg=4.5)
    boss = plant.program("supervisor")
    (task,) = boss.get("/tasks")["items"]
    boss.post(f"/tasks/{task['task_id']}/answer", {"answers": {}})
    plant.worker.settle()
    plant.use_up_attempts()
    return instance


def test_a_process_is_started_searched_and_seen(plant: Plant) -> None:
    plant.deploy()
    boss = plant.program("supervisor", "mes")
    wish = {"process": MODEL, "business_key": "B-7", "variables": {"colour": "blue"}}
    made = boss.post("/instances", wish)
    plant.worker.settle()
    assert [token["element"] for token in made["tokens"]] == ["look"]
    found = boss.get("/instances", variable="colour", value="blue", process=MODEL)
    assert [one["id"] for one in found["items"]] == [made["id"]]
    assert found["items"][0]["version"] == 1
    assert boss.get("/instances", business_key="C")["items"] == []
    values = boss.get(f"/instances/{made['id']}/variables")["items"]
    assert {v["name"]: v["value"] for v in values} == {"colour": "blue"}
    lines = boss.get(f"/instances/{made['id']}/timeline", kind=["instance started"])
    assert [line["actor"] for line in lines["items"]] == ["api:mes"]


def test_lists_are_read_page_by_page_without_repetition(plant: Plant) -> None:
    plant.deploy()
    started = {plant.start_papers() for _ in range(5)}
    reader = plant.program("viewer")
    seen: list[str] = []
    cursor: str | None = None
    while True:
        more: dict[str, Any] = {} if cursor is None else {"cursor": cursor}
        page = reader.get("/instances", limit=2, **more)
        seen += [one["id"] for one in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert len(seen) == 5
    assert set(seen) == started


def test_an_incident_is_found_and_tried_again(plant: Plant, stuck: str) -> None:
    boss = plant.program("supervisor")
    (incident,) = boss.get("/incidents", process=MODEL)["items"]
    assert "no paper" in incident["message"]
    assert incident["retryable"]
    aside = {"reason": "who cares"}
    refused = boss("POST", f"/incidents/{incident['id']}/close", aside)
    assert refused.status_code == 409
    plant.trouble = None
    boss.post(f"/incidents/{incident['id']}/retry", {"reason": "paper is there"})
    plant.worker.settle()
    seen = boss.get(f"/instances/{stuck}")
    assert [token["element"] for token in seen["tokens"]] == ["file"]
    assert seen["incidents"] == 0


def test_every_repair_can_be_made(plant: Plant, stuck: str) -> None:
    boss, why = plant.program("supervisor", "mes"), {"reason": "by hand"}
    here = f"/instances/{stuck}"

    def token() -> str:
        (found,) = boss.get(here)["tokens"]
        return f"{here}/tokens/{found['task_id']}"

    boss.post(f"{here}/variables", why | {"set": {"kg": 5}, "remove": []})
    boss.post(f"{here}/suspend", why)
    assert boss.get(here)["suspended"]["by"] == "api:mes"
    boss.post(f"{here}/resume", {})
    moved = boss.post(f"{token()}/move", why | {"to": "look"})
    assert [each["element"] for each in moved["tokens"]] == ["look"]
    boss.post(f"{token()}/skip", why)
    plant.worker.settle()
    cancelled = boss.post(f"{here}/cancel", why)
    assert cancelled["status"] == "cancelled"
    again = boss.post(f"{here}/restart", why | {"elements": ["file"]})
    assert again["restarted_from"] == stuck
    changes = boss.get(f"{here}/variables/kg/changes")["items"]
    assert [change["new"] for change in changes] == [5, 4.5]
    unknown = boss("POST", f"/instances/{again['id']}/tokens/{stuck}/skip", why)
    assert unknown.status_code == 404


def test_a_cause_is_discussed_and_all_of_it_tried_again(
    plant: Plant, stuck: str
) -> None:
    boss = plant.program("supervisor", "mes")
    (cause,) = boss.get("/causes")["items"]
    here = f"/causes/{cause['cause']}"
    boss.post(f"{here}/comment", {"text": "The tray is empty."})
    assert boss("POST", f"{here}/assign", {"to": "nobody"}).status_code == 422
    story = boss.get(here)
    assert [c["written_by"] for c in story["comments"]] == ["api:mes"]
    assert [one["instance_id"] for one in story["incidents"]] == [stuck]
    plant.trouble = None
    batch = boss.post(f"{here}/retry", {"reason": "paper is there"})
    plant.worker.settle()
    done = boss.get(f"/batches/{batch['id']}")
    assert (done["state"], done["done"], done["failed"]) == ("ended", 1, 0)
    items = boss.get(f"/batches/{batch['id']}/items")["items"]
    assert [item["state"] for item in items] == ["done"]


def test_many_are_changed_by_a_search_and_it_can_be_reversed(plant: Plant) -> None:
    plant.deploy()
    started = {plant.start_papers() for _ in range(3)}
    boss = plant.program("supervisor")
    wish = {"action": "suspend", "reason": "audit", "search": {"process": MODEL}}
    batch = boss.post("/batches", wish, key="k")
    assert batch["items"] == len(started)
    assert boss.post("/batches", wish, key="k") == batch
    plant.worker.settle()
    assert len(boss.get("/instances", state="suspended")["items"]) == 3
    boss.post(f"/batches/{batch['id']}/reverse", {"reason": "audit is over"})
    plant.worker.settle()
    assert boss.get("/instances", state="suspended")["items"] == []
    unclear = boss("POST", "/batches", {"action": "retry", "reason": "x"})
    assert unclear.json["type"].endswith("#problem-batch-target-unclear")


def test_what_was_done_can_be_taken_back(plant: Plant) -> None:
    plant.deploy()
    here = f"/instances/{plant.start_papers(kg=1)}"
    boss = plant.program("supervisor")
    boss.post(f"{here}/variables", {"reason": "typo", "set": {"kg": 2}})
    (line,) = boss.get(f"{here}/timeline", kind=["variables set"])["items"]
    boss.post(f"{here}/undo", {"reason": "it was right", "line": line["line"]})
    (kg,) = boss.get(f"{here}/variables")["items"]
    assert kg["value"] == 1


def test_models_are_checked_deployed_and_instances_carried_over(plant: Plant) -> None:
    plant.deploy()
    instance = plant.start_papers()
    admin = plant.program("admin")
    first = admin("GET", f"/processes/{MODEL}/versions/1.bpmn")
    assert first.content_type == "application/xml"
    new = first.text.replace('name="File"', 'name="File it"')
    files = {"files": {f"{MODEL}.bpmn": new}}
    (linted,) = admin.post("/models/lint", files)["items"]
    assert linted["deployable"]
    made = admin.post("/models/deploy", files)
    assert [(p["key"], p["version"]) for p in made["processes"]] == [(MODEL, 2)]
    assert made["warnings"] == []
    (planned,) = admin.post(f"/processes/{MODEL}/migration/plan", {"to_version": 2})[
        "items"
    ]
    assert planned["can_go"]
    (done,) = admin.post(
        f"/processes/{MODEL}/migration", {"to_version": 2, "reason": "newer"}
    )["items"]
    assert done == {"instance_id": instance, "error": None}
    assert admin.get(f"/instances/{instance}")["version"] == 2


def test_a_topic_that_nobody_serves_is_a_warning_of_the_deployment(
    plant: Plant,
) -> None:
    plant.deploy()
    plant.worker.settle()
    admin = plant.program("admin")
    model = admin("GET", f"/processes/{MODEL}/versions/1.bpmn").text
    files = {"files": {"odd.bpmn": model.replace('topic="print"', 'topic="prnit"')}}
    (linted,) = admin.post("/models/lint", files)["items"]
    assert linted["deployable"]
    (warning,) = admin.post("/models/deploy", files)["warnings"]
    assert (warning["file"], warning["element"]) == ("odd.bpmn", "print")
    reason = "no worker has a handler for the topic 'prnit'; did you mean 'print'?"
    assert warning["reason"].startswith(reason)
    assert [p["reason"] for p in linted["problems"]] == [warning["reason"]]


def test_two_versions_are_compared_and_a_decision_is_tried(plant: Plant) -> None:
    plant.deploy()
    plant.deploy(last="archive")
    dmn = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/"
        id="d" name="d" namespace="urn:d"><decision id="size" name="size">
        <decisionTable id="t" hitPolicy="FIRST"><input id="i">
        <inputExpression id="e" typeRef="number"><text>kg</text></inputExpression>
        </input><output id="o" name="size" typeRef="string"/>
        <rule id="r1"><inputEntry id="a"><text>&lt; 5</text></inputEntry>
        <outputEntry id="b"><text>"small"</text></outputEntry></rule>
        </decisionTable></decision></definitions>"""
    admin = plant.program("admin")
    admin.post("/models/deploy", {"files": {"size.dmn": dmn}, "note": "sizes"})
    reader = plant.program("viewer")
    difference = reader.get(f"/models/{MODEL}/difference")
    changed = {(one["how"], one["id"]) for one in difference["changes"]}
    assert {("added", "archive"), ("removed", "file")} <= changed
    tried = reader.post("/decisions/size/try", {"variables": {"kg": 2}})
    assert tried["error"] == ""
    assert "small" in str(tried["outputs"])
    known = reader.get("/models")["decisions"]
    assert [line["versions"][0]["note"] for line in known] == ["sizes"]


def test_the_plant_is_administered_by_programs_too(plant: Plant) -> None:
    admin = plant.program("admin", "ops")
    assert admin.get("/plant/health")["parts"]
    robot = plant.world.robots[0].id
    admin.post(f"/plant/robots/{robot}/out", {"reason": "wheel"})
    out = {r["id"]: r["out_of_service"] for r in admin.get("/plant/robots")["items"]}
    assert out[robot] == "wheel"
    admin.post(f"/plant/robots/{robot}/back", {"reason": "mended"})
    admin.post("/people", {"login": "ada", "name": "Ada", "role": "worker"})
    edited = admin("PATCH", "/people/ada", {"role": "supervisor", "reason": "lead"})
    assert edited.json["role"] == "supervisor"
    reset = admin.post("/people/ada/password/reset", {"reason": "forgot"}, key="k")
    assert reset["secret"]
    kept = admin.post("/plant/retention", {"days": 400, "reason": "audit"})
    assert kept["days"] == 400
    lines = admin.get("/plant/audit", actor="api:ops")["items"]
    assert "retention changed" in {line["kind"] for line in lines}
    assert reset["secret"] not in str(plant.rows("SELECT body FROM api_answers"))


def test_of_several_instances_one_that_fails_undoes_only_itself(plant: Plant) -> None:
    """All of it is one transaction, yet what one cannot do the others have done."""
    plant.deploy()
    good, ended = plant.start_papers(), plant.start_papers()
    admin = plant.program("admin")
    admin.post(f"/instances/{ended}/cancel", {"reason": "over"})
    plant.deploy(last="archive")
    body = {"to_version": 2, "reason": "newer", "instances": [ended, good]}
    done = admin.post(f"/processes/{MODEL}/migration", body, key="k")["items"]
    assert [(one["instance_id"], one["error"] is None) for one in done] == [
        (ended, False),
        (good, True),
    ]
    assert len(plant.told("migrated")) == 1


def test_a_worker_does_the_tasks_of_its_groups_and_no_others(plant: Plant) -> None:
    plant.deploy()
    plant.start_papers()
    plant.rows("UPDATE tasks SET groups = '{mixing}'")
    boss, worker = plant.program("supervisor"), plant.program("worker")
    assert worker.get("/tasks")["items"] == []
    (task,) = boss.get("/tasks")["items"]
    assert worker("POST", f"/tasks/{task['task_id']}/claim").status_code == 403
    assert boss.post(f"/tasks/{task['task_id']}/claim")["claimed_by"] == (
        "api:robot-supervisor"
    )
    assert boss.post(f"/tasks/{task['task_id']}/give-back") == {"given_back": True}
    told = boss.post(f"/tasks/{task['task_id']}/problem", {"code": "Other"})
    assert told == {"caught": False, "late": False}


def test_orders_are_listed_told_and_decided(plant: Plant) -> None:
    boss = plant.program("supervisor", "erp")
    order = {"order": "MO-2026-0815", "lines": [{"material": "RM-001", "amount": 2}]}
    boss.post("/orders", order)
    assert boss("POST", "/orders/MO-2026-0815/release").status_code == 409
    plant.rows("UPDATE orders SET status = 'waiting for release'")
    assert boss.post("/orders/MO-2026-0815/release")["status"] == "new"
    plant.rows("UPDATE orders SET status = 'waiting for release'")
    refused = boss.post("/orders/MO-2026-0815/refuse", {"reason": "no resin"})
    assert refused["status"] == "cancelled"
    listed = boss.get("/orders", status=["cancelled", "done"])
    assert [one["number"] for one in listed["items"]] == ["MO-2026-0815"]
    story = boss.get("/orders/MO-2026-0815")
    assert [line["code"] for line in story["lines"]] == ["RM-001"]
    kinds = [
        line["kind"] for line in boss.get("/orders/MO-2026-0815/timeline")["items"]
    ]
    assert kinds.count("order status") == 2


def test_events_are_followed_without_gaps(plant: Plant) -> None:
    reader = plant.program("viewer")
    start = reader.get("/events")["next"]
    plant.deploy()
    plant.start_papers()
    first = reader.get("/events", after=start, limit=1)
    rest = reader.get("/events", after=first["next"])
    kinds = [line["kind"] for line in first["items"] + rest["items"]]
    assert kinds[0] == "deployed"
    assert "instance started" in kinds
    resumed = reader("GET", "/events", headers={"Last-Event-ID": first["next"]})
    assert resumed.json == rest
    only = reader.get("/events", after=start, kind=["inst*"])
    assert [line["kind"] for line in only["items"]] == ["instance started"]
    # A position of another server would skip everything from now on, unseen.
    elsewhere = reader("GET", f"/events?after={1 << 60}-1")
    assert elsewhere.status_code == 422
    assert "restored" in elsewhere.json["detail"]


def test_people_are_managed_by_administrators_and_secrets_stay_in(plant: Plant) -> None:
    admin = plant.program("admin")
    wish = {
        "login": "ada",
        "name": "Ada",
        "role": "worker",
        "password": "correct horse",
    }
    made = admin.post("/people", wish)
    assert "password" not in made
    assert admin("POST", "/people", wish).status_code == 409
    assert admin("POST", "/people/ada/pin", {"pin": "1111"}).status_code == 422
    admin.post("/people/ada/pin", {"pin": "4071"})
    assert admin.post("/people/ada/disable")["active"] is False
    assert [actor for actor, _ in plant.told("person disabled")] == ["api:robot-admin"]


def test_the_floor_and_the_figures_can_be_read(plant: Plant) -> None:
    plant.deploy()
    plant.start_papers()
    reader = plant.program("viewer")
    robots = {robot["id"] for robot in reader.get("/robots")["items"]}
    assert robots == {robot.id for robot in plant.world.robots}
    assert reader.get("/floor/plan")["places"]
    steps = reader.get(f"/processes/{MODEL}/heat")["steps"]
    assert {step["id"]: step["tokens"] for step in steps}["look"] == 1
    nobody = reader.get(f"/processes/{MODEL}/heat", business_key="nobody-has-this")
    other = nobody["steps"]
    assert {step["id"]: step["tokens"] for step in other}["look"] == 0
    (process,) = reader.get("/processes")["items"]
    assert (process["key"], process["active"]) == (MODEL, 1)
    figures = reader.get("/figures", days=3, process=MODEL)
    assert len(figures["days"]) == 3
    assert figures["total"]["received"] == 0
    assert reader("GET", "/figures?days=0").status_code == 422


def test_the_past_of_an_instance_can_be_read(plant: Plant) -> None:
    plant.deploy()
    started = plant.start_papers()
    past = plant.program("viewer").get(f"/instances/{started}/replay")
    assert "look" in {move["element"] for move in past["moves"]}
    assert past["drives"] == []
    assert past["cut"] is False


def test_the_page_of_the_api_shows_every_operation(plant: Plant) -> None:
    page = plant.browser("viewer").get("/api/v1/docs")
    assert page.status_code == 200
    assert page.text.count('class="api-one"') > 80
    assert "problem-instance-busy" in page.text
    assert "curl -X POST" in page.text
    assert plant.visitor().get("/api/v1/docs").status_code == 303


def test_an_administrator_makes_a_token_on_the_page_and_sees_it_once(
    plant: Plant,
) -> None:
    browser = plant.browser("admin")
    form = {"name": "erp", "role": "viewer", "days": "30", "groups": "mixing, loading"}
    made = browser.post("/tokens", data=form).text
    secret = made.split('<pre tabindex="0"><code>')[1].split("<")[0]
    assert secret.startswith("mpms_")
    assert secret not in browser.get("/tokens").text
    assert plant.with_token(secret).get("/me")["groups"] == ["mixing", "loading"]
    assert browser.post("/tokens", data=form).status_code == 422
    [(token_id,)] = plant.rows("SELECT id FROM api_tokens")
    browser.post(f"/tokens/{token_id}/revoke")
    assert plant.with_token(secret)("GET", "/me").status_code == 401


def test_a_webhook_is_made_on_the_page_and_its_secret_is_shown_once(
    plant: Plant,
) -> None:
    browser = plant.browser("admin")
    form = {"url": "https://erp.example.com/hook", "kinds": "order *, incident *"}
    made = browser.post("/webhooks", data=form).text
    assert "whsec_" in made
    assert "whsec_" not in browser.get("/webhooks").text
    assert browser.post("/webhooks", data=form | {"url": "ftp://x"}).status_code == 422
    [(webhook_id,)] = plant.rows("SELECT id FROM webhooks")
    browser.post(f"/webhooks/{webhook_id}/pause")
    assert "paused" in browser.get("/webhooks").text
    browser.post(f"/webhooks/{webhook_id}/delete")
    assert plant.rows("SELECT count(*) FROM webhooks") == [(0,)]


def test_instants_far_from_here_are_understood_or_refused(plant: Plant) -> None:
    admin = plant.program("admin")
    strange = "1618-05-04T16:39:07.205140+23:22"
    assert admin.get("/plant/audit", until=strange)["items"] == []
    beyond = "0001-01-01T00:00:00+14:00"
    refused = admin("GET", "/plant/audit", query_string={"until": beyond})
    assert refused.status_code == 422
    assert "calendar" in refused.json["detail"]
