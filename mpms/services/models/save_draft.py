"""Keep what somebody draws until it is deployed or thrown away; one a person and model.

A draft may be wrong in any way: nobody else deploys it. A program of an administrator
may lay one before its author, and never over something that it has not read.
"""

from __future__ import annotations

from datetime import datetime

from mpms.domain.errors import Conflict, MpmsError, NotFound
from mpms.ports.models.models import ModelDraft
from mpms.ports.store import UnitOfWork
from mpms.services.people.change_secret import known

MAX_BYTES = 4_000_000
MAX_KEY = 200


class DraftTooLarge(MpmsError):
    """This model is too large to be kept as a draft."""


class DraftUnknown(NotFound):
    """There is no draft of this model."""


class DraftChanged(Conflict):
    """There is another draft than the one that shall be replaced. Read it first."""


def save_model_draft(
    uow: UnitOfWork,
    person_id: int,
    kind: str,
    key: str,
    content: bytes,
    *,
    base_version: int | None,
) -> datetime:
    """When it was kept. DraftTooLarge."""
    _check_size(key, content)
    with uow() as tx:
        return tx.models.save_draft(
            person_id, kind, key, content, base_version=base_version
        )


def find_draft(
    uow: UnitOfWork, person_id: int, kind: str, key: str
) -> ModelDraft | None:
    with uow() as tx:
        return tx.models.draft(person_id, kind, key)


def drop_draft(uow: UnitOfWork, person_id: int, kind: str, key: str) -> None:
    """DraftUnknown."""
    with uow() as tx:
        if not tx.models.drop_draft(person_id, kind, key):
            raise DraftUnknown


def lay_draft(
    uow: UnitOfWork,
    login: str,
    kind: str,
    key: str,
    content: bytes,
    *,
    base_version: int | None,
    over: datetime | None,
    by: str,
) -> datetime:
    """A draft for somebody, written by a program; ``over``: when the draft that it
    replaces was kept, None without one. PersonUnknown, DraftTooLarge, DraftChanged.
    """
    _check_size(key, content)
    with uow() as tx:
        person = known(tx.people.get(login), login)
        there = tx.models.draft(person.id, kind, key)
        if over != (None if there is None else there.saved_at):
            raise DraftChanged
        told = {"login": login, "kind": kind, "key": key}
        tx.events.append("draft kept", actor=by, data=told)
        return tx.models.save_draft(
            person.id, kind, key, content, base_version=base_version
        )


def take_draft(uow: UnitOfWork, login: str, kind: str, key: str, *, by: str) -> None:
    """Somebody's draft goes, since it is deployed or not wanted. PersonUnknown,
    DraftUnknown."""
    with uow() as tx:
        person = known(tx.people.get(login), login)
        if not tx.models.drop_draft(person.id, kind, key):
            raise DraftUnknown
        told = {"login": login, "kind": kind, "key": key}
        tx.events.append("draft dropped", actor=by, data=told)


def _check_size(key: str, content: bytes) -> None:
    """DraftTooLarge."""
    if len(content) > MAX_BYTES or len(key) > MAX_KEY:
        raise DraftTooLarge
