"""All configurations of a few robots on a few cells, one after the other.

Slow, complete and plain: what planners are compared with.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import product

Cell = tuple[int, int]
Configuration = tuple[Cell, ...]


def least_steps(
    lines: Sequence[str],
    starts: Sequence[Cell],
    goals: Sequence[Cell],
    *,
    rings: bool = True,
) -> int | None:
    """Until all are at their goals at once; None: that is impossible."""
    first, last = tuple(starts), tuple(goals)
    known = {first: 0}
    waiting = deque([first])
    while waiting:
        now = waiting.popleft()
        if now == last:
            return known[now]
        for new in _successors(lines, now, rings):
            if new not in known:
                known[new] = known[now] + 1
                waiting.append(new)
    return None


def _successors(
    lines: Sequence[str], now: Configuration, rings: bool
) -> Iterator[Configuration]:
    for new in product(*(_steps(lines, cell) for cell in now)):
        if len(set(new)) < len(new):
            continue
        follows = {
            a: b
            for a in range(len(now))
            for b in range(len(now))
            if a != b and new[a] == now[b]
        }
        if any(follows.get(b) == a for a, b in follows.items()):
            continue
        if not rings and any(_comes_back(follows, robot) for robot in follows):
            continue
        yield new


def _comes_back(follows: dict[int, int], robot: int) -> bool:
    at = follows.get(robot)
    for _ in follows:
        if at is None or at == robot:
            break
        at = follows.get(at)
    return at == robot


def _steps(lines: Sequence[str], cell: Cell) -> Iterator[Cell]:
    x, y = cell
    for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)):
        inside = 0 <= y + dy < len(lines) and 0 <= x + dx < len(lines[0])
        if inside and lines[y + dy][x + dx] == ".":
            yield x + dx, y + dy
