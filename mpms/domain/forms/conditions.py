"""The part of FEEL that forms may use: hiding, read-only, limits, choices.

Parsed here once into plain lists that JSON can carry, so that the tablet evaluates
the same tree offline and nobody writes a second parser. The server has the engine's
FEEL evaluate it; ``tests/data/form_conditions.json`` holds the tablet to its answers.
A missing name is null, and so is the whole where FEEL would fail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Protocol

Expression = list[Any]

MAX_TEXT = 1000
MAX_DEPTH = 30
FUNCTIONS = {"not": 1, "count": 1, "contains": 2, "list contains": 2}
PLAIN = ("is", "get")
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


class Feel(Protocol):
    """The FEEL of the engine: null where a text has no value for these names."""

    def __call__(self, text: str, names: Mapping[str, Any], /) -> Any: ...


class Names(dict[str, Any]):
    """What the expressions of a form may refer to, and FEEL to evaluate them."""

    def __init__(self, names: Mapping[str, Any], feel: Feel) -> None:
        super().__init__(names)
        self._feel = feel

    def value_of(self, tree: Expression) -> Any:
        """The value of a tree; null where something is missing or does not fit."""
        if tree[0] in PLAIN:
            return plain_value(tree, self)
        return self._feel(written(tree), self)


def plain_value(tree: Expression, names: Mapping[str, Any]) -> Any:
    """The value of a constant or a path, however large it is."""
    return tree[1] if tree[0] == "is" else look_up(names, tree[1:])


def look_up(names: Mapping[str, Any], path: list[str]) -> Any:
    """What stands at a path; of a list, the same of every item."""
    try:
        return _at(names, path)
    except _NoParts:
        return None


class _NoParts(Exception):
    """A text, a number or a truth value was asked for a part of it."""


def _at(value: Any, path: list[str]) -> Any:
    for at, name in enumerate(path):
        if isinstance(value, list):
            return [_at(item, path[at:]) for item in value]
        if value is None or name in MISSING_NAMES:
            return None
        if not isinstance(value, Mapping):
            raise _NoParts
        value = value.get(name)
    return value


def written(tree: Expression) -> str:
    """A tree as FEEL."""
    kind, *parts = tree
    if kind == "is":
        return json.dumps(parts[0], ensure_ascii=False)
    if kind == "get":
        hidden = not MISSING_NAMES.isdisjoint(parts)
        return "null" if hidden else ".".join(f"`{name}`" for name in parts)
    texts = [written(part) for part in parts]
    if kind in FUNCTIONS:
        return f"{kind}({', '.join(texts)})"
    return f"({f' {kind} '.join(texts)})"


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
