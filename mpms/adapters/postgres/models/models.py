"""Versions by the list, and drafts of models by the person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from mpms.adapters.postgres.database.statements import Repository, Row, as_json
from mpms.domain.models.templates import version_of
from mpms.ports.models.models import DeployedRow, ModelDraft


class Models(Repository):
    """Rows of ``definitions``, ``decisions``, ``forms``, ``element_templates`` and
    ``model_drafts``."""

    def processes(self) -> Sequence[DeployedRow]:
        return [DeployedRow(*row) for row in self._statements.rows("models_processes")]

    def decisions(self) -> Sequence[DeployedRow]:
        return [DeployedRow(*row) for row in self._statements.rows("models_decisions")]

    def forms(self) -> Sequence[DeployedRow]:
        return [DeployedRow(*row) for row in self._statements.rows("models_forms")]

    def templates(self) -> Sequence[dict[str, Any]]:
        return [row[0] for row in self._statements.rows("models_templates")]

    def template_versions(self) -> Sequence[DeployedRow]:
        rows = self._statements.rows("models_template_versions")
        return [DeployedRow(*row) for row in rows]

    def template(self, template_id: str, version: int) -> dict[str, Any] | None:
        row = self._statements.row("models_template", id=template_id, version=version)
        return None if row is None else row[0]

    def keep_template(self, template: dict[str, Any], *, by: str) -> None:
        self._statements.run_later(
            "models_keep_template",
            id=template["id"],
            version=version_of(template),
            name=template["name"],
            template=as_json(template),
            by=by,
        )

    def decision(self, key: str, version: int) -> bytes | None:
        row = self._statements.row("models_decision", key=key, version=version)
        return None if row is None else bytes(row[0])

    def form(self, form: str, version: int) -> dict[str, Any] | None:
        row = self._statements.row("models_form", form=form, version=version)
        return None if row is None else row[0]

    def drafts(self, person_id: int) -> Sequence[ModelDraft]:
        rows = self._statements.rows("models_drafts", person_id=person_id)
        return [_draft(row) for row in rows]

    def draft(self, person_id: int, kind: str, key: str) -> ModelDraft | None:
        row = self._statements.row(
            "models_draft", person_id=person_id, kind=kind, key=key
        )
        return None if row is None else _draft(row)

    def save_draft(
        self,
        person_id: int,
        kind: str,
        key: str,
        content: bytes,
        *,
        base_version: int | None,
    ) -> datetime:
        ((saved_at,),) = self._statements.rows(
            "models_save_draft",
            person_id=person_id,
            kind=kind,
            key=key,
            content=content,
            base_version=base_version,
        )
        return cast(datetime, saved_at)

    def drop_draft(self, person_id: int, kind: str, key: str) -> bool:
        return bool(
            self._statements.run(
                "models_drop_draft", person_id=person_id, kind=kind, key=key
            )
        )


def _draft(row: Row) -> ModelDraft:
    kind, key, base_version, content, saved_at = row
    return ModelDraft(kind, key, base_version, bytes(content), saved_at)
