"""Key lines: number, product, due date, priority, and recipe with its batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
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
        "en": "Materials, Raw materials, Material list, List of materials, Ingredients",
        "es": "Materiales, Materias primas, Lista de materiales",
        "de": "Materialien, Rohstoffe, Materialliste, Rohstoffliste, Rohmaterialien",
        "tr": "Malzemeler, Hammaddeler, Malzeme listesi, Hammadde listesi",
        "fr": "Matières, Matières premières",
        "it": "Materiali, Materie prime",
        "nl": "Materialen, Grondstoffen",
        "pt": "Materiais, Matérias-primas",
        "pl": "Materiały, Surowce",
    },
}
# What buyers write as well, often for something else: such a line counts only where its
# value is what the field takes.
_MORE_WORDS: dict[str, dict[str, str]] = {
    "number": {
        "en": (
            "PO, PO no, PO number, Purchase order, Purchase order no, Our order,"
            " Our order no, Purchase order number, Order ref, Our reference, Our ref,"
            " Order ID, Reference"
        ),
        "es": (
            "Pedido nº, Pedido no, Nº de pedido, Nº pedido, Número de pedido,"
            " Orden de compra, OC, Nuestro pedido, Nuestra referencia, Su pedido"
        ),
        "de": (
            "Auftragsnummer, Auftrags-Nr, Auftrag Nr, Auftragsnr, Bestellnummer,"
            " Bestell-Nr, Bestellung Nr, Bestellnr, Unsere Bestellung,"
            " Unsere Bestellnummer, Unser Zeichen, Fertigungsauftrag"
        ),
        "tr": (
            "Sipariş numarası, Sipariş numaramız, Siparişimiz, Sipariş nr,"
            " Satın alma siparişi, Sipariş kodu"
        ),
        "fr": "Commande, Commande nº, Numéro de commande, Notre commande",
        "it": "Ordine, Ordine nº, Numero ordine, Nostro ordine, N. ordine",
        "nl": "Bestelling, Bestelnummer, Ordernummer, Onze bestelling",
        "pt": "Encomenda, Pedido nº, Número do pedido, Nossa encomenda",
        "pl": "Zamówienie, Zamówienie nr, Nr zamówienia, Numer zamówienia",
    },
    "due": {
        "en": (
            "Delivery date, Requested delivery, Requested delivery date, Needed by,"
            " Required by, Deliver by, Delivery, Required date, Ship date"
        ),
        "es": "Fecha entrega, Plazo de entrega, Entregar antes del, Fecha requerida",
        "de": (
            "Lieferdatum, Wunschtermin, Lieferung bis, Lieferung, Bis, Liefern bis,"
            " Wunschlieferdatum, Fällig"
        ),
        "tr": "Teslimat, Teslimat tarihi, Termin, İstenen tarih, Sevk tarihi",
        "fr": "Livraison, Date de livraison, Livraison souhaitée",
        "it": "Consegna, Data di consegna, Consegna richiesta",
        "nl": "Levering, Leverdatum, Gewenste leverdatum",
        "pt": "Data de entrega, Prazo de entrega",
        "pl": "Dostawa, Termin dostawy, Data dostawy",
    },
    "priority": {
        "en": "Urgency",
        "es": "Urgencia",
        "de": "Dringlichkeit, Prio",
        "tr": "Aciliyet",
        "fr": "Priorité, Urgence",
        "it": "Priorità, Urgenza",
        "nl": "Prioriteit",
        "pt": "Prioridade, Urgência",
        "pl": "Priorytet",
    },
}
_PRIORITIES = {
    "low": "low, baja, niedrig, düşük",
    "normal": "normal",
    "high": "high, alta, hoch, yüksek",
    "urgent": "urgent, urgente, dringend, acil",
}


_MORE_LANGUAGES = frozenset({"fr", "it", "nl", "pt", "pl"})


def by_folded_word(words: dict[str, dict[str, str]]) -> dict[str, tuple[str, str]]:
    """Turn a table of words into {folded word: (meaning, language)}.

    A word of the four languages that replies are written in keeps its meaning.
    """
    found: dict[str, tuple[str, str]] = {}
    for meaning, languages in words.items():
        for language, listed in languages.items():
            for word in map(fold, listed.split(",")):
                if language in _MORE_LANGUAGES:
                    found.setdefault(word, (meaning, language))
                else:
                    found[word] = meaning, language
    return found


KEYS = by_folded_word(_WORDS)
_MORE_KEYS = by_folded_word(_MORE_WORDS)
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


def field_of(key: str, value: str, origin: Origin) -> Field | None:
    """What a key with its value states; None: nothing of an order."""
    value = value.strip()
    if meaning := key_of(key):
        return Field(meaning[0], value, origin, meaning[1])
    found = None if len(key) > _LONGEST_KEY else _MORE_KEYS.get(fold(key))
    if found is None or not _TAKEN[found[0]](value):
        return None
    return Field(found[0], value, origin, found[1])


def heading_language(line: str) -> str | None:
    """The language of a materials heading; None for every other line."""
    stripped = line.strip()
    if not stripped.endswith(":") or len(stripped) > _LONGEST_KEY:
        return None
    found = KEYS.get(fold(stripped[:-1]))
    return found[1] if found and found[0] == "materials" else None


def fields_in_lines(lines: Iterable[str]) -> list[Field]:
    """All key lines of a text; keys also side by side above their values."""
    found: list[Field] = []
    above: list[str] = []
    for line in lines:
        cells = [cell.strip() for cell in line.split("\t")]
        if above and len(cells) == len(above):
            pairs = zip(above, cells, strict=True)
            found += filter(None, (field_of(k, v, "text") for k, v in pairs if v))
        above = cells if len(cells) > 1 and all(map(_is_key, cells)) else []
        if above:
            continue
        key, colon, value = line.partition(":")
        if not colon and len(cells) == 2 and cells[1]:
            key, colon, value = cells[0], ":", cells[1]
        stated = field_of(key, value, "text") if colon else _bare_number(line)
        if stated is not None:
            found.append(stated)
    return found


def _is_key(text: str) -> bool:
    key = text.removesuffix(":")
    return key_of(key) is not None or fold(key) in _MORE_KEYS


def _bare_number(line: str) -> Field | None:
    """``Order MO-2026-0101``, without a colon."""
    key, _, value = line.strip().rpartition(" ")
    if NUMBER.fullmatch(value) is None:
        return None
    stated = field_of(key, value, "text")
    return stated if stated is not None and stated.name == "number" else None


_TAKEN: dict[str, Callable[[str], bool]] = {
    "number": lambda value: NUMBER.fullmatch(value) is not None,
    "due": lambda value: any(form.fullmatch(value) for form in _DATES),
    "priority": lambda value: fold(value) in PRIORITIES,
}


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
