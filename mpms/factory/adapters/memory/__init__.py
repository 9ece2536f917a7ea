"""The plant in memory: a clock, robots, a scale and a mailbox without hardware.

They stand behind the same ports as the real ones, for tests and the demo. There is
no database in memory: PostgreSQL starts in a second, and a second database would be
a second truth. ``rows`` is for test-drives alone, which keep nothing (ADR 86).
"""

from mpms.adapters.clock import FixedClock, SystemClock
from mpms.factory.adapters.memory.intake import MemoryIntake
from mpms.factory.adapters.memory.robots import LoopbackRobots
from mpms.factory.adapters.memory.scale import LoopbackScale

__all__ = [
    "FixedClock",
    "LoopbackRobots",
    "LoopbackScale",
    "MemoryIntake",
    "SystemClock",
]
