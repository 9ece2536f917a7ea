"""The names a file declares, collected before anything in it is compiled.

FEEL can only tell ``pre-order`` from a subtraction if it knows the name.
"""

from lxml import etree

from .documents import local

_NAMED = frozenset(
    {
        "decision",
        "inputData",
        "businessKnowledgeModel",
        "variable",
        "formalParameter",
        "parameter",
        "itemComponent",
        "column",
        "output",
        "import",
        "itemDefinition",
        "decisionService",
    }
)


def declared_names(root: etree._Element) -> frozenset[str]:
    found: set[str] = set()
    for element in root.iter():
        if not isinstance(element.tag, str) or local(element) not in _NAMED:
            continue
        if name := normal(element.get("name")):
            found.add(name)
    return frozenset(found)


def normal(name: str | None) -> str:
    """Blanks in a name count once."""
    return " ".join((name or "").split())


def variable_name(element: etree._Element) -> str:
    """The name under which others see a decision, an input or a function."""
    for child in element:
        if local(child) == "variable" and normal(child.get("name")):
            return normal(child.get("name"))
    return normal(element.get("name")) or element.get("id") or ""


def fragment(href: str | None) -> tuple[str, str]:
    """The document and the id of ``document#id``."""
    document, _, key = (href or "").strip().rpartition("#")
    return document, key
