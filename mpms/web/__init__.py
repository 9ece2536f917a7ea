"""The pages. ``create_app`` gets services and ports and knows no adapter."""

from __future__ import annotations

from flask import Flask

from mpms.web import api, assets, security, signed_in, texts, tracing
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
    tokens,
    webhooks,
    incidents,
    batches,
    models,
)


def create_app(desk: Desk) -> Flask:
    app = Flask(__name__, static_folder=None)
    app.config.update(MAX_CONTENT_LENGTH=MAX_BODY_BYTES, MAX_FORM_MEMORY_SIZE=1 << 20)
    app.extensions["desk"] = desk
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    for part in (measuring, tracing, assets, texts, security, signed_in):
        part.install(app)
    for page in PAGES:
        app.register_blueprint(page.pages)
    require_rights(app)
    return app
