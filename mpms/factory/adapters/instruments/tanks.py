"""Controllers of tanks over Modbus TCP and OPC UA.

Both have the same fields. In Modbus they are holding registers from ``register`` on:
request, key (4), programme, state, last key (4), temperature and speed (float32 each),
fault. In OPC UA they are nodes below ``node``: Request, Key, Programme, State, LastKey,
Temperature, Speed, Fault.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from mpms.factory.adapters.instruments.extra import InstrumentsMissing
from mpms.factory.adapters.instruments.modbus_wire import device_at
from mpms.factory.adapters.instruments.opc_ua_wire import Session, talk
from mpms.factory.adapters.instruments.reading import (
    AnyTank,
    ModbusTank,
    OpcUaTank,
)
from mpms.factory.domain.mixing import TankReading, TankState
from mpms.factory.ports.tanks import Tank, TankAway

REGISTERS = 16
REQUEST, KEY, PROGRAMME, STATE, LAST_KEY, TEMPERATURE, SPEED, FAULT = (
    *(0, 1, 5, 6),
    *(7, 11, 13, 15),
)
FAULTS = {
    0: "",
    1: "the lid is open",
    2: "the motor is overloaded",
    3: "it is too hot",
    4: "the emergency stop is pressed",
}


class PlantTanks:
    """Those that the plant's file names."""

    def __init__(self, tanks: Mapping[str, AnyTank]) -> None:
        self._tanks = tanks

    def named(self, tank: str) -> Tank | None:
        match self._tanks.get(tank):
            case ModbusTank() as found:
                return ModbusController(found)
            case OpcUaTank() as found:
                return OpcUaController(found)
        return None

    def cleaned_between(self, tank: str) -> bool:
        found = self._tanks.get(tank)
        return found is not None and found.clean_between


def _programme(tank: ModbusTank | OpcUaTank, product: str) -> int:
    return tank.programmes.get(product, tank.programme)


class ModbusController:
    """Registers; the request is written last, when all else stands there."""

    def __init__(self, tank: ModbusTank) -> None:
        self._tank = tank
        self.patience_s, self.poll_s = tank.patience_s, tank.poll_s

    def read(self) -> TankReading:
        tank = self._tank
        try:
            with device_at(tank.address, tank.device, tank.timeout_s) as device:
                words = device.words(tank.register_, REGISTERS)
        except (OSError, InstrumentsMissing) as gone:
            raise TankAway(str(gone)) from gone
        asked = _hex(words[KEY:PROGRAMME]) if words[REQUEST] else ""
        return TankReading(
            _state(words[STATE]),
            _hex(words[LAST_KEY:TEMPERATURE]),
            asked,
            self._float(words[TEMPERATURE:SPEED]),
            self._float(words[SPEED:FAULT]),
            FAULTS.get(words[FAULT], f"fault {words[FAULT]}"),
        )

    def ask(self, key: str, product: str) -> None:
        tank, first = self._tank, self._tank.register_
        words = [int(key[at : at + 4], 16) for at in range(0, 16, 4)]
        try:
            with device_at(tank.address, tank.device, tank.timeout_s) as device:
                device.write(first + KEY, [*words, _programme(tank, product)])
                device.write(first + REQUEST, [1])
        except (OSError, InstrumentsMissing) as gone:
            raise TankAway(str(gone)) from gone

    def _float(self, words: list[int]) -> float:
        ordered = words if self._tank.word_order == "big" else words[::-1]
        (found,) = struct.unpack(">f", struct.pack(">HH", *ordered))
        return float(found)


def _hex(words: list[int]) -> str:
    return "".join(f"{word:04x}" for word in words)


def _state(number: int) -> TankState:
    try:
        return TankState(number)
    except ValueError as strange:
        raise TankAway(f"it shows the state {number}, which means nothing") from strange


class OpcUaController:
    """Nodes; the request is written last, when all else stands there."""

    def __init__(self, tank: OpcUaTank) -> None:
        self._tank = tank
        self.patience_s, self.poll_s = tank.patience_s, tank.poll_s

    def read(self) -> TankReading:
        names = (
            *("State", "LastKey", "Request", "Key"),
            *("Temperature", "Speed", "Fault"),
        )
        nodes = [f"{self._tank.node}.{name}" for name in names]

        async def ask(session: Session) -> list[object]:
            return await session.values(*nodes)

        try:
            state, last, request, key, temperature, speed, fault = talk(
                self._tank.address, self._tank.timeout_s, ask
            )
        except (OSError, InstrumentsMissing) as gone:
            raise TankAway(str(gone)) from gone
        return TankReading(
            _state(int(str(state))),
            str(last),
            str(key) if request else "",
            float(str(temperature)),
            float(str(speed)),
            str(fault or ""),
        )

    def ask(self, key: str, product: str) -> None:
        tank = self._tank

        async def write(session: Session) -> None:
            await session.write(f"{tank.node}.Key", key)
            await session.write(f"{tank.node}.Programme", _programme(tank, product))
            await session.write(f"{tank.node}.Request", value=True)

        try:
            talk(tank.address, tank.timeout_s, write)
        except (OSError, InstrumentsMissing) as gone:
            raise TankAway(str(gone)) from gone
