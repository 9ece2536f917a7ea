"""``PREPARE`` and ``EXECUTE`` of a statement that a file marks as prepared.

The types of the arguments are those that the statement itself casts its parameters to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

PARAMETER = re.compile(
    r"%\((?P<name>[a-z][a-z0-9_]*)\)s"
    r"(?P<cast>::(?:double precision|[a-z0-9_]+)(?:\[\])?)?"
)


@dataclass(frozen=True)
class Prepared:
    """What is said once a connection, and what is said every time."""

    prepare: bytes
    execute: str  # with the parameters of the statement


def prepared(name: str, statement: str) -> Prepared:
    places: dict[str, int] = {}
    casts: dict[str, str] = {}

    def place(found: re.Match[str]) -> str:
        parameter, cast = found["name"], found["cast"] or ""
        casts[parameter] = casts.get(parameter) or cast
        return f"${places.setdefault(parameter, len(places) + 1)}{cast}"

    body = PARAMETER.sub(place, statement).strip().rstrip(";").replace("%%", "%")
    arguments = ", ".join(f"%({each})s{casts[each]}" for each in places)
    execute = f"EXECUTE {name}({arguments})" if places else f"EXECUTE {name}"
    return Prepared(f"PREPARE {name} AS {body}".encode(), execute)
