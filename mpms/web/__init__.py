"""The pages. ``create_app`` gets services and ports and knows no adapter."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Flask
from jinja2 import ChoiceLoader, FileSystemLoader

from mpms.plugins import Plugin, loading
from mpms.web import api, camunda8, engine_rest, texts
from mpms.web.desk import Desk
from mpms.web.pages import (
    admin,
    batches,
    cockpit,
    cockpit_instance,
    design,
    events,
    incidents,
    login,
    metrics,
    models,
    shell,
    tokens,
    webhooks,
)
from mpms.web.rights import require_rights
from mpms.web.site import (
    assets,
    menu,
    plugin_pages,
    plugin_parts,
    proxies,
    rates,
    remedies,
    security,
    shares,
    signed_in,
    start,
    tracing,
)
from mpms.web.site import metrics as measuring

MAX_BODY_BYTES = 12 << 20
PAGES = (
    shell,
    admin,
    login,
    metrics,
    events,
    design,
    cockpit,
    cockpit_instance,
    engine_rest,
    camunda8,
    tokens,
    webhooks,
    incidents,
    batches,
    models,
)
PARTS = (proxies, measuring, tracing, assets, texts, security, shares, rates, signed_in)


def create_app(desk: Desk, plugins: Sequence[Plugin] | None = None) -> Flask:
    """The site, with what all plug-ins or these add. PluginRefused."""
    plugins = loading.loaded() if plugins is None else plugins
    app = Flask(__name__, static_folder=None)
    app.config.update(MAX_CONTENT_LENGTH=MAX_BODY_BYTES, MAX_FORM_MEMORY_SIZE=1 << 20)
    app.extensions["desk"] = desk
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    add_templates(app, plugins)
    for part in PARTS:
        part.install(app)
    for page in PAGES:
        app.register_blueprint(page.pages)
    remedies.install(app, plugins)
    api.install(app, plugins)
    plugin_pages.install(app, [page for plugin in plugins for page in plugin.pages])
    plugin_parts.install(app, plugins)
    menu.install(app, plugins)
    start.install(app)
    require_rights(app)
    return app


def add_templates(app: Flask, plugins: Sequence[Plugin]) -> None:
    """Ours come first: a plug-in cannot change a page of others by its names."""
    folders = [plugin.templates for plugin in plugins if plugin.templates is not None]
    ours = [] if app.jinja_loader is None else [app.jinja_loader]
    app.jinja_loader = ChoiceLoader([*ours, *map(FileSystemLoader, folders)])
