"""Why control refuses what it is given, one class per cause."""


class ControlRefused(ValueError):
    """Something no robot can be driven by; the message says what."""


class LimitsRefused(ControlRefused):
    """Speeds, accelerations or sizes that no robot has."""


class PayloadRefused(ControlRefused):
    """A load below zero, not a number, or above what the robot carries."""


class ThresholdsRefused(ControlRefused):
    """Distances of the emergency stop that contradict each other."""


class PathRefused(ControlRefused):
    """A path that is not rows of finite points."""
