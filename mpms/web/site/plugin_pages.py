"""Pages of plug-ins: registered beside ours, with styles, held to our rules."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, Flask
from werkzeug.utils import import_string

from mpms.plugins import Page, PluginRefused
from mpms.web.rights import open_to_all, roles_of


def install(app: Flask, pages: Sequence[Page]) -> None:
    """PluginRefused names the page that cannot be served, and why."""
    styles = {_register(app, page): page.styles for page in pages}
    app.jinja_env.globals["styles_of"] = styles.get


def _register(app: Flask, page: Page) -> str:
    """The name of its blueprint."""
    known = set(app.view_functions)
    try:
        blueprint = import_string(page.blueprint)
        if not isinstance(blueprint, Blueprint):
            raise TypeError(f"{page.blueprint} is no blueprint of Flask")
        within = {"name_prefix": page.within} if page.within else {}
        app.register_blueprint(blueprint, **within)
    except Exception as failure:  # whatever a stranger's module does
        raise PluginRefused(
            f"The page {page.title!r} ({page.blueprint}) cannot be served: {failure}"
        ) from failure
    for endpoint in sorted(app.view_functions.keys() - known):
        if endpoint.endswith(".static"):
            open_to_all(app.view_functions[endpoint])
        elif roles_of(app, endpoint) is None:
            raise PluginRefused(
                f"{endpoint} of the page {page.title!r} does not say who may open it;"
                " mark it with mpms.web.rights.allowed"
            )
    return str(blueprint.name)
