"""From a DMN file to decisions, or to the list of everything that stands against it.

What is not executed exactly is refused with its element; nothing is skipped but what
only draws or explains.
"""

from lxml import etree

from mpms.domain.errors import ModelRefused
from mpms.domain.models.definitions import Problem

from .boxed import Logic
from .decision import Decision, File, InputData, Knowledge, Required
from .documents import (
    NAMESPACES,
    DocumentRefused,
    children,
    local,
    read_document,
)
from .item_types import ANY, ItemType
from .naming import fragment, normal, variable_name
from .problems import Reader
from .read_logic import LOGIC, read_function, read_logic, refuse_builtin_name

_DRAWN_OR_EXPLAINED = {
    "description",
    "extensionElements",
    "itemDefinition",
    "knowledgeSource",
    "textAnnotation",
    "association",
    "group",
    "elementCollection",
    "performanceIndicator",
    "organizationUnit",
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
    "knowledgeRequirement",
    "description",
    "extensionElements",
}


def read_decisions(xml: bytes) -> dict[str, Decision]:
    """The decisions of a file by id; ``ModelRefused`` names every problem."""
    reader = _FileReader()
    decisions = reader.file(xml)
    if reader.problems:
        told = "; ".join(
            f"{problem.element or 'file'}: {problem.reason}"
            for problem in reader.problems
        )
        raise ModelRefused(f"the decisions cannot be executed as drawn: {told}")
    return decisions


def check_decisions(xml: bytes) -> list[Problem]:
    reader = _FileReader()
    reader.file(xml)
    return reader.problems


class _FileReader(Reader):
    def __init__(self) -> None:
        super().__init__()
        self.made = File()
        self.imports: dict[str, str] = {}  # names by namespace
        self.ids: dict[str, str] = {}  # tags by id

    def file(self, xml: bytes) -> dict[str, Decision]:
        try:
            root = read_document(xml)
        except DocumentRefused as cause:
            self.problems.append(Problem("", "", str(cause)))
            return {}
        self.begin(root)
        self.language(root)
        self.ids = {c.get("id") or "": local(c) for c in root}
        for child in root:
            self.declaration(child)
        for child in root:
            tag = local(child)
            if tag == "decision":
                self.decision(child)
            elif tag == "businessKnowledgeModel":
                self.knowledge(child)
        if not self.made.decisions and not self.problems:
            self.refuse(root, "the file has no decision")
        self.refuse_circles(root)
        return self.made.decisions

    def declaration(self, child: etree._Element) -> None:
        tag = local(child)
        if tag == "inputData":
            self.input_data(child)
        elif tag == "import":
            self.imported(child)
        elif tag == "itemDefinition":
            self._defined(normal(child.get("name")), child, 0)
        elif tag and tag not in _DRAWN_OR_EXPLAINED | {
            "decision",
            "businessKnowledgeModel",
        }:
            self.refuse(child, f"{tag} is not supported")

    def imported(self, element: etree._Element) -> None:
        kind = element.get("importType") or ""
        if kind not in NAMESPACES:
            self.refuse(element, f"an import of '{kind or 'nothing'}' is not supported")
        self.imports[element.get("namespace") or ""] = normal(element.get("name"))

    def input_data(self, element: etree._Element) -> None:
        variables = children(element, "variable")
        kind = self.type_of(variables[0], element) if variables else ANY
        key = element.get("id") or ""
        self.made.inputs[key] = InputData(variable_name(element), kind)

    # -- decisions and functions -----------------------------------------------------

    def decision(self, element: etree._Element) -> None:
        problems_before = len(self.problems)
        key, name = element.get("id") or "", normal(element.get("name"))
        if not key:
            self.refuse(element, "the decision has no id")
        if key in self.made.decisions:
            self.refuse(element, f"the id '{key}' is there twice")
        logic = self.logic(element)
        variables = children(element, "variable")
        kind: ItemType = self.type_of(variables[0], element) if variables else ANY
        decision = Decision(
            key,
            name,
            variable_name(element) if variables or not key else key,
            logic,  # type: ignore[arg-type]
            kind,
            tuple(self.required(element)),
            tuple(self.inputs_of(element)),
            tuple(self.knowledge_of(element)),
            self.made,
        )
        if logic is not None and len(self.problems) == problems_before:
            self.made.decisions[key] = decision

    def logic(self, element: etree._Element) -> Logic | None:
        boxes = children(element, *LOGIC)
        unknown = [
            tag
            for child in element
            if (tag := local(child)) and tag not in _OF_A_DECISION and tag not in LOGIC
        ]
        for tag in unknown:
            self.refuse(element, f"{tag} is not supported")
        if len(boxes) == 1:
            return read_logic(self, element, boxes[0])
        if not unknown:
            self.refuse(element, "the decision has no decision table or expression")
        return None

    def knowledge(self, element: etree._Element) -> None:
        key, name = element.get("id") or "", variable_name(element)
        found = children(element, "encapsulatedLogic")
        if not key or len(found) != 1:
            self.refuse(
                element, "the business knowledge model has no id or no function"
            )
            return
        refuse_builtin_name(self, element, name)
        function = read_function(self, element, found[0])
        if function is not None:
            requires = tuple(self.knowledge_of(element))
            self.made.knowledge[key] = Knowledge(key, name, function, requires)

    # -- requirements ------------------------------------------------------------------

    def references(self, element: etree._Element, outer: str, inner: str) -> list[str]:
        return [
            reference.get("href") or ""
            for requirement in children(element, outer)
            for reference in children(requirement, inner)
        ]

    def required(self, element: etree._Element) -> list[Required]:
        found: list[Required] = []
        for href in self.references(
            element, "informationRequirement", "requiredDecision"
        ):
            document, key = fragment(href)
            if not document and self.ids.get(key) != "decision":
                self.refuse(
                    element, f"the required decision '{key}' is not in the file"
                )
            found.append(Required(key, self.imports.get(document) or None))
        return found

    def inputs_of(self, element: etree._Element) -> list[str]:
        found: list[str] = []
        for href in self.references(element, "informationRequirement", "requiredInput"):
            document, key = fragment(href)
            if key in self.made.inputs:
                found.append(key)
            elif not document:
                self.refuse(element, f"the required input '{key}' is not in the file")
        return found

    def knowledge_of(self, element: etree._Element) -> list[str]:
        found: list[str] = []
        for href in self.references(
            element, "knowledgeRequirement", "requiredKnowledge"
        ):
            _, key = fragment(href)
            if self.ids.get(key) == "businessKnowledgeModel":
                found.append(key)
            else:
                self.refuse(
                    element,
                    f"the required knowledge '{key}' is no business knowledge model "
                    "of the file",
                )
        return found

    def refuse_circles(self, root: etree._Element) -> None:
        """Decisions that require themselves, told once a circle."""
        state: dict[str, bool] = {}  # False: on the way, True: done
        decisions = self.made.decisions

        def walk(key: str, way: tuple[str, ...]) -> None:
            state[key] = False
            for required in decisions[key].requires:
                if required.key not in decisions:
                    continue
                if state.get(required.key) is False:
                    start = (*way, key).index(required.key)
                    around = " -> ".join([*(*way, key)[start:], required.key])
                    for element in children(root, "decision"):
                        if element.get("id") == required.key:
                            self.refuse(element, f"requires itself: {around}")
                elif required.key not in state:
                    walk(required.key, (*way, key))
            state[key] = True

        for key in decisions:
            if key not in state:
                walk(key, ())
