"""What tablets send: claims, drafts, answers, problems, decisions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from mpms.domain.people import Role
from mpms.services.repair_instance import cancel_instance

Hall = Any

CONFIRMED = {"confirmed": True, "lot": "L-1"}
JSON = {"Accept": "application/json"}


def answer(browser: Any, task: Any, answers: dict[str, Any], **more: Any) -> Any:
    return browser.post(
        f"/tasks/{task.task_id}/answer", json={"answers": answers, **more}, headers=JSON
    )


def test_of_two_tablets_one_gets_the_task_and_the_other_its_name(
    hall: Hall, together: Callable[..., list[Any]]
) -> None:
    task = hall.make()
    browsers = [hall.browser(f"p{n}") for n in range(4)]
    answers = together(
        *(
            lambda b=b: b.post(f"/tasks/{task.task_id}/claim", headers=JSON)
            for b in browsers
        )
    )
    assert sorted(a.status_code for a in answers) == [200, 409, 409, 409]
    winner = answers.index(next(a for a in answers if a.status_code == 200))
    refusals = {a.json["error"] for a in answers if a.status_code == 409}
    assert refusals == {f"P{winner} has this task."}


def test_a_claim_leads_to_the_card_and_is_undone_for_a_minute(hall: Hall) -> None:
    task, ana = hall.make(), hall.browser("ana")
    path = f"/tasks/{task.task_id}"
    claimed = ana.post(f"{path}/claim")
    assert (claimed.status_code, claimed.location) == (303, path)
    page = ana.get(path).text
    assert 'data-claimed="mine"' in page
    assert 'id="undo"' in page
    assert ana.post(f"{path}/release").location == "/tasks"
    ana.post(f"{path}/claim")
    hall.rows("UPDATE claims SET claimed_at = now() - interval '61 s'")
    late = ana.post(f"{path}/release", headers=JSON)
    assert (late.status_code, late.json["cause"]) == (409, "UndoTooLate")
    boss = hall.browser("boss", Role.SUPERVISOR)
    assert boss.post(f"{path}/release", headers=JSON).json["state"] == "free"


def test_drafts_come_back_with_the_page(hall: Hall) -> None:
    task, ana = hall.make(), hall.browser("ana")
    path = f"/tasks/{task.task_id}/draft"
    assert ana.put(path, json={"fields": {"lot": "LOT-99"}}).status_code == 204
    assert ana.put(path, json={"field": "confirmed", "value": True}).status_code == 204
    page = ana.get(f"/tasks/{task.task_id}").text
    assert "LOT-99" in page
    assert ana.put(path, json={"fields": {"role": "x"}}).status_code == 422
    assert ana.put(path, json={"fields": {"lot": "x" * 70_000}}).status_code == 413
    assert ana.put(path, json=[1]).status_code == 400
    claimer = hall.browser("ben")
    claimer.post(f"/tasks/{task.task_id}/claim")
    assert ana.put(path, json={"fields": {"lot": "x"}}).status_code == 409


def test_an_answer_counts_once_however_often_it_is_posted(hall: Hall) -> None:
    task, ana = hall.make(), hall.browser("ana")
    states = [answer(ana, task, CONFIRMED, key="k1").json["state"] for _ in range(3)]
    assert states == ["done", "already", "already"]
    assert hall.rows("SELECT key FROM answers") == [("k1",)]


def test_the_answer_tells_what_is_next(hall: Hall) -> None:
    task, other = hall.make("MO-1"), hall.make("MO-2")
    done = answer(hall.browser("ana"), task, CONFIRMED)
    assert done.json["next"] == f"/tasks/{other.task_id}"


def test_wrong_answers_are_named_field_by_field(hall: Hall) -> None:
    task, ana = hall.make(), hall.browser("ana")
    wrong = answer(ana, task, {"lot": "x" * 61}, key="k")
    assert wrong.status_code == 422
    assert set(wrong.json["problems"]) == {"lot", "confirmed"}
    plain = ana.post(f"/tasks/{task.task_id}/answer", data={"lot": "L-9"})
    assert plain.status_code == 422
    assert "L-9" in plain.text
    assert len(hall.forms(task.instance_id)) == 1


def test_a_plain_form_works_without_scripts(hall: Hall) -> None:
    task, ana = hall.make(), hall.browser("ana")
    done = ana.post(
        f"/tasks/{task.task_id}/answer", data={"lot": "L-9", "confirmed": "true"}
    )
    assert (done.status_code, done.location) == (303, "/tasks")
    assert hall.rows("SELECT answers FROM answers") == [
        ({"lot": "L-9", "confirmed": True},)
    ]
    again = ana.post(f"/tasks/{task.task_id}/answer", data={"confirmed": "true"})
    assert again.status_code == 303


def test_fields_that_the_form_lacks_are_dropped(hall: Hall) -> None:
    task = hall.make()
    sent = {**CONFIRMED, "robot": "robot9", "index": 5, "__proto__": {"x": 1}}
    assert answer(hall.browser("ana"), task, sent).json["state"] == "done"
    assert hall.rows("SELECT answers FROM answers") == [(CONFIRMED,)]
    with hall.uow() as tx:
        variables = tx.tasks.variables([task.instance_id])[task.instance_id]
    assert (variables["index"], variables["robot"]) == (0, variables["robot"])
    assert variables["robot"] != "robot9"


@pytest.mark.parametrize(
    "body",
    [[], "text", {"answers": []}, {"answers": {}, "key": 7}, {"key": "x" * 101}],
)
def test_bodies_of_the_wrong_shape_are_refused(hall: Hall, body: Any) -> None:
    task, ana = hall.make(), hall.browser("ana")
    refused = ana.post(f"/tasks/{task.task_id}/answer", json=body, headers=JSON)
    assert refused.status_code == 400


def test_a_late_answer_waits_for_the_supervisor_who_discards_it(hall: Hall) -> None:
    task = hall.make()
    answer(hall.browser("ana"), task, CONFIRMED, key="k1")
    ago = (hall.now() - timedelta(minutes=30)).isoformat()
    lost = answer(
        hall.browser("ben"), task, {**CONFIRMED, "lot": "L-2"}, key="k2", device_at=ago
    )
    assert (lost.status_code, lost.json["state"]) == (200, "conflict")
    assert lost.json["message"].startswith("answered by Ana at ")
    boss = hall.browser("boss", Role.SUPERVISOR)
    assert "1 late answer" in boss.get("/tasks").text
    page = boss.get("/late").text
    for told in ("L-2", "L-1", "Ben answered", "Discard"):
        assert told in page
    assert "Let it count" not in page
    ((late_id,),) = hall.rows("SELECT id FROM late_answers")
    path = f"/late/{late_id}"
    assert boss.post(path, data={"decision": "discard"}).status_code == 422
    assert boss.post(path, data={"decision": "perhaps"}).status_code == 400
    refused = boss.post(path, json={"decision": "accept"})
    assert (refused.status_code, refused.json["cause"]) == (409, "AnswerOvertaken")
    done = boss.post(path, data={"decision": "discard", "reason": "weighed twice"})
    assert (done.status_code, done.location) == (303, "/late")
    assert boss.post(path, json={"decision": "accept"}).status_code == 409
    assert "Nothing to decide" in boss.get("/late").text


def test_a_late_answer_is_accepted_while_its_task_waits(hall: Hall) -> None:
    task, boss = hall.make(), hall.browser("boss", Role.SUPERVISOR)
    hall.browser("ben").post(f"/tasks/{task.task_id}/claim")
    lost = answer(hall.browser("ana"), task, CONFIRMED, key="k")
    assert lost.json["message"] == "Ben has taken the task meanwhile"
    assert "Let it count" in boss.get("/late").text
    ((late_id,),) = hall.rows("SELECT id FROM late_answers")
    assert boss.post(f"/late/{late_id}", data={"decision": "accept"}).status_code == 303
    assert hall.rows("SELECT answered_by FROM answers") == [("ana",)]


def test_an_answer_for_a_cancelled_order_is_kept(hall: Hall) -> None:
    task = hall.make()
    cancel_instance(hall.uow, hall.advance, task.instance_id, by="boss", reason="x")
    lost = answer(
        hall.browser("ana"), task, CONFIRMED, key="k", instance=task.instance_id
    )
    assert lost.json["state"] == "conflict"
    assert lost.json["message"] == "the order was cancelled meanwhile"
    assert answer(hall.browser("ana"), task, CONFIRMED).status_code == 404


def test_a_shared_tablet_hands_in_what_somebody_else_answered(hall: Hall) -> None:
    task = hall.make()
    for login, role, more in (
        ("ana", Role.WORKER, {}),
        ("eva", Role.VIEWER, {}),
        ("zoe", Role.WORKER, {"groups": ("mixers",)}),
        ("old", Role.WORKER, {}),
    ):
        hall.person(login, role, **more)
    with hall.uow() as tx:
        tx.people.set_active("old", False)
    desktop, tablet = hall.browser("ben"), hall.browser("ben", tablet=True)
    sent = {"key": "k1", "device_at": hall.now().isoformat()}
    assert (
        answer(desktop, task, CONFIRMED, answered_by="ana", **sent).status_code == 403
    )
    for nobody in ("eva", "zoe", "old", "nobody", 7):
        refused = answer(tablet, task, CONFIRMED, answered_by=nobody, **sent)
        assert refused.status_code == 403, nobody
    done = answer(tablet, task, CONFIRMED, answered_by="ana", **sent)
    assert done.json["state"] == "done"
    assert hall.rows("SELECT answered_by FROM answers") == [("ana",)]
    ((actor, data),) = hall.rows(
        "SELECT actor, data FROM events WHERE kind = 'form answered'"
    )
    assert (actor, data["posted_by"]) == ("ana", "ben")


def test_an_instance_that_is_busy_asks_the_tablet_to_try_again(hall: Hall) -> None:
    task, ana = hall.make(), hall.browser("ana")
    with hall.uow() as tx:
        tx.instances.lock(task.instance_id)
        busy = answer(ana, task, CONFIRMED, key="k")
    assert (busy.status_code, busy.json["retry"]) == (409, True)
    assert busy.headers["Retry-After"]
    assert answer(ana, task, CONFIRMED, key="k").json["state"] == "done"


def test_a_problem_is_refused_with_an_invented_cause(hall: Hall) -> None:
    task, ana = hall.make(), hall.browser("ana")
    path = f"/tasks/{task.task_id}/problem"
    assert ana.post(path, json={"code": "Invented"}, headers=JSON).status_code == 422
    assert ana.post(path, json={"code": 1}, headers=JSON).status_code == 400
    plain = ana.post(path, data={"code": "Other", "note": "?"})
    assert (plain.status_code, plain.location) == (303, "/tasks")
    assert "goes another way" in ana.get("/tasks").text
    again = ana.post(path, json={"code": "Other"}, headers=JSON)
    assert again.json["state"] == "already"
