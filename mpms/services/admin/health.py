"""How the plant is: each part with a light, the cause, and the figures behind it.

A light is decided here and put into words by the pages, so that a machine can ask the
same question.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mpms.domain.errors import DatabaseAway
from mpms.ports.store import UnitOfWork
from mpms.ports.workers import WorkerSeen
from mpms.services.workers.served_topics import ALIVE_S

SLOW_MS = 250.0
GIB = 1 << 30
VANISHED_S = 3600.0
CLOCK_WRONG_S = 5.0
LATE_S = {  # queue: late, stuck
    "job": (60.0, 600.0),
    "timer": (60.0, 600.0),
    "delivery": (60.0, 600.0),
    "webhook": (900.0, 14_400.0),
    "batch": (3600.0, 86_400.0),
}
LATE_OTHERS_S = (900.0, 14_400.0)  # of plug-ins


class Light(enum.StrEnum):
    """As on the street; grey is a part that this plant does not use."""

    GREY = "grey"
    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"


ORDER = (Light.GREY, Light.GREEN, Light.YELLOW, Light.RED)


@dataclass(frozen=True)
class Finding:
    """One part of the plant; ``cause`` is a word for the pages to explain."""

    part: str
    light: Light
    cause: str = "fine"
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Health:
    """All parts, and what they were decided from."""

    findings: tuple[Finding, ...]
    workers: Sequence[WorkerSeen] = ()
    queues: Mapping[str, float | None] = field(default_factory=dict)  # seconds
    at: datetime | None = None

    @property
    def light(self) -> Light:
        """The worst of all."""
        return max((f.light for f in self.findings), key=ORDER.index)


@dataclass(frozen=True)
class Disk:
    """Where the state directory lies."""

    free_bytes: int
    total_bytes: int


HealthPart = Callable[[UnitOfWork, datetime], Sequence[Finding]]


def read_health(
    uow: UnitOfWork,
    now: datetime,
    *,
    parts: Sequence[HealthPart] = (),
    disk: Callable[[], Disk] | None = None,
    version: str = "",
) -> Health:
    """``parts``: what plug-ins add. A database that is away is a finding, too."""
    room = [] if disk is None else [_disk(disk())]
    began_s = time.perf_counter()
    try:
        with uow() as tx:
            database = tx.vitals.database()
            latency_ms = (time.perf_counter() - began_s) * 1000
            queues = tx.vitals.queues()
            workers = tx.workers.listing()
        more = [finding for part in parts for finding in part(uow, now)]
    except DatabaseAway as away:
        gone = Finding("database", Light.RED, "away", {"why": str(away)})
        return Health((gone, *room), at=now)
    slow = latency_ms > SLOW_MS
    ages = _ages(queues, now)
    findings = (
        Finding(
            "database",
            Light.YELLOW if slow else Light.GREEN,
            "slow" if slow else "fine",
            {
                "version": database.version.split()[0],
                "size_mb": database.size_bytes / (1 << 20),
                "latency_ms": latency_ms,
            },
        ),
        check_workers(workers, now, version),
        check_queues(ages),
        *more,
        *room,
    )
    return Health(findings, workers, ages, now)


def is_alive(worker: WorkerSeen, now: datetime) -> bool:
    return (now - worker.seen_at).total_seconds() < max(ALIVE_S, 3 * worker.poll_s)


def check_workers(
    workers: Sequence[WorkerSeen], now: datetime, version: str = ""
) -> Finding:
    alive = [w for w in workers if is_alive(w, now)]
    lately = now - timedelta(seconds=VANISHED_S)
    vanished = [w for w in workers if w not in alive and w.seen_at > lately]
    failing = [w for w in alive if w.failure]
    values: dict[str, object] = {"alive": len(alive), "vanished": len(vanished)}
    if not alive:
        last = max((w.seen_at for w in workers), default=None)
        return Finding("workers", Light.RED, "none", values | {"last_at": last})
    if failing:
        first = failing[0]
        more: dict[str, object] = {"name": first.name, "why": first.failure}
        return Finding("workers", Light.YELLOW, "failing", values | more)
    if wrong := [w for w in alive if abs(w.clock_ahead_s) > CLOCK_WRONG_S]:
        ahead_s = wrong[0].clock_ahead_s
        more = {"name": wrong[0].name, "ahead": ahead_s > 0, "by_s": abs(ahead_s)}
        return Finding("workers", Light.YELLOW, "clock", values | more)
    if version and any(w.version != version for w in alive):
        other = next(w for w in alive if w.version != version)
        more = {"name": other.name, "other": other.version, "ours": version}
        return Finding("workers", Light.YELLOW, "versions", values | more)
    if vanished:
        more = {"name": vanished[0].name, "last_at": vanished[0].seen_at}
        return Finding("workers", Light.YELLOW, "vanished", values | more)
    return Finding("workers", Light.GREEN, "fine", values)


def check_queues(ages: Mapping[str, float | None]) -> Finding:
    worst = ("", Light.GREEN, 0.0)
    for queue, age_s in ages.items():
        late_s, stuck_s = LATE_S.get(queue, LATE_OTHERS_S)
        if age_s is None or age_s < late_s:
            continue
        light = Light.RED if age_s >= stuck_s else Light.YELLOW
        if ORDER.index(light) > ORDER.index(worst[1]):
            worst = (queue, light, age_s)
    queue, light, age_s = worst
    if not queue:
        return Finding("queues", Light.GREEN)
    return Finding("queues", light, "late", {"queue": queue, "age_s": age_s})


def _disk(disk: Disk) -> Finding:
    share = disk.free_bytes / max(1, disk.total_bytes)
    values = {"free_gb": disk.free_bytes / GIB, "share": 100 * share}
    if disk.free_bytes < GIB // 2 or share < 0.02:
        return Finding("disk", Light.RED, "full", values)
    if disk.free_bytes < 2 * GIB or share < 0.1:
        return Finding("disk", Light.YELLOW, "full", values)
    return Finding("disk", Light.GREEN, "fine", values)


def _ages(
    queues: Mapping[str, datetime | None], now: datetime
) -> dict[str, float | None]:
    return {
        queue: None if since is None else max(0.0, (now - since).total_seconds())
        for queue, since in queues.items()
    }
