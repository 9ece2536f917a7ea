"""How long it takes to make the roads of a large warehouse."""

from __future__ import annotations

import time

from bench.fleet_parts.floors import TUG, warehouse
from fleet.roads import make_roadmap


def measure() -> dict[str, float]:
    """``roadmap_s_200x100_m``: processor time for one type of robot."""
    world = warehouse(200.0, 100.0, robots=50, per_rack=3)
    start = time.process_time()
    roadmap = make_roadmap(world, TUG)
    taken_s = time.process_time() - start
    assert not roadmap.unreached
    start = time.process_time()
    for name in roadmap.names[:20]:
        roadmap.times_from(name)
    row_s = (time.process_time() - start) / 20
    return {
        "roadmap_s_200x100_m": round(taken_s, 2),
        "roadmap_places": len(roadmap.names),
        "roadmap_nodes": len(roadmap.nodes),
        "roadmap_edges": len(roadmap.edges),
        "roadmap_times_from_a_place_ms": round(row_s * 1000, 1),
    }
