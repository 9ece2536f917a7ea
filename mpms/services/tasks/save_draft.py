"""Keep what has been typed so far, field by field, so that no tablet loses it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mpms.domain.errors import MpmsError, TaskGone
from mpms.domain.forms import fields
from mpms.domain.people.people import Person
from mpms.domain.tasks import FormTask
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.tasks.claim import require_doable, require_free
from mpms.services.tasks.keep_attachments import PICTURES

MAX_BYTES = 64 << 10
MAX_PHOTO_BYTES = 6 << 20


class DraftTooLarge(MpmsError):
    """That is too much for one field."""


class FieldUnknown(MpmsError):
    """The form does not ask for this."""


def save_form_draft(
    uow: UnitOfWork, task_id: str, values: Mapping[str, Any], *, person: Person
) -> None:
    """Keep fields of an open form.

    TaskGone, NotYourTask, TaskTaken; FieldUnknown and DraftTooLarge once everything
    else is kept. The history tells who began to fill in a field, not every change.
    """
    refused: MpmsError | None = None
    with uow() as tx:
        task = require_doable(tx, task_id, person)
        require_free(tx, task, person)
        schema = None if task.form is None else tx.definitions.form(task.form)
        asked = {field["key"]: field for field in fields(schema or {})}
        known = tx.drafts.of(task_id)
        for field, value in values.items():
            if field not in asked:
                refused = FieldUnknown()
            elif _size(value) > _limit(asked[field]):
                refused = DraftTooLarge()
            elif not tx.drafts.save(task_id, field, value, by=person.login):
                raise TaskGone
            elif field not in known:
                _tell(tx, task, field, person)
    if refused is not None:
        raise refused


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode(errors="replace"))


def _limit(field: Mapping[str, Any]) -> int:
    return MAX_PHOTO_BYTES if field.get("type") in PICTURES else MAX_BYTES


def _tell(tx: Transaction, task: FormTask, field: str, person: Person) -> None:
    tx.events.append(
        "draft begun",
        actor=person.login,
        instance_id=task.instance_id,
        element=task.element,
        task_id=task.task_id,
        data={"field": field},
    )
