"""Everything that an experiment may be given: what a form is made from."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_type_hints

from fleet.rmfs.layout import LayoutParameters
from fleet.rmfs.strategies.registry import WORDS
from shopfloor.experiments.rmfs.comparing import MEASURES
from shopfloor.experiments.rmfs.files import NESTED, bare_kind, presets
from shopfloor.experiments.rmfs.running import registry
from shopfloor.experiments.rmfs.scenario import MODES, POPULARITIES, Scenario

CHOICES = {"mode": list(MODES), "kind": list(POPULARITIES)}
NOT_HERE = ("name",)


def parts() -> dict[str, Any]:
    """Names that come along, strategies, and the fields of layouts and scenarios."""
    return {
        "layouts": presets("layouts"),
        "scenarios": presets("scenarios"),
        "controllers": presets("controllers"),
        "decisions": registry().listed(),
        "layout": _fields(LayoutParameters()),
        "scenario": _fields(Scenario()),
        "measures": list(MEASURES),
    }


def _fields(default: Any) -> list[dict[str, Any]]:
    """Those that one value sets, in the order of the class."""
    hints = get_type_hints(type(default))
    found = []
    for each in fields(default):
        kind = bare_kind(hints[each.name])
        if each.name in NESTED:
            for inner in _fields(getattr(default, each.name)):
                found.append({**inner, "name": f"{each.name}.{inner['name']}"})
        elif kind in WORDS and each.name not in NOT_HERE:
            value = getattr(default, each.name)
            entry = {"name": each.name, "type": WORDS[kind], "default": value}
            if each.name in CHOICES:
                entry["choices"] = CHOICES[each.name]
            found.append(entry)
    return found
