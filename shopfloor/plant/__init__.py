"""The plant in closed loop: bodies with mass, lasers, wheels, tags, people, boxes.

Everything a robot's own software would see, stepped 40 times a second without sockets
and without a wall clock, so that hours of driving take minutes and a seed tells all.
"""

from shopfloor.plant.bodies import Body, GridBody, Hull
from shopfloor.plant.boxes import Box, NoRoomForBoxes, scatter_boxes
from shopfloor.plant.doors import Door
from shopfloor.plant.floor_map import grid_of
from shopfloor.plant.grid_pilot import GridPilot
from shopfloor.plant.lattice import Lattice, Traffic
from shopfloor.plant.missions import Leg, MissionReport, drive_mission, stops_of
from shopfloor.plant.plant import STEP_S, Plant
from shopfloor.plant.recording import Recorder, Recording, read_recording
from shopfloor.plant.robots import Localisation, PlantRobot
from shopfloor.plant.tags import TagNetwork
from shopfloor.plant.walkers import Walker

__all__ = [
    "STEP_S",
    "Body",
    "Box",
    "Door",
    "GridBody",
    "GridPilot",
    "Hull",
    "Lattice",
    "Leg",
    "Localisation",
    "MissionReport",
    "NoRoomForBoxes",
    "Plant",
    "PlantRobot",
    "Recorder",
    "Recording",
    "TagNetwork",
    "Traffic",
    "Walker",
    "drive_mission",
    "grid_of",
    "read_recording",
    "scatter_boxes",
    "stops_of",
]
