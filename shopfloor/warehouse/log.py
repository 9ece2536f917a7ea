"""What a trace of a warehouse says about its robots: done, blocked, refused, how long.

A trace is written by ``shopfloor sim --trace``. Robots that are no simulation can be
measured by the same lines, if somebody keeps the messages of ``/warehouse/reports``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from shopfloor.warehouse.commands import MovX, MovY, parse_command
from shopfloor.warehouse.errors import FieldWrong, WarehouseRefused

ENDS = ("done", "blocked", "failed", "halted")


@dataclass
class Account:
    """Of one robot. Metres are those it was told to drive and did."""

    commands: int = 0
    done: int = 0
    blocked: int = 0
    failed: int = 0
    halted: int = 0
    refused: int = 0
    metres: float = 0.0
    turns: int = 0
    busy_s: float = 0.0
    reasons: dict[str, int] = field(default_factory=dict)


def analyse(lines: Iterable[str]) -> dict[str, Any]:
    """FieldWrong names a line that is none of a trace."""
    robots: dict[str, Account] = {}
    began_s: dict[str, float] = {}
    driving_m: dict[str, float] = {}
    last_s = 0.0
    for number, line in enumerate(lines, start=1):
        report = _report(number, line)
        if report is None:
            continue
        last_s = float(report["time_s"])
        account = robots.setdefault(report["kiva_id"], Account())
        name, outcome = report["kiva_id"], report["outcome"]
        if report["level"] == "low":
            if outcome == "turned":
                account.turns += 1
            elif outcome == "started":
                driving_m[name] = driving_m.get(name, 0.0) + _metres(report["command"])
            continue
        if outcome == "accepted":
            account.commands += 1
            began_s[name], driving_m[name] = last_s, 0.0
            continue
        if outcome not in (*ENDS, "refused"):
            continue
        setattr(account, outcome, getattr(account, outcome) + 1)
        if report["reason"] and outcome != "done":
            reason = report["reason"]
            account.reasons[reason] = account.reasons.get(reason, 0) + 1
        if outcome in ENDS:
            account.busy_s += last_s - began_s.pop(name, last_s)
            if outcome == "done":
                account.metres += driving_m.pop(name, 0.0)
    found = {name or "?": _rounded(robots[name]) for name in sorted(robots)}
    return {"seconds": round(last_s, 2), "robots": found}


def _rounded(account: Account) -> dict[str, Any]:
    facts = asdict(account)
    return facts | {key: round(facts[key], 2) for key in ("metres", "busy_s")}


def _report(number: int, line: str) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
        if record["event"] != "report":
            return None
        return {key: record[key] for key in KEYS}
    except (ValueError, TypeError, KeyError) as error:
        raise FieldWrong(f"line {number} is none of a trace: {error!r}") from None


KEYS = ("time_s", "level", "kiva_id", "command", "outcome", "reason")


def _metres(line: str) -> float:
    try:
        command = parse_command(line)
    except WarehouseRefused:
        return 0.0
    return abs(command.dist_m) if isinstance(command, MovX | MovY) else 0.0
