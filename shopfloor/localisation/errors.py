"""Why a measurement cannot be used to tell where the robot is, one class per cause."""


class LocalisationRefused(ValueError):
    """Something about the input is unusable; the message says what."""


class TimeWentBackwards(LocalisationRefused):
    def __init__(self, at_s: float, last_s: float) -> None:
        super().__init__(f"a measurement of {at_s:.3f} s follows one of {last_s:.3f} s")


class UnusableTime(LocalisationRefused):
    def __init__(self, at_s: float) -> None:
        super().__init__(f"the time {at_s!r} s is not finite")


class UnusableOdometry(LocalisationRefused):
    """A pose of the wheels that is not finite, or a step that no robot can do."""


class UnusableTicks(LocalisationRefused):
    """Encoder counts that do not fit the wheels of the base."""


class UnusableBase(LocalisationRefused):
    """Wheels that cannot carry a robot: no radius, no track, no ticks."""


class UnusableStart(LocalisationRefused):
    """A first pose that is not finite or not on the map."""


class NothingFree(LocalisationRefused):
    """A map without a single cell on which a robot could stand."""


class UnusableMapFrame(LocalisationRefused):
    """An area to map without extent, resolution or a finite origin."""
