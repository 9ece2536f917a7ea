"""Plots as SVG: throughput and distance over time, and measures with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

WIDTH, HEIGHT = 760, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 70, 44, 46
RED, BLUE, GREY = "#c0392b", "#1f5fa8", "#667"


def _open(title: str, height: int = HEIGHT) -> list[str]:
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="13" fill="#222">'
        f"{escape(title[:96])}</text>",
    ]


def _ticks(low: float, high: float) -> list[float]:
    """About five round numbers."""
    span = max(high - low, 1e-9)
    step = 10.0 ** len(str(int(span / 5.0))) / 10.0 if span >= 5 else 1.0
    while span / step < 3:
        step /= 2.0
    while span / step > 7:
        step *= 2.0
    first = int(low / step) * step
    found = [first + n * step for n in range(12)]
    return [tick for tick in found if low - 1e-9 <= tick <= high + 1e-9]


def progression(
    rows: Sequence[dict[str, Any]],
    title: str,
    words: tuple[str, str, str] = ("orders per hour", "simulated hours", "km per hour"),
) -> str:
    """Orders and kilometres by hour, each with its axis."""
    parts = _open(title)
    rows = smoothed(rows)
    if rows:
        last_h = rows[-1]["at_h"]
        inner_w, inner_h = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        for name, scale, colour, right in (
            ("orders_per_h", 1.0, RED, False),
            ("distance_m_per_h", 1e-3, BLUE, True),
        ):
            values = [row[name] * scale for row in rows]
            low, high = min(values), max(values)
            pad = (high - low) * 0.1 or max(high * 0.1, 1.0)
            low, high = max(0.0, low - pad), high + pad
            points = " ".join(
                f"{LEFT + inner_w * row['at_h'] / last_h:.1f},"
                f"{TOP + inner_h * (high - value) / (high - low):.1f}"
                for row, value in zip(rows, values, strict=True)
            )
            parts.append(
                f'<polyline points="{points}" fill="none" stroke="{colour}" '
                'stroke-width="1.8"/>'
            )
            x, anchor = (WIDTH - RIGHT + 8, "start") if right else (LEFT - 8, "end")
            for tick in _ticks(low, high):
                y = TOP + inner_h * (high - tick) / (high - low)
                parts.append(
                    f'<text x="{x}" y="{y + 4:.1f}" fill="{colour}" '
                    f'text-anchor="{anchor}">{tick:g}</text>'
                )
        for tick in _ticks(0.0, last_h):
            x = LEFT + inner_w * tick / last_h
            parts.append(
                f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" fill="{GREY}" '
                f'text-anchor="middle">{tick:g}</text>'
            )
        parts.append(
            f'<rect x="{LEFT}" y="{TOP}" width="{inner_w}" height="{inner_h}" '
            f'fill="none" stroke="#bbb"/>'
        )
    parts += [
        f'<text x="{LEFT}" y="{HEIGHT - 8}" fill="{RED}">{escape(words[0])}</text>',
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" fill="{GREY}" '
        f'text-anchor="middle">{escape(words[1])}</text>',
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" fill="{BLUE}" '
        f'text-anchor="end">{escape(words[2])}</text>',
        "</svg>\n",
    ]
    return "\n".join(parts)


def popularity(weights: Sequence[float]) -> str:
    """The ABC curve: which share of the demand the most wanted articles make."""
    parts = _open("Share of demand by share of articles, the most wanted first")
    inner_w, inner_h = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    ordered, total, found = sorted(weights, reverse=True), sum(weights), 0.0
    points = [f"{LEFT},{TOP + inner_h}"]
    for n, weight in enumerate(ordered, 1):
        found += weight
        x = LEFT + inner_w * n / len(ordered)
        points.append(f"{x:.1f},{TOP + inner_h * (1.0 - found / total):.1f}")
    parts += [
        f'<line x1="{LEFT}" y1="{TOP + inner_h}" x2="{LEFT + inner_w}" y2="{TOP}" '
        f'stroke="{GREY}" stroke-dasharray="4 4"/>',
        f'<polyline points="{" ".join(points)}" fill="none" stroke="{BLUE}" '
        'stroke-width="1.8"/>',
    ]
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        x, y = LEFT + inner_w * tick, TOP + inner_h * (1.0 - tick)
        parts += [
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" fill="{GREY}" '
            f'text-anchor="middle">{tick:.0%}</text>',
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" fill="{BLUE}" '
            f'text-anchor="end">{tick:.0%}</text>',
        ]
    parts += [
        f'<rect x="{LEFT}" y="{TOP}" width="{inner_w}" height="{inner_h}" '
        f'fill="none" stroke="#bbb"/>',
        f'<text x="{LEFT}" y="{HEIGHT - 8}" fill="{BLUE}">demand</text>',
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" fill="{GREY}" '
        'text-anchor="end">articles</text>',
        "</svg>\n",
    ]
    return "\n".join(parts)


def smoothed(rows: Sequence[dict[str, Any]], count: int = 60) -> list[dict[str, Any]]:
    """At most so many rows, each the mean of its neighbours."""
    step = max(1, len(rows) // count)
    found = []
    for start in range(0, len(rows) - len(rows) % step, step):
        group = rows[start : start + step]
        mean = {key: sum(row[key] for row in group) / step for key in group[0]}
        found.append({**mean, "at_h": group[-1]["at_h"]})
    return found


def bars(title: str, values: Sequence[tuple[str, float, float]]) -> str:
    """One line for each name, with its mean and half the width of its interval."""
    row = 26
    height = TOP + row * len(values) + 30
    parts = _open(title, height)
    label = 230
    most = max((mean + half for _, mean, half in values), default=1.0) or 1.0
    inner = WIDTH - label - 130
    for n, (name, mean, half) in enumerate(values):
        y = TOP + n * row
        length = inner * mean / most
        spread = inner * half / most
        middle = y + row / 2 - 3
        parts += [
            f'<text x="{label - 8}" y="{middle + 4}" text-anchor="end" '
            f'fill="#222">{escape(name[:36])}</text>',
            f'<rect x="{label}" y="{y + 3}" width="{max(length, 0.0):.1f}" '
            f'height="{row - 12}" fill="{BLUE}" fill-opacity="0.75"/>',
            f'<line x1="{max(label, label + length - spread):.1f}" '
            f'x2="{label + length + spread:.1f}" '
            f'y1="{middle}" y2="{middle}" stroke="#222" stroke-width="1.5"/>',
            f'<text x="{label + length + spread + 6:.1f}" y="{middle + 4}" '
            f'fill="#222">{mean:.4g} ± {half:.2g}</text>',
        ]
    parts.append("</svg>\n")
    return "\n".join(parts)


def scatter(
    title: str, points: Sequence[tuple[str, float, float]], x_name: str, y_name: str
) -> str:
    """Points with the Pareto front: more of y with less of x."""
    parts = _open(title)
    if points:
        inner_w, inner_h = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        most_x = max(x for _, x, _ in points) * 1.1 or 1.0
        most_y = max(y for _, _, y in points) * 1.1 or 1.0

        def at(x: float, y: float) -> tuple[float, float]:
            return LEFT + inner_w * x / most_x, TOP + inner_h * (1.0 - y / most_y)

        front = [at(x, y) for _, x, y in pareto(points)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in front)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{RED}"/>')
        for name, x, y in points:
            px, py = at(x, y)
            parts.append(
                f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="{BLUE}">'
                f"<title>{escape(name)}</title></circle>"
            )
        for tick in _ticks(0.0, most_x):
            px, _ = at(tick, 0.0)
            parts.append(
                f'<text x="{px:.1f}" y="{HEIGHT - BOTTOM + 16}" fill="{GREY}" '
                f'text-anchor="middle">{tick:g}</text>'
            )
        for tick in _ticks(0.0, most_y):
            _, py = at(0.0, tick)
            parts.append(
                f'<text x="{LEFT - 8}" y="{py + 4:.1f}" fill="{GREY}" '
                f'text-anchor="end">{tick:g}</text>'
            )
        parts.append(
            f'<rect x="{LEFT}" y="{TOP}" width="{inner_w}" height="{inner_h}" '
            'fill="none" stroke="#bbb"/>'
        )
    parts += [
        f'<text x="{LEFT}" y="{TOP - 8}" fill="{GREY}">{escape(y_name)}</text>',
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" fill="{GREY}" '
        f'text-anchor="end">{escape(x_name)}</text>',
        "</svg>\n",
    ]
    return "\n".join(parts)


def pareto(
    points: Sequence[tuple[str, float, float]],
) -> list[tuple[str, float, float]]:
    """Those that no other beats with less of x and more of y."""
    found: list[tuple[str, float, float]] = []
    for point in sorted(points, key=lambda each: (each[1], -each[2])):
        if not found or point[2] > found[-1][2]:
            found.append(point)
    return found
