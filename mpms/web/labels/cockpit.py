"""The cockpit in plain words: states, windows of time, kinds of elements."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from mpms.ports.processes.cockpit import TrendHour
from mpms.services.processes.bottlenecks import Bottleneck, Spent
from mpms.web.texts import t

_CHIPS = {
    "running": "chip-info",
    "stuck": "chip-bad",
    "suspended": "chip-warn",
    "completed": "chip-ok",
    "failed": "chip-bad",
}
_BAR_PX, _GAP_PX, _HEIGHT_PX = 4, 1, 28
# A spreadsheet takes a cell that begins like this for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def state_chip(state: str) -> str:
    return _CHIPS.get(state, "")


def state_word(state: str) -> str:
    words = {
        "running": t("running"),
        "stuck": t("stuck"),
        "suspended": t("suspended"),
        "completed": t("completed"),
        "cancelled": t("cancelled"),
        "failed": t("failed"),
        "any": t("any state"),
    }
    return words.get(state, state)


def window_words() -> dict[str, str]:
    return {
        "hour": t("Last hour"),
        "day": t("Last 24 hours"),
        "week": t("Last 7 days"),
        "month": t("Last 30 days"),
        "quarter": t("Last 90 days"),
        "own": t("Own dates"),
    }


def age_words() -> dict[str, str]:
    return {
        "": t("any age"),
        "hour": t("at most an hour"),
        "day": t("at most a day"),
        "week": t("at most a week"),
        "month": t("at most 30 days"),
        "over_hour": t("older than an hour"),
        "over_day": t("older than a day"),
        "over_week": t("older than a week"),
    }


def show_words() -> dict[str, str]:
    return {
        "live": t("Live"),
        "count": t("Count"),
        "duration": t("Duration"),
        "waiting": t("Waiting"),
    }


def kind_word(kind: str) -> str:
    """What an element is, for those who do not see its drawing."""
    words = {
        "startEvent": t("start"),
        "endEvent": t("end"),
        "userTask": t("form"),
        "serviceTask": t("service"),
        "sendTask": t("send"),
        "receiveTask": t("receive"),
        "scriptTask": t("script"),
        "businessRuleTask": t("decision"),
        "manualTask": t("manual"),
        "task": t("task"),
        "callActivity": t("called process"),
        "subProcess": t("sub-process"),
        "transaction": t("transaction"),
        "adHocSubProcess": t("ad-hoc sub-process"),
        "boundaryEvent": t("boundary event"),
        "intermediateCatchEvent": t("awaited event"),
        "intermediateThrowEvent": t("thrown event"),
        "exclusiveGateway": t("gateway"),
        "parallelGateway": t("gateway"),
        "inclusiveGateway": t("gateway"),
        "complexGateway": t("gateway"),
        "eventBasedGateway": t("gateway"),
        "": t("only in another version"),
    }
    return words.get(kind, kind)


def sparkline(hours: Sequence[TrendHour]) -> Markup:
    """Bars of what began in each hour; the sentence says the same."""
    started = sum(hour.started for hour in hours)
    completed = sum(hour.completed for hour in hours)
    failed = sum(hour.failed for hour in hours)
    label = t(
        "Last 24 hours: {started} started, {completed} completed, {failed} failed",
        started=started,
        completed=completed,
        failed=failed,
    )
    most = max((hour.started for hour in hours), default=0)
    bars = Markup("").join(_bar(n, hour, most) for n, hour in enumerate(hours))
    width = len(hours) * (_BAR_PX + _GAP_PX)
    return Markup(
        '<svg class="sparkline" viewBox="0 0 {w} {h}" width="{w}" height="{h}"'
        ' role="img" aria-label="{label}"><title>{label}</title>{bars}</svg>'
    ).format(w=width, h=_HEIGHT_PX, label=label, bars=bars)


def _bar(place: int, hour: TrendHour, most: int) -> Markup:
    full = _HEIGHT_PX - 2
    height = max(2, round(full * hour.started / most)) if hour.started else 1
    kind = "spark-failed" if hour.failed else "spark" if hour.started else "spark-none"
    return Markup(
        '<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="1"/>'
    ).format(kind, place * (_BAR_PX + _GAP_PX), _HEIGHT_PX - height, _BAR_PX, height)


def cell(value: object) -> str:
    """A text that no spreadsheet takes for a formula."""
    text = "" if value is None else str(value)
    is_number = isinstance(value, int | float)
    return f"'{text}" if text.startswith(_FORMULA) and not is_number else text


def bottleneck_sentence(told: Bottleneck, each: str) -> str:
    """``each``: how long it takes on average, in words."""
    share, step = f"{told.share * 100:.0f}", told.name
    holes = {"share": share, "step": step, "each": each, "lane": told.lane or ""}
    match told.spent:
        case Spent.UNTAKEN:
            return t(
                "{share} % of the time, forms at {step} wait for somebody to take them,"
                " {each} on average.",
                **holes,
            )
        case Spent.FILLED_IN:
            return t(
                "{share} % of the time, people work at {step}, {each} on average.",
                **holes,
            )
        case Spent.EVENT:
            return t(
                "{share} % of the time passes at {step}, waiting for an event,"
                " {each} on average.",
                **holes,
            )
        case Spent.CALLED:
            return t(
                "{share} % of the time passes in the process that {step} calls,"
                " {each} on average.",
                **holes,
            )
    if told.lane:
        return t(
            "{share} % of the time is spent waiting for {lane} at {step},"
            " {each} on average.",
            **holes,
        )
    return t("{share} % of the time passes at {step}, {each} on average.", **holes)
