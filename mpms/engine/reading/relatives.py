"""Operaton is Camunda 7 under another name, and so are the words of its models.

They are renamed when a file is read: whoever looks at the model knows one vocabulary.
A file may speak both, but an element must not say two things in the same word.
"""

from __future__ import annotations

from lxml import etree

from mpms.domain.models.definitions import Problem
from mpms.engine.reading.names import CAMUNDA, MODELER, shown_name

OPERATON = "http://operaton.org/schema/1.0/bpmn"
SAME = {OPERATON: CAMUNDA, "http://operaton.org/schema/modeler/1.0": MODELER}


def in_the_words_of_camunda(root: etree._Element) -> list[Problem]:
    """Rename what Operaton calls otherwise; contradictions are the answer."""
    problems: list[Problem] = []
    if not _speaks(root):
        return problems
    for node in root.iter():
        node.tag = _renamed(str(node.tag)) or node.tag
        for key, value in [(str(k), str(v)) for k, v in node.attrib.items()]:
            name = _renamed(key)
            if name is None:
                continue
            before, word = node.get(name), name.rpartition("}")[2]
            if before is not None and before != value:
                reason = (
                    f"this element says both camunda:{word} '{before}' and "
                    f"operaton:{word} '{value}'; keep one of them"
                )
                problems.append(Problem(node.get("id") or "", shown_name(node), reason))
            del node.attrib[key]
            node.set(name, value)
    return problems


_speaks = etree.XPath(
    "boolean(//*["
    + " or ".join(
        f"namespace-uri() = '{space}' or @*[namespace-uri() = '{space}']"
        for space in SAME
    )
    + "])"
)


def _renamed(tag: str) -> str | None:
    space, _, word = tag.removeprefix("{").partition("}")
    return f"{{{SAME[space]}}}{word}" if space in SAME else None
