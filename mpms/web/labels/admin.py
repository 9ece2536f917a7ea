"""Lights in plain words, with what to do next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from mpms.services.admin.health import Finding, Light
from mpms.web.labels import formats
from mpms.web.site.plugin_parts import current_parts
from mpms.web.texts import current_language, t

LIGHT_CHIP = {
    Light.GREEN: ("chip-ok", "done"),
    Light.YELLOW: ("chip-warn", "warn"),
    Light.RED: ("chip-bad", "stop"),
    Light.GREY: ("", "info"),
}


@dataclass(frozen=True)
class Told:
    """What a light means and what helps."""

    title: str
    cause: str
    help: str = ""


def light_word(light: Light) -> str:
    return {
        Light.GREEN: t("good"),
        Light.YELLOW: t("look at it"),
        Light.RED: t("broken"),
        Light.GREY: t("not used"),
    }[light]


def light_chip(light: Light) -> tuple[str, str]:
    return LIGHT_CHIP[light]


def part_word(part: str) -> str:
    return {
        "database": t("Database"),
        "workers": t("Workers"),
        "queues": t("Queues"),
        "disk": t("Disk"),
    }.get(part, part)


def queue_word(queue: str) -> str:
    ours = {
        "job": t("jobs"),
        "timer": t("timers"),
        "delivery": t("steps of processes"),
        "webhook": t("webhooks"),
        "batch": t("bulk actions"),
    }
    return ours.get(queue) or t(current_parts().queues.get(queue, queue))


def finding_words(finding: Finding) -> Told:
    """The cause and what to do, in the reader's language."""
    values = finding.values
    words: Mapping[tuple[str, str], Callable[[], tuple[str, str]]] = {
        ("database", "fine"): lambda: (
            t(
                "PostgreSQL {version}, {size} MB, answers in {ms} ms.",
                version=values["version"],
                size=rounded(values["size_mb"]),
                ms=rounded(values["latency_ms"], 1),
            ),
            "",
        ),
        ("database", "slow"): lambda: (
            t("It took {ms} ms to answer.", ms=rounded(values["latency_ms"])),
            t("Look what else runs on its machine, and whether its disk is full."),
        ),
        ("database", "away"): lambda: (
            t("The database does not answer: {why}", why=values["why"]),
            t("Start PostgreSQL. Workers and pages go on by themselves."),
        ),
        ("workers", "fine"): lambda: (
            t("1 worker is running.")
            if values["alive"] == 1
            else t("{n} workers are running.", n=values["alive"]),
            "",
        ),
        ("workers", "none"): lambda: (
            t("No worker is running: processes, mail and robots wait."),
            t("Start one: mpms work. Nothing is lost meanwhile."),
        ),
        ("workers", "failing"): lambda: (
            t(
                "{name} failed: {why}",
                name=values["name"],
                why=values["why"],
            ),
            t("Read its log. The other steps go on."),
        ),
        ("workers", "clock"): lambda: (
            t(
                "The clock of {name} is {time} ahead.",
                name=values["name"],
                time=duration(values["by_s"]),
            )
            if values["ahead"]
            else t(
                "The clock of {name} is {time} behind.",
                name=values["name"],
                time=duration(values["by_s"]),
            ),
            t(
                "Timers go by the database's clock and are right. Set the clock of that"
                " machine: robots and mail servers may refuse it."
            ),
        ),
        ("workers", "versions"): lambda: (
            t(
                "{name} runs version {other}, these pages run {ours}.",
                name=values["name"],
                other=values["other"],
                ours=values["ours"],
            ),
            t("Restart all processes with the same version."),
        ),
        ("workers", "vanished"): lambda: (
            t(
                "{name} was last heard at {time} and did not stop in good order.",
                name=values["name"],
                time=time_text(values["last_at"]),
            ),
            t("Others have taken over its work. Look why it ended."),
        ),
        ("queues", "fine"): lambda: (t("Nothing waits longer than it should."), ""),
        ("queues", "late"): lambda: (
            t(
                "The oldest of the {queue} has waited for {age}.",
                queue=queue_word(str(values["queue"])),
                age=duration(values["age_s"]),
            ),
            t("Look at workers and incidents; start another worker if all are busy."),
        ),
        ("disk", "fine"): lambda: (
            t(
                "{gb} GB are free ({percent} %).",
                gb=rounded(values["free_gb"], 1),
                percent=rounded(values["share"]),
            ),
            "",
        ),
        ("disk", "full"): lambda: (
            t(
                "Only {gb} GB are free ({percent} %).",
                gb=rounded(values["free_gb"], 1),
                percent=rounded(values["share"]),
            ),
            t("Make room, or let old history be deleted on the page Retention."),
        ),
    }
    if (said := words.get((finding.part, finding.cause))) is None:
        return _told_by_plugins(finding)
    cause, help_ = said()
    return Told(part_word(finding.part), cause, help_)


def _told_by_plugins(finding: Finding) -> Told:
    for labels in current_parts().health_labels:
        told = labels(finding)
        if isinstance(told, Told):
            return told
    return Told(finding.part, finding.cause)


def duration(seconds: object) -> str:
    """About how long, in one unit."""
    if not isinstance(seconds, int | float):
        return formats.NOTHING
    if seconds < 90:
        return t("{n} s", n=round(seconds))
    if seconds < 5400:
        return t("{n} min", n=round(seconds / 60))
    if seconds < 172_800:
        return t("{n} h", n=round(seconds / 3600))
    return t("{n} days", n=round(seconds / 86_400))


def rounded(value: object, digits: int = 0) -> str:
    number = float(value) if isinstance(value, int | float) else 0.0
    return formats.number(number, current_language(), digits=digits)


def time_text(at: object) -> str:
    if not isinstance(at, datetime):
        return formats.NOTHING
    return formats.time(at, current_language(), formats.now())
