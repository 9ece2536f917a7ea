"""Functions on lists. What goes into a result is lifted when it is taken out again."""

from functools import cmp_to_key
from typing import Any

from ...expressions.bounds import MAX_DEPTH
from ...expressions.faults import Fault
from ..calls import builtin, invoke
from ..comparing import equal, order
from ..nodes import whole_number
from ..values import Frame, Function, lift, shown

Items = list[Any]


@builtin("list contains(list: list, element!)")
def list_contains(frame: Frame, items: Items, element: Any) -> bool:
    return any(equal(frame, lift(item), element) is True for item in items)


@builtin("count(list: list)")
def count(frame: Frame, items: Items) -> Any:
    return lift(len(items))


@builtin("is empty(list: list)")
def is_empty(frame: Frame, items: Items) -> bool:
    return not items


def _position(
    frame: Frame, items: Items, position: Any, function: str, spare: int = 0
) -> int:
    at = whole_number(position, frame) or 0
    if at == 0 or abs(at) > len(items) + (spare if at > 0 else 0):
        raise Fault(f"asks {function}() for the position {at} among {len(items)}")
    return at - 1 if at > 0 else len(items) + at


@builtin("sublist(list: list, start position: number, length?!: number)")
def sublist(frame: Frame, items: Items, position: Any, length: Any = None) -> Items:
    start = _position(frame, items, position, "sublist")
    size = len(items) - start if length is None else whole_number(length, frame) or 0
    if not 0 <= size <= len(items) - start:
        raise Fault(f"asks sublist() for {size} items of {len(items) - start}")
    frame.spend_on_items(size)
    return items[start : start + size]


@builtin("append(list: list, item!...)")
def append(frame: Frame, items: Items, added: Items) -> Items:
    frame.spend_on_items(len(items) + len(added))
    return items + added


@builtin("concatenate(list...: list)")
def concatenate(frame: Frame, lists: list[Items]) -> Items:
    made: Items = []
    for items in lists:
        frame.spend_on_items(len(made) + len(items or ()))
        if items is None:
            raise Fault("concatenates null")
        made = made + items
    return made


@builtin("insert before(list: list, position: number, newItem!)")
def insert_before(frame: Frame, items: Items, position: Any, item: Any) -> Items:
    at = _position(frame, items, position, "insert before", spare=1)
    frame.spend_on_items(len(items) + 1)
    return [*items[:at], item, *items[at:]]


@builtin("remove(list: list, position: number)")
def remove(frame: Frame, items: Items, position: Any) -> Items:
    at = _position(frame, items, position, "remove")
    frame.spend_on_items(len(items))
    return items[:at] + items[at + 1 :]


@builtin(
    "list replace(list: list, position: number|function, newItem!)",
    "list replace(list: list, match: function, newItem!)",
)
def list_replace(frame: Frame, items: Items, place: Any, item: Any) -> Items:
    frame.spend_on_items(len(items))
    if isinstance(place, Function):
        made = []
        for old in items:
            answer = invoke(frame, place, [lift(old), item])
            if not isinstance(answer, bool):
                raise Fault(f"replaces by {shown(answer)}, which is not true or false")
            made.append(item if answer else old)
        return made
    at = _position(frame, items, place, "list replace")
    return [*items[:at], item, *items[at + 1 :]]


@builtin("reverse(list: list)")
def reverse(frame: Frame, items: Items) -> Items:
    frame.spend_on_items(len(items))
    return items[::-1]


@builtin("index of(list: list, match!)")
def index_of(frame: Frame, items: Items, match: Any) -> Items:
    return [
        lift(index)
        for index, item in enumerate(items, start=1)
        if equal(frame, lift(item), match) is True
    ]


def _distinct(frame: Frame, items: Items) -> Items:
    kept: Items = []
    for item in items:
        value = lift(item)
        if not any(equal(frame, value, other) is True for other in kept):
            kept.append(value)
    return kept


@builtin("distinct values(list: list)")
def distinct_values(frame: Frame, items: Items) -> Items:
    return _distinct(frame, items)


@builtin("duplicate values(list: list)")
def duplicate_values(frame: Frame, items: Items) -> Items:
    return [
        value
        for value in _distinct(frame, items)
        if len(index_of(frame, items, value)) > 1
    ]


@builtin("union(list...: list)")
def union(frame: Frame, lists: list[Items]) -> Items:
    return _distinct(frame, concatenate(frame, lists))


@builtin("flatten(list: list)")
def flatten(frame: Frame, items: Items) -> Items:
    made: Items = []

    def walk(level: Items, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise Fault(f"flattens a list of more than {MAX_DEPTH} levels")
        for item in level:
            frame.spend()
            if isinstance(item, list):
                walk(item, depth + 1)
            else:
                made.append(item)

    walk(items, 0)
    return made


@builtin("partition(list: list, size: number)")
def partition(frame: Frame, items: Items, size: Any) -> list[Items]:
    width = whole_number(size, frame) or 0
    if width < 1:
        raise Fault(f"cuts a list into parts of {width}")
    frame.spend_on_items(len(items))
    return [items[at : at + width] for at in range(0, len(items), width)]


@builtin("sort(list: list, precedes?!: function)")
def sort(frame: Frame, items: Items, precedes: Function | None = None) -> Items:
    def before(left: Any, right: Any) -> bool:
        frame.spend()
        if precedes is None:
            found = order(left, right, frame)
            if found is None:
                raise Fault("sorts a list with null in it")
            return found < 0
        answer = invoke(frame, precedes, [left, right])
        if not isinstance(answer, bool):
            raise Fault(f"sorts by {shown(answer)}, which is not true or false")
        return answer

    def compare(left: Any, right: Any) -> int:
        return -1 if before(left, right) else 1 if before(right, left) else 0

    frame.spend_on_items(len(items))
    return sorted((lift(item) for item in items), key=cmp_to_key(compare))
