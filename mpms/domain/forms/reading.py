"""Camunda Forms JSON read into fields whose rules both sides apply.

A field comes out as a plain dictionary that JSON can carry: the tablet gets exactly
what the server checks with. What we could not honour is a problem, found when the
form is deployed and never passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from mpms.domain.forms.conditions import (
    ConditionUnreadable,
    Expression,
    is_number,
    parse,
    path_of,
)
from mpms.domain.forms.patterns import PatternRefused, portable
from mpms.domain.models.definitions import Problem

CHOICE_TYPES = frozenset({"select", "radio", "checklist", "taglist"})
OUR_TYPES = frozenset({"scan", "weigh", "photo", "signature"})
INPUT_TYPES = (
    frozenset({"textfield", "textarea", "number", "checkbox", "datetime"})
    | CHOICE_TYPES
    | OUR_TYPES
)
SHOWN_TYPES = frozenset(
    {"text", "table", "image", "group", "separator", "spacer", "button"}
)
REFUSED_TYPES = {
    "html": "it could bring scripts into the pages; use text",
    "iframe": "it would load pages from elsewhere",
    "dynamiclist": "lists that grow are not supported",
}
MAX_IMAGE_BYTES = 4 << 20
MAX_COMPONENTS = 500
MAX_DEPTH = 20
KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
LOCAL_IMAGE = re.compile(
    r"/(?!/)[^\s\"'<>\\]*|data:image/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/=]+"
)
PLACEHOLDER = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)

Field = dict[str, Any]


class Reading:
    """One form, read: its fields in order and what is wrong with it."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.fields: list[Field] = []
        self.problems: list[Problem] = []
        self.hidden_by: dict[int, Expression] = {}  # by id() of the component
        self.field_of: dict[int, Field] = {}  # the same
        self.broken_fields = False
        self._keys: set[str] = set()
        self._count = 0
        self._depth = 0
        components = schema.get("components")
        if isinstance(components, list):
            self._all(components, [])
        else:
            self._problem(schema, "a form needs a list of components")

    def _all(self, components: list[Any], hide: list[Expression]) -> None:
        for component in components:
            self._count += 1
            if self._count > MAX_COMPONENTS or self._depth > MAX_DEPTH:
                self._problem(component, "the form is too large or too deep")
                return
            if not isinstance(component, dict):
                self._problem({}, "a component is a JSON object")
                continue
            self._one(component, hide)

    def _one(self, component: dict[str, Any], hide: list[Expression]) -> None:
        kind = component.get("type")
        if not isinstance(kind, str) or kind not in INPUT_TYPES | SHOWN_TYPES:
            why = REFUSED_TYPES.get(str(kind))
            said = f"is refused: {why}" if why else "is not known"
            self._problem(component, f"the field type {kind!r} {said}")
            return
        before = len(self.problems)
        own = self._condition(component)
        if own is not None:
            self.hidden_by[id(component)] = own
            hide = [*hide, own]
        self._texts(component)
        if kind == "group":
            self._group(component, hide)
        elif kind in INPUT_TYPES:
            field = _InputReading(self, component).read()
            if field is not None and hide:
                field["hide"] = hide
            if len(self.problems) > before:
                self.broken_fields = True
            elif field is not None:
                self.fields.append(field)
                self.field_of[id(component)] = field
        else:
            self._shown(kind, component)

    def _group(self, component: dict[str, Any], hide: list[Expression]) -> None:
        if component.get("path"):
            self._problem(component, "a group with a path is not supported")
        inner = component.get("components", [])
        if isinstance(inner, list):
            self._depth += 1
            self._all(inner, hide)
            self._depth -= 1
        else:
            self._problem(component, "a group needs a list of components")

    def _shown(self, kind: str, component: dict[str, Any]) -> None:
        if kind == "table":
            self.attempt(component, "dataSource", path_of)
            columns = component.get("columns")
            good = isinstance(columns, list) and all(
                isinstance(c, dict) and isinstance(c.get("key"), str) for c in columns
            )
            if not good or not columns:
                self._problem(component, "a table needs columns with keys")
        elif kind == "image":
            source = component.get("source")
            if isinstance(source, str) and source.startswith("="):
                self.attempt(component, "source", path_of)
            elif not isinstance(source, str) or not LOCAL_IMAGE.fullmatch(source):
                self._problem(component, "an image comes from this server or is data:")
        elif kind == "button" and component.get("action", "submit") not in (
            "submit",
            "reset",
        ):
            self._problem(component, "a button can submit or reset only")

    def _condition(self, component: dict[str, Any]) -> Expression | None:
        conditional = component.get("conditional")
        if conditional is None:
            return None
        if not isinstance(conditional, dict):
            self._problem(component, "conditional is an object with hide")
            return None
        if not conditional.get("hide"):
            return None
        tree: Expression | None = self.attempt(conditional, "hide", parse, of=component)
        return tree

    def _texts(self, component: dict[str, Any]) -> None:
        for name in ("text", "label", "description", "alt"):
            text = component.get(name)
            if text is None:
                continue
            if not isinstance(text, str):
                self._problem(component, f"{name} has to be text")
            elif text.startswith("="):
                self.attempt(component, name, parse)
            else:
                for inner in PLACEHOLDER.findall(text):
                    try:
                        path_of(inner)
                    except ConditionUnreadable as failure:
                        self._problem(component, f"{{{{{inner}}}}} {failure}")

    def attempt(
        self,
        where: dict[str, Any],
        name: str,
        read: Callable[[str], Any],
        *,
        of: dict[str, Any] | None = None,
    ) -> Any:
        """Read one property; a failure becomes a problem and None."""
        value = where.get(name)
        try:
            if not isinstance(value, str):
                raise ConditionUnreadable("has to be text")
            return read(value)
        except (ConditionUnreadable, PatternRefused) as failure:
            self._problem(of or where, f"{name} {value!r}: {failure}")
            return None

    def _problem(self, component: Any, reason: str) -> None:
        element, name = "", ""
        if isinstance(component, dict):
            element = str(component.get("id") or component.get("key") or "")
            name = str(component.get("label") or component.get("type") or "")
        self.problems.append(Problem(element, name, reason))

    def problem(self, component: dict[str, Any], reason: str) -> None:
        self._problem(component, reason)

    def taken(self, key: str) -> bool:
        """Whether a field with this key came before."""
        seen = key in self._keys
        self._keys.add(key)
        return seen


class _InputReading:
    """One field that takes an answer."""

    def __init__(self, form: Reading, component: dict[str, Any]) -> None:
        self._form = form
        self._component = component
        self._rules = component.get("validate") or {}
        self._kind: str = component["type"]
        self._field: Field = {"type": self._kind}

    def read(self) -> Field | None:
        component, field = self._component, self._field
        key = component.get("key")
        if not isinstance(key, str) or not KEY.fullmatch(key):
            self._problem(f"the key {key!r} is missing or not a plain name")
            return None
        if self._form.taken(key):
            self._problem(f"the key {key!r} is used twice")
        if not isinstance(self._rules, dict):
            self._problem("validate is an object with rules")
            return None
        label = component.get("label")
        field |= {"key": key, "label": label if isinstance(label, str) else ""}
        if component.get("disabled") is True or component.get("readonly") is True:
            return None
        if isinstance(component.get("readonly"), str):
            field["readonly"] = self._form.attempt(component, "readonly", parse)
        required = self._rules.get("required", False)
        if not isinstance(required, bool):
            self._problem("required is true or false")
        elif required:
            field["required"] = True
        if self._kind in CHOICE_TYPES:
            self._choices()
        elif self._kind in ("textfield", "textarea", "scan"):
            self._text()
        elif self._kind == "number":
            self._number()
        elif self._kind == "datetime":
            self._datetime()
        elif self._kind == "weigh":
            self._weigh()
        elif self._kind in ("photo", "signature"):
            self._whole(self._rules, "maxBytes", MAX_IMAGE_BYTES)
        return field

    def _text(self) -> None:
        self._whole(self._rules, "minLength")
        self._whole(self._rules, "maxLength")
        if self._rules.get("pattern") or self._component.get("pattern"):
            where = self._rules if self._rules.get("pattern") else self._component
            self._field["pattern"] = self._form.attempt(
                where, "pattern", portable, of=self._component
            )
            hint = self._rules.get("patternHint")
            if isinstance(hint, str):
                self._field["patternHint"] = hint
        special = self._rules.get("validationType") or "custom"
        if special in ("email", "phone"):
            self._field["validationType"] = special
        elif special != "custom":
            self._problem(f"validationType {special!r} is not known")
        if self._component.get("expected") is not None:
            self._field["expected"] = self._form.attempt(
                self._component, "expected", path_of
            )

    def _number(self) -> None:
        self._whole(self._component, "decimalDigits", 15)
        self._limit(self._component, "increment")
        self._limit(self._rules, "min")
        self._limit(self._rules, "max")
        if self._component.get("serializeToString"):
            self._problem("serializeToString is not supported: a number is a number")

    def _datetime(self) -> None:
        subtype = self._component.get("subtype", "date")
        if subtype not in ("date", "time", "datetime"):
            self._problem(f"subtype {subtype!r} is not date, time or datetime")
        self._field["subtype"] = subtype
        if self._component.get("disallowPassedDates"):
            self._field["disallowPassed"] = True
        for name in ("min", "max"):
            limit = self._rules.get(name)
            if isinstance(limit, str) and limit.startswith("="):
                self._field[name] = self._form.attempt(self._rules, name, parse)
            elif isinstance(limit, str):
                self._field[name] = ["is", limit]
            elif limit is not None:
                self._problem(f"{name} has to be a date as text or =path")

    def _weigh(self) -> None:
        component = self._component
        for name in ("target", "tolerance_kg", "tolerance_percent"):
            self._limit(component, name)
        if component.get("unit", "kg") != "kg":
            self._problem("weights are in kg")
        if "tolerance_kg" in component and "tolerance_percent" in component:
            self._problem("tolerance_kg and tolerance_percent exclude each other")
        if component.get("allow_outside") is True:
            self._field["allowOutside"] = True
        self._whole(component, "decimalDigits", 6)
        self._limit(self._rules, "min")
        self._limit(self._rules, "max")

    def _limit(self, where: dict[str, Any], name: str) -> None:
        """A number, a number as text, or an expression."""
        value = where.get(name)
        if value is None or value == "":
            return
        if is_number(value):
            self._field[name] = ["is", value]
            return
        try:
            plain = float(value) if isinstance(value, str) else None
        except ValueError:
            plain = None
        if plain is not None and is_number(plain):
            whole = plain.is_integer() and "." not in value
            self._field[name] = ["is", int(plain) if whole else plain]
        else:
            self._field[name] = self._form.attempt(
                where, name, path_of, of=self._component
            )

    def _whole(self, where: dict[str, Any], name: str, most: int = 10**6) -> None:
        value = where.get(name)
        if value is None or value == "":
            return
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}", value):
            value = int(value)
        good = isinstance(value, int) and not isinstance(value, bool)
        if good and 0 <= value <= most:
            self._field[name] = value
        else:
            self._problem(f"{name} {value!r} is not a whole number from 0 to {most}")

    def _choices(self) -> None:
        component = self._component
        sources = ("values", "valuesKey", "valuesExpression")
        given = [s for s in sources if component.get(s) is not None]
        if len(given) != 1:
            self._problem("choices come from one of values, valuesKey or a path")
        elif given[0] == "values":
            listed = component["values"]
            if not isinstance(listed, list) or not listed:
                self._problem("values is a list of choices")
                return
            choices = [choice for v in listed if (choice := as_choice(v))]
            texts = {str(choice["value"]) for choice in choices}
            if len(choices) < len(listed) or len(texts) < len(choices):
                self._problem("a choice needs a value of its own: text or number")
            self._field["choices"] = ["is", choices]
        else:
            self._field["choices"] = self._form.attempt(component, given[0], path_of)

    def _problem(self, reason: str) -> None:
        self._form.problem(self._component, reason)


def as_choice(value: Any) -> dict[str, Any] | None:
    """A choice as the pages use it; None if it is none."""
    label: Any = None
    if isinstance(value, dict):
        value, label = value.get("value"), value.get("label")
    if not isinstance(value, str | bool) and not is_number(value):
        return None
    return {"value": value, "label": label if isinstance(label, str) else str(value)}


def fields(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All components that take an answer, groups opened, as the form has them."""
    pending = list(schema.get("components", []))
    while pending:
        component = pending.pop(0)
        if component.get("type") == "group":
            pending = list(component.get("components", [])) + pending
        elif (
            component.get("type") in INPUT_TYPES
            and component.get("key")
            and component.get("disabled") is not True
            and component.get("readonly") is not True
        ):
            yield component


def check_schema(schema: dict[str, Any]) -> list[Problem]:
    """Why a form cannot be used; an empty list means it can."""
    return Reading(schema).problems
