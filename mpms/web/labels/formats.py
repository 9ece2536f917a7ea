"""Numbers and instants as readers of three languages write them.

Three languages are small enough to know by heart; a locale library would be thirty
megabytes. Times are those of the plant: the time zone of the server.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from markupsafe import Markup, escape

NOTHING = "–"
_MARKS = {"en": (".", ","), "es": (",", "."), "de": (",", ".")}
_MONTHS = {
    "en": ("Jan Feb Mar Apr May Jun", "Jul Aug Sept Oct Nov Dec"),
    "es": ("ene feb mar abr may jun", "jul ago sept oct nov dic"),
    "de": ("Jan. Feb. März Apr. Mai Juni", "Juli Aug. Sept. Okt. Nov. Dez."),
}
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
# (past, future) for one unit, as the browser writes them; frame.ts takes over there.
_AGO: dict[str, dict[str, tuple[str, str]]] = {
    "en": {
        "now": ("just now", "in a moment"),
        "minute": ("{n} min. ago", "in {n} min."),
        "hour": ("{n} hr. ago", "in {n} hr."),
        "day": ("{n} days ago", "in {n} days"),
        "one day": ("1 day ago", "in 1 day"),
    },
    "es": {
        "now": ("ahora mismo", "en un momento"),
        "minute": ("hace {n} min", "dentro de {n} min"),
        "hour": ("hace {n} h", "dentro de {n} h"),
        "day": ("hace {n} días", "dentro de {n} días"),
        "one day": ("hace 1 día", "dentro de 1 día"),
    },
    "de": {
        "now": ("gerade eben", "gleich"),
        "minute": ("vor {n} Min.", "in {n} Min."),
        "hour": ("vor {n} Std.", "in {n} Std."),
        "day": ("vor {n} Tagen", "in {n} Tagen"),
        "one day": ("vor 1 Tag", "in 1 Tag"),
    },
}


def now() -> datetime:
    return datetime.now(UTC)


def number(
    value: float | Decimal | None, language: str = "en", *, digits: int = 3
) -> str:
    """At most ``digits`` decimals, without zeros at the end."""
    if value is None:
        return NOTHING
    point, separator = _MARKS[language]
    whole, _, decimals = f"{abs(value):.{digits}f}".partition(".")
    decimals = decimals.rstrip("0")
    if len(whole) > (4 if language == "es" else 3):  # Spanish groups from five digits
        whole = f"{int(whole):,}".replace(",", separator)
    text = whole + (point + decimals if decimals else "")
    return "-" + text if value < 0 and text.strip("0.,") else text


def kg(value: float | Decimal | None, language: str = "en") -> str:
    return (
        NOTHING if value is None else f"{number(value, language)}\N{NO-BREAK SPACE}kg"
    )


def time(at: datetime, language: str, today: datetime) -> str:
    """The time of day; the date as well if it is not today."""
    at, today = at.astimezone(), today.astimezone()
    clock = f"{at:%H:%M}"
    if at.date() == today.date():
        return clock
    month = " ".join(_MONTHS[language]).split()[at.month - 1]
    date = f"{at.day}. {month}" if language == "de" else f"{at.day} {month}"
    if at.year != today.year:
        date += f" {at.year}"
    return f"{date}, {clock}"


def ago(at: datetime, language: str, today: datetime) -> str:
    seconds = (at - today).total_seconds()
    future = seconds > 0
    forms = _AGO[language]
    for size, unit in _UNITS:
        count = int(abs(seconds) // size)
        if count:
            name = "one day" if unit == "day" and count == 1 else unit
            return forms[name][future].replace("{n}", str(count))
    return forms["now"][future]


def time_tag(at: datetime | None, language: str, today: datetime) -> Markup:
    if at is None:
        return escape(NOTHING)
    return Markup('<time datetime="{}">{}</time>').format(
        _stamp(at), time(at, language, today)
    )


def ago_tag(at: datetime | None, language: str, today: datetime) -> Markup:
    """Grows older in the browser; the exact time is in its title."""
    if at is None:
        return escape(NOTHING)
    return Markup('<time datetime="{}" title="{}" data-ago>{}</time>').format(
        _stamp(at), time(at, language, today), ago(at, language, today)
    )


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
