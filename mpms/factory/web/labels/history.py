"""What the factory tells in the history, as sentences."""

from __future__ import annotations

from datetime import date

from mpms.factory.domain.orders import OrderStatus
from mpms.factory.services.orders.page import HistoryLine
from mpms.factory.web.labels.orders import (
    day,
    place_word,
    priority_word,
    status_word,
    tank_word,
)
from mpms.web.labels import formats
from mpms.web.labels.history import Sentence, Told, sentence_of, short
from mpms.web.texts import current_language, t


def history_words(line: HistoryLine) -> Sentence:
    """A line of an order's page; of variables only what the scale shows is there."""
    told = Told(line.row.kind, line.row.actor, line.row.data, line.step)
    return weighed(told) if told.kind == "variable" else sentence_of(told)


def weighed(line: Told) -> Sentence:
    value = line.data.get("new")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Sentence(t("The scale shows {kg}", kg=short(value)))
    kg = formats.kg(value, current_language())
    return Sentence(t("The scale shows {kg}", kg=kg))


def status_changed(line: Told) -> Sentence:
    new, old, who = line.data.get("new"), line.data.get("old"), line.actor
    if old == OrderStatus.WAITING and new == OrderStatus.NEW:
        return Sentence(t("{who} released the order", who=who), "ok")
    if old == OrderStatus.WAITING and new == OrderStatus.CANCELLED:
        why = short(line.data.get("reason"))
        return Sentence(t("{who} refused the order", who=who), "bad", why)
    if new == OrderStatus.IN_PROCESS:
        return Sentence(t("Work on the order started"), "info")
    if new == OrderStatus.CANCELLED and line.data.get("reason"):
        why = short(line.data.get("reason"))
        return Sentence(t("{who} cancelled the order", who=who), "bad", why)
    tones: dict[object, str] = {OrderStatus.DONE: "ok", OrderStatus.CANCELLED: "bad"}
    word = status_word(str(new))
    return Sentence(t("The order is now: {status}", status=word), tones.get(new, ""))


def order_changed(line: Told) -> Sentence:
    old, new = line.data.get("old"), line.data.get("new")
    if not isinstance(old, dict) or not isinstance(new, dict):
        return Sentence(t("{who} changed the order", who=line.actor))
    said = []
    if old.get("priority") != new.get("priority"):
        word = priority_word(str(new.get("priority")))
        said.append(t("Priority: {priority}", priority=word))
    if old.get("due") != new.get("due"):
        due = new.get("due")
        said.append(t("Due: {day}", day=day(date.fromisoformat(due) if due else None)))
    return Sentence(t("{who} changed the order", who=line.actor), "", ", ".join(said))


def order_noted(line: Told) -> Sentence:
    text = short(line.data.get("text"))
    return Sentence(t("{who} noted", who=line.actor), "info", text)


def order_asked(line: Told) -> Sentence:
    text = short(line.data.get("text"))
    return Sentence(t("{who} asks for a decision", who=line.actor), "warn", text)


def order_split(line: Told) -> Sentence:
    text = t(
        "{who} split {share} % into order {number}",
        who=line.actor,
        share=short(line.data.get("share")),
        number=short(line.data.get("into")),
    )
    return Sentence(text)


def waits_for_release(line: Told) -> Sentence:
    why = short(line.data.get("why"))
    return Sentence(t("The order waits for release"), "warn", why)


def robot_chosen(line: Told) -> Sentence:
    reasons, robot = line.data.get("reasons"), short(line.data.get("robot"))
    first = reasons[0] if isinstance(reasons, list) and reasons else ""
    why = str(first).removeprefix(f"{robot}: ")
    return Sentence(t("{robot} was chosen", robot=robot), "", short(why))


def drives(line: Told) -> Sentence:
    robot, place = short(line.data.get("robot")), place_word(line.data.get("place"))
    return Sentence(t("{robot} drives to {place}", robot=robot, place=place))


def drive_ended(line: Told) -> Sentence:
    values = {"robot": line.actor, "place": place_word(line.data.get("place"))}
    why = short(line.data.get("reason"))
    if line.data.get("state") == "reached":
        return Sentence(t("{robot} reached {place}", **values), "ok", why)
    return Sentence(t("{robot} did not reach {place}", **values), "bad", why)


def goes_on(line: Told) -> Sentence:
    values = {"robot": line.actor, "place": place_word(line.data.get("place"))}
    return Sentence(t("{robot} goes on to {place}", **values), "ok")


def waits_for_place(line: Told) -> Sentence:
    text = t(
        "{robot} waits for {place}: {other} is there",
        robot=short(line.data.get("robot")),
        place=place_word(line.data.get("place")),
        other=short(line.data.get("other")),
    )
    return Sentence(text, "warn")


def fleet_request_ended(line: Told) -> Sentence:
    robot, why = short(line.data.get("robot")), short(line.data.get("why"))
    if line.data.get("state") == "done":
        return Sentence(t("{robot} has done it", robot=robot), "ok")
    return Sentence(t("The fleet could not do it"), "bad", why)


def material_loaded(line: Told) -> Sentence:
    return Sentence(
        t("{kg} kg of {material} onto {robot}", **_load(line)), "", _of_lot(line)
    )


def material_returned(line: Told) -> Sentence:
    words = _load(line) | {"place": place_word(line.data.get("place"))}
    return Sentence(t("{kg} kg of {material} back to {place}", **words), "warn")


def task_reminded(line: Told) -> Sentence:
    task, minutes = short(line.data.get("task")), short(line.data.get("minutes"))
    text = t("“{task}” has waited for {n} minutes", task=t(task), n=minutes)
    who = line.data.get("claimed_by")
    return Sentence(text, "warn", t("{who} has this task.", who=who) if who else "")


def weight_accepted(line: Told) -> Sentence:
    values = {key: short(line.data.get(key)) for key in ("kg", "required_kg")}
    text = t(
        "{who} accepted {kg} kg instead of {required_kg} kg of {material}",
        who=line.actor,
        material=short(line.data.get("material")),
        **values,
    )
    return Sentence(text, "warn", short(line.data.get("reason")))


def robot_emptied(line: Told) -> Sentence:
    words = _load(line) | {"place": place_word(line.data.get("place"))}
    text = t("{robot} is empty: {kg} kg of {material} are back at {place}", **words)
    return Sentence(text, "warn", short(line.data.get("reason")))


def tank_state(line: Told) -> Sentence:
    state, tank = str(line.data.get("new")), place_word(line.data.get("tank"))
    text = f"{tank}: {tank_word(state)}"
    tones = {"finished": "ok", "fault": "bad", "refused": "bad", "silent": "warn"}
    return Sentence(text, tones.get(state, ""), short(line.data.get("why")))


def tank_cleaned(line: Told) -> Sentence:
    values = {"who": line.actor, "tank": place_word(line.data.get("tank"))}
    return Sentence(t("{who} cleaned {tank}", **values), "ok")


def _load(line: Told) -> dict[str, str]:
    return {key: short(line.data.get(key)) for key in ("kg", "material", "robot")}


def _of_lot(line: Told) -> str:
    lot = line.data.get("lot")
    return t("Lot {lot}", lot=short(lot)) if lot else ""
