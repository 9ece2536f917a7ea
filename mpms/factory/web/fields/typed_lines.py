"""Rows of material and amount in a form, as they were typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass
class TypedLine:
    """One row."""

    material: str = ""
    kg: str = ""
    error: str = ""

    @property
    def is_empty(self) -> bool:
        return not self.material and not self.kg


class TypedLines:
    """A form whose rows are added and removed one by one; one is always there."""

    most_lines: ClassVar[int]
    lines: list[TypedLine]

    def add_line(self) -> None:
        if len(self.lines) < self.most_lines:
            self.lines.append(TypedLine())

    def remove_line(self, place: str) -> None:
        if place.isdecimal() and int(place) < len(self.lines):
            del self.lines[int(place)]
        if not self.lines:
            self.add_line()


def one_line(text: str, longest: int) -> str:
    """Without breaks and signs that cannot be seen; one more than the longest tells."""
    printable = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(printable.split())[: longest + 1]
