"""The plant's administration: how everything is, and the way to its other pages."""

from __future__ import annotations

import threading
import time
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, render_template

from mpms.services.admin.health import Disk, Health, Light, read_health
from mpms.web.labels import admin as words
from mpms.web.pages import admin_audit, admin_people, admin_retention, admin_settings
from mpms.web.rights import LEADERS, allowed, open_to_all
from mpms.web.site.plugin_parts import current_parts
from mpms.web.site.signed_in import current_desk

pages = Blueprint("admin", __name__)
for part in (
    admin_people,
    admin_retention,
    admin_settings,
    admin_audit,
):
    pages.register_blueprint(part.pages)

WORD_FOR_S = 5.0
WORDS = {
    Light.GREY: "good",
    Light.GREEN: "good",
    Light.YELLOW: "look",
    Light.RED: "bad",
}

pages.add_app_template_global(words.light_word, "light_word")
pages.add_app_template_global(words.light_chip, "light_chip")
pages.add_app_template_global(words.finding_words, "finding_words")
pages.add_app_template_global(words.queue_word, "queue_word")
pages.add_app_template_global(words.duration, "duration")


class _LastWord:
    """Strangers may ask as often as they like; the database is asked now and then."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._word = ""
        self._until_s = 0.0

    def __call__(self) -> str:
        with self._lock:
            if time.monotonic() >= self._until_s:
                self._word = WORDS[_health().light]
                self._until_s = time.monotonic() + WORD_FOR_S
            return self._word


@pages.record_once
def _remember(state: Any) -> None:
    state.app.extensions["health word"] = _LastWord()


@pages.get("/admin")
@allowed(LEADERS)
def show() -> str:
    return render_template("admin.html", **_shown())


@pages.get("/admin/health-now")
@allowed(LEADERS)
def now() -> str:
    return render_template("_admin_health.html", **_shown())


@pages.get("/admin/health.json")
@allowed(LEADERS)
def as_json() -> Response:
    """For monitoring that signs in."""
    health = _health()
    return jsonify(
        light=health.light,
        version=current_desk().plant.version,
        parts=[
            {
                "part": each.part,
                "light": each.light,
                "cause": each.cause,
                "values": dict(each.values),
            }
            for each in health.findings
        ],
        queues_s=dict(health.queues),
    )


@pages.get("/healthz/word")
@open_to_all
def word() -> Response:
    """One word for machines that need no reasons: good, look or bad (503)."""
    said = current_app.extensions["health word"]()
    answer = Response(f"{said}\n", content_type="text/plain; charset=utf-8")
    answer.status_code = 503 if said == "bad" else 200
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _shown() -> dict[str, Any]:
    desk = current_desk()
    return {
        "health": _health(),
        "version": desk.plant.version,
        "migration": desk.plant.migration,
        "now": desk.clock.now(),
    }


def _health() -> Health:
    desk = current_desk()
    disk = desk.plant.disk
    return read_health(
        desk.uow,
        desk.clock.now(),
        parts=current_parts().health_of(desk),
        disk=None if disk is None else lambda: Disk(*disk()),
        version=desk.plant.version,
    )
