"""From a DMN file to decisions, or to the list of everything that stands against it.

What is not executed exactly is refused with its element; nothing is skipped but what
only draws or explains.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lxml import etree

from mpms.domain.errors import ModelRefused
from mpms.domain.models.definitions import Problem

from ..reading.document import is_of_camunda_8
from .boxed import Given, Logic
from .bundles import imported_files
from .decision import (
    Decision,
    File,
    ImportedFile,
    InputData,
    Knowledge,
    Required,
    Service,
)
from .documents import (
    NAMESPACES,
    DocumentRefused,
    children,
    local,
    namespace_of,
    read_document,
)
from .item_types import ANY, ItemType
from .naming import fragment, normal, variable_name
from .problems import Reader
from .read_logic import LOGIC, read_function, read_logic, refuse_builtin_name
from .running import Run

_DRAWN_OR_EXPLAINED = {
    "description",
    "extensionElements",
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


@dataclass(frozen=True)
class Refused:
    """A decision that cannot be executed as drawn; the others of its file can."""

    key: str
    name: str
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class DecisionFile:
    """What a file holds: decisions and services that run, and why others do not."""

    made: File
    refused: tuple[Refused, ...] = ()
    problems: tuple[Problem, ...] = ()  # of the file as a whole

    @property
    def decisions(self) -> dict[str, Decision]:
        return self.made.decisions

    @property
    def all_problems(self) -> list[Problem]:
        return [*self.problems, *(p for one in self.refused for p in one.problems)]

    def value_of(
        self,
        name: str,
        variables: Mapping[str, object],
        *,
        now: datetime | None = None,
    ) -> Any:
        """What the decision or service of this name or id gives, as FEEL has it.

        ModelRefused, ExpressionFailed.
        """
        found = self.made.named(name)
        if found is None:
            told = "; ".join(p.reason for p in self.all_problems)
            raise ModelRefused(f"there is no decision '{name}'; {told}".rstrip("; "))
        return found.made(Run(variables, now, standard=self.made.standard))


def read_decisions(xml: bytes, *, standard: bool | None = None) -> dict[str, Decision]:
    """The decisions of a file by id, without those that are refused.

    ``ModelRefused`` names every problem if there is none left.
    """
    file = read_file(xml, standard=standard)
    if file.problems or not file.decisions:
        told = "; ".join(
            f"{problem.element or 'file'}: {problem.reason}"
            for problem in file.all_problems
        )
        raise ModelRefused(f"the decisions cannot be executed as drawn: {told}")
    return file.decisions


def read_file(
    xml: bytes, *, imports: Iterable[bytes] = (), standard: bool | None = None
) -> DecisionFile:
    """All of a file; ``imports`` are files that it may import.

    ``standard``: FEEL takes errors for null; None: as the file's platform wants it.
    """
    return _FileReader(list(imports), standard=standard).file(xml)


def check_decisions(xml: bytes, *, standard: bool | None = None) -> list[Problem]:
    """Why a file is refused as a whole; empty if at least one decision runs."""
    file = read_file(xml, standard=standard)
    return [] if file.decisions and not file.problems else file.all_problems


def refused_decisions(xml: bytes, *, standard: bool | None = None) -> list[Problem]:
    """Of a file that is not refused: the decisions in it that are."""
    file = read_file(xml, standard=standard)
    if file.problems or not file.decisions:
        return []
    return [problem for one in file.refused for problem in one.problems]


_MOST_IMPORTS_DEEP = 5


class _FileReader(Reader):
    def __init__(
        self, imports: list[bytes], *, standard: bool | None = None, depth: int = 0
    ) -> None:
        super().__init__()
        self.made = File()
        self.available, self.depth, self.asked = imports, depth, standard
        self.imports: dict[str, str] = {}  # names by namespace
        self.ids: dict[str, str] = {}  # tags by id
        self.refused: dict[str, Refused] = {}

    def file(self, xml: bytes) -> DecisionFile:
        try:
            root = read_document(xml)
        except DocumentRefused as cause:
            return DecisionFile(self.made, problems=(Problem("", "", str(cause)),))
        asked = self.asked
        self.standard = is_of_camunda_8(root) if asked is None else asked
        self.made.standard = self.standard
        self.available = [*self.available, *imported_files(root)]
        self.begin(root)
        self.language(root)
        self.ids = {c.get("id") or "": local(c) for c in root}
        for child in root:
            if local(child) == "import":
                self.imported(child)
        for child in root:
            self.declaration(child)
        for child in root:
            tag = local(child)
            if tag == "businessKnowledgeModel":
                self.apart(child, self.knowledge)
        for child in root:
            tag = local(child)
            if tag == "decision":
                self.apart(child, self.decision)
            elif tag == "decisionService":
                self.apart(child, self.service)
        if not self.made.decisions and not self.problems and not self.refused:
            self.refuse(root, "the file has no decision")
        self.refuse_circles(root)
        self.refuse_what_requires_refused()
        return DecisionFile(
            self.made, tuple(self.refused.values()), tuple(self.problems)
        )

    def apart(
        self, element: etree._Element, read: Callable[[etree._Element], None]
    ) -> None:
        """What is wrong with one part refuses that part only."""
        before = len(self.problems)
        read(element)
        found = self.problems[before:]
        if found:
            del self.problems[before:]
            self.put_aside(element, found)

    def put_aside(self, element: etree._Element, found: Iterable[Problem]) -> None:
        name = variable_name(element)
        key = element.get("id") or name
        known = self.refused.get(key)
        problems = (*(known.problems if known else ()), *found)
        self.refused[key] = Refused(key, name, problems)
        self.made.forget(key)

    def refuse_what_requires_refused(self) -> None:
        """A decision that needs a refused one is refused too, and says so."""
        while True:
            bad = [
                (part, key)
                for part in self.made.parts()
                for key in part.required_keys
                if key in self.refused
            ]
            if not bad:
                return
            for part, key in bad:
                reason = f"requires '{self.refused[key].name}', which is refused"
                known = self.refused.get(part.key)
                problems = (*(known.problems if known else ()),)
                told = Problem(part.key, part.name, reason)
                self.refused[part.key] = Refused(part.key, part.name, (*problems, told))
                self.made.forget(part.key)

    def declaration(self, child: etree._Element) -> None:
        tag = local(child)
        if tag == "inputData":
            self.input_data(child)
        elif tag == "itemDefinition":
            return  # read where it is used
        elif tag and tag not in _DRAWN_OR_EXPLAINED | {
            "decision",
            "decisionService",
            "businessKnowledgeModel",
            "import",
        }:
            self.refuse(child, f"{tag} is not supported")

    def imported(self, element: etree._Element) -> None:
        kind = element.get("importType") or ""
        if kind not in NAMESPACES:
            self.refuse(element, f"an import of '{kind or 'nothing'}' is not supported")
            return
        space, name = element.get("namespace") or "", normal(element.get("name"))
        self.imports[space] = name
        for other in self.available:
            if self.depth >= _MOST_IMPORTS_DEEP:
                self.refuse(element, "imports lead more than 5 files deep")
            elif namespace_of(other) == space:
                reader = _FileReader(
                    self.available, standard=self.standard, depth=self.depth + 1
                )
                file = reader.file(other)
                self.made.imports[space] = ImportedFile(name, file.made)
                self.known |= reader.known
                self.import_types(name, reader)
                return

    def input_data(self, element: etree._Element) -> None:
        variables = children(element, "variable")
        kind = self.type_of(variables[0], element) if variables else ANY
        key = element.get("id") or ""
        self.made.inputs[key] = InputData(variable_name(element), kind)

    # -- decisions and functions -----------------------------------------------------

    def decision(self, element: etree._Element) -> None:
        problems_before = len(self.problems)
        name = normal(element.get("name"))
        key = element.get("id") or name
        if not key:
            self.refuse(element, "the decision has neither an id nor a name")
        if key in self.made.decisions:
            self.refuse(element, f"the id '{key}' is there twice")
        variables = children(element, "variable")
        is_given = not children(element, *LOGIC) and self.is_input_of_service(key)
        logic = Given() if is_given else self.logic(element)
        kind: ItemType = self.type_of(variables[0], element) if variables else ANY
        decision = Decision(
            key,
            name,
            variable_name(element) if variables or not element.get("id") else key,
            logic,  # type: ignore[arg-type]
            kind,
            tuple(self.required(element)),
            tuple(self.inputs_of(element)),
            tuple(self.knowledge_of(element)),
            self.made,
        )
        if logic is not None and len(self.problems) == problems_before:
            self.made.decisions[key] = decision

    def is_input_of_service(self, key: str) -> bool:
        """A decision without logic is an input where a service says so."""
        return any(
            fragment(inner.get("href"))[1] == key
            for service in self.root.iter()
            if local(service) == "decisionService"
            for inner in children(service, "inputDecision")
        )

    def service(self, element: etree._Element) -> None:
        key, name = element.get("id") or "", variable_name(element)

        def listed(tag: str) -> tuple[str, ...]:
            return tuple(
                fragment(part.get("href"))[1] for part in children(element, tag)
            )

        outputs, encapsulated = listed("outputDecision"), listed("encapsulatedDecision")
        if not key or not outputs:
            self.refuse(element, "the decision service has no id or no output decision")
            return
        for wanted in (*outputs, *encapsulated, *listed("inputDecision")):
            if self.ids.get(wanted) != "decision":
                self.refuse(element, f"the decision '{wanted}' is not in the file")
        variables = children(element, "variable")
        self.made.services[key] = Service(
            key,
            name,
            outputs,
            listed("inputDecision"),
            listed("inputData"),
            self.type_of(variables[0], element) if variables else ANY,
            self.made,
        )

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

    def place_of(self, href: str | None) -> tuple[str, str]:
        """The other file and the id that a reference leads to; none: this file."""
        document, key = fragment(href)
        own = document == (self.root.get("namespace") or "")
        return ("" if own else document), key

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
            document, key = self.place_of(href)
            if not document and self.ids.get(key) != "decision":
                self.refuse(
                    element, f"the required decision '{key}' is not in the file"
                )
            found.append(Required(key, self.imports.get(document) or None))
        return found

    def inputs_of(self, element: etree._Element) -> list[str]:
        found: list[str] = []
        for href in self.references(element, "informationRequirement", "requiredInput"):
            document, key = self.place_of(href)
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
            document, key = self.place_of(href)
            if document and document in self.made.imports:
                continue  # seen through the name of the import
            if document in self.imports:
                self.refuse(
                    element,
                    f"the file that it imports as '{self.imports[document]}' is not "
                    "there; deploy both together",
                )
                continue
            if self.ids.get(key) in ("businessKnowledgeModel", "decisionService"):
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
        told: list[tuple[etree._Element, str]] = []
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
                            told.append((element, f"requires itself: {around}"))
                elif required.key not in state:
                    walk(required.key, (*way, key))
            state[key] = True

        for key in decisions:
            if key not in state:
                walk(key, ())
        for element, reason in told:
            self.apart(element, lambda at, why=reason: self.refuse(at, why))  # type: ignore[misc]
