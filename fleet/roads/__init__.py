"""Roads: where each type of robot can drive, and how long it takes."""

from fleet.roads.make import make_roadmap, make_roadmaps, unreached_places
from fleet.roads.roadmap import Edge, Roadmap

__all__ = ["Edge", "Roadmap", "make_roadmap", "make_roadmaps", "unreached_places"]
