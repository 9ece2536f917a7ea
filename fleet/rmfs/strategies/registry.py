"""All strategies by problem and name, ours and those that other packages bring."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, get_type_hints

from fleet.rmfs.errors import RmfsRefused, StrategyUnknown
from fleet.rmfs.strategies import integrated, management, poa, pps, psa, roa, rps, ta
from fleet.rmfs.strategies.base import CALLED_ON, PROBLEMS, Strategy

DEFAULTS = {
    "roa": "SamePod",
    "poa": "PodMatch",
    "rps": "Emptiest",
    "pps": "Default",
    "psa": "Nearest",
    "ta": "Balanced",
    "pp": "FAR",
    "sa": "ActivateAll",
    "mm": "NoChange",
}
SAME = {"whca": "WHCA", "whcav": "WHCA", "whcan": "WHCA"}
"""Names that planners have elsewhere."""
OPTIMAL = ("cbs", "bcp", "pas", "odid")
TOO_SLOW = (
    "That planner searches for shortest paths of all robots together, which takes too "
    "long for so many. Use pp=LaCAM or pp=WHCA"
)
OURS: tuple[type[Strategy], ...] = (
    *roa.STRATEGIES,
    *poa.STRATEGIES,
    *integrated.STRATEGIES,
    *rps.STRATEGIES,
    *pps.STRATEGIES,
    *psa.STRATEGIES,
    *ta.STRATEGIES,
    *management.STRATEGIES,
)


@dataclass(frozen=True)
class Choice:
    """A strategy by name, with the parameters that differ from its defaults."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


class Registry:
    """Which strategies there are."""

    def __init__(self, more: Iterable[type[Strategy]] = ()) -> None:
        self._known: dict[str, dict[str, type[Strategy]]] = {p: {} for p in PROBLEMS}
        for each in (*OURS, *more):
            self.add(each)

    def add(self, strategy: type[Strategy]) -> None:
        """RmfsRefused if its name is taken or its problem does not exist."""
        if strategy.problem not in self._known:
            listed = ", ".join(PROBLEMS)
            raise RmfsRefused(
                f"{strategy.__name__} decides {strategy.problem!r}; there are {listed}"
            )
        names = self._known[strategy.problem]
        if strategy.name in names:
            raise RmfsRefused(
                f"{strategy.problem} has two strategies named {strategy.name}"
            )
        names[strategy.name] = strategy

    def names(self, problem: str) -> list[str]:
        return list(self._known[problem])

    def find(self, problem: str, name: str) -> type[Strategy]:
        """StrategyUnknown, with the list of those that exist."""
        if problem not in self._known:
            raise StrategyUnknown("no decision", problem, self._known)
        names = self._known[problem]
        if name not in names:
            raise StrategyUnknown(problem, name, names, self._advice(problem, name))
        return names[name]

    def _advice(self, problem: str, name: str) -> str:
        """Which strategy to use instead, where a name is meant that is known."""
        for known in self._known[problem]:
            if problem == "pp" and known.casefold() == name.casefold():
                return f"Write pp={known}"
        wanted = name.casefold().replace("*", "").replace("&", "")
        if problem == "pp" and wanted in SAME:
            return f"Write pp={SAME[wanted]}"
        return TOO_SLOW if problem == "pp" and wanted in OPTIMAL else ""

    def make(self, problem: str, choice: Choice, chance: random.Random) -> Any:
        """RmfsRefused, with every reason, if its parameters do not fit."""
        strategy = self.find(problem, choice.name)
        return strategy(self.parameters(problem, choice), chance)

    def parameters(self, problem: str, choice: Choice) -> Any:
        strategy = self.find(problem, choice.name)
        hints = get_type_hints(strategy.Parameters)
        wrong, given = [], {}
        for name, value in choice.parameters.items():
            if name not in hints:
                listed = ", ".join(hints) or "none"
                wrong.append(
                    f"{problem} {choice.name} has no parameter {name!r}; "
                    f"there are {listed}"
                )
                continue
            fitted = fit(value, hints[name])
            if fitted is None:
                wrong.append(
                    f"{problem} {choice.name}: {name} is {value!r}, "
                    f"which is no {WORDS[hints[name]]}"
                )
            else:
                given[name] = fitted
        if not wrong:
            found = strategy.Parameters(**given)
            wrong = [f"{problem} {choice.name}: {each}" for each in misfits(found)]
        if wrong:
            raise RmfsRefused(*wrong)
        return found

    def schedule(self, choices: Mapping[str, Choice], duration_s: float) -> None:
        """RmfsRefused if what is to be exchanged during a run does not exist."""
        choice = choices.get("mm", Choice(DEFAULTS["mm"]))
        manager = self.make("mm", choice, random.Random(0))  # noqa: S311
        for _, problem, name in manager.changes(duration_s):
            if name != "?":
                self.find(problem, name)

    def listed(self) -> dict[str, Any]:
        """Every problem, its strategies and their parameters with defaults."""
        return {
            problem: {
                "decides": PROBLEMS[problem],
                "called_on": list(CALLED_ON[problem]),
                "default": DEFAULTS[problem],
                "strategies": {
                    name: {
                        "about": " ".join((each.__doc__ or "").split()),
                        "parameters": _described(each.Parameters),
                    }
                    for name, each in strategies.items()
                },
            }
            for problem, strategies in self._known.items()
        }


WORDS: dict[Any, str] = {
    float: "number",
    int: "whole number",
    bool: "true or false",
    str: "text",
}


def fit(value: Any, kind: Any) -> Any:
    """A value of a file or of a command line as the type of a parameter, or None."""
    if kind is bool:
        words = {"true": True, "false": False}
        return value if isinstance(value, bool) else words.get(str(value).lower())
    if kind is str:
        return str(value)
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    if not math.isfinite(number):
        return None
    if kind is int:
        return int(number) if number.is_integer() else None
    return number


def misfits(parameters: Any) -> list[str]:
    """Values that no run could end with: times that stand still, shares above all.

    What else a strategy cannot use, its ``mistakes`` say.
    """
    wrong = []
    for each in fields(parameters):
        value = getattr(parameters, each.name)
        if isinstance(value, str | bool):
            continue
        if each.name.endswith("_s"):
            least = 0.0 if each.default == 0.0 else None
            if value < 0.0 or (value == 0.0 and least is None):
                bound = "0 or more" if least == 0.0 else "more than 0"
                wrong.append(f"{each.name} is {bound}, not {value:g}")
        elif each.name.endswith("_share") and not 0.0 <= value <= 1.0:
            wrong.append(f"{each.name} is a share from 0 to 1, not {value:g}")
    more = getattr(parameters, "mistakes", None)
    return wrong if more is None else [*wrong, *more()]


def _described(parameters: Any) -> dict[str, Any]:
    hints = get_type_hints(parameters)
    return {
        each.name: {
            "type": WORDS[hints[each.name]],
            "default": None if each.default is MISSING else each.default,
        }
        for each in fields(parameters)
    }
