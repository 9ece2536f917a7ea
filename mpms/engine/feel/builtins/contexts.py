"""Functions on contexts. All make new ones."""

from typing import Any

from ...expressions.faults import Fault
from ..calls import builtin
from ..values import Frame, Missing, lift, shown

Entries = dict[str, Any]


@builtin(
    "get value(m: context, key: string|list)",
    "get value(context: context, key: string)",
    "get value(context: context, keys: list)",
)
def get_value(frame: Frame, m: Entries, key: Any) -> Any:
    found: Any = m
    for one in key if isinstance(key, list) else [key]:
        if not isinstance(found, dict) or not isinstance(one, str) or one not in found:
            if frame.missing == "tell":
                raise Missing(f"finds no entry {shown(one)}")
            return None
        found = lift(found[one])
    return found


@builtin("get entries(m: context)", "get entries(context: context)")
def get_entries(frame: Frame, m: Entries) -> list[Entries]:
    frame.spend_on_items(len(m))
    return [{"key": key, "value": value} for key, value in m.items()]


def _put(frame: Frame, m: Any, keys: list[Any], value: Any) -> Entries:
    if not keys:
        raise Fault("puts a value under no key")
    if not isinstance(m, dict):
        raise Fault(f"puts a value into {shown(m)}, which is no context")
    if not isinstance(keys[0], str):
        raise Fault(f"needs a text as key, not {shown(lift(keys[0]))}")
    frame.spend_on_items(len(m) + 1)
    inner = (
        value if len(keys) == 1 else _put(frame, m.get(keys[0], {}), keys[1:], value)
    )
    return {**m, keys[0]: inner}


@builtin(
    "context put(context: context, key: string|list, value!)",
    "context put(context: context, keys: list, value!)",
    "put(context: context, key: string|list, value!)",
)
def context_put(frame: Frame, m: Entries, key: Any, value: Any) -> Entries:
    return _put(frame, m, key if isinstance(key, list) else [key], value)


@builtin(
    "context merge(contexts: list)",
    "context merge(context...: context)",
    "put all(context...: context)",
)
def context_merge(frame: Frame, contexts: list[Any]) -> Entries:
    made: Entries = {}
    for one in contexts:
        if not isinstance(one, dict):
            raise Fault(f"merges {shown(lift(one))}, which is no context")
        frame.spend_on_items(len(made) + len(one))
        made.update(one)
    return made


@builtin("context(entries: list)")
def context(frame: Frame, entries: list[Any]) -> Entries:
    made: Entries = {}
    for entry in entries:
        frame.spend()
        whole = isinstance(entry, dict) and "value" in entry
        if not whole or not isinstance(entry.get("key"), str):
            raise Fault("makes a context of entries without key and value")
        if entry["key"] in made:
            raise Fault(f"makes a context with the key {shown(entry['key'])} twice")
        made[entry["key"]] = entry.get("value")
    return made
