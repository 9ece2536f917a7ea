"""Puts a test-drive together: the history to learn from, rows in memory, the plant."""

from __future__ import annotations

from typing import Any

from mpms import bootstrap
from mpms.adapters.memory import MemoryStore
from mpms.domain.testdrive.report import Report
from mpms.plugins import loading
from mpms.services.testdrive.ask import Asked
from mpms.services.testdrive.compare import Progress, compare_versions
from mpms.services.testdrive.stand import NoPlant, Plant


def plant_of(settings: Any) -> Plant:
    """Of the plug-in that has one; without one there are people and times only."""
    for plugin in loading.loaded():
        if plugin.testdrive:
            plant: Plant = loading.brought(plugin, plugin.testdrive)(settings)
            return plant
    return NoPlant()


def drive_model(
    services: bootstrap.Services,
    settings: Any,
    asked: Asked,
    *,
    progress: Progress = lambda done, of: None,
    plant: Plant | None = None,
    models: dict[str, bytes] | None = None,
) -> Report:
    """``models``: gets the drawings, new and present.

    NotDrivable, Refused, ProcessUnknown, NeverEnds, WorldInvalid.
    """
    return compare_versions(
        services.uow,
        services.engine,
        plant or plant_of(settings),
        MemoryStore,
        asked,
        clock=services.clock,
        progress=progress,
        models=models,
    )
