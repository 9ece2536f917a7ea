"""One list of cases, two programs: the server's rules and the tablet's.

``tests/data/form_rules.json`` holds a form, what the process knows and what was posted,
and either what is accepted or which fields are wrong and why. ``{a*201}`` stands for
201 times an a.
"""

from __future__ import annotations

import json
import re
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from mpms.domain.forms import AnswersInvalid, Reading, check_answers, check_schema
from mpms.engine.feel.lenient import value_or_null
from tests.support.rules_program import FRONTEND, built_rules, node

ROOT = FRONTEND.parent
RUN_CASES = """
import { checkForm } from "./rules.mjs";
let given = "";
for await (const chunk of process.stdin) given += chunk;
const said = JSON.parse(given).map(({ fields, answers, variables, today }) =>
  checkForm(fields, answers, variables, today));
console.log(JSON.stringify(said));
"""


def cases() -> list[dict[str, Any]]:
    text = (ROOT / "tests" / "data" / "form_rules.json").read_text(encoding="utf-8")
    spelt_out = re.sub(r"\{a\*(\d+)\}", lambda times: "a" * int(times[1]), text)
    found: list[dict[str, Any]] = json.loads(spelt_out)
    return found


CASES = cases()


def wanted(case: dict[str, Any]) -> dict[str, Any]:
    return {
        "accepted": case.get("accepted"),
        "problems": case.get("problems", {}),
    }


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 120
    assert len({case["name"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_server_keeps_to_the_cases(case: dict[str, Any]) -> None:
    form = {"id": "f", "components": case["components"]}
    today = date.fromisoformat(case["today"]) if "today" in case else None
    assert check_schema(form) == []
    try:
        accepted: Any = check_answers(
            form,
            case["answers"],
            case.get("variables"),
            today=today,
            feel=value_or_null,
        )
        problems = {}
    except AnswersInvalid as wrong:
        accepted = None
        problems = {p.key: p.reason for p in wrong.problems}
        texts = [str(p) for p in wrong.problems]
    else:
        texts = []
    assert not any("{" in text for text in texts)
    assert {"accepted": accepted, "problems": problems} == wanted(case)


def test_the_tablet_keeps_to_the_cases(tmp_path: Path) -> None:
    program = node()
    built_rules(program, tmp_path)
    script = tmp_path / "cases.mjs"
    script.write_text(RUN_CASES, encoding="utf-8")
    given = [
        {
            "fields": Reading({"components": case["components"]}).fields,
            "answers": case["answers"],
            "variables": case.get("variables", {}),
            "today": case.get("today"),
        }
        for case in CASES
    ]
    run = subprocess.run(
        [program, script],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
    )
    differing = []
    for case, said in zip(CASES, json.loads(run.stdout), strict=True):
        problems = {p["key"]: p["reason"] for p in said["problems"]}
        accepted = None if problems else said["accepted"]
        if {"accepted": accepted, "problems": problems} != wanted(case):
            differing.append((case["name"], said))
    assert differing == []
