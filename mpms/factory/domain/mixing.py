"""The handshake with a tank: who asked for what, and what follows from its answer.

A request carries a key that stays the same over retries and crashes. The tank takes a
key once; whoever asks again with it hears what became of it and starts nothing.
Whether it may mix at all (lid, level, guard) is decided in the tank alone.
"""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass
from datetime import datetime


class TankState(enum.IntEnum):
    """As its controller counts them."""

    IDLE = 0
    ACCEPTED = 1
    RUNNING = 2
    FINISHED = 3
    FAULT = 4
    REFUSED = 5


BUSY = (TankState.ACCEPTED, TankState.RUNNING)


@dataclass(frozen=True)
class TankReading:
    """What a controller shows: of the last key that it took or refused."""

    state: TankState
    key: str
    asked: str = ""  # a key that it has not looked at yet
    temperature_c: float | None = None
    speed_rpm: float | None = None
    fault: str = ""


class Next(enum.Enum):
    ASK = "ask"
    WAIT = "wait"
    FOLLOW = "follow"
    DONE = "done"
    FAIL = "fail"


def key_of(idempotency_key: str) -> str:
    """Eight bytes as hex, which fit into four registers."""
    return hashlib.sha256(idempotency_key.encode()).hexdigest()[:16]


def what_next(reading: TankReading, key: str) -> tuple[Next, str]:
    """What to do now that the tank shows this, and a word why."""
    if reading.key == key:
        match reading.state:
            case TankState.FINISHED:
                return Next.DONE, ""
            case TankState.ACCEPTED | TankState.RUNNING:
                return Next.FOLLOW, ""
            case TankState.REFUSED:
                return Next.FAIL, reading.fault or "it refused"
            case TankState.FAULT:
                return Next.FAIL, reading.fault or "it has a fault"
            case _:
                return Next.FAIL, "it was reset at its panel before it had finished"
    if reading.state in BUSY:
        return Next.WAIT, "it mixes something else"
    if reading.state is TankState.FAULT:
        return Next.FAIL, reading.fault or "it has a fault"
    if reading.asked == key:
        return Next.WAIT, "it has not accepted yet"
    return Next.ASK, ""


@dataclass(frozen=True)
class TankRun:
    """One request, as a row: what is shown of it, and since when nothing was heard."""

    key: str
    tank: str
    order_number: str
    state: str
    why: str
    temperature_c: float | None
    speed_rpm: float | None
    asked_at: datetime
    heard_at: datetime | None

    @property
    def running(self) -> bool:
        return self.state in {"accepted", "running", "silent", "asked", "waiting"}
