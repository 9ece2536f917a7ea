"""Paths that a drawing has, and where others leave it."""

from __future__ import annotations

import pytest

from mpms.assets import shipped_models
from mpms.domain.history.conformance import Misfit, Why
from mpms.engine.conformance import Replay
from mpms.engine.reading import read_model
from tests.support.drawings import draw


def replay(xml: bytes) -> Replay:
    return Replay(next(p for p in read_model(xml).processes if p.executable))


def drawn(elements: str, *ways: str) -> Replay:
    (xml,) = draw("one", elements, *ways).values()
    return replay(xml)


def tasks(*names: str) -> str:
    return "".join(f'<userTask id="{name}" name="{name}"/>' for name in names)


ENDS = '<startEvent id="begin"/><endEvent id="end"/>'
ROW = drawn(ENDS + tasks("a", "b"), "begin a", "a b", "b end")
CHOICE = drawn(
    ENDS
    + tasks("a", "b", "c")
    + '<exclusiveGateway id="x"/><exclusiveGateway id="again"/>',
    *("begin again", "again a", "a x", "x again ${no}", "x b ${yes}", "x c ${maybe}"),
    *("b end", "c end"),
)
BOTH = drawn(
    ENDS + tasks("a", "b", "c") + '<parallelGateway id="f"/><parallelGateway id="j"/>',
    *("begin f", "f a", "f b", "a j", "b j", "j c", "c end"),
)
BORDER = drawn(
    ENDS
    + tasks("a", "mend")
    + '<boundaryEvent id="bad" attachedToRef="a"><errorEventDefinition id="e"/>'
    '</boundaryEvent><endEvent id="other"/>',
    *("begin a", "a end", "bad mend", "mend other"),
)
INSIDE = drawn(
    ENDS + '<subProcess id="s"><startEvent id="in"/><userTask id="a"/>'
    '<endEvent id="out"/><sequenceFlow id="one" sourceRef="in" targetRef="a"/>'
    '<sequenceFlow id="two" sourceRef="a" targetRef="out"/></subProcess>' + tasks("b"),
    *("begin s", "s b", "b end"),
)


@pytest.mark.parametrize(
    ("model", "path"),
    [
        (ROW, "a b"),
        (CHOICE, "a b"),
        (CHOICE, "a a a c"),
        (BOTH, "a b c"),
        (BOTH, "b a c"),
        (BORDER, "a"),
        (BORDER, "mend"),
        (INSIDE, "a s b"),
    ],
)
def test_a_path_of_the_drawing_fits(model: Replay, path: str) -> None:
    assert model.misfit(path.split(), completed=True) is None


@pytest.mark.parametrize(
    ("model", "path", "misfit"),
    [
        (ROW, "b", Misfit(Why.ORDER, "b", "", ("a",))),
        (ROW, "a", Misfit(Why.EARLY, "", "a", ("b",))),
        (ROW, "a b b", Misfit(Why.ORDER, "b", "b", ())),
        (ROW, "a stamp b", Misfit(Why.UNKNOWN, "stamp", "a")),
        (CHOICE, "a b c", Misfit(Why.ORDER, "c", "b", ())),
        (BOTH, "a c", Misfit(Why.ORDER, "c", "a", ("b",))),
        (BORDER, "a mend", Misfit(Why.ORDER, "mend", "a", ())),
        (INSIDE, "a b", Misfit(Why.ORDER, "b", "a", ("s",))),
    ],
)
def test_another_path_is_told_where_it_leaves_the_drawing(
    model: Replay, path: str, misfit: Misfit
) -> None:
    assert model.misfit(path.split(), completed=True) == misfit


def test_what_was_broken_off_need_not_reach_an_end() -> None:
    assert ROW.misfit(["a"], completed=False) is None


def test_the_warehouse_process_has_its_own_paths() -> None:
    model = replay(shipped_models()["warehouse.bpmn"])
    material = [
        *("next_material", "move_to_material", "load_material", "weigh_material"),
        *("check_weight", "book_load", "move_to_tank", "unload_material"),
        "note_loaded",
    ]
    path = ["connect", "check_tank", "robot_ready", *material, *material]
    for end in (
        ("move_home", "start_mixing", "mix"),
        ("start_mixing", "move_home", "mix"),
        ("start_mixing", "mix", "move_home"),
    ):
        whole = [*path, *end, "order_done", "disconnect"]
        assert model.misfit(whole, completed=True) is None
    misfit = model.misfit([*path, "order_done"], completed=True)
    assert misfit is not None
    assert misfit.why is Why.ORDER
    assert {"move_home", "start_mixing"} <= set(misfit.expected)
