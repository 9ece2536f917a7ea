"""When which robot, tank and person works for which order."""

from mpms.factory.domain.schedule.orders import (
    Bar,
    Job,
    Leg,
    Resources,
    Robot,
    Schedule,
    Times,
)
from mpms.factory.domain.schedule.plan import lower_bound_s, make_schedule

__all__ = [
    "Bar",
    "Job",
    "Leg",
    "Resources",
    "Robot",
    "Schedule",
    "Times",
    "lower_bound_s",
    "make_schedule",
]
