"""The page docs/conformance.md: what foreign models, expressions and decisions do here.

Written from the data of the tests, so that nobody has to believe it:
``python -m tests.support.conformance > docs/conformance.md``. The results of DMN's
public test cases are in it where a path leads to them, else the lines of before stay.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.expressions import compile_expression
from mpms.engine.feel import compile_feel
from mpms.engine.lint import check
from mpms.engine.lint.elements import EVENTS, EXECUTED, PARTS, TAGS, TIMERS
from tests.support.dmn_tck import Outcome, folder, outcomes

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "conformance.md"
DATA = ROOT / "tests" / "data"
COMMAND = "python -m tests.support.conformance > docs/conformance.md"
DECISIONS = "## Decisions"
MOST_TOLD = 12

_EXPORTER = re.compile(rb'exporter="([^"]*)"')


def page() -> str:
    return without_kit() + "\n".join(_kit())


def without_kit() -> str:
    """All but the results of the public test cases."""
    parts = (*_head(), *_models(), *_elements(), *_expressions())
    return "".join(f"{line}\n" for line in parts)


def _head() -> Iterator[str]:
    yield "# Conformance"
    yield ""
    yield (
        "What this engine does with what others have written, and why it refuses the "
        f"rest. This page is written by `{COMMAND}` from the data of the tests; "
        "[what is executed](bpmn.md) is the whole list of elements and words."
    )
    yield ""


def _models() -> Iterator[str]:
    yield "## Models of other tools"
    yield ""
    yield "| file | written by | deployable | what it is told |"
    yield "| --- | --- | --- | --- |"
    for path in sorted(DATA.glob("*models/*.bpmn")):
        xml = path.read_bytes()
        lint = check(xml)
        found = _EXPORTER.search(xml)
        tool = found[1].decode() if found else "unknown"
        told = [f"`{p.element}`: {p.reason}" for p in lint.problems[:MOST_TOLD]]
        more = len(lint.problems) - MOST_TOLD
        if more > 0:
            told.append(f"and {more} more")
        answer = "yes" if lint.deployable else "–"
        yield f"| `{path.name}` | {tool} | {answer} | {_cell('; '.join(told))} |"
    yield ""


def _elements() -> Iterator[str]:
    executed = [tag for tag, reason in TAGS.items() if reason == EXECUTED]
    kinds = [(k, p) for p, row in EVENTS.items() for k, why in row.items() if not why]
    timers = [t for row in TIMERS.values() for t, why in row.items() if not why]
    yield "## Elements"
    yield ""
    yield (
        f"{len(executed)} of {len(TAGS)} kinds of elements, {len(kinds)} combinations "
        f"of event and place and {len(timers)} kinds of timers are executed. Refused:"
    )
    yield ""
    for tag, reason in TAGS.items():
        if reason != EXECUTED:
            yield f"- `{tag}`: {reason}"
    for part, reason in PARTS.items():
        if reason != EXECUTED:
            yield f"- {part}: {reason.replace('{}', '…')}"
    yield ""


def _expressions() -> Iterator[str]:
    known = json.loads((DATA / "expressions.json").read_text())
    given = known["variables"]
    yield "## Expressions"
    yield ""
    yield f"With the variables `{json.dumps(given)}`. In the language of Camunda 7:"
    yield ""
    yield "| expression | result |"
    yield "| --- | --- |"
    for text in known["juel"]:
        yield f"| `${{{text}}}` | {_cell(_answer(compile_expression, text, given))} |"
    yield ""
    yield (
        "In FEEL, strict and as the standard has it (`MPMS_FEEL`; models of Camunda 8 "
        "have the standard's unless a plant says otherwise):"
    )
    yield ""
    yield "| expression | strict | standard |"
    yield "| --- | --- | --- |"
    for text in known["feel"]:
        answers = [_feel(text, given, standard=mode) for mode in (False, True)]
        yield f"| `{text}` | {' | '.join(map(_cell, answers))} |"
    yield ""


def _feel(text: str, given: Any, *, standard: bool) -> str:
    def compiler(text: str) -> Any:
        return compile_feel(text, standard=standard)

    return _answer(compiler, text, given, standard=standard)


def _answer(compiler: Any, text: str, given: Any, **mode: bool) -> str:
    try:
        return f"`{json.dumps(compiler(text).evaluate(given, **mode))}`"
    except ExpressionInvalid as refused:
        return f"refused: {refused}"
    except ExpressionFailed as failed:
        return f"incident: {failed}"


def _kit() -> Iterator[str]:
    root = folder()
    if root is None:
        yield (
            kept_decisions() or f"{DECISIONS}\n\nThe public test cases were not there."
        )
        return
    yield DECISIONS
    yield ""
    yield (
        "The public test cases of DMN's compatibility kit, as far as they were there "
        "when this page was written, in the standard mode:"
    )
    yield ""
    yield "| test cases | results as expected | of |"
    yield "| --- | --- | --- |"
    every = list(outcomes(root))
    by_level = Counter(one.level for one in every)
    good = Counter(one.level for one in every if not one.wrong)
    for level, total in sorted(by_level.items()):
        yield f"| **{level.replace('-', ' ')}** | **{good[level]}** | **{total}** |"
    yield from _by_case(every)
    yield ""
    yield "Durations, dates and times keep nanoseconds; what is finer is cut."
    yield ""


def _by_case(every: list[Outcome]) -> Iterator[str]:
    total = Counter(one.case.split()[0] for one in every)
    good = Counter(one.case.split()[0] for one in every if not one.wrong)
    for name, count in sorted(total.items()):
        yield f"| {name} | {good[name]} | {count} |"


def kept_decisions() -> str:
    """The section as it stands, for machines without the test cases."""
    if not PAGE.is_file():
        return ""
    found = PAGE.read_text(encoding="utf-8").partition(DECISIONS)
    return (found[1] + found[2]).rstrip("\n") + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    sys.stdout.write(page().rstrip("\n") + "\n")
