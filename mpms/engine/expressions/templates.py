"""Where the expressions are in an attribute text of a model.

JUEL marks them ``${...}`` or ``#{...}``.
Braces and quotes inside an expression are its own, so the end has to be looked for.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .faults import Fault

_OPENING = re.compile(r"\\?[$#]\{")
_INSIDE = re.compile(
    r"""(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<brace>[{}])|["']""", re.DOTALL
)


class Hole(NamedTuple):
    """Where an expression stands between its marks."""

    start: int
    end: int


def pieces(text: str) -> Iterator[str | Hole]:
    """Literal text and expressions in turn."""
    position = 0
    while opening := _OPENING.search(text, position):
        if opening.start() > position:
            yield text[position : opening.start()]
        if opening.group().startswith("\\"):
            yield opening.group()[1:]
            position = opening.end()
            continue
        end = _closing(text, opening)
        yield Hole(opening.end(), end)
        position = end + 1
    if position < len(text):
        yield text[position:]


def whole_hole(text: str) -> Hole | None:
    """The one expression that is all of the text, blanks around it aside."""
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    opening = _OPENING.match(text, start)
    if opening is None or opening.group().startswith("\\"):
        return None
    closing = _closing(text, opening)
    return Hole(opening.end(), closing) if closing + 1 == end else None


def is_template(text: str) -> bool:
    return _OPENING.search(text) is not None


def _closing(text: str, opening: re.Match[str]) -> int:
    depth = 0
    for match in _INSIDE.finditer(text, opening.end()):
        if match["brace"] == "{":
            depth += 1
        elif match["brace"] == "}":
            if depth == 0:
                return match.start()
            depth -= 1
        elif match["text"] is None:
            raise Fault("has a text without its closing quote", match.start())
    raise Fault(f"opens {opening.group()} and never closes it", opening.start())
