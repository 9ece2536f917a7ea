"""Puts the parts of the factory together: its world, robots, scales and handlers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mpms import assets
from mpms.domain.errors import MpmsError
from mpms.domain.jobs import Answer
from mpms.factory.adapters.fleet_files import FleetFiles, read_fleet
from mpms.factory.adapters.memory import LoopbackRobots, LoopbackScale, MemoryIntake
from mpms.factory.adapters.robots.makes import (
    ChecksOfMakes,
    RobotsOfMakes,
    ScalesOfMakes,
)
from mpms.factory.adapters.robots.where import address_of
from mpms.factory.adapters.vehicle_files import WorldVehicles
from mpms.factory.adapters.world_drafts import WorldDraftFiles, write_files
from mpms.factory.adapters.worlds import read_world
from mpms.factory.declared_topics import TOPICS
from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.domain.worlds import RobotInfo, World
from mpms.factory.plugin import ROBOTS, SCALES
from mpms.factory.ports.checks import RobotCheck
from mpms.factory.ports.mail.intake import Intake
from mpms.factory.ports.robots.robots import Robots
from mpms.factory.ports.scales import Scale
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.ports.tanks import NoTanks, Tanks
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.tasks.live_weight import LiveWeights
from mpms.factory.topics.delivery import MakeCode, check_code
from mpms.factory.topics.fleet import (
    MoveByFleet,
    confirm_place,
    fetch_shelf,
    retrieve_package,
    return_shelf,
    store_package,
    transport,
)
from mpms.factory.topics.mail import ReadMail
from mpms.factory.topics.orders import StartWarehouse, find_order, set_order_status
from mpms.factory.topics.robot_assign import AssignRobot
from mpms.factory.topics.robot_move import MoveRobot
from mpms.factory.topics.stock import (
    BookLoad,
    NextMaterial,
    ReceiveLot,
    find_carried,
    return_material,
    set_lot_state,
    use_material,
)
from mpms.factory.topics.tanks import MixInTank, PrepareTank, note_cleaned
from mpms.factory.topics.warehouse import (
    ConnectWarehouse,
    WeighMaterial,
    disconnect_warehouse,
)
from mpms.plugins import loading
from mpms.plugins.loading import handlers_of_topics
from mpms.ports import store
from mpms.services.instances.advance import Advance
from mpms.services.jobs.handlers import Handlers
from robot_bridge.tls import SYSTEM, TlsFiles

if TYPE_CHECKING:
    from mpms.factory.adapters.instruments.reading import Instruments

INSTRUMENTS_FILE = "instruments.yaml"
WEIGHING_S = 15.0
A_LOOK_S = 3.0  # a tablet asks again
BRIDGED = ("ws", "wss", "mqtt", "mqtts")


class DriverUnknown(MpmsError):
    """No plug-in brings a driver for these robots."""


def world_directory(name: str) -> Path:
    """A shipped world by name, or any world by the path of its directory."""
    shipped = assets.directory("worlds") / name
    return shipped if shipped.is_dir() else Path(name)


def world_named(name: str) -> World:
    return read_world(world_directory(name))


def drafts_of(name: str) -> WorldDraftFiles:
    """The files of a world, to draw it anew."""
    return WorldDraftFiles(world_directory(name).resolve())


def world_in_use(uow: store.UnitOfWork, name: str, state_dir: Path) -> str:
    """The world that was drawn and is used, as files of its own below the state's
    directory; the plant's own one where nobody has drawn another."""
    drafts = drafts_of(name)
    with cast(UnitOfWork, uow)() as tx:  # with the stores that the factory brings
        use = tx.world_versions.in_use(drafts.name)
        files = tx.world_versions.files(drafts.name, use.number) if use.number else None
    if files is None:
        return name
    target = state_dir / "worlds" / f"{drafts.name}-{use.number}"
    write_files(files, drafts.directory, target)
    return str(target)


def fleet_of(name: str) -> FleetFiles | None:
    """What the fleet reads of a world; None: its robots are driven one by one."""
    return read_fleet(world_directory(name))


def vehicles_of(world: World, name: str) -> WorldVehicles:
    """What is written about the vehicles of this world, and about all others."""
    return WorldVehicles(world, world_directory(name), assets.directory("worlds"))


def current_catalogue(file: Path | None, world: str) -> CurrentCatalogue:
    """Materials and recipes: those of the pages, else of this file or the world's."""
    path = file or world_directory(world) / "catalogue.json"

    def read() -> Catalogue | None:
        if not path.exists():
            return None
        return Catalogue.from_json(path.read_text(encoding="utf-8"))

    return CurrentCatalogue(read, path=str(path))


def instruments_of(file: Path | None, name: str) -> Instruments | None:
    """The scales and tanks of this file, else of the world's, if it has such a file.
    InstrumentsInvalid."""
    path = file or world_directory(name) / INSTRUMENTS_FILE
    if file is None and not path.exists():
        return None
    from mpms.factory.adapters.instruments.reading import read_instruments

    world = world_named(name)
    robots = {robot.id for robot in world.robots}
    return read_instruments(path, places=world.places, robots=robots)


def kind_of(url: str) -> str:
    return url.partition("://")[0].lower()


def driver_of(url: str, what: str = "MPMS_ROBOTS_URL") -> str:
    """The driver of a plug-in for robots at this address; empty: they speak rosbridge
    or VDA 5050. DriverUnknown, which says whose address it is."""
    kind = kind_of(url)
    known = loading.offered(ROBOTS)
    if "://" in url and kind not in BRIDGED and kind not in known:
        names = ", ".join([*BRIDGED, *sorted(known)])
        raise DriverUnknown(
            f"{what} begins with {kind}://, and nothing that is installed"
            f" drives such robots; known are: {names}."
        )
    return kind if kind in known else ""


def makes_of(world: World, url: str) -> dict[tuple[str, str], World]:
    """By driver and its address, the world with its robots alone: a robot may have an
    address of its own, and with it another driver. DriverUnknown."""
    found: dict[tuple[str, str], list[RobotInfo]] = {}
    for info in world.robots:
        address = address_of(info, url)
        whose = f"The address of {info.id}" if info.url else "MPMS_ROBOTS_URL"
        driver = driver_of(address, whose)
        found.setdefault((driver, address if driver else url), []).append(info)
    return {
        make: replace(world, robots=tuple(robots)) for make, robots in found.items()
    }


def bridged(world: World, url: str) -> World | None:
    """The world with the robots that speak rosbridge or VDA 5050, if there are some."""
    return next((w for (name, _), w in makes_of(world, url).items() if not name), None)


def connect_robots(
    world: World,
    url: str | None,
    *,
    tls: TlsFiles = SYSTEM,
    on_report: Callable[[], None] = lambda: None,
    on_told: Callable[[str, str], None] = lambda robot, text: None,
    fleet: FleetFiles | None = None,
) -> Robots:
    """The robots at this address; without one, robots in memory. DriverUnknown.

    A driver of a plug-in has its own kind of address; all else is rosbridge, or VDA
    5050 at a broker. ``fleet``: whose roads vehicles are told as nodes and edges.
    """
    if url is None:
        return LoopbackRobots(world, on_report=on_report)
    drivers: list[Robots] = []
    for (name, address), part in makes_of(world, url).items():
        if name:
            make = loading.offered(ROBOTS)[name]
            driver = make(part, address, on_report=on_report, on_told=on_told)
            drivers.append(cast(Robots, driver))
            continue
        # The libraries behind rosbridge take longer to load than all the rest.
        from mpms.factory.adapters.robots.roads import Roads
        from mpms.factory.adapters.robots.robots import BridgeRobots

        drivers.append(
            BridgeRobots(
                part,
                url,
                tls=tls,
                on_report=on_report,
                on_told=on_told,
                crossings=Roads(None if fleet is None else fleet.world).crossings,
            )
        )
    return drivers[0] if len(drivers) == 1 else RobotsOfMakes(drivers)


def connect_scale(
    world: World,
    robots_url: str | None,
    kind: str | None = None,
    *,
    tls: TlsFiles = SYSTEM,
    instruments: Instruments | None = None,
    timeout_s: float = WEIGHING_S,
) -> Scale:
    """The scales of the plant; else those on the robots, as their make has them.
    ``timeout_s``: how long a load on a robot may swing."""
    if instruments is not None and instruments.scales:
        from mpms.factory.adapters.instruments.scales import PlantScales

        others = connect_scale(world, robots_url, kind, tls=tls)
        return PlantScales(instruments.scales, others)
    if robots_url is None or kind == "memory":
        return LoopbackScale()
    scales: dict[str, Scale] = {}
    for (name, address), part in makes_of(world, robots_url).items():
        scale: Scale
        if name:
            make = loading.offered(SCALES).get(name)
            made = LoopbackScale() if make is None else make(part, address)
            scale = cast(Scale, made)
        else:
            from mpms.factory.adapters.scales import BridgeScale

            scale = BridgeScale(part, robots_url, tls=tls, timeout_s=timeout_s)
        scales |= {info.id: scale for info in part.robots}
    only = set(map(id, scales.values()))
    return next(iter(scales.values())) if len(only) == 1 else ScalesOfMakes(scales)


def live_weights(
    world: World,
    robots_url: str | None,
    kind: str | None = None,
    *,
    tls: TlsFiles = SYSTEM,
    instruments: Instruments | None = None,
    demo: Callable[[Scale], Scale] = lambda scale: scale,
) -> LiveWeights | None:
    """What tablets see of the scales on robots; None where no scale can be asked."""
    if robots_url is None or kind == "memory":
        return None
    scale = connect_scale(world, robots_url, kind, tls=tls, timeout_s=A_LOOK_S)
    scales = () if instruments is None else instruments.scales.values()
    elsewhere = {name for each in scales for name in (*each.places, *each.robots)}
    return LiveWeights(demo(scale), elsewhere=elsewhere)


def robot_check(world: World, url: str | None, *, tls: TlsFiles = SYSTEM) -> RobotCheck:
    """How the connection to each robot is tested. DriverUnknown."""
    from mpms.factory.adapters.robots.check import BridgeCheck, DriverCheck

    bridge = BridgeCheck(world, url, tls=tls)
    if url is None:
        return bridge
    makes = makes_of(world, url).items()
    driven = [part for (name, _), part in makes if name]
    checks = {info.id: DriverCheck() for part in driven for info in part.robots}
    return ChecksOfMakes(checks, bridge)


def connect_tanks(instruments: Instruments | None) -> Tanks:
    """Those with a controller; all others are started by hand."""
    if instruments is None or not instruments.tanks:
        return NoTanks()
    from mpms.factory.adapters.instruments.tanks import PlantTanks

    return PlantTanks(instruments.tanks)


def topic_functions(
    uow: UnitOfWork,
    advance: Advance,
    world: World,
    *,
    scale: Scale | None = None,
    intake: Intake | None = None,
    materials: CurrentCatalogue | None = None,
    fleet: bool = False,
    tanks: Tanks | None = None,
    site_url: str = "",
    mails: bool = False,
) -> dict[str, Callable[..., Answer]]:
    """The work of the factory's topics. ``fleet``: somebody leads one, and it drives
    the robots. ``site_url``: where customers open their pages; ``mails``: there is a
    mail server that takes what we write."""
    known = materials or CurrentCatalogue()

    def now() -> datetime:
        return advance.clock.now()

    move = MoveByFleet(world) if fleet else MoveRobot(world)
    return {
        "delivery.check": check_code,
        "delivery.code": MakeCode(site_url, mails=mails),
        "fleet.transport": transport,
        "mail.read": ReadMail(intake or MemoryIntake(uow)),
        "orders.next": find_order,
        "orders.set_status": set_order_status,
        "robot.assign": AssignRobot(world, fleet=fleet),
        "robot.move": move,
        "scale.weigh": WeighMaterial(scale or LoopbackScale(), uow),
        "shelf.fetch": fetch_shelf,
        "shelf.return": return_shelf,
        "storage.confirm": confirm_place,
        "storage.retrieve": retrieve_package,
        "storage.store": store_package,
        "stock.carried": find_carried,
        "stock.load": BookLoad(now),
        "stock.next": NextMaterial(world, known, now),
        "stock.receive": ReceiveLot(world, known, now),
        "stock.return": return_material,
        "stock.set_state": set_lot_state,
        "stock.use": use_material,
        "tank.cleaned": note_cleaned,
        "tank.mix": MixInTank(tanks or NoTanks(), uow),
        "tank.prepare": PrepareTank(tanks or NoTanks()),
        "warehouse.connect": ConnectWarehouse(world, known, now),
        "warehouse.disconnect": disconnect_warehouse,
        "warehouse.start": StartWarehouse(advance),
    }


def factory_handlers(
    uow: UnitOfWork, advance: Advance, world: World, **parts: Any
) -> Handlers:
    """The same as handlers of a worker."""
    functions = topic_functions(uow, advance, world, **parts)
    return handlers_of_topics(
        {name: replace(TOPICS[name], function=f) for name, f in functions.items()}
    )


def read_workbook(data: bytes) -> list[list[str]]:
    """The first sheet of an XLSX file as texts; ValueError says what is wrong."""
    from mpms.factory.adapters.mail.sandbox.workbook import workbook_texts

    return workbook_texts(data)
