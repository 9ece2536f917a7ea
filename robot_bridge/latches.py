"""Asks again for what a topic should have said once and did not.

A pose or an emergency stop is often latched: said once on subscription, then not
before something changes. If that one message is lost, a standing robot stays silent
for ever. A new subscription makes the latch speak again; where nothing is latched it
changes nothing. The pauses grow, since a topic may be silent because it is not there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

FIRST_S = 2.0
LONGEST_S = 30.0


@dataclass(slots=True)
class Latches:
    topics: frozenset[str]
    unheard: set[str] = field(default_factory=set)
    due_at: float = 0.0
    pause_s: float = FIRST_S

    def opened(self, now_s: float) -> None:
        self.unheard = set(self.topics)
        self.pause_s = FIRST_S
        self.due_at = now_s + FIRST_S

    def closed(self) -> None:
        self.unheard.clear()

    def heard(self, *topics: str) -> None:
        self.unheard.difference_update(topics)

    def ask_again(self, now_s: float) -> list[str]:
        """Topics to subscribe anew now."""
        if not self.unheard or now_s < self.due_at:
            return []
        self.pause_s = min(2 * self.pause_s, LONGEST_S)
        self.due_at = now_s + self.pause_s
        return sorted(self.unheard)
