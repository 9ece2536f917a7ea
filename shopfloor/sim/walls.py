"""How far things are from walls, which are straight lines between two points."""

import math

Segment = tuple[float, float, float, float]
"""x and y of one end, x and y of the other, in metres."""


def distance_m(x_m: float, y_m: float, wall: Segment) -> float:
    x1, y1, x2, y2 = wall
    span_x, span_y = x2 - x1, y2 - y1
    length2 = span_x**2 + span_y**2
    share = 0.0
    if length2 > 0.0:
        share = ((x_m - x1) * span_x + (y_m - y1) * span_y) / length2
        share = min(1.0, max(0.0, share))
    return math.hypot(x_m - x1 - share * span_x, y_m - y1 - share * span_y)


def gap_m(line: Segment, wall: Segment) -> float:
    """Between two straight lines; nothing where they cross."""
    if _sides(line, wall) and _sides(wall, line):
        return 0.0
    return min(
        distance_m(*line[:2], wall),
        distance_m(*line[2:], wall),
        distance_m(*wall[:2], line),
        distance_m(*wall[2:], line),
    )


def _sides(line: Segment, other: Segment) -> bool:
    """Whether the ends of the other lie on different sides of the line."""
    x1, y1, x2, y2 = line
    first, second = (
        (x2 - x1) * (y_m - y1) - (y2 - y1) * (x_m - x1)
        for x_m, y_m in (other[:2], other[2:])
    )
    return first * second < 0.0
