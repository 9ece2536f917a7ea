"""Patterns of answers that mean the same in Python and in every browser.

A pattern is read, refused if a text could make it run for ever, and written anew in
the part of the language on which both agree: ``\\d``, ``\\w``, ``\\s`` are ASCII, a
dot is anything but a line feed, ``$`` is the very end.
"""

from __future__ import annotations

import re

MAX_PATTERN = 200
MAX_MATCHED_TEXT = 200  # of an answer that has to fit a pattern
MAX_STEPS = MAX_MATCHED_TEXT**3 * 8

_CLASSES = {
    "d": "0-9",
    "w": "0-9A-Za-z_",
    "s": " \\t\\n\\r\\f\\v",
}
_PLAIN = {"t": "\\t", "n": "\\n", "r": "\\r"}
_SYNTAX = set("^$\\.*+?()[]{}|/")


class PatternRefused(ValueError):
    """The pattern is wrong, not portable, or could take for ever."""


def portable(pattern: str) -> str:
    """The same pattern for ``re`` and for ``new RegExp(…, "u")``."""
    if len(pattern) > MAX_PATTERN:
        raise PatternRefused(f"is longer than {MAX_PATTERN} characters")
    reader = _Reader(pattern)
    text, steps, _ = reader.alternatives(0)
    reader.end()
    if not pattern.startswith("^"):
        steps *= MAX_MATCHED_TEXT
    if steps > MAX_STEPS:
        raise PatternRefused("has too many repetitions and could take for ever")
    try:
        re.compile(text)
    except re.error as failure:
        raise PatternRefused(f"is not a pattern: {failure}") from None
    return text


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def end(self) -> None:
        if self._at < len(self._pattern):
            raise PatternRefused("has a ) too many")

    def alternatives(self, depth: int) -> tuple[str, int, bool]:
        """The text, how many ways to match it there may be, and whether it varies."""
        if depth > 10:
            raise PatternRefused("is nested too deeply")
        branches = [self._sequence(depth)]
        while self._peek() == "|":
            self._at += 1
            branches.append(self._sequence(depth))
        return (
            "|".join(text for text, _, _ in branches),
            sum(steps for _, steps, _ in branches),
            len(branches) > 1 or branches[0][2],
        )

    def _sequence(self, depth: int) -> tuple[str, int, bool]:
        text, steps, varies = "", 1, False
        while self._peek() not in ("", "|", ")"):
            piece, piece_steps, piece_varies = self._piece(depth)
            text += piece
            steps = min(steps * piece_steps, MAX_STEPS + 1)
            varies = varies or piece_varies
        return text, steps, varies

    def _piece(self, depth: int) -> tuple[str, int, bool]:
        sign = self._next()
        steps, varies = 1, False
        if sign == "^":
            return "^", 1, False
        if sign == "$":
            return "(?![\\s\\S])", 1, False
        if sign == "(":
            if self._peek() == "?" and not self._pattern.startswith("?:", self._at):
                raise PatternRefused("uses (?…), which is not allowed here")
            if self._peek() == "?":
                self._at += 2
            inner, steps, varies = self.alternatives(depth + 1)
            if self._next() != ")":
                raise PatternRefused("has a ( without its )")
            text = f"(?:{inner})"
        elif sign == "[":
            text = self._class()
        elif sign == ".":
            text = "[^\\n]"
        elif sign == "\\":
            text = self._escape()
        elif sign in "*+?{}])":
            raise PatternRefused(f"has a {sign} that is not expected there")
        else:
            text = f"\\{sign}" if sign in _SYNTAX else sign
        least, most, written = self._repetition()
        if written and most > 1 and varies:
            raise PatternRefused("repeats a repetition or a choice: (a+)+, (a|b)*")
        width = min(most, MAX_MATCHED_TEXT) - least + 1
        return (
            text + written,
            max(1, width) * steps,
            varies or most != least,
        )

    def _repetition(self) -> tuple[int, int, str]:
        sign = self._peek()
        limits = {"*": (0, 10**6), "+": (1, 10**6), "?": (0, 1)}
        if sign in limits and sign:
            self._at += 1
            written = sign
            least, most = limits[sign]
        elif sign == "{":
            match = re.compile(r"\{(\d{1,3})(,(\d{1,3})?)?\}").match(
                self._pattern, self._at
            )
            if match is None:
                raise PatternRefused("has a { that is no repetition")
            self._at = match.end()
            least = int(match[1])
            most = least if not match[2] else int(match[3] or 10**6)
            written = match.group()
            if most < least:
                raise PatternRefused(f"repeats {written} times")
        else:
            return 1, 1, ""
        if self._peek() in ("*", "+", "?", "{") and self._peek():
            raise PatternRefused("has two repetitions in a row")
        return least, most, written

    def _class(self) -> str:
        text = "["
        if self._peek() == "^":
            self._at += 1
            text += "^"
        first = True
        while (sign := self._next()) != "]" or first:
            first = False
            if sign == "":
                raise PatternRefused("has a [ without its ]")
            if sign == "]":
                raise PatternRefused("has an empty []")
            if sign == "\\":
                letter = self._next()
                if letter in _CLASSES:
                    text += _CLASSES[letter]
                elif letter in _PLAIN:
                    text += _PLAIN[letter]
                elif letter and not letter.isalnum():
                    text += f"\\{letter}" if letter in "^$\\.*+?()[]{}|/-" else letter
                else:
                    raise PatternRefused(f"uses \\{letter}, which is not allowed here")
            elif sign == "-" and self._peek() != "]" and text not in ("[", "[^"):
                text += "-"
            else:
                text += f"\\{sign}" if sign in "^$\\.*+?()[]{}|/-" else sign
        if "&&" in text or "~~" in text:
            raise PatternRefused("has && or ~~ in a []")
        return text + "]"

    def _escape(self) -> str:
        letter = self._next()
        if letter in _CLASSES:
            return f"[{_CLASSES[letter]}]"
        if letter.lower() in _CLASSES and letter:
            return f"[^{_CLASSES[letter.lower()]}]"
        if letter in _PLAIN:
            return _PLAIN[letter]
        if letter and not letter.isalnum():
            return f"\\{letter}" if letter in _SYNTAX else letter
        raise PatternRefused(f"uses \\{letter}, which is not allowed here")

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self) -> str:
        sign = self._peek()
        self._at += 1
        return sign
