"""Draw the floor anew: check a draft, save it as a version, preview it, use it.

A version is used by what starts from then on: workers, pages and the demonstration's
robots. It may be used only after it was seen with ten simulated robots.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mpms.domain.errors import Conflict, MpmsError, NotFound
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.ports.worlds import (
    FILE,
    Checked,
    Draft,
    Files,
    WorldDrafts,
    WorldFault,
    WorldVersion,
)
from mpms.services.instances.apply_repair import required


class WorldVersionUnknown(NotFound):
    """There is no such version of the floor."""


class WorldRefused(MpmsError):
    """The floor cannot be saved as it is drawn; each fault names its part."""

    def __init__(self, faults: list[WorldFault]) -> None:
        self.faults = faults
        self.errors = [
            {
                "in": "body",
                "at": f"draft.{each.section}.{each.name}".rstrip("."),
                "code": "wrong",
                "reason": each.text,
            }
            for each in faults
        ]
        super().__init__(" ".join(f"{each.text}." for each in faults[:5]))


class WorldNotPreviewed(Conflict):
    """Preview this version before it is used."""


class WorldContacts(Conflict):
    """Robots touched in the preview of this version; it cannot be used."""


class WorldNothingDone(Conflict):
    """No robot did any work in the preview of this version; it cannot be used."""


def files_of(tx: Transaction, drafts: WorldDrafts, number: int) -> Files:
    """WorldVersionUnknown."""
    if number == FILE:
        return drafts.files()
    found = tx.world_versions.files(drafts.name, number)
    if found is None:
        raise WorldVersionUnknown(f"There is no version {number} of the floor.")
    return found


def check_draft(
    uow: UnitOfWork, drafts: WorldDrafts, draft: Draft, *, based_on: int
) -> Checked:
    """Every mistake of a draft, nothing is kept."""
    with uow() as tx:
        files = files_of(tx, drafts, based_on)
    return drafts.check(drafts.written(files, draft))


def save_version(
    uow: UnitOfWork,
    drafts: WorldDrafts,
    draft: Draft,
    *,
    based_on: int,
    by: str,
    reason: str,
) -> WorldVersion:
    """ReasonMissing, WorldVersionUnknown, WorldRefused."""
    why = required(reason)
    with uow() as tx:
        before = files_of(tx, drafts, based_on)
    files = drafts.written(before, draft)
    checked = drafts.check(files)
    if checked.refused:
        raise WorldRefused([each for each in checked.faults if each.refuses])
    with uow() as tx:
        made = tx.world_versions.add(
            drafts.name,
            files,
            based_on=based_on,
            by=by,
            reason=why,
        )
        told = {"version": made.number, "reason": why}
        tx.events.append("floor saved", actor=by, data=told)
    return made


def preview_version(
    uow: UnitOfWork, drafts: WorldDrafts, number: int, *, by: str
) -> Mapping[str, Any]:
    """Takes seconds. WorldVersionUnknown, PreviewFailed."""
    with uow() as tx:
        files = files_of(tx, drafts, number)
    shown = drafts.preview(files)
    if number != FILE:
        with uow() as tx:
            tx.world_versions.keep_preview(number, shown)
            figures = {key: shown[key] for key in ("done", "contacts", "deadlocks")}
            told = {"version": number, **figures}
            tx.events.append("floor previewed", actor=by, data=told)
    return shown


def use_version(
    uow: UnitOfWork, drafts: WorldDrafts, number: int, *, by: str, reason: str
) -> None:
    """``number`` 0: the plant's own files again.

    ReasonMissing, WorldVersionUnknown, WorldNotPreviewed, WorldContacts,
    WorldNothingDone.
    """
    why = required(reason)
    with uow() as tx:
        tx.world_versions.lock()
        if number != FILE:
            if tx.world_versions.get(drafts.name, number) is None:
                raise WorldVersionUnknown(f"There is no version {number} of the floor.")
            seen = tx.world_versions.preview(number)
            if seen is None:
                raise WorldNotPreviewed
            if seen["contacts"]:
                raise WorldContacts
            if not seen["done"]:
                raise WorldNothingDone
        tx.world_versions.use(drafts.name, number, by=by, reason=why)
        told = {"version": number, "reason": why}
        tx.events.append("floor used", actor=by, data=told)
