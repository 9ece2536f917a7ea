"""A test-drive in plain words: figures, differences, notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import g

from mpms.web.labels import formats
from mpms.web.texts import t

SHARES = frozenset({"ended_share", "robot_use", "people_use"})


def figure_word(figure: str) -> str:
    words = {
        "lead_time_mean_s": t("Lead time, on average"),
        "lead_time_p95_s": t("Lead time of the slowest 5 %"),
        "waiting_mean_s": t("Waiting of an order"),
        "ended_share": t("Orders that ended"),
        "robot_use": t("Robots at work"),
        "people_use": t("People at work"),
    }
    return words.get(figure, figure)


def shown(figure: str, value: float | None) -> str:
    if value is None:
        return formats.NOTHING
    language = getattr(g, "language", "en")
    if figure in SHARES:
        return formats.number(100 * value, language, digits=1) + " %"
    return _lasting(value, language)


def _lasting(seconds: float, language: str) -> str:
    """Finer than of one instance: differences are small."""
    whole = round(seconds)
    if whole < 60:
        return t("{n} s", n=formats.number(seconds, language, digits=1))
    if whole < 3600:
        return t("{m} min {s} s", m=whole // 60, s=whole % 60)
    return t("{h} h {m} min", h=whole // 3600, m=whole // 60 % 60)


def difference(figure: str, value: float | None) -> str:
    """With its sign."""
    if value is None:
        return formats.NOTHING
    if round(value, 3) == 0:
        return "0"
    return ("+" if value > 0 else "−") + shown(figure, abs(value))


def certainty(by: Mapping[str, Any]) -> str:
    """How sure a difference is; what nobody could see is none."""
    if round(by["difference"], 3) == 0:
        return t("the same")
    return t("clear") if by["clear"] else t("may be chance")


def note(told: Mapping[str, Any]) -> str:
    return t(told["text"], **told["holes"])


def title(process: str, told: Mapping[str, Any]) -> str:
    """Of a version; the report says it in English."""
    said: str = told["title"]
    _, _, version = said.rpartition(" ")
    if version.isdecimal():
        return t("version {n}", n=int(version))
    return t("not deployed yet")


def measure_words() -> dict[str, str]:
    return {
        "waiting": t("Waiting"),
        "duration": t("Duration"),
        "count": t("Count"),
    }


def order_words() -> dict[str, str]:
    return {
        "month": t("Orders of the last 30 days"),
        "week": t("Orders of the last 7 days"),
        "day": t("Orders of the last 24 hours"),
        "100": t("100 made-up orders"),
        "300": t("300 made-up orders"),
        "1000": t("1,000 made-up orders"),
    }
