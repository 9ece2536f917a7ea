"""``mpms models lint`` over folders, for machines and for people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mpms.cli import main
from mpms.engine.runner import SpiffEngine
from mpms.services.models.check import check_file
from mpms.services.models.file_kinds import file_kind

GOOD = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d">
<process id="good" isExecutable="true"><startEvent id="s"/></process></definitions>"""
BAD = GOOD.replace("<startEvent", "<userTask id='lost' name='Lost'/><startEvent")

DRIVE = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d"
xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
<process id="trip" isExecutable="true"><startEvent id="s"/>
<serviceTask id="drive" name="Drive there" camunda:type="external"
camunda:topic="robot.mvoe"/>
<sequenceFlow id="f" sourceRef="s" targetRef="drive"/></process></definitions>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inner = tmp_path / "models" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "models" / "b.bpmn").write_text(GOOD)
    (inner / "a.BPMN").write_text(BAD)
    (inner / "t.dmn").write_text("<nothing/>")
    (inner / "f.form").write_text("[]")
    (inner / "notes.txt").write_text("no model")
    return tmp_path / "models"


def lint(
    capsys: pytest.CaptureFixture[str], *arguments: object
) -> tuple[int, list[str]]:
    code = main(["models", "lint", *map(str, arguments)])
    return code, capsys.readouterr().out.splitlines()


def test_a_folder_is_searched_and_every_file_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = lint(capsys, folder)
    results = [json.loads(line) for line in lines]
    files = [str(Path(r["file"]).relative_to(folder)) for r in results]
    assert files == ["b.bpmn", "inner/a.BPMN", "inner/f.form", "inner/t.dmn"]
    assert [r["deployable"] for r in results] == [True, False, False, False]
    assert results[1]["problems"][0]["element"] == "lost"
    assert code == 1


def test_files_and_folders_may_be_mixed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = lint(capsys, folder / "b.bpmn", folder)
    assert (code, len(lines)) == (1, 5)
    assert lint(capsys, folder / "b.bpmn")[0] == 0


def test_a_folder_without_models_is_a_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = lint(capsys, tmp_path)
    (problem,) = json.loads(lines[0])["problems"]
    assert code == 1
    assert problem["reason"] == (
        "the directory holds no file of "
        ".bpmn, .bpmn20.xml, .dmn, .dmn11.xml, .dmn10.xml, .form, .json"
    )


def test_people_read_it_as_text(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = lint(capsys, "--text", folder / "b.bpmn", folder / "inner" / "a.BPMN")
    assert code == 1
    assert lines[0] == f"{folder / 'b.bpmn'}: can be deployed"
    assert lines[1] == f"{folder / 'inner' / 'a.BPMN'}: one problem"
    assert lines[2].startswith("  lost (Lost): no flow leads to this element")


def test_a_topic_of_no_handler_is_a_warning_for_machines_and_people(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = folder / "drive.bpmn"
    model.write_text(DRIVE)
    code, lines = lint(capsys, model)
    answer = json.loads(lines[0])
    assert (code, answer["deployable"], answer["problems"]) == (0, True, [])
    (warning,) = answer["warnings"]
    assert (warning["element"], warning["name"]) == ("drive", "Drive there")
    assert "'robot.mvoe'; did you mean 'robot.move'?" in warning["reason"]
    code, lines = lint(capsys, "--text", model)
    assert code == 0
    assert lines[0] == f"{model}: can be deployed, with one warning"
    assert lines[1].startswith("  drive (Drive there): no worker has a handler")
    model.write_text(DRIVE.replace("mvoe", "move"))
    assert "warnings" not in json.loads(lint(capsys, model)[1][0])


def test_the_elements_are_printed_as_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "elements", "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("# What is executed\n")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.bpmn", "bpmn"),
        ("A.BPMN", "bpmn"),
        ("a.bpmn20.xml", "bpmn"),
        ("a.dmn", "dmn"),
        ("a.dmn11.xml", "dmn"),
        ("a.Form", "form"),
        ("a.xml", None),
        ("bpmn", None),
    ],
)
def test_lint_and_deployment_know_a_file_by_the_same_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, kind: str | None
) -> None:
    assert file_kind(name) == kind
    content = b"<not-a-model/>" if kind != "form" else b"[]"
    (tmp_path / name).write_bytes(content)
    _, (line,) = lint(capsys, tmp_path / name)
    (problem,) = check_file(SpiffEngine(), name, content)
    assert [p["reason"] for p in json.loads(line)["problems"]] == [problem.reason]
