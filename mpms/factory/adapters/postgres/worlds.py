"""Versions of the floor, and which of them is used."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mpms.adapters.postgres.database.statements import Repository
from mpms.factory.ports.worlds import Files, WorldUse, WorldVersion


class WorldVersionRows(Repository):
    """Rows of ``world_versions`` and ``world_uses``."""

    def lock(self) -> None:
        self._statements.run("world_versions_lock")

    def add(
        self,
        world: str,
        files: Files,
        *,
        based_on: int,
        by: str,
        reason: str,
    ) -> WorldVersion:
        row = self._statements.row(
            "world_versions_add",
            world=world,
            files=json.dumps(dict(files)),
            based_on=based_on,
            by=by,
            reason=reason,
        )
        return WorldVersion(*(row or ()))

    def get(self, world: str, number: int) -> WorldVersion | None:
        row = self._statements.row("world_versions_get", world=world, number=number)
        return None if row is None else WorldVersion(*row)

    def files(self, world: str, number: int) -> Files | None:
        row = self._statements.row("world_versions_files", world=world, number=number)
        return None if row is None else row[0]

    def preview(self, number: int) -> Mapping[str, Any] | None:
        row = self._statements.row("world_versions_preview", number=number)
        return None if row is None else row[0]

    def keep_preview(self, number: int, preview: Mapping[str, Any]) -> None:
        self._statements.run(
            "world_versions_keep_preview",
            number=number,
            preview=json.dumps(dict(preview)),
        )

    def listing(self, world: str, *, limit: int) -> Sequence[WorldVersion]:
        rows = self._statements.rows("world_versions_listing", world=world, limit=limit)
        return [WorldVersion(*row) for row in rows]

    def use(self, world: str, number: int, *, by: str, reason: str) -> None:
        self._statements.run(
            "world_versions_use", world=world, number=number, by=by, reason=reason
        )

    def in_use(self, world: str) -> WorldUse:
        row = self._statements.row("world_versions_in_use", world=world)
        return WorldUse() if row is None else WorldUse(*row)
