"""The floor as small as a stamp: walls and racks, one place, one robot."""

from __future__ import annotations

from dataclasses import dataclass

from mpms.factory.domain.worlds import World
from mpms.factory.services.floor.plan import floor_plan
from mpms.factory.services.tasks.listing import TaskView

Four = tuple[float, float, float, float]
Spot = tuple[float, float]
MARGIN_M = 0.4


@dataclass(frozen=True)
class MiniMap:
    """Metres with y down, as SVG counts."""

    view_box: str
    walls: tuple[Four, ...]  # x1, y1, x2, y2
    racks: tuple[Four, ...]  # x, y, width, height
    place: Spot | None
    robot: Spot | None


def mini_map(view: TaskView, world: World) -> MiniMap | None:
    """None where the world draws no walls or nobody is to go anywhere."""
    if not world.walls or view.place is None:
        return None
    plan = floor_plan(world)
    near = view.robot
    pose = world.pose_for(near.robot if near else "", view.place)
    robot = None
    if near is not None and near.x_m is not None and near.y_m is not None:
        robot = (near.x_m, -near.y_m)
    xs = [x for wall in plan.walls for x in wall[::2]]
    ys = [-y for wall in plan.walls for y in wall[1::2]]
    left, top = min(xs) - MARGIN_M, min(ys) - MARGIN_M
    width, height = max(xs) + MARGIN_M - left, max(ys) + MARGIN_M - top
    return MiniMap(
        f"{left:g} {top:g} {width:g} {height:g}",
        tuple((x1, -y1, x2, -y2) for x1, y1, x2, y2 in plan.walls),
        tuple((x, -(y + h), w, h) for x, y, w, h in plan.racks),
        None if pose is None else (pose.x_m, -pose.y_m),
        robot,
    )
