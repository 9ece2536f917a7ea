"""A site that has the frame and nothing else."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from flask import Flask, g, render_template, render_template_string, request
from flask.testing import FlaskClient

from mpms.domain.people.people import Person, Role
from mpms.plugins import loading
from mpms.web import texts
from mpms.web.pages import design
from mpms.web.site import assets, menu, plugin_pages

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def frontend() -> Path:
    return ROOT / "frontend"


@pytest.fixture
def app() -> Flask:
    site = Flask(__name__, root_path=str(ROOT / "mpms" / "web"), static_folder=None)
    site.extensions["desk"] = SimpleNamespace(fleet=None)
    assets.install(site)
    texts.install(site)
    menu.install(site, loading.loaded())
    plugin_pages.install(site, [])
    site.register_blueprint(design.pages)

    @site.before_request
    def sign_in() -> None:
        if role := request.args.get("role"):
            language = request.args.get("language", "en")
            g.person = Person(1, "ana", "Ana <b>", Role(role), (), language)

    @site.get("/frame")
    def frame() -> str:
        return render_template("base.html")

    @site.get("/say")
    def say() -> str:
        return render_template_string(request.args["template"])

    return site


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()
