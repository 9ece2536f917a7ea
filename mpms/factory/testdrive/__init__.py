"""The factory in virtual time: its own handlers over rows in memory, virtual robots."""
