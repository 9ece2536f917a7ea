"""What the factory does in a running worker: robots, scales and mail."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

from mpms.domain.errors import DatabaseAway
from mpms.factory.bootstrap import (
    connect_robots,
    connect_scale,
    current_catalogue,
    topic_functions,
    world_named,
)
from mpms.factory.ports.mail.intake import Intake
from mpms.factory.ports.robots.robots import Robots
from mpms.factory.ports.scales import Scale
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.robots import watch_drives
from mpms.factory.services.robots.own import OwnRobots
from mpms.factory.services.robots.send_goals import send_goals
from mpms.factory.services.robots.settle_goals import settle_goals
from mpms.factory.services.robots.track import TrackRobots
from mpms.factory.services.robots.watch_drives import WatchDrives
from mpms.factory.services.robots.watch_waits import WatchWaits
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
    """What a worker of the factory is told by whoever starts it."""

    world: str = "paint_factory"
    catalogue: Path | None = None
    robots_url: str | None = None
    robots_ca_file: Path | None = None
    scale_kind: str | None = None
    scale: Scale | None = None  # instead of those on the robots
    mail: Mail | None = None
    lease_s: float = 30.0
    robot_patience_s: float = watch_drives.PATIENCE_S
    on_told: Callable[[str, str], None] = field(default=tell)


@dataclass(frozen=True)
class RobotPhases:
    """What a worker does with robots, before and after instances are moved."""

    first: Sequence[Phase]
    then: Sequence[Phase]
    owned: OwnRobots


def robot_phases(
    uow: UnitOfWork,
    advance: Advance,
    robots: Robots,
    *,
    name: str,
    lease_s: float = 30.0,
    robot_patience_s: float = watch_drives.PATIENCE_S,
) -> RobotPhases:
    owned = OwnRobots(uow, robots, name, lease_s=lease_s)
    return RobotPhases(
        first=(owned, lambda: settle_goals(uow, advance, robots, owned) > 0),
        then=(
            lambda: send_goals(uow, robots, owned) > 0,
            TrackRobots(uow, robots, owned, advance.clock),
            WatchDrives(uow, robots, owned, robot_patience_s),
            WatchWaits(uow, owned, robot_patience_s),
        ),
        owned=owned,
    )


@contextmanager
def work(context: WorkContext) -> Iterator[Working]:
    """The factory beside a worker, as long as the block runs."""
    options = context.options or FactoryOptions()
    uow = cast(UnitOfWork, context.uow)  # with the stores that the factory brings
    world = world_named(options.world)
    robots = connect_robots(
        world,
        options.robots_url,
        ca_file=options.robots_ca_file,
        on_report=context.wake,
        on_told=options.on_told,
    )
    phases = robot_phases(
        uow,
        context.advance,
        robots,
        name=context.name,
        lease_s=options.lease_s,
        robot_patience_s=options.robot_patience_s,
    )
    mail, engine = options.mail, context.advance.engine
    try:
        yield Working(
            functions=topic_functions(
                uow,
                context.advance,
                world,
                scale=options.scale
                or connect_scale(
                    world,
                    options.robots_url,
                    options.scale_kind,
                    ca_file=options.robots_ca_file,
                ),
                intake=None if mail is None else mail.intake(uow, engine),
                materials=current_catalogue(options.catalogue, options.world),
            ),
            first=phases.first,
            then=phases.then,
            background=() if mail is None else mail.background(uow, context.name),
        )
    finally:
        try:
            phases.owned.release()
        except DatabaseAway:
            log.warning("the database is away; robots' leases run out by themselves")
        robots.close()
