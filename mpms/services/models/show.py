"""One version of a process: who deployed it, its steps, and what the lint says now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpms.domain.errors import NotFound, ProcessUnknown
from mpms.domain.models.definitions import Definition, ModelStep
from mpms.ports.engine import Engine
from mpms.ports.models.models import DeployedRow
from mpms.ports.store import UnitOfWork
from mpms.services.models.check import Finding, check_model


class ModelUnknown(NotFound):
    """No such model is deployed."""


@dataclass(frozen=True)
class ModelPage:
    """What the page about one version shows."""

    shown: DeployedRow
    versions: Sequence[DeployedRow]  # the newest first
    definition: Definition
    steps: Sequence[ModelStep]
    findings: Sequence[Finding]

    @property
    def key(self) -> str:
        return self.shown.key

    @property
    def name(self) -> str:
        return self.shown.name or self.key

    @property
    def before(self) -> DeployedRow | None:
        """The version that this one replaced."""
        older = (row for row in self.versions if row.version < self.shown.version)
        return next(older, None)

    @property
    def behind(self) -> int:
        """Instances that run an older version."""
        older = (row for row in self.versions if row.version < self.shown.version)
        return sum(row.active for row in older)


def show_model(
    uow: UnitOfWork, engine: Engine, key: str, version: int | None = None
) -> ModelPage:
    """Without a version the newest. ProcessUnknown."""
    with uow() as tx:
        versions = [row for row in tx.models.processes() if row.key == key]
        if not versions:
            raise ProcessUnknown(f"No process {key} is deployed.")
        shown = next((row for row in versions if version in (None, row.version)), None)
        if shown is None:
            raise ProcessUnknown(f"Version {version} of {key} is not deployed.")
        definition = tx.definitions.of_version(key, shown.version)
    return ModelPage(
        shown,
        versions,
        definition,
        engine.steps(definition),
        check_model(uow, engine, f"{key}.bpmn", definition.xml),
    )


def model_file(uow: UnitOfWork, key: str, version: int) -> bytes:
    """The drawing as it was deployed. ProcessUnknown."""
    with uow() as tx:
        return tx.definitions.of_version(key, version).xml
