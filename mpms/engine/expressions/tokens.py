"""Text to tokens. One vocabulary covers the JUEL and the Python spelling.

Names are ASCII and do not begin with an underscore: no look-alike letters, and no
way to spell a special name of the language underneath.
"""

import math
import re
from dataclasses import dataclass
from typing import Literal

from .bounds import MAX_INTEGER, MAX_SOURCE
from .faults import Fault, shown

Kind = Literal["constant", "name", "op", "break", "end"]

CONSTANTS: dict[str, object] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
WORDS = {
    "and": "and",
    "or": "or",
    "not": "not",
    "in": "in",
    "if": "if",
    "else": "else",
    "empty": "empty",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "div": "/",
    "mod": "%",
    "&&": "and",
    "||": "or",
}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "/": "/"}

_PATTERN = re.compile(
    r"""
    (?P<blank>[ \t\r]+)
  | (?P<break>\n|;)
  | (?P<comment>\#[^\n]*)
  | (?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<op>\*\*|:=|===|->|=>|\.\.|&&|\|\||==|!=|<=|>=|//|\+=|[-+*/%<>!?:()\[\]{},.=])
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Lexeme:
    kind: Kind
    text: str
    position: int
    value: object = None

    def is_op(self, *texts: str) -> bool:
        return self.kind == "op" and self.text in texts

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end"
        return shown(self.value if isinstance(self.value, str) else self.text)


def tokenize(
    text: str, start: int = 0, end: int | None = None, *, script: bool = False
) -> list[Lexeme]:
    """The tokens of a stretch of text; positions count from the text's beginning.

    In a script, line ends and semicolons outside brackets come as breaks and
    comments are skipped; elsewhere a line end is a blank.
    """
    end = len(text) if end is None else end
    if end - start > MAX_SOURCE:
        raise Fault(f"is longer than {MAX_SOURCE} characters")
    tokens: list[Lexeme] = []
    position, brackets = start, 0
    while position < end:
        match = _PATTERN.match(text, position, end)
        if match is None:
            raise Fault(_unreadable(text[position]), position)
        group, found = match.lastgroup, match.group()
        after_dot = bool(tokens) and tokens[-1].is_op(".")
        if group == "number":
            tokens.append(Lexeme("constant", found, position, _number(match)))
        elif group == "text":
            value = _unescaped(found, position)
            tokens.append(Lexeme("constant", found, position, value))
        elif group == "name":
            tokens.append(_word(found, position, after_dot))
        elif group == "op":
            brackets += (found in "([{") - (found in ")]}")
            tokens.append(Lexeme("op", WORDS.get(found, found), position))
        elif group == "break" and script and (brackets <= 0 or found == ";"):
            tokens.append(Lexeme("break", found, position))
        elif not script and (group == "comment" or found == ";"):
            raise Fault(_unreadable(found[0]), position)
        position = match.end()
    tokens.append(Lexeme("end", "", end))
    return tokens


def _word(word: str, position: int, after_dot: bool) -> Lexeme:
    if word.startswith("_"):
        raise Fault(f"uses {word!r}: names may not begin with '_'", position)
    if after_dot:
        return Lexeme("name", word, position)
    if word in CONSTANTS:
        return Lexeme("constant", word, position, CONSTANTS[word])
    if word in WORDS:
        return Lexeme("op", WORDS[word], position)
    return Lexeme("name", word, position)


def _number(match: re.Match[str]) -> int | float:
    text, following = match.group(), match.string[match.end() : match.end() + 1]
    if following.isalnum() or following == "_":
        raise Fault(f"has letters after the number {text}", match.start())
    if len(text) > 1 and text[0] == "0" and text[1].isdigit():
        raise Fault(f"has a number with leading zeros, {text}", match.start())
    if text.isdigit():
        if len(text) > 31 or int(text) > MAX_INTEGER:
            raise Fault("has an integer beyond 10**30", match.start())
        return int(text)
    value = float(text)
    if not math.isfinite(value):
        raise Fault(f"has a number that is too large, {shown(text)}", match.start())
    return value


def _unescaped(literal: str, position: int) -> str:
    def character(match: re.Match[str]) -> str:
        code = match.group(1)
        if code in ESCAPES:
            return ESCAPES[code]
        value = int(code[1:], 16) if len(code) == 5 else 0
        if value == 0 or 0xD800 <= value <= 0xDFFF:
            raise Fault(f"has the unknown escape \\{code}", position + match.start())
        return chr(value)

    value = _ESCAPE.sub(character, literal)[1:-1]
    if "\0" in value:
        raise Fault("has a NUL character in a text", position)
    return value


def _unreadable(character: str) -> str:
    if character in "'\"":
        return "has a text without its closing quote"
    if character.isprintable():
        return f"has {character!r}, which means nothing here"
    return f"has the character U+{ord(character):04X}, which means nothing here"
