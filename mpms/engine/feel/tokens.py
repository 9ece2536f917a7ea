"""Text to tokens.

FEEL lets names hold blanks and even operators. Two words in a row can be nothing but
one name, so the parser joins them; names with other signs in them are found only if
they are known beforehand or stand in `backticks`.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal

from ..expressions.bounds import MAX_SOURCE
from ..expressions.faults import Fault, shown
from .numbers import decimal_of

Kind = Literal["number", "text", "at", "word", "name", "op", "end"]

KEYWORDS = frozenset(
    (
        *("if", "then", "else", "for", "in", "return", "some", "every", "satisfies"),
        *("and", "or", "between", "true", "false", "null"),
    )
)
# Built-in functions with a keyword in their name; they are names only when called.
CALLED = ("date and time", "years and months duration", "get or else")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "/": "/"}

# What FEEL takes for letters and Python does not: symbols and emoji.
_SIGNS = (
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd"
    "\U00010000-\U000effff"
)
# An apostrophe is a sign of a name inside a word only: ``employee's name``.
_WORD = (
    rf"(?:[^\W\d]|[{_SIGNS}])"
    rf"(?:\w|[{_SIGNS}\u00b7\u203f\u2040]|['\u2019](?=[^\W\d]))*"
)
_PATTERN = re.compile(
    r"""
    (?P<blank>[\s\u180e\u200b\ufeff]+|//[^\n]*|/\*.*?\*/)
  | (?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
  | (?P<word>WORD)
  | (?P<quoted>`[^`]+`)
  | (?P<at>@"(?:[^"\\]|\\.)*")
  | (?P<text>"(?:[^"\\]|\\.)*")
  | (?P<op>\*\*|\.\.|!=|<=|>=|->|[-+*/<>=?:()\[\]{},.])
    """.replace("WORD", _WORD),
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{6})|(.))",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Lexeme:
    kind: Kind
    text: str
    position: int
    end: int
    value: Any = None

    def is_op(self, *texts: str) -> bool:
        return self.kind == "op" and self.text in texts

    def is_word(self, *texts: str) -> bool:
        return self.kind == "word" and self.text in texts

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end"
        return shown(self.value if self.kind in ("text", "at") else self.text)


def tokenize(text: str, start: int, known: frozenset[str]) -> list[Lexeme]:
    if len(text) - start > MAX_SOURCE:
        raise Fault(f"is longer than {MAX_SOURCE} characters")
    names = _names(known)
    tokens: list[Lexeme] = []
    position = start
    while position < len(text):
        if (known_name := names.match(text, position)) is not None:
            name = " ".join(known_name.group().split())
            end = known_name.end()
            tokens.append(Lexeme("name", name, position, end))
            position = end
            continue
        match = _PATTERN.match(text, position)
        if match is None:
            raise Fault(_unreadable(text[position]), position)
        if match.lastgroup != "blank":
            tokens.append(_token(match))
        position = match.end()
    tokens.append(Lexeme("end", "", len(text), len(text)))
    return tokens


def _token(match: re.Match[str]) -> Lexeme:
    group, found = match.lastgroup, match.group()
    start, end = match.span()
    if group == "number":
        following = match.string[end : end + 1]
        if following.isalpha() or following == "_":
            raise Fault(f"has letters after the number {found}", start)
        return Lexeme("number", found, start, end, _number(found, start))
    if group in ("text", "at"):
        inner = found[2:-1] if group == "at" else found[1:-1]
        value = _unescaped(inner, start + 1)
        return Lexeme("at" if group == "at" else "text", found, start, end, value)
    if group == "quoted":
        return Lexeme("name", found[1:-1], start, end)
    return Lexeme("word" if group == "word" else "op", found, start, end)


def _number(text: str, position: int) -> Decimal:
    try:
        return decimal_of(text)
    except Fault as fault:
        raise fault.at(position) from None


@lru_cache(maxsize=256)
def _names(known: frozenset[str]) -> re.Pattern[str]:
    """The names that words and blanks alone do not make, longest first."""
    odd = sorted((name for name in known if _is_odd(name)), key=len, reverse=True)
    called = [f"(?<!\\w){_spelled(name)}(?=\\s*\\()" for name in CALLED]
    return re.compile("|".join([f"{_spelled(name)}(?!\\w)" for name in odd] + called))


def _is_odd(name: str) -> bool:
    words = name.split()
    if name in KEYWORDS or re.match(_WORD, name) is None:
        return False  # it would take the place of a word or sign of the language
    return bool(KEYWORDS.intersection(words)) or not all(
        word.isidentifier() for word in words
    )


def _spelled(name: str) -> str:
    return r"\s+".join(re.escape(word) for word in name.split())


def _unescaped(text: str, position: int) -> str:
    def character(match: re.Match[str]) -> str:
        high, low, short, long, single = match.groups()
        if high:
            pair = int(high, 16) - 0xD800, int(low, 16) - 0xDC00
            return chr(0x10000 + (pair[0] << 10) + pair[1])
        if single is not None:
            return _ESCAPES.get(single, match.group())  # "\s" is that of a pattern
        value = int(short or long, 16)
        if value == 0 or 0xD800 <= value <= 0xDFFF or value > 0x10FFFF:
            found = match.group()
            raise Fault(f"has the unknown escape {found}", position + match.start())
        return chr(value)

    value = _ESCAPE.sub(character, text) if "\\" in text else text
    if "\0" in value:
        raise Fault("has a NUL character in a text", position)
    return value


def _unreadable(character: str) -> str:
    if character == '"':
        return "has a text without its closing quote"
    if character == "'":
        return "has ', which means nothing in FEEL; texts stand in double quotes"
    if character.isprintable():
        return f"has {character!r}, which means nothing here"
    return f"has the character U+{ord(character):04X}, which means nothing here"
