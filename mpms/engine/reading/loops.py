"""Multi-instance and standard loops, in Camunda's words and in BPMN's own."""

from __future__ import annotations

from lxml import etree

from mpms.engine.model import Loop
from mpms.engine.reading.names import (
    attribute,
    camunda,
    camunda_says,
    child,
    child_expression,
    child_text,
    children,
    is_true,
    tag_of,
    whole_number,
)
from mpms.engine.reading.zeebe import read_zeebe_loop

LOOP_TAGS = frozenset(
    {"multiInstanceLoopCharacteristics", "standardLoopCharacteristics"}
)


def loop_node(node: etree._Element) -> etree._Element | None:
    return next((part for part in children(node) if tag_of(part)[1] in LOOP_TAGS), None)


def read_loop(node: etree._Element | None) -> Loop | None:
    if node is None:
        return None
    if tag_of(node)[1] == "standardLoopCharacteristics":
        return Loop(
            kind="standard",
            loop_condition=child_expression(node, "loopCondition") or None,
            loop_maximum=whole_number(attribute(node, "loopMaximum")),
            test_before=is_true(node, "testBefore"),
        )
    if (loop := read_zeebe_loop(node)) is not None:
        return loop
    return Loop(
        kind="sequential" if is_true(node, "isSequential") else "parallel",
        collection=camunda(node, "collection") or child_text(node, "loopDataInputRef"),
        element_variable=camunda(node, "elementVariable") or _item(node, "input"),
        cardinality=child_expression(node, "loopCardinality") or None,
        completion=child_expression(node, "completionCondition") or None,
        output_collection=child_text(node, "loopDataOutputRef") or None,
        output_element=_item(node, "output"),
        async_before=camunda_says(node, "asyncBefore") or camunda_says(node, "async"),
        async_after=camunda_says(node, "asyncAfter"),
    )


def _item(node: etree._Element, direction: str) -> str | None:
    item = child(node, f"{direction}DataItem")
    if item is None:
        return None
    return attribute(item, "name") or attribute(item, "id")
