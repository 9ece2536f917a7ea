"""What an alert says, in the reader's language: a mail, and a few words on a screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mpms.domain.alerts.rules import Digest, ToldCause

MOST_LISTED = 20
LONGEST_LINE = 400
LONGEST_TITLE = 90
LONGEST_NOTICE = 300


@dataclass(frozen=True)
class _Words:
    new_one: str
    new_many: str
    over_one: str
    over_many: str
    hello_new: str
    hello_over: str
    incidents_one: str
    incidents_many: str
    in_process: str
    outside: str
    more: str
    inbox: str
    why: str


_WORDS = {
    "en": _Words(
        new_one="Incident: {what}",
        new_many="{causes} causes of incidents ({incidents} incidents)",
        over_one="Over: {what}",
        over_many="{causes} causes of incidents are over",
        hello_new="Something needs a person's look:",
        hello_over="Nothing is open any more of:",
        incidents_one="1 incident",
        incidents_many="{n} incidents",
        in_process="in {processes}",
        outside="outside the processes",
        more="and {n} more causes",
        inbox="All incidents: {url}",
        why="You asked for these alerts. Each cause is told once until it is over."
        " Change it at {url}",
    ),
    "de": _Words(
        new_one="Störung: {what}",
        new_many="{causes} Ursachen von Störungen ({incidents} Störungen)",
        over_one="Vorbei: {what}",
        over_many="{causes} Ursachen von Störungen sind vorbei",
        hello_new="Jemand muss nachsehen:",
        hello_over="Hiervon ist nichts mehr offen:",
        incidents_one="1 Störung",
        incidents_many="{n} Störungen",
        in_process="in {processes}",
        outside="außerhalb der Prozesse",
        more="und {n} weitere Ursachen",
        inbox="Alle Störungen: {url}",
        why="Sie haben um diese Meldungen gebeten. Jede Ursache wird einmal gemeldet,"
        " bis sie vorbei ist. Ändern unter {url}",
    ),
    "es": _Words(
        new_one="Incidencia: {what}",
        new_many="{causes} causas de incidencias ({incidents} incidencias)",
        over_one="Terminada: {what}",
        over_many="{causes} causas de incidencias han terminado",
        hello_new="Alguien tiene que mirar:",
        hello_over="Ya no queda nada abierto de:",
        incidents_one="1 incidencia",
        incidents_many="{n} incidencias",
        in_process="en {processes}",
        outside="fuera de los procesos",
        more="y {n} causas más",
        inbox="Todas las incidencias: {url}",
        why="Usted pidió estos avisos. Cada causa se avisa una vez hasta que termina."
        " Se cambia en {url}",
    ),
}


@dataclass(frozen=True)
class Alert:
    """A message in words."""

    subject: str
    body: str
    notice: str  # the same for a small screen
    path: str  # where to look


def write_alert(
    digest: Digest, language: str, *, site_url: str, names: Mapping[str, str]
) -> Alert:
    """All of a digest in one message; ``names`` are those of the processes."""
    words = _WORDS.get(language, _WORDS["en"])
    subject = _subject(words, digest)
    single = [*digest.new, *digest.over]
    path = f"/incidents/{single[0].cause}" if len(single) == 1 else "/incidents"
    lines: list[str] = []
    for hello, causes in (
        (words.hello_new, digest.new),
        (words.hello_over, digest.over),
    ):
        if causes:
            lines += [hello, "", *_listed(words, causes, site_url, names)]
    lines += [
        words.inbox.format(url=f"{site_url}/incidents"),
        "",
        words.why.format(url=f"{site_url}/incidents/alerts"),
    ]
    shown = [_one_line(told.message, LONGEST_TITLE) for told in single[:3]]
    notice = "\n".join(shown) if len(single) > 1 else _about(words, single[0], names)
    return Alert(subject, "\n".join(lines), notice[:LONGEST_NOTICE], path)


def _subject(words: _Words, digest: Digest) -> str:
    if digest.new:
        causes, one, many = digest.new, words.new_one, words.new_many
    else:
        causes, one, many = digest.over, words.over_one, words.over_many
    if len(causes) == 1:
        return one.format(what=_one_line(causes[0].message, LONGEST_TITLE))
    total = sum(told.incidents for told in causes)
    return many.format(causes=len(causes), incidents=total)


def _listed(
    words: _Words,
    causes: tuple[ToldCause, ...],
    site_url: str,
    names: Mapping[str, str],
) -> list[str]:
    lines = []
    for told in causes[:MOST_LISTED]:
        lines += [
            f"- {_one_line(told.message, LONGEST_LINE)}",
            f"  {_about(words, told, names)}",
            f"  {site_url}/incidents/{told.cause}",
            "",
        ]
    if len(causes) > MOST_LISTED:
        lines += [words.more.format(n=len(causes) - MOST_LISTED), ""]
    return lines


def _about(words: _Words, told: ToldCause, names: Mapping[str, str]) -> str:
    count = (
        words.incidents_one
        if told.incidents == 1
        else words.incidents_many.format(n=told.incidents)
    )
    inside = [names.get(key, key) for key in told.processes if key]
    where = (
        words.in_process.format(processes=", ".join(inside[:5]))
        if inside
        else words.outside
    )
    return f"{count}, {where}"


def _one_line(text: str, longest: int) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"
