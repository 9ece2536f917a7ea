"""Settings with their source, and the files of the log. Secrets are in neither."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from flask import Blueprint, Response, render_template, request
from werkzeug.exceptions import NotFound

from mpms.web.pages.admin_people import ADMINS
from mpms.web.rights import allowed
from mpms.web.site.signed_in import current_desk, current_person

pages = Blueprint("settings", __name__)

PIECE_BYTES = 1 << 16


@pages.get("/admin/settings")
@allowed(ADMINS)
def show() -> str:
    desk = current_desk()
    find = request.args.get("find", "").strip()
    wanted = find.casefold()
    shown = [
        s
        for s in desk.plant.settings
        if wanted in f"{s.name} {s.value} {s.meaning}".casefold()
    ]
    return render_template(
        "admin_settings.html",
        settings=shown,
        find=find,
        logs=desk.plant.logs(),
        version=desk.plant.version,
    )


@pages.get("/admin/log/<name>")
@allowed(ADMINS)
def log(name: str) -> Response:
    """Only files that the list names: no path leads elsewhere."""
    desk = current_desk()
    found = next((f for f in desk.plant.logs() if f.name == name), None)
    if found is None:
        raise NotFound
    with desk.uow() as tx:
        tx.events.append(
            "log fetched", actor=current_person().login, data={"file": name}
        )
    answer = Response(_pieces(found.path), content_type="text/plain; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece
