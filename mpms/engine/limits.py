"""Refuse variables that are too large, by name, before they are kept.

Nearly all values are small, so only those that might matter are weighed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from mpms.domain.errors import VariableTooLarge
from mpms.domain.instances.limits import KB, Limits

if TYPE_CHECKING:
    from mpms.engine.tokens import Token, Tokens

SHORT = 200  # characters of a text that is not weighed
MANY = 500  # variables, from which on small ones are weighed too


def check_given(variables: Mapping[str, Any], limits: Limits) -> None:
    """Refuse what comes from outside. VariableTooLarge."""
    total = 0
    for name, value in variables.items():
        if not _is_small(value) or len(variables) > MANY:
            total += _weighed(name, value, limits)
    if total > limits.instance_bytes:
        raise _too_much("The variables together", total, limits.instance_bytes)


def allow(run: Tokens, holder: Token, name: str, value: Any) -> None:
    """Refuse a value that an instance is about to keep. VariableTooLarge."""
    if _is_small(value) and len(holder.data) < MANY:
        return
    limits = run.around.limits
    size = _weighed(name, value, limits)
    old = size_of(holder.data[name]) if name in holder.data else 0
    if run.held_bytes is None or run.held_bytes + size - old > limits.instance_bytes:
        # Scopes that ended took theirs along, so this is weighed again in doubt.
        run.held_bytes = sum(size_of(t.data) for t in run.tasks.values() if t.data)
    grown = run.held_bytes + size - old
    if grown > limits.instance_bytes and size > old:
        raise _too_much(
            f"With the variable '{name}' those of the instance",
            grown,
            limits.instance_bytes,
        )
    run.held_bytes = grown


def size_of(value: Any) -> int:
    """Bytes as JSON."""
    try:
        return len(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))
    except TypeError:
        return len(json.dumps(value, default=str))


def _is_small(value: Any) -> bool:
    kind = type(value)
    if kind is str:
        return len(value) <= SHORT
    return (
        kind is float
        or value is None
        or kind is bool
        or (kind is int and value.bit_length() <= SHORT)
    )


def _weighed(name: str, value: Any, limits: Limits) -> int:
    size = size_of(value)
    if size > limits.variable_bytes:
        raise _too_much(f"The variable '{name}'", size, limits.variable_bytes)
    return size


def _too_much(what: str, size: int, most: int) -> VariableTooLarge:
    verb = "has" if what.startswith("The variable '") else "have"
    return VariableTooLarge(
        f"{what} {verb} {size / KB:,.0f} KB; at most {most / KB:,.0f} KB are kept."
    )
