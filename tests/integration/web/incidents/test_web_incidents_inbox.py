"""The inbox: causes instead of lines, and everything one can do about them."""

from __future__ import annotations

import pytest

from mpms.services.incidents.inbox import PAGE
from tests.support.site import Browser
from tests.support.web_incidents import House


def page(client: Browser, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, answer.text
    return answer.text


def test_incidents_that_say_the_same_are_one_line(house: House) -> None:
    house.stuck("mixing", "K-1", "K-2", "K-3", trouble="no paper in printer 4")
    house.stuck("packing", "K-4", trouble="the printer burns")
    with house.uow() as tx:
        tx.incidents.open("mailbox", "The mailbox cannot be read")
    shown = page(house.browser("supervisor"), "/incidents")
    assert shown.count('class="card incidents-cause"') == 3
    assert "<strong>3 causes</strong>, 5 incidents" in shown
    assert "mixing process" in shown
    assert "Print the label" in shown
    assert "mailbox out of reach" in shown


@pytest.mark.parametrize(
    ("query", "seen", "unseen"),
    [
        ("process=mixing", "no paper", "burns"),
        ("process=-", "mailbox", "burns"),
        ("element=label", "burns", "The mailbox"),
        ("kind=mailbox", "The mailbox", "burns"),
        ("q=BURNS", "burns", "no paper"),
        ("q=k-1", "no paper", "burns"),
        ("whose=nobody", "burns", ""),
        ("whose=mine", "No incident matches.", "burns"),
        ("process=nothing", "No incident matches.", "burns"),
        ("sort=nonsense&q=%00", "burns", ""),
    ],
)
def test_filters_leave_what_fits(
    house: House, query: str, seen: str, unseen: str
) -> None:
    house.stuck("mixing", "K-1", trouble="no paper")
    house.stuck("packing", "K-2", trouble="it burns")
    with house.uow() as tx:
        tx.incidents.open("mailbox", "The mailbox cannot be read")
    client = house.browser("supervisor")
    part = client.get(f"/incidents?{query}", headers={"HX-Request": "true"}).text
    assert "<html" not in part
    assert seen in part
    assert not unseen or unseen not in part


def test_the_order_is_chosen_by_the_reader(house: House) -> None:
    house.stuck("mixing", "K-1", trouble="first")
    house.stuck("mixing", "K-2", "K-3", trouble="many")
    house.stuck("mixing", "K-4", trouble="newest")
    client = house.browser("supervisor")

    def order(sort: str) -> list[str]:
        part = client.get(f"/incidents?sort={sort}", headers={"HX-Request": "1"}).text
        found = {word: part.index(f": {word}") for word in ("first", "many", "newest")}
        return sorted(found, key=lambda word: found[word])

    assert order("longest") == ["first", "many", "newest"]
    assert order("most")[0] == "many"
    assert order("newest") == ["newest", "many", "first"]


def test_all_of_a_cause_are_tried_again_as_a_batch(house: House) -> None:
    house.stuck("mixing", "K-1", "K-2", "K-3", trouble="no paper")
    house.stuck("packing", "K-4", trouble="it burns")
    client = house.browser("supervisor")
    cause = house.causes()[0]
    house.trouble = None
    answer = client.post(f"/incidents/{cause}/retry-all", data={"reason": "new paper"})
    assert answer.status_code == 303
    ((batch,),) = house.rows("SELECT id FROM batches")
    assert answer.location == f"/batches/{batch}"  # where one sees how far it is
    house.worker.settle()
    ended = house.rows("SELECT count(*) FROM instances WHERE status = 'completed'")
    assert ended == [(3,)]
    assert house.open_incidents() == 1
    ((actor, data),) = house.told("batch ordered")
    assert (actor, data["reason"], data["items"]) == (
        "supervisor-en",
        "new paper",
        3,
    )
    over = page(client, f"/incidents/{cause}")
    assert "Resolved: no" in over
    assert "K-3" in over


def test_without_a_reason_nothing_is_tried_again(house: House) -> None:
    house.stuck("mixing", "K-1")
    (cause,) = house.causes()
    client = house.browser("supervisor")
    answer = client.post(f"/incidents/{cause}/retry-all", data={"reason": " "})
    assert answer.status_code == 422
    assert "Enter a reason" in answer.text
    assert house.open_incidents() == 1


def test_one_incident_is_tried_again_alone(house: House) -> None:
    house.stuck("mixing", "K-1", "K-2")
    (cause,) = house.causes()
    ((first,), _) = house.rows("SELECT id FROM incidents ORDER BY id")
    house.trouble = None
    client = house.browser("supervisor")
    client.post(f"/incidents/{cause}/one/{first}/retry")
    house.worker.settle()
    assert house.open_incidents() == 1
    again = client.post(f"/incidents/{cause}/one/{first}/retry")
    assert again.status_code == 409
    assert f"no open incident {first}" in again.text


def test_a_cause_is_given_to_somebody_and_what_comes_later_too(house: House) -> None:
    house.stuck("mixing", "K-1", "K-2")
    (cause,) = house.causes()
    client, other = house.browser("supervisor"), house.browser("admin")
    client.post(f"/incidents/{cause}/assign", data={"to": "admin-en"})
    house.stuck("mixing", "K-3")
    assert house.rows("SELECT DISTINCT assignee FROM incidents") == [("admin-en",)]
    assert "no paper" in page(other, "/incidents?whose=mine")
    client.post(f"/incidents/{cause}/assign", data={"to": ""})
    assert house.rows("SELECT DISTINCT assignee FROM incidents") == [(None,)]
    assert [(who, data["to"]) for who, data in house.told("incidents assigned")] == [
        ("supervisor-en", "admin-en"),
        ("supervisor-en", None),
    ]


@pytest.mark.parametrize("to", ["worker-en", "nobody-at-all"])
def test_only_leaders_are_given_incidents(house: House, to: str) -> None:
    house.stuck("mixing", "K-1")
    (cause,) = house.causes()
    house.browser("worker")
    client = house.browser("supervisor")
    answer = client.post(f"/incidents/{cause}/assign", data={"to": to})
    assert answer.status_code == 422
    assert house.rows("SELECT assignee FROM incidents") == [(None,)]


def test_a_comment_is_there_when_the_cause_comes_back(house: House) -> None:
    house.stuck("mixing", "K-1", trouble="no paper in printer 1")
    (cause,) = house.causes()
    client = house.browser("supervisor")
    said = "Paper is in the <cupboard>\nof Max"
    client.post(f"/incidents/{cause}/comment", data={"text": said})
    house.trouble = None
    client.post(f"/incidents/{cause}/retry-all", data={"reason": "paper"})
    house.worker.settle()
    house.stuck("mixing", "K-9", trouble="no paper in printer 22")
    shown = page(client, f"/incidents/{cause}")
    assert "Paper is in the &lt;cupboard&gt;" in shown
    assert "1 comment" in page(client, "/incidents")
    ((actor, data),) = house.told("incidents discussed")
    assert (actor, data["text"]) == ("supervisor-en", said)


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 4001])
def test_a_comment_that_cannot_be_kept_is_not_lost(house: House, text: str) -> None:
    house.stuck("mixing", "K-1")
    (cause,) = house.causes()
    client = house.browser("supervisor")
    answer = client.post(f"/incidents/{cause}/comment", data={"text": text})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert text in answer.text


@pytest.mark.parametrize("kind", ["reply", "mail", "mailbox"])
def test_what_only_tells_is_put_aside_with_a_reason(house: House, kind: str) -> None:
    with house.uow() as tx:
        tx.incidents.open(kind, "No reply could be sent to a@x.example")
        tx.incidents.open(kind, "No reply could be sent to b@x.example")
    (cause,) = house.causes()
    client = house.browser("supervisor")
    refused = client.post(f"/incidents/{cause}/close", data={"reason": ""})
    assert refused.status_code == 422
    client.post(f"/incidents/{cause}/close", data={"reason": "called them"})
    assert house.open_incidents() == 0
    notes = {(who, data["note"]) for who, data in house.told("incident closed")}
    assert notes == {("supervisor-en", "called them")}


def test_one_of_several_lost_replies_is_put_aside(house: House) -> None:
    with house.uow() as tx:
        tx.incidents.open("reply", "No reply could be sent to a@x.example")
        tx.incidents.open("reply", "No reply could be sent to b@x.example")
    (cause,) = house.causes()
    ((first,), _) = house.rows("SELECT id FROM incidents ORDER BY id")
    client = house.browser("supervisor")
    assert "b@x.example" in page(client, f"/incidents/{cause}")
    address = f"/incidents/{cause}/one/{first}/close"
    assert client.post(address, data={"reason": "done"}).status_code == 303
    assert house.open_incidents() == 1


def test_what_a_process_waits_for_is_not_put_aside(house: House) -> None:
    house.stuck("mixing", "K-1")
    (cause,) = house.causes()
    client = house.browser("supervisor")
    answer = client.post(f"/incidents/{cause}/close", data={"reason": "away"})
    assert answer.status_code == 422
    assert "must be tried again" in answer.text
    assert house.open_incidents() == 1


def test_many_incidents_of_a_cause_come_in_pages(house: House) -> None:
    with house.uow() as tx:
        for number in range(PAGE + 5):
            tx.incidents.open("reply", f"No reply {number}")
    (cause,) = house.causes()
    client = house.browser("supervisor")
    first = page(client, f"/incidents/{cause}")
    assert first.count('<tr id="incident-') == PAGE
    ((last,),) = house.rows(
        "SELECT id FROM incidents ORDER BY id OFFSET %s LIMIT 1", PAGE - 1
    )
    assert f"after={last}" in first
    second = page(client, f"/incidents/{cause}?after={last}")
    assert second.count('<tr id="incident-') == 5
    assert page(client, f"/incidents/{cause}?after=x").count("<tr id=") == PAGE


def test_incidents_of_before_causes_are_in_the_inbox(house: House) -> None:
    house.stuck("mixing", "K-1", "K-2")
    ((named,),) = house.rows("SELECT DISTINCT cause FROM incidents")
    house.rows("UPDATE incidents SET cause = ''")
    shown = page(house.browser("supervisor"), "/incidents")
    assert f"/incidents/{named}" in shown


def test_an_incident_of_a_drive_knows_its_step(house: House) -> None:
    """Whoever opens it names the task only."""
    house.stuck("mixing", "K-1")
    ((instance_id, task_id),) = house.rows(
        "SELECT instance_id::text, task_id::text FROM incidents"
    )
    with house.uow() as tx:
        place = {"instance_id": instance_id, "task_id": task_id}
        assert not tx.incidents.open("goal", "robot1: motor is off", **place)
    assert house.rows("SELECT kind, element FROM incidents") == [("goal", "label")]


@pytest.mark.parametrize("role", ["worker", "viewer"])
def test_the_inbox_is_for_leaders(house: House, role: str) -> None:
    house.stuck("mixing", "K-1")
    (cause,) = house.causes()
    client = house.browser(role)
    for address in ("/incidents", f"/incidents/{cause}", "/incidents/alerts"):
        page(client, address, 403)
    for action in ("retry-all", "assign", "comment", "close"):
        answer = client.post(f"/incidents/{cause}/{action}", data={"reason": "x"})
        assert answer.status_code == 403
    assert house.open_incidents() == 1


def test_a_cause_that_never_was_is_not_found(house: House) -> None:
    client = house.browser("supervisor")
    page(client, "/incidents/c000", 404)
    answer = client.post("/incidents/c000/comment", data={"text": "hello"})
    assert answer.status_code == 404


@pytest.mark.parametrize(("language", "word"), [("de", "Ursache"), ("es", "causa")])
def test_the_inbox_speaks_the_language_of_its_reader(
    house: House, language: str, word: str
) -> None:
    house.stuck("mixing", "K-1")
    assert f"1 {word}" in page(house.browser("supervisor", language), "/incidents")


def test_hostile_messages_are_text(house: House) -> None:
    with house.uow() as tx:
        tx.incidents.open("reply", "<script>alert(1)</script>")
    (cause,) = house.causes()
    client = house.browser("supervisor")
    for address in ("/incidents", f"/incidents/{cause}"):
        assert "<script>alert" not in page(client, address)


def test_work_that_nobody_does_is_on_the_start_page_and_in_the_inbox(
    house: House,
) -> None:
    house.worker.settle()
    house.deploy("mixing", topic="prnit")
    for business_key in ("K-1", "K-2"):
        house.start_only("mixing", business_key=business_key)
    house.another_worker("second", topic_patience_s=0.0).settle()
    client = house.browser("supervisor")
    said = (
        "Nobody works on the topic &#39;prnit&#39;. Did the model mean &#39;print&#39;?"
    )
    assert said in page(client, "/")
    inbox = page(client, "/incidents")
    assert said in inbox
    assert "<strong>1 cause</strong>, 2 incidents" in inbox
    assert "nobody does this work" in inbox
    (cause,) = house.causes()
    assert "Put aside" in page(client, f"/incidents/{cause}")
