"""The graph of components, drawn from what a running plant really calls.

Every call of one component by another is an edge with the name of what was called; a
command to a robot is one too. Nothing here is written down by hand but which module
belongs to which component, so the graph cannot be older than the code.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

MANAGEMENT = "Warehouse management"
ROADS = "Roadmap generator"
GENERATOR = "Package generator"
STORAGE = "Storage management"
PLANNER = "Task planner"
AGENTS = "Agents"
CHARGING = "Charging station management"
TRAFFIC = "Traffic"
SIMULATION = "Simulation"

HOMES = {
    "fleet.virtual.warehouse": MANAGEMENT,
    "fleet.roads": ROADS,
    "fleet.virtual.generator": GENERATOR,
    "fleet.storage": STORAGE,
    "fleet.dispatch.bids": AGENTS,  # each robot answers for itself
    "fleet.dispatch": PLANNER,
    "fleet.tasks": PLANNER,
    "fleet.vehicles": AGENTS,
    "fleet.charging": CHARGING,
    "fleet.traffic": TRAFFIC,
    "fleet.virtual": SIMULATION,
}
"""Modules of components; what is missing, as ``fleet.fleet``, only passes calls on."""
DEMAND, HANDS_ON = "Trial.demand", "Trial.tell"
"""The first is called with what the generator wants; the other one passes events on."""
OBEY = "Plant.obey"
"""Takes the commands for robots."""
INSIDE = ("_", "<")


class Graph:
    """Who calls what of whom, and how often."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str, str]] = Counter()

    def edges(self) -> set[tuple[str, str]]:
        return {(caller, called) for caller, called, _ in self.calls}

    def services(self, caller: str, called: str) -> set[str]:
        return {name for a, b, name in self.calls if (a, b) == (caller, called)}

    def mermaid(self) -> str:
        """Text for a picture: an arrow for each pair of components."""
        names = sorted({name for edge in self.edges() for name in edge})
        ids = {name: f"c{number}" for number, name in enumerate(names)}
        lines = ["graph LR", *(f'  {ids[name]}["{name}"]' for name in names)]
        for caller, called in sorted(self.edges()):
            told = ", ".join(sorted(self.services(caller, called)))
            lines.append(f'  {ids[caller]} -- "{told}" --> {ids[called]}')
        return "\n".join(lines) + "\n"


@contextmanager
def observed() -> Iterator[Graph]:
    """All calls that this thread makes inside the block."""
    graph = Graph()

    def look(frame: FrameType, what: str, argument: Any) -> None:
        if what != "call":
            return
        called = _component(frame)
        if called is None:
            return
        name = frame.f_code.co_name
        if frame.f_code.co_qualname == OBEY:
            for command in frame.f_locals["commands"]:
                graph.calls[AGENTS, called, type(command).__name__] += 1
        caller = _caller(frame)
        if caller not in (None, called) and not name.startswith(INSIDE):
            graph.calls[str(caller), called, name] += 1

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield graph
    finally:
        sys.setprofile(before)


def _caller(frame: FrameType) -> str | None:
    back = frame.f_back
    while back is not None:
        found = _component(back)
        if found is not None:
            return found
        back = back.f_back
    return None


def _component(frame: FrameType) -> str | None:
    if frame.f_code.co_qualname == DEMAND:
        return GENERATOR
    if frame.f_code.co_qualname == HANDS_ON:
        return None
    module = str(frame.f_globals.get("__name__", ""))
    while module:
        if module in HOMES:
            return HOMES[module]
        module = module.rpartition(".")[0]
    return None
