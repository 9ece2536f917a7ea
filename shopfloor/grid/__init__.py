"""The map that robots plan on, read from files or made from arrays."""

from pathlib import Path

from shopfloor.grid.errors import (
    MapContentUnknown,
    MapEmpty,
    MapRefused,
    MapTooLarge,
    MapUnreadable,
    ScenarioRefused,
)
from shopfloor.grid.moving_ai import read_moving_ai, read_scenario
from shopfloor.grid.occupancy import MAX_CELLS, Grid
from shopfloor.grid.ros_map import read_ros_map

__all__ = [
    "MAX_CELLS",
    "Grid",
    "MapContentUnknown",
    "MapEmpty",
    "MapRefused",
    "MapTooLarge",
    "MapUnreadable",
    "ScenarioRefused",
    "read_map",
    "read_moving_ai",
    "read_ros_map",
    "read_scenario",
]


def read_map(path: Path) -> Grid:
    """A MovingAI ``.map`` or a ROS ``.yaml``, told apart by the name."""
    suffix = path.suffix.lower()
    if suffix == ".map":
        return read_moving_ai(path)
    if suffix in (".yaml", ".yml"):
        return read_ros_map(path)
    raise MapUnreadable(f"{path} is neither a .map nor a .yaml file")
