"""What is typed to ask for an experiment, read into the words of a sweep's file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, get_type_hints

from werkzeug.datastructures import MultiDict

from mpms.factory.domain.experiments import MOST_TEXT, Question
from mpms.web.texts import t

Given = MultiDict[str, str]
DROP_AFTER = 3
FOUND_WITH = ("1-2-2-8-428", "default", "default")


def listed(text: str) -> list[str]:
    """``6, 8, 10`` as three values."""
    return [part.strip() for part in text.split(",") if part.strip()]


def number(text: str, usual: float) -> float:
    """What cannot be read is not a number, and refused as such."""
    text = text.strip().replace(",", ".")
    try:
        return float(text) if text else usual
    except ValueError:
        return float("nan")


def read_plan(
    given: Given, parts: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """The plan, and what is wrong with what was typed."""
    wrong: list[str] = []
    fixed: list[str] = []
    vary: dict[str, list[str]] = {}
    for problem, facts in parts["decisions"].items():
        _read_decision(problem, facts, given, fixed, vary, wrong)
    for field in (*parts["layout"], *parts["scenario"]):
        name = field["name"]
        values = listed(given.get(f"set.{name}", "")[:MOST_TEXT])
        if len(values) == 1:
            fixed.append(f"{name}={values[0]}")
        elif values:
            vary[name] = values
    hours, seeds = (
        number(given.get("hours", ""), 4.0),
        number(given.get("seeds", ""), 3),
    )
    if hours != hours:
        wrong.append(t("The hours of a run are a number."))
    if seeds != seeds or seeds != int(seeds):
        wrong.append(t("How often each case runs is a whole number."))
    plan: dict[str, Any] = {
        **{
            part: given.get(part, "").strip() or usual
            for part, usual in zip(
                ("layout", "scenario", "controllers"), FOUND_WITH, strict=True
            )
        },
        "hours": hours,
        "seeds": 0 if seeds != seeds else int(seeds),
        "set": fixed,
        "vary": vary,
        "measure": given.get("measure") or "score",
    }
    if plan["measure"] not in parts["measures"]:
        wrong.append(t("Cases are compared by one of the measures of the list."))
    if given.get("drop"):
        plan["drop_losers_after"] = DROP_AFTER
    return plan, wrong


def _read_decision(
    problem: str,
    facts: Mapping[str, Any],
    given: Given,
    fixed: list[str],
    vary: dict[str, list[str]],
    wrong: list[str],
) -> None:
    chosen = [n for n in given.getlist(f"strategy.{problem}") if n]
    values = {
        (name, parameter): given.get(f"par.{problem}.{name}.{parameter}", "").strip()
        for name, each in facts["strategies"].items()
        for parameter in each["parameters"]
    }
    typed = {key: value for key, value in values.items() if value}
    odd = sorted(
        {name for name, _ in typed} - set(chosen[:1] if len(chosen) == 1 else [])
    )
    if odd:
        wrong.append(
            t(
                "{decision}: parameters of {strategies} count only where it alone is"
                " chosen.",
                decision=problem.upper(),
                strategies=", ".join(odd),
            )
        )
    if len(chosen) == 1:
        fixed.append(f"{problem}={chosen[0]}")
        fixed += [f"{problem}.{parameter}={v}" for (_, parameter), v in typed.items()]
    elif chosen:
        vary[problem] = chosen


def read_question(given: Given) -> tuple[Question, list[str]]:
    """The question, and what is no number of it."""
    values: dict[str, Any] = {}
    wrong: list[str] = []
    hints = get_type_hints(Question)
    for field in dataclasses.fields(Question):
        usual = 0.0 if field.default is dataclasses.MISSING else float(field.default)
        value = number(given.get(field.name, ""), usual)
        whole = hints[field.name] is int
        if value != value or (whole and value != int(value)):
            label = field.name.replace("_", " ")
            wrong.append(t("{field} is no number that fits.", field=label))
            value = usual
        values[field.name] = int(value) if whole else value
    return Question(**values), wrong


def kept(given: Given, names: Sequence[str]) -> dict[str, str]:
    return {name: given.get(name, "") for name in names}
