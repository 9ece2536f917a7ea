"""What makes the site an app on a tablet: manifest, service worker, offline page.

All of it is open to all: a browser fetches it before anybody has signed in, and it
says nothing about anybody.
"""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, render_template

from mpms.domain.people.people import Role
from mpms.plugins import Where
from mpms.web.rights import open_to_all
from mpms.web.site.assets import AssetUnknown, current_assets
from mpms.web.site.menu import lines_for
from mpms.web.site.plugin_parts import current_parts
from mpms.web.texts import current_language, t

pages = Blueprint("shell", __name__)

# name, size, purpose. The PNG files are drawn from icon.svg; maskable ones have no
# transparent corners and keep the mark inside the circle that launchers cut out.
ICONS = (
    ("icon.svg", "any", "any"),
    ("icon-192.png", "192x192", "any"),
    ("icon-512.png", "512x512", "any"),
    ("icon-maskable-512.png", "512x512", "maskable"),
)
BRAND = "#0b5563"
BACKGROUND = "#ffffff"


@pages.get("/manifest.webmanifest")
@open_to_all
def manifest() -> Response:
    tasks = current_parts().shown_at.get("tasks", "/")
    answer = jsonify(
        id=tasks,
        name=t("MPMS: work on the shop floor"),
        short_name="MPMS",
        description=t("Tasks, orders and robots of this plant"),
        lang=current_language(),
        start_url=tasks,
        scope="/",
        display="standalone",
        orientation="any",
        background_color=BACKGROUND,
        theme_color=BRAND,
        icons=_icons(),
        shortcuts=[
            {"name": t(line.title), "url": line.address}
            for line in lines_for(Role.WORKER, Where.BAR)
        ],
    )
    answer.content_type = "application/manifest+json"
    answer.headers["Cache-Control"] = "no-cache"
    return answer


def _icons() -> list[dict[str, str]]:
    icons = []
    for name, sizes, purpose in ICONS:
        try:
            url = current_assets().url(name)
        except AssetUnknown:
            continue
        kind = "image/svg+xml" if name.endswith(".svg") else "image/png"
        icons.append({"src": url, "sizes": sizes, "type": kind, "purpose": purpose})
    return icons


@pages.get("/sw.js")
@open_to_all
def service_worker() -> Response:
    """Under an address that never changes, so that browsers find the next version."""
    answer = Response(
        current_assets().path("sw.js").read_bytes(),
        content_type="text/javascript; charset=utf-8",
    )
    answer.headers["Service-Worker-Allowed"] = "/"
    answer.headers["Cache-Control"] = "no-cache"
    return answer


@pages.get("/offline")
@open_to_all
def offline() -> str:
    return render_template("offline.html")


@pages.get("/healthz")
@open_to_all
def health() -> Response:
    """Tablets ask it whether the network is back."""
    answer = jsonify(ok=True)
    answer.headers["Cache-Control"] = "no-store"
    return answer
