"""Where a robot is: wheels, lasers on a map, recovery, and building the map."""

from shopfloor.localisation.amcl import Amcl, Tuning
from shopfloor.localisation.errors import (
    LocalisationRefused,
    NothingFree,
    TimeWentBackwards,
    UnusableBase,
    UnusableMapFrame,
    UnusableOdometry,
    UnusableStart,
    UnusableTicks,
    UnusableTime,
)
from shopfloor.localisation.estimate import (
    BLIND,
    LOST,
    TRACKING,
    UNCERTAIN,
    Estimate,
    KnownPose,
    Localiser,
    Status,
)
from shopfloor.localisation.field import explained_beams, quality
from shopfloor.localisation.jumps import JumpRules, SupportedPose
from shopfloor.localisation.mapping import MapBuilder
from shopfloor.localisation.odometry import (
    Base,
    DifferentialBase,
    Drift,
    Encoders,
    MecanumBase,
    WheelOdometry,
)
from shopfloor.localisation.recovery import Hypothesis, relocalise
from shopfloor.localisation.warming import warm_up

__all__ = [
    "BLIND",
    "LOST",
    "TRACKING",
    "UNCERTAIN",
    "Amcl",
    "Base",
    "DifferentialBase",
    "Drift",
    "Encoders",
    "Estimate",
    "Hypothesis",
    "JumpRules",
    "KnownPose",
    "LocalisationRefused",
    "Localiser",
    "MapBuilder",
    "MecanumBase",
    "NothingFree",
    "Status",
    "SupportedPose",
    "TimeWentBackwards",
    "Tuning",
    "UnusableBase",
    "UnusableMapFrame",
    "UnusableOdometry",
    "UnusableStart",
    "UnusableTicks",
    "UnusableTime",
    "WheelOdometry",
    "explained_beams",
    "quality",
    "relocalise",
    "warm_up",
]
