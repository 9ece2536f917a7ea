"""Forms as HTML: complete, escaped, and readable without scripts."""

from __future__ import annotations

import base64
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.datastructures import FileStorage, MultiDict

from mpms.domain.forms import AnswersInvalid, check_answers, check_schema
from mpms.engine.feel.lenient import value_or_null
from mpms.web.fields.rendering import parse_post, problems_of, render_form

ROOT = Path(__file__).resolve().parents[4]
FORMS = sorted((ROOT / "forms").glob("*.form"))
EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{7*7}}"
CHOICES = [{"label": "Red", "value": "red"}, {"label": "Seven", "value": 7}]
VARIABLES = {
    "material": {"code": "M-1", "name": "Chalk", "required_kg": 1234.5, "place": "A"},
    "materials": [{"code": "M-1", "name": "Chalk", "required_kg": 12.5, "place": "A"}],
    "loaded": [],
    "order_number": "MO-1",
    "product": "Paint",
    "robot": "r1",
    "message": "",
}

pytestmark = pytest.mark.usefixtures("asked")


class Page(HTMLParser):
    """Elements with their attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def with_attribute(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for _, attributes in self.tags if name in attributes]


def field(kind: str, key: str = "x", **more: Any) -> dict[str, Any]:
    return {"type": kind, "key": key, "label": f"Label {key}", **more}


def form(*components: dict[str, Any]) -> dict[str, Any]:
    return {"id": "f", "components": list(components)}


def page(schema: dict[str, Any], *args: Any, **more: Any) -> Page:
    return Page(str(render_form(schema, *(args or ({},)), **more, feel=value_or_null)))


EVERYTHING = form(
    field("textfield", "text", description="A hint"),
    field("textarea", "area"),
    field("number", "number", decimalDigits=1, appearance={"suffixAdorner": "l"}),
    field("checkbox", "box"),
    field("radio", "radio", values=CHOICES),
    field("select", "select", values=CHOICES),
    field("checklist", "list", values=CHOICES),
    field("taglist", "tags", values=CHOICES),
    field("datetime", "day", subtype="date"),
    field("datetime", "clock", subtype="time"),
    field("datetime", "moment", subtype="datetime"),
    field("scan", "scan", expected="=lot"),
    field("weigh", "weigh", target="=material.required_kg", tolerance_kg=0.5),
    field("photo", "photo"),
    field("signature", "signature"),
)


def test_every_field_has_a_label_a_place_for_errors_and_its_rules() -> None:
    assert check_schema(EVERYTHING) == []
    shown = page(EVERYTHING, VARIABLES)
    fields = shown.with_attribute("data-field")
    assert len(fields) == len(EVERYTHING["components"])
    for given_field in fields:
        key = given_field["data-field"]
        assert json.loads(given_field["data-rules"] or "")["key"] == key
        assert given_field["data-type"]
        assert f"Label {key}" in shown.text
        assert f'id="{key}-error"' in str(
            render_form(EVERYTHING, VARIABLES, feel=value_or_null)
        )


def test_every_reference_between_elements_has_its_end() -> None:
    shown = page(EVERYTHING, VARIABLES)
    ids = [str(a["id"]) for a in shown.with_attribute("id")]
    assert len(ids) == len(set(ids))
    for attributes in shown.with_attribute("for"):
        assert attributes["for"] in ids
    for attributes in shown.with_attribute("aria-describedby"):
        assert set(str(attributes["aria-describedby"]).split()) <= set(ids)


def test_no_script_no_style_and_no_handler_is_written_into_a_page() -> None:
    for path in FORMS:
        schema = json.loads(path.read_text(encoding="utf-8"))
        shown = page(schema, VARIABLES)
        names = {name for _, attributes in shown.tags for name in attributes}
        assert not any(name.startswith("on") or name == "style" for name in names)
        assert not {"script", "style"} & {tag for tag, _ in shown.tags}


def evil_form(text: str) -> dict[str, Any]:
    choices = [{"label": text, "value": text}]
    return form(
        {"type": "text", "text": f"# {text}\n- **{text}** {{{{evil}}}}\n[a]({text})"},
        {
            "type": "table",
            "label": text,
            "dataSource": "=rows",
            "columns": [{"key": "a", "label": text}],
        },
        {"type": "image", "source": "=evil", "alt": text},
        {"type": "group", "label": text, "components": [field("number")]},
        *(
            {**field(kind, kind), "label": text, "description": text}
            for kind in ("textfield", "textarea", "scan", "photo", "signature")
        ),
        field("select", "s", values=choices),
        field("radio", "r", valuesKey="rows"),
        field("checklist", "c", values=choices),
        field("textfield", "fixed", readonly=True),
        field("weigh", "w", target="=evil", tolerance_kg=1),
        field("textfield", "p", validate={"pattern": "^a", "patternHint": text}),
    )


def dangers(shown: Page) -> list[Any]:
    return [
        (tag, attributes)
        for tag, attributes in shown.tags
        if tag in ("script", "style", "iframe", "object")
        or any(name.startswith("on") or name == "style" for name in attributes)
        or str(attributes.get("href", "/")).strip()[:1] not in ("/", "")
        or not str(attributes.get("src", "/")).startswith(("/", "data:image/"))
    ]


def test_stored_script_is_shown_as_text_wherever_it_comes_from() -> None:
    plain = EVIL.replace("{{7*7}}", "")
    variables = {"evil": plain, "rows": [{"a": plain}, plain], "fixed": plain}
    values = dict.fromkeys(("textfield", "textarea", "scan", "signature", "x"), EVIL)
    schema = evil_form(plain)
    shown = page(schema, variables, values, problems={"textfield": EVIL})
    assert dangers(shown) == []
    assert "alert(1)" in shown.text
    assert "<script" not in str(
        render_form(schema, variables, values, feel=value_or_null)
    )


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=60,
    deadline=None,
    derandomize=True,
)
@given(
    st.text(max_size=40)
    | st.sampled_from([EVIL, "javascript:alert(1)", "data:text/html,x", "](//evil)"])
)
def test_no_text_becomes_markup(text: str) -> None:
    variables = {"evil": text, "rows": [{"a": text}, text], "fixed": text}
    values = dict.fromkeys(("textfield", "textarea", "scan", "signature"), text)
    shown = page(evil_form(text), variables, values, problems={"textfield": text})
    assert dangers(shown) == []


def test_values_of_variables_are_no_markdown() -> None:
    shown = str(
        render_form(
            form({"type": "text", "text": "**{{a}}** and {{b}}"}),
            {"a": "x", "b": "**no** # [l](/a)"},
            feel=value_or_null,
        )
    )
    assert "<strong>x</strong> and **no** # [l](/a)" in shown


def test_texts_know_a_little_markdown() -> None:
    text = "# Head\nline *one*\nline two\n\n- a\n- b\n1. c\n`code` [go](/orders)"
    shown = str(
        render_form(form({"type": "text", "text": text}), {}, feel=value_or_null)
    )
    for piece in (
        "<h2>Head</h2>",
        "<p>line <em>one</em><br>line two</p>",
        "<ul><li>a</li><li>b</li></ul>",
        "<ol><li>c</li></ol>",
        '<code>code</code> <a href="/orders">go</a>',
    ):
        assert piece in shown


def test_numbers_are_written_in_the_readers_language(site: Flask) -> None:
    schema = form(
        {"type": "text", "text": "{{material.required_kg}} kg"},
        field("number", "n"),
    )
    with site.test_request_context(headers={"Accept-Language": "de"}):
        german = str(render_form(schema, VARIABLES, {"n": 1234.5}, feel=value_or_null))
    assert "1.234,5 kg" in german
    assert 'value="1234,5"' in german
    english = str(render_form(schema, VARIABLES, {"n": 1234.5}, feel=value_or_null))
    assert "1,234.5 kg" in english
    assert 'value="1234.5"' in english


def test_shipped_forms_speak_german_and_spanish(site: Flask) -> None:
    for path in FORMS:
        schema = json.loads(path.read_text(encoding="utf-8"))
        english = page(schema, VARIABLES).text
        for language in ("de", "es"):
            header = {"Accept-Language": language}
            with site.test_request_context(headers=header):
                assert page(schema, VARIABLES).text != english
                for word in ("Order ", " the ", "Loaded", "Reason"):
                    assert word not in page(schema, VARIABLES).text


def test_what_is_hidden_at_first_says_so_and_can_be_shown_later() -> None:
    schema = form(
        field("checkbox", "more"),
        field("textfield", conditional={"hide": "=not(more)"}),
    )
    hidden = {"more": False}
    (closed,) = page(schema, {}, hidden).with_attribute("data-condition")
    assert "hidden" in closed
    assert json.loads(closed["data-condition"] or "") == ["not", ["get", "more"]]
    (opened,) = page(schema, {}, {"more": True}).with_attribute("data-condition")
    assert "hidden" not in opened


def test_only_the_variables_that_rules_need_travel_to_the_tablet() -> None:
    schema = form(
        field("weigh", target="=material.required_kg", tolerance_kg="=allowed"),
        field("textfield", "y", conditional={"hide": '=message = "" or a = 1'}),
    )
    variables = {**VARIABLES, "allowed": 1, "secret": "wages"}
    (root,) = page(schema, variables).with_attribute("data-variables")
    sent = json.loads(root["data-variables"] or "")
    assert sent == {
        "allowed": 1,
        "material": VARIABLES["material"],
        "message": "",
    }


def test_drafts_come_before_variables_and_variables_before_defaults() -> None:
    schema = form(field("textfield", defaultValue="by default"))
    for args, value in (
        (({},), "by default"),
        (({"x": "variable"},), "variable"),
        (({"x": "variable"}, {"x": "draft"}), "draft"),
    ):
        (given_input,) = page(schema, *args).with_attribute("value")
        assert given_input["value"] == value


def test_a_read_only_field_is_shown_and_takes_nothing() -> None:
    shown = page(form(field("textfield", readonly=True)), {"x": "fixed"})
    assert "fixed" in shown.text
    assert shown.with_attribute("name") == []


def test_a_problem_stands_at_its_field_in_the_readers_language(site: Flask) -> None:
    schema = form(field("number", validate={"max": 5}))
    with pytest.raises(AnswersInvalid) as wrong:
        check_answers(schema, {"x": 7.5}, feel=value_or_null)
    assert problems_of(wrong.value) == {"x": "Must be at most 5."}
    with site.test_request_context(headers={"Accept-Language": "de"}):
        assert problems_of(wrong.value) == {"x": "Darf höchstens 5 sein."}
        shown = page(schema, {}, {"x": 7.5}, problems=problems_of(wrong.value))
    assert "Darf höchstens 5 sein." in shown.text
    assert shown.with_attribute("aria-invalid")
    assert problems_of(ValueError("no")) == {}


def test_an_image_comes_from_this_server_only() -> None:
    schema = form({"type": "image", "source": "=photo", "alt": "A drum"})
    for source, shown in (
        ("/static/drum.png", True),
        ("data:image/png;base64,AAAA", True),
        ("https://example.org/x.png", False),
        ("//example.org/x.png", False),
        ("data:image/svg+xml;base64,AAAA", False),
        (7, False),
    ):
        found = page(schema, {"photo": source}).with_attribute("src")
        assert bool(found) is shown


def test_a_post_without_scripts_becomes_typed_answers() -> None:
    posted = MultiDict(
        [
            ("text", " hello "),
            ("area", "a\r\nb"),
            ("number", "12,5"),
            ("box", "true"),
            ("radio", "7"),
            ("select", "red"),
            ("list", "red"),
            ("list", "7"),
            ("day", "2026-11-16"),
            ("scan", "L-1"),
            ("weigh", "1 234"),
            ("signature", "Ada"),
            ("is_admin", "true"),
        ]
    )
    picture = b"\x89PNG\r\n\x1a\n"
    upload = FileStorage(io.BytesIO(picture), "a.png", content_type="image/png")
    answers = parse_post(EVERYTHING, posted, files=MultiDict({"photo": upload}))
    assert answers == {
        "text": "hello",
        "area": "a\nb",
        "number": 12.5,
        "box": True,
        "radio": 7,
        "select": "red",
        "list": ["red", 7],
        "tags": [],
        "day": "2026-11-16",
        "scan": "L-1",
        "weigh": 1234,
        "photo": "data:image/png;base64," + base64.b64encode(picture).decode(),
        "signature": "Ada",
    }
    assert check_answers(EVERYTHING, answers, feel=value_or_null) == answers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("5,0", 5),
        ("-0,5", -0.5),
        (" 1.25 ", 1.25),
        (".5", 0.5),
        ("", None),
        ("1,234.5", "1,234.5"),
        ("1.234,5", "1.234,5"),
        ("1e5", "1e5"),
        ("nan", "nan"),
        ("five", "five"),
    ],
)
def test_numbers_are_read_with_comma_or_point(text: str, value: Any) -> None:
    answers = parse_post(form(field("number")), MultiDict({"x": text}))
    assert answers == {"x": value}


def test_a_box_that_is_not_ticked_is_no() -> None:
    assert parse_post(form(field("checkbox")), MultiDict()) == {"x": False}


def test_the_amounts_of_all_lines_are_on_the_page() -> None:
    for name in ("load_material", "unload_material"):
        schema = json.loads((ROOT / "forms" / f"{name}.form").read_text())
        html = str(render_form(schema, VARIABLES, feel=value_or_null))
        assert re.search(r"<td>Chalk</td><td class=\"number\">12.5</td>", html)
