"""How long a round of dispatch takes, and what each strategy costs in driving."""

from __future__ import annotations

import random
import statistics
import time
from dataclasses import replace

from bench.fleet_parts.bids import bidders_of, floor, tasks_of
from bench.fleet_parts.floors import warehouse
from fleet.dispatch import STRATEGIES, Bids, Round
from fleet.dispatch.phases import window_of


def measure() -> dict[str, float]:
    """``dispatch_ms_100_robots_1000_tasks``: the default strategy, median of 5."""
    world = warehouse(120.0, 70.0, robots=100, per_rack=3)
    bids = floor(world)
    figures = {
        "dispatch_ms_100_robots_1000_tasks": _round_ms(bids, "regret"),
        "dispatch_ms_bid": _round_ms(bids, "bid"),
    }
    for name in STRATEGIES:
        figures[f"dispatch_mean_finish_s_{name}"] = _mean_finish_s(bids, name)
    return figures


def _round_ms(bids: Bids, strategy: str) -> float:
    times_ms = []
    for seed in range(5):
        draw = random.Random(seed)
        bidders = bidders_of(bids.world, draw)
        tasks = tasks_of(bids.world, 1000, draw)
        start = time.process_time()
        chosen = window_of(tasks, sum(b.room for b in bidders))
        decisions = STRATEGIES[strategy](Round(bids, bidders, chosen))
        times_ms.append((time.process_time() - start) * 1000)
        assert len(decisions) == len(bidders)
    return round(statistics.median(times_ms), 1)


def _mean_finish_s(bids: Bids, strategy: str) -> float:
    """20 robots, 40 tasks, two for each: when is a task finished on average?"""
    finishes = []
    for seed in range(5):
        draw = random.Random(100 + seed)
        bidders = [replace(b, room=2) for b in bidders_of(bids.world, draw)[:20]]
        tasks = tasks_of(bids.world, 40, draw)
        for task in tasks:
            task.package_type = "box"  # all robots can carry it
        decisions = STRATEGIES[strategy](Round(bids, bidders, tasks))
        finishes += [d.bid.finish_at for d in decisions if d.bid is not None]
        assert len(decisions) == 40
    return round(statistics.mean(finishes), 1)
