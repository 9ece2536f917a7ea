"""The page docs/bpmn.md, written from the tables that the lint itself uses.

A page written by hand would say one thing and the lint another before long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mpms.engine.lint import bpmn_vocabulary as bpmn_words
from mpms.engine.lint import camunda_vocabulary as camunda_words
from mpms.engine.lint import zeebe_vocabulary as zeebe_words
from mpms.engine.lint.activities import NEEDS
from mpms.engine.lint.editors import EDITORS
from mpms.engine.lint.element_notes import GROUPS, KINDS, LOOPS, POSITIONS
from mpms.engine.lint.elements import EVENTS, INTERRUPTING, PARTS, TAGS, TIMERS
from mpms.engine.lint.meanings import ANYWHERE, Inner, Word
from mpms.engine.lint.vendors import VENDORS

COMMAND = "mpms models elements --markdown > docs/bpmn.md"

_YES, _NO = "yes", "–"

_INTRODUCTION = (
    "Every element of BPMN 2.0 and every word of Camunda is executed exactly, ignored "
    "because it changes nothing, or refused when the model is deployed, with the "
    "element and the reason. Nothing is skipped in silence. `mpms models lint` says it "
    "for a file; [how to draw a process](howto/modeller.md) says what to fill in."
)

_HEAD = f"""# What is executed

{_INTRODUCTION}

This page is written by `{COMMAND}` from the tables that the lint uses.
"""

_EVENTS = """Rows say what the event is about, columns where it stands. *not
interrupting* means that the event may also leave its activity or scope running."""

_CAMUNDA_7 = """Attributes are marked with an @. A word that is not in this table is
refused as unknown. The words of Operaton (`http://operaton.org/schema/1.0/bpmn`) are
read as these; a file may hold both."""

_CAMUNDA_8 = """A model that Camunda Modeler draws for Camunda 8 runs unchanged or is
told what is missing. Its expressions are FEEL and begin with `=`. Variables follow the
rules of Camunda 8: inputs belong to the task, results go to the instance unless there
are outputs, and a result stays with the task if the task has a variable of its name."""

_VENDORS = """Files of these tools are read; words of theirs that change the execution
are refused, with the Camunda word to use instead."""

_EDITORS = """Words of these namespaces, and of all that begin like them, are for an
editor or a drawing and change nothing. Words of any other namespace may change what is
executed, so they are refused by name wherever something is executed; inside diagrams
and pools everything may stand. A namespace that is declared and not used does not
matter."""


def elements_page() -> str:
    parts = [_HEAD]
    for title, group in GROUPS.items():
        rows = [_element(tag, *words) for tag, words in group.items()]
        parts.append(_section(title, table(("element", "executed", ""), rows)))
    parts.append(
        _section("Events", _one_line(_EVENTS), _event_table(), *_event_reasons())
    )
    parts.append(_section("Timers", _timer_table()))
    parts.append(_section("Loops", table(("loop", "executed"), _loops())))
    parts.append(_section("Other parts of BPMN", _part_table(), _bpmn_table()))
    for title, text, prefix, words, inner in (
        ("Camunda 7", _CAMUNDA_7, "camunda:", camunda_words.WORDS, camunda_words.INNER),
        ("Camunda 8", _CAMUNDA_8, "zeebe:", zeebe_words.WORDS, zeebe_words.INNER),
    ):
        parts.append(
            _section(title, _one_line(text), *_word_tables(prefix, words, inner))
        )
    parts.append(
        _section(
            "Other tools",
            _one_line(_VENDORS),
            _vendor_table(),
            "### Ignored",
            _one_line(_EDITORS),
            _editor_table(),
        )
    )
    return "\n".join(parts)


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines
    )


def _one_line(text: str) -> str:
    """A paragraph that is wrapped in the source."""
    return " ".join(text.split())


def _section(title: str, *parts: str) -> str:
    return "\n\n".join((f"## {title}", *parts)) + "\n"


def _element(tag: str, name: str, note: str) -> tuple[str, str, str]:
    if reason := TAGS[tag]:
        return name, _NO, f"Refused: {reason}."
    need = NEEDS.get(tag)
    return name, _YES, f"{note} {_sentence(need[1])}" if need else note


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _event_table() -> str:
    rows = []
    for kind, name in KINDS.items():
        cells = [_event_cell(position, kind) for position in POSITIONS]
        rows.append((f"**{name}**", *cells))
    return table(("", *POSITIONS.values()), rows)


def _event_cell(position: str, kind: str) -> str:
    if EVENTS[position].get(kind, "no"):
        return _NO
    watching = position in ("boundary", "event start")
    if watching and not INTERRUPTING.get((position, kind)) and kind != "compensate":
        return "yes, also not interrupting"
    return _YES


def _event_reasons() -> Iterator[str]:
    """Each reason once, with the events it is about."""
    events: dict[str, dict[str, list[str]]] = {}
    for position, place in POSITIONS.items():
        for kind, name in KINDS.items():
            reason = EVENTS[position].get(kind, "")
            if reason:
                text = reason.replace("{kind}", "…")
                events.setdefault(text, {}).setdefault(place, []).append(name)
    yield "Why the others are refused:"
    yield "\n".join(
        f"- {_sentence(text)} *{_listed(places)}*" for text, places in events.items()
    )


def _listed(places: Mapping[str, list[str]]) -> str:
    """``kinds: places`` where all places have the same kinds, else one by one."""
    kinds = {tuple(names) for names in places.values()}
    if len(kinds) == 1:
        return f"({', '.join(kinds.pop())}: {', '.join(places)})"
    each = (f"{', '.join(names)}: {place}" for place, names in places.items())
    return f"({'; '.join(each)})"


def _timer_table() -> str:
    rows = []
    for (position, interrupts), kinds in TIMERS.items():
        place = POSITIONS[position]
        both = (position, not interrupts) in TIMERS
        mode = (
            (", interrupting" if interrupts else ", not interrupting") if both else ""
        )
        cells = [f"refused: {kinds[k]}" if kinds[k] else _YES for k in _TIMES]
        rows.append((place + mode, *cells))
    return table(("timer", *_TIMES), rows)


_TIMES = ("date", "duration", "cycle")


def _loops() -> list[tuple[str, str]]:
    return [(name, note) for name, note in LOOPS]


def _part_table() -> str:
    rows = [
        (f"{name[:1].upper()}{name[1:]}", _NO if reason else _YES, _refused(reason))
        for name, reason in PARTS.items()
    ]
    return table(("part", "executed", ""), rows)


def _refused(reason: str) -> str:
    return f"Refused: {reason.replace('{}', '…')}." if reason else ""


def _bpmn_table() -> str:
    rows = []
    for mark, words in (("@", bpmn_words.ATTRIBUTES), ("", bpmn_words.CHILDREN)):
        shared: dict[Word, list[str]] = {}
        for name, word in words.items():
            if word.reason and (not word.on or word.on is ANYWHERE):
                shared.setdefault(word, []).append(f"`{mark}{name}`")
        for word, names in shared.items():
            rows.append((", ".join(names), _values(word), _told(word.reason)))
    return table(("word", "executed", "otherwise refused"), rows)


def _values(word: Word) -> str:
    if not word.on:
        return _NO
    simple = word.values.replace("|", "").replace("-", "").isalnum()
    return f"only {_shown_values(word.values)}" if simple else "some values"


def _shown_values(values: str) -> str:
    return " or ".join(f"`{value}`" for value in values.split("|") if value)


def _word_tables(prefix: str, words: Mapping[str, Word], inner: Inner) -> Iterator[str]:
    """One table for each result; words of the same meaning share a row."""
    shared: dict[Word, list[str]] = {}
    for name, word in words.items():
        shared.setdefault(word, []).append(name)
    for result, head in _RESULTS.items():
        rows: list[tuple[str, ...]] = []
        for word, names in shared.items():
            if word.result != result:
                continue
            shown = ", ".join(f"`{_shown_word(prefix, name)}`" for name in names)
            where = ", ".join(f"`{tag}`" for tag in sorted(word.on - ANYWHERE))
            remark = _remark(prefix, names, word, inner)
            on = (where or "anywhere",) if result == "honoured" else ()
            rows.append((shown, *on, remark))
        yield f"### {result.capitalize()}"
        yield table(head, rows)


_RESULTS = {
    "honoured": ("word", "on", ""),
    "ignored": ("word", "why it changes nothing"),
    "refused": ("word", "why, and what to do"),
}


def _shown_word(prefix: str, name: str) -> str:
    return f"@{prefix}{name[1:]}" if name.startswith("@") else f"{prefix}{name}"


def _remark(prefix: str, names: list[str], word: Word, inner: Inner) -> str:
    if word.result == "refused":
        return _told(word.reason)
    parts = [_sentence(word.note)] if word.note else []
    for name in names:
        for part, meaning in inner.get(f"{prefix}{name}", {}).items():
            if meaning.reason:
                parts.append(f"`{part}`: {_limit(meaning)}.")
    return " ".join(parts)


def _limit(word: Word) -> str:
    simple = word.on and word.values.replace("|", "").isalpha()
    if simple:
        return f"only {_shown_values(word.values)}"
    return f"refused: {word.reason}" if not word.on else "only a number from 1 to 99"


def _told(reason: str) -> str:
    return f"{reason.replace('{value}', '…').replace('{word}', '…')}."


def _vendor_table() -> str:
    rows = []
    for dialect, vendor in VENDORS.items():
        ignored = ", ".join(f"`{word}`" for word in sorted(vendor.ignored))
        if vendor.like_camunda:
            ignored += ", and what is ignored of Camunda 7"
        advice = " ".join(
            f"`{word}`: {text}." for word, text in sorted(vendor.instead.items())
        )
        rows.append((f"{vendor.name} (`{dialect}:`)", ignored, advice))
    return table(("tool", "ignored", "instead of"), rows)


def _editor_table() -> str:
    rows = []
    for editor in EDITORS:
        spaces = ", ".join(f"`{space}`" for space in editor.spaces)
        but = [
            f"But `{word}`: {meaning.reason}." for word, meaning in editor.but.items()
        ]
        rows.append((editor.name, spaces, " ".join([_sentence(editor.note), *but])))
    return table(("tool", "namespaces", "what they say"), rows)
