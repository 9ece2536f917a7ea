"""A weight outside the tolerance, accepted by a supervisor who signs in again."""

from __future__ import annotations

import pytest

from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.domain.people.people import Role
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import LoopbackScale
from tests.support.site import Browser
from tests.support.web_tasks import Hall

ANSWER = {"confirmed": "on"}
ACCEPT = "Accept {}\N{NO-BREAK SPACE}kg instead of"


@pytest.fixture
def scale(hall: Hall) -> LoopbackScale:
    scale = LoopbackScale(lambda robot: 10.0)
    hall.handlers = factory_bootstrap.factory_handlers(
        hall.uow, hall.advance, hall.world, scale=scale
    )
    hall.worker = hall.another_worker("with a scale")
    return scale


def supervisor(hall: Hall) -> Browser:
    sofia = hall.at("sofia", Role.SUPERVISOR, name="Sofia")
    with hall.uow() as tx:
        tx.people.set_password("sofia", Argon2Hasher().hash("right horse"))
    return sofia


def load(hall: Hall, browser: Browser, scale: LoopbackScale, kg: float) -> str:
    """The task that waits after the load was confirmed and weighed."""
    scale.readings = [kg]
    (task,) = hall.forms()
    path = f"/tasks/{task.task_id}/answer"
    assert browser.post(path, data=ANSWER).status_code == 303
    hall.worker.settle()
    (task,) = hall.forms()
    assert task.form is not None
    return task.form if task.form != "load_material" else task.task_id


@pytest.mark.covers("A58")
def test_a_supervisor_signs_for_a_deviation_and_the_record_keeps_why(
    hall: Hall, scale: LoopbackScale
) -> None:
    ana, sofia = hall.at("ana"), supervisor(hall)
    task = hall.make()
    accept = f"/tasks/{task.task_id}/accept-weight"
    said = {"reason": "the customer agrees", "password": "right horse"}
    assert sofia.post(accept, data=said).status_code == 422  # nothing was weighed
    task_id = load(hall, ana, scale, 11.5)
    accept = f"/tasks/{task_id}/accept-weight"
    assert ACCEPT.format(11.5) not in ana.get(f"/tasks/{task_id}").text
    assert ACCEPT.format(11.5) in sofia.get(f"/tasks/{task_id}").text
    assert ana.post(accept, data=said).status_code == 403
    wrong = sofia.post(accept, data=said | {"password": "battery"})
    assert wrong.status_code == 422
    assert "The password is wrong" in wrong.text
    assert sofia.post(accept, data=said | {"reason": " "}).status_code == 422
    assert hall.told("weight accepted") == []
    assert sofia.post(accept, data=said).status_code == 303
    assert "has accepted 11.5 kg" in ana.get(f"/tasks/{task_id}").text
    assert ACCEPT.format(11.5) not in sofia.get(f"/tasks/{task_id}").text
    assert load(hall, ana, scale, 11.5) == "unload_material"
    ((who, data),) = hall.told("weight accepted")
    assert who == "sofia"
    expected = {
        "order": "MO-1",
        "material": "RM-001",
        "kg": 11.5,
        "required_kg": 10.0,
        "meaning": "deviation approved",
        "by": "password",
        "reason": "the customer agrees",
    }
    assert data == expected
    lines = "SELECT content FROM record_lines WHERE content LIKE '%weight accepted%'"
    ((content,),) = hall.rows(lines)
    assert "deviation approved" in content
    assert "the customer agrees" in content


def test_another_weight_than_the_accepted_one_is_judged_anew(
    hall: Hall, scale: LoopbackScale
) -> None:
    ana, sofia = hall.at("ana"), supervisor(hall)
    hall.make()
    task_id = load(hall, ana, scale, 11.5)
    said = {"reason": "it is fine", "password": "right horse"}
    path = f"/tasks/{task_id}/accept-weight"
    assert sofia.post(path, data=said).status_code == 303
    little = load(hall, ana, scale, 8.0)
    assert "2\N{NO-BREAK SPACE}kg too little" in ana.get(f"/tasks/{little}").text
    again = load(hall, ana, scale, 11.6)
    assert "1.6\N{NO-BREAK SPACE}kg too much" in ana.get(f"/tasks/{again}").text
    assert "Wrong weight: the scale shows 11.6 kg" in ana.get(f"/tasks/{again}").text
    assert ACCEPT.format(11.6) in sofia.get(f"/tasks/{again}").text
