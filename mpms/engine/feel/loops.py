"""``for``, ``some``, ``every`` and filters: whatever evaluates a part once an item."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from ..expressions.bounds import MAX_VALUES
from ..expressions.faults import Exceeded, Fault
from .comparing import order
from .far import days_of
from .nodes import Node, whole_number
from .temporal import later
from .values import Env, Frame, Range, lift, shown


@dataclass(frozen=True, slots=True)
class Iteration:
    """``name in items`` or ``name in low..high``."""

    name: str
    position: int
    items: Node
    until: Node | None = None

    def values(self, env: Env) -> Iterator[Any]:
        first = self.items.run(env)
        try:
            if self.until is not None:
                yield from _counted(env.frame, first, self.until.run(env))
            else:
                yield from _each(env.frame, first)
        except Fault as fault:
            raise fault.at(self.position) from None


def span(position: int, low: Node, high: Node) -> Node:
    """``low..high`` as a list, where an expression stands for what is gone through."""
    items = Iteration("", position, low, high)
    return Node(lambda env: list(items.values(env)))


def _each(frame: Frame, value: Any) -> Iterator[Any]:
    if value is None:
        raise Fault("iterates over null")
    if isinstance(value, Range):
        low, high = value.low, value.high
        if low is None or high is None:
            raise Fault("iterates over a range without an end")
        is_empty = order(low, high) == 1
        if frame.standard and is_empty:
            raise Fault("iterates over a range that ends before it begins")
        inner = iter(()) if is_empty else _counted(frame, low, high)
        for at in inner:
            skipped = (not value.low_included and order(at, low) == 0) or (
                not value.high_included and order(at, high) == 0
            )
            if not skipped:
                yield at
        return
    for item in value if isinstance(value, list) else [value]:
        frame.spend()
        yield lift(item)


def _counted(frame: Frame, low: Any, high: Any) -> Iterator[Any]:
    """Up or down, both ends included."""
    if isinstance(low, date) and not isinstance(low, datetime):
        if not isinstance(high, date) or isinstance(high, datetime):
            raise Fault(f"iterates from {shown(low)} to {shown(high)}")
        days = days_of(high) - days_of(low)
        step = 1 if days >= 0 else -1
        for offset in range(abs(days) + 1):
            frame.spend()
            yield later(low, timedelta(days=offset * step))
        return
    begin, end = whole_number(low), whole_number(high)
    if begin is None or end is None:
        raise Fault(f"iterates from {shown(low)} to {shown(high)}")
    step = 1 if begin <= end else -1
    for number in range(begin, end + step, step):
        frame.spend()
        yield Decimal(number)


def _bindings(iterators: Sequence[Iteration], env: Env) -> Iterator[Env]:
    """Every combination, the last iterator fastest; later ones see earlier names."""
    first, *rest = iterators
    for value in first.values(env):
        inner = Env(env.frame, {first.name: value}, env)
        if rest:
            yield from _bindings(rest, inner)
        else:
            yield inner


def repeated(iterators: Sequence[Iteration], body: Node, names_partial: bool) -> Node:
    def run(env: Env) -> Any:
        try:
            return collected(env)
        except Fault as fault:
            return env.frame.answer(fault)

    def collected(env: Env) -> list[Any]:
        frame = env.frame
        results: list[Any] = []
        for inner in _bindings(iterators, env):
            frame.spend()
            if len(results) >= MAX_VALUES:
                raise Exceeded(f"makes a list of more than {MAX_VALUES} values")
            if names_partial:
                frame.spend(len(results))
                inner = Env(frame, {"partial": list(results)}, inner)
            results.append(body.run(inner))
        return results

    return Node(run)


def quantified(
    position: int,
    word: str,
    iterators: Sequence[Iteration],
    body: Node,
    *,
    strictly: bool = False,
) -> Node:
    """``strictly``: one answer that is neither true nor false spoils the whole."""
    decisive = word == "some"

    def run(env: Env) -> Any:
        try:
            return evaluated(env)
        except Fault as fault:
            return env.frame.answer(fault)

    def evaluated(env: Env) -> Any:
        answer: bool | None = not decisive
        for inner in _bindings(iterators, env):
            value = body.run(inner)
            env.frame.spend()
            if value is decisive:
                return decisive
            if value is None:
                answer = None
            elif not isinstance(value, bool):
                cause = f"needs true or false after 'satisfies', not {shown(value)}"
                fault = Fault(cause, position)
                if strictly:
                    raise fault
                answer = env.frame.answer(fault)
        return answer

    return Node(run, "boolean")


def filtered(
    position: int, base: Node, condition: Node, *, strictly: bool = False
) -> Node:
    """``list[3]``, ``list[-1]`` or ``list[item > 3]``; a single value is a list of one.

    Whether a name or a call means a number or a truth is known from the first item.
    ``strictly``: a condition that is neither true nor false spoils the whole.
    """

    def run(env: Env) -> Any:
        value = base.run(env)
        env.frame.spend()
        if value is None:
            return None
        rows = value if isinstance(value, list) else [value]
        try:
            if condition.kind == "number":
                return _at(rows, condition.run(env))
            if not rows:
                return _of_nothing(condition, env)
            return _chosen(rows, condition, env, strictly)
        except Fault as fault:
            return env.frame.answer(fault, position)

    return Node(run)


def _chosen(rows: list[Any], condition: Node, env: Env, strictly: bool) -> Any:
    kept: list[Any] = []
    for index, row in enumerate(rows):
        env.frame.spend()
        item = lift(row)
        inner = Env(env.frame, {"item": item}, env, rows)
        if isinstance(item, dict):
            inner = Env(env.frame, item, inner)
        answer = condition.run(inner)
        if answer is True:
            kept.append(item)
        elif index == 0 and type(answer) is Decimal:
            return _at(rows, answer)
        elif answer is not None and answer is not False:
            fault = Fault(f"filters by {shown(answer)}, which is not true or false")
            if strictly:
                raise fault
            env.frame.answer(fault)
    return kept


def _of_nothing(condition: Node, env: Env) -> Any:
    """An empty list: null if the condition is an index, else nothing of nothing."""
    if condition.kind == "boolean":
        return []
    try:
        return None if type(condition.run(env)) is Decimal else []
    except Fault:
        return []


def _at(rows: list[Any], number: Any) -> Any:
    index = whole_number(number)
    if index is None:
        raise Fault(f"needs a number as index, not {shown(number)}")
    if index == 0 or abs(index) > len(rows):
        return None
    return lift(rows[index - 1 if index > 0 else index])
