"""Orders in plain words: what they wait for, how late they are, what happened.

One table a subject, so that a new kind of event needs one new line. Services hand
over facts; only here they become sentences, because only here the reader is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Any

from mpms.factory.domain.orders import OrderStatus
from mpms.factory.ports.orders.views import WaitRow
from mpms.factory.services.orders.overview import Lateness, Waiting
from mpms.web.labels import formats
from mpms.web.texts import current_language, t

LONGEST = 300
_HOLDER = re.compile(r"works for [0-9a-f-]{36}")

# -- status, priority, due --------------------------------------------------------

_STATUS_CHIPS: Mapping[str, str] = {
    OrderStatus.WAITING: "chip-warn",
    OrderStatus.NEW: "",
    OrderStatus.IN_PROCESS: "chip-info",
    OrderStatus.DONE: "chip-ok",
    OrderStatus.CANCELLED: "chip-bad",
    OrderStatus.COMPLETED_MANUALLY: "chip-ok",
}


def status_chip(status: str) -> str:
    """The class of its colour."""
    return _STATUS_CHIPS.get(status, "")


def status_word(status: str) -> str:
    words: dict[str, str] = {
        OrderStatus.WAITING: t("waiting for release"),
        OrderStatus.NEW: t("new"),
        OrderStatus.IN_PROCESS: t("in process"),
        OrderStatus.DONE: t("done"),
        OrderStatus.CANCELLED: t("cancelled"),
        OrderStatus.COMPLETED_MANUALLY: t("completed manually"),
    }
    return words.get(status, status)


def priority_word(priority: str) -> str:
    words = {
        "low": t("low"),
        "normal": t("normal"),
        "high": t("high"),
        "urgent": t("urgent"),
    }
    return words.get(priority, priority)


def lateness_words(lateness: Lateness | None) -> str:
    if lateness is None:
        return ""
    days = lateness.days
    if lateness.kind == "late":
        return t("1 day late") if days == 1 else t("{n} days late", n=days)
    if lateness.kind == "was late":
        return t("was 1 day late") if days == 1 else t("was {n} days late", n=days)
    return t("due today") if lateness.kind == "today" else t("will be late")


def day(on: date | None) -> str:
    """A day without a time of day; the year only if it is another one."""
    if on is None:
        return formats.NOTHING
    noon = datetime.combine(on, time(12)).astimezone()
    return formats.time(noon, current_language(), _never(on)).rpartition(",")[0]


def _never(on: date) -> datetime:
    """Another day of this year, so that the date is always written."""
    today = formats.now()
    other = date(today.astimezone().year, 1, 1 if on.day != 1 else 2)
    return datetime.combine(other, time(12)).astimezone()


# -- what an order waits for --------------------------------------------------------


def waits_words(waiting: Waiting) -> str:
    return _WAITS[waiting.kind](waiting.row or _NOTHING)


_NOTHING = WaitRow(
    *("", "", None, None, None, None, None, None, None, None, None, None, 0),
    since_at=datetime.min,
)


def _form_words(row: WaitRow) -> str:
    known = _FORMS_TAKEN if row.who else _FORMS_FREE
    sentence = known.get(row.what or "") if row.material else None
    who = row.who or row.groups or t("somebody")
    if sentence is not None:
        return sentence(who, row)
    return t("{who}: {task}", who=who, task=row.name or row.element or "?")


_FORMS_TAKEN: Mapping[str, Callable[[str, WaitRow], str]] = {
    "load_material": lambda who, row: t(
        "{who} loads {material} at {place}",
        who=who,
        material=row.material,
        place=place_word(row.place),
    ),
    "unload_material": lambda who, row: t(
        "{who} empties {material} into the tank", who=who, material=row.material
    ),
}
_FORMS_FREE: Mapping[str, Callable[[str, WaitRow], str]] = {
    "load_material": lambda who, row: t(
        "somebody ({who}) to load {material} at {place}",
        who=who,
        material=row.material,
        place=place_word(row.place),
    ),
    "unload_material": lambda who, row: t(
        "somebody ({who}) to empty {material} into the tank",
        who=who,
        material=row.material,
    ),
}


def place_word(place: str | None) -> str:
    words = {"tank": t("the tank"), "home": t("its home")}
    return words.get(place or "", (place or "?").replace("_", " "))


_TOPICS: Mapping[str, Callable[[], str]] = {
    "robot.assign": lambda: t("a free robot"),
    "robot.move": lambda: t("the robot"),
    "scale.weigh": lambda: t("the scale"),
    "warehouse.connect": lambda: t("the warehouse"),
    "warehouse.disconnect": lambda: t("the warehouse"),
    "orders.set_status": lambda: t("the system"),
}


def _topic_words(row: WaitRow) -> str:
    known = _TOPICS.get(row.name or "")
    return row.name or row.element or "?" if known is None else known()


def _event_words(row: WaitRow) -> str:
    if row.what == "signal":
        return t("the signal “{event}”", event=row.name)
    return t("the message “{event}”", event=row.name)


def _drive_words(row: WaitRow) -> str:
    return t("{robot} drives to {place}", robot=row.robot, place=place_word(row.place))


def _until_words(row: WaitRow) -> str:
    at = formats.time(row.since_at, current_language(), formats.now())
    return t("the time: {at}", at=at)


_WAITS: Mapping[str, Callable[[WaitRow], str]] = {
    "release": lambda row: t("release"),
    "turn": lambda row: t("its turn"),
    "system": lambda row: t("the system"),
    "incident": lambda row: t("incident: {what}", what=_short(row.detail)),
    "decision": lambda row: (
        t("a decision of {who}", who=row.who)
        if row.who
        else t("a decision: cancel the order or complete it manually")
    ),
    "form": _form_words,
    "drive": _drive_words,
    "drive soon": lambda row: t(
        "{robot} to set off to {place}", robot=row.robot, place=place_word(row.place)
    ),
    "free robot": lambda row: t("a free robot"),
    "free place": lambda row: t(
        "{place} to be free for {robot}", place=place_word(row.place), robot=row.robot
    ),
    "job": _topic_words,
    "job again": lambda row: t(
        "{what}, tried again: {why}", what=_topic_words(row), why=_short(row.detail)
    ),
    "report": lambda row: t("the report of {robot}", robot=row.robot or "?"),
    "event": _event_words,
    "timer": _until_words,
}
_WAITS_ICONS = {
    "incident": "warn",
    "decision": "warn",
    "release": "warn",
    "form": "person",
    "drive": "robot",
    "drive soon": "robot",
    "free robot": "robot",
    "free place": "robot",
    "report": "robot",
}


def waits_icon(waiting: Waiting) -> str:
    """The name of a drawing; nothing where none helps."""
    return _WAITS_ICONS.get(waiting.kind, "")


def waits_hint(waiting: Waiting) -> str:
    """Why no robot is free, or for whom one waits, said by the robots themselves."""
    row = waiting.row
    if row is not None and waiting.kind == "free place":
        return _short(row.detail or "")
    if row is None or waiting.kind != "free robot":
        return ""
    return _short(_HOLDER.sub(t("works for another order"), row.detail or ""))


def _short(text: Any) -> str:
    words = "" if text is None else str(text)
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


def tank_word(state: str) -> str:
    """What a tank does for an order."""
    words = {
        "waiting": lambda: t("waits until the tank is free"),
        "asked": lambda: t("the tank is asked to mix"),
        "accepted": lambda: t("the tank has accepted"),
        "running": lambda: t("the tank mixes"),
        "finished": lambda: t("the tank has finished"),
        "fault": lambda: t("the tank has a fault"),
        "refused": lambda: t("the tank has refused"),
        "silent": lambda: t("the tank does not answer"),
    }
    return words[state]() if state in words else state
