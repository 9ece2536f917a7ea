"""The pages. ``create_app`` gets services and ports and knows no adapter."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Flask

from mpms.plugins import Page
from mpms.web import (
    api,
    assets,
    engine_rest,
    plugin_pages,
    security,
    signed_in,
    texts,
    tracing,
)
from mpms.web import metrics as measuring
from mpms.web.desk import Desk
from mpms.web.pages import (
    admin,
    batches,
    cockpit,
    cockpit_instance,
    design,
    events,
    figures,
    home,
    incidents,
    login,
    map,
    metrics,
    models,
    orders,
    shell,
    tasks,
    tokens,
    webhooks,
)
from mpms.web.rights import require_rights

MAX_BODY_BYTES = 12 << 20
PAGES = (
    shell,
    admin,
    login,
    home,
    tasks,
    orders,
    map,
    figures,
    metrics,
    events,
    design,
    cockpit,
    cockpit_instance,
    api,
    engine_rest,
    tokens,
    webhooks,
    incidents,
    batches,
    models,
)


def create_app(desk: Desk, more_pages: Sequence[Page] = ()) -> Flask:
    """The site, with pages of plug-ins. PluginRefused."""
    app = Flask(__name__, static_folder=None)
    app.config.update(MAX_CONTENT_LENGTH=MAX_BODY_BYTES, MAX_FORM_MEMORY_SIZE=1 << 20)
    app.extensions["desk"] = desk
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    for part in (measuring, tracing, assets, texts, security, signed_in):
        part.install(app)
    for page in PAGES:
        app.register_blueprint(page.pages)
    plugin_pages.install(app, more_pages)
    require_rights(app)
    return app
