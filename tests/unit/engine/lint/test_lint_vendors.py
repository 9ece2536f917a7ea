"""Words of other engines and tools, and files that are no BPMN at all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mpms.engine.lint import check

Build = Callable[..., bytes]


@pytest.mark.parametrize(
    "attribute",
    ["activiti:async='true'", "activiti:exclusive='false'"],
)
def test_what_changes_nothing_in_camunda_changes_nothing_in_its_relatives(
    line: Build, attribute: str
) -> None:
    assert check(line(f"<userTask id='x' {attribute}/>")).problems == []


@pytest.mark.parametrize(
    ("attribute", "advice"),
    [
        ("activiti:assignee='a'", "write camunda:assignee instead"),
        ("activiti:class='A'", "activiti:class calls code of another system"),
        ("activiti:novelty='A'", "say it in the words of Camunda"),
        ("activiti:skipExpression='${a}'", "draw a gateway around the task"),
    ],
)
def test_the_others_are_refused_with_what_to_write(
    line: Build, attribute: str, advice: str
) -> None:
    (problem,) = check(line(f"<userTask id='x' {attribute}/>")).problems
    assert problem.reason.startswith("drawn for Activiti")
    assert advice in problem.reason


@pytest.mark.parametrize(
    ("exporter", "advice"),
    [
        ("Camunda Modeler", "tick 'Executable'"),
        ("Signavio Process Editor, http://www.signavio.com", "'Is executable'"),
        ("Bizagi Modeler", "Bizagi Modeler exports pictures"),
        ("Unheard Of", "set isExecutable to true in the file"),
    ],
)
def test_a_picture_is_told_how_to_become_executable(exporter: str, advice: str) -> None:
    xml = (
        '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" '
        f'exporter="{exporter}"><process id="p" isExecutable="false">'
        '<startEvent id="s"/></process></definitions>'
    )
    (problem,) = check(xml.encode()).problems
    assert "not executable" in problem.reason
    assert advice in problem.reason


@pytest.mark.parametrize(
    ("xml", "kind"),
    [
        ("<mxfile/>", "a drawing of draw.io"),
        (
            "<VisioDocument xmlns='http://schemas.microsoft.com/visio/2003/core'/>",
            "Visio",
        ),
        ("<svg xmlns='http://www.w3.org/2000/svg'/>", "a picture (SVG)"),
        ("<Package xmlns='http://www.wfmc.org/2009/XPDL2.2'/>", "an XPDL file"),
        (
            "<definitions xmlns='http://schema.omg.org/spec/BPMN/2.0'/>",
            "a draft of BPMN 2.0",
        ),
        (
            "<definitions xmlns='http://www.omg.org/spec/CMMN/20151109/MODEL'/>",
            "CMMN",
        ),
    ],
)
def test_what_is_no_bpmn_is_called_by_its_name(xml: str, kind: str) -> None:
    (problem,) = check(xml.encode()).problems
    assert problem.reason.startswith("this is not a BPMN 2.0 file but ")
    assert kind in problem.reason


def test_several_words_of_one_element_are_all_told(line: Build) -> None:
    step = (
        "<userTask id='x' activiti:assignee='a' camunda:formKey='embedded:app:f'>"
        "<extensionElements><camunda:taskListener event='create' class='a.B'/>"
        "</extensionElements></userTask>"
    )
    reasons = [p.reason for p in check(line(step)).problems]
    assert len(reasons) == 3
