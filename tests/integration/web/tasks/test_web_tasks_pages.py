"""The list and the cards of tasks: who sees what, and that it is only text."""

from __future__ import annotations

from html.parser import HTMLParser
from uuid import uuid4

import pytest

from mpms.domain.people.people import Role
from tests.support.web_tasks import Hall

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"


class Tags(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.attributes: set[str] = set()
        self.images: list[str | None] = []
        self.scripts: list[str] = []
        self._inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.update(name for name, _ in attrs)
        self._inside = tag == "script"
        if tag == "img":
            self.images.append(dict(attrs).get("src"))

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts.append(data)


def test_a_worker_sees_the_next_task_with_place_amount_and_order(hall: Hall) -> None:
    task = hall.make("MO-7")
    page = hall.at("ana").get("/tasks").text
    for told in ("Load material", "Water", "10\N{NO-BREAK SPACE}kg", "MO-7"):
        assert told in page
    assert f'data-task="{task.task_id}"' in page
    assert hall.at("ana").get("/tasks/list").status_code == 200


def test_people_see_and_open_only_what_they_may_do(hall: Hall) -> None:
    task = hall.make()
    path = f"/tasks/{task.task_id}"
    strangers = hall.at("zoe", groups=("mixers",))
    assert task.task_id not in strangers.get("/tasks").text
    assert strangers.get(path).status_code == 403
    assert strangers.post(f"{path}/claim").status_code == 403
    assert strangers.post(f"{path}/answer", json={"answers": {}}).status_code == 403
    assert strangers.put(f"{path}/draft", json={"fields": {}}).status_code == 403
    problem = strangers.post(f"{path}/problem", json={"code": "Other"})
    assert (problem.status_code, problem.json["cause"]) == (403, "NotYourTask")
    for login, role in (("ana", Role.WORKER), ("boss", Role.SUPERVISOR)):
        somebody = hall.at(login, role)
        assert task.task_id in somebody.get("/tasks").text
        assert somebody.get(path).status_code == 200


def test_viewers_have_no_tasks_and_workers_no_late_answers(hall: Hall) -> None:
    task = hall.make()
    viewer, worker = hall.at("eva", Role.VIEWER), hall.at("ana")
    path = f"/tasks/{task.task_id}"
    for get in ("/tasks", "/tasks/list", path, f"{path}/now", "/late", "/late/1"):
        assert viewer.get(get).status_code == 403, get
    for post in (f"{path}/claim", f"{path}/release", f"{path}/answer", "/late/1"):
        assert viewer.post(post).status_code == 403, post
    assert worker.get("/late").status_code == 403
    assert worker.post("/late/1", data={"decision": "accept"}).status_code == 403
    assert hall.at("boss", Role.SUPERVISOR).get("/late").status_code == 200


def test_strangers_are_sent_to_the_login(hall: Hall) -> None:
    nobody = hall.visitor()
    assert nobody.get("/tasks").status_code == 303
    assert nobody.post(f"/tasks/{uuid4()}/claim").status_code == 401


def test_a_card_has_the_amounts_of_all_lines_and_a_problem_button(hall: Hall) -> None:
    task = hall.make("MO-7")
    page = hall.at("ana").get(f"/tasks/{task.task_id}").text
    for told in ("Water", "Titanium dioxide", "RM-002", "Material is missing"):
        assert told in page
    assert '<svg class="mini-map"' in page
    assert "is here" in page
    assert 'data-claimed="free"' in page


def test_a_task_that_is_over_leads_back_to_the_list(hall: Hall) -> None:
    browser = hall.at("ana")
    gone = browser.get(f"/tasks/{uuid4()}")
    assert (gone.status_code, gone.location) == (303, "/tasks")
    assert "This task has ended" in browser.get("/tasks").text
    assert "has ended" in browser.get(f"/tasks/{uuid4()}/now").text


def test_supervisors_see_who_has_what_and_what_waits_for_them(hall: Hall) -> None:
    first, _ = hall.make("MO-1"), hall.make("MO-2", start=1)
    hall.at("ana").post(f"/tasks/{first.task_id}/claim")
    report = hall.at("ben").post(
        f"/tasks/{hall.draw({'type': 'textfield', 'key': 'a'}).task_id}/problem",
        json={"code": "Other", "note": "?"},
    )
    assert report.json["state"] == "told"
    page = hall.at("boss", Role.SUPERVISOR).get("/tasks").text
    assert "In progress by others" in page
    assert "1 incident" in page
    assert "Ana" in page
    assert "In progress by others" not in hall.at("ben").get("/tasks").text


def test_a_failed_order_asks_for_a_serious_decision(hall: Hall) -> None:
    task, browser = hall.make("MO-7"), hall.at("ana")
    raised = browser.post(
        f"/tasks/{task.task_id}/problem",
        json={"code": "MaterialMissing", "note": "shelf is empty"},
    )
    assert raised.json["state"] == "raised"
    (decide,) = hall.forms(task.instance_id)
    page = browser.get(f"/tasks/{decide.task_id}").text
    for told in ("Cancel the order", "Complete it manually", "shelf is empty"):
        assert told in page
    assert "task-page-bad" in page
    assert "MO-7 ends with this decision" in page


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_stored_scripts_are_shown_as_text_everywhere(hall: Hall, language: str) -> None:
    fields = (
        {"type": "text", "text": EVIL + " {{order_number}}"},
        {"type": "textfield", "key": "note", "label": EVIL, "description": EVIL},
        {
            "type": "radio",
            "key": "pick",
            "label": EVIL,
            "values": [{"label": EVIL, "value": EVIL}],
        },
    )
    attribute = EVIL.replace("<", "&lt;").replace(">", "&gt;")
    material = {"code": EVIL, "name": EVIL, "required_kg": 1, "place": EVIL}
    task = hall.draw(
        *fields,
        task=f'name="{attribute}"',
        order_number=EVIL,
        product=EVIL,
        robot=EVIL,
        place=EVIL,
        message=EVIL,
        error_message=EVIL,
        material=material,
        materials=[material],
        index=0,
        loaded=[{**material, "lot": EVIL, "loaded_kg": EVIL}],
    )
    hall.make(EVIL, product=EVIL)
    ana, boss = hall.at("ana", name=EVIL), hall.at("boss", Role.SUPERVISOR)
    with hall.uow() as tx:
        for login in ("ana", "boss"):
            tx.people.set_language(login, language)
    path = f"/tasks/{task.task_id}"
    assert ana.put(f"{path}/draft", json={"fields": {"note": EVIL}}).status_code == 204
    pages = [ana.get("/tasks").text, ana.get(path).text, ana.get(f"{path}/now").text]
    assert ana.post(f"{path}/claim").status_code == 303
    pages += [boss.get("/tasks").text, boss.get(path).text]
    answer = {"answers": {"note": EVIL, "pick": EVIL}, "key": "k1"}
    assert ana.post(f"{path}/answer", json=answer).json["state"] == "done"
    late = {"answers": {"note": EVIL, EVIL: EVIL}, "key": "k2"}
    assert boss.post(f"{path}/answer", json=late).json["state"] == "conflict"
    pages.append(boss.get("/late").text)
    assert "&lt;script&gt;" in pages[-1]
    for page in pages:
        found = Tags(page)
        assert "alert" not in " ".join(found.scripts)
        assert not [n for n in found.attributes if n.startswith("on") or n == "style"]
        assert not [source for source in found.images if source == "x"]
