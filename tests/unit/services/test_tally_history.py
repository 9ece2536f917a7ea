"""Counting the history takes short portions of a worker's time, however long it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from mpms.services.history.tally import AT_A_TIME_S, EVERY_S, TallyHistory


@dataclass
class SlowHistory:
    """So many lines to count, each of which takes a while; also the clock."""

    lines: int
    line_s: float
    now_s: float = 0.0
    portions: list[int] = field(default_factory=list)

    @contextmanager
    def uow(self) -> Iterator[Any]:
        self.tallies = self
        yield self

    def follow(self, limit: int) -> bool:
        done = min(limit, self.lines)
        self.lines -= done
        self.now_s += done * self.line_s
        self.portions.append(done)
        return done > 0


def phase(history: SlowHistory) -> TallyHistory:
    return TallyHistory(history.uow, lambda: history.now_s)


def test_a_long_history_is_counted_in_portions_that_hold_up_nobody() -> None:
    history = SlowHistory(lines=20_000, line_s=0.0002)
    tally = phase(history)
    while tally():
        pass
    assert sum(history.portions) == 20_000
    assert max(history.portions) * history.line_s <= 2 * AT_A_TIME_S + 0.0002


def test_where_lines_are_counted_quickly_the_portions_grow() -> None:
    history = SlowHistory(lines=50_000, line_s=0.000001)
    tally = phase(history)
    while tally():
        pass
    assert sum(history.portions) == 50_000
    assert len(history.portions) < 20


def test_when_all_is_counted_it_rests() -> None:
    history = SlowHistory(lines=0, line_s=0.0)
    tally = phase(history)
    assert [tally(), tally()] == [False, False]
    assert len(history.portions) == 1
    history.now_s += EVERY_S
    tally()
    assert len(history.portions) == 2
