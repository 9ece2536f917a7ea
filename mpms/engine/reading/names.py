"""Namespaces and small questions to an XML element, in one place.

Prefixes are never looked at: files call the same namespace bpmn, bpmn2, semantic,
or nothing at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from lxml import etree

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"
CAMUNDA = "http://camunda.org/schema/1.0/bpmn"
ZEEBE = "http://camunda.org/schema/zeebe/1.0"
MODELER = "http://camunda.org/schema/modeler/1.0"

DIALECTS = {
    BPMN: "bpmn",
    CAMUNDA: "camunda",
    ZEEBE: "zeebe",
    MODELER: "modeler",
    "http://activiti.org/bpmn": "activiti",
    "http://flowable.org/bpmn": "flowable",
    "http://spiffworkflow.org/bpmn/schema/1.0/core": "spiffworkflow",
    "http://www.jboss.org/drools": "drools",
    "http://www.omg.org/spec/BPMN/20100524/DI": "diagram",
    "http://www.omg.org/spec/DD/20100524/DI": "diagram",
    "http://www.omg.org/spec/DD/20100524/DC": "diagram",
    "http://www.w3.org/2001/XMLSchema-instance": "xsi",
    "http://www.w3.org/XML/1998/namespace": "xml",
}

FEEL_LANGUAGE = re.compile(
    r"feel|https?://www\.omg\.org/spec/(DMN/\d+/FEEL|FEEL/\d+)/?", re.IGNORECASE
)
"""How files name FEEL as the language of an expression."""

_EXTENSIONS = f"{{{BPMN}}}extensionElements"


@lru_cache(maxsize=4096)
def split(tag: str) -> tuple[str, str]:
    """Dialect (or unknown namespace) and local name: ``{uri}word`` → two words."""
    if not tag.startswith("{"):
        return "", tag
    namespace, _, word = tag[1:].partition("}")
    return DIALECTS.get(namespace, namespace), word


def tag_of(node: etree._Element) -> tuple[str, str]:
    return split(str(node.tag))


def children(node: etree._Element, dialect: str = "bpmn") -> Iterator[etree._Element]:
    return (child for child in node if tag_of(child)[0] == dialect)


def child(node: etree._Element, word: str) -> etree._Element | None:
    return node.find(f"{{{BPMN}}}{word}")


def child_text(node: etree._Element, word: str) -> str | None:
    """The text of a BPMN child; ``None`` if there is no such child."""
    found = child(node, word)
    return None if found is None else text_of(found)


def child_expression(node: etree._Element, word: str) -> str | None:
    """As ``child_text``, for children that hold an expression."""
    found = child(node, word)
    return None if found is None else expression_text(found)


def expression_text(node: etree._Element) -> str:
    """The text, marked as FEEL if the element or the whole file says that it is."""
    text = text_of(node)
    if not text or text.startswith(("=", "${", "#{")):
        return text
    language = node.get("language")
    if language is None:
        language = node.getroottree().getroot().get("expressionLanguage") or ""
    is_feel = FEEL_LANGUAGE.fullmatch(language.strip()) is not None
    return f"={text}" if is_feel else text


def text_of(node: etree._Element) -> str:
    return (node.text or "").strip()


def extensions(node: etree._Element) -> Iterator[etree._Element]:
    """The Camunda elements among the extension elements of a node."""
    for holder in node.iterchildren(_EXTENSIONS):
        yield from children(holder, "camunda")


def camunda(node: etree._Element, word: str) -> str | None:
    """A Camunda attribute; blank counts as absent, as in the modeller."""
    value = node.get(f"{{{CAMUNDA}}}{word}")
    return (value or "").strip() or None


def camunda_says(node: etree._Element, word: str) -> bool:
    """A Camunda attribute that is true or not there."""
    return (camunda(node, word) or "").lower() == "true"


def attribute(node: etree._Element, word: str) -> str | None:
    value = node.get(word)
    return (value or "").strip() or None


def is_true(node: etree._Element, word: str, *, otherwise: bool = False) -> bool:
    value = attribute(node, word)
    return otherwise if value is None else value.lower() in ("true", "1")


def whole_number(text: str | None) -> int | None:
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 9:
        return None
    return int(text)


def referred(text: str | None) -> str | None:
    """A reference without the prefix that some editors put before it."""
    return (text or "").strip().rpartition(":")[2] or None


def shown_name(node: etree._Element) -> str:
    """The name as one line; the modeller breaks long labels."""
    return " ".join(str(node.get("name") or "").split())
