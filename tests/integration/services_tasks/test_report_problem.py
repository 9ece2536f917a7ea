"""A problem is caught by the model, or by a supervisor."""

from __future__ import annotations

from typing import Any

import pytest

from mpms.domain.models.definitions import Cause, Causes
from mpms.domain.tasks import FormTask
from mpms.plugins import loading
from mpms.services.tasks.claim import NotYourTask, TaskTaken, claim_task
from mpms.services.tasks.report_problem import (
    OTHER,
    CauseUnknown,
    NoteTooLong,
    causes_of,
    offered,
    report_problem,
)
from mpms.services.tasks.submit import submit_form
from tests.support.weighing import WeighingShop


def report(
    shop: WeighingShop, task_id: str, code: str, note: str = "", by: str = "ana"
) -> Any:
    return report_problem(
        shop.uow, shop.advance, task_id, code, note, person=shop.person(by)
    )


def variables(shop: WeighingShop, task: FormTask) -> dict[str, Any]:
    with shop.uow() as tx:
        return tx.tasks.variables([task.instance_id])[task.instance_id]


def test_a_cause_that_the_model_names_raises_its_error(shop: WeighingShop) -> None:
    shop.deploy(caught=True)
    task = shop.weigh()
    assert report(shop, task.task_id, "Spilled", "on the floor").caught
    (clean,) = shop.forms(task.instance_id)
    assert clean.element == "clean"
    seen = variables(shop, clean)
    assert seen["code"] == "Spilled"
    assert seen["why"] == "Something was spilled: on the floor"
    assert shop.told("problem reported") == [
        ("ana", {"code": "Spilled", "note": "on the floor"})
    ]
    with shop.uow() as tx:
        assert tx.incidents.listing() == []


def test_what_nobody_catches_becomes_an_incident_and_the_task_stays(
    shop: WeighingShop,
) -> None:
    shop.deploy()
    task = shop.weigh()
    assert not report(shop, task.task_id, "MaterialMissing", "empty shelf").caught
    assert [t.task_id for t in shop.forms()] == [task.task_id]
    with shop.uow() as tx:
        (incident,) = tx.incidents.listing()
    assert (incident.kind, incident.task_id) == ("problem", task.task_id)
    assert incident.message == "Ana: Material is missing: empty shelf"
    submit_form(shop.uow, shop.advance, task.task_id, {"kg": 1}, by="ana")
    with shop.uow() as tx:
        assert tx.incidents.listing() == []


def test_the_shipped_process_lets_somebody_decide(stocked_shop: WeighingShop) -> None:
    shop = stocked_shop
    instance_id = shop.make("MO-1")
    (load,) = shop.forms(instance_id)
    assert report(shop, load.task_id, "MaterialDamaged", "wet").caught
    (decide,) = shop.forms(instance_id)
    assert decide.form == "order_failed"
    seen = variables(shop, decide)
    assert seen["error_code"] == "MaterialDamaged"
    assert seen["error_message"] == "Material is damaged: wet"


def test_causes_are_the_models_own_and_the_usual_ones(shop: WeighingShop) -> None:
    shop.deploy(caught=True)
    task = shop.weigh()
    with shop.uow() as tx:
        codes = [cause.code for cause in causes_of(tx, shop.advance, task)]
    assert codes == ["Spilled", "Other"]
    own = (Cause("Other", "Anything"),)
    assert [c.name for c in offered(Causes(own, any_code=False))] == ["Anything"]
    usual = loading.kinds().problems
    for any_code in (True, False):
        assert offered(Causes((), any_code), usual) == (*usual, OTHER)
    assert "RobotProblem" in {cause.code for cause in usual}


def test_reports_are_refused_that_make_no_sense(shop: WeighingShop) -> None:
    shop.deploy(caught=True, groups="worker")
    task = shop.weigh()
    with pytest.raises(CauseUnknown):
        report(shop, task.task_id, "Invented")
    with pytest.raises(NoteTooLong):
        report(shop, task.task_id, "Spilled", "x" * 501)
    shop.person("zoe", groups=("mixers",))
    with pytest.raises(NotYourTask):
        report(shop, task.task_id, "Spilled", by="zoe")
    claim_task(shop.uow, task.task_id, person=shop.person("ben"))
    with pytest.raises(TaskTaken):
        report(shop, task.task_id, "Spilled")
    assert shop.told("problem reported") == []


def test_a_report_that_comes_too_late_stays_in_the_history(shop: WeighingShop) -> None:
    shop.deploy(caught=True)
    task = shop.weigh()
    report(shop, task.task_id, "Spilled")
    again = report(shop, task.task_id, "Spilled", "again")
    assert (again.caught, again.late) == (False, True)
    assert shop.told("problem reported too late") == [
        ("ana", {"code": "Spilled", "note": "again"})
    ]
