"""Answers against the rules of a form: the truth, whatever a tablet thought.

What the form does not ask for, or hides, is dropped, so that nobody can write a
process variable through a form that does not show it. ``frontend/src/fields/rules.ts``
applies the same rules on the tablet; ``tests/data/form_rules.json`` holds both to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from mpms.domain.errors import FormInvalid
from mpms.domain.forms.conditions import Feel, Names, is_number, plain_value, same
from mpms.domain.forms.patterns import MAX_MATCHED_TEXT
from mpms.domain.forms.reading import (
    MAX_IMAGE_BYTES,
    Field,
    Reading,
    as_choice,
)

MAX_TEXT = 10_000
_MAIL_NAME = r"[^@ \t\r\n.]{1,63}"
EMAIL = re.compile(rf"[^@ \t\r\n]{{1,64}}@{_MAIL_NAME}(\.{_MAIL_NAME}){{1,8}}")
PHONE = re.compile(r"\+?[0-9][0-9 ()/.-]{3,24}")
IMAGE = re.compile(r"data:image/(?:jpeg|png|webp);base64,[A-Za-z0-9+/]+={0,2}")
UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")
SLACK_KG = 1e-9
_DATE = r"\d{4}-\d\d-\d\d"
_TIME = r"(?:[01]\d|2[0-3]):[0-5]\d"
_OFFSET = rf"(?:Z|[+-]{_TIME})?"
SHAPES = {
    "date": re.compile(_DATE, re.ASCII),
    "time": re.compile(_TIME + _OFFSET, re.ASCII),
    "datetime": re.compile(f"{_DATE}T{_TIME}{_OFFSET}", re.ASCII),
}
NO_MOMENT = {
    "date": "must be a date.",
    "time": "must be a time.",
    "datetime": "must be a date with a time.",
}


@dataclass(frozen=True)
class FieldProblem:
    """One wrong field. ``reason`` is an English sentence with {names} to fill in,
    so that pages can say it in the language of the reader."""

    key: str
    label: str
    reason: str
    values: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        values = {
            name: f"{value:.15g}" if isinstance(value, float) else value
            for name, value in self.values.items()
        }
        return f"{self.label or self.key}: {self.reason.format(**values)}"


class AnswersInvalid(FormInvalid):
    """The answers do not fit the form; every wrong field is named."""

    def __init__(self, problems: list[FieldProblem]) -> None:
        self.problems = problems
        super().__init__(" ".join(str(problem) for problem in problems))


Found = tuple[str, dict[str, Any]] | None
REQUIRED = "please fill this in."


def check_answers(
    schema: dict[str, Any],
    answers: dict[str, Any],
    variables: Mapping[str, Any] | None = None,
    *,
    feel: Feel,
    today: date | None = None,
) -> dict[str, Any]:
    """Return the answers the form asks for. FormInvalid names every wrong field.

    ``variables`` are what the form can see: conditions, limits and choices refer to
    them, and ``feel`` evaluates those. Without ``today`` no date is too early.
    """
    form = Reading(schema)
    if form.broken_fields:
        raise FormInvalid(f"The form cannot be used: {form.problems[0].reason}")
    names = visible_names(form, answers, variables or {}, feel)
    problems: list[FieldProblem] = []
    accepted: dict[str, Any] = {}
    for asked in form.fields:
        if is_hidden(asked, names):
            names[asked["key"]] = None
            continue
        if "readonly" in asked and names.value_of(asked["readonly"]) is True:
            continue
        value = answers.get(asked["key"])
        found = check_field(asked, value, names, today)
        if found is not None:
            reason, values = found
            problems.append(FieldProblem(asked["key"], asked["label"], reason, values))
        elif value is not None and (not is_empty(value) or _keeps_empty(asked)):
            accepted[asked["key"]] = value
    if problems:
        raise AnswersInvalid(problems)
    return accepted


def visible_names(
    form: Reading,
    answers: Mapping[str, Any],
    variables: Mapping[str, Any],
    feel: Feel,
) -> Names:
    """What conditions may refer to: variables, and over them what is typed in."""
    typed = {asked["key"]: answers.get(asked["key"]) for asked in form.fields}
    return Names({**variables, **typed}, feel)


def is_hidden(asked: Field, names: Names) -> bool:
    return any(names.value_of(tree) is True for tree in asked.get("hide", ()))


def is_empty(value: Any) -> bool:
    return value is None or value == "" or value == []


def check_field(asked: Field, value: Any, names: Names, today: date | None) -> Found:
    """Why a value does not fit; None if it does."""
    empty = value is not True if asked["type"] == "checkbox" else is_empty(value)
    if empty and asked.get("required"):
        return REQUIRED, {}
    if is_empty(value):
        return None
    check = CHECKS[asked["type"]]
    return check(asked, value, names, today)


def choices_of(asked: Field, names: Mapping[str, Any]) -> list[dict[str, Any]]:
    listed = plain_value(asked["choices"], names)
    if not isinstance(listed, list):
        return []
    return [choice for value in listed if (choice := as_choice(value))]


def weigh_limits(asked: Field, names: Names) -> tuple[float | None, float | None]:
    """Target and tolerance in kg, as far as they are known."""
    target = _number_at(asked, "target", names)
    tolerance = _number_at(asked, "tolerance_kg", names)
    percent = _number_at(asked, "tolerance_percent", names)
    if percent is not None and target is not None:
        tolerance = abs(target) * percent / 100
    return target, tolerance


def _keeps_empty(asked: Field) -> bool:
    return asked["type"] in ("textfield", "textarea", "scan", "checklist", "taglist")


def _number_at(asked: Field, name: str, names: Names) -> float | None:
    value = names.value_of(asked[name]) if name in asked else None
    return value if is_number(value) else None


def _checkbox(asked: Field, value: Any, *_: Any) -> Found:
    return None if isinstance(value, bool) else ("must be yes or no.", {})


def _number(asked: Field, value: Any, names: Names, *_: Any) -> Found:
    if not is_number(value):
        return "must be a number.", {}
    digits = asked.get("decimalDigits")
    if digits is not None and float(f"{value:.{digits}f}") != value:
        return "must have at most {digits} decimals.", {"digits": digits}
    least, most = (_number_at(asked, limit, names) for limit in ("min", "max"))
    if least is not None and value < least:
        return "must be at least {limit}.", {"limit": least}
    if most is not None and value > most:
        return "must be at most {limit}.", {"limit": most}
    return None


def _weigh(asked: Field, value: Any, names: Names, *_: Any) -> Found:
    found = _number(asked, value, names)
    if found is not None:
        return found
    if value < 0:
        return "must be at least {limit}.", {"limit": 0}
    target, tolerance = weigh_limits(asked, names)
    if target is None or tolerance is None or asked.get("allowOutside"):
        return None
    if value < target - tolerance - SLACK_KG:
        return "{amount} kg too little.", {"amount": round(target - value, 3)}
    if value > target + tolerance + SLACK_KG:
        return "{amount} kg too much.", {"amount": round(value - target, 3)}
    return None


def _text(asked: Field, value: Any, names: Names, *_: Any) -> Found:
    if not isinstance(value, str):
        return "must be text.", {}
    if UNKEEPABLE.search(value):
        return "has characters that cannot be kept.", {}
    most = asked.get("maxLength", MAX_TEXT)
    if "pattern" in asked:
        most = min(most, MAX_MATCHED_TEXT)
    if len(value) > most:
        return "must be at most {limit} characters.", {"limit": most}
    if len(value) < asked.get("minLength", 0):
        return "must be at least {limit} characters.", {"limit": asked["minLength"]}
    special = asked.get("validationType")
    if special == "email" and not EMAIL.fullmatch(value):
        return "must be an e-mail address.", {}
    if special == "phone" and not PHONE.fullmatch(value):
        return "must be a telephone number.", {}
    if "pattern" in asked and not re.search(asked["pattern"], value):
        hint = asked.get("patternHint")
        return (
            ("must look like this: {hint}.", {"hint": hint})
            if hint
            else ("does not have the right form.", {})
        )
    return _expected(asked, value, names)


def _expected(asked: Field, value: str, names: Names) -> Found:
    expected = names.value_of(asked["expected"]) if "expected" in asked else None
    if not isinstance(expected, str) or expected == "" or value.strip() == expected:
        return None
    return "wrong code; {expected} is expected.", {"expected": expected}


def _choice(asked: Field, value: Any, names: Names, *_: Any) -> Found:
    known = any(same(value, choice["value"]) for choice in choices_of(asked, names))
    return None if known else ("is not one of the choices.", {})


def _choices(asked: Field, value: Any, names: Names, *_: Any) -> Found:
    if not isinstance(value, list):
        return "must be a list of choices.", {}
    choices = choices_of(asked, names)
    for index, item in enumerate(value):
        if not any(same(item, choice["value"]) for choice in choices):
            return "is not one of the choices.", {}
        if any(same(item, other) for other in value[:index]):
            return "names a choice twice.", {}
    return None


def _datetime(
    asked: Field, value: Any, names: Names, today: date | None = None
) -> Found:
    subtype = asked["subtype"]
    if not isinstance(value, str) or not is_moment(subtype, value):
        return NO_MOMENT[subtype], {}
    size = {"date": 10, "time": 5, "datetime": 16}[subtype]
    first_day = today.isoformat() if today and asked.get("disallowPassed") else ""
    if subtype != "time" and value[:10] < first_day:
        return "must not lie in the past.", {}
    for name, reason in (
        ("min", "must not be before {limit}."),
        ("max", "must not be after {limit}."),
    ):
        limit = names.value_of(asked[name]) if name in asked else None
        if not isinstance(limit, str) or not is_moment(subtype, limit):
            continue
        early = value[:size] < limit[:size] if name == "min" else False
        late = value[:size] > limit[:size] if name == "max" else False
        if early or late:
            return reason, {"limit": limit}
    return None


def is_moment(subtype: str, value: str) -> bool:
    """Whether a text is a date, a time or both, as browsers write them."""
    if not SHAPES[subtype].fullmatch(value):
        return False
    if subtype == "time":
        return True
    try:
        date.fromisoformat(value[:10])
    except ValueError:
        return False
    return True


def _photo(asked: Field, value: Any, *_: Any) -> Found:
    if not isinstance(value, str) or not IMAGE.fullmatch(value):
        return "must be a picture (JPEG, PNG or WebP).", {}
    limit = asked.get("maxBytes", MAX_IMAGE_BYTES)
    if (len(value) - value.index(",") - 1) * 3 // 4 > limit + 2:
        return "must be at most {limit} MB.", {"limit": round(limit / (1 << 20), 1)}
    return None


def _signature(asked: Field, value: Any, names: Names, *_: Any) -> Found:
    """Drawn, or the name typed by those who cannot draw."""
    if isinstance(value, str) and not value.startswith("data:"):
        return _text({"maxLength": 100, "minLength": 2}, value, names)
    return _photo(asked, value)


CHECKS: dict[str, Callable[..., Found]] = {
    "checkbox": _checkbox,
    "number": _number,
    "weigh": _weigh,
    "textfield": _text,
    "textarea": _text,
    "scan": _text,
    "select": _choice,
    "radio": _choice,
    "checklist": _choices,
    "taglist": _choices,
    "datetime": _datetime,
    "photo": _photo,
    "signature": _signature,
}
