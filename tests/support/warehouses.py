"""Small worlds for tests of the fleet, read from text as from files."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fleet.model import World
from fleet.model.reading import read_world

ROOT = Path(__file__).resolve().parents[2]


def texts_of(name: str) -> dict[str, str]:
    """The files of a shipped world."""
    folder = ROOT / "worlds" / name
    files = sorted(folder.glob("*.yaml"))
    return {file.name: file.read_text(encoding="utf-8") for file in files}


@cache
def shipped(name: str) -> World:
    return read_world(texts_of(name))


def walls_of(*boxes: tuple[float, float, float, float]) -> str:
    """Lines of ``map.walls`` for rectangles."""
    lines = []
    for x1, y1, x2, y2 in boxes:
        for wall in (
            *((x1, y1, x2, y1), (x2, y1, x2, y2)),
            *((x2, y2, x1, y2), (x1, y2, x1, y1)),
        ):
            lines.append(f"    - [{', '.join(str(v) for v in wall)}]")
    return "\n".join(lines)


def small_world(
    *,
    width_m: float = 12.0,
    height_m: float = 8.0,
    boxes: tuple[tuple[float, float, float, float], ...] = (),
    places: dict[str, tuple[float, float]] | None = None,
    robots: dict[str, tuple[str, str]] | None = None,
    more: str = "",
) -> str:
    """Text of one file: a hall with boxes, places and robots (kind and home)."""
    places = places or {"home": (1.5, 1.5), "a": (10.0, 1.5)}
    robots = robots or {"r1": ("cart", "home")}
    spots = "\n".join(f"  {n}: {{x_m: {x}, y_m: {y}}}" for n, (x, y) in places.items())
    listed = "\n".join(
        f"  - {{id: {name}, kind: {kind}, home: {home}}}"
        for name, (kind, home) in robots.items()
    )
    types = "" if "robot_types:" in more else "robot_types:\n  cart: {speed_mps: 1.0}\n"
    return (
        f"name: test\nmap:\n  width_m: {width_m}\n  height_m: {height_m}\n  walls:\n"
        f"{walls_of((0.0, 0.0, width_m, height_m), *boxes)}\n"
        f"places:\n{spots}\nrobots:\n{listed}\n{types}{more}"
    )


def read(text: str) -> World:
    return read_world({"world.yaml": text})
