"""Charging: who may charge where, and when a robot has to."""

from fleet.charging.energy import Energy
from fleet.charging.stations import Stations

__all__ = ["Energy", "Stations"]
