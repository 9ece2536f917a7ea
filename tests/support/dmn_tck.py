"""The public test cases of DMN's compatibility kit, read where a path leads to them.

They are not part of this repository. ``python -m tests.support.dmn_tck PATH`` prints
how many results come out as expected, by level; ``--failed`` also which do not.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from lxml import etree

from mpms.domain.errors import MpmsError
from mpms.engine.decisions.reading import DecisionFile, read_file
from mpms.engine.expressions.faults import Fault
from mpms.engine.feel.temporal import (
    parse_date,
    parse_date_time,
    parse_duration,
    parse_time,
)
from mpms.engine.feel.values import Range

HERE = Path(__file__).parents[2]
DEFAULT = HERE.parent / "shared" / "data" / "dmn-tck"
VARIABLE = "DMN_TCK"  # a path to the kit, or to a part of it
CLOSE = Decimal("1e-8")

_SPACE = "{http://www.omg.org/spec/DMN/20160719/testcase}"
_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"


@dataclass(frozen=True)
class Outcome:
    """One expected result of one case, and what came out instead, if it did."""

    level: str
    case: str
    wrong: str = ""


def folder() -> Path | None:
    """Where the cases are; None: not on this machine."""
    path = Path(os.environ.get(VARIABLE) or DEFAULT)
    return path if path.is_dir() else None


def outcomes(root: Path) -> Iterator[Outcome]:
    for cases in sorted(root.rglob("*.xml")):
        tree = etree.parse(cases).getroot()
        if tree.tag != f"{_SPACE}testCases":
            continue
        model = cases.parent / (tree.findtext(f"{_SPACE}modelName") or "").strip()
        level = next((p for p in cases.parts if p.startswith("compliance-level")), "")
        yield from _outcomes(tree, model, level)


def _outcomes(tree: Any, model: Path, level: str) -> Iterator[Outcome]:
    imports = [p.read_bytes() for p in sorted(model.parent.glob("*.dmn"))]
    try:
        file: DecisionFile | None = read_file(
            model.read_bytes(), imports=imports, standard=True
        )
        why = ""
    except (MpmsError, OSError) as refused:
        file, why = None, str(refused)
    for case in tree.iter(f"{_SPACE}testCase"):
        given = {
            node.get("name") or "": _value(node)
            for node in case.iterchildren(f"{_SPACE}inputNode")
        }
        invoked = case.get("invocableName")
        for node in case.iterchildren(f"{_SPACE}resultNode"):
            name = invoked or node.get("name") or ""
            told = f"{model.stem} {case.get('id')} {name}"
            wrong = why if file is None else _wrong(file, name, given, node)
            yield Outcome(level, told, wrong)


def _wrong(file: DecisionFile, name: str, given: dict[str, Any], node: Any) -> str:
    expected = _value(node.find(f"{_SPACE}expected"))
    may_fail = node.get("errorResult") == "true"
    try:
        found = file.value_of(name, given, now=datetime.now(UTC))
    except MpmsError as failure:
        return "" if may_fail and expected is None else f"error: {failure}"
    same = alike(expected, found)
    return "" if same else f"expected {expected!r}, found {found!r}"


def alike(expected: Any, found: Any) -> bool:
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, Decimal) and isinstance(found, Decimal | int | float):
        return abs(expected - Decimal(str(found))) <= CLOSE
    if isinstance(expected, list):
        return (
            isinstance(found, list)
            and len(expected) == len(found)
            and all(map(alike, expected, found))
        )
    if isinstance(expected, dict):
        return (
            isinstance(found, dict)
            and expected.keys() == found.keys()
            and all(alike(expected[key], found[key]) for key in expected)
        )
    if isinstance(found, Range):
        return False
    if isinstance(expected, datetime | date | time | timedelta):
        zones = [getattr(one, "tzinfo", None) is None for one in (expected, found)]
        same = type(expected) is type(found) and bool(expected == found)
        return same and zones[0] == zones[1]
    return bool(type(expected) is type(found) and expected == found)


def _value(node: Any) -> Any:
    """A value as FEEL has it: plain, a list, or components."""
    if node is None:
        return None
    listed = node.find(f"{_SPACE}list")
    if listed is not None:
        if listed.get(_NIL) == "true":
            return None
        return [_value(item) for item in listed.iterchildren(f"{_SPACE}item")]
    parts = list(node.iterchildren(f"{_SPACE}component"))
    if parts:
        return {part.get("name") or "": _value(part) for part in parts}
    plain = node.find(f"{_SPACE}value")
    if plain is None or plain.get(_NIL) == "true":
        return None
    return _plain((plain.get(_TYPE) or "").rpartition(":")[2], plain.text or "")


def _plain(kind: str, text: str) -> Any:
    if kind in ("string", "anySimpleType", ""):
        return text
    text = text.strip()
    try:
        return _read(kind, text)
    except Fault:
        return f"a {kind} that is not known here: {text}"


def _read(kind: str, text: str) -> Any:
    match kind:
        case "boolean":
            return text in ("true", "1")
        case "date":
            return parse_date(text)
        case "dateTime":
            return parse_date_time(text)
        case "time":
            return parse_time(text)
        case "duration":
            return parse_duration(text)
    return Decimal(text)


def counted(found: list[Outcome]) -> dict[str, dict[str, int]]:
    total, passed = Counter[str](), Counter[str]()
    for one in found:
        total[one.level] += 1
        passed[one.level] += not one.wrong
    return {
        level: {"passed": passed[level], "of": total[level]} for level in sorted(total)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, default=folder())
    parser.add_argument("--failed", action="store_true")
    asked = parser.parse_args()
    if asked.path is None:
        raise SystemExit(f"The test cases are not here; set {VARIABLE} to their path.")
    found = list(outcomes(asked.path))
    if asked.failed:
        for one in found:
            if one.wrong:
                print(f"{one.case}: {one.wrong}")
    print(json.dumps(counted(found)))


if __name__ == "__main__":
    main()
