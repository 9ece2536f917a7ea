"""One process in the cockpit: its versions, and the one whose drawing is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpms.domain.errors import ProcessUnknown
from mpms.domain.instances.instances import Suspension
from mpms.domain.models.definitions import ModelStep
from mpms.ports.engine import Engine
from mpms.ports.processes.cockpit import VersionRow
from mpms.ports.store import UnitOfWork


@dataclass(frozen=True)
class ProcessPage:
    """What the page about a process shows before anything is counted."""

    key: str
    versions: Sequence[VersionRow]  # the newest first
    shown: VersionRow
    one_version: bool  # only that one is looked at, not all
    steps: Sequence[ModelStep]
    stopped: Suspension | None = None  # no new ones are started

    @property
    def name(self) -> str:
        return self.shown.name or self.key

    @property
    def definition_id(self) -> int | None:
        """What figures and lists are narrowed to."""
        return self.shown.definition_id if self.one_version else None


def process_page(
    uow: UnitOfWork, engine: Engine, key: str, *, version: int | None = None
) -> ProcessPage:
    """Without a version all are looked at, on the drawing of the newest.

    ProcessUnknown.
    """
    with uow() as tx:
        versions = tx.cockpit.versions(key)
        shown = _chosen(versions, key, version)
        definition = tx.definitions.by_id(shown.definition_id)
        stopped = tx.suspensions.processes().get(key)
    steps = engine.steps(definition)
    return ProcessPage(key, versions, shown, version is not None, steps, stopped)


def _chosen(
    versions: Sequence[VersionRow], key: str, version: int | None
) -> VersionRow:
    if not versions:
        raise ProcessUnknown(f"No process {key} is deployed.")
    if version is None:
        return versions[0]
    for row in versions:
        if row.version == version:
            return row
    raise ProcessUnknown(f"Version {version} of {key} is not deployed.")
