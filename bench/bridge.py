"""Robots over rosbridge: delay to the wire, robots a worker, recovery of a link.

Everything runs as in a plant: a worker process, PostgreSQL with fsync on, and a
simulator or, for many robots, a process that repeats the simulator's own frames. The
last line is one JSON object; the figures want a machine that does nothing else.
"""

from __future__ import annotations

import asyncio
import json
import math
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from mpms import bootstrap  # noqa
from mpms.embedded import postgres  # noqa: E402
from mpms.factory import bootstrap as factory_bootstrap  # noqa: E402
from mpms.services.instances.start import start_instance  # noqa: E402
from mpms.services.models.deploy import deploy_models  # noqa: E402
from shopfloor.sim.simulation import Simulation  # noqa: E402
from shopfloor.sim.world import RobotSpec, World  # noqa: E402
from tests.support.factory_worker import FactoryWorker  # noqa: E402

SAMPLES = 40
WINDOW_S = 10.0
PATIENCE_S = 120.0
CPU_TICKS = os.sysconf("SC_CLK_TCK")
TRIP = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="bench">
  <process id="trip" isExecutable="true">
    <startEvent id="begin"/>
    <sequenceFlow id="f1" sourceRef="begin" targetRef="drive"/>
    <serviceTask id="drive" camunda:type="external" camunda:topic="robot.move"/>
    <sequenceFlow id="f2" sourceRef="drive" targetRef="end"/>
    <endEvent id="end"/>
  </process></definitions>"""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def wait_for(what: str, condition: Callable[[], Any]) -> Any:
    give_up_at = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < give_up_at, f"in vain: {what}"
        time.sleep(0.02)
    return found


def world_of(directory: Path, robots: int) -> Path:
    """The shipped world with so many robots of one kind."""
    shipped = ROOT / "worlds" / "paint_factory" / "world.yaml"
    data = yaml.safe_load(shipped.read_text())
    data["map"].pop("image")
    data["robots"] = [
        {
            **{"id": f"robot{number}", "kind": "carrier", "home": "home"},
            **{"profile": "move_base", "max_speed_mps": 1.0, "max_payload_kg": 1500.0},
        }
        for number in range(1, robots + 1)
    ]
    place = directory / f"world_of_{robots}"
    place.mkdir(exist_ok=True)
    (place / "world.yaml").write_text(yaml.safe_dump(data))
    return place


class Simulator:
    """``shopfloor sim`` as its own process, with its trace."""

    def __init__(self, world: Path, trace: Path, *, speed: float) -> None:
        self._trace = trace
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "shopfloor", "sim", str(world)),
                *("--port", "0", "--speed", str(speed), "--with-parent"),
                *("--trace", str(trace)),
            ],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.url = self._answer()["url"]

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        return dict(json.loads(self._process.stdout.readline()))

    def fault(self, command: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        assert self._answer()["ok"]

    def records(self, event: str) -> list[dict[str, Any]]:
        lines = self._trace.read_bytes().split(b"\n")[:-1]
        return [r for r in map(json.loads, lines) if r["event"] == event]

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def work(url: str, robots_url: str, world_directory: str, name: str, stop: Any) -> None:
    """A worker process."""
    services = bootstrap.connect(url, application=name)
    world = factory_bootstrap.world_named(world_directory)
    done = threading.Event()
    with services.listen() as alarm:
        robots = factory_bootstrap.connect_robots(
            world, robots_url, on_report=alarm.wake
        )
        handlers = factory_bootstrap.factory_handlers(
            services.uow, services.advance, world
        )
        worker = FactoryWorker(
            services.uow, services.advance, handlers, robots, alarm, name=name
        )

        def follow() -> None:
            stop.wait()
            done.set()
            alarm.wake()

        threading.Thread(target=follow, daemon=True).start()
        worker.run(done)
        robots.close()
    services.close()


@contextmanager
def running_worker(url: str, robots_url: str, world: Path, name: str) -> Iterator[int]:
    """A worker's process id, as long as the block runs."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    process = context.Process(
        target=work, args=(url, robots_url, str(world), name, stop)
    )
    process.start()
    try:
        assert process.pid is not None
        yield process.pid
    finally:
        stop.set()
        process.join()


def robots_up(services: bootstrap.Services) -> int:
    with services.uow() as tx:
        return sum(state.link == "up" for state in tx.robots.states())


def ready(services: bootstrap.Services) -> bool:
    with services.uow() as tx:
        return any(state.ready for state in tx.robots.states())


def send_robot(services: bootstrap.Services, place: str) -> tuple[str, float]:
    """Start a trip; its instance, and the instant before its commit."""
    with services.uow() as tx:
        instance_id = start_instance(
            tx,
            services.advance,
            "trip",
            variables={"robot": "robot1", "place": place},
            actor="bench",
        )
        reached_at = time.time()
    return instance_id, reached_at


def ended(services: bootstrap.Services, instance_id: str) -> bool:
    with services.uow() as tx:
        return tx.instances.get(instance_id).status.ended


def received_at(services: bootstrap.Services, sim: Simulator, instance: str) -> float:
    """When the robot side got the goal of an instance."""
    with services.uow() as tx:
        (goal,) = tx.goals.of_instance(instance)
    return next(
        float(record["at"])
        for record in sim.records("goal_received")
        if record["goal_id"] == goal.id
    )


def delay_to_the_wire(services: bootstrap.Services, sim: Simulator) -> float:
    """Median from the commit of the token's step to the goal at the robot's side."""
    delays_ms = []
    for count in range(SAMPLES):
        instance_id, reached_at = send_robot(services, "AB"[count % 2])
        wait_for("the trip ends", partial(ended, services, instance_id))
        at = received_at(services, sim, instance_id)
        delays_ms.append((at - reached_at) * 1e3)
    say(f"token to wire {min(delays_ms):.1f} .. {max(delays_ms):.1f} ms")
    return statistics.median(delays_ms)


def recovery(services: bootstrap.Services, sim: Simulator, outage_s: float) -> float:
    """Seconds from the link being back to a goal that was waiting for it."""
    wait_for("the robot is ready", lambda: ready(services))
    sim.fault(f"cut * {outage_s}")
    back_at = float(sim.records("fault")[-1]["at"]) + outage_s
    wait_for("the link is down", lambda: not robots_up(services))
    instance_id, _ = send_robot(services, "A" if int(back_at) % 2 else "B")
    wait_for("the trip ends", lambda: ended(services, instance_id))
    return received_at(services, sim, instance_id) - back_at


TOPICS = ("odom", "amcl_pose", "move_base/status", "battery_state")


def sample_frames() -> dict[str, str]:
    """One frame of each topic exactly as the simulator words it, for robot1."""
    simulation = Simulation(World(robots=(RobotSpec("robot1", tag=1),)))
    session = simulation.connect()
    for topic in TOPICS:
        session.receive(json.dumps({"op": "subscribe", "topic": f"/robot1/{topic}"}))
    frames: dict[str, str] = {}
    while len(frames) < len(TOPICS):
        simulation.step()
        while (frame := session.outbox.peek()) is not None:
            session.outbox.sent()
            message = json.loads(frame)
            frames[message["topic"].removeprefix("/robot1/")] = str(frame)
        time.sleep(0.02)
    return frames


def repeat_frames(
    frames: dict[str, str], robots: int, port: Any, turns: Any, stop: Any
) -> None:
    """A server whose robots all move and say so five times a second."""
    answers = {
        "/rosapi/topic_type": {"type": ""},
        "/rosapi/service_type": {"type": ""},
    }
    types = {
        "odom": "nav_msgs/Odometry",
        "amcl_pose": "geometry_msgs/PoseWithCovarianceStamped",
        "battery_state": "sensor_msgs/BatteryState",
        "security_stop": "std_msgs/Bool",
        "status": "actionlib_msgs/GoalStatusArray",
        "result": "move_base_msgs/MoveBaseActionResult",
        "goal": "move_base_msgs/MoveBaseActionGoal",
        "cancel": "actionlib_msgs/GoalID",
        "pause": "std_srvs/SetBool",
    }

    def answer(call: dict[str, Any]) -> dict[str, Any]:
        service, asked = call["service"], call.get("args") or {}
        values: dict[str, Any] = dict(answers.get(service, {}))
        if service == "/rosapi/get_time":
            now = time.time()
            values = {"time": {"secs": int(now), "nsecs": int(now % 1 * 1e9)}}
        elif values:
            named = str(asked.get("topic") or asked.get("service") or "")
            values = {"type": types.get(named.rsplit("/", 1)[-1], "")}
        return {
            **{"op": "service_response", "service": service, "id": call.get("id")},
            **{"values": values, "result": True},
        }

    async def listen(connection: ServerConnection) -> None:
        async for text in connection:
            call = json.loads(text)
            if call["op"] == "call_service":
                await connection.send(json.dumps(answer(call)))

    async def converse(connection: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            await publish(connection)

    async def publish(connection: ServerConnection) -> None:
        listener = asyncio.create_task(listen(connection))
        loop = asyncio.get_running_loop()
        due, turn = loop.time(), 0
        while not listener.done():
            x_m = f'"x":{2.0 + turn % 50 / 10}'
            for number in range(1, robots + 1):
                for topic, frame in frames.items():
                    if topic == "battery_state" and turn % 5:
                        continue
                    mine = frame.replace("/robot1/", f"/robot{number}/")
                    if topic == "amcl_pose":
                        mine = mine.replace('"x":1.0', x_m, 1)
                    await connection.send(mine)
                if number % 20 == 0:
                    await asyncio.sleep(0)
            turn += 1
            turns.value = turn
            due = max(due + 0.2, loop.time())
            await asyncio.sleep(due - loop.time())

    async def run() -> None:
        async with serve(converse, "127.0.0.1", 0, compression=None) as server:
            port.put(next(iter(server.sockets)).getsockname()[1])
            await asyncio.to_thread(stop.wait)

    asyncio.run(run())


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / CPU_TICKS


def places(services: bootstrap.Services) -> list[float | None]:
    with services.uow() as tx:
        return [state.x_m for state in tx.robots.states()]


def cores_for(
    services: bootstrap.Services, url: str, world: Path, robots: int
) -> float:
    """The share of a core that a worker needs for so many moving robots."""
    context = multiprocessing.get_context("spawn")
    stop, port, turns = context.Event(), context.Queue(), context.Value("q")
    feed = context.Process(
        target=repeat_frames, args=(sample_frames(), robots, port, turns, stop)
    )
    feed.start()
    address = f"ws://127.0.0.1:{port.get()}"
    try:
        with running_worker(url, address, world, f"bench {robots}") as pid:
            wait_for("all links are up", lambda: robots_up(services) == robots)
            before_s, begun, told = cpu_s(pid), time.monotonic(), turns.value
            stood = places(services)
            time.sleep(WINDOW_S)
            took_s = time.monotonic() - begun
            used, rate_hz = (
                (cpu_s(pid) - before_s) / took_s,
                (turns.value - told) / took_s,
            )
            up = robots_up(services)
            assert None not in stood
            assert stood != places(services), "no pose has arrived"
    finally:
        stop.set()
        feed.join()
    say(f"{robots} robots at {rate_hz:.2f} Hz: {used:.2f} cores, {up} links up")
    return used * 5.0 / rate_hz if up == robots else math.inf


def main() -> None:
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="mpms-bench-") as name:
        directory = Path(name)
        directory.chmod(0o711)
        with postgres.start(directory / "postgres") as server:
            bootstrap.migrate_database(server.dsn)
            services = bootstrap.connect(server.dsn)
            deploy_models(
                services.uow, services.engine, {"trip.bpmn": TRIP}, by="bench"
            )
            world = world_of(directory, 1)
            sim = Simulator(world, directory / "trace.jsonl", speed=50.0)
            with running_worker(server.dsn, sim.url, world, "bench"):
                wait_for("the robot is ready", lambda: ready(services))
                median_ms = delay_to_the_wire(services, sim)
                figures["token_to_wire_ms"] = round(median_ms, 1)
                for outage_s in (2, 30):
                    took_s = recovery(services, sim, outage_s)
                    say(f"after {outage_s} s: {took_s:.2f} s")
                    figures[f"recover_s_after_{outage_s}s"] = round(took_s, 2)
            sim.close()
            figures["robots_per_worker"] = 0
            for robots in (50, 100, 200):
                with services.connections.connection() as connection:
                    connection.cursor().execute("DELETE FROM robots")
                place = world_of(directory, robots)
                used = cores_for(services, server.dsn, place, robots)
                figures[f"cores_for_{robots}_robots"] = round(used, 3)
                if used < 1.0:
                    figures["robots_per_worker"] = robots
            services.close()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
