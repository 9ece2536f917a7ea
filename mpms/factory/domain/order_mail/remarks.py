"""What stands beside the list and changes it: a correction, or one more line.

Nothing that orders, changes or cancels something is passed over in silence: such a line
makes the order doubtful, and its sender is told which it is.
"""

from __future__ import annotations

import re

from mpms.factory.domain.order_mail.comparing import fold
from mpms.factory.domain.order_mail.numbers import known_unit

_CORRECTS = frozenset(
    word
    for listed in (
        # English, German, Spanish, Turkish
        "correction, corrected, instead, replace, cancel, cancelled, please change",
        "please make, make that, leave out, not needed, no longer, please add, plus",
        "additionally, in addition, rather than, should be, should read, skip",
        "korrektur, korrigiere, korrigiert, statt, stattdessen, anstatt, anstelle",
        "stornieren, storniert, entfallt, zusatzlich, ausserdem, bitte andern",
        "geandert, streichen, nicht mehr, soll heissen, muss heissen",
        "correccion, corrijo, en lugar de, en vez de, cambiar, cambio, anular",
        "anulen, quitar, ademas, debe decir, cancelar, anadir, ya no",
        "duzeltme, yerine, iptal, degistirin, ayrica, olacak, ekleyin, cikarin",
        # French, Italian, Dutch, Portuguese, Polish
        "au lieu de, annuler, remplacer, en plus, correzione, invece, al posto di",
        "annullare, correctie, in plaats van, correcao, em vez de, alterar, korekta",
        "zamiast, anulowac",
    )
    for word in listed.split(", ")
)
_CLOSINGS = tuple(
    word
    for listed in (
        "best regards, kind regards, regards, with kind regards, many thanks, thanks",
        "thank you, best wishes, yours sincerely, yours faithfully, sincerely, cheers",
        "mit freundlichen grussen, freundliche grusse, viele grusse, beste grusse",
        "mfg, vielen dank, danke, gruss, schone grusse",
        "saludos, un saludo, atentamente, muchas gracias, gracias, cordialmente",
        "saygilarimla, saygilarimizla, iyi calismalar, tesekkurler, tesekkur ederim",
        "cordialement, bien cordialement, merci, cordiali saluti, distinti saluti",
        "grazie, met vriendelijke groet, met vriendelijke groeten, atenciosamente",
        "obrigado, obrigada, z powazaniem, pozdrawiam",
    )
    for word in listed.split(", ")
)
_LONGEST = 1000
_AMOUNT = re.compile(r"(?<![\w-])[0-9][0-9.,]*\s?(?P<unit>[^\W\d_]+)")
_NUMBER = re.compile(r"(?<![\w-])[0-9]+")


def corrects(line: str) -> bool:
    """Whether a line says in words that something is meant otherwise."""
    words = f" {fold(line[:_LONGEST])} "
    return any(f" {word} " in words for word in _CORRECTS)


def names_an_amount(line: str) -> bool:
    return any(known_unit(found["unit"]) for found in _AMOUNT.finditer(line[:_LONGEST]))


def closes_a_letter(line: str) -> bool:
    """``Best regards``, and what else ends a letter directly below its list."""
    words = fold(line)
    return not _NUMBER.search(line) and any(
        words == closing or words.startswith(f"{closing} ") for closing in _CLOSINGS
    )
