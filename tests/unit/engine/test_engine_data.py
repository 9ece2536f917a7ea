"""Data objects are a drawing: variables are shared. What would copy is refused."""

import pytest

from mpms.engine.runner import SpiffEngine
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

OBJECT = '<dataObject id="o"/><dataObjectReference id="r" name="o" dataObjectRef="o"/>'
DRAWN_IN = (
    '<property id="p" name="__targetRef_placeholder"/><dataInputAssociation id="i">'
    "<sourceRef>r</sourceRef><targetRef>p</targetRef></dataInputAssociation>"
)
DRAWN_OUT = (
    '<dataOutputAssociation id="u"><targetRef>r</targetRef></dataOutputAssociation>'
)
COPY_IN = (
    '<ioSpecification id="io"><dataInput id="in" name="x"/><inputSet/><outputSet/>'
    '</ioSpecification><dataInputAssociation id="i"><sourceRef>r</sourceRef>'
    "<targetRef>in</targetRef></dataInputAssociation>"
)
COPY_OUT = (
    '<ioSpecification id="io"><dataOutput id="out" name="x"/><inputSet/><outputSet/>'
    '</ioSpecification><dataOutputAssociation id="i"><sourceRef>out</sourceRef>'
    "<targetRef>r</targetRef></dataOutputAssociation>"
)
DECLARED = (
    '<ioSpecification id="io"><dataInput id="in" name="x"/><inputSet/><outputSet/>'
    "</ioSpecification>"
)


def model(draw: Drawing, inside: str) -> bytes:
    drawn: bytes = draw("start -> t -> end", t=draw.user(inside=inside))
    return drawn.replace(b"</process>", OBJECT.encode() + b"</process>")


@pytest.mark.parametrize("inside", [DRAWN_IN, DRAWN_OUT, DECLARED])
def test_a_drawn_data_association_changes_nothing(
    draw: Drawing, play: Player, inside: str
) -> None:
    run = play(model(draw, inside), {"o": 1})
    assert run.wait("t").inputs == {}
    run.complete("t")
    assert run.variables == {"o": 1}


@pytest.mark.parametrize("inside", [COPY_IN, COPY_OUT])
def test_an_association_that_would_copy_is_refused_by_name(
    draw: Drawing, inside: str
) -> None:
    (problem,) = SpiffEngine().check(model(draw, inside))
    assert problem.element == "t"
    assert "'r'" in problem.reason
    assert "camunda:inputOutput" in problem.reason
