"""Work for a fleet without end: transports at any time, for trials of traffic."""

from __future__ import annotations

import random
from collections.abc import Callable

from fleet.events import Submitted
from fleet.tasks import transport_task
from fleet.virtual.trial import Trial

AT_ONCE = 8
LOOK_S = 10.0
Draw = Callable[[random.Random], tuple[str, str]]


def keep_busy(
    trial: Trial, for_s: float, draw: random.Random, ends: Draw, at_once: int = AT_ONCE
) -> int:
    """So many transports are open all the time; how many were done until now."""
    number = 0
    until = trial.now + for_s
    while trial.now < until:
        while sum(1 for t in trial.fleet.pool.open() if not t.dispensable) < at_once:
            number += 1
            task = transport_task(f"transport/{number}", *ends(draw))
            trial.tell(Submitted(task))
        trial.run(LOOK_S)
    return trial.done.get("transport", 0)


def between_halls(draw: random.Random) -> tuple[str, str]:
    """In ``narrow_corridor``: from one hall to the other."""
    a, b = draw.choice(("ab", "ba"))
    return f"{a}{draw.randrange(6)}", f"{b}{draw.randrange(6)}"


def to_tanks(draw: random.Random) -> tuple[str, str]:
    """In ``paint_factory``: from the racks to tanks and benches."""
    return draw.choice("ABCDEF"), draw.choice(
        ("tank", "tank_2", "tank_3", "dosing_1", "dosing_2")
    )
