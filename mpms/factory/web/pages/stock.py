"""Stock by lot and place, goods in and stock-take, and the schedule of orders."""

from __future__ import annotations

from flask import (
    Blueprint,
    Response,
    flash,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.factory.domain.pictures import NAME, media_type_of_name
from mpms.factory.domain.stock import LotState, grams_of
from mpms.factory.services.catalogue.picture import open_picture
from mpms.factory.services.stock.move import correct
from mpms.factory.services.stock.receive import receive
from mpms.factory.services.stock.show import show_lot, show_stock
from mpms.factory.services.stock.states import set_lot_state
from mpms.factory.web.desk import current_desk
from mpms.factory.web.labels.stock import move_words, state_chip
from mpms.web.rights import DOERS, EVERYBODY, LEADERS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("stock", __name__)


def material_picture(code: str) -> str:
    """The address of a material's picture; empty: it has none."""
    catalogue = current_desk().catalogue
    found = None if catalogue is None else catalogue.by_code(code)
    if found is None or NAME.fullmatch(found.picture) is None:
        return ""
    return url_for("stock.picture", name=found.picture)


pages.add_app_template_global(material_picture, "material_picture")


@pages.get("/stock")
@allowed(EVERYBODY)
def show() -> str:
    desk = current_desk()
    find = request.args.get("find", "").strip()[:100]
    with desk.uow() as tx:
        catalogue = desk.materials(tx).catalogue
        today = desk.clock.now().date()
        stock = show_stock(tx, catalogue, today=today, find=find)
    return render_template(
        "stock.html",
        stock=stock,
        find=find,
        materials=() if catalogue is None else catalogue.materials,
        places=sorted(set(desk.world.places) - desk.world.tanks),
        chip=state_chip,
    )


@pages.get("/stock/pictures/<name>")
@allowed(EVERYBODY)
def picture(name: str) -> Response:
    """The name says the content, so a browser may keep it."""
    content = open_picture(current_desk().uow, name)
    if content is None:
        raise NotFound
    answer = Response(content, content_type=media_type_of_name(name))
    answer.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Cache-Control"] = "private, max-age=86400, immutable"
    return answer


@pages.get("/stock/lot")
@allowed(EVERYBODY)
def lot() -> str | Answer:
    desk = current_desk()
    try:
        with desk.uow() as tx:
            found = show_lot(
                tx,
                desk.materials(tx).catalogue,
                request.args.get("lot", ""),
                today=desk.clock.now().date(),
            )
    except DatabaseAway:
        raise
    except MpmsError as unknown:
        flash(t(str(unknown)), "bad")
        return redirect(url_for("stock.show"), 303)
    return render_template(
        "stock_lot.html",
        story=found,
        states=LotState,
        chip=state_chip,
        move_words=move_words,
    )


@pages.post("/stock/receive")
@allowed(DOERS)
def receive_lot() -> Answer:
    desk = current_desk()
    try:
        with desk.uow() as tx:
            made = receive(
                tx,
                desk.materials(tx).catalogue,
                desk.world,
                dict(request.form),
                today=desk.clock.now().date(),
                by=current_person().login,
            )
    except DatabaseAway:
        raise
    except MpmsError as refused:
        flash(t(str(refused)), "bad")
        return redirect(url_for("stock.show"), 303)
    flash(t("Lot {lot} is received; it waits in quarantine.", lot=made.lot), "ok")
    return redirect(url_for("stock.lot", lot=made.lot), 303)


@pages.post("/stock/count")
@allowed(DOERS)
def count() -> Answer:
    """A stock-take: so much lies there, whatever was believed."""
    desk, form = current_desk(), request.form
    name = form.get("lot", "").strip()
    try:
        with desk.uow() as tx:
            difference = correct(
                tx,
                name,
                place=form.get("place", "").strip(),
                grams=_grams(form.get("kg", "")),
                by=current_person().login,
                reason=form.get("reason", "").strip()[:200] or "stock-take",
            )
    except DatabaseAway:
        raise
    except MpmsError as refused:
        flash(t(str(refused)), "bad")
    else:
        flash(t("Counted. The difference is {kg} kg.", kg=difference / 1000), "ok")
    return redirect(url_for("stock.show"), 303)


@pages.post("/stock/state")
@allowed(LEADERS)
def state() -> Answer:
    desk, form = current_desk(), request.form
    name = form.get("lot", "")
    try:
        set_lot_state(
            desk.uow,
            name,
            form.get("state", ""),
            by=current_person().login,
            reason=form.get("reason", ""),
        )
    except DatabaseAway:
        raise
    except MpmsError as refused:
        flash(t(str(refused)), "bad")
    else:
        flash(t("Saved."), "ok")
    return redirect(url_for("stock.lot", lot=name), 303)


def _grams(kg: str) -> int:
    """-1 for what is no number: the service refuses it."""
    try:
        return grams_of(kg.strip().replace(",", "."))
    except ArithmeticError:
        return -1
