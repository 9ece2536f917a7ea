"""Each recipe of docs/howto/extend.md is tried as it is written."""

from __future__ import annotations

import ast
import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import flask
import pytest

from mpms import plugins
from mpms.domain.jobs import Done, Job
from mpms.plugins import Plugin, loading
from mpms.web import rights
from tests.support.recipes import blocks, inline
from tests.support.rules_program import FRONTEND, built_rules, node

PAGE = "extend.md"
ROOT = FRONTEND.parent
FIELDS = {field.name for field in dataclasses.fields(Plugin)}
NAMES = {name: getattr(plugins, name) for name in plugins.__all__} | {
    name: getattr(rights, name) for name in ("LEADERS", "READERS", "ADMINS")
}


def run(code: str, **names: Any) -> dict[str, Any]:
    known = NAMES | {"__name__": __name__} | names
    exec(compile(code, PAGE, "exec"), known)  # noqa: S102  (our own page)
    return known


def test_the_handler_computes() -> None:
    (code,) = blocks(PAGE, "A handler", "python")
    made = loading.handlers_of([run(code)["plugin"]])
    job = Job(
        1, "t", "i", None, "s", "convert.litres", {"kg": 3.0, "kg_per_litre": 1.5}, 0,
        (), "t:0",
    )  # fmt: skip
    assert made.outside["convert.litres"].function(job) == Done({"litres": 2.0})


def test_the_page_says_who_may_open_it() -> None:
    (code,) = blocks(PAGE, "A page", "python")
    found = run(code.replace("...", 'return "bread"'), Blueprint=flask.Blueprint)
    site = flask.Flask(__name__)
    site.register_blueprint(found["pages"])
    assert site.test_client().get("/bakery").text == "bread"
    assert rights.roles_of(site, "bakery.tonight") == rights.LEADERS


def test_what_is_open_serves_its_topics() -> None:
    (code,) = blocks(PAGE, "A handler that needs something open", "python")

    @contextmanager
    def open_oven(url: str) -> Any:
        yield SimpleNamespace(bake=dict, look=bool, watch=bool, url=url)

    found = run(code, open_oven=open_oven, contextmanager=contextmanager, Iterator=Any)
    context = SimpleNamespace(settings={"oven_url": "tcp://oven"})
    with found["work"](context) as working:
        assert set(working.functions) == set(found["plugin"].topics)
        assert [task.name for task in working.background] == ["oven"]


def test_the_setting_is_read() -> None:
    (code,) = blocks(PAGE, "A setting", "python")
    found = run(code.replace("\nPlugin(", "\nplugin = Plugin("))["plugin"]
    assert found.settings_in({"MPMS_BAKERY_OVEN_LOAVES": "7"})["oven_loaves"] == 7


def test_the_driver_is_offered_where_the_factory_asks() -> None:
    (code,) = blocks(PAGE, "A robot of another make", "python")
    (asked,) = run(code)["plugin"].offers
    assert asked in {each for plugin in loading.loaded() for each in plugin.asks}


def test_what_is_named_in_a_line_is_a_field_of_a_plug_in() -> None:
    """``incidents=(IncidentKind(...),)``, ``health="module:function"`` and the like."""
    tried = set()
    for code in inline(PAGE):
        assigned = re.match(r"(\w+)=(?=[(\[{\"])", code)
        if assigned is None or assigned[1] not in FIELDS:
            continue
        value = eval(code[assigned.end() :], dict(NAMES))  # noqa: S307  (our own page)
        made = Plugin("bakery", **{assigned[1]: value})
        assert getattr(made, assigned[1]) == value
        tried.add(assigned[1])
    assert {
        *("incidents", "decisions", "health", "health_labels", "details", "links"),
        *("lists", "problems", "menu", "additions", "shown_at", "metrics", "stores"),
        *("hooks", "operations", "asks"),
    } <= tried


TRY = """
import json, sys
from flask import Flask
from werkzeug.datastructures import MultiDict
from mpms.domain.forms import AnswersInvalid, Reading, check_answers, check_schema
from mpms.engine.feel.lenient import value_or_null
from mpms.web import texts
from mpms.web.fields.rendering import parse_post, render_form

form = {"id": "f", "components": [{"type": "colour", "key": "paint", "label": "Paint"}]}
assert check_schema(form) == []
site = Flask("mpms.web")
site.jinja_env.trim_blocks = site.jinja_env.lstrip_blocks = True
texts.install(site)
with site.test_request_context():
    html = str(render_form(form, {}, feel=value_or_null))
posted = parse_post(form, MultiDict({"paint": "#0b5563"}))
said = []
for answers in (posted, {"paint": "blue"}):
    try:
        said.append(check_answers(form, answers, {}, feel=value_or_null))
    except AnswersInvalid as wrong:
        said.append([problem.reason for problem in wrong.problems])
fields = Reading(form).fields
print(json.dumps({"html": html, "said": said, "fields": fields}))
"""


TRY_ON_A_TABLET = """
import { checkForm } from "./rules.mjs";
const problems = (paint) => checkForm(FIELDS, { paint }, {}, undefined).problems;
const said = ["#0b5563", "blue"].map(problems);
console.log(JSON.stringify(said.map((found) => found.map(({ reason }) => reason))));
"""


def patched(path: Path, before: str, put: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text, f"{path.name} has no {before!r} any more: mend the recipe"
    path.write_text(text.replace(before, put + before, 1), encoding="utf-8")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our tree with the field that the recipe adds."""
    tree = tmp_path_factory.mktemp("tree")
    skip = shutil.ignore_patterns("__pycache__", "static")
    shutil.copytree(ROOT / "mpms", tree / "mpms", ignore=skip)
    shutil.copytree(FRONTEND / "src", tree / "frontend" / "src")
    for shared in ("db", "docs", "pyproject.toml", "fleet", "robot_bridge"):
        (tree / shared).symlink_to(ROOT / shared)
    heading = "A form field"
    (check,) = blocks(PAGE, heading, "python")
    (drawing,) = blocks(PAGE, heading, "html")
    (rule,) = blocks(PAGE, heading, "ts")
    forms = tree / "mpms" / "domain" / "forms"
    patched(forms / "reading.py", '"signature"})', '"colour", ')
    patched(forms / "checking.py", "CHECKS: dict[str", f"{check}\n\n")
    patched(forms / "checking.py", '    "photo": _photo,', '    "colour": _colour,\n')
    drawn = '{%- elif node.type == "photo" -%}'
    patched(tree / "mpms" / "web" / "templates" / "_form.html", drawn, drawing)
    rules = tree / "frontend" / "src" / "fields" / "rules.ts"
    patched(rules, '    case "photo":', rule)
    return tree


@pytest.fixture(scope="module")
def said(tree: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", TRY],
        env=os.environ | {"PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
        cwd=tree,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.long
def test_a_new_form_field_is_drawn_posted_and_checked(said: dict[str, Any]) -> None:
    assert '<input type="color"' in said["html"]
    assert 'id="paint-input"' in said["html"]
    assert said["said"] == [{"paint": "#0b5563"}, ["must be a colour."]]


@pytest.mark.long
def test_a_tablet_checks_a_new_form_field_in_the_same_way(
    said: dict[str, Any], tree: Path, tmp_path: Path
) -> None:
    program = node()
    built_rules(program, tmp_path, tree / "frontend" / "src" / "fields" / "rules.ts")
    script = tmp_path / "try.mjs"
    script.write_text(TRY_ON_A_TABLET.replace("FIELDS", json.dumps(said["fields"])))
    done = subprocess.run([program, script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[], ["must be a colour."]]


def test_the_code_of_every_python_block_can_be_read() -> None:
    text = (ROOT / "docs" / "howto" / PAGE).read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    found = [code for head in headings for code in blocks(PAGE, head, "python")]
    assert len(found) >= 6
    for code in found:
        ast.parse(code)
