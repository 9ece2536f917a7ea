"""Recorded ranges and anchor lists as CSV: reading at the edge, refusing by line.

Ranges: t, tag, anchor, range and, where known, true_x, true_y. Anchors: anchor, x, y,
perhaps z, perhaps dataset when one list serves several recordings.
"""

import csv
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shopfloor.tracking.anchors import Anchor
from shopfloor.tracking.errors import RangeFileRefused


@dataclass(frozen=True)
class RecordedRange:
    at_s: float
    tag: str
    anchor: str
    range_m: float
    truth_m: tuple[float, float] | None


def read_ranges(path: Path) -> list[RecordedRange]:
    found = [
        _range(path, line, row) for line, row in _rows(path, ("t", "anchor", "range"))
    ]
    if not found:
        raise RangeFileRefused(f"{path}: there is no range in it")
    return found


def _range(path: Path, line: int, row: dict[str, str]) -> RecordedRange:
    x = _number(path, line, "true_x", row.get("true_x", ""))
    y = _number(path, line, "true_y", row.get("true_y", ""))
    at_s = _number(path, line, "t", row["t"])
    range_m = _number(path, line, "range", row["range"])
    if at_s is None or range_m is None:
        raise RangeFileRefused(f"{path}, line {line}: t and range must not be empty")
    if not 0.0 <= range_m < math.inf:
        raise RangeFileRefused(f"{path}, line {line}: {range_m} is no distance")
    truth = None if x is None or y is None else (x, y)
    return RecordedRange(at_s, row.get("tag", ""), row["anchor"], range_m, truth)


def read_anchors(path: Path, used: set[str], recording: str) -> list[Anchor]:
    """The anchors of the data set that knows all ``used`` ones.

    Where several do, the one named at the start of the recording's name.
    """
    sets: defaultdict[str, list[Anchor]] = defaultdict(list)
    for line, row in _rows(path, ("anchor", "x", "y")):
        x = _number(path, line, "x", row["x"])
        y = _number(path, line, "y", row["y"])
        if x is None or y is None:
            raise RangeFileRefused(f"{path}, line {line}: x and y must not be empty")
        z = _number(path, line, "z", row.get("z", ""))
        sets[row.get("dataset", "")].append(Anchor(row["anchor"], x, y, z))
    if not sets:
        raise RangeFileRefused(f"{path}: there is no anchor in it")
    fitting = [
        name for name, anchors in sets.items() if used <= {a.id for a in anchors}
    ]
    named = [name for name in fitting if name and recording.startswith(name)]
    chosen = named or fitting
    if not chosen:
        everywhere = {a.id for anchors in sets.values() for a in anchors}
        missing = ", ".join(sorted(used - everywhere)) or ", ".join(sorted(used))
        raise RangeFileRefused(f"{path}: unknown anchor {missing}")
    if len(chosen) > 1:
        raise RangeFileRefused(
            f"{path}: the data sets {', '.join(sorted(chosen))} all have these "
            "anchors; begin the name of the recording with the one that is meant"
        )
    return sets[chosen[0]]


def _rows(path: Path, needed: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            missing = [n for n in needed if n not in (reader.fieldnames or ())]
            if missing:
                raise RangeFileRefused(
                    f"{path}: the first line names no column {', '.join(missing)}"
                )
            for row in reader:
                # A short row gives None, a long one a list under None.
                yield (
                    reader.line_num,
                    {k: (v or "").strip() for k, v in row.items() if k is not None},
                )
    except OSError as error:
        raise RangeFileRefused(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise RangeFileRefused(f"{path} is no CSV in UTF-8: {error}") from error


def _number(path: Path, line: int, column: str, text: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise RangeFileRefused(f"{path}, line {line}: {column} {text!r} is no number")
    return value
