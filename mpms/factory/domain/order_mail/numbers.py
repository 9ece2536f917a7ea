"""Amounts as people and programs write them; a doubtful one is never guessed."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext

from mpms.factory.domain.order_mail.comparing import fold
from mpms.factory.domain.order_mail.outcome import Problem

LONGEST_NUMBER = 40
LARGEST_EXPONENT = 15
GRAM = Decimal("0.001")

# No-break, thin and narrow no-break, and those of tables: figure, punctuation, hair.
GROUP_SPACES = "\u00a0\u2009\u202f\u2007\u2008\u200a\u2005\u2006\u205f"
_APOSTROPHES = "'\u2019"
_SHAPE = re.compile(
    rf"[+\-\u2212]?(?P<digits>[0-9][0-9.,{_APOSTROPHES} {GROUP_SPACES}]*)"
)
_JSON_TEXT = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")

_UNIT_WORDS = {
    "kg": "kg kgs kgm kilo kilos kilogram kilograms kilogramo kilogramos kilogramm"
    " kilogramme kilogrammes chilogrammi chilogrammo kilogrammi quilo quilos"
    " quilograma quilogramas kilogramy kilogramow",
    "g": "g gr grm gram grams gramo gramos gramm gramme grammes grammi grama gramas",
    "t": "t tne tonne tonnes tonnen tonelada toneladas tonnellate",
    "lb": "lb lbs lbr",
    "l": "l lt ltr ltrs liter liters litre litres litro litros litri litry litrow",
    "ml": "ml mlt",
}
UNITS = {word: unit for unit, words in _UNIT_WORDS.items() for word in words.split()}
KG_PER_UNIT = {
    "kg": Decimal(1),
    "g": Decimal("0.001"),
    "t": Decimal(1000),
    "lb": Decimal("0.45359237"),
}
LITRES_PER_UNIT = {"l": Decimal(1), "ml": Decimal("0.001")}


def known_unit(word: str) -> str | None:
    """The unit a word stands for: ``Kilos`` is ``kg``; None for any other word."""
    stripped = word.strip()
    return UNITS.get(fold(stripped)) if stripped.isalpha() else None


def read_number(text: str, decimal_sign: str | None) -> Decimal | Problem:
    """Read a written number; ``decimal_sign`` is what the sender's profile says."""
    text = text.strip()
    bad = Problem("bad_number", detail=text[:LONGEST_NUMBER])
    shape = _SHAPE.fullmatch(text)
    if shape is None or len(text) > LONGEST_NUMBER:
        return bad
    digits = shape["digits"]
    last = max(digits.rfind("."), digits.rfind(","))
    whole, fraction = digits, ""
    if last >= 0 and _is_decimal_sign(digits, last):
        whole, fraction = digits[:last], digits[last + 1 :]
        if not fraction.isdecimal():
            return bad
    elif last >= 0 and digits.count(digits[last]) == 1 and digits[:last].isdecimal():
        if decimal_sign is None:
            return Problem("ambiguous_number", detail=text)
        if decimal_sign == digits[last]:
            whole, fraction = digits[:last], digits[last + 1 :]
    ungrouped = _without_groups(whole)
    if ungrouped is None:
        return bad
    value = Decimal(f"{ungrouped}.{fraction or 0}")
    return -value if text[0] in "-\u2212" else value


def _is_decimal_sign(digits: str, at: int) -> bool:
    """Whether the last point or comma can only be the decimal sign."""
    sign, other = digits[at], "," if digits[at] == "." else "."
    if digits.count(sign) > 1:
        return False
    if other in digits:
        return True
    before, after = digits[:at], digits[at + 1 :]
    doubtful = before.isdecimal() and 1 <= len(before) <= 3 and before[0] != "0"
    return not (doubtful and len(after) == 3)


def _without_groups(whole: str) -> str | None:
    if whole.isdecimal():
        return whole
    separators = {c for c in whole if not c.isdecimal()}
    if len(separators) != 1:
        return None
    first, *groups = whole.split(separators.pop())
    fits = 1 <= len(first) <= 3 and first[0] != "0"
    if not fits or any(len(group) != 3 for group in groups):
        return None
    return first + "".join(groups)


def read_exact(value: object) -> Decimal | Problem:
    """Read a JSON amount: a number, or a text with a decimal point."""
    if isinstance(value, Decimal):
        too_long = len(value.as_tuple().digits) > LONGEST_NUMBER
        if value.is_finite() and not too_long:
            return value
    elif (
        isinstance(value, str)
        and len(value) <= LONGEST_NUMBER
        and _JSON_TEXT.fullmatch(value.strip())
    ):
        return Decimal(value.strip())
    return Problem("bad_number", detail=str(value)[:LONGEST_NUMBER])


def in_kg(
    amount: Decimal, unit: str, density_kg_per_l: Decimal | None
) -> Decimal | Problem:
    """An amount in kg, rounded half up to the gram."""
    if amount.adjusted() > LARGEST_EXPONENT:
        return Problem("amount_out_of_range", detail=f"{amount:.3E}")
    factor = KG_PER_UNIT.get(unit)
    if factor is None:
        if density_kg_per_l is None:
            return Problem("no_density")
        factor = LITRES_PER_UNIT[unit] * density_kg_per_l
    return round_to_gram(amount, factor)


def round_to_gram(amount: Decimal, factor: Decimal) -> Decimal:
    with localcontext(Context(prec=120)):
        return (amount * factor).quantize(GRAM, ROUND_HALF_UP)


def plain(value: Decimal) -> str:
    """A number without an exponent and without trailing zeros."""
    if abs(value.adjusted()) > LONGEST_NUMBER:
        return f"{value:.6E}"
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
