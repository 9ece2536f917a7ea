"""Words of other namespaces: read as Camunda's, ignored by name, or refused by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mpms.engine.lint import check
from mpms.engine.lint.editors import EDITORS
from mpms.engine.lint.markdown import elements_page
from mpms.engine.reading import read
from mpms.engine.reading.names import CAMUNDA
from mpms.engine.reading.relatives import OPERATON, SAME

Build = Callable[..., bytes]

ROOT = Path(__file__).parents[4]
MODELS = sorted(
    path
    for folder in ("processes", "tests/data")
    for path in (ROOT / folder).rglob("*.bpmn")
    if CAMUNDA.encode() in path.read_bytes()
)
IN_OPERATON = f'xmlns:o="{OPERATON}"'
LISTENER = (
    f"<extensionElements {IN_OPERATON}>"
    "<o:executionListener class='A' event='start'/></extensionElements>"
)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_a_model_says_the_same_in_the_words_of_operaton(path: Path) -> None:
    xml = path.read_bytes()
    other = xml
    for theirs, ours in SAME.items():
        other = other.replace(ours.encode(), theirs.encode())
    assert check(other) == check(xml)
    assert set(read(other).facts.traits) == set(read(xml).facts.traits)
    named = other.replace(b'"Camunda Platform"', b'"Operaton"')
    assert check(named) == check(xml)


def test_the_words_of_operaton_are_executed(line: Build) -> None:
    model = line(
        f"<userTask id='x' {IN_OPERATON} o:assignee='ada' o:candidateGroups='worker'"
        " o:formKey='operaton-forms:deployment:forms/load.form'/>"
    )
    lint = check(model)
    assert lint.problems == []
    assert lint.model is not None
    settings = lint.model.processes[0].elements["x"].settings
    assert (settings.assignee, settings.candidate_groups) == ("ada", ("worker",))
    assert settings.form == "load"
    (problem,) = check(line(f"<userTask id='x'>{LISTENER}</userTask>")).problems
    assert problem.element == "x"
    assert "executionListener" in problem.reason


def test_one_file_may_speak_both_but_not_say_two_things(line: Build) -> None:
    task = f"<userTask id='x' name='Load' {IN_OPERATON} camunda:assignee='ada' {{}}/>"
    both = check(line(task.format("o:candidateGroups='worker' o:assignee='ada'")))
    assert both.problems == []
    (problem,) = check(line(task.format("o:assignee='bob'"))).problems
    assert (problem.element, problem.name) == ("x", "Load")
    assert "camunda:assignee 'ada' and operaton:assignee 'bob'" in problem.reason


@pytest.mark.parametrize(
    "step",
    [
        "<userTask id='x' e:assignee='ada'/>",
        "<userTask id='x'><extensionElements><e:listener/></extensionElements>"
        "</userTask>",
        "<userTask id='x'><e:listener/></userTask>",
        "<serviceTask id='x' camunda:type='external' camunda:topic='t'>"
        "<extensionElements><camunda:inputOutput><camunda:inputParameter name='a'>"
        "<e:script>1</e:script></camunda:inputParameter></camunda:inputOutput>"
        "</extensionElements></serviceTask>",
    ],
)
def test_a_word_that_nobody_knows_is_refused_by_name(line: Build, step: str) -> None:
    space = "http://engine.example.org/bpmn"
    declared = step.replace("Task id", f"Task xmlns:e='{space}' id", 1)
    (problem,) = check(line(declared)).problems
    assert problem.element == "x"
    assert f"of the namespace '{space}'" in problem.reason


def test_a_word_of_no_namespace_is_refused_by_name(line: Build) -> None:
    step = "<userTask id='x'><extensionElements><listener xmlns=''/>"
    (problem,) = check(line(f"{step}</extensionElements></userTask>")).problems
    assert (problem.element, "'listener'" in problem.reason) == ("x", True)


def test_a_namespace_that_is_declared_and_not_used_does_not_matter(line: Build) -> None:
    assert check(line("<task xmlns:e='http://engine.example.org' id='x'/>")).deployable


@pytest.mark.parametrize("space", [s for e in EDITORS for s in e.spaces])
def test_what_editors_write_for_themselves_is_ignored_and_listed(
    line: Build, space: str
) -> None:
    step = (
        f"<task id='x' xmlns:e='{space}' e:colour='red'>"
        "<extensionElements><e:style/></extensionElements></task>"
    )
    assert check(line(step)).problems == []
    assert f"`{space}`" in elements_page()


def test_a_drawing_may_hold_whatever_its_editor_likes(bpmn: Build) -> None:
    diagram = (
        '<d:BPMNDiagram xmlns:d="http://www.omg.org/spec/BPMN/20100524/DI"'
        ' xmlns:e="http://engine.example.org/bpmn" e:zoom="2"><d:BPMNPlane e:a="1">'
        "<d:extension><e:anything/></d:extension></d:BPMNPlane></d:BPMNDiagram>"
        '<collaboration id="c"><participant id="pool" processRef="p">'
        '<extensionElements><e:colour xmlns:e="http://engine.example.org/bpmn"/>'
        "</extensionElements></participant></collaboration>"
    )
    assert check(bpmn("<startEvent id='x'/>", roots=diagram)).problems == []


@pytest.mark.parametrize(("value", "refused"), [("false", 0), ("true", 1)])
def test_who_may_complete_a_task_is_no_word_for_an_editor(
    line: Build, value: str, refused: int
) -> None:
    step = (
        "<userTask id='x'><extensionElements><m:initiator-can-complete"
        f" xmlns:m='http://flowable.org/modeler'>{value}</m:initiator-can-complete>"
        "</extensionElements></userTask>"
    )
    assert len(check(line(step)).problems) == refused
