"""Maps and scenarios of the MovingAI grid benchmark.

Coordinates stay those of the files: the cell in column x and line y has its centre
at (x, y), lines are counted from the top, and a step is one long.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shopfloor.grid.errors import (
    MapContentUnknown,
    MapUnreadable,
    ScenarioRefused,
)
from shopfloor.grid.occupancy import MAX_CELLS, Grid, check_size

FREE = b".GS"
BLOCKED = b"@OTW"


@dataclass(frozen=True)
class Row:
    """One query of a scenario."""

    start: tuple[int, int]
    goal: tuple[int, int]
    octile_length: float
    """The shortest way in straight and diagonal steps that cuts no corner."""
    line: int
    """Of the file."""


def read_moving_ai(path: Path) -> Grid:
    data = _read(path)
    lines = data.splitlines()
    header: dict[bytes, bytes] = {}
    rows: list[bytes] = []
    for number, line in enumerate(lines[:8], start=1):
        words = line.split()
        if words == [b"map"]:
            rows = lines[number:]
            break
        if len(words) == 2:
            header[words[0]] = words[1]
    else:
        raise MapUnreadable(f"{path} is no MovingAI map: there is no line 'map'")
    width, height = (_size(path, header, key) for key in (b"width", b"height"))
    check_size(width, height)
    while rows and not rows[-1].strip():
        rows.pop()
    if len(rows) != height:
        raise MapUnreadable(f"{path} promises {height} lines and has {len(rows)}")
    for y, row in enumerate(rows):
        if len(row) != width:
            raise MapUnreadable(
                f"{path}: line {y} of the map has {len(row)} cells, not {width}"
            )
    letters = np.frombuffer(b"".join(rows), np.uint8).reshape(height, width)
    blocked = np.isin(letters, np.frombuffer(BLOCKED, np.uint8))
    known = blocked | np.isin(letters, np.frombuffer(FREE, np.uint8))
    if not known.all():
        y, x = np.argwhere(~known)[0]
        raise MapContentUnknown(
            f"{path}: cell ({x}, {y}) is {chr(letters[y, x])!r}, "
            f"which is neither free ({FREE.decode()}) nor blocked ({BLOCKED.decode()})"
        )
    return Grid.of(blocked, 1.0, (-0.5, -0.5, 0.0))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(2 * MAX_CELLS + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise MapUnreadable(f"{path} cannot be read: {reason}") from None
    if len(data) > 2 * MAX_CELLS:
        raise MapUnreadable(f"{path} is larger than any map we accept")
    return data


def _size(path: Path, header: dict[bytes, bytes], key: bytes) -> int:
    text = header.get(key, b"")
    if not text.isdigit() or len(text) > 9:
        raise MapUnreadable(f"{path} is no MovingAI map: its {key.decode()} is missing")
    return int(text)


def read_scenario(path: Path, grid: Grid) -> list[Row]:
    """All rows of a ``.scen`` file; they must have been made for this map's size."""
    try:
        text = path.read_text(encoding="ascii")
    except OSError as error:
        reason = error.strerror or str(error)
        raise ScenarioRefused(f"{path} cannot be read: {reason}") from None
    except UnicodeDecodeError:
        raise ScenarioRefused(f"{path} is no scenario: it is not plain text") from None
    lines = text.splitlines()
    if not lines or not lines[0].startswith("version"):
        raise ScenarioRefused(f"{path} is no scenario: its first line names no version")
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        words = line.split()
        if not words:
            continue
        try:
            if len(words) != 9:
                raise ValueError
            width, height, x0, y0, x1, y1 = map(int, words[2:8])
            octile = float(words[8])
        except ValueError:
            raise ScenarioRefused(
                f"{path}:{number} is no scenario row of nine columns"
            ) from None
        if (width, height) != (grid.width, grid.height):
            raise ScenarioRefused(
                f"{path}:{number} is for a map of {width} by {height} cells, "
                f"this one has {grid.width} by {grid.height}"
            )
        rows.append(Row((x0, y0), (x1, y1), octile, number))
    return rows
