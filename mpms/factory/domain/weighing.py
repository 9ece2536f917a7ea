"""A weight as a scale told it: amounts in kilograms, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

KG_PER_UNIT = {
    "kg": Decimal(1),
    "g": Decimal("0.001"),
    "mg": Decimal("0.000001"),
    "t": Decimal(1000),
    "lb": Decimal("0.45359237"),
    "oz": Decimal("0.028349523125"),
}


@dataclass(frozen=True)
class Weight:
    """A reading at rest. ``unit`` is the one that the scale spoke of."""

    net_kg: Decimal
    instrument: str
    raw: str
    read_at: datetime
    gross_kg: Decimal | None = None
    tare_kg: Decimal | None = None
    unit: str = "kg"
    calibrated_on: date | None = None
    stays: bool = False  # what was weighed before still lies on it, as on a robot

    def told(self) -> dict[str, Any]:
        """What a batch record says of it beside the net weight."""
        said = {
            "instrument": self.instrument,
            "raw": self.raw,
            "gross_kg": _number(self.gross_kg),
            "tare_kg": _number(self.tare_kg),
            "net_kg": _number(self.net_kg),
            "unit": self.unit,
            "read_at": self.read_at.isoformat(),
            "calibrated_on": self.calibrated_on and self.calibrated_on.isoformat(),
        }
        return {key: value for key, value in said.items() if value is not None}


def _number(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


def in_kg(amount: Decimal, unit: str) -> Decimal:
    """KeyError for a unit that nobody knows."""
    return amount * KG_PER_UNIT[unit.strip().lower()]
