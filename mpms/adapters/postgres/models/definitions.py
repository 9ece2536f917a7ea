"""Deployed models, decision tables and forms; versions are never changed.

A version that was read once is remembered by the process, since it cannot change:
every step of every instance needs one, and its drawing is large.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, Statements, as_json
from mpms.domain.errors import ProcessUnknown
from mpms.domain.models.definitions import LATEST, Definition


class Versions:
    """Committed versions; shared by all transactions of a unit of work."""

    def __init__(self) -> None:
        self.by_id: dict[int, Definition] = {}
        self.ids: dict[tuple[str, int], int] = {}


class Definitions(Repository):
    """Rows of ``definitions``, ``decisions`` and ``forms``."""

    def __init__(self, statements: Statements, versions: Versions) -> None:
        super().__init__(statements)
        self._versions = versions
        self._has_deployed = False

    def deploy(
        self, key: str, name: str, xml: bytes, *, by: str, note: str = ""
    ) -> Definition:
        digest = hashlib.sha256(xml).hexdigest()
        self._lock()
        row = self._statements.row("definitions_latest", key=key)
        if row is not None and row[2] == digest:
            return self.by_id(row[0])
        version = 1 if row is None else row[1] + 1
        self._statements.run_later(
            "definitions_insert",
            key=key,
            version=version,
            name=name,
            digest=digest,
            xml=xml,
            by=by,
            note=note,
        )
        return Definition(digest, key, version, name, xml)

    def latest(self, key: str) -> Definition:
        row = self._statements.row("definitions_latest", key=key)
        if row is None:
            raise ProcessUnknown(f"No model with the key {key} is deployed.")
        return self.by_id(row[0])

    def bound(self, key: str, binding: str, *, caller: int) -> Definition:
        if binding == "latest":
            return self.latest(key)
        if binding != "deployment":
            return self.of_version(key, int(binding))
        row = self._statements.row("definitions_beside", key=key, caller=caller)
        if row is None:
            raise ProcessUnknown(
                f"No model with the key {key} was deployed with its caller."
            )
        return self.by_id(row[0])

    def of_version(self, key: str, version: int) -> Definition:
        row = self._statements.row("definitions_find", key=key, version=version)
        if row is None:
            raise ProcessUnknown(f"Version {version} of {key} is not deployed.")
        return self.by_id(row[0])

    def by_id(self, definition_id: int) -> Definition:
        if (known := self._versions.by_id.get(definition_id)) is not None:
            return known
        row = self._statements.row("definitions_get", id=definition_id)
        if row is None:
            raise ProcessUnknown(f"There is no deployed model number {definition_id}.")
        digest, key, version, name, xml = row
        definition = Definition(digest, key, version, name, bytes(xml))
        # What this transaction deployed may yet be rolled back.
        if not self._has_deployed:
            self._versions.by_id[definition_id] = definition
            self._versions.ids[key, version] = definition_id
        return definition

    def id_of(self, definition: Definition) -> int:
        key, version = definition.key, definition.version
        if (known := self._versions.ids.get((key, version))) is not None:
            return known
        row = self._statements.row("definitions_find", key=key, version=version)
        if row is None:
            raise ProcessUnknown(f"Version {version} of {key} is not deployed.")
        definition_id: int = row[0]
        return definition_id

    def listing(self) -> Sequence[Definition]:
        """Latest versions, by key."""
        rows = self._statements.rows("definitions_list")
        return [self.by_id(definition_id) for (definition_id,) in rows]

    def deploy_decision(
        self, key: str, name: str, xml: bytes, *, by: str, note: str = ""
    ) -> int:
        """Return the version; the same table again makes no new one."""
        digest = hashlib.sha256(xml).hexdigest()
        self._lock()
        version, deployed = self._statements.row("decisions_latest", key=key) or (0, "")
        if deployed != digest:
            version += 1
            self._statements.run_later(
                "decisions_insert",
                key=key,
                version=version,
                name=name,
                digest=digest,
                xml=xml,
                by=by,
                note=note,
            )
        return int(version)

    def decision(
        self, key: str, binding: str = LATEST, *, caller: int | None = None
    ) -> bytes | None:
        if binding == LATEST:
            row = self._statements.row("decisions_get", key=key)
        elif binding == "deployment":
            row = self._statements.row("decisions_beside", key=key, caller=caller)
        else:
            row = self._statements.row(
                "decisions_of_version", key=key, version=int(binding)
            )
        return None if row is None else bytes(row[0])

    def deploy_form(
        self, form: str, schema: dict[str, Any], *, by: str, note: str = ""
    ) -> int:
        """Return the version; the same fields again make no new one."""
        written = as_json(schema)
        digest = hashlib.sha256(written.encode()).hexdigest()
        self._lock()
        version, deployed = self._statements.row("forms_latest", form=form) or (0, "")
        if deployed != digest:
            version += 1
            self._statements.run_later(
                "forms_insert",
                form=form,
                version=version,
                digest=digest,
                schema=written,
                by=by,
                note=note,
            )
        return int(version)

    def form(self, form: str) -> dict[str, Any] | None:
        row = self._statements.row("forms_get", form=form)
        return None if row is None else row[0]

    def _lock(self) -> None:
        """With the next statement, which sees what was there when it got the lock."""
        if not self._has_deployed:
            self._statements.run_later("deployments_lock")
        self._has_deployed = True
