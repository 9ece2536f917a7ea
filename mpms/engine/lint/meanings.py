"""How a table says what becomes of a word found in a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

ANYWHERE: frozenset[str] = frozenset({"*"})
_NOWHERE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Word:
    """Honoured on the tags in ``on`` where its value matches ``values``.

    Everywhere else ``reason`` says why it is refused; an empty reason means that
    it changes nothing there. ``refused_on`` narrows the refusal to some tags.
    ``note`` is for the documentation: what it does, or why it changes nothing.
    """

    on: frozenset[str] = _NOWHERE
    values: str = ""
    reason: str = ""
    refused_on: frozenset[str] = ANYWHERE
    note: str = ""

    def refusal(self, owner: str, value: str) -> str:
        """Why it is refused here; empty if it is not."""
        if self.on is ANYWHERE or owner in self.on:
            fits = not self.values or re.fullmatch(self.values, value)
            return "" if fits else self._told(value)
        if self.refused_on is ANYWHERE or owner in self.refused_on:
            return self._told(value)
        return ""

    @property
    def result(self) -> str:
        """In one word, for the documentation."""
        if self.on:
            return "honoured"
        return "refused" if self.reason else "ignored"

    def _told(self, value: str) -> str:
        return self.reason.replace("{value}", shown(value))


HARMLESS = Word()
HONOURED = Word(on=ANYWHERE)

Inner = Mapping[str, Mapping[str, Word]]
"""What may stand inside an extension element, as attribute or child."""


def shown(value: str, limit: int = 60) -> str:
    return value if len(value) <= limit else f"{value[:limit]}…"


def refused(reason: str) -> Word:
    return Word(reason=reason)


def harmless(note: str) -> Word:
    return Word(note=note)


def only(values: str, reason: str, note: str = "") -> Word:
    """Honoured anywhere, with some values."""
    return Word(on=ANYWHERE, values=values, reason=reason, note=note)


def each(words: str, meaning: Word) -> dict[str, Word]:
    """The same meaning for all the words of a text."""
    return dict.fromkeys(words.split(), meaning)
