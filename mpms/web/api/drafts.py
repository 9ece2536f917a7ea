"""Drafts of models by the API: what somebody draws, laid before them or taken over.

Drafts are a person's. A program of an administrator reads and writes those of the
person it names, and says which draft it has read before it replaces one.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from mpms.domain.people.people import Person
from mpms.ports.models.models import ModelDraft
from mpms.services.models.check import check_model
from mpms.services.models.deploy import deploy_models
from mpms.services.models.save_draft import (
    MAX_BYTES,
    DraftUnknown,
    find_draft,
    lay_draft,
    take_draft,
)
from mpms.services.people.change_secret import known
from mpms.web.api.files import XML, Deployed, FindingShape, Note
from mpms.web.api.models import section
from mpms.web.api.operation import Call, File, Given, Shape
from mpms.web.api.people import Login
from mpms.web.api.values import Listed, Version, shaped
from mpms.web.rights import ADMINS

__all__ = ["section"]

HERE = "/people/{login}/drafts/{kind}/{key}"
Kind = Annotated[
    Literal["process", "decision", "form"], Field(description="What it is a draft of.")
]
Key = Annotated[
    str, Field(min_length=1, max_length=200, description="The id of the model.")
]
ENDINGS = {"process": "bpmn", "decision": "dmn", "form": "form"}


class DraftInList(Shape):
    kind: str
    key: str
    base_version: int | None = Field(description="Where it began; null: with nothing.")
    saved_at: datetime


class DraftShape(DraftInList):
    findings: list[FindingShape]


class NewDraft(Given):
    content: Annotated[str, Field(max_length=MAX_BYTES)]
    base_version: Version | None = None
    over: datetime | None = Field(
        default=None,
        description="`saved_at` of the draft that this replaces, if there is one.",
    )


class WithNote(Given):
    note: Note = ""


@section.get("/people/{login}/drafts", ADMINS)
def drafts(call: Call, login: Login) -> Listed[DraftInList]:
    """What somebody has drawn and not deployed, the last saved first."""
    person = _person(call, login)
    with call.desk.uow() as tx:
        found = tx.models.drafts(person.id)
    return Listed[DraftInList](items=shaped(DraftInList, found))


@section.get(HERE, ADMINS)
def draft(call: Call, login: Login, kind: Kind, key: Key) -> DraftShape:
    """One draft, and what is wrong with it."""
    return _shown(call, _draft(call, login, kind, key))


@section.get(HERE + "/file", ADMINS, files=(XML,))
def draft_file(call: Call, login: Login, kind: Kind, key: Key) -> File:
    """The drawing itself."""
    return File(_draft(call, login, kind, key).content, XML)


@section.post(HERE, ADMINS)
def keep_draft(
    call: Call, login: Login, kind: Kind, key: Key, body: NewDraft
) -> DraftShape:
    """Keep a draft, however wrong it is, and hear what is wrong with it."""
    lay_draft(
        call.desk.uow,
        login,
        kind,
        key,
        body.content.encode(),
        base_version=body.base_version,
        over=body.over,
        by=call.by,
    )
    return draft(call, login, kind, key)


@section.post(HERE + "/deploy", ADMINS, status=201)
def deploy_draft(
    call: Call, login: Login, kind: Kind, key: Key, body: WithNote
) -> Deployed:
    """Deploy a draft; it is a draft no more."""
    desk, found = call.desk, _draft(call, login, kind, key)
    done = deploy_models(
        desk.uow,
        desk.engine,
        {_file_name(found): found.content},
        by=call.by,
        note=body.note,
        now=desk.clock.now(),
    )
    take_draft(desk.uow, login, kind, key, by=call.by)
    return Deployed.of(done)


@section.delete(HERE, ADMINS)
def drop_draft(call: Call, login: Login, kind: Kind, key: Key) -> None:
    """Throw a draft away."""
    take_draft(call.desk.uow, login, kind, key, by=call.by)


def _person(call: Call, login: str) -> Person:
    with call.desk.uow() as tx:
        return known(tx.people.get(login), login)


def _draft(call: Call, login: str, kind: str, key: str) -> ModelDraft:
    person = _person(call, login)
    found = find_draft(call.desk.uow, person.id, kind, key)
    if found is None:
        raise DraftUnknown
    return found


def _shown(call: Call, found: ModelDraft) -> DraftShape:
    desk = call.desk
    wrong = check_model(desk.uow, desk.tries, _file_name(found), found.content)
    return DraftShape(
        kind=found.kind,
        key=found.key,
        base_version=found.base_version,
        saved_at=found.saved_at,
        findings=shaped(FindingShape, wrong),
    )


def _file_name(found: ModelDraft) -> str:
    return f"{found.key}.{ENDINGS[found.kind]}"
