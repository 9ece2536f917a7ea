"""Reading that collects problems instead of stopping at the first."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from lxml import etree

from mpms.domain.errors import ExpressionInvalid
from mpms.domain.models.definitions import Problem

from .documents import children, text_of
from .item_types import ANY, BUILT_IN, ItemType
from .naming import declared_names, normal
from .terms import FEEL, Cell, Term, compile_cell, compile_term, language_named

Compiled = TypeVar("Compiled")
_MAX_TYPES_DEEP = 20


class Reader:
    """A file, what it declares, and what stands against it."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.known: frozenset[str] = frozenset()
        self.types: dict[str, etree._Element] = {}
        self.standard = False
        self.root: etree._Element
        self._read_types: dict[str, ItemType] = {}
        self._wrong_types: dict[str, list[Problem]] = {}
        self._being_read: set[str] = set()

    def begin(self, root: etree._Element) -> None:
        self.root = root
        self.known = declared_names(root)
        self.types = {
            normal(child.get("name")): child
            for child in children(root, "itemDefinition")
        }

    def refuse(self, element: etree._Element, reason: str) -> None:
        """A problem of the element, or of what it is in if it has no id."""
        at: etree._Element | None = element
        while at is not None and not at.get("id"):
            at = at.getparent()
        found = element if at is None else at
        name = found.get("name") or found.get("label") or ""
        self.problems.append(Problem(found.get("id") or "", name, reason))

    # -- expressions -----------------------------------------------------------------

    def language(self, element: etree._Element) -> str:
        """The nearest that is named, from the element outwards."""
        at: etree._Element | None = element
        while at is not None:
            name = at.get("expressionLanguage")
            if name:
                found = language_named(name)
                if found is None:
                    self.refuse_once(
                        at,
                        f"the expression language '{name}' is refused; use FEEL",
                    )
                return found or FEEL
            at = at.getparent()
        return FEEL

    def refuse_once(self, element: etree._Element, reason: str) -> None:
        if not any(problem.reason == reason for problem in self.problems):
            self.refuse(element, reason)

    def term(self, element: etree._Element, *, needed: bool = True) -> Term | None:
        """The expression in an element; nothing if it may be empty and is."""
        text = text_of(element)
        if not text and not needed:
            return None
        return self._compiled(element, text, compile_term)

    def span(self, element: etree._Element) -> Term | None:
        """What a loop goes through: an expression, or ``1..3``."""
        compiler = partial(compile_term, spans=True)
        return self._compiled(element, text_of(element), compiler)

    def cell(self, element: etree._Element) -> Cell | None:
        return self._compiled(element, text_of(element), compile_cell)

    def _compiled(
        self,
        element: etree._Element,
        text: str,
        compiler: Callable[..., Compiled],
    ) -> Compiled | None:
        language = self.language(element)
        try:
            return compiler(text, language, self.known, standard=self.standard)
        except ExpressionInvalid as cause:
            self.refuse(element, str(cause))
            return None

    def import_types(self, prefix: str, other: "Reader") -> None:
        """The types of an imported file, under the name of the import."""
        for name in other.types:
            before = len(other.problems)
            made = other._defined(name, other.types[name], 0)
            whole = f"{prefix}.{name}"
            self.types[whole] = other.types[name]
            self._read_types[whole] = made
            if other.problems[before:]:
                self._wrong_types[whole] = other.problems[before:]

    # -- types -----------------------------------------------------------------------

    def type_of(self, element: etree._Element, at: etree._Element) -> ItemType:
        """The type an element names; problems are told at ``at``."""
        return self._type(element.get("typeRef"), at, 0)

    def _type(self, ref: str | None, at: etree._Element, depth: int) -> ItemType:
        name = normal(ref) or "Any"
        if name in self.types:
            return self._defined(name, at, depth)
        short = name.rpartition(":")[2]
        if short in self.types:
            return self._defined(short, at, depth)
        if short in BUILT_IN:
            return BUILT_IN[short]
        self.refuse(at, f"the type '{short}' is not supported")
        return ANY

    def _defined(self, name: str, at: etree._Element, depth: int) -> ItemType:
        if name in self._read_types:
            self.problems += self._wrong_types.get(name, [])
            return self._read_types[name]
        if name in self._being_read or depth > _MAX_TYPES_DEEP:
            self.refuse_once(self.types[name], f"the type '{name}' contains itself")
            return ANY
        self._being_read.add(name)
        before = len(self.problems)
        made = self._item(self.types[name], depth)
        self._being_read.discard(name)
        self._read_types[name] = made
        if self.problems[before:]:  # told to everybody who uses it
            self._wrong_types[name] = self.problems[before:]
        return made

    def _item(self, element: etree._Element, depth: int) -> ItemType:
        base: ItemType | None = None
        for ref in children(element, "typeRef"):
            base = self._type(ref.text, element, depth + 1)
        parts = {
            normal(child.get("name")): self._item(child, depth + 1)
            for child in children(element, "itemComponent")
        }
        if children(element, "functionItem"):
            base = BUILT_IN["function"]
        listed = [self.cell(one) for one in children(element, "allowedValues")]
        whole = [self.cell(one) for one in children(element, "typeConstraint")]
        told = normal(element.get("name")) or "another type"
        return ItemType(
            base.told if base else f"a {told}",
            ("context",) if parts else (),
            allowed=listed[-1] if listed else None,
            constraint=whole[-1] if whole else None,
            base=base,
            collection=element.get("isCollection") == "true",
            components=parts,
        )
