"""Every address that a page or a view names leads somewhere.

``url_for`` is asked only when its line is rendered, and some lines are rendered on bad
days only. So templates and views are read, not run: each endpoint must be in the map of
the site with all arguments that its address needs, and each address that is written out
must be one of ours.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from flask import Flask
from jinja2 import nodes

from mpms.web import create_app

WRITTEN_OUT = re.compile(
    r"\b(?P<name>href|action|formaction|hx-get|hx-post|src)="
    r"(?P<quote>[\"'])(?P<address>/(?!/).*?)(?P=quote)"
)
FILLED_IN = re.compile(r"\{\{.*?\}\}|\{%.*?%\}")
POSTED = {"action", "formaction", "hx-post"}
ANYTHING = ("1", "00000000-0000-4000-8000-000000000000")


class Link(NamedTuple):
    """One call of ``url_for``."""

    where: str
    endpoint: str | None  # None: not written there
    given: frozenset[str] | None  # None: nobody knows before it runs


@pytest.fixture(scope="module", params=["with the factory", "the core alone"])
def site(request: pytest.FixtureRequest) -> Flask:
    """All pages; nobody asks for one."""
    desk = SimpleNamespace(secure=False, trusted_proxies=(), requests_each=1)
    plugins = () if request.param == "the core alone" else None
    return create_app(desk, plugins)  # type: ignore[arg-type]


def templates(site: Flask) -> Iterator[tuple[str, str]]:
    names = site.jinja_env.list_templates()
    assert len(names) > 60
    for name in names:
        source, _, _ = site.jinja_env.loader.get_source(site.jinja_env, name)  # type: ignore[union-attr]
        yield name, source


def links_in_templates(site: Flask) -> Iterator[Link]:
    for name, source in templates(site):
        for call in site.jinja_env.parse(source, name).find_all(nodes.Call):
            if not isinstance(call.node, nodes.Name) or call.node.name != "url_for":
                continue
            named = frozenset(one.key for one in call.kwargs)
            given: frozenset[str] | None = named
            if isinstance(call.dyn_kwargs, nodes.Dict):
                keys = [pair.key for pair in call.dyn_kwargs.items]
                given = named | {str(k.as_const()) for k in keys}
            elif call.dyn_kwargs is not None:
                given = None
            for endpoint in written(call.args[0]):
                yield Link(f"{name}:{call.lineno}", endpoint, given)


def links_in_views(root: Path) -> Iterator[Link]:
    for path in sorted(root.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                continue
            if call.func.id != "url_for":
                continue
            names = {one.arg for one in call.keywords}
            given = None if None in names else frozenset(str(n) for n in names)
            for endpoint in written(call.args[0]):
                yield Link(f"{path}:{call.lineno}", endpoint, given)


def written(name: object) -> list[str | None]:
    """The endpoint, or both of "this if something else that"."""
    match name:
        case nodes.Const() | ast.Constant():
            return [str(name.value)]
        case nodes.CondExpr():
            return [*written(name.expr1), *written(name.expr2)]
        case ast.IfExp():
            return [*written(name.body), *written(name.orelse)]
    return [None]


def fault(site: Flask, link: Link) -> str | None:
    if link.endpoint is None:
        return "the endpoint is not written there"
    rules = list(site.url_map.iter_rules())
    found = [rule for rule in rules if rule.endpoint == link.endpoint]
    if not found:
        return f"there is no {link.endpoint}"
    needed: list[set[str]] = [
        set(rule.arguments) - set(rule.defaults or ()) for rule in found
    ]
    if link.given is not None and not any(names <= link.given for names in needed):
        return f"{link.endpoint} needs {min(map(sorted, needed), key=len)}"
    return None


def faults(site: Flask, links: list[Link]) -> dict[str, str]:
    return {link.where: said for link in links if (said := fault(site, link))}


def test_every_endpoint_of_a_template_exists_and_gets_its_arguments(
    site: Flask,
) -> None:
    links = list(links_in_templates(site))
    assert len(links) > 100
    assert faults(site, links) == {}


def test_every_endpoint_of_a_view_exists_and_gets_its_arguments(
    site: Flask, root: Path
) -> None:
    folder = "mpms" if "tasks" in site.blueprints else "mpms/web"
    links = list(links_in_views(root / folder))
    assert len(links) > 20
    assert faults(site, links) == {}


def test_every_address_written_out_in_a_template_is_one_of_ours(site: Flask) -> None:
    """What is filled in may be anything that an address can hold."""
    ours = site.url_map.bind("localhost")
    lost, seen = [], 0
    for name, source in templates(site):
        for found in WRITTEN_OUT.finditer(source):
            paths = [
                urlsplit(FILLED_IN.sub(one, found["address"])).path for one in ANYTHING
            ]
            methods = ("POST", "GET") if found["name"] in POSTED else ("GET",)
            seen += 1
            if not any(ours.test(path, how) for path in paths for how in methods):
                line = source.count("\n", 0, found.start()) + 1
                lost.append(f"{name}:{line} {found[0]}")
    assert seen > 20
    assert lost == []


def test_templates_use_filters_and_templates_that_are_there(site: Flask) -> None:
    """Jinja asks for them only when their line is rendered."""
    environment, lost = site.jinja_env, []
    known = {*environment.filters, *environment.tests}
    names = set(environment.list_templates())
    used = (nodes.Filter, nodes.Test)
    taken = (nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)
    for name, source in templates(site):
        tree = environment.parse(source, name)
        lost += [
            f"{name}:{n.lineno} {n.name}"
            for n in tree.find_all(used)
            if n.name not in known
        ]
        others = [(n.lineno, vars(n)["template"]) for n in tree.find_all(taken)]
        lost += [
            f"{name}:{line} {other.value}"
            for line, other in others
            if isinstance(other, nodes.Const) and other.value not in names
        ]
    assert lost == []
