"""Decision logic from XML: whatever may stand in a decision, an entry or a function."""

from lxml import etree

from ..feel.calls import BUILTINS
from .boxed import (
    Conditional,
    Contextual,
    Defined,
    Entry,
    Filtered,
    Invoked,
    Listed,
    Literal,
    Logic,
    Related,
    Repeated,
)
from .documents import children, local
from .item_types import ANY
from .naming import normal
from .problems import Reader
from .read_tables import read_table

LITERAL = "literalExpression"
LOGIC = (
    *("decisionTable", LITERAL, "context", "list", "relation"),
    *("invocation", "functionDefinition"),
    *("conditional", "for", "every", "some", "filter"),
)
PARTS = {
    "conditional": ("if", "then", "else"),
    "filter": ("in", "match"),
    "for": ("in", "return"),
    "every": ("in", "satisfies"),
    "some": ("in", "satisfies"),
}
TYPED = frozenset(LOGIC) - {"functionDefinition"}
_MAX_BOXES_DEEP = 20


def read_logic(
    reader: Reader, owner: etree._Element, element: etree._Element, depth: int = 0
) -> Logic | None:
    if depth > _MAX_BOXES_DEEP:
        reader.refuse(
            owner, f"boxes are nested more than {_MAX_BOXES_DEEP} levels deep"
        )
        return None
    tag = local(element)
    if tag == "decisionTable":
        return read_table(reader, owner, element)
    if tag == LITERAL:
        return _literal(reader, owner, element)
    if tag == "context":
        return _context(reader, owner, element, depth)
    if tag == "list":
        members = [read_logic(reader, owner, c, depth + 1) for c in _boxes(element)]
        return Listed(tuple(member for member in members if member is not None))
    if tag == "relation":
        return _relation(reader, owner, element, depth)
    if tag == "invocation":
        return _invocation(reader, owner, element, depth)
    if tag == "functionDefinition":
        return read_function(reader, owner, element, depth)
    return _walked(reader, owner, element, depth)


def _walked(
    reader: Reader, owner: etree._Element, element: etree._Element, depth: int
) -> Logic | None:
    """Conditional, filter, for, some and every: boxes around boxes."""
    tag = local(element)
    parts: list[Logic] = []
    for word in PARTS[tag]:
        found = [box for part in children(element, word) for box in _boxes(part)]
        if len(found) != 1:
            reader.refuse(owner, f"the boxed {tag} has no expression for '{word}'")
            return None
        spans = word == "in" and tag != "filter" and local(found[0]) == LITERAL
        logic = (
            _spanned(reader, found[0])
            if spans
            else read_logic(reader, owner, found[0], depth + 1)
        )
        if logic is None:
            return None
        parts.append(logic)
    if tag == "conditional":
        return Conditional(*parts)
    if tag == "filter":
        return Filtered(*parts)
    name = normal(element.get("iteratorVariable"))
    if not name:
        reader.refuse(owner, f"the boxed {tag} names no iterator variable")
        return None
    return Repeated(tag, name, *parts)


def _boxes(element: etree._Element) -> list[etree._Element]:
    return children(element, *LOGIC)


def _literal(
    reader: Reader, owner: etree._Element, element: etree._Element
) -> Logic | None:
    if children(element, "importedValues"):
        reader.refuse(owner, "imported values are not supported")
        return None
    term = reader.term(element)
    return None if term is None else Literal(term)


def _spanned(reader: Reader, element: etree._Element) -> Logic | None:
    term = reader.span(element)
    return None if term is None else Literal(term)


def _context(
    reader: Reader, owner: etree._Element, element: etree._Element, depth: int
) -> Logic | None:
    entries: list[Entry] = []
    result: Logic | None = None
    for child in children(element, "contextEntry"):
        boxes = _boxes(child)
        if len(boxes) != 1:
            reader.refuse(owner, "an entry of the context has no expression")
            return None
        logic = read_logic(reader, owner, boxes[0], depth + 1)
        if logic is None:
            return None
        variables = children(child, "variable")
        name = normal(variables[0].get("name")) if variables else ""
        if name:
            if result is not None or any(entry.name == name for entry in entries):
                reader.refuse(owner, f"the entry '{name}' is there twice or too late")
            if isinstance(logic, Defined):
                refuse_builtin_name(reader, owner, name)
            entries.append(Entry(name, logic, reader.type_of(variables[0], owner)))
        elif result is None:
            result = logic
        else:
            reader.refuse(owner, "the context has two results")
    return Contextual(tuple(entries), result)


def _relation(
    reader: Reader, owner: etree._Element, element: etree._Element, depth: int
) -> Logic | None:
    columns = tuple(normal(c.get("name")) for c in children(element, "column"))
    if len(set(columns)) != len(columns) or not all(columns):
        reader.refuse(owner, "the columns of the relation need names of their own")
        return None
    rows: list[tuple[Logic, ...]] = []
    for number, row in enumerate(children(element, "row"), start=1):
        boxes = _boxes(row)
        if len(boxes) != len(columns):
            reader.refuse(
                owner,
                f"row {number} of the relation has {len(boxes)} cells for "
                f"{len(columns)} columns",
            )
            return None
        cells = [read_logic(reader, owner, box, depth + 1) for box in boxes]
        rows.append(tuple(cell for cell in cells if cell is not None))
    return Related(columns, tuple(rows))


def _invocation(
    reader: Reader, owner: etree._Element, element: etree._Element, depth: int
) -> Logic | None:
    called = children(element, "literalExpression")
    function = reader.term(called[0]) if called else None
    if function is None:
        reader.refuse(owner, "the invocation names no function")
        return None
    arguments: dict[str, Logic] = {}
    for binding in children(element, "binding"):
        parameter, boxes = children(binding, "parameter"), _boxes(binding)
        name = normal(parameter[0].get("name")) if parameter else ""
        if not name or name in arguments:
            reader.refuse(owner, f"the invocation binds '{name}' twice or to nothing")
            return None
        logic = read_logic(reader, owner, boxes[0], depth + 1) if boxes else None
        if logic is None:
            if not boxes:
                reader.refuse(owner, f"the invocation gives '{name}' no value")
            return None
        arguments[name] = logic
    return Invoked(function, arguments)


def read_function(
    reader: Reader, owner: etree._Element, element: etree._Element, depth: int = 0
) -> Defined | None:
    kind = element.get("kind", "FEEL")
    if kind != "FEEL":
        reader.refuse(owner, f"a function in {kind} is not supported")
        return None
    parameters = []
    for child in children(element, "formalParameter"):
        name = normal(child.get("name"))
        parameters.append((name, reader.type_of(child, owner)))
    names = [name for name, _ in parameters]
    if not all(names) or len(set(names)) != len(names):
        reader.refuse(owner, "the parameters of the function need names of their own")
        return None
    boxes = _boxes(element)
    if len(boxes) != 1:
        reader.refuse(owner, "the function has no expression")
        return None
    body = read_logic(reader, owner, boxes[0], depth + 1)
    # In a business knowledge model the variable has the type of what it gives.
    typed = element if element.get("typeRef") else boxes[0]
    result = reader.type_of(typed, owner) if local(boxes[0]) in TYPED else ANY
    return None if body is None else Defined(tuple(parameters), body, result)


def refuse_builtin_name(reader: Reader, owner: etree._Element, name: str) -> None:
    if name in BUILTINS:
        reader.refuse(owner, f"'{name}' is the name of a built-in function")
