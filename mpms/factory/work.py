"""What the factory does in a running worker: robots, scales and mail."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol, cast

from mpms.domain.errors import DatabaseAway
from mpms.factory.adapters.fleet_files import FleetFiles
from mpms.factory.adapters.simulator import SimulatorProcess
from mpms.factory.bootstrap import (
    connect_robots,
    connect_scale,
    connect_tanks,
    current_catalogue,
    fleet_of,
    instruments_of,
    topic_functions,
    world_in_use,
    world_named,
)
from mpms.factory.ports.mail.intake import Intake
from mpms.factory.ports.records.plant_key import PlantKey
from mpms.factory.ports.robots.robots import Robots
from mpms.factory.ports.scales import Scale
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.experiments.run import RunExperiments
from mpms.factory.services.fleet.lead import LeadFleet
from mpms.factory.services.fleet.tell import tell_requests
from mpms.factory.services.fleet.watch_requests import WatchRequests
from mpms.factory.services.records.seal import SealRecords
from mpms.factory.services.robots import watch_drives
from mpms.factory.services.robots.expire_goals import ExpireGoals
from mpms.factory.services.robots.own import OwnRobots
from mpms.factory.services.robots.send_goals import send_goals
from mpms.factory.services.robots.settle_goals import settle_goals
from mpms.factory.services.robots.strangers import EndStrangers
from mpms.factory.services.robots.track import TrackRobots
from mpms.factory.services.robots.watch_drives import WatchDrives
from mpms.factory.services.robots.watch_loads import WatchLoads
from mpms.factory.services.robots.watch_waits import WatchWaits
from mpms.factory.services.stock.watch_stock import WatchStock
from mpms.factory.services.tasks.watch_workers import WatchWorkers
from mpms.factory.settings import FactorySettings
from mpms.plugins import BackgroundTask, WorkContext, Working
from mpms.ports.engine import Engine
from mpms.services.instances.advance import Advance

log = logging.getLogger(__name__)
Phase = Callable[[], bool]


def tell(robot: str, text: str) -> None:
    log.warning("%s: %s", robot, text)


class Mail(Protocol):
    """Mail in and out, put together by whoever starts the worker."""

    def intake(self, uow: UnitOfWork, engine: Engine) -> Intake: ...
    def background(self, uow: UnitOfWork, worker: str) -> Sequence[BackgroundTask]: ...


@dataclass(frozen=True)
class FactoryOptions:
    """What a worker of the factory is given beside its settings."""

    scale: Scale | None = None  # instead of those on the robots
    mail: Mail | None = None
    records_key: Path | None = None  # without one records are not sealed
    state_dir: Path | None = None  # without one floors that people drew are not used
    site_url: str = ""  # where customers open the pages of their deliveries
    plant_speed: float = 1.0  # plant seconds a second, of a plant in fast motion
    on_told: Callable[[str, str], None] = field(default=tell)


@dataclass(frozen=True)
class RobotPhases:
    """What a worker does with robots, before and after instances are moved."""

    first: Sequence[Phase]
    then: Sequence[Phase]
    owned: OwnRobots
    lead: LeadFleet | None = None
    background: Sequence[BackgroundTask] = ()


def robot_phases(
    uow: UnitOfWork,
    advance: Advance,
    robots: Robots,
    *,
    name: str,
    lease_s: float = 30.0,
    robot_patience_s: float = watch_drives.PATIENCE_S,
    fleet: FleetFiles | None = None,
    plant_speed: float = 1.0,
    wake: Callable[[], None] = lambda: None,
) -> RobotPhases:
    owned = OwnRobots(uow, robots, name, lease_s=lease_s)

    def settle() -> bool:
        settled = settle_goals(uow, advance, robots, owned) > 0
        if settled and lead is not None:
            lead.soon()
        return settled

    lead: LeadFleet | None = None
    leading: list[Phase] = []
    clock: list[BackgroundTask] = []
    if fleet is not None:
        lead = LeadFleet(
            uow,
            fleet.world,
            fleet.digest,
            advance.clock,
            name,
            lease_s=lease_s,
            speed=plant_speed,
            nearby=lambda: [s for s in robots.states() if s.robot in owned.mine],
        )
        leading = [
            lead,
            lambda: tell_requests(uow, advance) > 0,
            WatchRequests(uow, lead, robot_patience_s),
        ]
        clock = [BackgroundTask("fleet clock", _ticking(lead, wake), lead.every_s)]
    return RobotPhases(
        first=(owned, settle),
        then=(
            *leading,
            lambda: send_goals(uow, robots, owned) > 0,
            ExpireGoals(uow, advance, robots, owned),
            EndStrangers(uow, advance, robots),
            TrackRobots(uow, robots, owned, advance.clock),
            WatchDrives(uow, robots, owned, robot_patience_s),
            WatchWaits(uow, owned, robot_patience_s),
            WatchLoads(uow),
        ),
        owned=owned,
        lead=lead,
        background=clock,
    )


def _ticking(lead: LeadFleet, wake: Callable[[], None]) -> Callable[[], bool]:
    """Traffic cannot wait until something else wakes the worker."""

    def tick() -> bool:
        if lead.leads:
            wake()
        return False

    return tick


class LateKey:
    """The plant's key, read (with its library) when the first record is sealed."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @cached_property
    def _key(self) -> PlantKey:
        from mpms.factory.adapters.plant_key import read_or_make_key

        return read_or_make_key(self._file)

    @property
    def public(self) -> str:
        return self._key.public

    def sign(self, message: bytes) -> str:
        return self._key.sign(message)


def _sealing(uow: UnitOfWork, key: Path | None) -> Sequence[Phase]:
    return () if key is None else (SealRecords(uow, LateKey(key)),)


@contextmanager
def work(context: WorkContext) -> Iterator[Working]:
    """The factory beside a worker, as long as the block runs."""
    options = context.options or FactoryOptions()
    uow = cast(UnitOfWork, context.uow)  # with the stores that the factory brings
    settings = FactorySettings(**context.settings)
    place = settings.world
    if options.state_dir is not None:
        place = world_in_use(context.uow, settings.world, options.state_dir)
    world, fleet = world_named(place), fleet_of(place)
    robots = connect_robots(
        world,
        settings.robots_url,
        tls=settings.robots_tls,
        on_report=context.wake,
        on_told=options.on_told,
        fleet=fleet,
    )
    phases = robot_phases(
        uow,
        context.advance,
        robots,
        name=context.name,
        lease_s=context.lease_s,
        robot_patience_s=settings.robot_patience_s,
        fleet=fleet,
        plant_speed=options.plant_speed,
        wake=context.wake,
    )
    materials = current_catalogue(settings.catalogue, settings.world)
    instruments = instruments_of(settings.instruments, settings.world)
    mail, engine = options.mail, context.advance.engine
    experiments = RunExperiments(uow, SimulatorProcess(), context.name)
    try:
        yield Working(
            functions=topic_functions(
                uow,
                context.advance,
                world,
                scale=options.scale
                or connect_scale(
                    world,
                    settings.robots_url,
                    settings.scale,
                    tls=settings.robots_tls,
                    instruments=instruments,
                ),
                intake=None if mail is None else mail.intake(uow, engine),
                materials=materials,
                fleet=fleet is not None,
                tanks=connect_tanks(instruments),
                site_url=options.site_url,
                mails=mail is not None,
            ),
            first=phases.first,
            then=(
                *phases.then,
                WatchStock(uow, materials, context.advance.clock),
                WatchWorkers(uow, settings.worker_patience_s),
                *_sealing(uow, options.records_key),
            ),
            background=(
                *phases.background,
                BackgroundTask("experiments", experiments),
                *(() if mail is None else mail.background(uow, context.name)),
            ),
        )
    finally:
        experiments.close()
        try:
            if phases.lead is not None:
                phases.lead.release()
            phases.owned.release()
        except DatabaseAway:
            log.warning("the database is away; robots' leases run out by themselves")
        robots.close()
