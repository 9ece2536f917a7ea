"""Grid traffic: many robots on cells, planned together, never two in one cell.

What is named here is loaded when it is used: it needs NumPy and Numba, which a server
that drives no grid robots does without. ``kinematics`` needs neither.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fleet.grid.errors import ExtraMissing

if TYPE_CHECKING:
    from fleet.grid.floor import Floor
    from fleet.grid.problem import Problem, Solution, improved, solve
    from fleet.grid.traffic import GridTraffic

__all__ = ["Floor", "GridTraffic", "Problem", "Solution", "improved", "solve"]

NEEDED = ("numpy", "numba")
HOMES = {
    "Floor": "fleet.grid.floor",
    "GridTraffic": "fleet.grid.traffic",
    "Problem": "fleet.grid.problem",
    "Solution": "fleet.grid.problem",
    "improved": "fleet.grid.problem",
    "solve": "fleet.grid.problem",
}


def can_be_used() -> bool:
    """Are the libraries there that grid traffic needs?"""
    return all(_there(package) for package in NEEDED)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if not can_be_used():
        missing = [package for package in NEEDED if not _there(package)]
        raise ExtraMissing(
            f"grid traffic needs {' and '.join(missing)};"
            " install with: pip install 'mpms[sim]'"
        )
    return getattr(import_module(HOMES[name]), name)


def _there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # blocked on purpose
        return False
