"""The form for a new order: what was typed, what is wrong with it, what it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import ClassVar

from werkzeug.datastructures import MultiDict

from mpms.factory.domain.order_mail import Catalogue, Material
from mpms.factory.services.orders.compose_mail import (
    ADDRESS,
    LONGEST_TEXT,
    MESSAGE_ID,
    ORDER_NUMBER,
    OrderWish,
    WishedLine,
)
from mpms.factory.web.fields.typed_lines import TypedLine, TypedLines, one_line
from mpms.web.texts import t

PRIORITIES = ("low", "normal", "high", "urgent")
MOST_LINES = 100
EMPTY_LINES = 3


@dataclass
class OrderForm(TypedLines):
    """Everything as it was typed; ``errors`` by field."""

    most_lines: ClassVar[int] = MOST_LINES

    number: str = ""
    product: str = ""
    due: str = ""
    priority: str = "normal"
    reference: str = ""
    sender: str = ""
    message_id: str = ""
    lines: list[TypedLine] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, form: MultiDict[str, str]) -> OrderForm:
        pairs = zip(form.getlist("material"), form.getlist("kg"), strict=False)
        return cls(
            number=_text(form, "number").upper(),
            product=_text(form, "product"),
            due=_text(form, "due"),
            priority=_text(form, "priority") or "normal",
            reference=_text(form, "reference"),
            sender=_text(form, "sender"),
            message_id=_text(form, "message_id"),
            lines=[
                TypedLine(_clean(material), _clean(kg))
                for material, kg in list(pairs)[: MOST_LINES + 1]
            ],
        )

    def take_recipe(self, catalogue: Catalogue | None) -> None:
        """Fill in the lines of the product's recipe, one base batch."""
        recipe = None if catalogue is None else catalogue.recipe(self.product)
        if catalogue is None or recipe is None:
            self.errors["product"] = t("There is no recipe for this product.")
            return
        names = {m.code: m for m in catalogue.materials}
        self.lines = [
            TypedLine(label(names[line.material]), f"{line.kg.normalize():f}")
            for line in recipe.lines
        ]

    def check(self, catalogue: Catalogue | None) -> OrderWish | None:
        """What the form asks for; None and ``errors`` if that is not clear."""
        if ORDER_NUMBER.fullmatch(self.number) is None:
            self.errors["number"] = t("Write the number like MO-2026-0001.")
        if len(self.product) > LONGEST_TEXT:
            self.errors["product"] = t("At most {n} characters.", n=LONGEST_TEXT)
        if len(self.reference) > LONGEST_TEXT:
            self.errors["reference"] = t("At most {n} characters.", n=LONGEST_TEXT)
        if self.priority not in PRIORITIES:
            self.errors["priority"] = t("Choose a priority.")
        if ADDRESS.fullmatch(self.sender) is None:
            self.errors["sender"] = t("Write an e-mail address.")
        if self.message_id and MESSAGE_ID.fullmatch(self.message_id) is None:
            self.message_id = ""
        due = self._due()
        lines = [
            wished
            for line in self.lines
            if not line.is_empty and (wished := _line(line, catalogue)) is not None
        ]
        if all(line.is_empty for line in self.lines):
            self.errors["lines"] = t("An order needs at least one material.")
        elif len(self.lines) > MOST_LINES:
            self.errors["lines"] = t("At most {n} materials.", n=MOST_LINES)
        if self.errors or any(line.error for line in self.lines):
            return None
        return OrderWish(
            number=self.number,
            product=self.product,
            due=due,
            priority=self.priority,
            reference=self.reference,
            lines=tuple(lines),
        )

    def _due(self) -> date | None:
        if not self.due:
            return None
        try:
            return date.fromisoformat(self.due)
        except ValueError:
            self.errors["due"] = t("Write the day like 2026-12-24.")
            return None


def label(material: Material) -> str:
    return f"{material.code} {material.name}"


def _line(line: TypedLine, catalogue: Catalogue | None) -> WishedLine | None:
    material = _material(line.material, catalogue)
    if material is None:
        line.error = t("This material is not in the catalogue.")
        return None
    kg = _kg(line.kg)
    if kg is None:
        line.error = t("Write the amount in kg, to the gram, like 12.5.")
        return None
    if kg > material.max_kg:
        line.error = t("At most {n} kg of this material.", n=float(material.max_kg))
        return None
    return WishedLine(material.code, material.name, kg)


def _material(text: str, catalogue: Catalogue | None) -> Material | None:
    if catalogue is None or not text:
        return None
    code, _, _ = text.partition(" ")
    return catalogue.by_code(code.upper()) or catalogue.by_name(text)


def _kg(text: str) -> Decimal | None:
    """12.5 or 12,5; the preview shows it again before anything is sent."""
    try:
        kg = Decimal(text.replace(",", ".").strip())
    except InvalidOperation:
        return None
    if not kg.is_finite() or not 0 < kg < 1_000_000 or kg != round(kg, 3):
        return None
    return kg


def _text(form: Mapping[str, str], key: str) -> str:
    return _clean(form.get(key, ""))


def _clean(text: str) -> str:
    return one_line(text, LONGEST_TEXT)
