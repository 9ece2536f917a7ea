"""How a figure compares with the one before."""

from __future__ import annotations

from mpms.web.labels import formats
from mpms.web.texts import current_language, t


def change(now: float | None, then: float | None) -> str:
    """How much more or less than before, in per cent."""
    if now is None or then is None:
        return t("nothing to compare with")
    if not then:
        return t("none before") if now else t("as before")
    share = round(100 * (now - then) / then)
    if share == 0:
        return t("as before")
    sign = "+" if share > 0 else "−"
    number = formats.number(abs(share), current_language())
    return f"{sign}{number}\N{NO-BREAK SPACE}%"
