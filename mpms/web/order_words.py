"""Orders in plain words: what they wait for, how late they are, what happened.

One table a subject, so that a new kind of event needs one new line. Services hand
over facts; only here they become sentences, because only here the reader is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from mpms.domain.orders import OrderStatus
from mpms.ports.order_views import WaitRow
from mpms.services.order_overview import Lateness, Waiting
from mpms.services.order_page import HistoryLine
from mpms.web import formats
from mpms.web.texts import current_language, t

LONGEST = 300
_DAY_S = 86_400
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


def duration(seconds: float | None) -> str:
    if seconds is None:
        return formats.NOTHING
    minutes = int(seconds) // 60
    if 0.00005 <= seconds < 1:
        return t("{n} ms", n=_rounded(1000 * seconds))
    if minutes < 1:
        return t("{n} s", n=_rounded(seconds))
    if minutes < 60:
        return t("{n} min", n=minutes)
    if seconds < _DAY_S:
        return t("{h} h {m} min", h=minutes // 60, m=minutes % 60)
    return t("{d} d {h} h", d=minutes // 1440, h=minutes // 60 % 24)


def _rounded(value: float) -> str:
    """Two digits are enough to tell short times apart."""
    return formats.number(value, current_language(), digits=1 if value < 10 else 0)


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


# -- what happened ---------------------------------------------------------------


@dataclass(frozen=True)
class Sentence:
    """One line of the timeline; ``tone`` is ok, bad, warn, info or nothing."""

    text: str
    tone: str = ""
    detail: str = ""


def history_words(line: HistoryLine) -> Sentence:
    row = line.row
    known = _HISTORY.get(row.kind)
    if known is not None:
        return known(line, row.data)
    return Sentence(f"{row.kind}: {line.step}" if line.step else row.kind)


def _status_changed(line: HistoryLine, data: dict[str, Any]) -> Sentence:
    new, old, who = data.get("new"), data.get("old"), line.row.actor
    if old == OrderStatus.WAITING and new == OrderStatus.NEW:
        return Sentence(t("{who} released the order", who=who), "ok")
    if old == OrderStatus.WAITING and new == OrderStatus.CANCELLED:
        why = _short(data.get("reason"))
        return Sentence(t("{who} refused the order", who=who), "bad", why)
    if new == OrderStatus.IN_PROCESS:
        return Sentence(t("Work on the order began"), "info")
    tones: dict[object, str] = {OrderStatus.DONE: "ok", OrderStatus.CANCELLED: "bad"}
    tone = tones.get(new, "")
    word = status_word(str(new))
    return Sentence(t("The order is now: {status}", status=word), tone)


def _drive_ended(line: HistoryLine, data: dict[str, Any]) -> Sentence:
    values = {"robot": line.row.actor, "place": place_word(data.get("place"))}
    why = _short(data.get("reason"))
    if data.get("state") == "reached":
        return Sentence(t("{robot} reached {place}", **values), "ok", why)
    return Sentence(t("{robot} did not reach {place}", **values), "bad", why)


def _over(line: HistoryLine, data: dict[str, Any]) -> Sentence:
    if "topic" in data:
        text = t("Somebody does this work now: {step}", step=line.step or "?")
        return Sentence(text, "ok")
    values = {"robot": line.row.actor, "place": place_word(data.get("place"))}
    return Sentence(t("{robot} goes on to {place}", **values), "ok")


def _answered(line: HistoryLine, data: dict[str, Any]) -> Sentence:
    text = t("{who} confirmed: {step}", who=line.row.actor, step=line.step or "?")
    return Sentence(text, "ok", _posted(answers_words(data.get("answers")), data))


def _posted(detail: str, data: Mapping[str, Any]) -> str:
    """Who handed it in for somebody else, on a tablet that had been without network."""
    by = data.get("posted_by")
    handed_in = t("handed in by {who}", who=_short(by)) if by else ""
    return " · ".join(part for part in (detail, handed_in) if part)


def answers_words(answers: Any) -> str:
    """What a person typed; ticks and pictures say nothing here."""
    if not isinstance(answers, dict):
        return ""
    told = [
        f"{key}: {value}"
        for key, value in answers.items()
        if isinstance(value, str | int | float)
        and not isinstance(value, bool)
        and value != ""
        and not str(value).startswith("data:")
    ]
    return _short(", ".join(told))


def _failed(line: HistoryLine, data: dict[str, Any]) -> Sentence:
    why = _short(data.get("message") or data.get("code"))
    return Sentence(t("Failed: {step}", step=line.step or "?"), "bad", why)


def _by_step(text: str, tone: str = "") -> Callable[[HistoryLine, Any], Sentence]:
    def say(line: HistoryLine, data: Any) -> Sentence:
        detail = _short(data.get("note") or data.get("reason") or data.get("message"))
        sentence = t(text, who=line.row.actor, step=line.step or "?")
        return Sentence(sentence, tone, _posted(detail, data))

    return say


def _weighed(line: HistoryLine, data: dict[str, Any]) -> Sentence:
    value = data.get("new")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Sentence(t("The scale shows {kg}", kg=_short(value)))
    kg = formats.kg(value, current_language())
    return Sentence(t("The scale shows {kg}", kg=kg))


def _job_failed(line: HistoryLine, data: dict[str, Any]) -> Sentence:
    text = t("Failed, will be tried again: {step}", step=line.step or "?")
    return Sentence(text, "warn", _short(data.get("error")))


def _robot_chosen(line: HistoryLine, data: dict[str, Any]) -> Sentence:
    reasons, robot = data.get("reasons"), _short(data.get("robot"))
    first = reasons[0] if isinstance(reasons, list) and reasons else ""
    why = str(first).removeprefix(f"{robot}: ")
    return Sentence(t("{robot} was chosen", robot=robot), "", _short(why))


def _variables_set(line: HistoryLine, data: dict[str, Any]) -> Sentence:
    told = {"who": line.row.actor, "names": _listed(data.get("names"))}
    removed = _listed(data.get("removed"))
    text = (
        t("{who} set variables: {names}", **told)
        if told["names"]
        else t("{who} removed variables: {names}", who=told["who"], names=removed)
    )
    return Sentence(text, "info", _short(data.get("reason")))


def _token_moved(line: HistoryLine, data: dict[str, Any]) -> Sentence:
    text = t(
        "{who} moved a token from {step} to {to}",
        who=line.row.actor,
        step=line.step or "?",
        to=_short(data.get("to_name") or data.get("to")),
    )
    return Sentence(text, "info", _short(data.get("reason")))


def _migrated(line: HistoryLine, data: dict[str, Any]) -> Sentence:
    text = t(
        "{who} carried the process over from version {old} to {new}",
        who=line.row.actor,
        old=_short(data.get("from")),
        new=_short(data.get("to")),
    )
    return Sentence(text, "info", _short(data.get("reason")))


def _listed(names: Any) -> str:
    return _short(", ".join(map(str, names))) if isinstance(names, list) else ""


def _in_batch(line: HistoryLine, data: dict[str, Any]) -> Sentence:
    number = str(data.get("batch"))
    if data.get("state") == "failed":
        text = t("Bulk action {n} failed here", n=number)
        return Sentence(text, "bad", _short(data.get("message")))
    return Sentence(t("Part of bulk action {n}", n=number))


def told_kinds() -> list[str]:
    """Lines that have a sentence of their own; values have a page of their own."""
    return sorted(_HISTORY.keys() - {"variable"})


# Outside a request t() gives the sentence back as it stands; _by_step translates it.
_HISTORY: Mapping[str, Callable[[HistoryLine, dict[str, Any]], Sentence]] = {
    "order accepted": lambda line, data: Sentence(
        t("The order came from {who}", who=line.row.actor), "info"
    ),
    "order waits for release": lambda line, data: Sentence(
        t("The order waits for release"), "warn", _short(data.get("why"))
    ),
    "order status": _status_changed,
    "robot chosen": _robot_chosen,
    "robot released": lambda line, data: Sentence(
        t("{robot} is free again", robot=_short(data.get("robot")))
    ),
    "goal sent": lambda line, data: Sentence(
        t(
            "{robot} drives to {place}",
            robot=_short(data.get("robot")),
            place=place_word(data.get("place")),
        )
    ),
    "robot waits": lambda line, data: Sentence(
        t(
            "{robot} waits for {place}: {other} is there",
            robot=_short(data.get("robot")),
            place=place_word(data.get("place")),
            other=_short(data.get("other")),
        ),
        "warn",
    ),
    "goal ended": _drive_ended,
    "form answered": _answered,
    "variable": _weighed,
    "job failed": _job_failed,
    "failed": _failed,
    "batch item": _in_batch,
    "stuck": _by_step(t("Stuck: {step}"), "bad"),
    "incident": _by_step(t("Incident: {step}"), "bad"),
    "incident over": _over,
    "incident closed": _by_step(t("{who} put an incident aside: {step}")),
    "retry": _by_step(t("{who} tried again: {step}"), "info"),
    "retried": _by_step(t("Tried again: {step}")),
    "cancel": _by_step(t("{who} cancelled the process"), "bad"),
    "problem reported": _by_step(t("{who} reported a problem: {step}"), "bad"),
    "problem reported too late": _by_step(
        t("{who} reported a problem, but too late: {step}"), "warn"
    ),
    "answer came late": _by_step(
        t("The answer of {who} came too late: {step}"), "warn"
    ),
    "late answer accepted": _by_step(t("{who} accepted a late answer")),
    "late answer discarded": _by_step(t("{who} discarded a late answer")),
    "task claimed": _by_step(t("{who} took on: {step}")),
    "task given back": _by_step(t("{who} gave back: {step}")),
    "draft begun": _by_step(t("{who} began to fill in: {step}")),
    "instance started": _by_step(t("{who} started the process"), "info"),
    "variables set": _variables_set,
    "activity skipped": _by_step(t("{who} skipped: {step}"), "info"),
    "token moved": _token_moved,
    "activity cancelled": _by_step(t("{who} cancelled: {step}"), "warn"),
    "suspended": _by_step(t("{who} let the process stand still"), "warn"),
    "resumed": _by_step(t("{who} let the process go on"), "info"),
    "process suspended": _by_step(t("{who} stopped new starts of a process"), "warn"),
    "process resumed": _by_step(t("{who} allowed new starts of a process"), "info"),
    "restarted": _by_step(t("{who} restarted the process"), "info"),
    "migrated": _migrated,
    "history deleted": _by_step(t("{who} deleted old history"), "warn"),
    "instance completed": _by_step(t("The process ended"), "ok"),
    "instance failed": _by_step(t("The process failed"), "bad"),
    "instance cancelled": _by_step(t("The process was cancelled"), "bad"),
}


def _short(text: Any) -> str:
    words = "" if text is None else str(text)
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
