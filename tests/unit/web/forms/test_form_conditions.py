"""Conditions of forms have one meaning: in FEEL, on the server and on the tablet.

``tests/data/form_conditions.json`` holds expressions, what they may refer to and their
value. Three programs run it; beyond it, random expressions have to agree.
"""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mpms.domain.forms.conditions import Names, parse
from mpms.engine.feel.lenient import value_or_null
from tests.support.rules_program import FRONTEND, built_rules, node

ROOT = FRONTEND.parent
CASES: list[dict[str, Any]] = json.loads(
    (ROOT / "tests" / "data" / "form_conditions.json").read_text(encoding="utf-8")
)
NAMES: dict[str, Any] = {
    "n": 5,
    "half": 0.5,
    "s": "abc",
    "b": True,
    "f": False,
    "e": "",
    "o": {"p": {"q": 1}, "r": None},
    "l": ["a", 2, None],
    "rows": [{"kg": 1}, {"kg": 2.5}, {}],
    "nul": None,
}
RUN = """
import { evaluate } from "./rules.mjs";
let given = "";
for await (const chunk of process.stdin) given += chunk;
const found = JSON.parse(given).map(([tree, names]) => evaluate(tree, names));
console.log(JSON.stringify(found));
"""


def on_the_server(expression: str, names: dict[str, Any]) -> Any:
    return Names(names, value_or_null).value_of(parse(expression))


def on_the_tablet(asked: list[tuple[str, dict[str, Any]]], folder: Path) -> list[Any]:
    program = node()
    built_rules(program, folder)
    script = folder / "conditions.mjs"
    script.write_text(RUN, encoding="utf-8")
    given = [[parse(expression), names] for expression, names in asked]
    run = subprocess.run(
        [program, script],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[Any] = json.loads(run.stdout)
    return found


def names_of(case: dict[str, Any]) -> dict[str, Any]:
    return {**NAMES, **case.get("names", {})}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["expression"])
def test_feel_and_the_server_have_the_value_of_the_table(case: dict[str, Any]) -> None:
    names = names_of(case)
    for found in (
        value_or_null(case["expression"], names),
        on_the_server(case["expression"], names),
    ):
        assert (found, type(found) is bool) == (
            case["value"],
            type(case["value"]) is bool,
        )


def test_the_tablet_has_the_value_of_the_table_and_of_random_expressions(
    tmp_path: Path,
) -> None:
    source = random.Random(15)
    asked = [(case["expression"], names_of(case)) for case in CASES]
    asked += [(random_expression(source, 3), NAMES) for _ in range(1000)]
    wanted = [case["value"] for case in CASES]
    wanted += [value_or_null(text, names) for text, names in asked[len(CASES) :]]
    assert len(set(map(json.dumps, wanted))) > 5
    found = on_the_tablet(asked, tmp_path)
    differing = [
        (text, here, there, on_the_server(text, names))
        for (text, names), here, there in zip(asked, wanted, found, strict=True)
        if json.dumps(here) != json.dumps(there)
        or json.dumps(on_the_server(text, names)) != json.dumps(here)
    ]
    assert differing == []


def random_expression(source: random.Random, depth: int) -> str:
    kind = source.choice(["value", "sign", "word", "call"]) if depth else "value"
    parts = [random_expression(source, depth - 1) for _ in range(2)] if depth else []
    if kind == "sign":
        sign = source.choice(["=", "!=", "<", "<=", ">", ">="])
        return f"({parts[0]}) {sign} ({parts[1]})"
    if kind == "word":
        return f"({parts[0]} {source.choice(['and', 'or'])} {parts[1]})"
    if kind == "call":
        name = source.choice(["not", "count", "contains", "list contains"])
        given = ", ".join(parts) if "contains" in name else parts[0]
        return f"{name}({given})"
    return source.choice(
        [
            *("n", "half", "s", "b", "f", "e", "o.p.q", "o.r", "l", "rows.kg", "nul"),
            *("missing", "missing.part", "s.part", "5", "0.50", "-1", '"abc"', '"b"'),
            *("true", "false", "null", "rows", "o", "l.x"),
        ]
    )
