"""Strategies: how the tasks of a round are divided. A new one is one function.

``bid`` is the rule of the warehouse specification: task by task, the lowest finish
wins. ``regret`` looks at several tasks at once and first settles the one that would
lose most by waiting; it is the default, since tasks are finished sooner
(``bench/fleet_parts/dispatch.py``).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from fleet.dispatch.round import Decision, Round

Strategy = Callable[[Round], list[Decision]]


def least_finish(round_: Round) -> list[Decision]:
    """The robot with the lowest estimated finish gets the next task."""
    return _one_by_one(round_, "bid", lambda n, at: at)


def least_added(round_: Round) -> list[Decision]:
    """The robot whose own work grows least; a busy one near by may get it."""
    return _one_by_one(round_, "added", lambda n, at: at - round_.bidders[n].ready_at)


def nearest(round_: Round) -> list[Decision]:
    """The robot that is soonest where the task begins."""

    def first_s(n: int, task: int) -> float:
        return round_.bids.ask(round_.bidders[n], round_.tasks[task]).first_s

    return _one_by_one(round_, "nearest", lambda n, at: at, tie=first_s)


def round_robin(round_: Round) -> list[Decision]:
    """The robot that has had the fewest tasks."""
    return _one_by_one(round_, "turns", lambda n, at: float(round_.bidders[n].turn))


def _one_by_one(
    round_: Round,
    name: str,
    score: Callable[[int, float], float],
    tie: Callable[[int, int], float] | None = None,
) -> list[Decision]:
    decisions = []
    table = round_.table()
    for index in range(len(round_.tasks)):
        column = [row[index] for row in table]
        offers = [n for n, at in enumerate(column) if at < math.inf]
        if tie is not None:
            offers.sort(key=lambda n: (tie(n, index), n))
        else:
            offers.sort(key=lambda n: (score(n, column[n]), n))
        for number in offers:
            bidder = round_.bidders[number]
            decision = round_.decide(index, bidder, column, name)
            if decision is not None:
                decisions.append(decision)
                table[number] = (
                    round_.row(bidder) if bidder.room > 0 else _nothing(round_)
                )
                break
    return decisions


def regret(round_: Round) -> list[Decision]:
    """First the task that loses most if its best robot is taken by another.

    The regret of a task is the distance of its second best finish from its best.
    """
    decisions = []
    columns = [list(column) for column in zip(*round_.table(), strict=True)]
    offers = [_Offers(column) for column in columns]
    moved: set[int] = set()  # robots whose offers have changed since
    again: set[int] = set()  # of these, who still offer
    losses = {n: each.loss(moved, again) for n, each in enumerate(offers)}
    while losses:
        most = max(losses.values())
        if most == -math.inf:
            break
        index = next(n for n, loss in losses.items() if loss == most)
        number = offers[index].best
        bidder = round_.bidders[number]
        decision = round_.decide(index, bidder, columns[index], "regret")
        if decision is None:
            columns[index][number] = math.inf
            offers[index].refused.add(number)
            losses[index] = offers[index].loss(moved, again)
            continue
        decisions.append(decision)
        del losses[index]
        moved.add(number)
        more = bidder.room > 0
        row = round_.row(bidder) if more else _nothing(round_)
        again.add(number) if more else again.discard(number)
        for other in losses:
            columns[other][number] = row[other]
            if offers[other].best == number or offers[other].second == number:
                losses[other] = offers[other].loss(moved, again)
    return decisions


class _Offers:
    """Robots in the order of their first offers for a task.

    Offers only get worse during a round, so the head of the order tells best and second
    best; only robots that have got work since are compared by their present offers.
    """

    def __init__(self, column: list[float]) -> None:
        self._column = column
        self._order = sorted(range(len(column)), key=column.__getitem__)
        self._from = 0
        self.refused: set[int] = set()
        self.best = self.second = -1

    def loss(self, moved: set[int], again: set[int]) -> float:
        """Second best minus best; -inf: nobody offers."""
        column = self._column
        gone = moved | self.refused if self.refused else moved
        while self._from < len(self._order) and self._order[self._from] in gone:
            self._from += 1
        found = []
        for place in range(self._from, len(self._order)):
            number = self._order[place]
            if number not in gone:
                found.append((column[number], number))
                if len(found) == 2:
                    break
        found += [(column[n], n) for n in again if column[n] < math.inf]
        found.sort()
        self.best = found[0][1] if found else -1
        self.second = found[1][1] if len(found) > 1 else -1
        if not found or found[0][0] == math.inf:
            return -math.inf
        second_at = found[1][0] if len(found) > 1 else math.inf
        return (second_at if second_at < math.inf else 1e9) - found[0][0]


def _nothing(round_: Round) -> list[float]:
    return [math.inf] * len(round_.tasks)


STRATEGIES: dict[str, Strategy] = {
    "bid": least_finish,
    "added": least_added,
    "nearest": nearest,
    "turns": round_robin,
    "regret": regret,
}
