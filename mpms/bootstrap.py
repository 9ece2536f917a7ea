"""Puts the parts together: adapters into services, services into handlers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mpms import assets, plugins
from mpms.adapters.memory import (
    LoopbackRobots,
    LoopbackScale,
    MemoryIntake,
    SystemClock,
)
from mpms.adapters.postgres.connections import Connections
from mpms.adapters.postgres.listening import Listener
from mpms.adapters.postgres.migrate import migrate, pending
from mpms.adapters.postgres.queries import Queries
from mpms.adapters.postgres.unit_of_work import PostgresUnitOfWork
from mpms.adapters.worlds import read_world
from mpms.domain.errors import MpmsError
from mpms.domain.limits import Limits
from mpms.domain.order_mail import Catalogue
from mpms.domain.worlds import World
from mpms.engine.runner import SpiffEngine
from mpms.ports.engine import Engine
from mpms.ports.plant import Clock, Intake, Robots, Scale
from mpms.ports.store import UnitOfWork
from mpms.services.advance_instance import Advance
from mpms.services.current_catalogue import CurrentCatalogue
from mpms.services.factory.driving import MoveRobot
from mpms.services.factory.mail import ReadMail
from mpms.services.factory.orders import StartWarehouse, find_order, set_order_status
from mpms.services.factory.robots import AssignRobot
from mpms.services.factory.warehouse import (
    ConnectWarehouse,
    WeighMaterial,
    disconnect_warehouse,
)
from mpms.services.handlers import Handlers

CHANNEL = "mpms"


class DatabaseNotMigrated(MpmsError):
    """The database lacks migrations; run: mpms migrate"""


@dataclass
class Services:
    """Everything a worker, a command or a page needs."""

    connections: Connections
    uow: UnitOfWork
    engine: Engine
    clock: Clock
    advance: Advance

    def listen(self) -> Listener:
        """Wake up when another process has committed something."""
        return self.connections.listen(CHANNEL)

    def close(self) -> None:
        self.connections.close()


def connect(
    database_url: str,
    *,
    clock: Clock | None = None,
    handlers: Handlers | None = None,
    application: str = "mpms",
    limits: Limits | None = None,
) -> Services:
    """Connect to a migrated database. PluginRefused."""
    engine = SpiffEngine((handlers or plugins.handlers()).pure, limits)
    connections = Connections(database_url, application_name=application)
    wall = clock or SystemClock()
    uow = PostgresUnitOfWork(connections, _queries(), channel=CHANNEL)
    return Services(connections, uow, engine, wall, Advance(engine, wall))


@cache
def _queries() -> Queries:
    """The statements of this release; they cannot change while a process runs."""
    return Queries(assets.directory("db") / "queries")


def migrate_database(database_url: str) -> list[str]:
    """Bring a database up to date; return the names of what was applied."""
    with Connections(database_url) as pool, pool.connection() as connection:
        return migrate(connection, assets.directory("db") / "migrations")


def require_migrated(services: Services) -> None:
    """Raise DatabaseNotMigrated with the names of what is missing."""
    with services.connections.connection() as connection:
        missing = pending(connection, assets.directory("db") / "migrations")
    if missing:
        raise DatabaseNotMigrated(
            f"The database lacks {', '.join(missing)}; run: mpms migrate"
        )


def world_directory(name: str) -> Path:
    """A shipped world by name, or any world by the path of its directory."""
    shipped = assets.directory("worlds") / name
    return shipped if shipped.is_dir() else Path(name)


def world_named(name: str) -> World:
    return read_world(world_directory(name))


def current_catalogue(file: Path | None, world: str) -> CurrentCatalogue:
    """Materials and recipes: those of the pages, else of this file or the world's."""
    path = file or world_directory(world) / "catalogue.json"

    def read() -> Catalogue | None:
        if not path.exists():
            return None
        return Catalogue.from_json(path.read_text(encoding="utf-8"))

    return CurrentCatalogue(read, path=str(path))


def connect_robots(
    world: World,
    url: str | None,
    *,
    ca_file: Path | None = None,
    on_report: Callable[[], None] = lambda: None,
    on_told: Callable[[str, str], None] = lambda robot, text: None,
) -> Robots:
    """The robots behind a rosbridge server; without one, robots in memory."""
    if url is None:
        return LoopbackRobots(world, on_report=on_report)
    # The libraries behind rosbridge take longer to load than all the rest.
    from mpms.adapters.robots import BridgeRobots

    return BridgeRobots(
        world,
        url,
        ca_file=None if ca_file is None else str(ca_file),
        on_report=on_report,
        on_told=on_told,
    )


def connect_scale(
    world: World,
    robots_url: str | None,
    kind: str | None = None,
    *,
    ca_file: Path | None = None,
) -> Scale:
    """The scales on the robots, wherever robots are reached over rosbridge."""
    if robots_url is None or kind == "memory":
        return LoopbackScale()
    from mpms.adapters.scales import BridgeScale

    return BridgeScale(
        world, robots_url, ca_file=None if ca_file is None else str(ca_file)
    )


def factory_handlers(
    services: Services,
    world: World,
    *,
    scale: Scale | None = None,
    intake: Intake | None = None,
    materials: CurrentCatalogue | None = None,
) -> Handlers:
    """The handlers of the factory's models."""
    handlers = Handlers()
    handlers.add_inside("orders.next", find_order)
    handlers.add_inside("orders.set_status", set_order_status)
    handlers.add_inside("warehouse.start", StartWarehouse(services.advance))
    handlers.add_inside("warehouse.connect", ConnectWarehouse(world, materials))
    handlers.add_inside("warehouse.disconnect", disconnect_warehouse)
    handlers.add_inside("robot.assign", AssignRobot(world))
    handlers.add_inside("robot.move", MoveRobot(world))
    handlers.add_outside(
        "mail.read", ReadMail(intake or MemoryIntake(services.uow)), limit_s=120.0
    )
    handlers.add_outside(
        "scale.weigh",
        WeighMaterial(scale or LoopbackScale(), services.uow),
        limit_s=20.0,
    )
    return handlers
