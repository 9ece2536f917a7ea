"""How a plant wants models executed where engines differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Feel = Literal["strict", "standard"]


@dataclass(frozen=True)
class Execution:
    """``feel``: whether an error in FEEL stops, or is null as the standard says; None:
    strict, but standard in models of Camunda 8. ``missing_is_null``: what a call
    passes that does not exist; else an incident.
    """

    feel: Feel | None = None
    missing_is_null: bool = True

    def standard_feel(self, *, camunda_8: bool) -> bool:
        return camunda_8 if self.feel is None else self.feel == "standard"
