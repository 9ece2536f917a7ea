"""Versions of materials and recipes."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.adapters.postgres.database.statements import Repository, Row
from mpms.factory.ports.catalogue import CatalogueVersion


class CatalogueVersions(Repository):
    """Rows of ``catalogue_versions`` and ``pictures``."""

    def lock(self) -> None:
        self._statements.run("catalogue_lock")

    def newest(self) -> int:
        row = self._statements.row("catalogue_newest")
        return 0 if row is None or row[0] is None else int(row[0])

    def content(self, number: int) -> str | None:
        row = self._statements.row("catalogue_content", number=number)
        return None if row is None else str(row[0])

    def before(self, number: int) -> str | None:
        row = self._statements.row("catalogue_before", number=number)
        return None if row is None else str(row[0])

    def add(
        self, content: str, *, did: str, thing: str, by: str, reason: str
    ) -> CatalogueVersion:
        row = self._statements.row(
            "catalogue_add",
            content=content,
            did=did,
            thing=thing,
            by=by,
            reason=reason,
        )
        return CatalogueVersion(*(row or ()))

    def get(self, number: int) -> CatalogueVersion | None:
        return _version(self._statements.row("catalogue_get", number=number))

    def listing(
        self, *, limit: int, below: int | None = None
    ) -> Sequence[CatalogueVersion]:
        rows = self._statements.rows("catalogue_listing", limit=limit, below=below)
        return [CatalogueVersion(*row) for row in rows]

    def changed_since(self, number: int, thing: str) -> CatalogueVersion | None:
        return _version(
            self._statements.row("catalogue_changed_since", number=number, thing=thing)
        )

    def add_picture(self, name: str, content: bytes, *, by: str) -> None:
        self._statements.run("pictures_add", name=name, content=content, by=by)

    def picture(self, name: str) -> bytes | None:
        row = self._statements.row("pictures_get", name=name)
        return None if row is None else bytes(row[0])


def _version(row: Row | None) -> CatalogueVersion | None:
    return None if row is None else CatalogueVersion(*row)
