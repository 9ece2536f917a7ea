"""Choose the robot for a transport, and say why.

Among those able to carry the load and fit to drive, the one that arrives first
wins; a low battery counts as lost time, because that robot will have to charge
soon. The reasons go into the history, so that a supervisor can see why robot 2 went
and not robot 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MINIMUM_BATTERY = 0.15
LOW_BATTERY = 0.35
LOW_BATTERY_PENALTY_S = 120.0
UNKNOWN_DISTANCE_M = 50.0


@dataclass(frozen=True)
class Candidate:
    """A robot as the choice sees it; ``why_not`` rules it out."""

    id: str
    distance_m: float | None
    speed_mps: float
    payload_kg: float
    battery: float | None  # 0..1, None: unknown
    why_not: str | None = None


@dataclass(frozen=True)
class Choice:
    """Who goes, and why the others do not.

    ``may_change`` is False when waiting cannot help: there is no robot at all, or
    none is built for the load.
    """

    chosen: str | None
    reasons: tuple[str, ...]
    may_change: bool = True


def choose(candidates: Iterable[Candidate], *, load_kg: float = 0.0) -> Choice:
    """Pick the robot with the least time to arrive; ties go to the lower id."""
    candidates = list(candidates)
    reasons: list[str] = []
    fit: list[tuple[float, Candidate]] = []
    for candidate in sorted(candidates, key=lambda c: c.id):
        refusal = _refusal(candidate, load_kg)
        if refusal:
            reasons.append(f"{candidate.id}: {refusal}")
        else:
            fit.append((_cost_s(candidate), candidate))
    if not fit:
        able = any(c.payload_kg >= load_kg for c in candidates)
        return Choice(None, tuple(reasons) or ("there is no robot",), may_change=able)
    fit.sort(key=lambda pair: (pair[0], pair[1].id))
    best_s, best = fit[0]
    told = [f"{best.id}: arrives first, in about {best_s:.0f} s"]
    told += [f"{c.id}: would need about {cost_s:.0f} s" for cost_s, c in fit[1:]]
    return Choice(best.id, tuple(told + reasons))


def _refusal(candidate: Candidate, load_kg: float) -> str | None:
    if load_kg > candidate.payload_kg:
        return f"carries {candidate.payload_kg:g} kg, not {load_kg:g} kg"
    if candidate.why_not:
        return candidate.why_not
    if candidate.battery is not None and candidate.battery < MINIMUM_BATTERY:
        return f"battery at {candidate.battery:.0%}"
    if candidate.speed_mps <= 0:
        return "cannot drive"
    return None


def _cost_s(candidate: Candidate) -> float:
    distance_m = (
        UNKNOWN_DISTANCE_M if candidate.distance_m is None else candidate.distance_m
    )
    penalty_s = 0.0
    if candidate.battery is not None and candidate.battery < LOW_BATTERY:
        penalty_s = LOW_BATTERY_PENALTY_S
    return distance_m / candidate.speed_mps + penalty_s
