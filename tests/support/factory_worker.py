"""A worker with robots of its own, driven by a test or a bench."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from mpms.background import BackgroundLoop
from mpms.domain.errors import DatabaseAway
from mpms.domain.jobs import Answer, Job
from mpms.factory.adapters.fleet_files import FleetFiles
from mpms.factory.ports.robots.robots import Robots
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.robots import watch_drives
from mpms.factory.work import robot_phases
from mpms.services.instances.advance import Advance
from mpms.services.jobs.handlers import Handlers, Inside
from mpms.worker import Alarm, Worker


def of_factory(handler: Callable[[Transaction, Job], Answer]) -> Inside:
    """A handler that uses stores of the factory, for transactions that have them."""
    return cast(Inside, handler)


class FactoryWorker(Worker):
    """As ``mpms work`` makes one, with robots and handlers that somebody chose."""

    def __init__(
        self,
        uow: UnitOfWork,
        advance: Advance,
        handlers: Handlers,
        robots: Robots,
        alarm: Alarm,
        *,
        name: str,
        lease_s: float = 30.0,
        robot_patience_s: float = watch_drives.PATIENCE_S,
        fleet: FleetFiles | None = None,
        plant_speed: float = 1.0,
        **more: Any,
    ) -> None:
        phases = robot_phases(
            uow,
            advance,
            robots,
            name=name,
            lease_s=lease_s,
            robot_patience_s=robot_patience_s,
            fleet=fleet,
            plant_speed=plant_speed,
            wake=alarm.wake,
        )
        self.lead = phases.lead
        self._loops = [
            BackgroundLoop(task.name, task.run, pause_s=task.pause_s)
            for task in phases.background
        ]
        self.owned = phases.owned
        super().__init__(
            uow,
            advance,
            handlers,
            alarm,
            name=name,
            first=phases.first,
            then=phases.then,
            lease_s=lease_s,
            **more,
        )

    def run(self, stop: threading.Event) -> None:
        for loop in self._loops:
            loop.start()
        super().run(stop)
        for loop in self._loops:
            loop.stop()
            loop.join()
        with suppress(DatabaseAway):
            if self.lead is not None:
                self.lead.release()
            self.owned.release()
