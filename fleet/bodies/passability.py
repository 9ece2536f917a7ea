"""Who gets through which alley with which planner: a table of drives, kept as CSV.

Drives are made by ``shopfloor passability``; pages and pictures read the table.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

TITLES = {
    "a_star": "A*",
    "hybrid": "Hybrid A*",
    "dwa": "DWA",
    "mppi": "MPPI",
    "teb": "TEB",
    "policy": "learned policy",
}


class TableWrong(ValueError):
    """The file is no table of drives; the text names the line."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One drive from yard to yard."""

    vehicle: str
    planner: str
    alley_width_m: float
    seed: int
    passed: bool
    why: str
    through: str
    """alley, gap, or nothing"""
    seconds: float
    length_m: float
    reversed_m: float
    contacts: int
    least_gap_m: float

    def row(self) -> list[object]:
        return [_plain(getattr(self, name)) for name in COLUMNS]


COLUMNS = tuple(field.name for field in fields(Trial))


@dataclass(frozen=True, slots=True)
class Cell:
    """All drives of a vehicle with a planner in alleys of a width."""

    drives: tuple[Trial, ...]

    @property
    def passed(self) -> int:
        return sum(drive.passed for drive in self.drives)

    @property
    def grade(self) -> str:
        """all, some or none of them"""
        if self.passed == len(self.drives):
            return "all"
        return "some" if self.passed else "none"

    @property
    def seconds(self) -> float:
        """The mean of those that passed."""
        took = [drive.seconds for drive in self.drives if drive.passed]
        return sum(took) / len(took) if took else math.nan

    @property
    def by_gap(self) -> bool:
        gaps = sum(drive.through == "gap" for drive in self.drives if drive.passed)
        return 2 * gaps > self.passed

    @property
    def reason(self) -> str:
        return short_reason(self.drives)


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return round(value, 3) if isinstance(value, float) else value


def as_csv(found: Sequence[Trial]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(trial.row() for trial in found)
    return out.getvalue()


def from_csv(text: str) -> list[Trial]:
    """TableWrong."""
    rows = csv.DictReader(io.StringIO(text))
    if tuple(rows.fieldnames or ()) != COLUMNS:
        raise TableWrong("the first line does not name the columns of such a table")
    found = []
    for row in rows:
        try:
            found.append(_trial(row))
        except (TypeError, ValueError, KeyError) as wrong:
            raise TableWrong(f"line {rows.line_num}: {wrong}") from None
    return found


def _trial(row: dict[str, str]) -> Trial:
    if row["passed"] not in ("yes", "no"):
        raise ValueError(f"passed is {row['passed']!r}, not yes or no")
    return Trial(
        row["vehicle"],
        row["planner"],
        float(row["alley_width_m"]),
        int(row["seed"]),
        row["passed"] == "yes",
        row["why"],
        row["through"],
        float(row["seconds"]),
        float(row["length_m"]),
        float(row["reversed_m"]),
        int(row["contacts"]),
        float(row["least_gap_m"]),
    )


def title_of(planner: str) -> str:
    return " + ".join(TITLES.get(part, part) for part in planner.split("+"))


def widths_of(found: Iterable[Trial]) -> list[float]:
    return sorted({trial.alley_width_m for trial in found})


def cell_of(
    found: Iterable[Trial], vehicle: str, planner: str, width_m: float
) -> Cell | None:
    """None: nobody has driven there."""
    wanted = (vehicle, planner, width_m)
    drives = tuple(
        t for t in found if (t.vehicle, t.planner, t.alley_width_m) == wanted
    )
    return Cell(drives) if drives else None


def short_reason(found: Sequence[Trial]) -> str:
    """Why most of the failed ones failed, in a word or two."""
    reasons = Counter(in_short(trial.why) for trial in found if not trial.passed)
    return reasons.most_common(1)[0][0] if reasons else ""


def in_short(why: str) -> str:
    for part, short in (
        ("cannot turn", "cannot turn"),
        ("found among", "no way found"),
        ("as wide as it is", "too wide"),
        ("no way", "too wide"),
        ("does not fit", "too wide"),
        ("stuck", "stuck"),
        ("contact", "contact"),
        ("not there after", "too slow"),
    ):
        if part in why:
            return short
    return "failed"


def least_width_m(found: Sequence[Trial], planner: str, vehicle: str) -> float:
    """The narrowest alley that every seed passed, and all wider ones too."""
    mine = [t for t in found if t.planner == planner and t.vehicle == vehicle]
    least = math.nan
    for width_m in reversed(widths_of(mine)):
        if not all(t.passed for t in mine if t.alley_width_m == width_m):
            break
        least = width_m
    return least
