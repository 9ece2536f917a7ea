"""Why a laser, a scan or a pose to look from is refused, one class per cause."""


class LaserRefused(ValueError):
    """Something about a laser or what it saw is unusable; the message says what."""


class UnusableScan(LaserRefused):
    """Ranges or angles that no laser can have measured."""


class UnusablePose(LaserRefused):
    """A pose that is not a place, or is not on the map."""


class UnusableLaser(LaserRefused):
    """A laser that cannot exist: no beams, no reach, noise below zero."""


class UnusableShapes(LaserRefused):
    """Segments or discs that are not finite rows of the right length."""
