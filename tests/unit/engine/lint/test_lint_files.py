"""Whole files: the usual editors, sizes, and files broken at random."""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from mpms.engine.lint import Lint, check
from mpms.engine.reading import read

Drawn = Callable[[str], bytes]


@pytest.mark.parametrize(
    "name", ["in_camunda_modeler", "in_another_editor", "for_camunda_8"]
)
def test_drawings_of_the_usual_editors_are_deployable(drawn: Drawn, name: str) -> None:
    lint = check(drawn(name))
    assert lint.problems == []
    assert lint.model is not None


def test_a_mere_picture_is_refused(drawn: Drawn) -> None:
    (problem,) = check(drawn("in_bpmn_io")).problems
    assert (problem.element, "not executable" in problem.reason) == ("tea", True)


@pytest.mark.parametrize("xml", [b"", b"<a", b"\xff\xfe\x00", b"<!DOCTYPE a><a/>"])
def test_what_cannot_be_read_is_one_problem_and_no_model(xml: bytes) -> None:
    lint = check(xml)
    assert lint.model is None
    assert len(lint.problems) == 1
    assert not lint.deployable


def test_what_nobody_foresaw_is_still_an_answer() -> None:
    lint = check("no bytes at all")  # type: ignore[arg-type]
    assert lint.model is None
    assert "cannot be checked" in lint.problems[0].reason


@settings(max_examples=100, deadline=None, derandomize=True)
@given(xml=st.binary(max_size=200))
def test_any_bytes_get_an_answer(xml: bytes) -> None:
    assert isinstance(check(xml), Lint)


def broken(xml: bytes, seed: int) -> bytes:
    """The file with a few elements or attributes removed, doubled or moved."""
    rng = random.Random(seed)
    root = etree.fromstring(xml)
    for _ in range(rng.randint(1, 6)):
        nodes = [node for node in root.iter() if node is not root]
        if not nodes:
            break
        node = rng.choice(nodes)
        parent = node.getparent()
        assert parent is not None
        change = rng.randrange(6)
        if change == 0:
            parent.remove(node)
        elif change == 1:
            parent.append(copy.deepcopy(node))
        elif change == 2:
            rng.choice(nodes).append(copy.deepcopy(node))
        elif change == 3 and node.attrib:
            del node.attrib[rng.choice(sorted(node.attrib))]
        elif change == 4 and node.attrib:
            other = rng.choice(nodes).attrib
            value = rng.choice([*map(str, other.values()), "", "${", "-1", "\u00fc"])
            node.set(rng.choice(sorted(map(str, node.attrib))), value)
        else:
            node.tag, rng.choice(nodes).tag = rng.choice(nodes).tag, node.tag
    return etree.tostring(root)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_a_file_broken_at_random_gets_an_answer(drawn: Drawn, seed: int) -> None:
    xml = broken(drawn("in_camunda_modeler"), seed)
    reading = read(xml)  # must not raise either: it is still BPMN
    for process in reading.model.processes:
        for flow in process.flows.values():
            assert flow.source in process.elements
            assert flow.target in process.elements
    lint = check(xml)
    assert lint.model is not None, lint.problems


def many(count: int, step: str) -> str:
    return "<startEvent id='t0'/>" + "".join(
        step.format(n=n)
        + f"<sequenceFlow id='f{n}' sourceRef='t{n - 1}' targetRef='t{n}'/>"
        for n in range(1, count)
    )


@pytest.mark.parametrize(
    "body",
    [
        many(2000, "<task id='t{n}'/>"),
        many(
            2000, "<serviceTask id='t{n}' camunda:topic='t' camunda:type='external'/>"
        ),
        many(600, "<subProcess id='t{n}'><startEvent id='s{n}'/></subProcess>"),
        "<startEvent id='b'/><exclusiveGateway id='g'/>"
        "<sequenceFlow id='f' sourceRef='b' targetRef='g'/>"
        + "".join(
            f"<task id='t{n}'/><sequenceFlow id='f{n}' sourceRef='g' targetRef='t{n}'>"
            f"<conditionExpression>${{a == {n}}}</conditionExpression></sequenceFlow>"
            for n in range(1000)
        ),
        "<startEvent id='b'/><userTask id='u'/>"
        "<sequenceFlow id='f' sourceRef='b' targetRef='u'/>"
        + "".join(
            f"<boundaryEvent id='e{n}' attachedToRef='u'>"
            "<signalEventDefinition signalRef='s'/></boundaryEvent>"
            for n in range(2000)
        ),
    ],
    ids=["tasks", "services", "subprocesses", "fan", "boundaries"],
)
def test_2000_elements_take_less_than_two_seconds(
    bpmn: Callable[..., bytes], body: str
) -> None:
    xml = bpmn(body)
    before = time.process_time()
    lint = check(xml)
    spent_s = time.process_time() - before
    assert lint.problems == []
    assert spent_s < 2
