"""Keep what somebody draws until it is deployed or thrown away; one a person and model.

A draft may be wrong in any way: it is read by nobody but its author.
"""

from __future__ import annotations

from datetime import datetime

from mpms.domain.errors import MpmsError, NotFound
from mpms.ports.models import ModelDraft
from mpms.ports.store import UnitOfWork

MAX_BYTES = 4_000_000
MAX_KEY = 200


class DraftTooLarge(MpmsError):
    """This model is too large to be kept as a draft."""


class DraftUnknown(NotFound):
    """There is no draft of this model."""


def keep_draft(
    uow: UnitOfWork,
    person_id: int,
    kind: str,
    key: str,
    content: bytes,
    *,
    base_version: int | None,
) -> datetime:
    """When it was kept. DraftTooLarge."""
    if len(content) > MAX_BYTES or len(key) > MAX_KEY:
        raise DraftTooLarge
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
