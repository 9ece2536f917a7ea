"""A lot of a raw material, and why it may not be used."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from mpms.domain.errors import MpmsError


class LotState(enum.StrEnum):
    """Who has to do with a lot next: only a released one may be used."""

    QUARANTINE = "quarantine"
    RELEASED = "released"
    BLOCKED = "blocked"
    USED_UP = "used up"


# Each cause with the sentence that a person reads beside the field.
REFUSALS = {
    "lot_missing": "scan or enter the lot of this material.",
    "lot_unknown": "there is no lot {lot}.",
    "lot_of_other": "lot {lot} is {material}, not {wanted}.",
    "lot_quarantine": "lot {lot} is in quarantine and not released yet.",
    "lot_blocked": "lot {lot} is blocked.",
    "lot_used_up": "lot {lot} is used up.",
    "lot_expired": "lot {lot} expired on {date}.",
    "lot_elsewhere": "lot {lot} does not lie at {place}.",
    "not_enough": "only {kg} kg of lot {lot} are left here, {wanted} kg are wanted.",
    "promised": (
        "{kg} kg of lot {lot} are free here, {wanted} kg are wanted: the rest is kept"
        " for other orders."
    ),
}


class LotRefused(MpmsError):
    """This lot may not be used for that. ``code`` is a key of ``REFUSALS``."""

    def __init__(self, code: str, **values: Any) -> None:
        self.code = code
        self.values: Mapping[str, Any] = values
        self.reason = REFUSALS[code]
        told = self.reason.format(**values)
        super().__init__(told[:1].upper() + told[1:])


@dataclass(frozen=True)
class Lot:
    """One row of ``lots``."""

    lot: str
    material: str
    state: LotState = LotState.QUARANTINE
    expires_on: date | None = None
    supplier: str = ""
    supplier_lot: str = ""
    received_at: datetime | None = field(default=None, compare=False)
    received_by: str = field(default="", compare=False)

    def expired(self, today: date) -> bool:
        """A lot may be used on the day that is printed on it."""
        return self.expires_on is not None and self.expires_on < today

    def usable(self, today: date) -> bool:
        return self.state is LotState.RELEASED and not self.expired(today)

    def refuse_unless_usable(self, material: str, today: date) -> None:
        """LotRefused names the first thing that is wrong with it."""
        if self.material != material:
            raise LotRefused(
                "lot_of_other", lot=self.lot, material=self.material, wanted=material
            )
        if self.state is not LotState.RELEASED:
            code = f"lot_{self.state.value.replace(' ', '_')}"
            raise LotRefused(code, lot=self.lot)
        if self.expired(today):
            raise LotRefused("lot_expired", lot=self.lot, date=str(self.expires_on))
