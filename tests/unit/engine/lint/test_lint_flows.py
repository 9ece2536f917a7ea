"""The shape of the drawing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mpms.domain.models.definitions import Problem
from mpms.engine.lint import check

Build = Callable[..., bytes]

START = "<startEvent id='b'/>"
SIGNAL = "<signalEventDefinition signalRef='s'/>"


def flow(source: str, target: str, condition: str | None = None) -> str:
    inner = (
        ""
        if condition is None
        else (f"<conditionExpression>{condition}</conditionExpression>")
    )
    return (
        f"<sequenceFlow id='{source}-{target}' sourceRef='{source}' "
        f"targetRef='{target}'>{inner}</sequenceFlow>"
    )


def fork(
    gateway: str, *flows: str, targets: str = "<task id='y'/><task id='z'/>"
) -> str:
    return f"{START}{flow('b', 'g')}{gateway}{targets}{''.join(flows)}"


ACCEPTED = [
    START,
    fork("<parallelGateway id='g'/>", flow("g", "y"), flow("g", "z")),
    fork("<exclusiveGateway id='g'/>", flow("g", "y"), targets="<task id='y'/>"),
    fork(
        "<exclusiveGateway id='g' default='g-z'/>",
        flow("g", "y", "${a}"),
        flow("g", "z"),
    ),
    fork("<inclusiveGateway id='g'/>", flow("g", "y", "${a}"), flow("g", "z", "=b")),
    fork("<task id='g'/>", flow("g", "y"), flow("g", "z")),
    fork("<task id='g' default='g-z'/>", flow("g", "y", "${a > 1}"), flow("g", "z")),
    fork(
        "<eventBasedGateway id='g'/>",
        flow("g", "y"),
        flow("g", "z"),
        targets=f"<intermediateCatchEvent id='y'>{SIGNAL}</intermediateCatchEvent>"
        "<receiveTask id='z' messageRef='m'/>",
    ),
    f"{START}<task id='y'/>{flow('b', 'y')}<task id='z'/>{flow('y', 'z')}"
    + flow("z", "y"),
]

REFUSED = [
    (
        "<task id='x'/>",
        [("p", "the process has no start event"), ("x", "no flow leads")],
    ),
    (START + "<startEvent id='c'/>", [("c", "a second start beside 'b'")]),
    (
        f"{START}<subProcess id='x'/>{flow('b', 'x')}",
        [("x", "the subprocess has no start event")],
    ),
    (f"{START}<task id='x'/>", [("x", "no flow leads to this element")]),
    (
        f"{START}<task id='x'/><task id='y'/>{flow('x', 'y')}",
        [("x", "no flow leads to this element")],
    ),
    (
        f"{START}<task id='x'/><task id='y'/>{flow('x', 'y')}{flow('y', 'x')}",
        [("x", "cannot be reached"), ("y", "cannot be reached")],
    ),
    (
        fork("<exclusiveGateway id='g'/>", flow("g", "y", "${a}"), flow("g", "z")),
        [("g-z", "neither a condition nor is it the default flow")],
    ),
    (
        fork("<parallelGateway id='g'/>", flow("g", "y", "${a}"), flow("g", "z")),
        [("g-y", "a flow leaving a parallel gateway cannot have a condition")],
    ),
    (
        fork("<exclusiveGateway id='g'/>", targets=""),
        [("g", "no flow leaves this gateway")],
    ),
    (
        fork(
            "<exclusiveGateway id='g' default='b-g'/>",
            flow("g", "y", "${a}"),
            flow("g", "z", "${b}"),
        ),
        [("g", "the default flow 'b-g' does not leave this element")],
    ),
    (
        fork(
            "<exclusiveGateway id='g' default='g-y'/>",
            flow("g", "y", "${a}"),
            flow("g", "z", "${b}"),
        ),
        [("g-y", "the default flow cannot have a condition")],
    ),
    (
        fork("<parallelGateway id='g' default='g-y'/>", flow("g", "y"), flow("g", "z")),
        [("g", "only activities, exclusive and inclusive gateways")],
    ),
    (
        fork("<eventBasedGateway id='g'/>", flow("g", "y"), targets="<task id='y'/>"),
        [("y", "after an event gateway only")],
    ),
    (
        fork(
            "<eventBasedGateway id='g' instantiate='true'/>",
            flow("g", "y"),
            targets="<receiveTask id='y' messageRef='m'/>",
        ),
        [("g", "starting a process from within its flow")],
    ),
    (
        fork(
            "<eventBasedGateway id='g' eventGatewayType='Parallel'/>",
            flow("g", "y"),
            targets="<receiveTask id='y' messageRef='m'/>",
        ),
        [("g", "a parallel event gateway")],
    ),
    (
        fork(
            "<eventBasedGateway id='g'/>",
            flow("g", "y"),
            flow("g", "z"),
            flow("z", "y"),
            targets="<receiveTask id='y' messageRef='m'/>"
            "<receiveTask id='z' messageRef='m'/>",
        ),
        [("y", "no second way in")],
    ),
    (
        f"{START}<task id='x'/>{flow('b', 'x')}{flow('x', 'b')}",
        [("x-b", "start event")],
    ),
    (
        f"{START}<endEvent id='x'/><task id='y'/>{flow('b', 'x')}{flow('x', 'y')}",
        [("x-y", "a flow cannot leave an end event")],
    ),
    (
        f"{START}<subProcess id='s1'><startEvent id='i'/><task id='x'/>{flow('i', 'x')}"
        f"</subProcess><task id='y'/>{flow('b', 's1')}{flow('x', 'y')}",
        [("x-y", "crosses the border of a subprocess")],
    ),
    (
        fork("<task id='g'/>", flow("g", "y", "${a +}"), flow("g", "z", "")),
        [("g-y", "condition: "), ("g-z", "the condition is empty")],
    ),
    (
        fork("<task id='g'/>", flow("g", "y", "${execution.id}"), flow("g", "z")),
        [("g-y", "'execution' belongs to the Java side")],
    ),
    (
        fork(
            "<task id='g'/>",
            flow("g", "y", "a").replace(
                "Expression>", "Expression language='groovy'>", 1
            ),
            flow("g", "z"),
        ),
        [("g-y", "in the language 'groovy'")],
    ),
]


@pytest.mark.parametrize("body", ACCEPTED)
def test_what_bpmn_defines_is_deployable(bpmn: Build, body: str) -> None:
    assert check(bpmn(body)).problems == []


@pytest.mark.parametrize(("body", "expected"), REFUSED)
def test_a_drawing_that_cannot_run_is_refused_where_it_is_wrong(
    bpmn: Build, body: str, expected: list[tuple[str, str]]
) -> None:
    problems = check(bpmn(body)).problems
    assert [p.element for p in problems] == [element for element, _ in expected]
    for problem, (_, reason) in zip(problems, expected, strict=True):
        assert reason in problem.reason


@pytest.mark.parametrize(
    ("roots", "problem"),
    [
        ("<userTask id='x' name='Alone'/>", ("x", "Alone", "not part of a process")),
        ("<globalUserTask id='x'/>", ("file", "", "not executed")),
        ("<choreography id='x'/>", ("file", "", "not executed")),
        (
            "<extension mustUnderstand='true' definition='a'/>",
            ("file", "", "must be understood"),
        ),
    ],
)
def test_what_stands_beside_the_process_is_not_overlooked(
    bpmn: Build, roots: str, problem: tuple[str, str, str]
) -> None:
    (found,) = check(bpmn(START, roots)).problems
    assert (found.element, found.name) == problem[:2]
    assert problem[2] in found.reason


def test_a_file_without_a_process_is_refused() -> None:
    xml = b'<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"/>'
    assert check(xml).problems == [Problem("", "", "the file holds no process")]


def test_a_process_without_id_is_refused(bpmn: Build) -> None:
    (problem,) = check(bpmn(START).replace(b'id="p"', b"")).problems
    assert problem == Problem("", "P", "the process has no id")


def test_a_picture_is_refused_and_checked_nevertheless(bpmn: Build) -> None:
    body = bpmn("<task id='x'/>").replace(b'Executable="true"', b'Executable="false"')
    reasons = [p.reason for p in check(body).problems]
    assert reasons[0].startswith("the process is marked as not executable")
    assert len(reasons) == 3


def test_a_picture_beside_an_executable_process_is_left_alone(bpmn: Build) -> None:
    picture = "<process id='q' isExecutable='false'><complexGateway id='x'/></process>"
    assert check(bpmn(START, picture)).problems == []


def test_problems_beyond_what_anybody_reads_are_counted(bpmn: Build) -> None:
    body = "".join(f"<receiveTask id='g{n}'/>" for n in range(700))
    problems = check(bpmn(START + body)).problems
    assert len(problems) == 501
    assert problems[-1] == Problem("", "", "and 900 more problems")
