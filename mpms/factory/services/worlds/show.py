"""The floor as its editor sees it: a draft to begin with, and all versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mpms.factory.ports.store import UnitOfWork
from mpms.factory.ports.worlds import FILE, Draft, WorldDrafts, WorldUse, WorldVersion
from mpms.factory.services.worlds.change import WorldVersionUnknown, files_of

SHOWN = 50


@dataclass(frozen=True)
class WorldShown:
    """``number`` 0: the plant's files. ``driven``: what the fleet drives by now, where
    one is led: a version, 0, or None for another one."""

    name: str
    number: int
    draft: Draft
    version: WorldVersion | None
    use: WorldUse
    versions: Sequence[WorldVersion]
    preview: Mapping[str, Any] | None
    driven: int | None


def show_world(
    uow: UnitOfWork, drafts: WorldDrafts, number: int | None = None
) -> WorldShown:
    """A version; the one in use if none is named. WorldVersionUnknown."""
    with uow() as tx:
        use = tx.world_versions.in_use(drafts.name)
        wanted = use.number if number is None else number
        files = files_of(tx, drafts, wanted)
        version = tx.world_versions.get(drafts.name, wanted) if wanted else None
        if wanted != FILE and version is None:
            raise WorldVersionUnknown
        versions = tx.world_versions.listing(drafts.name, limit=SHOWN)
        preview = tx.world_versions.preview(wanted) if wanted else None
        saved = tx.fleet.saved()
        in_use = files_of(tx, drafts, use.number)
    driven = use.number if saved.world == drafts.digest(in_use) else None
    if saved.state is None:
        driven = use.number
    return WorldShown(
        drafts.name,
        wanted,
        drafts.draft(files),
        version,
        use,
        versions,
        preview,
        driven,
    )
