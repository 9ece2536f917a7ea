"""Vehicles: the robots of a fleet, what each does, and which places they hold."""

from fleet.vehicles.claims import Claims
from fleet.vehicles.vehicle import Doing, Vehicle

__all__ = ["Claims", "Doing", "Vehicle"]
