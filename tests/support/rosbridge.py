"""Both ends of rosbridge: a client inside a simulation, and a server on a socket."""

from __future__ import annotations

import json
import math
import ssl
import threading
import time
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from robot_bridge import messages
from robot_bridge.messages import Frame
from shopfloor.sim.clock import ManualClock
from shopfloor.sim.simulation import Simulation
from tests.support.actionlib import ActionlibRobot


class LocalClient:
    """A rosbridge client in the process of a simulation; the test moves the clock."""

    def __init__(self, simulation: Simulation, clock: ManualClock) -> None:
        self.session = simulation.connect()
        self.simulation = simulation
        self.clock = clock
        self.heard: list[dict[str, Any]] = []

    def send(self, op: str, **fields: Any) -> None:
        self.session.receive(json.dumps({"op": op, **fields}))

    def raw(self, frame: str | bytes) -> None:
        self.session.receive(frame)

    def frames(self) -> list[str | bytes]:
        return self.session.outbox.take_all()

    def read(self) -> list[dict[str, Any]]:
        """What came since the last read, decoded."""
        new = [json.loads(frame) for frame in self.frames()]
        self.heard += new
        return new

    def messages(self, topic: str) -> list[dict[str, Any]]:
        """Everything heard so far on a topic."""
        self.read()
        return [
            frame["msg"]
            for frame in self.heard
            if frame["op"] == "publish" and frame["topic"] == topic
        ]

    def call(self, service: str, args: Any = None) -> dict[str, Any]:
        self.send("call_service", id="call", service=service, args=args or {})
        answers = [frame for frame in self.read() if frame["op"] == "service_response"]
        assert len(answers) == 1
        return answers[0]

    def subscribe(self, topic: str, kind: str | None = None, **options: Any) -> None:
        fields = {} if kind is None else {"type": kind}
        self.send("subscribe", topic=topic, **fields, **options)

    def publish(self, topic: str, kind: str, message: dict[str, Any]) -> None:
        self.send("advertise", topic=topic, type=kind)
        self.send("publish", topic=topic, msg=message)

    def advance(self, seconds: float, step_s: float = 0.05) -> None:
        """Let time pass in small steps, as the server does."""
        for _ in range(round(seconds / step_s)):
            self.clock.advance(step_s)
            self.simulation.step()

    def goal(
        self,
        goal_id: str,
        x_m: float,
        y_m: float,
        *,
        action: str = "/robot1/move_base",
        stamp_s: int = 0,
        yaw_rad: float = 0.0,
        orientation: dict[str, float] | None = None,
    ) -> None:
        """Send a goal on the topics of an actionlib action."""
        arco = action.endswith("Make_Plan")
        kind = "upo_actions/MakePlan" if arco else "move_base_msgs/MoveBase"
        field = "global_goal" if arco else "target_pose"
        pose = {
            "position": {"x": x_m, "y": y_m},
            "orientation": orientation
            or {"z": math.sin(yaw_rad / 2.0), "w": math.cos(yaw_rad / 2.0)},
        }
        target = {"header": {"frame_id": "map"}, "pose": pose}
        stamp = {"secs": stamp_s, "nsecs": 0}
        self.publish(
            f"{action}/goal",
            f"{kind}ActionGoal",
            {"goal_id": {"id": goal_id, "stamp": stamp}, "goal": {field: target}},
        )

    def cancel(
        self, goal_id: str = "", stamp_s: int = 0, action: str = "/robot1/move_base"
    ) -> None:
        self.publish(
            f"{action}/cancel",
            "actionlib_msgs/GoalID",
            {"id": goal_id, "stamp": {"secs": stamp_s, "nsecs": 0}},
        )

    def results(self, action: str = "/robot1/move_base") -> list[tuple[str, int]]:
        return [
            (message["status"]["goal_id"]["id"], message["status"]["status"])
            for message in self.messages(f"{action}/result")
        ]

    def statuses(self, action: str = "/robot1/move_base") -> dict[str, int]:
        """The newest status list."""
        lists = self.messages(f"{action}/status")
        return {
            entry["goal_id"]["id"]: entry["status"]
            for entry in lists[-1]["status_list"]
        }

    def watch(self, action: str = "/robot1/move_base") -> None:
        for part in ("status", "result", "feedback"):
            self.subscribe(f"{action}/{part}")


class RosbridgeServer:
    """A rosbridge server with actionlib robots behind it, on real sockets."""

    def __init__(
        self,
        robots: dict[str, ActionlibRobot],
        port: int = 0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.robots = robots
        self.lock = threading.Lock()
        self.frozen = threading.Event()
        self.closing = threading.Event()
        self.frames: list[Frame] = []
        self.connections = 0
        self._scheme = "ws" if tls is None else "wss"
        self._server = serve(self._handle, "127.0.0.1", port, compression=None, ssl=tls)
        self.port: int = self._server.socket.getsockname()[1]
        self._live: set[ServerConnection] = set()
        self._threads = [
            threading.Thread(target=self._server.serve_forever, name="rosbridge"),
            threading.Thread(target=self._clock, name="robots"),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.port}"

    def _clock(self) -> None:
        before = time.time()
        while not self.closing.wait(0.05):
            now = time.time()
            with self.lock:
                frames: list[Frame] = []
                for prefix, robot in self.robots.items():
                    robot.step(now, now - before)
                    out, robot.outbox = robot.outbox, []
                    frames += [_prefixed(f, prefix) for f in out + robot.broadcast(now)]
                live = list(self._live)
            before = now
            if not self.frozen.is_set():
                for connection in live:
                    self._send(connection, frames)

    def _send(self, connection: ServerConnection, frames: list[Frame]) -> None:
        for frame in frames:
            try:
                connection.send(messages.encode_frame(frame))
            except ConnectionClosed:
                return

    def _handle(self, connection: ServerConnection) -> None:
        with self.lock:
            self._live.add(connection)
            self.connections += 1
        try:
            for text in connection:
                while self.frozen.is_set() and not self.closing.wait(0.01):
                    pass
                self._take(messages.decode_frame(text))
        except ConnectionClosed:
            pass
        finally:
            with self.lock:
                self._live.discard(connection)

    def _take(self, frame: Frame) -> None:
        with self.lock:
            self.frames.append(frame)
            name = frame.get("topic") or frame.get("args", {}).get("topic", "")
            prefix = next((p for p in self.robots if p and name.startswith(p)), None)
            robot = self.robots.get(prefix or "") or next(iter(self.robots.values()))
            robot.receive(time.time(), _prefixed(frame, prefix or "", strip=True))

    def published(self, ending: str) -> list[Frame]:
        with self.lock:
            return [
                each
                for each in self.frames
                if each["op"] == "publish" and each["topic"].endswith(ending)
            ]

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        with self.lock:
            live = list(self._live)
        for connection in live:
            connection.close()
        for thread in self._threads:
            thread.join()


def _prefixed(frame: Frame, prefix: str, strip: bool = False) -> Frame:
    def change(name: str) -> str:
        return name.removeprefix(prefix) if strip else prefix + name

    if not prefix:
        return frame
    changed = dict(frame)
    if "topic" in changed:
        changed["topic"] = change(changed["topic"])
    if strip and isinstance(changed.get("args"), dict) and "topic" in changed["args"]:
        changed["args"] = {"topic": change(changed["args"]["topic"])}
    return changed
