"""Where tags are, from ranges to anchors: people on foot and robots alike."""

from shopfloor.tracking.anchors import Anchor
from shopfloor.tracking.calibration import Calibration, KnownRange, Link, calibrate
from shopfloor.tracking.errors import (
    CalibrationRefused,
    DuplicateAnchor,
    RangeFileRefused,
    TimeWentBackwards,
    TooFewAnchors,
    TrackingRefused,
    UnknownAnchor,
    UnusableOdometry,
    UnusableRange,
    UnusableTime,
    WrongMotionModel,
)
from shopfloor.tracking.estimate import Bounds, Estimate, Tuning
from shopfloor.tracking.motion import Driving, Walking
from shopfloor.tracking.plain import PlainEkf
from shopfloor.tracking.ranges import Range, RangeNoise, RangeSource
from shopfloor.tracking.systematic import Learnt
from shopfloor.tracking.tracker import TagTracker

__all__ = [
    "Anchor",
    "Bounds",
    "Calibration",
    "CalibrationRefused",
    "Driving",
    "DuplicateAnchor",
    "Estimate",
    "KnownRange",
    "Learnt",
    "Link",
    "PlainEkf",
    "Range",
    "RangeFileRefused",
    "RangeNoise",
    "RangeSource",
    "TagTracker",
    "TimeWentBackwards",
    "TooFewAnchors",
    "TrackingRefused",
    "Tuning",
    "UnknownAnchor",
    "UnusableOdometry",
    "UnusableRange",
    "UnusableTime",
    "Walking",
    "WrongMotionModel",
    "calibrate",
]
