"""An instance's tokens as bytes and back.

Parents come before their children and the order is kept, which is why this is
bytes and not JSONB: a store that sorts keys loses the order. The process variables
are not in here; they have a column of their own, so that they can be searched.
"""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import orjson

from mpms.domain.errors import StepFailed
from mpms.engine.tokens import Surroundings, Token, Tokens

VERSION = 1
WIDE = 2  # holds what the fast reader would spoil: integers beyond 64 bits


def dump(run: Tokens) -> bytes:
    """Write all tokens, parents first."""
    rows: list[list[Any]] = []
    stack: list[tuple[Token, int]] = [(run.task_tree, -1)]
    while stack:
        token, parent = stack.pop()
        at = len(rows)
        rows.append(
            [
                token.key,
                parent,
                token.task_spec.name,
                token._state,
                token.data if parent >= 0 else {},
                token.internal_data,
            ]
        )
        stack.extend((child, at) for child in reversed(token.children))
    try:
        return orjson.dumps([VERSION, rows])
    except TypeError:
        return json.dumps([WIDE, rows]).encode()


def load(
    data: bytes, variables: dict[str, Any], spec: Any, around: Surroundings
) -> Tokens:
    """Rebuild the tree that ``dump`` wrote."""
    wide = data.startswith(b"[%d," % WIDE)
    version, rows = json.loads(data) if wide else orjson.loads(data)
    if version not in (VERSION, WIDE):
        raise StepFailed(f"The instance was saved in an unknown format ({version}).")
    run = Tokens(spec, around)
    tokens: list[Token] = []
    for task_id, parent, name, state, local, internal in rows:
        node = spec.task_specs.get(name)
        if node is None:
            raise StepFailed(f"The model has no element {name!r} that a token is on.")
        token = run.restore(
            tokens[parent] if parent >= 0 else None, node, state, UUID(task_id)
        )
        token.data = local if parent >= 0 else dict(variables)
        token.internal_data = internal
        tokens.append(token)
    return run
