"""Lines of the history as sentences: of the registry, and the longer ones here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import current_app
from werkzeug.utils import import_string

from mpms.domain.history.kinds import Kind, Kinds
from mpms.web.texts import t

LONGEST = 300


@dataclass(frozen=True)
class Told:
    """What a sentence is made of; ``step`` is the name of the line's element."""

    kind: str
    actor: str
    data: dict[str, Any]
    step: str | None = None


@dataclass(frozen=True)
class Sentence:
    """One line of a timeline; ``tone`` is ok, bad, warn, info or nothing."""

    text: str
    tone: str = ""
    detail: str = ""


def current_kinds() -> Kinds:
    """Of the site: the core's and those of plug-ins."""
    found = current_app.extensions.get("desk") if current_app else None
    kinds = getattr(found, "kinds", None)
    return kinds if isinstance(kinds, Kinds) else Kinds()


def timeline_kinds() -> list[str]:
    return current_kinds().timeline()


def sentence_of(line: Told) -> Sentence:
    kind = current_kinds().get(line.kind)
    if kind is None or not kind.sentence:
        return Sentence(f"{line.kind}: {line.step}" if line.step else line.kind)
    if ":" in kind.sentence and " " not in kind.sentence:
        made = import_string(kind.sentence)(line)
        assert isinstance(made, Sentence)  # noqa: S101
        return made
    return _filled(kind, line)


def _filled(kind: Kind, line: Told) -> Sentence:
    data = line.data
    holes = {name: short(data.get(name)) for name in data}
    text = t(kind.sentence, **{**holes, "who": line.actor, "step": line.step or "?"})
    detail = short(data.get("note") or data.get("reason") or data.get("message"))
    return Sentence(text, kind.tone, posted(detail, data))


def posted(detail: str, data: Mapping[str, Any]) -> str:
    """Who handed it in for somebody else, on a tablet that had been without network."""
    by = data.get("posted_by")
    handed_in = t("handed in by {who}", who=short(by)) if by else ""
    return " · ".join(part for part in (detail, handed_in) if part)


def short(text: Any) -> str:
    words = "" if text is None else str(text)
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


def answered(line: Told) -> Sentence:
    text = t("{who} confirmed: {step}", who=line.actor, step=line.step or "?")
    detail = answers_words(line.data.get("answers"))
    return Sentence(text, "ok", posted(detail, line.data))


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
    return short(", ".join(told))


def failed(line: Told) -> Sentence:
    why = short(line.data.get("message") or line.data.get("code"))
    return Sentence(t("Failed: {step}", step=line.step or "?"), "bad", why)


def job_failed(line: Told) -> Sentence:
    text = t("Failed, will be tried again: {step}", step=line.step or "?")
    return Sentence(text, "warn", short(line.data.get("error")))


def incident_over(line: Told) -> Sentence:
    if "topic" in line.data:
        text = t("Somebody does this work now: {step}", step=line.step or "?")
        return Sentence(text, "ok")
    # Until there was a kind of its own for robots, they told it so.
    place = short(line.data.get("place")).replace("_", " ")
    return Sentence(
        t("{robot} goes on to {place}", robot=line.actor, place=place), "ok"
    )


def variables_set(line: Told) -> Sentence:
    told = {"who": line.actor, "names": _listed(line.data.get("names"))}
    removed = _listed(line.data.get("removed"))
    text = (
        t("{who} set variables: {names}", **told)
        if told["names"]
        else t("{who} removed variables: {names}", who=told["who"], names=removed)
    )
    return Sentence(text, "info", short(line.data.get("reason")))


def token_moved(line: Told) -> Sentence:
    text = t(
        "{who} moved a token from {step} to {to}",
        who=line.actor,
        step=line.step or "?",
        to=short(line.data.get("to_name") or line.data.get("to")),
    )
    return Sentence(text, "info", short(line.data.get("reason")))


def migrated(line: Told) -> Sentence:
    text = t(
        "{who} migrated the process from version {old} to {new}",
        who=line.actor,
        old=short(line.data.get("from")),
        new=short(line.data.get("to")),
    )
    return Sentence(text, "info", short(line.data.get("reason")))


def in_bulk_action(line: Told) -> Sentence:
    number = str(line.data.get("batch"))
    if line.data.get("state") == "failed":
        text = t("Bulk action {n} failed here", n=number)
        return Sentence(text, "bad", short(line.data.get("message")))
    return Sentence(t("Part of bulk action {n}", n=number))


def _listed(names: Any) -> str:
    return short(", ".join(map(str, names))) if isinstance(names, list) else ""
