"""Layouts, scenarios and controllers from files or by name; every mistake at once."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

from fleet.model.fields import Entry, Mistakes, parse
from fleet.rmfs.errors import RmfsRefused, StrategyUnknown
from fleet.rmfs.floor import Floor
from fleet.rmfs.layout import LayoutParameters, generate, mistakes
from fleet.rmfs.layout_names import layout_of_name
from fleet.rmfs.strategies.base import PROBLEMS
from fleet.rmfs.strategies.registry import WORDS, Choice, Registry, fit
from shopfloor.experiments.rmfs.drawn_layouts import draw
from shopfloor.experiments.rmfs.order_lists import read_orders
from shopfloor.experiments.rmfs.scenario import (
    MODES,
    POPULARITIES,
    Outage,
    Popularity,
    Scenario,
)

NESTED = ("popularity", "lines", "units")
KINDS = ("layouts", "scenarios", "controllers")
Choices = dict[str, Choice]
UNITS = ("_mps2", "_mps", "_kmh", "_km", "_mm", "_cm", "_m", "_min", "_ms", "_s", "_h")


def shelves() -> list[Path]:
    here = Path(__file__).resolve().parents[3]
    found = (
        Path("worlds/rmfs"),
        here / "worlds" / "rmfs",
        here / "mpms" / "_assets" / "worlds" / "rmfs",
    )
    return [shelf for shelf in found if shelf.is_dir()]


def presets(kind: str) -> list[str]:
    """Names that come with the product."""
    return sorted(
        {f.stem for shelf in shelves() for f in (shelf / kind).glob("*.yaml")}
    )


def find(kind: str, name: str) -> Path:
    """A file if there is one, otherwise a preset. RmfsRefused, with those there are."""
    given = Path(name)
    if given.is_file():
        return given
    for shelf in shelves():
        if (shelf / kind / f"{name}.yaml").is_file():
            return shelf / kind / f"{name}.yaml"
    listed = ", ".join(presets(kind))
    pattern = ", or a name like 1-2-2-8-428" if kind == "layouts" else ""
    raise RmfsRefused(f"there is no {kind[:-1]} {name!r}; there are {listed}{pattern}")


def read_layout(name: str) -> tuple[LayoutParameters, Floor | None]:
    """Parameters, and the floor where a file draws it cell by cell."""
    known = layout_of_name(name)
    if known is not None and not Path(name).is_file():
        return known, None
    file, top, wrong = _open("layouts", name)
    base = LayoutParameters()
    if top is None:
        _refuse(wrong)
        raise AssertionError
    like = top.get("like")
    if like is not None:
        found = layout_of_name(like.as_text())
        if found is None:
            like.wrong("is no name like 1-2-2-8-428")
        base = found or base
    drawn = top.get("drawing") is not None
    parts = ("drawing", "stations", "elevators_drawn", "ways")
    given = _fields(base, top, skip=("like", "name", *parts))
    floor = None
    if drawn:
        floor = draw(top, given, wrong)
    else:
        top.skip("name")
        _tell(wrong, file, top, mistakes(given))
    top.finish()
    _explain_units(top, LayoutParameters, wrong)
    _refuse(wrong)
    return given, floor


def floor_of(given: LayoutParameters, floor: Floor | None) -> Floor:
    return generate(given) if floor is None else floor


def read_scenario(name: str) -> Scenario:
    file, top, wrong = _open("scenarios", name)
    scenario = Scenario(name=Path(name).stem)
    if top is None:
        if wrong.found:
            _refuse(wrong)
        return scenario
    scenario = _read_scenario(Path(file), scenario, top)
    _tell(wrong, file, top, scenario_mistakes(scenario))
    top.finish()
    _explain_units(top, Scenario, wrong)
    _refuse(wrong)
    return scenario


def _read_scenario(file: Path, scenario: Scenario, top: Entry) -> Scenario:
    skip = (*NESTED, "duration_h", "orders_file", "outages", "file_orders", "name")
    scenario = _fields(scenario, top, skip=skip)
    hours = top.get("duration_h")
    if hours is not None:
        seconds = 3600.0 * hours.as_number(above=0.0)
        scenario = dataclasses.replace(scenario, duration_s=seconds)
    for key in NESTED:
        entry = top.get(key)
        if entry is not None:
            part = _fields(getattr(scenario, key), entry)
            entry.finish()
            scenario = dataclasses.replace(scenario, **{key: part})
    listed = top.get("orders_file")
    if listed is not None:
        orders = read_orders(file.parent / listed.as_text(), scenario.skus, listed)
        scenario = dataclasses.replace(scenario, file_orders=orders)
    entry = top.get("outages")
    if entry is not None:
        outages = []
        for each in entry.items():
            start = each.number("at_s", least=0.0)
            outage = Outage(
                at_s=start,
                until_s=each.number("until_s", 1e12, above=start),
                robot=int(each.number("robot", -1.0)),
                station=int(each.number("station", -1.0)),
                told_at=f"{file}:{each.line}",
            )
            if (outage.robot < 0) == (outage.station < 0):
                each.wrong("names either a robot or a station")
            each.finish()
            outages.append(outage)
        scenario = dataclasses.replace(scenario, outages=tuple(outages))
    return scenario


def scenario_mistakes(given: Scenario) -> list[str]:
    """Every value that makes no sense, in a sentence that begins with its key."""
    wrong = []
    if given.mode not in MODES:
        wrong.append(f"mode is {given.mode!r}; there are {', '.join(MODES)}")
    kind = given.popularity.kind
    if kind not in POPULARITIES:
        listed = ", ".join(POPULARITIES)
        wrong.append(f"popularity kind is {kind!r}; there are {listed}")
    wrong += popularity_mistakes(given.popularity)
    for name in ("lines", "units"):
        part = getattr(given, name)
        if not 1 <= part.least <= part.most <= 8:
            wrong.append(f"{name} goes from 1 or more to 8 or less")
        elif (
            part.sd < 0
            or not (part.least - 3 * part.sd - 1 <= part.mean)
            or part.mean > part.most + 3 * part.sd + 1
        ):
            wrong.append(f"{name} cannot be drawn: mean {part.mean:g}, sd {part.sd:g}")
    for name in ("duration_s", "skus", "space_least", "delay_s"):
        if not getattr(given, name) > 0:
            wrong.append(f"{name} is more than 0")
    if given.space_most < given.space_least:
        wrong.append("space_most is less than space_least")
    if not 1 <= given.bundle_least <= given.bundle_most:
        wrong.append("bundle_least is 1 or more and at most bundle_most")
    for name in (
        "return_share",
        "initial_inventory",
        "bundle_stop",
        "bundle_restart",
        "order_stop",
        "order_restart",
        "priority_share",
    ):
        value = getattr(given, name)
        if not 0.0 <= value <= 1.0:
            wrong.append(f"{name} is a share from 0 to 1, not {value:g}")
    if given.bundle_restart > given.bundle_stop:
        wrong.append("bundle_restart is above bundle_stop")
    if given.order_restart < given.order_stop:
        wrong.append("order_restart is below order_stop")
    for name in (
        "orders",
        "bundles",
        "orders_per_h",
        "bundles_per_h",
        "high_orders_per_h",
        "high_bundles_per_h",
        "batch_every_s",
        "batch_orders",
        "batch_bundles",
        "priority_due_s",
        "due_s",
        "delays_per_robot_h",
    ):
        if getattr(given, name) < 0:
            wrong.append(f"{name} is 0 or more")
    if given.batch_every_s == 0 and (given.batch_orders or given.batch_bundles):
        wrong.append("batch_every_s is 0, so no batch would ever come")
    if given.mode == "file" and not given.file_orders:
        wrong.append("mode is file, but there is no orders_file")
    return wrong


def popularity_mistakes(given: Popularity) -> list[str]:
    """What could not be drawn, or only after ages."""
    wrong = []
    if given.most < given.least:
        wrong.append("popularity: most is less than least")
    if given.kind == "constant" and not given.mean > 0.0:
        wrong.append(f"popularity: mean is more than 0, not {given.mean:g}")
    if given.kind == "uniform" and not (given.least >= 0.0 and given.most > 0.0):
        wrong.append("popularity: least is 0 or more, and most more than 0")
    if given.kind == "normal" and not given.least <= given.mean + 3.0 * given.sd:
        wrong.append("popularity: least is more than three sd above mean")
    if given.kind == "normal" and not (given.sd >= 0.0 and given.least > 0.0):
        wrong.append("popularity: sd is 0 or more, and least more than 0")
    if given.kind == "gamma":
        if not (given.shape > 0.0 and given.scale > 0.0):
            wrong.append("popularity: shape and scale are more than 0")
        elif given.least > 10.0 * given.scale * max(1.0, given.shape):
            wrong.append("popularity: least is far above what shape and scale give")
    return wrong


def misfits(
    layout: LayoutParameters, floor: Floor, scenario: Scenario
) -> list[tuple[str, str, str]]:
    """What only shows when layout and scenario meet: kind of file, key, sentence."""
    wrong = []
    places = len(floor.places)
    if layout.pods is not None and layout.pods >= places:
        told = f"{layout.pods} pods need more than the {places} storage places"
        wrong.append(("layouts", "pods", told))
    if layout.pods is not None and layout.pods < 1:
        wrong.append(("layouts", "pods", f"pods is 1 or more, not {layout.pods}"))
    if layout.robots > places:
        told = f"{layout.robots} robots find no place to start from: there are {places}"
        wrong.append(("layouts", "robots", told))
    least = scenario.bundle_least * scenario.space_least
    if scenario.initial_inventory > 0.0 and least > layout.pod_capacity:
        told = (
            f"the inventory cannot be filled to {scenario.initial_inventory:.0%}: "
            f"pods hold {layout.pod_capacity:g}, the least bundle takes {least:g}"
        )
        wrong.append(("scenarios", "initial_inventory", told))
    stations = len(floor.stations)
    for outage in scenario.outages:
        prefix = f"{outage.told_at}: " if outage.told_at else ""
        for what, number, count in (
            ("robot", outage.robot, layout.robots),
            ("station", outage.station, stations),
        ):
            if number >= count:
                told = f"there is no {what} {number}; there are 0 to {count - 1}"
                wrong.append(("", "", prefix + told))
    return wrong


def line_of(kind: str, name: str, key: str) -> str:
    """``file:line: `` of a key, where a file has it; otherwise nothing."""
    try:
        file, top, _ = _open(kind, name)
    except RmfsRefused:
        return ""
    if top is None:
        return ""
    lines = [entry.line for each, entry in top.pairs() if each == key]
    return f"{file}:{lines[0]}: " if lines else ""


def read_controllers(name: str, registry: Registry) -> Choices:
    """A strategy for each problem that the file names."""
    file, top, wrong = _open("controllers", name)
    choices: Choices = {}
    if top is None:
        if wrong.found:
            _refuse(wrong)
        return choices
    top.skip("name")
    for problem, entry in top.pairs():
        if problem == "name":
            continue
        if problem not in PROBLEMS:
            entry.wrong(f"is no decision; there are {', '.join(PROBLEMS)}")
            continue
        choice = _choice(entry)
        if choice is None:
            continue
        try:
            registry.parameters(problem, choice)
        except RmfsRefused as refused:
            for line in refused.lines:
                wrong.add(file, entry.line, line)
            continue
        choices[problem] = choice
    _refuse(wrong)
    return choices


def _choice(entry: Entry) -> Choice | None:
    pairs = {} if _is_text(entry) else dict(entry.pairs())
    if not pairs:
        return Choice(entry.as_text()) if _is_text(entry) else None
    if "strategy" not in pairs:
        entry.wrong("lacks strategy")
        return None
    name = pairs.pop("strategy").as_text()
    return Choice(name, {key: each.as_text() for key, each in pairs.items()})


def _is_text(entry: Entry) -> bool:
    return not entry.is_mapping()


def apply_settings(
    settings: Iterable[str],
    layout: LayoutParameters,
    scenario: Scenario,
    choices: Mapping[str, Choice],
    registry: Registry,
    *,
    drawn: bool = False,
) -> tuple[LayoutParameters, Scenario, Choices]:
    """``--set``: a strategy, a parameter of one, or a value of layout or scenario."""
    found, wrong = dict(choices), []
    layout_fields = get_type_hints(LayoutParameters)
    scenario_fields = get_type_hints(Scenario)
    for setting in settings:
        key, equals, value = (part.strip() for part in setting.partition("="))
        problem, dot, parameter = key.partition(".")
        if not equals or not value:
            wrong.append(f"--set {setting!r} is not like poa=PodMatch")
        elif dot and problem in PROBLEMS:
            old = found.get(problem)
            name = old.name if old else _default(problem)
            more = {**(old.parameters if old else {}), parameter: value}
            found[problem] = Choice(name, more)
        elif key in PROBLEMS:
            found[key] = Choice(value)
        elif dot and problem in NESTED:
            part = getattr(scenario, problem)
            hints = get_type_hints(type(part))
            if parameter not in hints:
                listed = ", ".join(hints)
                wrong.append(
                    f"--set {problem} has no {parameter!r}; there are {listed}"
                )
                continue
            fitted = fit(value, hints[parameter])
            if fitted is None:
                wrong.append(f"--set {key}: {value!r} is no {WORDS[hints[parameter]]}")
            else:
                part = dataclasses.replace(part, **{parameter: fitted})
                scenario = dataclasses.replace(scenario, **{problem: part})
        elif key in layout_fields:
            fitted = fit(value, bare_kind(layout_fields[key]))
            if fitted is None:
                wrong.append(f"--set {key}: {value!r} is no number")
            elif drawn and key in ("tiers", "block_length", "hall_width"):
                wrong.append(f"--set {key} changes nothing in a drawn layout")
            else:
                layout = dataclasses.replace(layout, **{key: fitted})
        elif key in scenario_fields and bare_kind(scenario_fields[key]) in (
            int,
            float,
            str,
        ):
            fitted = fit(value, bare_kind(scenario_fields[key]))
            if fitted is None:
                wrong.append(f"--set {key}: {value!r} is no number")
            else:
                scenario = dataclasses.replace(scenario, **{key: fitted})
        else:
            known = [*PROBLEMS, *layout_fields, *scenario_fields]
            near = difflib.get_close_matches(key, known, 1)
            hint = f"; did you mean {near[0]}" if near else ""
            listed = ", ".join(["robots", *PROBLEMS])
            wrong.append(f"--set has no {key!r}{hint} (most used: {listed})")
    for problem, choice in found.items():
        try:
            registry.parameters(problem, choice)
        except (RmfsRefused, StrategyUnknown) as refused:
            wrong += refused.lines
    if not drawn:
        wrong += [reason for reason in mistakes(layout) if reason not in wrong]
    elif layout.robots < 1:
        wrong.append(f"robots is 1 or more, not {layout.robots}")
    wrong += scenario_mistakes(scenario)
    if wrong:
        raise RmfsRefused(*wrong)
    return layout, scenario, found


def _default(problem: str) -> str:
    from fleet.rmfs.strategies.registry import DEFAULTS

    return DEFAULTS[problem]


def _open(kind: str, name: str) -> tuple[str, Entry | None, Mistakes]:
    path = find(kind, name)
    wrong = Mistakes()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RmfsRefused(f"{path} cannot be read: {error}") from None
    return str(path), parse(str(path), text, wrong), wrong


def _refuse(wrong: Mistakes) -> None:
    if wrong.found:
        raise RmfsRefused(*wrong.lines())


def bare_kind(hint: Any) -> Any:
    """``int`` of ``int | None``."""
    inner = [each for each in get_args(hint) if each is not type(None)]
    return inner[0] if inner and len(inner) == 1 else hint


def _fields(base: Any, top: Entry, skip: tuple[str, ...] = ()) -> Any:
    """A copy of a dataclass with what a mapping says."""
    changed: dict[str, Any] = {}
    top.skip(*skip)
    for name, hint in get_type_hints(type(base)).items():
        entry = None if name in skip else top.get(name)
        if entry is None:
            continue
        kind = bare_kind(hint)
        if kind is str:
            changed[name] = entry.as_text()
        elif kind in (int, float):
            value = entry.as_number()
            if kind is int and not value.is_integer():
                entry.wrong(f"is {value:g} and must be a whole number")
            changed[name] = kind(value)
        else:
            entry.wrong("cannot be given here")
    return dataclasses.replace(base, **changed)


def _tell(wrong: Mistakes, file: str, top: Entry, reasons: Iterable[str]) -> None:
    """What is wrong with values, where nothing else is said of that line."""
    told = {each.line for each in wrong.found}
    for reason in reasons:
        line = _line_of(top, reason)
        if line not in told or line == top.line:
            wrong.add(file, line, reason)


def _line_of(top: Entry, reason: str) -> int:
    """The line of the first key that a sentence names, or begins to name."""
    words = reason.replace(":", " ").split()
    pairs = list(top.pairs())
    for name, entry in pairs:
        if name in words:
            return entry.line
    for name, entry in pairs:
        if name.partition("_")[0] in words:
            return entry.line
    return top.line


def _explain_units(top: Entry, kind: type[Any], wrong: Mistakes) -> None:
    """A key with a wrong unit is unknown; say which one is known."""
    known = list(get_type_hints(kind))
    for n, found in enumerate(wrong.found):
        text = found.text
        key, _, rest = text.partition(" ")
        if rest != "is not known here":
            continue
        bare = next((key[: -len(u)] for u in UNITS if key.endswith(u)), key)
        same = [k for k in known if k.startswith(f"{bare}_") and k.endswith(UNITS)]
        near = same or difflib.get_close_matches(key, known, 1)
        if same:
            wrong.found[n] = dataclasses.replace(
                found, text=f"{key} has the wrong unit; use {same[0]}"
            )
        elif near:
            wrong.found[n] = dataclasses.replace(
                found, text=f"{text}; did you mean {near[0]}"
            )
