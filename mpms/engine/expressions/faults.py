"""What is wrong and where, before it is known which text it belongs to.

Operations know the cause, the parser knows the position, the caller knows the
whole text: a fault collects the three and becomes one readable sentence.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from mpms.domain.errors import MpmsError

SHOWN_TEXT = 80
SHOWN_VALUE = 40


class Fault(Exception):
    """A cause, phrased to follow "expression '...'": "knows no variable 'x'"."""

    def __init__(self, cause: str, position: int | None = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.position = position

    def at(self, position: int) -> "Fault":
        """The same fault, placed unless a more precise place is known."""
        if self.position is None:
            self.position = position
        return self

    def told(self, noun: str, text: str) -> str:
        sentence = f"{noun} {shown(text, SHOWN_TEXT)} {self.cause}"
        if self.position is None:
            return sentence
        return f"{sentence} ({place(text, self.position)})"


class Exceeded(Fault):
    """A bound: no language may take it for a value."""


@contextmanager
def reported(error: type[MpmsError], noun: str, text: str) -> Iterator[None]:
    """Faults inside become the error, told about this text."""
    try:
        yield
    except Fault as fault:
        raise error(fault.told(noun, text)) from None
    except RecursionError:
        raise error(Fault("is nested too deeply").told(noun, text)) from None


def place(text: str, position: int) -> str:
    before = text[:position]
    line = before.count("\n") + 1
    column = position - (before.rfind("\n") + 1) + 1
    return f"line {line}, column {column}" if "\n" in text else f"column {column}"


def shown(value: object, limit: int = SHOWN_VALUE) -> str:
    """A value for a message: short, in the spelling of the language, never costly."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value if len(value) <= limit else value[: limit - 1] + "…")
    if isinstance(value, int):
        return str(value) if value.bit_length() <= 128 else "a giant number"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"a map of {len(value)}"
    return f"a {type(value).__name__}"
