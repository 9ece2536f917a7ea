"""Key lines: number, product, due date, priority, and recipe with its batch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from mpms.factory.domain.order_mail.comparing import clean_text, fold
from mpms.factory.domain.order_mail.outcome import Problem

Origin = Literal["subject", "text", "attachment"]

NUMBER = re.compile(r"MO-[0-9]{4}-[0-9]{4}")
_NUMBER_IN_SUBJECT = re.compile(rf"(?<![^\W_]){NUMBER.pattern}(?![^\W_]|-)")
_DATES = (
    re.compile(r"(?P<y>[0-9]{4})-(?P<m>[0-9]{2})-(?P<d>[0-9]{2})"),
    re.compile(r"(?P<d>[0-9]{1,2})\.(?P<m>[0-9]{1,2})\.(?P<y>[0-9]{4})"),
    re.compile(r"(?P<d>[0-9]{1,2})/(?P<m>[0-9]{1,2})/(?P<y>[0-9]{4})"),
)
_LONGEST_KEY = 40

_WORDS: dict[str, dict[str, str]] = {
    "number": {
        "en": "Order, Order no, Order number",
        "es": "Pedido, Orden",
        "de": "Auftrag, Bestellung",
        "tr": "Sipariş, Sipariş no",
    },
    "product": {"en": "Product", "es": "Producto", "de": "Produkt", "tr": "Ürün"},
    "due": {
        "en": "Due, Due date",
        "es": "Entrega, Fecha de entrega",
        "de": "Termin, Liefertermin",
        "tr": "Teslim, Teslim tarihi",
    },
    "priority": {
        "en": "Priority",
        "es": "Prioridad",
        "de": "Priorität",
        "tr": "Öncelik",
    },
    "recipe": {
        "en": "Recipe",
        "es": "Receta",
        "de": "Rezept, Rezeptur",
        "tr": "Reçete",
    },
    "batch": {
        "en": "Batch, Batch size",
        "es": "Tamaño de lote",
        "de": "Ansatz, Ansatzgröße",
        "tr": "Parti büyüklüğü",
    },
    "materials": {
        "en": "Materials",
        "es": "Materiales",
        "de": "Materialien, Rohstoffe",
        "tr": "Malzemeler, Hammaddeler",
    },
}
_PRIORITIES = {
    "low": "low, baja, niedrig, düşük",
    "normal": "normal",
    "high": "high, alta, hoch, yüksek",
    "urgent": "urgent, urgente, dringend, acil",
}


def by_folded_word(words: dict[str, dict[str, str]]) -> dict[str, tuple[str, str]]:
    """Turn a table of words into {folded word: (meaning, language)}."""
    return {
        fold(word): (meaning, language)
        for meaning, languages in words.items()
        for language, listed in languages.items()
        for word in listed.split(",")
    }


KEYS = by_folded_word(_WORDS)
PRIORITIES = {
    fold(word): priority
    for priority, words in _PRIORITIES.items()
    for word in words.split(",")
}


@dataclass(frozen=True)
class Field:
    """A value with its key, as one place of the message states it."""

    name: str
    value: str
    origin: Origin
    language: str = ""


@dataclass(frozen=True)
class Fields:
    """The values that count, after weighing all places against one another."""

    number: str | None
    product: str | None
    due: date | None
    priority: str
    recipes: tuple[str, ...] = ()  # every one stated: version 1 knows none of them
    batches: tuple[str, ...] = ()


def key_of(text: str) -> tuple[str, str] | None:
    """The field a key stands for, and its language."""
    if len(text) > _LONGEST_KEY:
        return None
    found = KEYS.get(fold(text))
    return None if found is None or found[0] == "materials" else found


def heading_language(line: str) -> str | None:
    """The language of a materials heading; None for every other line."""
    stripped = line.strip()
    if not stripped.endswith(":") or len(stripped) > _LONGEST_KEY:
        return None
    found = KEYS.get(fold(stripped[:-1]))
    return found[1] if found and found[0] == "materials" else None


def fields_in_lines(lines: Iterable[str]) -> list[Field]:
    """All key lines of a text."""
    found = []
    for line in lines:
        key, colon, value = line.partition(":")
        if colon and (meaning := key_of(key)):
            found.append(Field(meaning[0], value.strip(), "text", meaning[1]))
    return found


def numbers_in_subject(subject: str) -> list[Field]:
    return [
        Field("number", number, "subject")
        for number in _NUMBER_IN_SUBJECT.findall(subject)
    ]


def weigh_fields(found: Sequence[Field], problems: list[Problem]) -> Fields:
    """Decide each field; what contradicts itself or cannot be read is a problem."""
    due = _decide(found, "due", problems)
    priority = _decide(found, "priority", problems)
    product = _decide(found, "product", problems)
    return Fields(
        number=_number(found, problems),
        product=clean_text(product or "") or None,
        due=None if due is None else _date(due, problems),
        priority="normal" if priority is None else _priority(priority, problems),
        recipes=_stated(found, "recipe"),
        batches=_stated(found, "batch"),
    )


def _stated(found: Sequence[Field], name: str) -> tuple[str, ...]:
    """The different values of a field; the attachment's win."""
    for origin in ("attachment", "text"):
        values = {f.value for f in found if f.name == name and f.origin == origin}
        if values:
            return tuple(sorted(values))
    return ()


def _decide(found: Sequence[Field], name: str, problems: list[Problem]) -> str | None:
    values = _stated(found, name)
    if len(values) > 1:
        shown = " / ".join(clean_text(value, 60) for value in values)
        problems.append(Problem("conflicting_field", name, shown))
    return values[0] if values else None


def _number(found: Sequence[Field], problems: list[Problem]) -> str | None:
    values = {field.value for field in found if field.name == "number"}
    bad = sorted(value for value in values if NUMBER.fullmatch(value) is None)
    for value in bad:
        problems.append(Problem("bad_order_number", detail=clean_text(value, 60)))
    good = sorted(values - set(bad))
    if not values:
        problems.append(Problem("missing_order_number"))
    if len(good) > 1:
        problems.append(Problem("conflicting_order_number", detail=", ".join(good)))
    return good[0] if len(good) == 1 and not bad else None


def _date(text: str, problems: list[Problem]) -> date | None:
    for form in _DATES:
        if match := form.fullmatch(text):
            try:
                return date(int(match["y"]), int(match["m"]), int(match["d"]))
            except ValueError:
                break
    problems.append(Problem("bad_date", detail=clean_text(text, 60)))
    return None


def _priority(text: str, problems: list[Problem]) -> str:
    priority = PRIORITIES.get(fold(text))
    if priority is None:
        problems.append(Problem("bad_priority", detail=clean_text(text, 60)))
    return priority or "normal"
