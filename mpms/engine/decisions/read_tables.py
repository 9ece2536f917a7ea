"""Decision tables from XML."""

from collections.abc import Sequence
from typing import Any

from lxml import etree

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid

from ..feel import compile_feel
from .documents import children, local, text_of
from .hit_policies import AGGREGATIONS, POLICIES, RANKED
from .naming import normal, variable_name
from .problems import Reader
from .tables import CELL_INPUT, Column, Input, Output, Rule, Table
from .terms import Cell

_RELATIVES = ("http://camunda.org/schema/1.0/dmn", "http://operaton.org/schema/1.0/dmn")
_PASSED_OVER = (
    *("input", "output", "rule", "annotation"),
    *("", "description", "extensionElements"),
)


def read_table(
    reader: Reader, owner: etree._Element, table: etree._Element
) -> Table | None:
    problems_before = len(reader.problems)
    policy, aggregation = _policy(reader, table)
    inputs = [_input(reader, child) for child in children(table, "input")]
    outputs = _outputs(reader, owner, table)
    rules = [
        _rule(reader, child, index, len(inputs), len(outputs))
        for index, child in enumerate(children(table, "rule"), start=1)
    ]
    for child in table:
        if (tag := local(child)) not in _PASSED_OVER:
            reader.refuse(child, f"{tag} in a decision table is not supported")
    _validate(reader, table, policy, aggregation, outputs)
    taken = [entry for entry in inputs if entry is not None]
    _refuse_bare_words(reader, table, rules, taken)
    if len(reader.problems) > problems_before:
        return None
    key = owner.get("id") or ""
    return Table(key, policy, aggregation, tuple(taken), tuple(outputs), tuple(rules))


def _policy(reader: Reader, table: etree._Element) -> tuple[str, str | None]:
    policy = table.get("hitPolicy", "UNIQUE")
    aggregation = table.get("aggregation")
    if policy not in POLICIES:
        reader.refuse(table, f"there is no hit policy '{policy}'")
    if aggregation is not None and policy != "COLLECT":
        reader.refuse(table, f"the hit policy {policy} cannot aggregate")
    elif aggregation is not None and aggregation not in AGGREGATIONS:
        reader.refuse(table, f"there is no aggregation '{aggregation}'")
    return policy, aggregation


def _validate(
    reader: Reader,
    table: etree._Element,
    policy: str,
    aggregation: str | None,
    outputs: Sequence[Output],
) -> None:
    if not outputs:
        reader.refuse(table, "the table has no output")
    if aggregation is not None and len(outputs) > 1:
        reader.refuse(table, f"{aggregation} needs one output, not {len(outputs)}")
    if policy in RANKED and not any(output.priorities for output in outputs):
        reader.refuse(
            table, f"the hit policy {policy} needs the list of output values to rank by"
        )


def _input(reader: Reader, element: etree._Element) -> Input | None:
    found = children(element, "inputExpression")
    source = found[0] if found else element
    term = reader.term(source)
    label = element.get("label") or text_of(source) or "?"
    column = _column(reader, element, f"input '{label}'", source, "inputValues")
    named = (element.get(f"{{{space}}}inputVariable") for space in _RELATIVES)
    cell_name = next(filter(None, named), CELL_INPUT)
    return None if term is None else Input(column, term, cell_name)


def _outputs(
    reader: Reader, owner: etree._Element, table: etree._Element
) -> list[Output]:
    found = children(table, "output")
    outputs: list[Output] = []
    for element in found:
        name = normal(element.get("name"))
        if not name and len(found) == 1:
            has_variable = children(owner, "variable")
            name = variable_name(owner) if has_variable else owner.get("id") or ""
        if not name:
            reader.refuse(element, f"'{name}' is no name for an output")
        if any(output.name == name for output in outputs):
            reader.refuse(element, f"the output name '{name}' is there twice")
        default = None
        for entry in children(element, "defaultOutputEntry"):
            default = reader.term(entry)
        label = f"output '{name}'"
        column = _column(reader, element, label, element, "outputValues")
        ranked = table.get("hitPolicy") in RANKED
        priorities = _priorities(reader, element, column) if ranked else None
        outputs.append(Output(column, name, default, priorities))
    return outputs


def _column(
    reader: Reader,
    element: etree._Element,
    label: str,
    typed: etree._Element,
    values: str,
) -> Column:
    allowed: Cell | None = None
    for listed in children(element, values):
        if text_of(listed):
            allowed = reader.cell(listed)
    return Column(label, reader.type_of(typed, element), allowed)


def _priorities(
    reader: Reader, element: etree._Element, column: Column
) -> tuple[Any, ...] | None:
    """The output values as a list, the most important first."""
    allowed = column.allowed or column.type.allowed
    if allowed is None:
        return None
    try:
        values = compile_feel(f"[{allowed.text}]").evaluate({})
    except (ExpressionInvalid, ExpressionFailed):
        reader.refuse(
            element, f"output values to rank by must be a list, not {allowed.text}"
        )
        return None
    return tuple(values) if isinstance(values, list) else None


def _rule(
    reader: Reader, element: etree._Element, row: int, inputs: int, outputs: int
) -> Rule:
    tests = children(element, "inputEntry")
    results = children(element, "outputEntry")
    for entries, wanted, noun in (
        (tests, inputs, "input"),
        (results, outputs, "output"),
    ):
        if len(entries) != wanted:
            reader.refuse(
                element,
                f"rule {row} has {len(entries)} {noun} entries for {wanted} {noun}s",
            )
    cells = [reader.cell(entry) for entry in tests]
    return Rule(
        element.get("id") or f"rule {row}",
        row,
        tuple(cell for cell in cells if cell is not None),
        tuple(reader.term(entry, needed=False) for entry in results),
    )


def _refuse_bare_words(
    reader: Reader, table: etree._Element, rules: list[Rule], inputs: list[Input]
) -> None:
    """A lone word that nothing declares is most often a text without its quotes."""
    known = reader.known.union(*(entry.term.names for entry in inputs))
    for rule, element in zip(rules, children(table, "rule"), strict=True):
        for cell, entry in zip(
            rule.cells, children(element, "inputEntry"), strict=False
        ):
            if cell.only_name is not None and cell.only_name not in known:
                word = cell.only_name
                reader.refuse(
                    entry,
                    f"input entry '{word}' is a name that the file does not declare; "
                    f"quote it if it is a text, or write ? = {word}",
                )
