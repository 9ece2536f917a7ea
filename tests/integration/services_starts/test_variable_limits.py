"""Variables that are too large are refused by name, wherever they come from."""

from __future__ import annotations

import pytest

from mpms.domain.errors import VariableTooLarge
from mpms.domain.jobs import Done
from mpms.services.messages.broadcast_signal import broadcast_signal
from mpms.services.messages.correlate import correlate_message
from mpms.services.tasks.submit import submit_form
from tests.support.starting_plant import StartingPlant

HUGE = "x" * 4096
FORM = ('<startEvent id="b"/><userTask id="form"/><endEvent id="e"/>', "b form")


def test_a_start_a_message_and_a_signal_with_too_much_change_nothing(
    small_plant: StartingPlant,
) -> None:
    plant = small_plant
    start = '<messageEventDefinition id="d" messageRef="order"/>'
    plant.deploy(p=plant.beginning_with("p", start))
    with pytest.raises(VariableTooLarge, match="'photo'"):
        plant.begin("p", at="begin", variables={"photo": HUGE})
    with pytest.raises(VariableTooLarge, match="'photo'"):
        correlate_message(
            plant.uow,
            plant.advance,
            "Order placed",
            variables={"photo": HUGE},
            by="ada",
        )
    with pytest.raises(VariableTooLarge, match="'photo'"):
        broadcast_signal(
            plant.uow, plant.advance, "alarm", variables={"photo": HUGE}, by="ada"
        )
    assert plant.instances() == []
    assert plant.rows("SELECT * FROM deliveries") == []


def test_a_form_with_too_much_is_refused_and_stays_open(
    small_plant: StartingPlant,
) -> None:
    plant = small_plant
    elements, way = FORM
    plant.deploy(p=plant.draw("p", elements, way, "form e"))
    plant.begin("p")
    ((task_id,),) = plant.rows("SELECT task_id::text FROM tasks")
    with pytest.raises(VariableTooLarge, match="'note' has 4 KB"):
        submit_form(plant.uow, plant.advance, task_id, {"note": HUGE}, by="ada")
    assert plant.rows("SELECT * FROM answers") == []
    submit_form(plant.uow, plant.advance, task_id, {"note": "short"}, by="ada")
    (instance,) = plant.instances()
    assert plant.variables(instance.id) == {"note": "short"}


def test_a_job_that_gives_too_much_has_failed(small_plant: StartingPlant) -> None:
    plant = small_plant
    plant.handlers.add_inside("film", lambda tx, job: Done({"film": HUGE}))
    plant.deploy(
        p=plant.draw(
            "p",
            '<startEvent id="b"/><serviceTask id="work" camunda:type="external"'
            ' camunda:topic="film"/><boundaryEvent id="oops" attachedToRef="work">'
            '<errorEventDefinition id="d" camunda:errorMessageVariable="why"/>'
            '</boundaryEvent><userTask id="mend"/>',
            *("b work", "oops mend"),
        )
    )
    plant.begin("p")
    while plant.rows("SELECT id FROM jobs WHERE state = 'ready'"):
        plant.rows("UPDATE jobs SET run_at = now() WHERE state = 'ready'")
        plant.worker.settle()
    (instance,) = plant.instances()
    assert "'film' has 4 KB" in plant.variables(instance.id)["why"]


def test_a_script_that_makes_too_much_opens_an_incident(
    small_plant: StartingPlant,
) -> None:
    plant = small_plant
    plant.deploy(
        p=plant.draw(
            "p",
            '<startEvent id="b"/><scriptTask id="grow" scriptFormat="mpms">'
            "<script>big = part + part + part</script></scriptTask>"
            '<endEvent id="e"/>',
            *("b grow", "grow e"),
        )
    )
    plant.begin("p", variables={"part": "x" * 1000})
    (incident,) = plant.incidents()
    assert incident.element == "grow"
    assert "'big' has 3 KB" in incident.message
