"""The page of a delivery on the customer's phone, who has no account."""

from __future__ import annotations

from typing import Any

import pytest

from mpms.domain.people.people import Role
from tests.support.web_orders import Plant

SAID = {
    "goods": "Two <parcels>",
    "customer": "Ms Lind",
    "customer_place": "B",
    "vehicle": "robot2",
    "delivery_robot": "robot1",
    "handover_kerb": "C",
    "handover_place": "A",
    "wait_minutes": 10,
    "when_away": "ask",
}


def answer(plant: Plant, element: str, **said: Any) -> None:
    (task,) = [task for task in plant.forms() if task.element == element]
    plant.submit(task.task_id, said)


def brought(plant: Plant) -> str:
    """A delivery whose robot stands at the customer's."""
    link = plant.start("last_mile")
    answer(plant, "say_what", **SAID)
    answer(plant, "hand_over", load_place="left_front", handed_over=True)
    return link


@pytest.mark.covers("Z36")
def test_a_customer_without_an_account_confirms_by_code(plant: Plant) -> None:
    link = plant.start("last_mile")
    customer = plant.visitor()
    address = f"/last-mile/{link}"
    assert "is being prepared" in customer.get(address).text
    answer(plant, "say_what", **SAID)
    plant.held_robots.held = True
    answer(plant, "hand_over", load_place="left_front", handed_over=True)
    assert "is on its way" in customer.get(address).text
    early = customer.post(address, data={"code": "1"}, follow_redirects=True)
    assert "does not wait for a code" in early.text
    plant.held_robots.held = False
    plant.worker.settle()
    code = plant.variables(link)["delivery_code"]
    here = customer.get(address)
    assert "The robot is here" in here.text
    assert code not in here.text
    assert "Two &lt;parcels&gt;" in here.text
    customer.post(address, data={"code": "no"})
    plant.worker.settle()
    assert "This code is not right" in customer.get(f"{address}/now").text
    customer.post(address, data={"code": code})
    plant.worker.settle()
    assert "Delivered" in customer.get(address).text


def test_the_page_says_when_a_person_looks_after_it_and_when_it_is_over(
    plant: Plant,
) -> None:
    link = brought(plant)
    customer = plant.visitor()
    for _ in range(5):
        customer.post(f"/last-mile/{link}", data={"code": "no"})
        plant.worker.settle()
    assert "wrong too often" in customer.get(f"/last-mile/{link}").text
    answer(plant, "customer_problem", again="no")
    answer(plant, "take_back", taken_back=True)
    assert "has ended" in customer.get(f"/last-mile/{link}").text


def test_the_page_speaks_german_and_spanish(plant: Plant) -> None:
    link = brought(plant)
    for language, words in (("de", "Der Roboter ist da"), ("es", "El robot ha")):
        customer = plant.visitor()
        said = {"Accept-Language": language}
        assert words in customer.get(f"/last-mile/{link}", headers=said).text


@pytest.mark.parametrize("link", ["x", "00000000-0000-0000-0000-000000000000"])
def test_a_link_of_nobody_is_not_found(plant: Plant, link: str) -> None:
    customer = plant.visitor()
    assert customer.get(f"/last-mile/{link}").status_code == 404
    assert customer.post(f"/last-mile/{link}", data={"code": "1"}).status_code == 404


def test_a_slip_has_the_page_as_a_qr_code_for_those_who_work_here(plant: Plant) -> None:
    link = plant.start("last_mile")
    plant.person("ana", Role.WORKER, groups=("worker",))
    worker = plant.browser_of("ana")
    assert "qr-code" in worker.get(f"/last-mile/{link}/slip").text
    answer(plant, "say_what", **SAID)
    (task,) = [task for task in plant.forms() if task.element == "hand_over"]
    assert f'href="/last-mile/{link}/slip"' in worker.get(f"/tasks/{task.task_id}").text
    slip = worker.get(f"/last-mile/{link}/slip").text
    assert "For Ms Lind" in slip
    assert f"/last-mile/{link}" in slip
    assert plant.variables(link)["delivery_code"] not in slip
    assert plant.visitor().get(f"/last-mile/{link}/slip").status_code != 200


def test_a_supervisor_starts_deliveries_and_sees_what_became_of_each(
    plant: Plant,
) -> None:
    plant.person("sofia", Role.SUPERVISOR, groups=("worker",))
    sofia = plant.browser_of("sofia")
    assert "Nothing has been delivered yet" in sofia.get("/last-mile").text
    sent = sofia.post("/last-mile")
    (task,) = [task for task in plant.forms() if task.element == "say_what"]
    assert sent.headers["Location"] == f"/tasks/{task.task_id}"
    assert "not said yet" in sofia.get("/last-mile").text
    plant.submit(task.task_id, SAID)
    answer(plant, "hand_over", load_place="left_front", handed_over=True)
    listed = sofia.get("/last-mile").text
    assert "waits for the customer" in listed
    assert f'href="/last-mile/{task.instance_id}"' in listed
    viewer = plant.browser(Role.VIEWER)
    assert "New delivery" not in viewer.get("/last-mile").text
    assert viewer.post("/last-mile").status_code == 403
