"""A stable weight from the load cell of a robot.

A cell that has just been loaded swings, so one message is no weight: several in a row
have to agree. The connection is made for one weighing and shares nothing with
driving; a robot that is away for a moment is asked again until the time is over.
"""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from robot_bridge import messages
from robot_bridge.address import Address, check_address
from robot_bridge.messages import BadMessage
from robot_bridge.profiles import Profile, ScaleSpec, load_profile
from robot_bridge.reasons import words_for
from robot_bridge.tls import SYSTEM, TlsFiles

LOGGER = logging.getLogger("robot_bridge.weighing")
SAMPLES = 6
LEAST_KG, SHARE = 0.02, 0.0001
"""Readings agree within so much, or within this share of the weight if that is more."""
AGAIN_S = 0.3
MAX_FRAME_BYTES = 1024 * 1024


class NotWeighed(Exception):
    """No stable weight came, and what came instead."""


class RobotAway(NotWeighed):
    """The scale may be fine; nothing can be heard from the robot that carries it."""


class Settling:
    """Takes readings one after another; knows when they agree."""

    def __init__(
        self, samples: int = SAMPLES, least_kg: float = LEAST_KG, share: float = SHARE
    ) -> None:
        self._recent: deque[float] = deque(maxlen=samples)
        self._least_kg = least_kg
        self._share = share
        self.last_kg: float | None = None

    def add(self, kg: float) -> float | None:
        """The weight, once the last readings agree: the mean of the later half, which
        has come to rest best."""
        self.last_kg = kg
        self._recent.append(kg)
        if len(self._recent) < (self._recent.maxlen or 1):
            return None
        allowed_kg = max(self._least_kg, self._share * abs(kg))
        if max(self._recent) - min(self._recent) > allowed_kg:
            return None
        later = list(self._recent)[len(self._recent) // 2 :]
        return math.fsum(later) / len(later)

    def restart(self) -> None:
        self._recent.clear()

    @property
    def heard(self) -> bool:
        """Since the last restart."""
        return bool(self._recent)


class RobotScale:
    """The scale of one robot. UnsafeAddress, BadProfile or NotWeighed if there is none
    that could be asked."""

    def __init__(
        self,
        url: str,
        profile: Profile | str,
        robot_id: str,
        *,
        namespace: str | None = None,
        tls: TlsFiles = SYSTEM,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        loaded = load_profile(profile) if isinstance(profile, str) else profile
        if loaded.topics.scale is None:
            raise NotWeighed(f"profile {loaded.name} names no scale of {robot_id}")
        self._spec: ScaleSpec = loaded.topics.scale
        self._kind = loaded.spell(self._spec.type)
        self._address: Address = check_address(url, loaded, tls)
        self._robot_id = robot_id
        self._now = now
        self.topic = loaded.resolve(self._spec.name, robot_id, namespace)

    def weigh(self, timeout_s: float) -> float:
        """Kilograms. RobotAway, or NotWeighed that names what was missing."""
        until = self._now() + timeout_s
        settling = Settling()
        trouble = ""
        while self._now() < until:
            settling.restart()
            began = self._now()
            try:
                kg = self._listen(settling, until)
            except (OSError, WebSocketException) as cause:
                LOGGER.debug("%s: %s", self._address.url, cause)
                if not trouble or self._now() < until:  # else our own clock ended it
                    trouble = words_for(cause)
                time.sleep(max(0.0, min(AGAIN_S, until - self._now())))
                continue
            if kg is not None:
                return self._told(kg)
            # A connection of a moment may be lost again, like those before it.
            if settling.heard or self._now() - began >= AGAIN_S:
                trouble = ""
        if trouble:
            raise RobotAway(f"{self._robot_id} does not answer: {trouble}")
        raise NotWeighed(self._failure(timeout_s, settling.last_kg))

    def _told(self, kg: float) -> float:
        step_kg = self._spec.division_kg
        return round(round(kg / step_kg) * step_kg, 6) if step_kg > 0.0 else kg

    def _failure(self, timeout_s: float, last_kg: float | None) -> str:
        said = f"scale of {self._robot_id} did not send a stable weight"
        if last_kg is not None:
            return f"{said} within {timeout_s:g} s (last {last_kg:.1f} kg, moving)"
        return f"{said} within {timeout_s:g} s (nothing came on {self.topic})"

    def _listen(self, settling: Settling, until: float) -> float | None:
        with connect(
            self._address.url,
            ssl=self._address.tls(),
            compression=None,
            open_timeout=max(0.05, until - self._now()),
            close_timeout=1.0,
            max_size=MAX_FRAME_BYTES,
            user_agent_header=None,
            proxy=None,
        ) as socket:
            frame = messages.subscribe(self.topic, self._kind, "weighing")
            socket.send(messages.encode_frame(frame))
            while (left_s := until - self._now()) > 0.0:
                reading = self._reading(socket, left_s)
                if reading is None:
                    continue
                kg = settling.add(reading)
                if kg is not None:
                    return kg
        return None

    def _reading(self, socket: ClientConnection, left_s: float) -> float | None:
        try:
            text = socket.recv(timeout=left_s)
            frame = messages.decode_frame(text)
        except (TimeoutError, BadMessage):
            return None
        if frame["op"] != "publish" or frame.get("topic") != self.topic:
            return None
        message: Any = frame.get("msg")
        value = message.get(self._spec.field) if isinstance(message, Mapping) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None  # NaN arrives as null: overload, or no cell
        return float(value) * self._spec.kg_per_unit
