"""What has been typed is kept, field by field, and only what the form asks for."""

from __future__ import annotations

from typing import Any

import pytest

from mpms.domain.errors import TaskGone
from mpms.services.tasks.claim import TaskTaken, claim_task
from mpms.services.tasks.save_draft import (
    MAX_BYTES,
    MAX_PHOTO_BYTES,
    DraftTooLarge,
    FieldUnknown,
    save_form_draft,
)
from mpms.services.tasks.submit import submit_form
from tests.support.weighing import WeighingShop


@pytest.fixture
def task_id(shop: WeighingShop) -> str:
    shop.deploy()
    return shop.weigh().task_id


def drafts(shop: WeighingShop, task_id: str) -> dict[str, Any]:
    with shop.uow() as tx:
        return tx.drafts.of(task_id)


def test_the_last_value_of_each_field_is_kept(shop: WeighingShop, task_id: str) -> None:
    ana = shop.person("ana")
    save_form_draft(shop.uow, task_id, {"kg": 1, "note": "a"}, person=ana)
    save_form_draft(shop.uow, task_id, {"kg": 2.5}, person=ana)
    assert drafts(shop, task_id) == {"kg": 2.5, "note": "a"}
    assert [data["field"] for _, data in shop.told("draft begun")] == ["kg", "note"]


def test_fields_that_the_form_lacks_are_refused_and_the_others_kept(
    shop: WeighingShop, task_id: str
) -> None:
    with pytest.raises(FieldUnknown):
        save_form_draft(
            shop.uow, task_id, {"role": "admin", "kg": 1}, person=shop.person("ana")
        )
    assert drafts(shop, task_id) == {"kg": 1}


def test_a_text_and_a_photo_have_limits_of_their_own(
    shop: WeighingShop, task_id: str
) -> None:
    ana = shop.person("ana")
    photo = "data:image/jpeg;base64," + "A" * (2 * MAX_BYTES)
    save_form_draft(shop.uow, task_id, {"photo": photo}, person=ana)
    for field, size in (("note", MAX_BYTES), ("photo", MAX_PHOTO_BYTES)):
        with pytest.raises(DraftTooLarge):
            save_form_draft(shop.uow, task_id, {field: "x" * size}, person=ana)
    assert drafts(shop, task_id) == {"photo": photo}


def test_nobody_types_into_a_form_that_somebody_else_has(
    shop: WeighingShop, task_id: str
) -> None:
    claim_task(shop.uow, task_id, person=shop.person("ana"))
    with pytest.raises(TaskTaken):
        save_form_draft(shop.uow, task_id, {"kg": 1}, person=shop.person("ben"))


def test_drafts_end_with_their_task(shop: WeighingShop, task_id: str) -> None:
    ana = shop.person("ana")
    save_form_draft(shop.uow, task_id, {"kg": 1}, person=ana)
    submit_form(shop.uow, shop.advance, task_id, {"kg": 1}, by="ana")
    assert shop.rows("SELECT count(*) FROM drafts") == [(0,)]
    with pytest.raises(TaskGone):
        save_form_draft(shop.uow, task_id, {"kg": 1}, person=ana)
