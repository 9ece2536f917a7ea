"""From a DMN file to decisions, or to the list of everything that stands against it.

What is not executed exactly is refused with its element; nothing is skipped but what
only draws or explains.
"""

import re
from collections.abc import Callable
from typing import TypeVar

from lxml import etree

from mpms.domain.errors import ExpressionInvalid, ModelRefused
from mpms.domain.models import Problem

from ..expressions import Expression, compile_expression
from .documents import DocumentRefused, children, local, read_document, text_of
from .hit_policies import AGGREGATIONS, POLICIES, REFUSED
from .tables import TYPES, Column, Decision, Input, Output, Rule
from .unary_tests import UnaryTest, compile_unary_test

_DRAWN_OR_EXPLAINED = {
    "description",
    "extensionElements",
    "inputData",
    "knowledgeSource",
    "textAnnotation",
    "association",
    "group",
    "elementCollection",
}
_OF_A_DECISION = {
    "variable",
    "question",
    "allowedAnswers",
    "supportedObjective",
    "impactedPerformanceIndicator",
    "decisionMaker",
    "decisionOwner",
    "usingProcess",
    "usingTask",
    "authorityRequirement",
    "informationRequirement",
    "description",
    "extensionElements",
}
Compiled = TypeVar("Compiled")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def read_decisions(xml: bytes) -> dict[str, Decision]:
    """The decisions of a file by id; ``ModelRefused`` names every problem."""
    reader = _Reader()
    decisions = reader.file(xml)
    if reader.problems:
        told = "; ".join(
            f"{problem.element or 'file'}: {problem.reason}"
            for problem in reader.problems
        )
        raise ModelRefused(f"the decisions cannot be executed as drawn: {told}")
    return decisions


def check_decisions(xml: bytes) -> list[Problem]:
    reader = _Reader()
    reader.file(xml)
    return reader.problems


class _Reader:
    """Collects problems instead of stopping at the first."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def refuse(self, element: etree._Element, reason: str) -> None:
        """A problem of the element, or of what it is in if it has no id."""
        at: etree._Element | None = element
        while at is not None and not at.get("id"):
            at = at.getparent()
        found = element if at is None else at
        name = found.get("name") or found.get("label") or ""
        self.problems.append(Problem(found.get("id") or "", name, reason))

    def file(self, xml: bytes) -> dict[str, Decision]:
        try:
            root = read_document(xml)
        except DocumentRefused as cause:
            self.problems.append(Problem("", "", str(cause)))
            return {}
        self.language(root)
        decisions: dict[str, Decision] = {}
        for child in root:
            tag = local(child)
            if tag == "decision":
                decision = self.decision(child)
                if decision is not None and decision.key in decisions:
                    self.refuse(child, f"the id '{decision.key}' is there twice")
                elif decision is not None:
                    decisions[decision.key] = decision
            elif tag and tag not in _DRAWN_OR_EXPLAINED:
                self.refuse(child, f"{tag} is not supported")
        if not decisions and not self.problems:
            self.refuse(root, "the file has no decision")
        return decisions

    def decision(self, element: etree._Element) -> Decision | None:
        problems_before = len(self.problems)
        tables = children(element, "decisionTable")
        for child in element:
            tag = local(child)
            if tag == "informationRequirement":
                if children(child, "requiredDecision"):
                    self.refuse(element, "a required decision is not supported")
            elif tag and tag not in _OF_A_DECISION | {"decisionTable"}:
                self.refuse(element, f"{tag} is not supported")
        key, name = element.get("id") or "", element.get("name") or ""
        if not key:
            self.refuse(element, "the decision has no id")
        if len(tables) != 1:
            if len(self.problems) == problems_before:
                self.refuse(element, "the decision has no decision table")
            return None
        table = tables[0]
        self.language(table)
        policy, aggregation = self.policy(table)
        inputs = [self.input(child) for child in children(table, "input")]
        outputs = self.outputs(element, table)
        rules = [
            self.rule(child, index, len(inputs), len(outputs))
            for index, child in enumerate(children(table, "rule"), start=1)
        ]
        for child in table:
            if (tag := local(child)) not in (
                *("input", "output", "rule", "annotation"),
                *("", "description", "extensionElements"),
            ):
                self.refuse(child, f"{tag} in a decision table is not supported")
        if not outputs:
            self.refuse(table, "the table has no output")
        if aggregation is not None and len(outputs) > 1:
            self.refuse(table, f"{aggregation} needs one output, not {len(outputs)}")
        if len(self.problems) > problems_before:
            return None
        return Decision(
            key,
            name,
            policy,
            aggregation,
            tuple(entry for entry in inputs if entry is not None),
            tuple(outputs),
            tuple(rules),
        )

    def policy(self, table: etree._Element) -> tuple[str, str | None]:
        policy = table.get("hitPolicy", "UNIQUE")
        aggregation = table.get("aggregation")
        if policy in REFUSED:
            self.refuse(table, f"the hit policy {policy} is not supported")
        elif policy not in POLICIES:
            self.refuse(table, f"there is no hit policy '{policy}'")
        if aggregation is not None and policy != "COLLECT":
            self.refuse(table, f"the hit policy {policy} cannot aggregate")
        elif aggregation is not None and aggregation not in AGGREGATIONS:
            self.refuse(table, f"there is no aggregation '{aggregation}'")
        return policy, aggregation

    def input(self, element: etree._Element) -> Input | None:
        found = children(element, "inputExpression")
        source = found[0] if found else element
        expression = self.compiled(source, text_of(source), compile_expression)
        label = element.get("label") or text_of(source) or "?"
        column = self.column(
            element, f"input '{label}'", source.get("typeRef"), "inputValues"
        )
        return None if expression is None else Input(column, expression)

    def outputs(self, decision: etree._Element, table: etree._Element) -> list[Output]:
        found = children(table, "output")
        outputs: list[Output] = []
        for element in found:
            name = element.get("name")
            if not name and len(found) == 1:
                variables = children(decision, "variable")
                name = variables[0].get("name") if variables else decision.get("id")
            if not name or not _NAME.fullmatch(name):
                self.refuse(element, f"'{name or ''}' is no name for an output")
            if any(output.name == name for output in outputs):
                self.refuse(element, f"the output name '{name}' is there twice")
            if children(element, "defaultOutputEntry"):
                self.refuse(element, "a default output is not supported")
            column = self.column(
                element, f"output '{name}'", element.get("typeRef"), "outputValues"
            )
            outputs.append(Output(column, name or ""))
        return outputs

    def column(
        self, element: etree._Element, label: str, type_ref: str | None, values: str
    ) -> Column:
        kind = (type_ref or "Any").rpartition(":")[2]
        if kind not in TYPES:
            self.refuse(element, f"the type '{kind}' is not supported")
            kind = "Any"
        allowed: UnaryTest | None = None
        for listed in children(element, values):
            allowed = self.compiled(listed, text_of(listed), compile_unary_test)
        return Column(element.get("id") or "", label, kind, allowed)

    def rule(
        self, element: etree._Element, number: int, inputs: int, outputs: int
    ) -> Rule:
        tests = children(element, "inputEntry")
        results = children(element, "outputEntry")
        for entries, wanted, noun in (
            (tests, inputs, "input"),
            (results, outputs, "output"),
        ):
            if len(entries) != wanted:
                self.refuse(
                    element,
                    f"rule {number} has {len(entries)} {noun} entries for "
                    f"{wanted} {noun}s",
                )
        return Rule(
            element.get("id") or f"rule {number}",
            tuple(
                test
                for entry in tests
                if (test := self.compiled(entry, text_of(entry), compile_unary_test))
            ),
            tuple(self.result(entry) for entry in results),
        )

    def result(self, entry: etree._Element) -> Expression | None:
        text = text_of(entry)
        return self.compiled(entry, text, compile_expression) if text else None

    def compiled(
        self, element: etree._Element, text: str, compiler: Callable[[str], Compiled]
    ) -> Compiled | None:
        self.language(element)
        try:
            return compiler(text)
        except ExpressionInvalid as cause:
            self.refuse(element, str(cause))
            return None

    def language(self, element: etree._Element) -> None:
        language = element.get("expressionLanguage")
        if language and "feel" not in language.lower() and language.lower() != "juel":
            self.refuse(element, f"the expression language '{language}' is refused")
