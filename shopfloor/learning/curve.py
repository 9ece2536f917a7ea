"""The curve of a training as a picture: reward and success over steps."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 720, 360, 64, 30, 48, 64
REWARD, SUCCESS, GREY = "#1f6feb", "#1a7f37", "#6b7280"
Point = tuple[int, float, float]
"""Steps, mean reward, share that arrived."""


def drawn(points: Sequence[Point]) -> str:
    """SVG; without a point it says so."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="13">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    )
    if not points:
        return f'{head}<text x="20" y="40">Nothing was learned.</text></svg>\n'
    most_steps = max(point[0] for point in points)
    low = min(0.0, min(point[1] for point in points))
    high = max(1.0, max(point[1] for point in points))
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(steps: float) -> float:
        return LEFT + wide * steps / most_steps

    def y(share: float) -> float:
        return TOP + tall * (1.0 - share)

    parts = [head]
    for fifth in range(6):
        share = fifth / 5.0
        parts.append(
            f'<line x1="{LEFT}" x2="{LEFT + wide}" y1="{y(share):.1f}" '
            f'y2="{y(share):.1f}" stroke="#e5e7eb"/>'
            f'<text x="{LEFT - 8}" y="{y(share) + 4:.1f}" text-anchor="end" '
            f'fill="{REWARD}">{low + share * (high - low):.0f}</text>'
            f'<text x="{LEFT + wide + 8}" y="{y(share) + 4:.1f}" '
            f'fill="{SUCCESS}">{100 * share:.0f} %</text>'
            f'<text x="{x(share * most_steps):.1f}" y="{TOP + tall + 20}" '
            f'text-anchor="middle" fill="{GREY}">{share * most_steps / 1e6:.1f}</text>'
        )
    for colour, values in (
        (REWARD, [(p[0], (p[1] - low) / (high - low)) for p in points]),
        (SUCCESS, [(p[0], p[2]) for p in points]),
    ):
        line = " ".join(f"{x(at):.1f},{y(share):.1f}" for at, share in values)
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}" '
            'stroke-width="2"/>'
        )
    parts.append(
        f'<text x="{LEFT}" y="18" fill="{REWARD}">mean reward</text>'
        f'<text x="{LEFT + wide}" y="18" text-anchor="end" '
        f'fill="{SUCCESS}">arrived</text>'
        f'<text x="{LEFT + wide / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle" '
        f'fill="{GREY}">million steps</text></svg>\n'
    )
    return "".join(parts)
