"""A vehicle over MQTT, for owners with threads; see ``robot_bridge.port.RobotPort``.

paho carries the messages on a thread of its own; a second thread gives the session
the time and carries orders, so that no rule needs a lock. The name of the client
follows from the vehicle: a broker ends the connection of an earlier client of the same
name before it lets the next one in, so nothing that a dead or suspended worker still
had to say arrives after what we say.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from robot_bridge.clock import from_wall_s, steady_epoch_s
from robot_bridge.delivery import Delivery
from robot_bridge.messages import BadMessage
from robot_bridge.reasons import LOST
from robot_bridge.reports import (
    Action,
    Cancel,
    LinkClosed,
    LinkOpened,
    Navigate,
    Pause,
    Permit,
    Report,
    Resume,
    Snapshot,
    Tick,
)
from robot_bridge.tls import SYSTEM, TlsFiles
from robot_bridge.vda5050.address import VehicleAddress, check_vehicle_address
from robot_bridge.vda5050.profile import VehicleProfile, load_vehicle_profile
from robot_bridge.vda5050.reading import decode
from robot_bridge.vda5050.refusal import AWAY, why_refused
from robot_bridge.vda5050.session import Said, Tell, VehicleEvent, VehicleSession

LOGGER = logging.getLogger("robot_bridge.vda5050")
TICK_S = 0.1
KEEP_ALIVE_S = 5
HEARD = ("state", "connection", "visualization", "factsheet")
MISSING = "paho-mqtt is not installed: pip install 'mpms[vda5050]'"


class MqttMissing(ValueError):
    """Vehicles over MQTT need paho-mqtt."""


_DELIVERY = Delivery()


def new_mqtt(at: VehicleAddress, name: str) -> Any:
    """A client of the broker, not connected yet. MqttMissing without the library."""
    try:
        from paho.mqtt import client as mqtt
        from paho.mqtt.enums import CallbackAPIVersion
    except ModuleNotFoundError:
        raise MqttMissing(MISSING) from None
    made = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=name)
    made.reconnect_delay_set(1, 5)
    if at.user is not None:
        made.username_pw_set(at.user, at.password)
    context = at.tls()
    if context is not None:
        made.tls_set_context(context)
    return made


class VehicleClient:
    """``on_report`` is called on one thread for all vehicles."""

    def __init__(
        self,
        url: str,
        profile: VehicleProfile | str,
        robot_id: str,
        on_report: Callable[[str, Report], None],
        *,
        tls: TlsFiles = SYSTEM,
    ) -> None:
        self.profile = (
            load_vehicle_profile(profile) if isinstance(profile, str) else profile
        )
        self.address = at = check_vehicle_address(url, self.profile, tls)
        self._robot_id = robot_id
        self._on_report = on_report
        self._session = VehicleSession(self.profile, robot_id, at.maker, at.serial)
        self._root = (
            f"{self.profile.root or self.profile.dialect.root}/{at.maker}/{at.serial}"
        )
        self._events: queue.SimpleQueue[VehicleEvent | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._was_open = False
        name = hashlib.sha256(self._root.encode()).hexdigest()[:16]
        self._mqtt = new_mqtt(at, f"mpms-{name}")
        self._mqtt.on_connect = self._on_connect
        self._mqtt.on_connect_fail = self._on_refused
        self._mqtt.on_disconnect = self._on_disconnect
        self._mqtt.on_message = self._on_message
        self._mqtt.on_subscribe = self._on_subscribe

    @property
    def robot_id(self) -> str:
        return self._robot_id

    def start(self) -> None:
        if self._thread is not None:
            return
        _DELIVERY.join()
        self._thread = threading.Thread(
            target=self._run, name=f"vehicle-{self._robot_id}", daemon=True
        )
        self._thread.start()
        self._mqtt.connect_async(self.address.host, self.address.port, KEEP_ALIVE_S)
        self._mqtt.loop_start()

    def stop(self) -> None:
        """The vehicle keeps its order: leaving is not a stop."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        self._mqtt.disconnect()
        self._mqtt.loop_stop()
        self._events.put(None)
        thread.join(timeout=10)
        _DELIVERY.leave()

    def navigate(
        self,
        command_id: str,
        x: float,
        y: float,
        yaw: float = 0.0,
        *,
        frame: str | None = None,
        expires_at: float | None = None,
        maybe_sent_at: float | None = None,
        via: Sequence[tuple[float, float]] = (),
    ) -> None:
        maybe = None if maybe_sent_at is None else from_wall_s(maybe_sent_at)
        expires = self._expiry(expires_at)
        self._order(Navigate(command_id, x, y, yaw, expires, frame, maybe, tuple(via)))

    def cancel(self, command_id: str) -> None:
        self._order(Cancel(command_id))

    def permit(self, until_s: float) -> None:
        self._order(Permit(steady_epoch_s() + until_s - time.monotonic()))

    def pause(self) -> None:
        self._order(Pause())

    def resume(self) -> None:
        self._order(Resume())

    def action(
        self,
        command_id: str,
        name: str,
        args: Mapping[str, Any] | None = None,
        *,
        expires_at: float | None = None,
    ) -> None:
        self._order(
            Action(command_id, name, self._expiry(expires_at), dict(args or {}))
        )

    def snapshot(self) -> Snapshot:
        with self._lock:
            return self._session.snapshot(steady_epoch_s())

    def _expiry(self, expires_at: float | None) -> float:
        if expires_at is None:
            return steady_epoch_s() + self.profile.limits.expiry_s
        return from_wall_s(expires_at)

    def _order(self, event: VehicleEvent) -> None:
        if self._thread is None:
            raise RuntimeError(f"the client of {self._robot_id} is not started")
        self._events.put(event)

    # --- on the thread of the session -----------------------------------------

    def _run(self) -> None:
        due = time.monotonic()
        while True:
            event: VehicleEvent | None = Tick()
            with contextlib.suppress(queue.Empty):
                event = self._events.get(timeout=max(0.0, due - time.monotonic()))
            if event is None:
                return
            if isinstance(event, Tick):
                due = time.monotonic() + TICK_S
            self._feed(event)

    def _feed(self, event: VehicleEvent) -> None:
        with self._lock:
            outputs = self._session.handle(steady_epoch_s(), event)
        for output in outputs:
            if isinstance(output, Tell):
                # Dropped without a connection; the session knows that it is in doubt.
                text = json.dumps(output.body, allow_nan=False)
                self._mqtt.publish(f"{self._root}/{output.topic}", text, qos=0)
            else:
                _DELIVERY.put(self._on_report, self._robot_id, output)

    # --- on paho's thread -----------------------------------------------------

    def _on_connect(
        self, client: Any, _data: Any, _flags: Any, code: Any, *_more: Any
    ) -> None:
        if code.is_failure:
            reason = f"the broker refuses the connection ({code})"
            self._events.put(LinkClosed(reason))
            return
        self._was_open = True
        client.subscribe([(f"{self._root}/{topic}", 1) for topic in HEARD])

    def _on_subscribe(self, *_: Any) -> None:
        self._events.put(LinkOpened())

    def _on_refused(self, *_: Any) -> None:
        self._events.put(LinkClosed(why_refused(self.address) or AWAY))

    def _on_disconnect(self, *_: Any) -> None:
        was_open, self._was_open = self._was_open, False
        refused = not was_open and self.address.secure
        reason = why_refused(self.address) if refused else ""
        self._events.put(LinkClosed(reason or LOST))

    def _on_message(self, _client: Any, _: Any, message: Any) -> None:
        topic = message.topic.removeprefix(f"{self._root}/")
        try:
            body = decode(message.payload)
        except BadMessage as cause:
            LOGGER.warning("%s: %s is %s", self._robot_id, topic, cause)
            return
        self._events.put(Said(topic, body, bool(message.retain)))
