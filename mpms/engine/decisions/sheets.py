"""Decision tables as text for people, and their changes written back into the file.

Hit policy, columns, rules and examples are written; whatever else is in the file stays.
Examples lie in the extension elements of their decision, so they travel with the file.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import replace

from lxml import etree

from mpms.domain.errors import ModelRefused
from mpms.domain.models.decision_sheets import (
    DecisionSheet,
    SheetColumn,
    SheetExample,
    SheetRule,
)

from .decision import Decision
from .documents import DocumentRefused, children, read_document, text_of
from .naming import fragment
from .reading import read_decisions

EXAMPLES = "{urn:mpms:decision-examples}examples"
MOST_EXAMPLES = 100
_REQUIREMENTS = (
    ("informationRequirement", "requiredDecision"),
    ("informationRequirement", "requiredInput"),
    ("knowledgeRequirement", "requiredKnowledge"),
)


def read_sheets(xml: bytes) -> list[DecisionSheet]:
    """Every decision of a file, also of one that is refused. ModelRefused."""
    root = _root(xml)
    names = {child.get("id") or "": child.get("name") or "" for child in root}
    try:
        decisions = read_decisions(xml)
    except ModelRefused:
        decisions = {}
    return [
        _sheet(element, names, _needs(decisions, element.get("id") or ""))
        for element in children(root, "decision")
    ]


def write_sheet(xml: bytes, sheet: DecisionSheet) -> bytes:
    """The file with the rules and hit policy of one table replaced. ModelRefused."""
    root = _root(xml)
    for element in children(root, "decision"):
        tables = children(element, "decisionTable")
        if element.get("id") == sheet.key and tables:
            _write(tables[0], sheet)
            _write_examples(element, sheet.examples)
            written: bytes = etree.tostring(
                root, xml_declaration=True, encoding="UTF-8"
            )
            return written
    raise ModelRefused(f"the file holds no decision table '{sheet.key}'")


def _root(xml: bytes) -> etree._Element:
    try:
        return read_document(xml)
    except DocumentRefused as cause:
        raise ModelRefused(str(cause)) from None


# -- reading -------------------------------------------------------------------------


def _sheet(
    element: etree._Element, names: dict[str, str], needs: tuple[str, ...]
) -> DecisionSheet:
    key = element.get("id") or ""
    requires = tuple(
        names.get(id_) or id_
        for outer, inner in _REQUIREMENTS
        for requirement in children(element, outer)
        for reference in children(requirement, inner)
        if (id_ := fragment(reference.get("href") or "")[1])
    )
    sheet = DecisionSheet(
        key,
        element.get("name") or key,
        _plain_text(element, "description"),
        requires=requires,
        needs=needs,
    )
    tables = children(element, "decisionTable")
    if not tables:
        boxes = children(element, "literalExpression")
        told = text_of(boxes[0]) if boxes else ""
        return replace(sheet, expression=told)
    table = tables[0]
    return replace(
        sheet,
        is_table=True,
        hit_policy=table.get("hitPolicy", "UNIQUE"),
        aggregation=table.get("aggregation", ""),
        inputs=tuple(_input(one) for one in children(table, "input")),
        outputs=tuple(_output(one) for one in children(table, "output")),
        rules=tuple(_rule(one) for one in children(table, "rule")),
        examples=_examples(element),
    )


def _examples(element: etree._Element) -> tuple[SheetExample, ...]:
    """What somebody wrote there by hand and cannot be read is no example."""
    for holder in children(element, "extensionElements"):
        for kept in holder.iterchildren(EXAMPLES):
            try:
                return tuple(
                    SheetExample(
                        {str(name): str(text) for name, text in one["given"].items()},
                        str(one.get("expected", "")),
                    )
                    for one in json.loads(kept.text or "[]")[:MOST_EXAMPLES]
                )
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                return ()
    return ()


def _input(element: etree._Element) -> SheetColumn:
    found = children(element, "inputExpression")
    source = found[0] if found else element
    text = text_of(source)
    return SheetColumn(
        element.get("id") or "",
        element.get("label") or text,
        text,
        source.get("typeRef") or "",
        _values(element, "inputValues"),
    )


def _output(element: etree._Element) -> SheetColumn:
    name = element.get("name") or ""
    return SheetColumn(
        element.get("id") or "",
        element.get("label") or name,
        name,
        element.get("typeRef") or "",
        _values(element, "outputValues"),
    )


def _values(element: etree._Element, word: str) -> str:
    return " ".join(text_of(one) for one in children(element, word))


def _rule(element: etree._Element) -> SheetRule:
    notes = [_plain_text(element, "description")]
    notes += [text_of(one) for one in children(element, "annotationEntry")]
    return SheetRule(
        element.get("id") or "",
        tuple(text_of(one) for one in children(element, "inputEntry")),
        tuple(text_of(one) for one in children(element, "outputEntry")),
        " ".join(filter(None, notes)),
    )


def _plain_text(element: etree._Element, word: str) -> str:
    return " ".join(
        " ".join((one.text or "").split()) for one in children(element, word)
    )


def _needs(decisions: dict[str, Decision], key: str) -> tuple[str, ...]:
    """The variables that a decision and all that it requires here must be given."""
    wanted: dict[str, None] = {}
    made: set[str] = set()
    todo, done = [key], set[str]()
    while todo:
        one = decisions.get(todo.pop())
        if one is None or one.key in done:
            continue
        done.add(one.key)
        made.update((one.key, one.name, one.variable))
        made.update(one.file.knowledge[name].name for name in one.knowledge)
        wanted.update(dict.fromkeys(sorted(one.names)))
        wanted.update({one.file.inputs[name].name: None for name in one.inputs})
        todo += [required.key for required in one.requires]
    made.discard("")
    top = decisions.get(key)
    if top is not None:  # its own name may be a variable of the process as well
        made -= {top.key, top.name, top.variable} & set(top.names)
    return tuple(name for name in wanted if name not in made)


# -- writing -------------------------------------------------------------------------


def _write(table: etree._Element, sheet: DecisionSheet) -> None:
    table.set("hitPolicy", sheet.hit_policy)
    if sheet.aggregation:
        table.set("aggregation", sheet.aggregation)
    elif "aggregation" in table.attrib:
        del table.attrib["aggregation"]
    _write_columns(table, "input", sheet.inputs)
    _write_columns(table, "output", sheet.outputs)
    known = {}
    for drawn in children(table, "rule"):
        known[drawn.get("id") or ""] = drawn
        table.remove(drawn)
    place = max(
        (table.index(one) + 1 for one in children(table, "input", "output")),
        default=len(table),
    )
    for one in children(table, "annotation"):
        place = max(place, table.index(one) + 1)
    for offset, rule in enumerate(sheet.rules):
        table.insert(place + offset, _written(table, known.pop(rule.id, None), rule))
    etree.indent(table, space="  ", level=2)


def _write_columns(
    table: etree._Element, word: str, columns: tuple[SheetColumn, ...]
) -> None:
    """In their order; one that says what it said before is left as it is."""
    read = _input if word == "input" else _output
    drawn = {
        one.get("id") or str(n): one for n, one in enumerate(children(table, word))
    }
    if [read(one) for one in drawn.values()] == list(columns):
        return
    space = f"{{{etree.QName(table).namespace}}}"
    for one in drawn.values():
        table.remove(one)
    others = children(table, "input") if word == "output" else []
    place = max((table.index(one) + 1 for one in others), default=_first_place(table))
    for number, column in enumerate(columns):
        made = drawn.pop(column.id or str(number), None)
        if made is None:
            made = table.makeelement(f"{space}{word}")
            made.set("id", f"{word}_{secrets.token_hex(4)}")
        if read(made) != column:
            _write_column(made, word, column, space)
        table.insert(place + number, made)


def _first_place(table: etree._Element) -> int:
    before = children(table, "description", "extensionElements")
    return max((table.index(one) + 1 for one in before), default=0)


def _write_column(
    made: etree._Element, word: str, column: SheetColumn, space: str
) -> None:
    holder = made
    if word == "input":
        found = children(made, "inputExpression")
        if found:
            holder = found[0]
        else:
            holder = etree.SubElement(made, f"{space}inputExpression")
            holder.set("id", f"expression_{secrets.token_hex(4)}")
        _write_text(holder, column.text, space)
    else:
        made.set("name", _writable(column.text))
    _set(made, "label", column.label if column.label != column.text else "")
    _set(holder, "typeRef", column.type)
    for old in children(made, f"{word}Values"):
        made.remove(old)
    if column.values:
        values = etree.SubElement(made, f"{space}{word}Values")
        _write_text(values, column.values, space)


def _set(element: etree._Element, name: str, value: str) -> None:
    if value:
        element.set(name, _writable(value))
    else:
        element.attrib.pop(name, "")


def _write_examples(
    element: etree._Element, examples: tuple[SheetExample, ...]
) -> None:
    if _examples(element) == examples:
        return
    space = f"{{{etree.QName(element).namespace}}}"
    holders = children(element, "extensionElements")
    for holder in holders:
        for old in holder.iterchildren(EXAMPLES):
            holder.remove(old)
    if examples and not holders:
        holders = [element.makeelement(f"{space}extensionElements")]
        element.insert(len(children(element, "description")), holders[0])
    if examples:
        kept = etree.SubElement(
            holders[0], EXAMPLES, nsmap={"mpms": "urn:mpms:decision-examples"}
        )
        said = [{"given": dict(e.given), "expected": e.expected} for e in examples]
        kept.text = _writable(json.dumps(said, ensure_ascii=False))
    elif holders and len(holders[0]) == 0:
        element.remove(holders[0])


def _written(
    table: etree._Element, old: etree._Element | None, rule: SheetRule
) -> etree._Element:
    """The old element with new texts, so that what else it says is kept."""
    space = etree.QName(table).namespace
    made = table.makeelement(f"{{{space}}}rule") if old is None else old
    if old is None:
        made.set("id", rule.id or f"rule_{secrets.token_hex(4)}")
    _write_note(made, rule.note, f"{{{space}}}")
    for word, texts in (("inputEntry", rule.inputs), ("outputEntry", rule.outputs)):
        entries = children(made, word)
        for entry in entries[len(texts) :]:
            made.remove(entry)
        for number, text in enumerate(texts):
            if number < len(entries):
                entry = entries[number]
            else:
                entry = etree.SubElement(made, f"{{{space}}}{word}")
                entry.set("id", f"entry_{secrets.token_hex(4)}")
            _write_text(entry, text, f"{{{space}}}")
    for word in ("inputEntry", "outputEntry", "annotationEntry"):
        for entry in children(made, word):
            made.append(entry)  # in this order, whatever was added before
    return made


def _write_note(rule: etree._Element, note: str, space: str) -> None:
    if _rule(rule).note == note:
        return
    for old in children(rule, "description", "annotationEntry"):
        rule.remove(old)
    if note:
        described = etree.Element(f"{space}description")
        described.text = _writable(note)
        rule.insert(0, described)


def _write_text(entry: etree._Element, text: str, space: str) -> None:
    found = children(entry, "text")
    holder = found[0] if found else etree.SubElement(entry, f"{space}text")
    holder.text = _writable(text)


def _writable(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return "".join(
        c for c in text if c in "\t\n\r" or (ord(c) >= 32 and c.isprintable())
    )
