"""The ``shopfloor`` command.

A demo starts it as a process of its own, so it says in one line when it listens
and never outlives the one who started it if asked not to.
"""

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from shopfloor.sim.faults import FaultRefused
from shopfloor.sim.server import RosbridgeServer, until_first
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.trace import Trace
from shopfloor.sim.world import World, WorldRefused
from shopfloor.sim.world_file import load_world
from shopfloor.warehouse.errors import WarehouseRefused
from shopfloor.warehouse.launch import find_warehouse, simulation_of
from shopfloor.warehouse.world_file import PREFIX, presets

DEFAULT_PORT = 9090
UNUSABLE = 2
MOST = 1000
# Their kernels take a second to load, which the simulator must not wait for.
KERNEL_COMMANDS = {
    "experiment": ("shopfloor.experiment_command", "a question about a plant, as JSON"),
    "learn": ("shopfloor.learn_command", "a policy that passes narrow alleys"),
    "map": ("shopfloor.map_command", "a map, built from lasers of a robot on a round"),
    "mapf": ("shopfloor.mapf_command", "a plan for many robots, as JSON"),
    "mission": ("shopfloor.mission_command", "a whole mission in closed loop"),
    "passability": (
        "shopfloor.passability_command",
        "which vehicle gets through which alley",
    ),
    "plan": ("shopfloor.plan_command", "a path on a map, as JSON"),
    "rmfs": ("shopfloor.rmfs_command", "warehouses with mobile pods"),
    "vehicle": (
        "shopfloor.vehicle_command",
        "a vehicle file: checked, as URDF, drawn",
    ),
    "warehouse": (
        "shopfloor.warehouse_command",
        "shelves that robots carry: create, command, look",
    ),
    "uwb": ("shopfloor.uwb_command", "error of the tag filter on recorded ranges"),
}


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    asked = arguments[0] if arguments else ""
    options = _parser(asked).parse_args(arguments)
    if asked in KERNEL_COMMANDS:
        return int(import_module(KERNEL_COMMANDS[asked][0]).run(options))
    try:
        return asyncio.run(_simulate(options))
    except (WorldRefused, WarehouseRefused) as error:
        return _refuse(str(error))


def _refuse(reason: str) -> int:
    print(f"shopfloor: {reason}", file=sys.stderr)
    return UNUSABLE


def _parser(asked: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="shopfloor")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (module, help_text) in KERNEL_COMMANDS.items():
        if name == asked:
            import_module(module).add_parser(commands)
        else:
            commands.add_parser(name, help=help_text)
    sim = commands.add_parser(
        "sim",
        help="simulated robots behind a rosbridge server",
        description="Fault commands are read from standard input, one a line: "
        "freeze robot1 5",
    )
    sim.add_argument("world", help="a world's name, its directory or its file")
    sim.add_argument("--host", default="127.0.0.1", help="address to listen on")
    sim.add_argument("--port", type=_port, default=DEFAULT_PORT, help="0: a free one")
    sim.add_argument("--robots", type=_count, help="that many, whatever the world says")
    sim.add_argument("--speed", type=_speed, default=1.0, help="plant seconds a second")
    sim.add_argument("--dialect", choices=("ros1", "ros2"), default="ros1")
    sim.add_argument("--seed", type=int, default=0)
    sim.add_argument(
        "--navigation",
        choices=("simple", "full"),
        default="simple",
        help="full: lasers, localisation, planners and control in closed loop",
    )
    sim.add_argument(
        "--replay",
        type=Path,
        metavar="RUN",
        help="show a recorded run on the topics; goals are refused",
    )
    _add_full_options(sim)
    streets = sim.add_argument_group("out of doors (a world with streets.yaml)")
    streets.add_argument(
        "--planner", choices=("dwa", "mppi", "teb"), help="that follows ways; teb"
    )
    streets.add_argument(
        "--alley-width", type=float, metavar="M", help="of the alley, in metres"
    )
    vda = sim.add_argument_group("vehicles of VDA 5050, beside the rosbridge server")
    vda.add_argument(
        "--vda5050",
        metavar="BROKER",
        help="mqtt://host:port: robots whose profile is vda5050 (or all, if none is) "
        "speak VDA 5050 there, as <root>/shopfloor/<id>",
    )
    vda.add_argument("--vda-version", choices=VDA_VERSIONS, default=VDA_VERSIONS[1])
    kiva = sim.add_argument_group("in a warehouse (a world with warehouse.yaml)")
    kiva.add_argument(
        "--commands", type=Path, metavar="FILE", help="what its robots do at the start"
    )
    kiva.add_argument("--pedestrians", action="store_true", help="people walk in it")
    kiva.add_argument(
        "--planned",
        action="store_true",
        help="robots go around each other and make way, instead of x, then y",
    )
    sim.add_argument("--trace", type=Path, help="append what happens to this file")
    sim.add_argument(
        "--with-parent", action="store_true", help="end when standard input closes"
    )
    return parser


def _add_full_options(sim: argparse.ArgumentParser) -> None:
    full = sim.add_argument_group("with --navigation full")
    full.add_argument("--boxes", type=_whole, help="so many that no map knows")
    full.add_argument("--people", type=_whole, help="so many who walk and approach")
    full.add_argument(
        "--localisation",
        choices=("amcl", "known"),
        help="known: the true pose instead of lasers and map",
    )
    full.add_argument(
        "--wait-for-goals",
        action="store_true",
        default=None,
        help="plant time passes only while a robot drives: repeatable on any machine",
    )
    full.add_argument(
        "--record",
        type=Path,
        metavar="RUN",
        help="write what happens and an account at the end",
    )


VDA_VERSIONS = ("2.0.0", "2.1.0", "3.0.0")
STREETS = "streets.yaml"
STREET_OPTIONS = ("planner", "alley_width")
FULL_OPTIONS = ("boxes", "people", "localisation", "wait_for_goals", "record")


def _port(text: str) -> int:
    number = int(text) if text.isdecimal() else -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port (0 to 65535)")
    return number


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of robots")
    return int(text)


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to {MOST}")
    return int(text)


def _speed(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value <= 1000.0:
        raise argparse.ArgumentTypeError(f"{text!r} is no speed (above 0, up to 1000)")
    return value


def find_world(name: str) -> Path:
    """A path if there is one, otherwise a world that comes with the product."""
    given = Path(name)
    if given.exists():
        return given
    here = Path(__file__).resolve().parent.parent
    shelves = (Path("worlds"), here / "worlds", here / "mpms" / "_assets" / "worlds")
    for shelf in shelves:
        if (shelf / name / "world.yaml").is_file():
            return shelf / name
    known = sorted(
        {
            file.parent.name
            for shelf in shelves
            if shelf.is_dir()
            for file in shelf.glob("*/world.yaml")
        }
        | {f"{PREFIX}{short}" for short in presets()}
    )
    listed = f"; there are {', '.join(known)}" if known else ""
    raise WorldRefused(f"there is no world {name!r}{listed}")


def _world(options: argparse.Namespace) -> World:
    world = load_world(find_world(options.world))
    return world if options.robots is None else world.with_robots(options.robots)


def _simulation(
    options: argparse.Namespace, trace: Trace, ended: contextlib.ExitStack
) -> Simulation:
    """WorldRefused or WarehouseRefused if it cannot be simulated like that."""
    facts = {
        "dialect": options.dialect,
        "speed": options.speed,
        "seed": options.seed,
        "trace": trace,
    }
    asked = {name: getattr(options, name) for name in FULL_OPTIONS}
    asked = {name: value for name, value in asked.items() if value is not None}
    warehouse = find_warehouse(options.world)
    if warehouse is not None:
        for name in asked:
            raise WorldRefused(f"--{name.replace('_', '-')} is not for a warehouse")
        return simulation_of(warehouse, options, facts)
    for name in ("commands", "pedestrians", "planned"):
        if getattr(options, name):
            raise WorldRefused(f"--{name} is for warehouses")
    path = find_world(options.world)
    if options.navigation == "simple" and options.replay is None:
        beside = path if path.is_dir() else path.parent
        if (beside / STREETS).is_file():
            return _in_streets(path, options, facts, asked)
    for name in STREET_OPTIONS:
        if getattr(options, name) is not None:
            raise WorldRefused(f"--{name.replace('_', '-')} is for worlds with streets")
    world = _world(options)
    if options.replay is not None:
        for name in (*asked, *(["robots"] if options.robots is not None else [])):
            flag = f"--{name.replace('_', '-')}"
            raise WorldRefused(f"{flag} changes nothing in a --replay")
        return _replayed(options.replay, world, facts)
    if options.navigation == "simple":
        for name in asked:
            flag = f"--{name.replace('_', '-')}"
            raise WorldRefused(f"{flag} is for --navigation full")
        return Simulation(world, **facts)
    served = import_module("shopfloor.plant.served")
    record = asked.pop("record", None)
    simulation: Simulation = served.FullSimulation(world, **facts, **asked)
    served.warm_up(world)
    if record is not None:
        ended.enter_context(served.recorded(simulation, record))
    return simulation


def _in_streets(
    path: Path,
    options: argparse.Namespace,
    facts: dict[str, Any],
    asked: dict[str, Any],
) -> Simulation:
    """WorldRefused if a vehicle or an alley cannot be like that."""
    for name in asked:
        flag = f"--{name.replace('_', '-')}"
        raise WorldRefused(f"{flag} is for --navigation full")
    if options.robots is not None:
        raise WorldRefused("--robots is not for a world with streets")
    launch = import_module("shopfloor.streets.launch")
    simulation: Simulation = launch.simulation_of(
        path, options.alley_width, options.planner, facts
    )
    return simulation


def _replayed(run: Path, world: World, facts: dict[str, Any]) -> Simulation:
    """WorldRefused if the file is no run in this world."""
    recording = import_module("shopfloor.plant.recording")
    replayed = import_module("shopfloor.plant.replayed")
    try:
        simulation: Simulation = replayed.ReplayedSimulation(
            world, recording.read_recording(run), **facts
        )
    except recording.RecordingRefused as error:
        raise WorldRefused(str(error)) from None
    return simulation


async def _simulate(options: argparse.Namespace) -> int:
    try:
        trace = Trace(options.trace)
    except OSError as error:
        return _refuse(f"the trace {options.trace} cannot be written: {error.strerror}")
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    with contextlib.ExitStack() as ended:
        ended.callback(trace.close)
        try:
            simulation = _simulation(options, trace, ended)
        except OSError as error:
            return _refuse(f"{options.record} cannot be written: {error.strerror}")
        if options.vda5050 is not None:
            ended.callback(_vehicles(simulation, options).close)
        server = RosbridgeServer(simulation, host=options.host, port=options.port)
        try:
            await server.start()
        except OSError as error:
            reason = error.strerror or str(error)
            return _refuse(f"cannot listen on {options.host}:{options.port}: {reason}")
        _say({"ready": True, "url": server.url, "robots": simulation.names_of_robots})
        orphaned = stop.set if options.with_parent else lambda: None
        _listen_to_stdin(loop, simulation, orphaned)
        try:
            await until_first(stop.wait(), server.wait())
        finally:
            await server.stop()
    return 0


def _vehicles(simulation: Simulation, options: argparse.Namespace) -> Any:
    """WorldRefused without the library or with a wrong address."""
    if not options.vda5050.startswith("mqtt://"):
        raise WorldRefused(f"{options.vda5050}: write mqtt://host:port")
    try:
        served = import_module("shopfloor.vda5050.served")
    except ModuleNotFoundError:
        raise WorldRefused(
            "paho-mqtt is not installed: pip install 'mpms[vda5050]'"
        ) from None
    specs = simulation.world.robots
    chosen = [s.id for s in specs if s.profile.startswith("vda5050")]
    return served.MqttFleet(
        simulation,
        chosen or [s.id for s in specs],
        options.vda5050,
        options.vda_version,
    )


def _say(facts: dict[str, object]) -> None:
    with contextlib.suppress(BrokenPipeError):
        print(json.dumps(facts), flush=True)


def _listen_to_stdin(
    loop: asyncio.AbstractEventLoop,
    simulation: Simulation,
    ended: Callable[[], None],
) -> None:
    """Read commands on a thread; raw reads, so that it never delays the exit."""
    signal.signal(signal.SIGTTIN, signal.SIG_IGN)

    def obey(line: str) -> None:
        if not line.strip():
            return
        try:
            _say({"ok": True, "fault": simulation.fault(line)})
        except FaultRefused as error:
            _say({"ok": False, "error": str(error)})

    def read() -> None:
        rest = b""
        with contextlib.suppress(OSError, RuntimeError):
            while chunk := os.read(0, 65536):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    text = line.decode("utf-8", "replace")
                    loop.call_soon_threadsafe(obey, text)
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(ended)

    threading.Thread(target=read, name="commands", daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
