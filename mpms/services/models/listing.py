"""Everything that is deployed, each with its versions, and what is still drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from mpms.ports.models.models import DeployedRow, ModelDraft
from mpms.ports.store import UnitOfWork


@dataclass(frozen=True)
class ModelLine:
    """A process, decision, form or element template, its newest version first."""

    key: str
    versions: Sequence[DeployedRow]

    @property
    def latest(self) -> DeployedRow:
        return self.versions[0]

    @property
    def name(self) -> str:
        return self.latest.name or self.key

    @property
    def active(self) -> int:
        return sum(row.active for row in self.versions)

    @property
    def behind(self) -> int:
        """Instances that run an older version."""
        return self.active - self.latest.active


@dataclass(frozen=True)
class ModelList:
    """All kinds of files, and the drafts of whoever asks."""

    processes: Sequence[ModelLine]
    decisions: Sequence[ModelLine]
    forms: Sequence[ModelLine]
    templates: Sequence[ModelLine]
    drafts: Sequence[ModelDraft]


def list_models(uow: UnitOfWork, person_id: int) -> ModelList:
    with uow() as tx:
        return ModelList(
            _lines(tx.models.processes()),
            _lines(tx.models.decisions()),
            _lines(tx.models.forms()),
            _lines(tx.models.template_versions()),
            tx.models.drafts(person_id),
        )


def _lines(rows: Iterable[DeployedRow]) -> list[ModelLine]:
    return [
        ModelLine(key, list(versions))
        for key, versions in groupby(rows, key=lambda row: row.key)
    ]
