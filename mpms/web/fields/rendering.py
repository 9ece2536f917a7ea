"""Forms as pages: every field with its label, hint and error, in big targets.

The page works without scripts for plain fields (names are keys, ``parse_post`` reads
them); ``frontend/src/fields`` makes it live with the very rules of the server, which
each field carries as JSON.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from flask import render_template
from markupsafe import Markup

from mpms.domain.forms.checking import (
    AnswersInvalid,
    FieldProblem,
    choices_of,
    is_hidden,
    visible_names,
    weigh_limits,
)
from mpms.domain.forms.conditions import Feel, is_number, path_of
from mpms.domain.forms.reading import INPUT_TYPES, LOCAL_IMAGE, Field, Reading
from mpms.web.labels import formats, markdown
from mpms.web.texts import current_language, t

MAX_ROWS = 500
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")
UNSHOWN_RULES = frozenset({"hide", "label", "choices"})


class Posted(Protocol):
    """What a browser posts: werkzeug's MultiDict."""

    def get(self, key: str, /) -> Any: ...
    def getlist(self, key: str, /) -> list[Any]: ...


def render_form(
    schema: dict[str, Any],
    variables: Mapping[str, Any],
    values: Mapping[str, Any] | None = None,
    *,
    feel: Feel,
    problems: Mapping[str, str] | None = None,
) -> Markup:
    """The fields of a form, without the ``<form>`` around them.

    ``values`` are what has been typed already (drafts), ``problems`` sentences by key.
    """
    view = _View(schema, variables, values or {}, problems or {}, feel)
    return Markup(  # noqa: S704 - a template that escapes
        render_template(
            "_form.html", nodes=view.nodes(), names=json.dumps(view.sent_names())
        )
    )


def problems_of(failure: Exception) -> dict[str, str]:
    """Sentences by key in the reader's language, for ``render_form``."""
    if isinstance(failure, AnswersInvalid):
        return {p.key: say(p) for p in failure.problems}
    return {}


def say(problem: FieldProblem) -> str:
    text = t(problem.reason, **problem.values)
    return text[:1].upper() + text[1:]


def parse_post(
    schema: dict[str, Any],
    form: Posted,
    variables: Mapping[str, Any] | None = None,
    *,
    files: Posted | None = None,
) -> dict[str, Any]:
    """Typed answers from the post of a page without scripts.

    What cannot be read stays text, so that ``check_answers`` names it.
    """
    reading = Reading(schema)
    names = dict(variables or {})
    answers: dict[str, Any] = {}
    for asked in reading.fields:
        key, kind = asked["key"], asked["type"]
        if kind == "checkbox":
            answers[key] = form.get(key) is not None
        elif kind in ("checklist", "taglist"):
            answers[key] = [_chosen(asked, names, text) for text in form.getlist(key)]
        elif kind == "photo" and files is not None and files.get(key):
            answers[key] = _data_url(files.get(key))
        elif (text := form.get(key)) is None:
            continue
        elif kind in ("number", "weigh"):
            answers[key] = _number(str(text))
        elif kind in ("select", "radio"):
            answers[key] = _chosen(asked, names, str(text))
        elif kind == "textarea":
            answers[key] = str(text).replace("\r\n", "\n")
        else:
            answers[key] = str(text).strip()
    return answers


def _number(text: str) -> Any:
    plain = text.strip().replace(" ", "").replace("\N{NO-BREAK SPACE}", "")
    if "." not in plain:
        plain = plain.replace(",", ".", 1)
    if plain == "":
        return None
    if not NUMBER.fullmatch(plain):
        return text.strip()
    value = float(plain)
    return int(value) if is_number(value) and value.is_integer() else value


def _chosen(asked: Field, names: Mapping[str, Any], text: str) -> Any:
    for choice in choices_of(asked, names):
        if _as_text(choice["value"]) == text:
            return choice["value"]
    return text


def _as_text(value: Any) -> str:
    """What stands in the value attribute of a choice."""
    return value if isinstance(value, str) else json.dumps(value)


def _data_url(upload: Any) -> str:
    content = upload.read()
    encoded = base64.b64encode(content).decode("ascii")
    return f"data:{upload.mimetype};base64,{encoded}" if content else ""


class _View:
    """One form, filled with variables and values, as its template wants it."""

    def __init__(
        self,
        schema: dict[str, Any],
        variables: Mapping[str, Any],
        values: Mapping[str, Any],
        problems: Mapping[str, str],
        feel: Feel,
    ) -> None:
        self._schema = schema
        self._variables = variables
        self._problems = problems
        self._reading = Reading(schema)
        self._values: dict[str, Any] = {}
        for component in _inputs(schema.get("components", [])):
            key = component.get("key")
            if isinstance(key, str):
                known = values.get(key, variables.get(key))
                default = component.get("defaultValue")
                self._values[key] = default if known is None else known
        # A page may show a form in several cards: answers of others count as well.
        around = {**variables, **values}
        self._names = visible_names(self._reading, self._values, around, feel)
        for field in self._reading.fields:
            if is_hidden(field, self._names):
                self._names[field["key"]] = None

    def nodes(self) -> list[dict[str, Any]]:
        return self._all(self._schema.get("components", []))

    def sent_names(self) -> dict[str, Any]:
        """The variables that conditions and limits need on the tablet, no others."""
        used: set[str] = set()
        for field in self._reading.fields:
            for rule in field.values():
                _collect(rule, used)
        for tree in self._reading.hidden_by.values():
            _collect(tree, used)
        return {n: self._variables[n] for n in sorted(used) if n in self._variables}

    def _all(self, components: Iterable[Any]) -> list[dict[str, Any]]:
        nodes = [self._node(c) for c in components if isinstance(c, dict)]
        return [node for node in nodes if node]

    def _node(self, component: dict[str, Any]) -> dict[str, Any]:
        kind = component.get("type")
        condition = self._reading.hidden_by.get(id(component))
        node = {
            "type": kind,
            "condition": None if condition is None else json.dumps(condition),
            "hidden": condition is not None and self._names.value_of(condition) is True,
            "label": self._text(component.get("label")),
            "hint": self._text(component.get("description")),
        }
        if kind == "group":
            node["nodes"] = self._all(component.get("components") or [])
            node["outline"] = bool(component.get("showOutline"))
        elif kind == "text":
            node["html"] = self._markdown(component.get("text"))
        elif kind == "table":
            node |= self._table(component)
        elif kind == "image":
            node |= self._image(component)
        elif kind in INPUT_TYPES:
            node |= self._input(component)
        elif kind not in ("separator", "spacer"):
            return {}
        return node

    def _input(self, component: dict[str, Any]) -> dict[str, Any]:
        key = component.get("key")
        field = self._reading.field_of.get(id(component))
        value = self._values.get(str(key))
        fixed = field is None or (
            "readonly" in field and self._names.value_of(field["readonly"]) is True
        )
        node: dict[str, Any] = {
            "key": key,
            "value": value,
            "shown": self._shown(value),
            "typed": _typed(value),
            "fixed": fixed,
            "problem": self._problems.get(str(key)),
            "prefix": _adorner(component, "prefixAdorner"),
            "suffix": _adorner(component, "suffixAdorner"),
        }
        if field is None:
            return node
        rules = {k: v for k, v in field.items() if k not in UNSHOWN_RULES}
        node |= {
            "required": bool(field.get("required")),
            "field": field,
        }
        if "choices" in field:
            known = choices_of(field, self._names)
            rules["choices"] = ["is", [{"value": c["value"]} for c in known]]
            chosen = value if isinstance(value, list) else [value]
            node["choices"] = [
                {
                    "text": _as_text(choice["value"]),
                    "value": json.dumps(choice["value"]),
                    "label": self._text(choice["label"]),
                    "chosen": any(
                        choice["value"] == one and type(one) is type(choice["value"])
                        for one in chosen
                    ),
                }
                for choice in known
            ]
        if field["type"] == "number":
            node["number"] = self._number_attributes(field)
        elif field["type"] == "weigh":
            node["target"], node["tolerance"] = weigh_limits(field, self._names)
        elif field["type"] == "scan" and "expected" in field:
            node["expected"] = self._shown(self._names.value_of(field["expected"]))
        node["rules"] = json.dumps(rules)
        return node

    def _number_attributes(self, field: Field) -> dict[str, Any]:
        found = {
            name: self._names.value_of(field[name])
            for name in ("min", "max", "increment")
            if name in field
        }
        return {name: value for name, value in found.items() if is_number(value)}

    def _table(self, component: dict[str, Any]) -> dict[str, Any]:
        try:
            rows = self._names.value_of(path_of(str(component.get("dataSource"))))
        except ValueError:
            rows = None
        listed = rows if isinstance(rows, list) else []
        columns = [c for c in component.get("columns") or [] if isinstance(c, dict)]
        cells = [
            [self._cell(row, str(column.get("key"))) for column in columns]
            for row in listed[:MAX_ROWS]
        ]
        return {
            "columns": [
                {
                    "key": column.get("key"),
                    "label": self._text(column.get("label")),
                    "number": bool(cells) and all(row[at]["number"] for row in cells),
                }
                for at, column in enumerate(columns)
            ],
            "rows": cells,
        }

    def _cell(self, row: Any, key: str) -> dict[str, Any]:
        value = row.get(key) if isinstance(row, Mapping) else None
        return {"text": self._shown(value), "number": is_number(value)}

    def _image(self, component: dict[str, Any]) -> dict[str, Any]:
        source = component.get("source")
        if isinstance(source, str) and source.startswith("="):
            source = self._value_of(source)
        good = isinstance(source, str) and LOCAL_IMAGE.fullmatch(source)
        return {
            "source": source if good else None,
            "alt": self._text(component.get("alt")),
        }

    def _markdown(self, text: Any) -> Markup:
        if not isinstance(text, str):
            return Markup("")
        if text.startswith("="):
            return markdown.render("{{_}}", lambda _: self._shown(self._value_of(text)))
        return markdown.render(t(text), lambda p: self._shown(self._value_of(p)))

    def _text(self, text: Any) -> str:
        if not isinstance(text, str):
            return ""
        if text.startswith("="):
            return self._shown(self._value_of(text))
        return markdown.plain(t(text), lambda path: self._shown(self._value_of(path)))

    def _value_of(self, path: str) -> Any:
        try:
            return self._names.value_of(path_of(path))
        except ValueError:
            return None

    def _shown(self, value: Any) -> str:
        if isinstance(value, bool):
            return t("Yes") if value else t("No")
        if is_number(value):
            return formats.number(value, current_language())
        return value if isinstance(value, str) else ""


def _typed(value: Any) -> str:
    """A number as one types it: never grouped, so that a comma is a decimal sign."""
    if not is_number(value):
        return value if isinstance(value, str) else ""
    text = f"{value:.15g}"
    return text if current_language() == "en" else text.replace(".", ",")


def _inputs(components: Any) -> Iterable[dict[str, Any]]:
    for component in components if isinstance(components, list) else ():
        if not isinstance(component, dict):
            continue
        if component.get("type") == "group":
            yield from _inputs(component.get("components"))
        elif component.get("type") in INPUT_TYPES:
            yield component


def _adorner(component: dict[str, Any], name: str) -> str:
    appearance = component.get("appearance")
    text = appearance.get(name) if isinstance(appearance, dict) else None
    return text if isinstance(text, str) else ""


def _collect(rule: Any, used: set[str]) -> None:
    if not isinstance(rule, list) or not rule:
        return
    if rule[0] == "get" and len(rule) > 1:
        used.add(str(rule[1]))
        return
    for part in rule if isinstance(rule[0], list) else rule[1:]:
        _collect(part, used)
