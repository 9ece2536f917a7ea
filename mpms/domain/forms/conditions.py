"""The part of FEEL that forms may use: hiding, read-only, limits, choices.

Parsed here once into plain lists that JSON can carry, so that the tablet evaluates
the same tree offline and nobody writes a second parser. Evaluation never fails: what
does not fit (a missing name, a text compared with a number) is null or false, as in
FEEL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

Expression = list[Any]

MAX_TEXT = 1000
MAX_DEPTH = 30
FUNCTIONS = {"not": 1, "count": 1, "contains": 2, "list contains": 2}
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
WORDS = {"true": True, "false": False, "null": None}
MISSING_NAMES = frozenset({"__proto__", "constructor", "prototype"})

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>-?\d+(?:\.\d+)?)
    |"(?P<text>(?:[^"\\]|\\["\\nt])*)"
    |(?P<name>list\ contains\b|[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)
    |(?P<sign>!=|<=|>=|[=<>(),])
    )""",
    re.VERBOSE,
)
_ESCAPE = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\"}


class ConditionUnreadable(ValueError):
    """The expression is not in the part of FEEL that forms may use."""


def parse(text: str) -> Expression:
    """The tree of ``=a.b > 5 and not(c)``; a leading ``=`` may be missing."""
    if len(text) > MAX_TEXT:
        raise ConditionUnreadable(f"is longer than {MAX_TEXT} characters")
    reader = _Reader(_tokens(text.strip().removeprefix("=")))
    tree = reader.alternatives(0)
    reader.end()
    return tree


def path_of(text: str) -> Expression:
    """The tree of a dotted path, with or without ``=``."""
    tree = parse(text)
    if tree[0] != "get":
        raise ConditionUnreadable(f"{text!r} is not the path of a variable")
    return tree


def evaluate(tree: Expression, names: Mapping[str, Any]) -> Any:
    """The value of a tree; null where something is missing."""
    kind = tree[0]
    if kind == "is":
        return tree[1]
    if kind == "get":
        return look_up(names, tree[1:])
    if kind == "and":
        return all(evaluate(part, names) is True for part in tree[1:])
    if kind == "or":
        return any(evaluate(part, names) is True for part in tree[1:])
    values = [evaluate(part, names) for part in tree[1:]]
    if kind == "not":
        return not values[0] if isinstance(values[0], bool) else None
    if kind == "count":
        return len(values[0]) if isinstance(values[0], list) else None
    if kind in ("contains", "list contains"):
        return _contains(*values)
    return _compare(kind, *values)


def look_up(names: Mapping[str, Any], path: list[str]) -> Any:
    value: Any = names
    for name in path:
        if not isinstance(value, Mapping) or name in MISSING_NAMES:
            return None
        value = value.get(name)
    return value


def same(left: Any, right: Any) -> bool:
    """Equal in kind and value: 1 is not true, and 1.0 is 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    return left is None and right is None


def is_number(value: Any) -> bool:
    """A number that every browser and database keeps as it is."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and abs(value) <= 1e15


def _contains(whole: Any, part: Any) -> bool | None:
    if isinstance(whole, str) and isinstance(part, str):
        return part in whole
    if isinstance(whole, list):
        return any(same(item, part) for item in whole)
    return None


def _compare(sign: str, left: Any, right: Any) -> bool | None:
    if sign == "=":
        return same(left, right)
    if sign == "!=":
        return not same(left, right)
    numbers = is_number(left) and is_number(right)
    if not numbers and not (isinstance(left, str) and isinstance(right, str)):
        return None
    if sign in ("<", "<="):
        return bool(left < right or (sign == "<=" and left == right))
    return bool(left > right or (sign == ">=" and left == right))


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at, text = 0, text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            rest = text[at : at + 20].strip()
            raise ConditionUnreadable(f"cannot be read from {rest!r} on")
        kind = match.lastgroup or ""
        found.append((kind, match.group(kind)))
        at = match.end()
    return found


class _Reader:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._at = 0

    def alternatives(self, depth: int) -> Expression:
        return self._chain("or", depth)

    def end(self) -> None:
        if self._at < len(self._tokens):
            raise ConditionUnreadable(f"{self._peek()[1]!r} is not expected there")

    def _chain(self, word: str, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            raise ConditionUnreadable("is nested too deeply")
        below = self._comparison if word == "and" else self._all
        parts = [below(depth + 1)]
        while self._peek() == ("name", word):
            self._at += 1
            parts.append(below(depth + 1))
        return parts[0] if len(parts) == 1 else [word, *parts]

    def _all(self, depth: int) -> Expression:
        return self._chain("and", depth)

    def _comparison(self, depth: int) -> Expression:
        left = self._value(depth)
        kind, sign = self._peek()
        if kind == "sign" and sign in COMPARISONS:
            self._at += 1
            return [sign, left, self._value(depth)]
        return left

    def _value(self, depth: int) -> Expression:
        kind, text = self._peek()
        self._at += 1
        if kind == "number":
            return ["is", float(text) if "." in text else int(text)]
        if kind == "text":
            return ["is", re.sub(r"\\.", lambda m: _ESCAPE[m.group()], text)]
        if kind == "sign" and text == "(":
            inner = self.alternatives(depth + 1)
            self._expect(")")
            return inner
        if kind == "name" and self._peek() == ("sign", "("):
            return self._call(text, depth)
        if kind == "name" and text in WORDS:
            return ["is", WORDS[text]]
        if kind == "name" and text not in ("and", "or", "list contains"):
            return ["get", *text.split(".")]
        raise ConditionUnreadable(
            f"{text!r} is not expected there" if kind else "ends too early"
        )

    def _call(self, name: str, depth: int) -> Expression:
        if name not in FUNCTIONS:
            raise ConditionUnreadable(f"the function {name}() is not known")
        self._expect("(")
        arguments = [self.alternatives(depth + 1)]
        while self._peek() == ("sign", ","):
            self._at += 1
            arguments.append(self.alternatives(depth + 1))
        self._expect(")")
        if len(arguments) != FUNCTIONS[name]:
            raise ConditionUnreadable(f"{name}() takes {FUNCTIONS[name]} arguments")
        return [name, *arguments]

    def _expect(self, sign: str) -> None:
        if self._peek() != ("sign", sign):
            raise ConditionUnreadable(f"{sign!r} is missing")
        self._at += 1

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("", "")
