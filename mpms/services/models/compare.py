"""What is different between two versions of a process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpms.domain.errors import ProcessUnknown
from mpms.domain.models.difference import PartChange, difference
from mpms.ports.engine import Engine
from mpms.ports.models.models import DeployedRow
from mpms.ports.store import UnitOfWork


@dataclass(frozen=True)
class Comparison:
    """Two versions, and every part that differs."""

    old: DeployedRow
    new: DeployedRow
    versions: Sequence[DeployedRow]  # the newest first
    changes: Sequence[PartChange]

    @property
    def key(self) -> str:
        return self.new.key

    @property
    def name(self) -> str:
        return self.new.name or self.key

    def count(self, how: str) -> int:
        return sum(change.how == how for change in self.changes)


def compare_models(
    uow: UnitOfWork,
    engine: Engine,
    key: str,
    *,
    old: int | None = None,
    new: int | None = None,
) -> Comparison:
    """Without versions the newest with the one before it. ProcessUnknown."""
    with uow() as tx:
        versions = [row for row in tx.models.processes() if row.key == key]
        if not versions:
            raise ProcessUnknown(f"No process {key} is deployed.")
        newer = _version(versions, key, new or versions[0].version)
        older = _version(versions, key, old or max(newer.version - 1, 1))
        before = tx.definitions.of_version(key, older.version)
        after = tx.definitions.of_version(key, newer.version)
    changes = difference(engine.parts(before), engine.parts(after))
    return Comparison(older, newer, versions, changes)


def _version(versions: Sequence[DeployedRow], key: str, version: int) -> DeployedRow:
    for row in versions:
        if row.version == version:
            return row
    raise ProcessUnknown(f"Version {version} of {key} is not deployed.")
