"""Labels of lots, places and containers: what they say, and as ZPL for label printers.

The QR code holds the bare name, so that a tablet fills a field with it. A lot also has
its GS1 element string: best before (17), net weight (310n), lot (10).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from mpms.domain.errors import MpmsError

KINDS = ("lot", "place", "container")
LONGEST_LOT = 20  # of AI (10)


class LabelRefused(MpmsError):
    """There is nothing to print a label of."""


@dataclass(frozen=True)
class Label:
    kind: str
    code: str
    title: str = ""
    kg: Decimal | None = None
    best_before: date | None = None

    @property
    def gs1(self) -> str:
        """With parentheses, as people read it; empty where GS1 has no room for it."""
        if self.kind != "lot" or len(self.code) > LONGEST_LOT:
            return ""
        if not all(c.isascii() and (c.isalnum() or c in "-./_#") for c in self.code):
            return ""
        parts = []
        if self.best_before is not None:
            parts.append(f"(17){self.best_before:%y%m%d}")
        if self.kg is not None and 0 <= self.kg < 1000:
            parts.append(f"(3103){int(self.kg * 1000):06d}")
        return "".join((*parts, f"(10){self.code}"))


def zpl(labels: Iterable[Label]) -> str:
    """One label after the other, 100 mm by 60 mm at 8 dots a millimetre."""
    return "".join(_zpl(label) for label in labels)


def _zpl(label: Label) -> str:
    lines = [
        "^XA^CI28^PW800^LL480",
        f"^FO40,40^A0N,60,60^FH^FD{_zpl_text(label.code)}^FS",
        f"^FO40,110^A0N,36,36^FB480,2^FH^FD{_zpl_text(label.title)}^FS",
        f"^FO560,40^BQN,2,8^FH^FDMA,{_zpl_text(label.code)}^FS",
    ]
    if label.gs1:  # mode D: GS1-128, parentheses are not encoded
        lines.append(f"^FO40,300^BY2^BCN,100,Y,N,N,D^FH^FD{label.gs1}^FS")
    return "\n".join((*lines, "^XZ")) + "\n"


def _zpl_text(text: str) -> str:
    """Commands of the printer become their numbers."""
    kept = "".join(c if c.isprintable() else " " for c in text)
    return "".join(f"_{ord(c):02X}" if c in "^~_\\" else c for c in kept)
