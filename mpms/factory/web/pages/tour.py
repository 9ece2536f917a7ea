"""The tour of the demo: seven steps through the whole chain, each on its page.

A step signs the visitor in as whoever does it in a factory. Where the visitor is on the
tour is kept in a cookie, so every page can show the step, and nothing of it is stored.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, abort, redirect, render_template, request
from werkzeug.wrappers import Response as Answer

from mpms.factory.web.desk import DemoFactory, current_desk
from mpms.services.people.sign_in import SignIn
from mpms.web.desk import DemoDoor
from mpms.web.rights import DOERS, allowed, open_to_all
from mpms.web.site.signed_in import (
    current_door,
    keep_session,
    local_path,
    person_or_none,
)
from mpms.web.texts import t

pages = Blueprint("tour", __name__)

COOKIE = "mpms_tour"
CHANGED = "warehouse"
"""The model that the last step opens."""


@dataclass(frozen=True)
class Step:
    """One of the seven, in the visitor's language."""

    who: str  # the door it goes through
    title: str
    text: str


def steps() -> tuple[Step, ...]:
    return (
        Step(
            "leader",
            t("A customer orders by mail"),
            t(
                "You are Sofía, the supervisor. Press “Send an order”: a mail goes to"
                " this factory, as a customer would write it."
            ),
        ),
        Step(
            "leader",
            t("The mail has become an order"),
            t(
                "MPMS has read the mail, answered it and started a process. This page"
                " shows where the order is; it follows by itself."
            ),
        ),
        Step(
            "leader",
            t("A robot sets out"),
            t(
                "The process has chosen a robot and sends it to the first material."
                " Tap a robot to see its order and where it goes."
            ),
        ),
        Step(
            "worker",
            t("You load it"),
            t(
                "Now you are Ana, with her tablet. Take the task of your order: scan"
                " the lot, take the weight from the scale, confirm."
            ),
        ),
        Step(
            "leader",
            t("Something goes wrong"),
            t(
                "Back as Sofía. Press “Break something”, then watch this page: it says"
                " what is stopped, why, and what you can do about it."
            ),
        ),
        Step(
            "leader",
            t("Everything is on record"),
            t(
                "Weights, lots, people and robots of your order, with times. The record"
                " is sealed when the order is complete."
            ),
        ),
        Step(
            "engineer",
            t("Change the process"),
            t(
                "This is the process that has just run. Drag a step, simulate it,"
                " compare and deploy: the next order follows the new drawing."
            ),
        ),
    )


@pages.app_context_processor
def under_way() -> dict[str, object]:
    return {
        "above_page": lambda: "_tour.html" if _shown() else None,
        "tour": _shown,
        "demo_waits": _waits,
    }


@pages.post("/demo/tour")
@open_to_all
def go() -> Answer:
    """To a step; any other number ends the tour where the visitor is."""
    demo = current_desk().demo or abort(404)
    asked, known = request.form.get("step", ""), steps()
    number = int(asked) if asked.isdecimal() and len(asked) < 3 else 0
    if not 1 <= number <= len(known):
        answer = redirect(local_path(request.form.get("next")), 303)
        answer.delete_cookie(COOKIE)
        return answer
    door = demo.doors[known[number - 1].who]
    answer = redirect(_page(number, demo), 303)
    answer.set_cookie(COOKIE, str(number), httponly=True, samesite="Lax")
    return enter(door, answer)


@pages.get("/demo/waits")
@allowed(DOERS)
def waits() -> str:
    return render_template("_demo_waits.html")


def enter(door: DemoDoor, answer: Answer) -> Answer:
    """The answer, with a session of this person."""
    person = person_or_none()
    if person is not None and person.login == door.login:
        return answer
    desk = current_desk()
    sign_in = SignIn(desk.uow, desk.hasher, desk.clock)
    keep_session(
        answer, sign_in.with_password(door.login, door.password, current_door())
    )
    return answer


def _page(number: int, demo: DemoFactory) -> str:
    own = demo.own_orders()
    if number > 1 and not own:
        demo.send_order()
    order = f"/orders/{own[0]}" if own else "/orders"
    record = f"{order}/record" if own else "/orders"
    return (
        *("/", order, "/map", "/tasks", "/"),
        *(record, f"/models/{CHANGED}/edit"),
    )[number - 1]


def _shown() -> dict[str, object] | None:
    """The step that every page shows, while a visitor is on the tour."""
    asked, known = request.cookies.get(COOKIE, ""), steps()
    if current_desk().demo is None or asked not in map(str, range(1, len(known) + 1)):
        return None
    number = int(asked)
    return {
        "number": number,
        "of": len(known),
        "step": known[number - 1],
        "next": known[number] if number < len(known) else None,
    }


def _waits() -> list[dict[str, str]]:
    demo = current_desk().demo
    found = () if demo is None else demo.waiting()
    return [
        {"number": task.business_key or "", "step": task.name, "task": task.task_id}
        for task in found
    ]
