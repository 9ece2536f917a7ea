"""Every text that somebody may see exists in each language."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from jinja2 import Environment, nodes

from mpms.factory.testdrive import plant
from mpms.plugins import loading
from mpms.services.testdrive import compare
from mpms.web import texts
from mpms.web.site import menu
from mpms.web.texts import LANGUAGES, directories, translate

FOREIGN = sorted(set(LANGUAGES) - {"en"})
HOLES = re.compile(r"\{(\w+)\}")
# A string as TypeScript writes it, after t(
TS_TEXT = re.compile(r"""(?<![\w.])t\(\s*("(?:[^"\\\n]|\\.)*")""")


@cache
def texts_of_templates(root: Path) -> set[tuple[str, str]]:
    environment = Environment(autoescape=True)
    found = set()
    for path in sorted(root.glob("mpms/**/web/templates/*")):
        if path.suffix not in {".html", ".svg", ".txt"}:
            continue
        for call in environment.parse(path.read_text("utf-8")).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "t":
                first = call.args[0]
                if isinstance(first, nodes.Const):
                    found.add((str(first.value), path.name))
    return found


@cache
def texts_of_python(root: Path) -> set[tuple[str, str]]:
    found = set()
    pages = [*(root / "mpms/web").rglob("*.py"), *(root / "mpms/factory").rglob("*.py")]
    for path in sorted(pages):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in {"t", "translate"}
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                found.add((str(node.args[0].value), path.name))
    return found


@cache
def texts_of_typescript(root: Path) -> set[tuple[str, str]]:
    return {
        (json.loads(text), path.name)
        for path in sorted((root / "frontend" / "src").rglob("*.ts"))
        for text in TS_TEXT.findall(path.read_text("utf-8"))
    }


def texts_of_history() -> set[tuple[str, str]]:
    """Sentences of lines; the longer ones are functions."""
    kinds = loading.kinds().kinds.values()
    sentences = {k.sentence for k in kinds if " " in k.sentence}
    actions = {k.action for k in kinds if k.action}
    incidents = {kind.title for kind in loading.kinds().incidents.values()}
    return {(text, "kinds.py") for text in sentences | actions | incidents}


def texts_of_plugins() -> set[tuple[str, str]]:
    """What they put into menus and pages of the core, and our own menus."""
    found = {line.title for line in menu.CORE}
    for plugin in loading.loaded():
        found |= {line.title for line in plugin.menu} | set(plugin.queues.values())
        found |= {page.title for page in plugin.pages if page.in_menu}
        for decision in plugin.decisions:
            found |= {decision.sentence, decision.link}
        for link in plugin.links.values():
            found |= {link.text, link.at_step, link.by_hand, link.several_by_hand}
    return {(text, "plug-in") for text in found if HOLES.sub("", text)}


def texts_of_answers(root: Path) -> set[tuple[str, str]]:
    """Sentences that statements of plug-ins give to pages of the core."""
    found = set()
    for plugin in loading.loaded():
        directory = plugin.queries or root
        written = "".join(p.read_text("utf-8") for p in directory.glob("*.sql"))
        for question in ("undecided", "old"):
            _, _, after = written.partition(f"-- name: {plugin.additions[question]}\n")
            heads = re.search(r"SELECT(.*?)FROM", after, re.DOTALL)
            said = re.findall("'([^']*)'", heads[1] if heads else "")
            found |= {
                (text, f"{question} of {plugin.name}")
                for text in said
                if not text.startswith("/") and text != text.lower().replace(" ", "")
            }
    return found


def texts_of_test_drives() -> set[tuple[str, str]]:
    """What a test-drive assumes and leaves out; pages say it in other languages."""
    ours = (*plant.NOT_SIMULATED, plant.NO_BATTERY, plant.NO_WAYS)
    notes = (*compare.NOT_SIMULATED, *ours)
    return {(text, "testdrive") for text in compare.ASSUMED} | {
        (note.text, "testdrive") for note in notes
    }


@pytest.fixture(scope="module")
def used(root: Path) -> set[tuple[str, str]]:
    return (
        texts_of_templates(root)
        | texts_of_python(root)
        | texts_of_typescript(root)
        | texts_of_history()
        | texts_of_plugins()
        | texts_of_answers(root)
        | texts_of_test_drives()
    )


def test_texts_are_found_in_each_kind_of_source(root: Path) -> None:
    assert ("Sign out", "base.html") in texts_of_templates(root)
    assert ("just now", "frame.ts") in texts_of_typescript(root)
    assert len(texts_of_python(root)) > 5
    assert {text for text, _ in texts_of_answers(root)} == {
        "Drives",
        "1 order waits for release",
        "{n} orders wait for release",
    }


@pytest.mark.parametrize("language", FOREIGN)
def test_every_text_is_translated(used: set[tuple[str, str]], language: str) -> None:
    known = texts.catalogue(language)
    missing = sorted(f"{file}: {text}" for text, file in used if text not in known)
    assert missing == []


@pytest.mark.parametrize("language", FOREIGN)
def test_a_translation_has_the_same_holes_as_its_text(language: str) -> None:
    wrong = [
        text
        for text, translation in texts.catalogue(language).items()
        if set(HOLES.findall(text)) != set(HOLES.findall(translation))
        or not translation.strip()
    ]
    assert wrong == []


@pytest.mark.parametrize("language", FOREIGN)
def test_parts_agree_on_the_translation_of_a_text(language: str) -> None:
    seen: dict[str, tuple[str, str]] = {}
    quarrels = []
    for path in files(f"*.{language}.json"):
        for text, translation in json.loads(path.read_text("utf-8")).items():
            other, file = seen.setdefault(text, (translation, path.name))
            if other != translation:
                quarrels.append(
                    f"{text!r}: {other!r} in {file}, {translation!r} in {path.name}"
                )
    assert quarrels == []


def files(pattern: str) -> list[Path]:
    return [path for each in directories() for path in sorted(each.glob(pattern))]


def test_every_part_is_written_in_each_language() -> None:
    parts = {(path.parent, path.name.split(".")[0]) for path in files("*.json")}
    missing = [
        f"{part}.{language}.json"
        for directory, part in sorted(parts)
        for language in FOREIGN
        if not (directory / f"{part}.{language}.json").is_file()
    ]
    assert missing == []


def test_the_language_is_the_persons_before_the_browsers(client: FlaskClient) -> None:
    client.set_cookie("language", "es")
    prefers_german = {"Accept-Language": "de-AT, en;q=0.5"}
    asked = {"template": "{{ t('Orders') }}"}
    page = client.get("/say", query_string=asked, headers=prefers_german)
    assert page.text == "Pedidos"
    signed_in = {**asked, "role": "worker", "language": "de"}
    assert client.get("/say", query_string=signed_in).text == "Aufträge"
    client.delete_cookie("language")
    page = client.get("/say", query_string=asked, headers=prefers_german)
    assert page.text == "Aufträge"
    page = client.get("/say", query_string=asked, headers={"Accept-Language": "tr"})
    assert page.text == "Orders"


def test_an_unknown_language_in_the_cookie_is_ignored(client: FlaskClient) -> None:
    client.set_cookie("language", "../../x")
    page = client.get("/say", query_string={"template": "{{ t('Orders') }}"})
    assert page.text == "Orders"


def test_values_fill_holes_and_nothing_else() -> None:
    assert translate("{n} of {m}", "en", n=1234.5, m="{n}") == "1,234.5 of {n}"
    assert translate("{n} of {m}", "de", n=1234.5, m=2) == "1.234,5 of 2"
    assert translate("{a.b} {c}", "en", a=object()) == "{a.b} {c}"


def test_a_value_with_markup_is_escaped_on_the_page(client: FlaskClient) -> None:
    page = client.get(
        "/say", query_string={"template": "{{ t('Menu of {name}', name='<b>') }}"}
    )
    assert page.text == "Menu of &lt;b&gt;"


def test_a_page_brings_the_texts_of_its_scripts_only(client: FlaskClient) -> None:
    page = client.get("/frame?role=worker&language=de").text
    brought = re.search(r'id="texts">(.*?)</script>', page)
    assert brought is not None
    catalogue = json.loads(brought[1])
    assert catalogue["just now"] == "gerade eben"
    assert "Orders" not in catalogue
    english = client.get("/frame?role=worker").text
    assert 'id="texts">{}</script>' in english
