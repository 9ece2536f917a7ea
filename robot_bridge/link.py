"""How far a robot can be trusted to hear us, from pings and data freshness.

An open socket is no sign of health: a frozen peer keeps it open for ever. So what
arrives decides the link's state: the answer to ``/rosapi/get_time`` and the topics
that the profile says must never be silent. Only receive times of our own clock
are compared; the robot's clock may be wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from robot_bridge.profiles import Limits
from robot_bridge.reasons import LOST
from robot_bridge.reports import LinkState

STALE_AFTER_LIMITS = 3.0
UNHEARD = "nothing is heard from it"


@dataclass(slots=True)
class LinkWatch:
    limits: Limits
    fresh_s: dict[str, float]
    pings: bool
    opened_at: float | None = None
    closed_reason: str = "not connected yet"
    seen_at: dict[str, float] = field(default_factory=dict)
    ping_sent_at: float | None = None
    ping_open: bool = False
    pong_at: float | None = None
    round_trip_s: float | None = None
    clock_offset_s: float | None = None

    def open(self, now_s: float) -> None:
        self.opened_at = now_s
        self.seen_at.clear()
        self.ping_sent_at = None
        self.ping_open = False
        self.pong_at = None

    def listens(self, now_s: float) -> None:
        """Silence of a topic counts from here."""
        self.opened_at = now_s

    def close(self, reason: str) -> None:
        self.opened_at = None
        self.closed_reason = reason or LOST
        self.ping_open = False

    @property
    def is_open(self) -> bool:
        return self.opened_at is not None

    def saw(self, topic: str, now_s: float) -> None:
        if topic in self.fresh_s:
            self.seen_at[topic] = now_s

    def ping_due(self, now_s: float) -> bool:
        if not self.pings or self.opened_at is None:
            return False
        if self.ping_sent_at is None:
            return True
        age_s = now_s - self.ping_sent_at
        if self.ping_open:
            return age_s >= self.limits.ping_timeout_s
        # An answer that waited in a frozen peer says nothing about now.
        slow = (self.round_trip_s or 0.0) > self.limits.slow_ping_s
        return slow or age_s >= self.limits.ping_s

    def pinged(self, now_s: float) -> None:
        self.ping_sent_at = now_s
        self.ping_open = True

    def ponged(self, now_s: float, robot_time_s: float | None) -> None:
        if self.ping_sent_at is None:
            return
        self.ping_open = False
        self.pong_at = now_s
        self.round_trip_s = now_s - self.ping_sent_at
        if robot_time_s is not None:
            middle = (now_s + self.ping_sent_at) / 2
            self.clock_offset_s = robot_time_s - middle

    def state(self, now_s: float) -> tuple[LinkState, str]:
        if self.opened_at is None:
            return LinkState.DOWN, self.closed_reason
        late: str = ""
        ages_s = {
            topic: now_s - self.seen_at.get(topic, self.opened_at)
            for topic in self.fresh_s
        }
        silent = [t for t, limit_s in self.fresh_s.items() if ages_s[t] > limit_s]
        for topic, limit_s in self.fresh_s.items():
            if ages_s[topic] > limit_s * STALE_AFTER_LIMITS:
                if len(silent) == len(self.fresh_s):
                    return LinkState.STALE, UNHEARD
                return LinkState.STALE, f"nothing comes on {topic}"
            if topic in silent or topic not in self.seen_at:
                late = late or f"{topic} is late"
        if self.pings:
            heard_at = self.pong_at if self.pong_at is not None else self.opened_at
            silent_s = now_s - heard_at
            allowed_s = self.limits.ping_s + self.limits.ping_timeout_s
            if silent_s > 2 * allowed_s:
                return LinkState.STALE, f"no answer for {silent_s:.1f} s"
            if self.pong_at is None:
                late = late or "no answer yet"
            elif silent_s > allowed_s:
                late = late or f"no answer for {silent_s:.1f} s"
            elif (self.round_trip_s or 0.0) > self.limits.slow_ping_s:
                late = late or f"answers take {self.round_trip_s:.1f} s"
        return (LinkState.DEGRADED, late) if late else (LinkState.UP, "")
