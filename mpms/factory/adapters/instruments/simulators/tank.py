"""A tank with its controller, to mix without paint.

The interlocks are here, as in a plant: a request is refused while the lid is open, a
key is taken once, and nothing starts while it runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mpms.factory.adapters.instruments.simulators.loop import Serving, registers_served
from mpms.factory.adapters.instruments.simulators.opc_ua import nodes_served
from mpms.factory.adapters.instruments.simulators.scale import float_words
from mpms.factory.adapters.instruments.tanks import FAULTS, KEY, PROGRAMME, REQUEST
from mpms.factory.domain.mixing import BUSY, TankState

NO_KEY = "0" * 16
ROOM_C, WARM_C, TURNS_RPM = 20.0, 38.0, 900.0
WRITABLE = frozenset({"Tank.Request", "Tank.Key", "Tank.Programme"})


@dataclass
class PlayedTank:
    """``mixing_s`` from accepted to finished; ``starts`` has every key it started."""

    mixing_s: float = 2.0
    lid_open: bool = False
    fault: int = 0
    now_s: Callable[[], float] = time.monotonic
    state: TankState = TankState.IDLE
    key: str = NO_KEY
    asked: str = NO_KEY
    programme: int = 0
    request: bool = False
    starts: list[str] = field(default_factory=list)
    _began_s: float = 0.0

    def break_down(self, fault: int) -> None:
        self.state, self.fault = TankState.FAULT, fault

    def reset(self) -> None:
        """As somebody does at its panel."""
        self.state, self.fault, self.lid_open = TankState.IDLE, 0, False

    def step(self) -> None:
        if self.request and self.state not in (*BUSY, TankState.FAULT):
            self.request = False
            self._take()
        if self.state not in BUSY:
            return
        share = (self.now_s() - self._began_s) / max(self.mixing_s, 1e-9)
        if share >= 1.0:
            self.state = TankState.FINISHED
        elif share >= 0.1:
            self.state = TankState.RUNNING

    def _take(self) -> None:
        if self.asked == self.key and self.state is not TankState.REFUSED:
            return  # it had this one
        self.key = self.asked
        if self.lid_open:
            self.state, self.fault = TankState.REFUSED, 1
            return
        self.state, self.fault = TankState.ACCEPTED, 0
        self.starts.append(self.key)
        self._began_s = self.now_s()

    @property
    def warmth(self) -> float:
        if self.state is not TankState.RUNNING:
            return ROOM_C
        share = (self.now_s() - self._began_s) / max(self.mixing_s, 1e-9)
        return ROOM_C + (WARM_C - ROOM_C) * min(1.0, share)

    @property
    def turns(self) -> float:
        return TURNS_RPM if self.state is TankState.RUNNING else 0.0

    # -- Modbus -------------------------------------------------------------------

    def words(self) -> list[int]:
        self.step()
        return [
            int(self.request),
            *_words(self.asked),
            self.programme,
            int(self.state),
            *_words(self.key),
            *float_words(self.warmth),
            *float_words(self.turns),
            self.fault,
        ]

    def written(self, address: int, words: list[int]) -> None:
        for place, word in enumerate(words, address):
            if place == REQUEST:
                self.request = bool(word)
            elif place == PROGRAMME:
                self.programme = word
            elif KEY <= place < PROGRAMME:
                known = _words(self.asked)
                known[place - KEY] = word
                self.asked = "".join(f"{each:04x}" for each in known)

    # -- OPC UA -------------------------------------------------------------------

    def nodes(self) -> dict[str, Any]:
        self.step()
        return {
            "Tank.Request": self.request,
            "Tank.Key": self.asked,
            "Tank.Programme": self.programme,
            "Tank.State": int(self.state),
            "Tank.LastKey": self.key,
            "Tank.Temperature": self.warmth,
            "Tank.Speed": self.turns,
            "Tank.Fault": FAULTS.get(self.fault, f"fault {self.fault}"),
        }

    def node_written(self, name: str, value: Any) -> None:
        match name:
            case "Tank.Request":
                self.request = bool(value)
            case "Tank.Key":
                self.asked = str(value)
            case "Tank.Programme":
                self.programme = int(value)

    def served_by(self, driver: str, port: int = 0) -> Serving:
        """As ``modbus`` or ``opc-ua``."""
        if driver == "modbus":
            return registers_served(self.words, self.written, port)
        return nodes_served(self.nodes, self.node_written, WRITABLE, port)


def _words(key: str) -> list[int]:
    return [int(key[at : at + 4], 16) for at in range(0, 16, 4)]


def settings_for(driver: str, port: int) -> dict[str, object]:
    """What the plant's file says of such a tank."""
    begin = "tcp" if driver == "modbus" else "opc.tcp"
    return {"driver": driver, "address": f"{begin}://127.0.0.1:{port}"}
