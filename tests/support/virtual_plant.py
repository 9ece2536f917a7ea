"""Test-drives without a database: models as drawn, orders and people as a test says."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from mpms.adapters.memory import MemoryStore
from mpms.domain.models.definitions import Definition
from mpms.domain.testdrive.report import Run
from mpms.domain.testdrive.scenario import Arrival, Learnt, Scenario, Worker
from mpms.engine.runner import SpiffEngine
from mpms.services.instances.hooks import InstanceHooks
from mpms.services.testdrive.drive import Drivable, VirtualRun
from mpms.services.testdrive.stand import NoStand, Stand

BEGIN_AT = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)
ENGINE = SpiffEngine()


def drivable(
    key: str,
    *files: Mapping[str, bytes],
    decisions: Mapping[str, bytes] | None = None,
    forms: Mapping[str, Any] | None = None,
) -> Drivable:
    found = [
        Definition(hashlib.sha256(xml).hexdigest(), name, 1, title, xml)
        for file in files
        for xml in file.values()
        for name, title in ENGINE.processes(xml)
    ]
    chosen = next(one for one in found if one.key == key)
    others = [chosen, *(one for one in found if one is not chosen)]
    return Drivable(key, chosen, others, decisions or {}, forms or {})


def every(gap_s: float, count: int, **variables: Any) -> list[Arrival]:
    return [Arrival(f"O-{n}", n * gap_s, variables) for n in range(count)]


def always(**seconds: float) -> Learnt:
    """Each of these elements took that long, every time."""
    return Learnt({element: [lasts_s] * 5 for element, lasts_s in seconds.items()})


def run_of(
    version: Drivable,
    arrivals: Sequence[Arrival],
    *,
    people: Sequence[Worker] = (Worker("ana"),),
    learnt: Learnt | None = None,
    seed: int = 1,
    stand: Stand | None = None,
    hooks: InstanceHooks | None = None,
) -> VirtualRun:
    return VirtualRun(
        version,
        Scenario(arrivals, people, learnt or Learnt(), "generated"),
        seed,
        ENGINE,
        MemoryStore,
        hooks or InstanceHooks(),
        stand or NoStand(),
        BEGIN_AT,
    )


def driven(version: Drivable, arrivals: Sequence[Arrival], **more: Any) -> Run:
    return run_of(version, arrivals, **more).drive()
