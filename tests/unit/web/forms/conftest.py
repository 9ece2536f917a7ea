"""A small site with nothing but texts and formats: forms need no more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from mpms.web import texts


@pytest.fixture
def site() -> Flask:
    app = Flask("mpms.web")
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    texts.install(app)
    return app


@pytest.fixture
def asked(site: Flask) -> Iterator[None]:
    """Within a request of an English reader."""
    with site.test_request_context(headers={"Accept-Language": "en"}):
        yield
