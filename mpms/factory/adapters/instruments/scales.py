"""The scales of a plant: whichever stands at the place, else the one on the robot."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from mpms.factory.adapters.instruments import mt_sics
from mpms.factory.adapters.instruments.extra import InstrumentsMissing
from mpms.factory.adapters.instruments.modbus_wire import device_at
from mpms.factory.adapters.instruments.opc_ua_wire import Session, talk
from mpms.factory.adapters.instruments.reading import (
    AnyScale,
    ManualScale,
    ModbusScale,
    MtSicsScale,
    OpcUaScale,
)
from mpms.factory.domain.weighing import Weight, in_kg
from mpms.factory.ports.scales import Scale, ScaleByHand, ScaleUnavailable

AGAIN_S = 0.2


class PlantScales:
    """Chooses a scale and asks it. ``others`` weighs where none of these stands."""

    def __init__(self, scales: Mapping[str, AnyScale], others: Scale) -> None:
        self._scales, self._others = scales, others
        self._at = {p: n for n, scale in scales.items() for p in scale.places}
        self._on = {r: n for n, scale in scales.items() for r in scale.robots}

    def weigh(self, robot: str, place: str | None = None) -> Weight:
        name = self._at.get(place or "") or self._on.get(robot)
        if name is None:
            return self._others.weigh(robot, place)
        return weigh_on(name, self._scales[name])


def weigh_on(name: str, scale: AnyScale) -> Weight:
    """ScaleUnavailable, ScaleByHand."""
    if isinstance(scale, ManualScale):
        raise ScaleByHand(scale.name or name, scale.calibrated_on)
    try:
        if isinstance(scale, MtSicsScale):
            return mt_sics.weigh(name, scale)
        return _when_stable(name, scale)
    except InstrumentsMissing as missing:
        raise ScaleUnavailable(f"scale {name}: {missing}") from missing


def _when_stable(name: str, scale: ModbusScale | OpcUaScale) -> Weight:
    until = time.monotonic() + scale.timeout_s
    last: str | None = None
    while True:
        left_s = until - time.monotonic()
        if left_s <= 0:
            raise ScaleUnavailable(
                f"scale {name} did not come to rest within {scale.timeout_s:g} s"
                f" (last {last})"
            )
        try:
            read = _modbus if isinstance(scale, ModbusScale) else _opc_ua
            stable, amounts, raw = read(scale, left_s)  # type: ignore[arg-type]
        except OSError as gone:
            if last is not None and time.monotonic() >= until:
                continue  # our own clock cut the last look short
            raise ScaleUnavailable(f"scale {name} does not answer: {gone}") from gone
        if stable:
            return _weight(name, scale, amounts, raw)
        last = raw
        time.sleep(min(AGAIN_S, max(0.0, until - time.monotonic())))


Amounts = dict[str, Decimal]


def _modbus(scale: ModbusScale, left_s: float) -> tuple[bool, Amounts, str]:
    """At rest before and after: the registers are not read in one moment."""
    wanted = {"net": scale.net, "gross": scale.gross, "tare": scale.tare}
    with device_at(scale.address, scale.device, left_s) as device:
        before = device.bit(scale.stable)
        found = {k: device.value(at) for k, at in wanted.items() if at is not None}
        again = device.value(scale.net)
        stable = before and device.bit(scale.stable) and again == found["net"]
    return stable, found, _raw(found, stable)


def _opc_ua(scale: OpcUaScale, left_s: float) -> tuple[bool, Amounts, str]:
    wanted = {"net": scale.net, "gross": scale.gross, "tare": scale.tare}
    nodes = {key: node for key, node in wanted.items() if node is not None}

    async def ask(session: Session) -> list[object]:
        return await session.values(scale.stable, *nodes.values())

    stable, *values = talk(scale.address, left_s, ask)
    try:
        found = {
            key: Decimal(str(value)) for key, value in zip(nodes, values, strict=True)
        }
    except InvalidOperation as strange:
        raise ConnectionError(f"{values} are no weights") from strange
    return stable is True, found, _raw(found, stable is True)


def _raw(found: Amounts, stable: bool) -> str:
    said = " ".join(f"{key}={amount}" for key, amount in found.items())
    return f"{said} {'stable' if stable else 'moving'}"


def _weight(
    name: str, scale: ModbusScale | OpcUaScale, amounts: Amounts, raw: str
) -> Weight:
    if not all(amount.is_finite() for amount in amounts.values()):
        raise ScaleUnavailable(f"scale {name} shows no weight ({raw})")
    kg = {key: in_kg(amount, scale.unit) for key, amount in amounts.items()}
    net_kg, gross_kg, tare_kg = kg["net"], kg.get("gross"), kg.get("tare")
    if gross_kg is None and tare_kg is not None:
        gross_kg = net_kg + tare_kg
    elif tare_kg is None and gross_kg is not None:
        tare_kg = gross_kg - net_kg
    return Weight(
        net_kg,
        scale.name or name,
        raw,
        datetime.now(UTC),
        gross_kg=gross_kg,
        tare_kg=tare_kg,
        unit=scale.unit,
        calibrated_on=scale.calibrated_on,
    )
