"""Variables: shared by the whole instance, with inner scopes where BPMN has them.

SpiffWorkflow copies all data to every task and merges it at joins, so a stale
branch overwrites what another branch wrote. Here, as in Camunda 7, a variable
lives in one place: the instance, or the subprocess, loop turn or task that made it
its own. Reading looks outwards; writing changes the nearest place that has the
name, else the instance.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from mpms.domain.errors import ExpressionFailed
from mpms.engine import limits
from mpms.engine.expressions import ITS_BUSINESS_KEY, Expression
from mpms.engine.tokens import Token, Tokens

MISSING = object()


def visible(token: Token) -> Mapping[str, Any]:
    """Everything a token can read, inner scopes winning."""
    layers = []
    at: Token | None = token
    while at is not None:
        if at.data or at.parent is None:
            layers.append(at.data)
        at = at.parent
    return ChainMap(*layers)


def seen_by(
    expression: Expression, seen: Mapping[str, Any], business_key: str | None
) -> Mapping[str, Any]:
    """What an expression reads: also the business key, where it asks for that."""
    if ITS_BUSINESS_KEY not in expression.names:
        return seen
    return {**seen, ITS_BUSINESS_KEY: business_key}


def local_view(token: Token) -> dict[str, Any] | None:
    """What a token sees if an inner scope hides the instance's view, else None."""
    at = token
    while at.parent is not None:
        if at.data:
            return dict(visible(token))
        at = at.parent
    return None


def write(token: Token, values: Mapping[str, Any], *, by: Token | None = None) -> None:
    """Change variables where they live, as seen from this token; ``by`` did it."""
    for name, value in values.items():
        holder = token
        while name not in holder.data and holder.parent is not None:
            holder = holder.parent
        _set(holder, by or token, name, value)


def write_local(token: Token, values: Mapping[str, Any]) -> None:
    """Make variables this token's own."""
    for name, value in values.items():
        _set(token, token, name, value)


def _set(holder: Token, token: Token, name: str, value: Any) -> None:
    if not isinstance(name, str) or not name:
        raise ExpressionFailed(f"A variable needs a name, not {name!r}.")
    old = holder.data.get(name, MISSING)
    limits.allow(token.workflow, holder, name, value)
    holder.data[name] = value  # even if equal: [1] and [True] are
    if old is not MISSING and type(old) is type(value) and old == value:
        return
    run: Tokens = token.workflow
    if run.has_conditions:
        kind = "create" if old is MISSING else "update"
        run.changes.append((holder, name, kind))
    data: dict[str, Any] = {"name": name, "new": value}
    if old is not MISSING:
        data["old"] = old
    if holder.parent is not None:
        data["local"] = True
    run.note("variable", token if token.parent is not None else None, **data)
