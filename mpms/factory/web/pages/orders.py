"""Orders: where each one is, its whole story, and the decision to make it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from flask import (
    Blueprint,
    Response,
    flash,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as Answer

from mpms.factory.domain.decisions import DECISION_FORM
from mpms.factory.domain.errors import OrderUnknown
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.ports.orders.views import SORTS, OrderFilter, OrderPlace, OrderSort
from mpms.factory.services.mail.show import raw_mail, show_mail
from mpms.factory.services.orders.change import PRIORITIES
from mpms.factory.services.orders.follow import follow_path
from mpms.factory.services.orders.overview import PAGE, Overview, day_of, list_orders
from mpms.factory.services.orders.page import open_attachment, show_order, show_timeline
from mpms.factory.services.orders.release import (
    OrderNotWaiting,
    RefusalReasonMissing,
    refuse_order,
    release_order,
)
from mpms.factory.services.schedule.of_order import OrderPlan, plan_of
from mpms.factory.web.desk import current_desk
from mpms.factory.web.labels import orders as order_words
from mpms.factory.web.labels.history import history_words
from mpms.factory.web.pages import (
    genealogy,
    labels,
    order_changes,
    orders_new,
    records,
)
from mpms.services.incidents.list_alarms import Alarms, list_alarms
from mpms.web.rights import EVERYBODY, LEADERS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("orders", __name__)
pages.register_blueprint(orders_new.pages)
pages.register_blueprint(records.pages)
pages.register_blueprint(order_changes.pages)
pages.register_blueprint(genealogy.pages)
pages.register_blueprint(labels.pages)

SHOWN_INLINE = frozenset({"image/png", "image/jpeg", "image/webp"})
FINISHED = "finished"  # done, cancelled, completed by hand
DAYS = ("1", "7", "30")  # received within
LONGEST_SEARCH = 100
LONGEST_REASON = 500
LOCKED_UP = "default-src 'none'; sandbox"

pages.add_app_template_global(order_words.status_word, "order_status")
pages.add_app_template_global(order_words.status_chip, "order_status_chip")
pages.add_app_template_global(order_words.priority_word, "order_priority")
pages.add_app_template_global(order_words.lateness_words, "order_lateness")
pages.add_app_template_global(order_words.waits_words, "order_waits")
pages.add_app_template_global(order_words.waits_hint, "order_waits_hint")
pages.add_app_template_global(order_words.waits_icon, "order_waits_icon")
pages.add_app_template_global(history_words, "order_history")
pages.add_app_template_global(order_words.place_word, "order_place")
pages.add_app_template_global(order_words.tank_word, "tank_word")
pages.add_app_template_filter(order_words.day, "day")


# -- the list -----------------------------------------------------------------------


@pages.get("/orders")
@allowed(EVERYBODY)
def listing() -> Answer | str:
    text = _search()
    if text and _is_order(text.upper()):
        return redirect(url_for("orders.page", number=text.upper()), 303)
    return render_template("orders.html", **_listed())


@pages.get("/orders/rows")
@allowed(EVERYBODY)
def rows() -> str:
    return render_template("_order_rows.html", **_listed())


def _listed() -> dict[str, Any]:
    desk = current_desk()
    wanted, view = _wanted()
    wanted = replace(wanted, priority=_priority(), since=_since())
    sort = _sort(wanted)
    overview: Overview = list_orders(
        desk.uow, wanted, now=desk.clock.now(), below=_below(), sort=sort
    )
    return {
        "sort": sort,
        "columns": _columns(sort),
        "priority": wanted.priority,
        "days": request.args.get("days", ""),
        "overview": overview,
        "view": view,
        "q": wanted.text,
        "kept": _kept(),
        "older": _further(overview, sort),
        "later_pages": "below" in request.args or bool(sort and sort.skip),
        "statuses": OrderStatus,
        "leads": current_person().leads,
        "alarms": _alarms(),
    }


def _alarms() -> Alarms | None:
    """What waits for a decision, for those who may decide."""
    return list_alarms(current_desk().uow) if current_person().leads else None


def _wanted() -> tuple[OrderFilter, str]:
    """What the address asks for, and the name of the filter that is lit."""
    now, text = current_desk().clock.now(), _search()
    status = request.args.get("status", "")
    if request.args.get("late"):
        wanted = OrderFilter(open_only=True, due_before=day_of(now), text=text)
        return wanted, "late"
    if request.args.get("idle"):
        return OrderFilter(idle=True, text=text), "idle"
    if request.args.get("stuck"):
        return OrderFilter(open_only=True, stuck=True, text=text), "stuck"
    if status == FINISHED:
        ended = tuple(each for each in OrderStatus if each.ended)
        return OrderFilter(statuses=ended, text=text), FINISHED
    if status in set(OrderStatus):
        return OrderFilter(statuses=(OrderStatus(status),), text=text), status
    if text or request.args.get("all"):
        return OrderFilter(text=text), "all"
    return OrderFilter(open_only=True), "open"


def _search() -> str:
    return _printable(request.args.get("q", ""))[:LONGEST_SEARCH]


def _printable(text: str) -> str:
    """No database stores a NUL, and nobody types other control characters."""
    return "".join(c if c.isprintable() else " " for c in text).strip()


def _below() -> OrderPlace | None:
    """Where the page begins; an address that was tampered with begins at the top."""
    at, _, number = request.args.get("below", "").partition("~")
    try:
        received_at = datetime.fromisoformat(at)
    except ValueError:
        return None
    if received_at.tzinfo is None or _printable(number) != number:
        return None
    return OrderPlace(received_at, number)


def _priority() -> str | None:
    asked = request.args.get("priority", "")
    return asked if asked in PRIORITIES else None


def _since() -> datetime | None:
    days = request.args.get("days", "")
    if days not in DAYS:
        return None
    return current_desk().clock.now() - timedelta(days=int(days))


def _sort(wanted: OrderFilter) -> OrderSort | None:
    """None: the newest first, which pages of any number do at the same price."""
    column, _, way = request.args.get("sort", "").partition("-")
    skip = request.args.get("skip", "")
    skipped = int(skip) if skip.isdecimal() and len(skip) < 7 else 0
    if wanted.idle or column not in SORTS:
        if (wanted.priority is None and wanted.since is None) or wanted.idle:
            return None
        column, way = "received", "down"
    return OrderSort(column, way == "down", skipped)


def _columns(sort: OrderSort | None) -> list[dict[str, Any]]:
    """The heads of the list: where each leads, and which one is sorted by."""
    titles = {
        "order": t("Order"),
        "status": t("Status"),
        "priority": t("Priority"),
        "waits": t("Waits for"),
        "loaded": t("Loaded"),
        "due": t("Due"),
        "received": t("Received"),
    }
    now = sort or OrderSort("received", down=True)
    kept = {k: v for k, v in _kept().items() if k not in ("below", "skip", "sort")}
    heads = []
    for column, title in titles.items():
        mine = column == now.column
        way = "up" if mine and now.down else "down" if mine else "up"
        address: dict[str, Any] = {**kept, "sort": f"{column}-{way}"}
        heads.append(
            {
                "name": column,
                "title": title,
                "address": url_for("orders.listing", **address),
                "sorted": ("descending" if now.down else "ascending") if mine else "",
            }
        )
    return heads


def _further(overview: Overview, sort: OrderSort | None) -> str | None:
    if sort is None:
        return _older(overview.below)
    if not overview.more:
        return None
    kept: dict[str, Any] = {**_kept(), "skip": sort.skip + PAGE}
    return url_for("orders.listing", **kept)


def _kept() -> dict[str, str]:
    """The filter of this address, for its other pages."""
    known = (
        *("status", "late", "stuck", "idle", "all", "q", "below"),
        *("sort", "skip", "priority", "days"),
    )
    return {k: _printable(request.args[k]) for k in known if request.args.get(k)}


def _older(below: OrderPlace | None) -> str | None:
    if below is None:
        return None
    place = f"{below.received_at.isoformat()}~{below.number}"
    kept: dict[str, Any] = {**_kept(), "below": place}
    return url_for("orders.listing", **kept)


def _is_order(number: str) -> bool:
    wanted = OrderFilter(number=number)
    with current_desk().uow() as tx:
        views = tx.order_views
        return bool(views.page(wanted, limit=1, decision_form=DECISION_FORM))


# -- one order ------------------------------------------------------------------------


@pages.get("/orders/<number>")
@allowed(EVERYBODY)
def page(number: str) -> Answer | tuple[str, int]:
    return _page(number)


@pages.get("/orders/<number>/now")
@allowed(EVERYBODY)
def now(number: str) -> str:
    """What changes while the order is made."""
    return render_template("_order_now.html", **_shown(number), fragment=True)


@pages.get("/orders/<number>/plan")
@allowed(EVERYBODY)
def plan(number: str) -> str:
    """When each material is fetched and the tank mixes; it follows the work."""
    return render_template("_order_plan.html", plan=_planned(_known(number)))


def _planned(number: str) -> OrderPlan | None:
    desk = current_desk()
    with desk.uow() as tx:
        return plan_of(tx, desk.world, desk.materials, number, now=desk.clock.now())


@pages.get("/orders/<number>/map")
@allowed(EVERYBODY)
def on_map(number: str) -> Answer:
    """Where it is now: its robot, else its tank."""
    desk = current_desk()
    with desk.uow() as tx:
        order = tx.orders.get(_known(number))
        instance_id = order.instance_id or ""
        robot = tx.robot_holds.of_instance(instance_id) if instance_id else None
    if robot is not None:
        return redirect(url_for("map.page", robot=robot), 303)
    flash(t("No robot works for this order now; its tank is shown."))
    return redirect(url_for("map.page", place=desk.world.tank_for(order.product)), 303)


@pages.get("/orders/<number>/timeline")
@allowed(EVERYBODY)
def timeline(number: str) -> str:
    desk, before = current_desk(), request.args.get("before", "")
    found = show_timeline(
        desk.uow,
        desk.engine,
        _known(number),
        now=desk.clock.now(),
        before=int(before) if before.isdecimal() and len(before) < 19 else None,
    )
    return render_template(
        "_order_timeline.html", timeline=found, number=number, earlier=bool(before)
    )


@pages.get("/orders/<number>/attachments/<attachment_id>")
@allowed(EVERYBODY)
def attachment(number: str, attachment_id: str) -> Response:
    """Pictures are shown; anything else is only ever downloaded."""
    found = open_attachment(current_desk().uow, _known(number), attachment_id)
    answer = Response(found.content)
    if found.media_type in SHOWN_INLINE:
        answer.content_type = found.media_type
        answer.headers["Content-Disposition"] = "inline"
    else:
        answer.content_type = "application/octet-stream"
        answer.headers["Content-Disposition"] = "attachment; filename=attachment.bin"
    answer.headers["Content-Security-Policy"] = LOCKED_UP
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Cache-Control"] = "private, max-age=86400, immutable"
    return answer


@pages.get("/orders/<number>/mail")
@allowed(LEADERS)
def mail(number: str) -> str:
    desk = current_desk()
    shown = show_mail(desk.uow, desk.read_mail, _known(number))
    whole = "HX-Request" not in request.headers
    template = "order_mail.html" if whole else "_order_mail.html"
    return render_template(template, mail=shown, number=number)


@pages.get("/orders/<number>/mail.eml")
@allowed(LEADERS)
def mail_file(number: str) -> Response:
    """The very bytes; a browser must not open them."""
    raw = raw_mail(current_desk().uow, _known(number))
    answer = Response(raw, content_type="application/octet-stream")
    name = "".join(c for c in number if c.isascii() and (c.isalnum() or c == "-"))
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.eml"'
    answer.headers["Content-Security-Policy"] = LOCKED_UP
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


# -- release and refuse ----------------------------------------------------------------


@pages.post("/orders/<number>/release")
@allowed(LEADERS)
def release(number: str) -> Answer | tuple[str, int]:
    try:
        desk, person = current_desk(), current_person()
        release_order(desk.uow, desk.engine, _known(number), by=person.login)
    except OrderNotWaiting:
        return _page(number, 409, _decided())
    return redirect(url_for("orders.page", number=number), 303)


@pages.post("/orders/<number>/refuse")
@allowed(LEADERS)
def refuse(number: str) -> Answer | tuple[str, int]:
    reason = _printable(request.form.get("reason", ""))[:LONGEST_REASON]
    person = current_person().login
    try:
        refuse_order(current_desk().uow, _known(number), by=person, reason=reason)
    except RefusalReasonMissing:
        return _page(number, 422, reason_missing=True)
    except OrderNotWaiting:
        return _page(number, 409, _decided())
    return redirect(url_for("orders.page", number=number), 303)


def _decided() -> str:
    return t("Nothing was changed: the order does not wait for release any more.")


def _page(
    number: str, status: int = 200, notice: str = "", *, reason_missing: bool = False
) -> tuple[str, int]:
    shown = _shown(number) | {"notice": notice, "reason_missing": reason_missing}
    ended = shown["row"].status.ended
    shown["plan"] = None if ended else _planned(number)
    with current_desk().uow() as tx:
        shown["follow"] = follow_path(tx, number) if shown["leads"] else ""
    return render_template("order.html", **shown), status


def _shown(number: str) -> dict[str, Any]:
    desk = current_desk()
    found = show_order(desk.uow, desk.engine, _known(number), now=desk.clock.now())
    return {
        "page": found,
        "order": found.order,
        "row": found.order.row,
        "timeline": found.timeline,
        "number": number,
        "leads": current_person().leads,
        "doer": current_person().works,
        "alarms": _alarms(),
        "statuses": OrderStatus,
        "now": desk.clock.now(),
    }


def _known(number: str) -> str:
    if _printable(number) != number:
        raise OrderUnknown()
    return number


@pages.errorhandler(OrderUnknown)
def _not_there(error: OrderUnknown) -> tuple[str, int]:
    """Whoever mistyped a number wants to search, not to read about it."""
    if "HX-Request" in request.headers:
        return t("There is no such order."), 404
    number = str((request.view_args or {}).get("number", ""))
    return render_template("order_unknown.html", number=number), 404
