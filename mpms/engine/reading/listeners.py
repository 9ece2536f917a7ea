"""Camunda 7's listeners whose work is an expression or a script of our own.

Their work is done in the step itself, so it needs no job. What is bound to Java stays
with the facts, and the lint refuses it by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lxml import etree

from mpms.engine.model import ListenerScript
from mpms.engine.reading.names import attribute, children, tag_of, text_of

TIMEOUT = "timeout"
_JAVA = ("class", "delegateExpression")
_SETS = re.compile(
    r"[$#]\{\s*(?:execution|task|delegateTask)\s*\.\s*setVariable(Local)?\s*\("
    r"\s*([\"'])(\w+)\2\s*,(.*)\)\s*\}",
    re.DOTALL,
)


def read_listeners(nodes: Iterable[etree._Element]) -> tuple[ListenerScript, ...]:
    return tuple(_of(nodes))


def _of(nodes: Iterable[etree._Element]) -> Iterator[ListenerScript]:
    for node in nodes:
        event = attribute(node, "event") or ""
        for part in children(node, "camunda"):
            if tag_of(part)[1] == "script":
                yield ListenerScript(event, script=text_of(part))
        expression = attribute(node, "expression")
        if expression is None:
            if not any(node.get(word) for word in _JAVA) and not len(node):
                yield ListenerScript(event)  # has no work; the lint says so
            continue
        sets = _SETS.fullmatch(expression)
        if sets is None:
            yield ListenerScript(event, value=expression)
            continue
        local, _, name, value = sets.groups()
        yield ListenerScript(
            event, value=f"${{{value.strip()}}}", target=name, local=local is not None
        )
