"""A connection, and what it has learnt: how JSON is read, what it has prepared.

A prepared statement saves the server reading and planning it again. Its plan was made
for tables of that size, and a queue that was empty then may be long now: so everything
is forgotten now and then, and after an error, when it is not certain what was prepared.
"""

from __future__ import annotations

import json
import time
from typing import Any

import orjson
from psycopg2.extensions import connection, cursor, new_type, register_type

JSON_OID = 114
FORGET_AFTER_S = 10.0


def _read_json(value: str | bytes | None, cursor: cursor) -> Any:
    if value is None:
        return None
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return json.loads(value)  # half a surrogate pair, which PostgreSQL accepts


JSON = new_type((JSON_OID,), "JSON", _read_json)


class Link(connection):
    """What ``Connections`` lends."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        register_type(JSON, self)
        self.prepared: set[str] = set()
        self._prepared_at = 0.0
        self._doubtful = False

    def must_forget(self) -> bool:
        """Whether the next message begins with forgetting."""
        old = time.monotonic() - self._prepared_at > FORGET_AFTER_S
        if self._doubtful or (old and self.prepared):
            self.prepared.clear()
            return True
        return False

    def learnt(self, names: set[str]) -> None:
        """A message that prepares these was answered without an error."""
        if not self.prepared:
            self._prepared_at = time.monotonic()
        self._doubtful = False
        self.prepared |= names

    def doubt(self) -> None:
        """A message that prepares something failed somewhere."""
        self._doubtful = True
