"""Methods of texts, lists and maps that models of Camunda 7 call, as Java has them.

Those only that change nothing and read no pattern. What Java answers by an exception
is an error here, too; numbers are compared by their values, where Java has many kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .bounds import Frame
from .faults import Fault, shown
from .operations import as_text, equal

Method = Callable[..., object]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Fault(f"needs a text, not {shown(value)}")
    return value


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Fault(f"needs a whole number, not {shown(value)}")
    return value


def _same(frame: Frame, value: object, other: object) -> bool:
    return equal(frame, value, other)


def _folded(frame: Frame, text: str, other: object) -> bool:
    return isinstance(other, str) and text.casefold() == other.casefold()


def _part(frame: Frame, text: str, start: object, end: object = None) -> str:
    first, last = _whole(start), len(text) if end is None else _whole(end)
    if not 0 <= first <= last <= len(text):
        raise Fault(f"takes the signs {first} to {last} of {len(text)}")
    return text[first:last]


def _sign(frame: Frame, text: str, at: object) -> str:
    return _part(frame, text, at, _whole(at) + 1)


def _order(frame: Frame, text: str, other: object) -> int:
    wanted = _text(other)
    for mine, theirs in zip(text, wanted, strict=False):
        if mine != theirs:
            return ord(mine) - ord(theirs)
    return len(text) - len(wanted)


def _replaced(frame: Frame, text: str, old: object, new: object) -> str:
    before, after = _text(old), _text(new)
    frame.spend_on_text(len(text) + text.count(before) * len(after))
    return text.replace(before, after)


def _joined(frame: Frame, text: str, other: object) -> str:
    frame.spend_on_text(len(text) + len(_text(other)))
    return text + _text(other)


def _holds(frame: Frame, items: list[Any], item: object) -> bool:
    return _place(frame, items, item) >= 0


def _place(frame: Frame, items: list[Any], item: object) -> int:
    for at, one in enumerate(items):
        if equal(frame, one, item):
            return at
    return -1


def _item(frame: Frame, items: list[Any], at: object) -> object:
    index = _whole(at)
    if not 0 <= index < len(items):
        raise Fault(f"finds no item {index} among {len(items)}")
    return items[index]


def _entry(
    frame: Frame, entries: dict[str, Any], key: object, otherwise: object = None
) -> object:
    return entries.get(_text(key), otherwise)


def _measured(frame: Frame, value: str | list[Any] | dict[str, Any]) -> int:
    return len(value)


def _is_empty(frame: Frame, value: str | list[Any] | dict[str, Any]) -> bool:
    return not value


def _spelled(frame: Frame, value: object) -> str:
    return as_text(value)


OF_TEXTS: dict[str, Method] = {
    "charAt": _sign,
    "compareTo": _order,
    "concat": _joined,
    "contains": lambda frame, text, other: _text(other) in text,
    "endsWith": lambda frame, text, other: text.endswith(_text(other)),
    "equals": _same,
    "equalsIgnoreCase": _folded,
    "indexOf": lambda frame, text, other: text.find(_text(other)),
    "isBlank": lambda frame, text: not text.strip(),
    "isEmpty": _is_empty,
    "lastIndexOf": lambda frame, text, other: text.rfind(_text(other)),
    "length": _measured,
    "replace": _replaced,
    "startsWith": lambda frame, text, other: text.startswith(_text(other)),
    "substring": _part,
    "toLowerCase": lambda frame, text: text.lower(),
    "toString": _spelled,
    "toUpperCase": lambda frame, text: text.upper(),
    "trim": lambda frame, text: text.strip(),
}
OF_LISTS: dict[str, Method] = {
    "contains": _holds,
    "get": _item,
    "indexOf": _place,
    "isEmpty": _is_empty,
    "size": _measured,
}
OF_MAPS: dict[str, Method] = {
    "containsKey": lambda frame, entries, key: key in entries,
    "containsValue": lambda frame, entries, value: _holds(
        frame, list(entries.values()), value
    ),
    "get": _entry,
    "getOrDefault": _entry,
    "isEmpty": _is_empty,
    "keySet": lambda frame, entries: list(entries),
    "size": _measured,
    "values": lambda frame, entries: list(entries.values()),
}
OF_TRUTHS: dict[str, Method] = {
    "booleanValue": lambda frame, value: value,
    "equals": _same,
    "toString": _spelled,
}
OF_NUMBERS: dict[str, Method] = {
    "doubleValue": lambda frame, value: float(value),
    "intValue": lambda frame, value: int(value),
    "longValue": lambda frame, value: int(value),
    "toString": _spelled,
}
OF_KINDS: tuple[tuple[type | tuple[type, ...], Mapping[str, Method]], ...] = (
    (str, OF_TEXTS),
    (list, OF_LISTS),
    (dict, OF_MAPS),
    (bool, OF_TRUTHS),
    ((int, float), OF_NUMBERS),
)
ARGUMENTS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("replace", "getOrDefault"), (2, 2)),
    "substring": (1, 2),
    **dict.fromkeys(
        (
            *("isBlank", "isEmpty", "length", "size", "keySet", "values", "trim"),
            *("toLowerCase", "toUpperCase", "toString", "booleanValue"),
            *("doubleValue", "intValue", "longValue"),
        ),
        (0, 0),
    ),
}
NAMES = tuple(sorted({name for _, methods in OF_KINDS for name in methods}))


def check_call(name: str, arguments: int) -> None:
    """Fault, if nothing has such a method."""
    if name not in NAMES:
        raise Fault(
            f"calls {name}(), which is no method of a text, list, map or number;"
            f" there are {', '.join(NAMES)}"
        )
    fewest, most = ARGUMENTS.get(name, (1, 1))
    if not fewest <= arguments <= most:
        raise Fault(f"gives {arguments} arguments to {name}()")


def called(frame: Frame, value: object, name: str, arguments: list[object]) -> object:
    """``value.name(arguments)``."""
    for kinds, methods in OF_KINDS:
        if isinstance(value, kinds):
            if name not in methods:
                break
            if isinstance(value, str | list | dict):
                frame.spend_on_handled(value)
            return methods[name](frame, value, *arguments)
    raise Fault(f"calls {name}() of {shown(value)}")
