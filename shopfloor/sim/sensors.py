"""What the simulated sensors see: walls as a grid, as ranges, as UWB distances."""

import math
import random
from collections.abc import Sequence

from PIL import Image

from shopfloor.sim.vehicle import Pose
from shopfloor.sim.walls import Segment, distance_m
from shopfloor.sim.world import Anchor, Map

FREE, OCCUPIED, UNKNOWN = 0, 100, -1
SCAN_RAYS = 181
SCAN_MIN_M, SCAN_MAX_M = 0.05, 20.0
OCCUPIED_SHARE, FREE_SHARE = 0.65, 0.196
UWB_NOISE_M = 0.08
UWB_DETOUR_M = (0.2, 0.8)
"""What a signal travels more when it does not come straight."""
AT_ANCHOR_M = 0.3
"""Anchors hang on walls, which hide nothing from them."""
TAG_HEIGHT_M = 1.0
COSTMAP_SIDE_M, COSTMAP_CELL_M = 4.0, 0.1
LETHAL, INSCRIBED = 100, 99


def size_in_cells(plan: Map) -> tuple[int, int]:
    """Columns and rows."""
    return (
        max(1, round(plan.width_m / plan.resolution_m)),
        max(1, round(plan.height_m / plan.resolution_m)),
    )


def occupancy(plan: Map) -> tuple[int, int, list[int]]:
    """Columns, rows and cells, row by row from the lower left corner."""
    columns, rows = size_in_cells(plan)
    if plan.image is not None:
        return columns, rows, _cells_of_image(plan, columns, rows)
    cells = [FREE] * (columns * rows)
    for x1, y1, x2, y2 in plan.walls:
        length = math.hypot(x2 - x1, y2 - y1)
        steps = max(1, math.ceil(2.0 * length / plan.resolution_m))
        for step in range(steps + 1):
            share = step / steps
            right = x1 + share * (x2 - x1) - plan.origin.x_m
            up = y1 + share * (y2 - y1) - plan.origin.y_m
            column = min(columns - 1, max(0, int(right / plan.resolution_m)))
            row = min(rows - 1, max(0, int(up / plan.resolution_m)))
            cells[row * columns + column] = OCCUPIED
    return columns, rows, cells


def _cells_of_image(plan: Map, columns: int, rows: int) -> list[int]:
    with Image.open(str(plan.image)) as picture:
        grey = picture.convert("L")
        if grey.size != (columns, rows):
            grey = grey.resize((columns, rows), Image.Resampling.NEAREST)
        shades = grey.tobytes()
    meaning = [_cell(shade) for shade in range(256)]
    cells: list[int] = []
    for row in range(rows - 1, -1, -1):
        line = shades[row * columns : (row + 1) * columns]
        cells.extend([meaning[shade] for shade in line])
    return cells


def _cell(shade: int) -> int:
    occupied = (255 - shade) / 255.0
    if occupied > OCCUPIED_SHARE:
        return OCCUPIED
    return FREE if occupied < FREE_SHARE else UNKNOWN


def scan(pose: Pose, walls: Sequence[Segment], rays: int = SCAN_RAYS) -> list[float]:
    """Ranges from right to left over the front half; infinity where nothing is."""
    ranges = []
    for index in range(rays):
        angle = pose.yaw_rad - math.pi / 2 + math.pi * index / (rays - 1)
        along_x, along_y = math.cos(angle), math.sin(angle)
        nearest = math.inf
        for wall in walls:
            nearest = min(nearest, _hit(pose, along_x, along_y, wall))
        ranges.append(nearest if nearest <= SCAN_MAX_M else math.inf)
    return ranges


def _hit(pose: Pose, along_x: float, along_y: float, wall: Segment) -> float:
    x1, y1, x2, y2 = wall
    span_x, span_y = x2 - x1, y2 - y1
    across = along_x * span_y - along_y * span_x
    if abs(across) < 1e-12:
        return math.inf
    to_x, to_y = x1 - pose.x_m, y1 - pose.y_m
    distance = (to_x * span_y - to_y * span_x) / across
    share = (to_x * along_y - to_y * along_x) / across
    return distance if distance >= 0.0 and 0.0 <= share <= 1.0 else math.inf


def costmap(
    pose: Pose, walls: Sequence[Segment], radius_m: float
) -> tuple[int, Pose, list[int]]:
    """Cells a side, the lower left corner, and costs around the robot: the walls,
    and where its middle would be closer to one than its radius."""
    side = round(COSTMAP_SIDE_M / COSTMAP_CELL_M)
    left, low = (
        math.floor((middle - COSTMAP_SIDE_M / 2) / COSTMAP_CELL_M) * COSTMAP_CELL_M
        for middle in (pose.x_m, pose.y_m)
    )
    reach_m = COSTMAP_SIDE_M + radius_m
    near = [wall for wall in walls if distance_m(pose.x_m, pose.y_m, wall) < reach_m]
    cells = []
    for row in range(side):
        y_m = low + (row + 0.5) * COSTMAP_CELL_M
        for column in range(side):
            x_m = left + (column + 0.5) * COSTMAP_CELL_M
            gap_m = min((distance_m(x_m, y_m, wall) for wall in near), default=math.inf)
            if gap_m <= COSTMAP_CELL_M / 2:
                cells.append(LETHAL)
            else:
                cells.append(INSCRIBED if gap_m <= radius_m else FREE)
    return side, Pose(left, low), cells


def uwb_range(
    pose: Pose, anchor: Anchor, walls: Sequence[Segment], rng: random.Random
) -> float:
    """Metres between a tag and an anchor, as noisy as the real ones, and too long
    where a wall is in between."""
    along_x, along_y = anchor.x_m - pose.x_m, anchor.y_m - pose.y_m
    flat = math.hypot(along_x, along_y)
    true_m = math.hypot(flat, anchor.z_m - TAG_HEIGHT_M)
    measured_m = true_m + rng.gauss(0.0, UWB_NOISE_M)
    before_m = flat - AT_ANCHOR_M
    if before_m > 0.0:
        ahead = along_x / flat, along_y / flat
        if any(_hit(pose, *ahead, wall) < before_m for wall in walls):
            measured_m += rng.uniform(*UWB_DETOUR_M)
    return max(0.0, measured_m)
