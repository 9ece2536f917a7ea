"""Manifest, service worker, offline page and health are open to all and right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

import mpms.web
from mpms.plugins import loading
from mpms.web import texts
from mpms.web.pages import shell
from mpms.web.rights import STRANGERS, roles_of
from mpms.web.site import assets, menu, plugin_parts

FILES = {
    "icon.svg": "icon-0123456789.svg",
    "icon-192.png": "icon-192-0123456789.png",
    "main.css": "main-0123456789.css",
    "sw.js": "sw-0123456789.js",
    "theme.js": "theme-0123456789.js",
}


@pytest.fixture
def app(tmp_path: Path) -> Flask:
    (tmp_path / "manifest.json").write_text(json.dumps(FILES))
    (tmp_path / "browser.json").write_text("{}")
    (tmp_path / FILES["sw.js"]).write_text("// the worker")
    app = Flask(mpms.web.__name__, static_folder=None)
    assets.install(app, dist=tmp_path)
    texts.install(app)
    app.register_blueprint(shell.pages)
    plugin_parts.install(app, loading.loaded())
    menu.install(app, loading.loaded())
    return app


@pytest.fixture
def client(app: Flask) -> Iterator[FlaskClient]:
    with app.test_client() as client:
        yield client


def test_everything_here_is_open_to_all(app: Flask) -> None:
    ours = [name for name in app.view_functions if name.startswith("shell.")]
    assert len(ours) == 4
    assert {roles_of(app, name) for name in ours} == {STRANGERS}


def test_the_manifest_makes_an_app_that_opens_the_tasks(client: FlaskClient) -> None:
    answer = client.get("/manifest.webmanifest", headers={"Accept-Language": "de"})
    assert answer.mimetype == "application/manifest+json"
    manifest = json.loads(answer.data)
    assert manifest["start_url"] == "/tasks"
    assert manifest["display"] == "standalone"
    assert manifest["lang"] == "de"
    assert manifest["name"] == "MPMS: Arbeit in der Fertigung"
    shortcuts = [each["url"] for each in manifest["shortcuts"]]
    assert shortcuts == ["/tasks", "/map", "/orders"]
    assert [icon["src"] for icon in manifest["icons"]] == [
        "/static/icon-0123456789.svg",
        "/static/icon-192-0123456789.png",
    ]


def test_the_service_worker_rules_the_whole_site_and_is_never_stale(
    client: FlaskClient,
) -> None:
    answer = client.get("/sw.js")
    assert answer.data == b"// the worker"
    assert answer.mimetype == "text/javascript"
    assert answer.headers["Service-Worker-Allowed"] == "/"
    assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "This page needs the network"),
        ("de", "Diese Seite braucht das Netz"),
        ("es", "Esta página necesita la red"),
    ],
)
def test_the_offline_page_speaks_the_language_and_names_nobody(
    client: FlaskClient, language: str, title: str
) -> None:
    answer = client.get("/offline", headers={"Accept-Language": language})
    page = answer.get_data(as_text=True)
    assert title in page
    assert 'name="person"' not in page
    assert "style=" not in page


def test_health_is_told_to_everybody_and_not_cached(client: FlaskClient) -> None:
    answer = client.get("/healthz")
    assert answer.get_json() == {"ok": True}
    assert answer.headers["Cache-Control"] == "no-store"


def test_german_and_spanish_say_the_same_things() -> None:
    german, spanish = (
        json.loads((texts.DIRECTORY / f"offline.{language}.json").read_bytes())
        for language in ("de", "es")
    )
    assert german.keys() == spanish.keys()
    for key in german:
        assert ("{n}" in key) == ("{n}" in german[key]) == ("{n}" in spanish[key])
