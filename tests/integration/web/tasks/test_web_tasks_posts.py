"""What tablets send: claims, drafts, answers, problems, decisions."""

from __future__ import annotations

import hmac
import json
from datetime import timedelta
from typing import Any

import pytest

from mpms.domain.people.people import Role
from mpms.services.instances.repair import cancel_instance
from mpms.services.people.session_tokens import hash_of
from mpms.services.tasks import submit
from tests.support.site import Browser
from tests.support.waiting import together
from tests.support.web_tasks import Hall

CONFIRMED = {"confirmed": True, "lot": "L-1"}
JSON = {"Accept": "application/json"}


def answer(browser: Browser, task: Any, answers: dict[str, Any], **more: Any) -> Any:
    return browser.post(
        f"/tasks/{task.task_id}/answer", json={"answers": answers, **more}, headers=JSON
    )


def test_of_two_tablets_one_gets_the_task_and_the_other_its_name(hall: Hall) -> None:
    task = hall.make()
    browsers = [hall.at(f"p{n}") for n in range(4)]
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
    task, ana = hall.make(), hall.at("ana")
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
    boss = hall.at("boss", Role.SUPERVISOR)
    assert boss.post(f"{path}/release", headers=JSON).json["state"] == "free"


def test_drafts_come_back_with_the_page(hall: Hall) -> None:
    task, ana = hall.make(), hall.at("ana")
    path = f"/tasks/{task.task_id}/draft"
    assert ana.put(path, json={"fields": {"lot": "LOT-99"}}).status_code == 204
    assert ana.put(path, json={"field": "confirmed", "value": True}).status_code == 204
    page = ana.get(f"/tasks/{task.task_id}").text
    assert "LOT-99" in page
    assert ana.put(path, json={"fields": {"role": "x"}}).status_code == 422
    assert ana.put(path, json={"fields": {"lot": "x" * 70_000}}).status_code == 413
    assert ana.put(path, json=[1]).status_code == 400
    claimer = hall.at("ben")
    claimer.post(f"/tasks/{task.task_id}/claim")
    assert ana.put(path, json={"fields": {"lot": "x"}}).status_code == 409


def test_an_answer_counts_once_however_often_it_is_posted(hall: Hall) -> None:
    task, ana = hall.make(), hall.at("ana")
    states = [answer(ana, task, CONFIRMED, key="k1").json["state"] for _ in range(3)]
    assert states == ["done", "already", "already"]
    assert hall.rows("SELECT key FROM answers") == [("k1",)]


def test_the_answer_tells_what_is_next(hall: Hall) -> None:
    task, other = hall.make("MO-1"), hall.make("MO-2", start=1)
    done = answer(hall.at("ana"), task, CONFIRMED)
    assert done.json["next"] == f"/tasks/{other.task_id}"


def test_wrong_answers_are_named_field_by_field(hall: Hall) -> None:
    task, ana = hall.make(), hall.at("ana")
    wrong = answer(ana, task, {"lot": "x" * 61}, key="k")
    assert wrong.status_code == 422
    assert set(wrong.json["problems"]) == {"lot", "confirmed"}
    plain = ana.post(f"/tasks/{task.task_id}/answer", data={"lot": "L-9"})
    assert plain.status_code == 422
    assert "L-9" in plain.text
    assert len(hall.forms(task.instance_id)) == 1


def test_a_plain_form_works_without_scripts(hall: Hall) -> None:
    task, ana = hall.make(), hall.at("ana")
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
    assert answer(hall.at("ana"), task, sent).json["state"] == "done"
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
    task, ana = hall.make(), hall.at("ana")
    refused = ana.post(f"/tasks/{task.task_id}/answer", json=body, headers=JSON)
    assert refused.status_code == 400


def test_a_late_answer_waits_for_the_supervisor_who_discards_it(hall: Hall) -> None:
    task = hall.make()
    answer(hall.at("ana"), task, CONFIRMED, key="k1")
    ago = (hall.clock.now() - timedelta(minutes=30)).isoformat()
    lost = answer(
        hall.at("ben"), task, {**CONFIRMED, "lot": "L-2"}, key="k2", device_at=ago
    )
    assert (lost.status_code, lost.json["state"]) == (200, "conflict")
    assert lost.json["message"].startswith("answered by Ana at ")
    boss = hall.at("boss", Role.SUPERVISOR)
    assert "1 late answer" in boss.get("/tasks").text
    page = boss.get("/late").text
    for told in ("L-2", "L-1", "Ben answered", "Discard"):
        assert told in page
    assert "Accept it" not in page
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
    task, boss = hall.make(), hall.at("boss", Role.SUPERVISOR)
    hall.at("ben").post(f"/tasks/{task.task_id}/claim")
    lost = answer(hall.at("ana"), task, CONFIRMED, key="k")
    assert lost.json["message"] == "Ben has taken the task meanwhile"
    assert "Accept it" in boss.get("/late").text
    ((late_id,),) = hall.rows("SELECT id FROM late_answers")
    assert boss.post(f"/late/{late_id}", data={"decision": "accept"}).status_code == 303
    assert hall.rows("SELECT answered_by FROM answers") == [("ana",)]


def test_an_answer_for_a_cancelled_order_is_kept(hall: Hall) -> None:
    task = hall.make()
    cancel_instance(hall.uow, hall.advance, task.instance_id, by="boss", reason="x")
    lost = answer(hall.at("ana"), task, CONFIRMED, key="k", instance=task.instance_id)
    assert lost.json["state"] == "conflict"
    assert lost.json["message"] == "the process was cancelled meanwhile"
    assert answer(hall.at("ana"), task, CONFIRMED).status_code == 404


class Shared:
    """A tablet on which several people sign in one after the other."""

    def __init__(self, hall: Hall) -> None:
        self.hall, self.tablet_id = hall, hall.enrol()
        self.keys: dict[str, str] = {}

    def sign_in(self, login: str, *more: Any, **settings: Any) -> tuple[Browser, str]:
        """The browser, and what its pages say of this sign-in."""
        browser = self.hall.at(login, *more, tablet_id=self.tablet_id, **settings)
        cookie = browser.get_cookie("mpms_session")
        assert cookie is not None
        sign_in = hash_of(cookie.value)
        self.keys[sign_in] = browser.post("/me/entry-key").json["key"]
        return browser, sign_in

    def hands_in(
        self, browser: Browser, task: Any, kind: str = "answer", **sent: Any
    ) -> Any:
        """Post an entry as the script of the tablet does, signed when it was made."""
        path, body = f"/tasks/{task.task_id}/{kind}", json.dumps(sent).encode()
        key = bytes.fromhex(self.keys[sent["sign_in"]])
        made = hmac.new(key, f"{path}\n".encode() + body, "sha256").hexdigest()
        headers = JSON | {"Content-Type": "application/json", "Entry-Signature": made}
        return browser.post(path, data=body, headers=headers)

    def sign_out(self, sign_in: str) -> None:
        with self.hall.uow() as tx:
            tx.sessions.close(sign_in)


@pytest.fixture
def shared(hall: Hall) -> Shared:
    return Shared(hall)


def test_a_shared_tablet_hands_in_what_somebody_else_answered(
    hall: Hall, shared: Shared
) -> None:
    task = hall.make()
    _, sign_in = shared.sign_in("ana")
    answered_at = hall.clock.now()
    shared.sign_out(sign_in)
    tablet, _ = shared.sign_in("ben")
    done = shared.hands_in(
        *(tablet, task),
        answers=CONFIRMED,
        key="k1",
        answered_by="ana",
        sign_in=sign_in,
        device_at=answered_at.isoformat(),
    )
    assert done.json["state"] == "done"
    assert hall.rows("SELECT answered_by, device_at FROM answers") == [
        ("ana", answered_at)
    ]
    ((actor, data),) = hall.rows(
        "SELECT actor, data FROM events WHERE kind = 'form answered'"
    )
    assert (actor, data["posted_by"]) == ("ana", "ben")


def test_an_entry_counts_for_somebody_else_only_as_it_was_signed(
    hall: Hall, shared: Shared
) -> None:
    """Who comes later knows the name of the sign-in, and has no key of it."""
    task, other = hall.make(), hall.make("MO-2", start=1)
    ana, sign_in = shared.sign_in("ana")
    anew = ana.post("/me/entry-key").json["key"]  # the first may have been lost
    assert anew not in (None, shared.keys[sign_in])
    shared.keys[sign_in] = anew
    hall.rows("UPDATE tablet_sign_ins SET signed_in_at = now() - interval '2 minutes'")
    assert ana.post("/me/entry-key").json == {"key": None}
    tablet, own = shared.sign_in("ben")
    sent = {
        "answers": CONFIRMED,
        "key": "k1",
        "answered_by": "ana",
        "sign_in": sign_in,
        "device_at": hall.clock.now().isoformat(),
    }

    def refused(task: Any, body: dict[str, Any], signature: str) -> bool:
        got = tablet.post(
            f"/tasks/{task.task_id}/answer",
            json=body,
            headers=JSON | {"Entry-Signature": signature},
        )
        return bool(got.status_code == 403 and got.json["cause"] == "AnsweredElsewhere")

    path, key = f"/tasks/{task.task_id}/answer", bytes.fromhex(shared.keys[sign_in])
    words = f"{path}\n".encode() + json.dumps(sent).encode()
    right = hmac.new(key, words, "sha256").hexdigest()
    with_own = hmac.new(bytes.fromhex(shared.keys[own]), words, "sha256").hexdigest()
    for signature in ("", "0" * 64, with_own, "é"):
        assert refused(task, sent, signature)
    assert refused(task, sent | {"answers": {}}, right)
    assert refused(other, sent, right)
    assert hall.rows("SELECT count(*) FROM answers") == [(0,)]


def test_late_answers_are_bounded_and_only_of_those_who_could_answer(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = hall.make()
    cancel_instance(hall.uow, hall.advance, task.instance_id, by="boss", reason="x")
    stranger = hall.at("zoe", groups=("mixers",))
    assert answer(stranger, task, CONFIRMED, key="k").status_code == 403
    ana = hall.at("ana")
    monkeypatch.setattr(submit, "LATE_AT_MOST_BYTES", 200)
    assert answer(ana, task, {"note": "x" * 300}, key="k").status_code == 422
    monkeypatch.setattr(submit, "LATE_OF_TASK", 2)
    for key in ("k1", "k2", "k1"):
        assert answer(ana, task, CONFIRMED, key=key).json["state"] == "conflict"
    full = answer(ana, task, CONFIRMED, key="k3")
    assert (full.status_code, "Retry-After" in full.headers) == (503, True)
    assert hall.rows("SELECT count(*) FROM late_answers") == [(2,)]


def test_nobody_answers_as_somebody_who_was_not_signed_in_there(
    hall: Hall, shared: Shared
) -> None:
    task, elsewhere = hall.make(), Shared(hall)
    sign_ins = {
        "boss": elsewhere.sign_in("boss", Role.SUPERVISOR)[1],
        "eva": shared.sign_in("eva", Role.VIEWER)[1],
        "zoe": shared.sign_in("zoe", groups=("mixers",))[1],
        "old": shared.sign_in("old")[1],
        "ana": shared.sign_in("ana")[1],
    }
    with hall.uow() as tx:
        tx.people.set_active("old", False)
    desktop, (tablet, own) = hall.at("ben"), shared.sign_in("ben")
    now = hall.clock.now().isoformat()

    def refused(
        browser: Browser, login: Any, sign_in: str | None, at: Any = now
    ) -> bool:
        sent = {"answered_by": login, "sign_in": sign_in, "device_at": at}
        for kind, more in (
            ("answer", {"answers": CONFIRMED, "key": "k1"}),
            ("problem", {"code": "Other", "note": "?"}),
        ):
            path = f"/tasks/{task.task_id}/{kind}"
            got = browser.post(path, json=sent | more, headers=JSON)
            assert got.status_code in (400, 403), (login, kind, got.text)
        return True

    assert refused(desktop, "ana", sign_ins["ana"])
    assert refused(tablet, "boss", None)
    for login in ("boss", "eva", "zoe", "old", "nobody", 7):
        assert refused(tablet, login, sign_ins.get(str(login), own))
    assert refused(tablet, "boss", sign_ins["ana"])
    assert refused(tablet, "ana", sign_ins["ana"], None)
    assert hall.rows("SELECT count(*) FROM answers") == [(0,)]
    assert hall.rows("SELECT count(*) FROM late_answers") == [(0,)]


def test_an_answer_given_after_its_person_had_left_waits_for_that_person(
    hall: Hall, shared: Shared
) -> None:
    task = hall.make()
    _, left = shared.sign_in("boss", Role.SUPERVISOR)
    shared.sign_out(left)
    hall.rows(
        "UPDATE tablet_sign_ins SET ended_at = now() - interval '5 min',"
        " signed_in_at = now() - interval '10 min'"
    )
    tablet, _ = shared.sign_in("ben")
    for at in (hall.clock.now(), hall.clock.now() - timedelta(hours=1)):
        sent = {"answered_by": "boss", "sign_in": left, "device_at": at.isoformat()}
        got = answer(tablet, task, CONFIRMED, key="k1", **sent)
        assert (got.status_code, got.json["cause"]) == (403, "AnsweredElsewhere")
    back, _ = shared.sign_in("boss", Role.SUPERVISOR)
    assert answer(back, task, CONFIRMED, key="k1", **sent).json["state"] == "done"


def test_a_changed_password_ends_what_a_tablet_may_hand_in(
    hall: Hall, shared: Shared
) -> None:
    task = hall.make()
    _, sign_in = shared.sign_in("ana")
    with hall.uow() as tx:
        tx.sessions.close_all(hall.person("ana", Role.WORKER).id)
    hall.rows("UPDATE tablet_sign_ins SET ended_at = ended_at - interval '5 min'")
    tablet, _ = shared.sign_in("ben")
    at = hall.clock.now().isoformat()
    sent = {"answered_by": "ana", "sign_in": sign_in, "device_at": at}
    assert answer(tablet, task, CONFIRMED, key="k1", **sent).status_code == 403


def test_a_tablet_s_clock_is_believed_only_between_task_and_arrival(
    hall: Hall,
) -> None:
    ana = hall.at("ana")
    for start, (days, key) in enumerate(((-400, "k1"), (30, "k2"))):
        task = hall.make(f"MO-{key}", start=start)
        said = hall.clock.now() + timedelta(days=days)
        before = hall.clock.now()
        answer(ana, task, CONFIRMED, key=key, device_at=said.isoformat())
        ((kept,),) = hall.rows(f"SELECT device_at FROM answers WHERE key = '{key}'")
        assert task.created_at <= kept <= hall.clock.now()
        assert kept == task.created_at if days < 0 else kept >= before
        ((data,),) = hall.rows(
            "SELECT data FROM events WHERE kind = 'form answered'"
            f" AND task_id = '{task.task_id}'"
        )
        assert data["device_said"] == said.isoformat()


def test_a_problem_and_a_late_answer_tell_who_handed_them_in(
    hall: Hall, shared: Shared
) -> None:
    task, late = hall.make("MO-1"), hall.make("MO-2", start=1)
    _, sign_in = shared.sign_in("ana")
    tablet, _ = shared.sign_in("ben")
    at = hall.clock.now().isoformat()
    sent = {"answered_by": "ana", "sign_in": sign_in, "device_at": at}
    reported = shared.hands_in(tablet, task, "problem", code="Other", **sent)
    assert reported.json["state"] == "raised"
    cancel_instance(hall.uow, hall.advance, late.instance_id, by="boss", reason="x")
    lost = shared.hands_in(
        tablet, late, answers=CONFIRMED, key="k", instance=late.instance_id, **sent
    )
    assert lost.json["state"] == "conflict"
    assert hall.rows(
        "SELECT actor, data ->> 'posted_by' FROM events"
        " WHERE kind IN ('problem reported', 'answer came late') ORDER BY id"
    ) == [("ana", "ben"), ("ana", "ben")]
    leader = hall.at("boss", Role.SUPERVISOR)
    assert "handed in by Ben" in leader.get("/late").text


def test_an_instance_that_is_busy_asks_the_tablet_to_try_again(hall: Hall) -> None:
    task, ana = hall.make(), hall.at("ana")
    with hall.uow() as tx:
        tx.instances.lock(task.instance_id)
        busy = answer(ana, task, CONFIRMED, key="k")
    assert (busy.status_code, busy.json["retry"]) == (409, True)
    assert busy.headers["Retry-After"]
    assert answer(ana, task, CONFIRMED, key="k").json["state"] == "done"


def test_a_problem_is_refused_with_an_invented_cause(hall: Hall) -> None:
    task, ana = hall.make(), hall.at("ana")
    path = f"/tasks/{task.task_id}/problem"
    assert ana.post(path, json={"code": "Invented"}, headers=JSON).status_code == 422
    assert ana.post(path, json={"code": 1}, headers=JSON).status_code == 400
    plain = ana.post(path, data={"code": "Other", "note": "?"})
    assert (plain.status_code, plain.location) == (303, "/tasks")
    assert "continues another way" in ana.get("/tasks").text
    again = ana.post(path, json={"code": "Other"}, headers=JSON)
    assert again.json["state"] == "already"


def test_help_is_asked_for_and_the_task_is_handed_back(hall: Hall) -> None:
    path = f"/tasks/{hall.make().task_id}"
    ana, ben = hall.at("ana"), hall.at("ben")
    ana.post(f"{path}/claim")
    assert '<option value="ben">' in ana.get(path).text
    assert ana.post(f"{path}/help", data={"to": "ben"}).status_code == 303
    page = ben.get(path).text
    assert "Ana asks for your help" in page
    refused = ben.post(f"{path}/answer", json={"answers": {"loaded_kg": 10}})
    assert (refused.status_code, refused.json["cause"]) == (409, "HelpAwaited")
    assert ben.post(f"{path}/hand-back").status_code == 303
    assert ben.post(f"{path}/hand-back").status_code in (303, 409)
    assert "asks for your help" not in ana.get(path).text


def test_what_is_said_about_a_task_is_shown_as_text(hall: Hall) -> None:
    path = f"/tasks/{hall.make().task_id}"
    said = hall.at("ana").post(f"{path}/comment", data={"text": "<b>wet</b>"})
    assert said.status_code == 303
    page = hall.at("ben").get(path).text
    assert "&lt;b&gt;wet&lt;/b&gt;" in page
    assert hall.at("ana").post(f"{path}/comment", data={"text": " "}).status_code == 422


@pytest.mark.covers("A3")
def test_leaders_change_when_a_task_is_due_on_its_page(hall: Hall) -> None:
    task, boss = hall.make(), hall.at("boss", Role.SUPERVISOR)
    path = f"/tasks/{task.task_id}"
    given = {"due_at": "2030-01-02T03:04", "follow_up_at": "", "priority": "80"}
    assert 'name="due_at"' not in hall.at("ana").get(path).text
    assert hall.at("ana").post(f"{path}/schedule", data=given).status_code == 403
    assert boss.post(f"{path}/schedule", data=given).location == path
    page = boss.get(path).text
    assert 'value="2030-01-02T03:04"' in page
    assert 'value="80"' in page
    for wrong in ({"due_at": "soon"}, {"priority": "high"}):
        boss.post(f"{path}/schedule", data=given | wrong)
        assert 'value="2030-01-02T03:04"' in boss.get(path).text
    boss.post(f"{path}/schedule", data=given | {"due_at": ""})
    assert "2030-01-02" not in boss.get(path).text
