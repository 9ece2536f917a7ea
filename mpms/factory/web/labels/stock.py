"""Words of stock and schedule."""

from __future__ import annotations

from mpms.web.texts import t


def state_chip(state: str, expired: bool = False) -> tuple[str, str]:
    """The word for a lot's state, and its tone."""
    if expired and state == "released":
        return t("expired"), "bad"
    words = {
        "quarantine": (t("in quarantine"), "warn"),
        "released": (t("released"), "ok"),
        "blocked": (t("blocked"), "bad"),
        "used up": (t("used up"), "info"),
    }
    return words.get(state, (state, "info"))


def bar_words(kind: str) -> str:
    words = {
        "drive": t("drives"),
        "load": t("load"),
        "unload": t("unload"),
        "fill": t("filled"),
        "mix": t("mixing"),
        "home": t("drives home"),
        "start mixing": t("start mixing"),
    }
    return words.get(kind, kind)


def move_words(kind: str) -> str:
    words = {
        "receive": t("received"),
        "pick": t("loaded"),
        "use": t("into the tank"),
        "return": t("came back"),
        "correct": t("corrected"),
        "transfer": t("moved"),
    }
    return words.get(kind, kind)
