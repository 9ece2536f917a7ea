"""Where robots drove, as a picture: SVG for pages and documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

Four = tuple[float, float, float, float]
COLOURS = ("#1264a3", "#b3470f", "#2e7d32", "#7b3fa0", "#8a6d00", "#a01c4a")
MARGIN_M = 1.2


def route_svg(
    routes: Iterable[Mapping[str, Any]],
    walls: Sequence[Four] = (),
    racks: Sequence[Four] = (),
) -> str:
    """Metres, y up; a robot without a track is drawn from place to place."""
    tracks: dict[str, list[list[float]]] = {}
    places: dict[str, list[float]] = {}
    for route in routes:
        places |= route.get("places", {})
        drawn = {robot: list(points) for robot, points in route["tracks"].items()}
        for robot, place in route.get("drives", ()):
            if robot not in route["tracks"] and place in places:
                drawn.setdefault(robot, []).append(places[place])
        for robot, points in drawn.items():
            tracks.setdefault(robot, []).extend(points)
    xs = [x for x1, _, x2, _ in walls for x in (x1, x2)]
    ys = [y for _, y1, _, y2 in walls for y in (y1, y2)]
    for x, y in [*places.values(), *(p for line in tracks.values() for p in line)]:
        xs.append(x)
        ys.append(y)
    if not xs:
        return _svg(0, 0, 1, 1, [])
    left, top = min(xs) - MARGIN_M, -max(ys) - MARGIN_M
    width, height = max(xs) + MARGIN_M - left, -min(ys) + MARGIN_M - top
    size = max(width, height) / 60
    parts = [
        f'<rect x="{x:.2f}" y="{-(y + h):.2f}" width="{w:.2f}" height="{h:.2f}"'
        ' fill="#e6e8eb"/>'
        for x, y, w, h in racks
    ]
    parts += [
        f'<line x1="{x1:.2f}" y1="{-y1:.2f}" x2="{x2:.2f}" y2="{-y2:.2f}"'
        f' stroke="#5b6470" stroke-width="{size / 5:.3f}"/>'
        for x1, y1, x2, y2 in walls
    ]
    for number, (robot, points) in enumerate(sorted(tracks.items())):
        colour = COLOURS[number % len(COLOURS)]
        line = " ".join(f"{x:.2f},{-y:.2f}" for x, y in points)
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}"'
            f' stroke-width="{size / 3:.3f}" stroke-linejoin="round"/>'
        )
        parts.append(
            f'<text x="{left + size:.2f}" y="{top + size * (1.5 + 1.6 * number):.2f}"'
            f' font-size="{size * 1.3:.3f}" font-family="sans-serif"'
            f' fill="{colour}">{escape(robot)}</text>'
        )
    for name, (x, y) in sorted(places.items()):
        parts.append(
            f'<circle cx="{x:.2f}" cy="{-y:.2f}" r="{size / 2:.3f}" fill="#1b1f24"/>'
            f'<text x="{x + size:.2f}" y="{-y - size * 0.6:.2f}"'
            f' font-size="{size * 1.5:.3f}" font-family="sans-serif"'
            f' fill="#1b1f24">{escape(name)}</text>'
        )
    return _svg(left, top, width, height, parts)


def _svg(left: float, top: float, w: float, h: float, parts: Sequence[str]) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg"'
        f' viewBox="{left:.2f} {top:.2f} {w:.2f} {h:.2f}">'
        f'<rect x="{left:.2f}" y="{top:.2f}" width="{w:.2f}" height="{h:.2f}"'
        f' fill="#ffffff"/>{"".join(parts)}</svg>'
    )
