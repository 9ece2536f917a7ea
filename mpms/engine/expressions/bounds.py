"""How much an expression may cost, and which values may come out of it.

A model is written by whoever may deploy; the worker that evaluates it serves the
whole plant. So size, depth and work are bounded here rather than trusted.
"""

import math
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from .faults import Exceeded, Fault, shown

MAX_SOURCE = 10_000  # characters
MAX_NESTING = 50
MAX_STEPS = 50_000  # one per operation and per value or 100 characters handled
MAX_TEXT = 100_000  # characters in one result
MAX_VALUES = 10_000  # items and entries in one result, at all levels together
MAX_DEPTH = 64  # levels of a value
MAX_INTEGER = 10**30
MAX_RESULT = 2**63 - 1  # beyond it, not every JSON writer and database follows

LONGEST_S = 5.0  # of one expression, whatever its steps cost

_CHARACTERS_PER_STEP = 100
_STEPS_PER_LOOK = 500  # at the clock
_SURROGATE = re.compile("[\ud800-\udfff]")


class _Around(threading.local):
    """When everything that this thread evaluates must have ended."""

    ends_at: float | None = None


_around = _Around()


@contextmanager
def ends_within(seconds: float) -> Iterator[None]:
    """All expressions inside share this time, however many there are."""
    before = _around.ends_at
    ends_at = time.monotonic() + seconds
    _around.ends_at = ends_at if before is None else min(before, ends_at)
    try:
        yield
    finally:
        _around.ends_at = before


class Frame:
    """One evaluation: what it sees and how much it may still spend."""

    __slots__ = ("ends_at", "looks_at", "now", "steps_left", "variables")
    most_steps = MAX_STEPS

    def __init__(self, variables: Mapping[str, object], now: datetime | None) -> None:
        self.variables = variables
        self.now = now
        self.steps_left = self.most_steps
        self.looks_at = self.most_steps
        self.ends_at = 0.0  # the clock is first asked when something was spent

    def spend(self, steps: int = 1) -> None:
        self.steps_left -= steps
        if self.steps_left < self.looks_at:
            self._look()

    def _look(self) -> None:
        """At the steps and the clock: not all steps cost the same."""
        if self.steps_left < 0:
            raise Exceeded(f"needs more than {self.most_steps} steps")
        self.looks_at = self.steps_left - _STEPS_PER_LOOK
        if self.looks_at < 0:
            self.looks_at = 0
        now = time.monotonic()
        if not self.ends_at:
            self.ends_at = now + LONGEST_S
            if _around.ends_at is not None:
                self.ends_at = min(self.ends_at, _around.ends_at)
        if now > self.ends_at:
            self.steps_left = -1
            raise Exceeded("takes too long")

    def spend_on_handled(self, value: object) -> None:
        """For looking at a text or copying it, however little is done with it."""
        if isinstance(value, str) and len(value) >= _CHARACTERS_PER_STEP:
            self.spend(len(value) // _CHARACTERS_PER_STEP)

    def spend_on_text(self, length: int) -> None:
        if length > MAX_TEXT:
            self.steps_left = -1
            raise Exceeded(f"makes a text of more than {MAX_TEXT} characters")
        self.spend(length // _CHARACTERS_PER_STEP)

    def spend_on_items(self, count: int) -> None:
        if count > MAX_VALUES:
            self.steps_left = -1
            raise Exceeded(f"makes a list of more than {MAX_VALUES} values")
        self.spend(count)


def number(value: object, purpose: str) -> int | float:
    """The value, if arithmetic with it is safe. A truth value is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Fault(f"needs a number {purpose}, not {shown(value)}")
    if isinstance(value, int):
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise Fault("meets an integer beyond 10**30")
    elif not math.isfinite(value):
        raise Fault("meets a number that is not finite")
    return value


class JsonCopy:
    """One walk over a value, counting what it copies."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.values = 0
        self.characters = 0

    def text(self, value: str) -> str:
        self.characters += len(value)
        self.frame.spend_on_text(len(value))
        if self.characters > MAX_TEXT:
            raise Exceeded(
                f"makes a value with more than {MAX_TEXT} characters of text"
            )
        if not value.isascii() and _SURROGATE.search(value):
            raise Fault("makes a text with half a character (a lone surrogate)")
        return value

    def value(self, value: object, depth: int = 0) -> object:
        self.values += 1
        self.frame.spend()
        if self.values > MAX_VALUES + 1:
            raise Exceeded(f"makes a value with more than {MAX_VALUES} parts")
        if depth > MAX_DEPTH:
            raise Exceeded(f"makes a value of more than {MAX_DEPTH} levels")
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item, depth + 1) for item in value]
        if isinstance(value, Mapping):
            return {
                self.key(key): self.value(item, depth + 1)
                for key, item in value.items()
            }
        return self.plain(value)

    def plain(self, value: object) -> object:
        """A number, or whatever else the language has a JSON spelling for."""
        if not isinstance(value, int | float):
            raise Fault(f"gives {shown(value)}, which is no JSON value")
        number(value, "as a result")
        if isinstance(value, int) and abs(value) > MAX_RESULT:
            raise Fault("gives an integer of more than 64 bits")
        return value

    def key(self, key: object) -> str:
        if not isinstance(key, str):
            raise Fault(f"gives a map with the key {shown(key)}, which is no text")
        return self.text(key)


def json_copy(value: object, frame: Frame) -> object:
    """A deep copy that shares nothing with the variables and is surely JSON."""
    return JsonCopy(frame).value(value)
