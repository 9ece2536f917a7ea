"""Variables: shared, never lost at joins, local where BPMN has scopes, plain JSON."""

import json
import random
from typing import Any

import pytest

from mpms.domain.instances.steps import Complete
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

pytestmark = pytest.mark.covers("A6")

VALUES = {
    "largest": 2**63 - 1,
    "smallest": 1 - 2**63,
    "tiny": 5e-324,
    "float": 1.0,
    "int": 1,
    "true": True,
    "nothing": None,
    "empty": ["", [], {}],
    "words": "Weiß 中文 🤖 \x00 ' \" \\ ${x}",
    "Größe": {"a": [1, {"b": [True, None, 1.5, -0.0]}]},
    "deep": json.loads("[" * 50 + "]" * 50),
}


def same(a: Any, b: Any) -> bool:
    """Equal in value and in type, all the way down."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def test_what_one_branch_writes_the_other_sees_at_once(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> and -> a -> xor", "and -> b -> xor", "xor -> c if n > 1"))
    run.complete("a", n=2)
    assert run.sees(run.wait("b").task_id) == {"n": 2}


@pytest.mark.parametrize("seed", range(10))
def test_no_branch_loses_what_another_wrote_before_a_join(
    draw: Drawing, play: Player, seed: int
) -> None:
    print("seed", seed)
    chance = random.Random(seed)
    run = play(
        draw(
            "start -> and_fork -> a1 -> a2 -> and_join -> after",
            "and_fork -> b1 -> b2 -> and_join",
            "and_fork -> c1 -> c2 -> and_join",
        ),
        {"x": 0, "shared": []},
    )
    expected = dict(run.variables)
    while run.open != ["after"]:
        task = chance.choice(run.open)
        shared = [*run.variables["shared"], task]
        written = {"x": chance.randint(0, 9), task: True, "shared": shared}
        run.complete(task, **written)
        expected |= written
        assert run.variables == expected
    assert len(run.variables["shared"]) == 6


def test_a_local_variable_hides_the_outer_one_and_leaves_it_alone(
    draw: Drawing, play: Player
) -> None:
    sub = draw.sub(
        "start_in -> a -> s",
        s=draw.script("x = x + 1\ny = x"),
        loop=draw.each("${xs}", "x", sequential=True),
    )
    run = play(draw("start -> sub -> after", sub=sub), {"xs": [10, 20], "x": "outer"})
    run.complete("a", x=50)  # the nearest variable of that name is the turn's own
    assert run.variables["x"] == "outer"
    assert run.variables["y"] == 51
    run.complete("a")
    assert run.variables["y"] == 21
    assert run.variables["x"] == "outer"


def test_inputs_are_local_and_vanish_with_their_task(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> a -> b", a=draw.user(inputs={"x": "${y}"})), {"y": 1})
    run.complete("a")
    assert run.variables == {"y": 1}


def test_nested_mappings_keep_their_shape(draw: Drawing, play: Player) -> None:
    task = draw.user()
    task.extensions = (
        "<camunda:inputOutput><camunda:inputParameter name='goal'><camunda:map>"
        "<camunda:entry key='place'>${place}</camunda:entry>"
        "<camunda:entry key='stops'><camunda:list><camunda:value>A</camunda:value>"
        "<camunda:value>${n + 1}</camunda:value></camunda:list></camunda:entry>"
        "</camunda:map></camunda:inputParameter></camunda:inputOutput>"
    )
    run = play(draw("start -> a", a=task), {"place": "T1", "n": 1})
    assert run.wait("a").inputs == {"goal": {"place": "T1", "stops": ["A", 2]}}


def test_the_trace_tells_old_and_new_value_and_who_wrote_it(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> a -> b -> c", c=draw.user(inputs={"z": "${n}"})))
    run.complete("a", n=1, kept="x")
    run.complete("b", n=2, kept="x")
    lines = [(t.element, t.data) for t in run.trace if t.kind == "variable"]
    assert lines == [
        ("a", {"name": "n", "new": 1}),
        ("a", {"name": "kept", "new": "x"}),
        ("b", {"name": "n", "new": 2, "old": 1}),
        ("c", {"name": "z", "new": 2, "local": True}),
    ]


@pytest.mark.parametrize(
    ("old", "new"), [(1, True), (1, 1.0), ([1], [True]), ({"a": 0}, {"a": False})]
)
def test_a_value_of_another_type_replaces_an_equal_one(
    draw: Drawing, play: Player, old: Any, new: Any
) -> None:
    run = play(draw("start -> a -> b"), {"x": old})
    run.complete("a", x=new)
    assert same(run.variables["x"], new)


@pytest.mark.parametrize("name", VALUES)
def test_every_json_value_survives_as_a_variable_and_in_every_local_place(
    draw: Drawing, play: Player, name: str
) -> None:
    value = VALUES[name]
    run = play(
        draw(
            "start -> and -> a -> after",
            "and -> many",
            "and -> call",
            "and -> b",
            a=draw.user(inputs={"copy": "${v}"}, outputs={"out": "${copy}"}),
            many=draw.service("work", loop=draw.each("${[v]}", "item")),
            call=draw.call("other", passes={"v": "v"}),
        ),
        {"v": value},
    )
    run.complete("b")  # one more turn through the bytes
    assert same(run.variables["v"], value)
    assert same(run.wait("a").inputs["copy"], value)
    assert same(run.wait("many").inputs["item"], value)
    assert same(run.wait("call").inputs["v"], value)
    run.complete("a")
    assert same(run.variables["out"], value)


@pytest.mark.parametrize("value", [2**64, -(2**200), [{"n": 10**40}], "half \ud800"])
def test_values_that_the_fast_writer_refuses_survive_too(
    draw: Drawing, play: Player, value: Any
) -> None:
    """Expressions give none of these, but forms and called processes may."""
    run = play(
        draw(
            "start -> and -> a -> after",
            "and -> call",
            "and -> b",
            a=draw.user(outputs={"out": "${n}"}),
            call=draw.call("other", all_in=True),
        ),
        {"v": value},
    )
    run.complete("a", answer=value)  # kept by the stuck task: there is no n yet
    run.complete("b")
    assert same(run.variables["v"], value)
    assert same(run.wait("call").inputs["v"], value)
    stuck = run.wait("a").task_id
    seen = run.sees(stuck)
    assert same(seen["answer"], value)
    run.mend(n=1)
    run.retry("a")
    assert run.open == ["after", "call"]


def test_the_state_does_not_hold_the_variables_of_the_instance(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> a"), {"x": "needle"})
    assert b"needle" not in run.kept.state


def test_what_a_task_sees_after_it_is_gone_is_the_instance(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw("start -> a -> b", a=draw.user(inputs={"y": "${x}"})),
        {"x": 1},
    )
    task_id = run.wait("a").task_id
    assert run.sees(task_id) == {"x": 1, "y": 1}
    run.do(Complete(task_id))
    assert run.sees(task_id) == {"x": 1}
