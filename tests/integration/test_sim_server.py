"""The simulator on real sockets: abuse, load, faults and the command itself."""

import asyncio
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from shopfloor.sim.server import RunningSimulator, running
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.trace import Trace
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import Map, RobotSpec, World
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_S = 60.0
CHATTER, TEXT = "/chatter", "std_msgs/String"


def world() -> World:
    robots = (RobotSpec("robot1", home=Pose(1.0, 1.0)),)
    return World(map=Map(0.5, 20.0, 10.0), robots=robots)


@pytest.fixture
def simulator() -> Iterator[RunningSimulator]:
    with running(Simulation(world(), speed=5.0, trace=Trace(keep=True))) as started:
        yield started


def send(client: ClientConnection, op: str, **fields: Any) -> None:
    client.send(json.dumps({"op": op, **fields}))


def receive(
    client: ClientConnection, wanted: Callable[[Any], bool] = lambda _: True
) -> Any:
    while True:
        message = json.loads(client.recv(timeout=DEADLINE_S))
        if wanted(message):
            return message


def answer(client: ClientConnection, message_id: str = "q") -> Any:
    send(client, "call_service", id=message_id, service="/rosapi/get_time")
    return receive(client, lambda message: message.get("id") == message_id)


def test_malformed_frames_and_unknown_operations_get_no_answer_and_no_close(
    simulator: RunningSimulator,
) -> None:
    with connect(simulator.url) as client:
        for frame in (
            "{",
            "}{",
            "null",
            '{"op": 1}',
            '{"op": "dance"}',
            b"\x00\x01",
            "",
            "[" * 100_000,
            '{"op": "publish", "topic": "/x", "msg": ' + '{"a":' * 5000,
        ):
            client.send(frame)
        send(client, "call_service", id="q", service="/rosapi/get_time")
        assert receive(client)["id"] == "q"


def test_frames_of_ten_megabytes_pass_both_ways(simulator: RunningSimulator) -> None:
    text = "0123456789" * 1_000_000
    with connect(simulator.url, max_size=None) as client:
        send(client, "subscribe", topic=CHATTER, type=TEXT)
        send(client, "advertise", topic=CHATTER, type=TEXT)
        send(client, "publish", topic=CHATTER, msg={"data": text})
        heard = receive(client, lambda message: message["op"] == "publish")
        assert heard["msg"]["data"] == text
        client.send("x" * 10_000_000)
        assert answer(client)["result"] is True


def test_a_hundred_clients_hear_the_same_robot(simulator: RunningSimulator) -> None:
    async def listen() -> str:
        async with connect_async(simulator.url, open_timeout=DEADLINE_S) as client:
            await client.send(json.dumps({"op": "subscribe", "topic": "/robot1/odom"}))
            async with asyncio.timeout(DEADLINE_S):
                heard = [json.loads(await client.recv()) for _ in range(3)]
        return str(heard[-1]["topic"])

    async def everybody() -> list[str]:
        return await asyncio.gather(*(listen() for _ in range(100)))

    assert asyncio.run(everybody()) == ["/robot1/odom"] * 100
    eventually(lambda: not simulator.do(lambda: simulator.simulation.sessions), "gone")


def test_a_slow_reader_costs_neither_memory_nor_the_others_their_time(
    simulator: RunningSimulator,
) -> None:
    million = "x" * 1_000_000
    with ExitStack() as stack:
        lazy = stack.enter_context(upgraded(simulator.port))
        wish = {"op": "subscribe", "topic": CHATTER, "type": TEXT}
        lazy.sendall(masked_text(json.dumps(wish)))
        speaker = stack.enter_context(connect(simulator.url))
        send(speaker, "advertise", topic=CHATTER, type=TEXT)
        topics = simulator.simulation.graph.topics
        eventually(
            lambda: CHATTER in topics and bool(topics[CHATTER].subscribers),
            "the lazy reader never subscribed",
        )
        for session in simulator.do(lambda: list(simulator.simulation.sessions)):
            session.outbox.limit_bytes = 2_000_000
        for number in range(40):
            send(speaker, "publish", topic=CHATTER, msg={"data": million})
            assert answer(speaker, f"q{number}")["result"] is True
        sessions = simulator.do(lambda: list(simulator.simulation.sessions))
        waiting = [session.outbox.pending_bytes for session in sessions]
        limit = sessions[0].outbox.limit_bytes
        assert max(waiting) <= limit + 2 * len(million)
        assert sum(session.outbox.dropped for session in sessions) > 10


def test_a_client_that_asks_without_reading_is_no_longer_heard(
    simulator: RunningSimulator,
) -> None:
    """Its answers are not dropped, so its questions have to wait."""
    sessions = simulator.simulation.sessions
    call = {"op": "call_service", "service": "/rosapi/topics_and_raw_types"}
    questions = masked_text(json.dumps(call)) * 100
    with connect(simulator.url) as other, upgraded(simulator.port) as greedy:
        eventually(lambda: len(simulator.do(lambda: list(sessions))) == 2, "connected")
        session = simulator.do(lambda: max(sessions, key=lambda one: one.number))
        session.outbox.limit_bytes = 1_000_000
        greedy.setblocking(False)
        pending, writable = b"", [greedy]
        give_up_at = time.monotonic() + DEADLINE_S
        while writable and time.monotonic() < give_up_at:
            pending = pending or questions
            _, writable, _ = select.select([], [greedy], [], 1.0)
            if writable:
                pending = pending[greedy.send(pending) :]
        assert not writable, "the server went on reading"
        assert session.outbox.pending_bytes < 2_000_000
        assert answer(other)["result"] is True
        greedy.close()
        eventually(lambda: len(simulator.do(lambda: list(sessions))) == 1, "gone")


def test_the_server_ends_although_a_client_does_not_read() -> None:
    call = {"op": "call_service", "service": "/rosapi/topics_and_raw_types"}
    with ExitStack() as stack:
        simulator = stack.enter_context(running(Simulation(world())))
        greedy = stack.enter_context(upgraded(simulator.port))
        sessions = simulator.simulation.sessions
        eventually(lambda: bool(simulator.do(lambda: list(sessions))), "connected")
        [session] = simulator.do(lambda: list(sessions))
        session.outbox.limit_bytes = 100_000
        greedy.sendall(masked_text(json.dumps(call)) * 1000)
        eventually(lambda: simulator.do(lambda: session.outbox.full), "never full")
        simulator.stop()


@contextmanager
def upgraded(port: int) -> Iterator[socket.socket]:
    """A WebSocket of which nobody reads a frame."""
    request = (
        "GET / HTTP/1.1\r\nHost: sim\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S) as raw:
        raw.sendall(request.encode("ascii"))
        head = b""
        while b"\r\n\r\n" not in head:
            head += raw.recv(1)
        yield raw


def masked_text(text: str) -> bytes:
    """A client's text frame with a mask of zeros."""
    data = text.encode("utf-8")
    assert len(data) < 126
    return bytes([0x81, 0x80 | len(data), 0, 0, 0, 0]) + data


def test_a_frozen_server_answers_no_ping_until_it_thaws(
    simulator: RunningSimulator,
) -> None:
    with connect(simulator.url, ping_interval=None) as client:
        assert answer(client)["result"] is True
        simulator.fault("freeze *")
        pong = client.ping()
        send(client, "call_service", id="late", service="/rosapi/get_time")
        assert not pong.wait(0.5)
        simulator.fault("clear *")
        assert pong.wait(DEADLINE_S)
        assert receive(client)["id"] == "late"


def test_a_cut_link_closes_connections_and_refuses_new_ones(
    simulator: RunningSimulator,
) -> None:
    with connect(simulator.url) as client:
        assert answer(client)["result"] is True
        simulator.fault("cut *")
        with pytest.raises(ConnectionClosed):
            client.recv(timeout=DEADLINE_S)
    with pytest.raises((OSError, EOFError, WebSocketException)):
        connect(simulator.url)
    simulator.fault("clear *")
    with connect(simulator.url) as client:
        assert answer(client)["result"] is True


@pytest.mark.covers("A18", "A19")
def test_a_goal_is_driven_and_its_record_is_independent_of_the_client(
    simulator: RunningSimulator,
) -> None:
    base = "/robot1/move_base"
    pose = {"position": {"x": 2.0, "y": 1.0}, "orientation": {"w": 1.0}}
    goal = {"goal_id": {"id": "g1"}, "goal": {"target_pose": {"pose": pose}}}
    with connect(simulator.url) as client:
        send(client, "subscribe", topic=f"{base}/result")
        kind = "move_base_msgs/MoveBaseActionGoal"
        send(client, "advertise", topic=f"{base}/goal", type=kind)
        for _ in range(2):
            send(client, "publish", topic=f"{base}/goal", msg=goal)
        result = receive(client)["msg"]
        answer(client)  # both copies have arrived
    assert result["status"]["status"] == 3
    rows = simulator.do(lambda: list(simulator.simulation.trace.records))
    story = [row["event"] for row in rows if row["event"].startswith("goal_")]
    assert story[0] == "goal_received"  # the second copy may come after the start
    assert sorted(story) == [
        *("goal_ended", "goal_received", "goal_received", "goal_started"),
    ]
    assert simulator.robot("robot1")["x_m"] == pytest.approx(2.0, abs=0.02)


@contextmanager
def command(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "shopfloor.cli", "sim", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def line(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


@pytest.fixture
def world_file(tmp_path: Path) -> str:
    (tmp_path / "world.yaml").write_text(
        "name: hall\n"
        "map: {resolution_m: 0.5, width_m: 10, height_m: 5}\n"
        "places: {A: {x_m: 1, y_m: 1, yaw_deg: 0}}\n"
        "robots: [{id: cart, home: A}]\n",
        encoding="utf-8",
    )
    return str(tmp_path)


def test_the_command_says_when_it_listens_obeys_and_ends_on_sigterm(
    world_file: str, tmp_path: Path
) -> None:
    trace = tmp_path / "trace.jsonl"
    options = ("--port", "0", "--robots", "2", "--speed", "5", "--trace", str(trace))
    with command(world_file, *options) as process:
        ready = line(process)
        assert ready["ready"] is True
        assert ready["robots"] == ["cart", "robot1"]
        assert ready["url"].startswith("ws://127.0.0.1:")
        assert process.stdin is not None
        process.stdin.write("freeze robot1 5\nnonsense\n")
        process.stdin.flush()
        assert line(process) == {"ok": True, "fault": "freeze robot1 5"}
        assert line(process)["ok"] is False
        with connect(ready["url"]) as client:
            assert answer(client)["result"] is True
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE_S) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    rows = [json.loads(row) for row in trace.read_text().splitlines()]
    assert {"fault", "message"} <= {row["event"] for row in rows}


def test_the_command_ends_with_its_parent(world_file: str) -> None:
    with command(world_file, "--port", "0", "--with-parent") as process:
        assert line(process)["ready"] is True
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(DEADLINE_S) == 0


def test_the_command_goes_on_without_input(world_file: str) -> None:
    with command(world_file, "--port", "0", "--dialect", "ros2") as process:
        url = line(process)["url"]
        assert process.stdin is not None
        process.stdin.close()
        with connect(url) as client:
            assert "sec" in answer(client)["values"]["time"]
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE_S) == 0


def refused(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "shopfloor.cli", "sim", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=DEADLINE_S,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    return done.stderr


def test_an_unknown_or_broken_world_is_one_sentence(tmp_path: Path) -> None:
    said = refused("no_such_world", "--port", "0")
    assert said.startswith("shopfloor: there is no world 'no_such_world'")
    assert said.count("\n") == 1
    (tmp_path / "world.yaml").write_text("name: x\nwalls: []\n", encoding="utf-8")
    said = refused(str(tmp_path), "--port", "0")
    assert "map is missing" in said
    assert said.count("\n") == 1


def test_a_port_in_use_is_one_sentence(world_file: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        said = refused(world_file, "--port", port)
    assert said.startswith(f"shopfloor: cannot listen on 127.0.0.1:{port}:")
    assert said.count("\n") == 1
