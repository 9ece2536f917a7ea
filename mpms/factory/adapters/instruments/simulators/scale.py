"""A scale that weighs what it is told to weigh, on each of the three wires."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from decimal import Decimal

from mpms.factory.adapters.instruments.simulators.loop import (
    Serving,
    lines_served,
    registers_served,
)
from mpms.factory.adapters.instruments.simulators.opc_ua import nodes_served

SERIAL = "SIM-0001"


@dataclass
class PlayedScale:
    """What lies on it, and how it behaves."""

    net_kg: Decimal = Decimal(0)
    tare_kg: Decimal = Decimal(0)
    moving: bool = False
    overloaded: bool = False
    unplugged: bool = False  # takes the connection, then nothing
    asked: int = 0

    def line(self, question: str) -> str | None:
        """MT-SICS."""
        self.asked += 1
        if self.unplugged:
            return None
        match question:
            case "S" | "SI" if self.overloaded:
                return "S +"
            case "S" | "SI":
                return f"S {'D' if self.moving else 'S'} {self.net_kg:>10} kg"
            case "TA":
                return f"TA A {self.tare_kg:>10} kg"
            case "I4":
                return f'I4 A "{SERIAL}"'
        return "ES"

    def words(self) -> list[int]:
        """Net, gross and tare as float32, high word first; bit 0 of 6: at rest."""
        amounts = (self.net_kg, self.net_kg + self.tare_kg, self.tare_kg)
        words = [word for amount in amounts for word in float_words(float(amount))]
        return [*words, 0 if self.moving or self.overloaded else 1]

    def nodes(self) -> dict[str, object]:
        return {
            "Scale.Net": float(self.net_kg),
            "Scale.Gross": float(self.net_kg + self.tare_kg),
            "Scale.Tare": float(self.tare_kg),
            "Scale.Stable": not (self.moving or self.overloaded),
        }

    def served_by(self, driver: str, port: int = 0) -> Serving:
        """As ``mt-sics``, ``modbus`` or ``opc-ua``."""
        if driver == "mt-sics":
            return lines_served(self.line, port)
        if driver == "modbus":
            return registers_served(self.words, lambda _a, _v: None, port)
        return nodes_served(self.nodes, lambda _n, _v: None, frozenset(), port)


def float_words(number: float) -> list[int]:
    return list(struct.unpack(">HH", struct.pack(">f", number)))


def settings_for(driver: str, port: int, place: str) -> dict[str, object]:
    """What the plant's file says of such a scale."""
    if driver == "opc-ua":
        address = f"opc.tcp://127.0.0.1:{port}"
        nodes = {key: f"ns=2;s=Scale.{key.title()}" for key in ("net", "gross", "tare")}
        more: dict[str, object] = {**nodes, "stable": "ns=2;s=Scale.Stable"}
    else:
        address = f"tcp://127.0.0.1:{port}"
        more = {}
    if driver == "modbus":
        more = {
            "net": {"register": 0},
            "gross": {"register": 2},
            "tare": {"register": 4},
            "stable": {"register": 6, "bit": 0},
        }
    return {"driver": driver, "address": address, "places": [place], **more}
