"""Fields of a YAML file with their lines, so that every mistake can be shown at once.

A reader takes what it needs. What is missing or wrong is noted with file and line, and
a stand-in is returned, so that the reader goes on and finds the other mistakes too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

# Safe, and ten times as quick where PyYAML has libyaml, as its wheels do.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, order=True)
class Mistake:
    """``path`` leads to what is wrong, such as ``robots[2].home``."""

    file: str
    line: int
    text: str
    path: str = ""


@dataclass
class Mistakes:
    """What is wrong, in the order of files and lines."""

    found: list[Mistake] = field(default_factory=list)

    def add(self, file: str, line: int, text: str, path: str = "") -> None:
        self.found.append(Mistake(file, line, text, path))

    def lines(self) -> list[str]:
        return [f"{each.file}:{each.line}: {each.text}" for each in sorted(self.found)]


class Entry:
    """One value of a file, at a line."""

    def __init__(self, node: yaml.Node, file: str, mistakes: Mistakes, path: str):
        self._node = node
        self.file = file
        self.path = path
        self.line = node.start_mark.line + 1
        self._mistakes = mistakes
        self._taken: set[str] = set()

    def wrong(self, text: str) -> None:
        where = f"{self.path} " if self.path else ""
        self._mistakes.add(self.file, self.line, where + text, self.path)

    def _below(self, node: yaml.Node, key: yaml.Node) -> Entry:
        """A value, at the line of its key."""
        path = f"{self.path}.{key.value}" if self.path else str(key.value)
        below = Entry(node, self.file, self._mistakes, path)
        below.line = key.start_mark.line + 1
        return below

    def pairs(self) -> Iterator[tuple[str, Entry]]:
        """The keys of a mapping; a key that is there twice is a mistake."""
        if self.is_empty():
            return
        if not isinstance(self._node, yaml.MappingNode):
            self.wrong("is not a mapping")
            return
        seen: set[str] = set()
        for key, value in self._node.value:
            name = str(key.value)
            if name in seen:
                self._below(key, key).wrong("is there twice")
                continue
            seen.add(name)
            yield name, self._below(value, key)

    def items(self) -> Iterator[Entry]:
        if self.is_empty():
            return
        if not isinstance(self._node, yaml.SequenceNode):
            self.wrong("is not a list")
            return
        for index, node in enumerate(self._node.value):
            yield Entry(node, self.file, self._mistakes, f"{self.path}[{index}]")

    def is_empty(self) -> bool:
        node = self._node
        return isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null")

    def is_mapping(self) -> bool:
        return isinstance(self._node, yaml.MappingNode)

    def is_list(self) -> bool:
        return isinstance(self._node, yaml.SequenceNode)

    def get(self, key: str) -> Entry | None:
        self._taken.add(key)
        if not isinstance(self._node, yaml.MappingNode):
            return None
        for each, value in self._node.value:
            if each.value == key:
                below = self._below(value, each)
                return None if below.is_empty() else below
        return None

    def finish(self) -> None:
        """What nobody has taken is a mistake: it would be ignored in silence."""
        for key, entry in self.pairs():
            if key not in self._taken:
                entry.wrong("is not known here")

    def skip(self, *keys: str) -> None:
        self._taken.update(keys)

    def text(self, key: str, default: str | None = None) -> str:
        entry = self.get(key)
        if entry is None:
            if default is None:
                self.wrong(f"lacks {key}")
            return default or ""
        return entry.as_text()

    def as_text(self) -> str:
        if not isinstance(self._node, yaml.ScalarNode) or not self._node.value:
            self.wrong("is not a text")
            return ""
        return str(self._node.value)

    def number(
        self,
        key: str,
        default: float | None = None,
        *,
        above: float = -math.inf,
        least: float = -math.inf,
        most: float = math.inf,
    ) -> float:
        entry = self.get(key)
        if entry is None:
            if default is None:
                self.wrong(f"lacks {key}")
            return 1.0 if default is None else default
        return entry.as_number(above=above, least=least, most=most)

    def as_number(
        self,
        *,
        above: float = -math.inf,
        least: float = -math.inf,
        most: float = math.inf,
    ) -> float:
        node = self._node
        kind = node.tag.rsplit(":", 1)[-1]
        value = math.nan
        if isinstance(node, yaml.ScalarNode) and kind in ("int", "float"):
            try:
                value = float(node.value)
            except ValueError:
                value = math.nan
        if not math.isfinite(value):
            self.wrong("is not a number")
            return 1.0
        if value <= above:
            self.wrong(f"is {value:g} and must be above {above:g}")
        elif value < least:
            self.wrong(f"is {value:g} and must be at least {least:g}")
        elif value > most:
            self.wrong(f"is {value:g} and must be at most {most:g}")
        else:
            return value
        return 1.0

    def flag(self, key: str) -> bool:
        entry = self.get(key)
        if entry is None:
            return False
        node = entry._node
        if not isinstance(node, yaml.ScalarNode) or not node.tag.endswith(":bool"):
            entry.wrong("is neither true nor false")
            return False
        return str(node.value).lower() in ("true", "yes", "on")

    def one_of(self, key: str, allowed: list[str], default: str) -> str:
        entry = self.get(key)
        if entry is None:
            return default
        value = entry.as_text()
        if value not in allowed:
            entry.wrong(f"is {value!r} and must be one of {', '.join(allowed)}")
            return default
        return value

    def numbers(self, count: int) -> tuple[float, ...] | None:
        """A list of so many numbers; None where it is none."""
        node = self._node
        if not isinstance(node, yaml.SequenceNode) or len(node.value) != count:
            self.wrong(f"is not a list of {count} numbers")
            return None
        return tuple(item.as_number() for item in self.items())


def parse(file: str, text: str, mistakes: Mistakes) -> Entry | None:
    """The top of a file; None where it is no mapping in YAML."""
    try:
        node = yaml.compose(text, Loader=LOADER)
    except yaml.YAMLError as broken:
        mark = getattr(broken, "problem_mark", None)
        line = 1 if mark is None else mark.line + 1
        why = getattr(broken, "problem", None) or str(broken)
        mistakes.add(file, line, f"is not YAML: {why}")
        return None
    if node is None:
        return None
    top = Entry(node, file, mistakes, "")
    if not isinstance(node, yaml.MappingNode):
        mistakes.add(file, top.line, "the file is not a mapping")
        return None
    return top
