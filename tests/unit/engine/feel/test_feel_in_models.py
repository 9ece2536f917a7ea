"""FEEL where models use it: conditions, mappings, loops and timers."""

from datetime import timedelta
from typing import Any

import pytest

from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player


def in_feel(model: bytes) -> bytes:
    """The conditions of a drawing, written as Camunda 8 writes them."""
    return model.replace(b"<conditionExpression>${", b"<conditionExpression>=").replace(
        b"}</conditionExpression>", b"</conditionExpression>"
    )


@pytest.mark.parametrize(
    ("variables", "reached"),
    [
        ({"kg": [0.1, 0.2]}, ["exact"]),
        ({"kg": [5]}, ["other"]),
        ({"kg": []}, ["other"]),
    ],
)
def test_a_gateway_decides_by_feel(
    draw: Drawing, play: Player, variables: dict[str, Any], reached: list[str]
) -> None:
    model = draw(
        "start -> xor",
        "xor -> exact if sum(kg) = 0.3",
        "xor -> other otherwise",
        xor=draw.task("exclusiveGateway"),
    )
    assert play(in_feel(model), variables).open == reached


def test_a_condition_that_is_null_stops_with_its_cause(
    draw: Drawing, play: Player
) -> None:
    model = draw(
        "start -> xor",
        "xor -> a if order.kg > 5",
        "xor -> b otherwise",
        xor=draw.task("exclusiveGateway"),
    )
    run = play(in_feel(model), {"order": {}})
    (reason,) = run.stuck.values()
    assert "needs true or false as a condition, not null" in reason


def test_mappings_loops_and_timers_take_feel(draw: Drawing, play: Player) -> None:
    task = draw.user(
        loop=draw.each("=for m in materials return m.name", "name"),
        inputs={"label": '=upper case(name) + "!"'},
    )
    pause = draw.catch(timer='=@"PT1M" * count(materials)')
    model = draw("start -> pause -> a -> end", pause=pause, a=task)
    run = play(model, {"materials": [{"name": "salt"}, {"name": "flour"}]})
    wait = run.wait("pause")
    assert wait.due_at - run.now == timedelta(minutes=2)
    run.fire("pause")
    labels = [wait.inputs["label"] for wait in run.waits("a")]
    assert labels == ["SALT!", "FLOUR!"]
