"""Material lines of a text, and what one line of any format comes to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from mpms.factory.domain.order_mail.catalogue import Catalogue, Material
from mpms.factory.domain.order_mail.comparing import clean_text, fold
from mpms.factory.domain.order_mail.numbers import (
    GROUP_SPACES,
    in_kg,
    known_unit,
    plain,
    read_number,
)
from mpms.factory.domain.order_mail.outcome import DraftLine, Problem
from mpms.factory.domain.order_mail.remarks import (
    closes_a_letter,
    corrects,
    names_an_amount,
)
from mpms.factory.domain.order_mail.table_vocabulary import TOTALS

MOST_LINES = 1000
LONGEST_LINE = 1000

_BULLET = re.compile(r"(?:[-*•]|[0-9]{1,3}[.)])\s+")
_POSITION = re.compile(r"(?:pos\.?\s*)?[0-9]{1,4}[.:)]?\s+", re.IGNORECASE)
_OF = re.compile(r"(?:of|de|d'|von|di|van|do)\s*(?<=[\s'])", re.IGNORECASE)
_RULE = re.compile(r"[-=_*\u2013\u2014 ]{3,}")
_TOKEN = re.compile(r"[^\s;|:=]+")
_NUMERIC = re.compile(r"[+\-\u2212]?[0-9][0-9.,'\u2019]*")
_SPACED_NUMBER = re.compile(
    r"(?:(?<=\A)|(?<=[\s;|:=]))[+\-\u2212]?[0-9]{1,3}"
    rf"(?:[{GROUP_SPACES}][0-9]{{3}})+(?![0-9])"
)
_DASHES = "-\u2013\u2014"


@dataclass(frozen=True)
class Line:
    """One material line in words, before it is understood."""

    material: str
    amount: Decimal | Problem
    unit: str
    where: str
    code: str = ""
    lot: str = ""
    amount_at: str = ""  # the cell of the amount, where it stands in a table
    alone: bool = False  # nothing else stands in its row


def read_lines(
    lines: Sequence[Line | Problem], catalogue: Catalogue, problems: list[Problem]
) -> tuple[DraftLine, ...]:
    """Understand all lines; every doubtful one adds its own problem."""
    if not lines:
        problems.append(Problem("no_lines"))
    if len(lines) > MOST_LINES:
        problems.append(Problem("too_many_lines", detail=str(MOST_LINES)))
        return ()
    done = []
    for line in lines:
        if isinstance(line, Problem):
            problems.append(line)
        elif line.alone and _is_a_caption(line, catalogue):
            continue
        elif draft := _understand(line, catalogue, problems):
            done.append(draft)
    if not done and not problems:
        problems.append(Problem("no_lines"))
    return tuple(done)


def _is_a_caption(line: Line, catalogue: Catalogue) -> bool:
    """``Pigments`` above its rows, or a remark below them: no material, no amount."""
    text = f"{line.code} {line.material}"
    return not (
        catalogue.names_in(text)
        or fold(text).startswith("rm")
        or names_an_amount(text)
        or corrects(text)
    )


def _understand(
    line: Line, catalogue: Catalogue, problems: list[Problem]
) -> DraftLine | None:
    def refuse(code: str, detail: str = "") -> None:
        problems.append(Problem(code, line.where, clean_text(detail, 80)))

    material, amount, unit = find_material(line, catalogue), line.amount, None
    if isinstance(material, Problem):
        refuse(material.code, material.detail)
    if isinstance(amount, Problem):
        shown = clean_text(amount.detail, 80)
        problems.append(Problem(amount.code, line.amount_at or line.where, shown))
    if not line.unit.strip():
        refuse("missing_unit")
    elif (unit := known_unit(line.unit)) is None:
        refuse("unknown_unit", line.unit)
    if isinstance(amount, Decimal) and amount <= 0:
        refuse("non_positive_amount", f"{plain(amount)} {line.unit}")
    elif isinstance(material, Material) and isinstance(amount, Decimal) and unit:
        kg = in_kg(amount, unit, material.density_kg_per_l)
        if isinstance(kg, Problem):
            refuse(kg.code, kg.detail or f"{material.code} {material.name}")
        elif problem := outside_limits(kg, material):
            refuse(problem.code, problem.detail)
        else:
            lot = clean_text(line.lot) or None
            return DraftLine(material.code, material.name, kg, lot)
    return None


def outside_limits(kg: Decimal, material: Material) -> Problem | None:
    """Whether nobody could weigh this much, or this little."""
    if kg <= 0:
        return Problem("non_positive_amount", detail=f"{plain(kg)} kg")
    if kg > material.max_kg:
        limit = f"{plain(kg)} kg > {plain(material.max_kg)} kg"
        return Problem("amount_out_of_range", detail=limit)
    return None


def find_material(line: Line, catalogue: Catalogue) -> Material | Problem:
    """A code decides; without one the whole text must be a known name."""
    text = f"{line.code} {line.material}".strip()
    codes = catalogue.codes_in(text)
    if len(codes) > 1:
        return Problem("bad_line", detail=", ".join(sorted(codes)))
    if codes:
        found = catalogue.by_code(codes.pop())
    elif line.code.strip() and fold(line.code).startswith("rm"):
        found = None  # meant as one of our codes, but none
    elif line.material.strip():
        found = catalogue.by_name(line.material)
        for before in (_POSITION, _OF):
            if found is None and (led := before.match(line.material)):
                found = catalogue.by_name(line.material[led.end() :])
    else:
        found = catalogue.by_name(line.code)
    return found or Problem("unknown_material", detail=text)


def lines_in_block(
    block: Sequence[str], decimal_sign: str | None, catalogue: Catalogue
) -> list[Line | Problem]:
    """The lines under a materials heading, up to the next blank line."""
    found: list[Line | Problem] = []
    for line in block:
        if not line.strip():
            if found:
                break
            continue
        if _RULE.fullmatch(line.strip()):
            continue
        if found and closes_a_letter(line):
            break
        where = f"#{len(found) + 1} {clean_text(line, 120)}"
        said = line.strip().rstrip(",;")
        read = _text_line(said, where, decimal_sign, catalogue)
        if found and isinstance(read, Line) and fold(read.material) in TOTALS:
            continue
        found.append(read)
        if len(found) > MOST_LINES:
            break
    return found


def is_material_line(line: str, decimal_sign: str | None, catalogue: Catalogue) -> bool:
    """Whether a line orders a known material, wherever it stands."""
    read = _text_line(line.strip(), "", decimal_sign, catalogue)
    return (
        isinstance(read, Line)
        and known_unit(read.unit) is not None
        and isinstance(find_material(read, catalogue), Material)
    )


def _text_line(
    line: str, where: str, decimal_sign: str | None, catalogue: Catalogue
) -> Line | Problem:
    if len(line) > LONGEST_LINE:
        return Problem("bad_line", where)
    if bullet := _BULLET.match(line):
        line = line[bullet.end() :]
    line = _SPACED_NUMBER.sub(lambda m: re.sub(r"\s", "'", m[0]), line)
    tokens = [_Token(m[0], m.start(), m.end()) for m in _TOKEN.finditer(line)]
    last = _amount_last(line, tokens)
    first = _amount_first(line, tokens)
    if last and last.unit_is_known and first:
        return Problem("bad_line", where)
    chosen = first or last
    if chosen is None:
        return Problem("bad_line", where)
    amount = read_number(chosen.number, decimal_sign)
    doubtful = chosen.could_be_name and not _names_one(chosen.material, catalogue)
    if doubtful and isinstance(amount, Decimal):
        amount = Problem("ambiguous_number", detail=chosen.number)
    return Line(chosen.material, amount, chosen.unit, where)


@dataclass(frozen=True)
class _Token:
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class _Split:
    """A line cut into its parts. ``could_be_name``: the first group of the number
    may as well be the end of the material's name."""

    material: str
    number: str
    unit: str
    could_be_name: bool = False

    @property
    def unit_is_known(self) -> bool:
        return known_unit(self.unit) is not None


def _amount_last(line: str, tokens: list[_Token]) -> _Split | None:
    """``material amount unit``, also with a missing or an unknown unit."""
    has_unit = bool(tokens) and not _NUMERIC.fullmatch(tokens[-1].text)
    at = len(tokens) - (2 if has_unit else 1)
    if at < 1 or not _NUMERIC.fullmatch(tokens[at].text):
        return None
    first = at
    while first > 0 and _continues(line, tokens[first - 1], tokens[first]):
        first -= 1
    material = _without_separators(line[: tokens[first].start])
    if not material:
        return None
    return _Split(
        material,
        line[tokens[first].start : tokens[at].end],
        tokens[-1].text if has_unit else "",
        could_be_name=first != at and line[tokens[first].start - 1] == " ",
    )


def _amount_first(line: str, tokens: list[_Token]) -> _Split | None:
    """``amount unit material``, with a known unit only."""
    last = 0
    while last + 1 < len(tokens) and _continues(line, tokens[last], tokens[last + 1]):
        last += 1
    if len(tokens) < last + 3 or not _NUMERIC.fullmatch(tokens[0].text):
        return None
    unit = tokens[last + 1]
    material = _without_separators(line[unit.end :])
    split = _Split(material, line[tokens[0].start : tokens[last].end], unit.text)
    return split if material and split.unit_is_known else None


def _continues(line: str, one: _Token, other: _Token) -> bool:
    """Whether two numbers are one number with a space between its groups.

    ``130 22.75`` is neither one number nor clearly two, so it counts as one and is
    then refused as unreadable.
    """
    together = line[one.end : other.start] == " "
    unsigned = other.text[0] not in "+-\u2212"
    both = _NUMERIC.fullmatch(one.text) and _NUMERIC.fullmatch(other.text)
    return bool(together and unsigned and both)


def _without_separators(text: str) -> str:
    """Strip what may stand between the parts: a dash only with spaces around it."""
    before = None
    while before != text:
        before = text
        text = text.strip(f" \t{GROUP_SPACES};|:=")
        if text[-2:-1].isspace() and text[-1:] in _DASHES:
            text = text[:-1]
        if text[1:2].isspace() and text[:1] in _DASHES:
            text = text[1:]
        if text in set(_DASHES):
            text = ""
    return text


def _names_one(material: str, catalogue: Catalogue) -> bool:
    """A code alone, a name alone, or both of the same material."""
    codes = catalogue.codes_in(material)
    name = " ".join(
        word for word in material.split() if word.strip("()[],;:") not in codes
    )
    if not fold(name):
        return True
    found = catalogue.by_name(name)
    return found is not None and codes <= {found.code}
