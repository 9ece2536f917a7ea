"""The rows that an instance needs to move, in memory, for test-drives.

Not a second database: nothing here is kept, shared or rolled back. A test-drive runs
one thread through one transaction that never ends (ADR 86).
"""

from mpms.adapters.memory.store import MemoryStore

__all__ = ["MemoryStore"]
