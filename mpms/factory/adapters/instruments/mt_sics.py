"""Indicators that speak MT-SICS over TCP, often behind a serial converter.

``S`` asks for a weight at rest. A scale may answer ``S D`` all the same, when its
load swings longer than it waits: that is never taken, whatever number stands beside.
"""

from __future__ import annotations

import re
import socket
import time
from datetime import UTC, datetime
from decimal import Decimal

from mpms.factory.adapters.instruments.reading import MtSicsScale, host_and_port
from mpms.factory.domain.weighing import Weight, in_kg
from mpms.factory.ports.scales import ScaleUnavailable

AGAIN_S = 0.2
LONGEST_LINE = 200
WEIGHT = re.compile(r"(?:S|TA) (?P<state>[SDA]) +(?P<amount>-?[\d.]+) +(?P<unit>\S+)")
SAID = {
    "S I": "cannot weigh now",
    "S +": "is overloaded",
    "S -": "shows less than nothing: is the pan on it?",
    "ES": "does not understand the question",
    "ET": "heard only part of the question",
    "EL": "cannot do what was asked",
}


def weigh(name: str, scale: MtSicsScale) -> Weight:
    """ScaleUnavailable says what the scale said last."""
    until = time.monotonic() + scale.timeout_s
    said = ""
    try:
        with socket.create_connection(
            host_and_port(scale.address), timeout=scale.timeout_s
        ) as link:
            wire = _Wire(link, until)
            serial = wire.ask("I4")
            while time.monotonic() < until:
                said = wire.ask("S")
                found = WEIGHT.fullmatch(said)
                if found and found["state"] == "S":
                    return _weight(name, scale, said, wire.ask("TA"), serial)
                time.sleep(min(AGAIN_S, max(0.0, until - time.monotonic())))
    except OSError as gone:
        raise ScaleUnavailable(f"scale {name} does not answer: {gone}") from gone
    raise ScaleUnavailable(f"scale {name} {_why(said)} ({said})")


def _why(said: str) -> str:
    if said.startswith("S D"):
        return "did not come to rest"
    return SAID.get(said[:3].strip(), "says what is no weight")


def _weight(
    name: str, scale: MtSicsScale, said: str, tare_said: str, serial: str
) -> Weight:
    found, tared = WEIGHT.fullmatch(said), WEIGHT.fullmatch(tare_said)
    assert found is not None  # noqa: S101
    try:
        net_kg = in_kg(Decimal(found["amount"]), found["unit"])
        tare_kg = None
        if tared is not None and tared["state"] == "A":
            tare_kg = in_kg(Decimal(tared["amount"]), tared["unit"])
    except (KeyError, ArithmeticError) as strange:
        raise ScaleUnavailable(f"scale {name} says {said!r}") from strange
    number = serial.partition('"')[2].rstrip('"') if serial.startswith("I4 A") else ""
    return Weight(
        net_kg,
        f"{scale.name or name} {number}".strip(),
        said,
        datetime.now(UTC),
        gross_kg=None if tare_kg is None else net_kg + tare_kg,
        tare_kg=tare_kg,
        unit=found["unit"],
        calibrated_on=scale.calibrated_on,
    )


class _Wire:
    """Lines in and out, all before one time."""

    def __init__(self, link: socket.socket, until: float) -> None:
        self._link, self._until, self._rest = link, until, b""

    def ask(self, question: str) -> str:
        self._link.sendall(question.encode("ascii") + b"\r\n")
        while b"\n" not in self._rest:
            left_s = self._until - time.monotonic()
            if left_s <= 0 or len(self._rest) > LONGEST_LINE:
                raise TimeoutError(f"no answer to {question}")
            self._link.settimeout(left_s)
            more = self._link.recv(LONGEST_LINE)
            if not more:
                raise ConnectionError("it hung up")
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("ascii", "replace").strip()
