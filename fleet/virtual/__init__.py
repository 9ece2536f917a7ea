"""A plant in memory with its own clock, for trials faster than real time."""

from fleet.virtual.generator import Generator
from fleet.virtual.plant import Plant, VirtualRobot
from fleet.virtual.trial import Trial

__all__ = ["Generator", "Plant", "Trial", "VirtualRobot"]
