"""The start page: what matters to this person now."""

from __future__ import annotations

from typing import Any

from flask import (
    Blueprint,
    abort,
    flash,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import NotFound
from mpms.domain.people.people import Role
from mpms.factory.services.overview import overview
from mpms.factory.web.desk import current_desk
from mpms.factory.web.pages import tour
from mpms.services.instances.repair import retry_incident
from mpms.services.instances.show_tokens import show_tokens
from mpms.services.instances.start import start_instance
from mpms.web.labels.incidents import kind_word
from mpms.web.rights import EVERYBODY, LEADERS, allowed
from mpms.web.site.signed_in import current_person, local_path
from mpms.web.texts import t

pages = Blueprint("home", __name__)
pages.register_blueprint(tour.pages)
pages.add_app_template_global(kind_word, "incident_kind")

HANDLING = "orders_handling"


@pages.app_context_processor
def demo_state() -> dict[str, object]:
    return {"in_demo": lambda: current_desk().demo is not None}


@pages.get("/")
@allowed(EVERYBODY)
def start() -> Answer | str:
    desk, person = current_desk(), current_person()
    if person.role is Role.WORKER:
        return redirect(url_for("tasks.listing"))
    if person.role is Role.VIEWER:
        return redirect(url_for("orders.listing"))
    return render_template("home.html", now=overview(desk.uow), demo=desk.demo)


@pages.get("/overview/now")
@allowed(LEADERS)
def now() -> str:
    return render_template("_home_now.html", now=overview(current_desk().uow))


@pages.get("/overview/diagram")
@allowed(LEADERS)
def diagram() -> str:
    """The order whose process moved last, or the one that was chosen."""
    running = overview(current_desk().uow).running
    chosen = request.args.get("order")
    shown = next((r for r in running if r.number == chosen), None)
    return render_template(
        "_home_diagram.html",
        running=running,
        shown=shown or (running[0] if running else None),
    )


@pages.get("/instances/<instance_id>/tokens.json")
@allowed(EVERYBODY)
def tokens(instance_id: str) -> dict[str, Any]:
    desk = current_desk()
    found = show_tokens(desk.uow, desk.engine, instance_id)
    return {
        "model": url_for("cockpit.definition", definition_id=found.definition_id),
        "order": found.business_key,
        "status": found.status,
        "live": found.live,
        "names": found.names,
        "passed": found.passed,
        "stuck": found.stuck,
    }


@pages.post("/incidents/<int:incident_id>/retry")
@allowed(LEADERS)
def retry(incident_id: int) -> Answer:
    desk = current_desk()
    retry_incident(desk.uow, desk.advance, incident_id, by=current_person().login)
    flash(t("It is tried again."))
    return redirect(url_for("home.start"), 303)


@pages.post("/start-orders-handling")
@allowed(LEADERS)
def start_handling() -> Answer:
    """One is enough: it handles all orders."""
    desk = current_desk()
    with desk.uow() as tx:
        if not tx.instances.counts().get((HANDLING, "active")):
            person = current_person()
            start_instance(
                tx, desk.advance, HANDLING, actor=person.login, person=person
            )
            tx.wake()
    flash(t("Orders are being handled."))
    return redirect(url_for("home.start"), 303)


@pages.post("/demo/send-order")
@allowed(LEADERS)
def demo_order() -> Answer:
    demo = current_desk().demo or abort(404)
    number = demo.send_order()
    flash(t("The mail with order {number} is on its way.", number=number))
    return redirect(url_for("home.start"), 303)


@pages.post("/demo/be/<who>")
@allowed(EVERYBODY)
def demo_be(who: str) -> Answer:
    """Visitors of the demo change sides without typing passwords."""
    demo = current_desk().demo or abort(404)
    door = demo.doors.get(who) or abort(404)
    page = local_path(request.form.get("next"), door.page)
    return tour.enter(door, redirect(page, 303))


@pages.post("/demo/break/<what>")
@allowed(LEADERS)
def demo_break(what: str) -> Answer:
    demo = current_desk().demo or abort(404)
    breaking = demo.break_something.get(what)
    if breaking is None:
        raise NotFound(t("There is no fault of this name."))
    flash(t(breaking()))
    return redirect(url_for("home.start"), 303)
