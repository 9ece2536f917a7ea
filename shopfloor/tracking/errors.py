"""Why a measurement, an anchor list or a calibration cannot be used.

Every refusal has a class of its own, so that a caller can drop a bad range, restart
after a clock jump, and still fail loudly on a wrongly configured plant.
"""


class TrackingRefused(ValueError):
    """Something about the ranges or the anchors is unusable."""


class UnknownAnchor(TrackingRefused):
    def __init__(self, anchor: str, known: list[str]) -> None:
        listed = ", ".join(known) or "none"
        super().__init__(f"there is no anchor {anchor!r}; known are {listed}")


class DuplicateAnchor(TrackingRefused):
    def __init__(self, anchor: str) -> None:
        super().__init__(f"the anchor {anchor!r} is listed twice")


class TooFewAnchors(TrackingRefused):
    def __init__(self, needed: int, given: int, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs at least {needed} anchors at different places; "
            f"there are {given}"
        )


class TimeWentBackwards(TrackingRefused):
    def __init__(self, at_s: float, last_s: float) -> None:
        super().__init__(f"a measurement of {at_s:.3f} s follows one of {last_s:.3f} s")


class UnusableRange(TrackingRefused):
    def __init__(self, anchor: str, range_m: float) -> None:
        super().__init__(
            f"the range {range_m!r} m to anchor {anchor!r} is no distance "
            "(a number from 0 to 10000 m)"
        )


class UnusableTime(TrackingRefused):
    def __init__(self, at_s: float) -> None:
        super().__init__(f"the time {at_s!r} s is not finite")


class UnusableOdometry(TrackingRefused):
    def __init__(self, values: tuple[float, ...]) -> None:
        super().__init__(f"the odometry step {values!r} is not finite")


class WrongMotionModel(TrackingRefused):
    """Odometry for a person, or any other step the motion model does not have."""


class CalibrationRefused(TrackingRefused):
    """The measurements do not determine the calibration."""


class RangeFileRefused(TrackingRefused):
    """A file of ranges or anchors that cannot be read as one."""
