"""Robots of a simulated plant at an MQTT broker, each with a connection of its own.

The simulation stays the only clock: what arrives is kept until its next step. A link
that is cut ends without a word, so that the broker tells of it by the last will.
"""

import json
import queue
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from shopfloor.sim.simulation import Simulation
from shopfloor.vda5050.vehicle import MAKER, Body, SimVehicle
from shopfloor.vda5050.words import VERSIONS

KEEP_ALIVE_S = 5
HEARD = ("order", "instantActions")


class _Line:
    """One vehicle's connection."""

    def __init__(self, simulation: Simulation, robot: str, url: str, version: str):
        words = VERSIONS[version]
        at = urlsplit(url)
        self.vehicle = SimVehicle(simulation.robots[robot], words, self._say)
        self._links = simulation.links
        self._robot = robot
        self._root = f"{words.root}/{MAKER}/{robot}"
        self._inbox: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._cut = False
        self._mqtt = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=f"{MAKER}-{robot}"
        )
        will = json.dumps(self.vehicle.connection(words.broken))
        self._mqtt.will_set(f"{self._root}/connection", will, qos=1, retain=True)
        self._mqtt.reconnect_delay_set(1, 2)
        self._mqtt.on_connect = self._on_connect
        self._mqtt.on_message = self._on_message
        if at.username:
            self._mqtt.username_pw_set(at.username, at.password)
        self._where = (at.hostname or "127.0.0.1", at.port or 1883)
        self._mqtt.connect_async(*self._where, KEEP_ALIVE_S)
        self._mqtt.loop_start()

    def step(self, now: float) -> None:
        cut = self._links.cut(self._robot)
        if cut and not self._cut:
            self._mqtt.loop_stop()
            socket = self._mqtt.socket()
            if socket is not None:
                socket.close()
        elif self._cut and not cut:
            self._mqtt.connect_async(*self._where, KEEP_ALIVE_S)
            self._mqtt.loop_start()
        self._cut = cut
        if self._links.frozen(self._robot):
            return
        while not self._inbox.empty():
            self.vehicle.hear(*self._inbox.get())
        self.vehicle.step(now)

    def close(self) -> None:
        self._say("connection", self.vehicle.connection("OFFLINE"))
        self._mqtt.disconnect()
        self._mqtt.loop_stop()

    def _say(self, topic: str, body: Body) -> None:
        kept = topic in ("connection", "factsheet")
        text = json.dumps(body)
        self._mqtt.publish(f"{self._root}/{topic}", text, qos=int(kept), retain=kept)

    def _on_connect(self, client: Any, *_: Any) -> None:
        client.subscribe([(f"{self._root}/{topic}", 0) for topic in HEARD])
        self._say("connection", self.vehicle.connection("ONLINE"))
        self._say("factsheet", self.vehicle.factsheet())

    def _on_message(self, _client: Any, _: Any, message: Any) -> None:
        try:
            body = json.loads(message.payload)
        except ValueError:
            body = None
        self._inbox.put((message.topic.rpartition("/")[2], body))


class MqttFleet:
    """Steps with the simulation."""

    def __init__(
        self, simulation: Simulation, robots: Iterable[str], url: str, version: str
    ) -> None:
        self._simulation = simulation
        self.lines = {robot: _Line(simulation, robot, url, version) for robot in robots}
        simulation.beside.append(self.step)

    def step(self) -> None:
        now = self._simulation.clock.now()
        for line in self.lines.values():
            line.step(now)

    def close(self) -> None:
        for line in self.lines.values():
            line.close()
