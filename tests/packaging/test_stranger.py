"""A package in a temporary folder: workers, servers and commands use what it adds."""

from __future__ import annotations

from pathlib import Path

from tests.packaging.test_plugins import Pip, environment, install, run, running
from tests.support.databases import Databases
from tests.support.site import Site
from tests.support.waiting import eventually

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "stranger-tea"
version = "0.1"
[project.entry-points."mpms.plugins"]
tea = "tea:plugin"
[tool.hatch.build.targets.wheel]
include = ["tea"]
"""
CODE = '''
from contextlib import contextmanager
from pathlib import Path

from mpms.domain.settings import path
from mpms.plugins import BackgroundTask, InstanceHooks, Plugin, Setting, Topic, Working

NOTED = []


def boil(job):
    """Cold at first, so the retries of the plug-in are needed."""
    if job.attempts < 2:
        raise OSError("the water is cold")
    return {"tries": job.attempts + 1}


@contextmanager
def work(context):
    def note(word):
        def noted():
            with context.settings["file"].open("a") as file:
                print(word, file=file)
            return False
        return noted

    yield Working(
        first=(note("first"),),
        then=(note("then"),),
        background=(BackgroundTask("kettle", note("background"), pause_s=0.1),),
    )
    note("closed")()


class Told(InstanceHooks):
    def ended(self, tx, instance, status, *, by):
        tx.events.append("tea ended", actor=by, data={"how": status.value})


from mpms.plugins import Kind

plugin = Plugin(
    "tea",
    topics={"tea.boil": Topic(boil, retry_delays_s=(0.05, 0.05))},
    work="tea:work",
    hooks="tea:Told",
    kinds=(Kind("tea ended", sentence="Tea: {how}"),),
    settings={"file": Setting("Where it writes.", read=path)},
    models=Path(__file__).parent / "models",
)
'''
MODEL = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="urn:test">
  <process id="tea" isExecutable="true"><startEvent id="begin"/>
    <serviceTask id="boil" camunda:type="external" camunda:topic="tea.boil"/>
    <businessRuleTask id="choose" camunda:decisionRef="leaves"
      camunda:mapDecisionResult="singleEntry" camunda:resultVariable="leaves"/>
    <userTask id="drink"/>
    <sequenceFlow id="a" sourceRef="begin" targetRef="boil"/>
    <sequenceFlow id="b" sourceRef="boil" targetRef="choose"/>
    <sequenceFlow id="c" sourceRef="choose" targetRef="drink"/>
  </process></definitions>"""
DECISION = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/"
    id="tea_decisions" name="Tea" namespace="urn:test">
  <decision id="leaves" name="Leaves"><decisionTable id="table" hitPolicy="FIRST">
    <input id="hour_in"><inputExpression id="hour" typeRef="number">
      <text>hour</text></inputExpression></input>
    <output id="out" name="leaves" typeRef="string"/>
    <rule id="early"><inputEntry id="i1"><text>&lt; 12</text></inputEntry>
      <outputEntry id="o1"><text>"black"</text></outputEntry></rule>
    <rule id="late"><inputEntry id="i2"><text></text></inputEntry>
      <outputEntry id="o2"><text>"mint"</text></outputEntry></rule>
  </decisionTable></decision></definitions>"""


def written(directory: Path) -> Path:
    """The source of the package."""
    (directory / "tea" / "models").mkdir(parents=True)
    (directory / "pyproject.toml").write_text(PROJECT)
    (directory / "tea" / "__init__.py").write_text(CODE)
    (directory / "tea" / "models" / "tea.bpmn").write_text(MODEL)
    (directory / "tea" / "models" / "leaves.dmn").write_text(DECISION)
    return directory


def test_phases_retries_decisions_and_ends_of_a_stranger_are_used(
    pip: Pip, databases: Databases, tmp_path: Path
) -> None:
    packages, noted = tmp_path / "packages", tmp_path / "noted"
    install(pip, packages, written(tmp_path / "source"))
    url = databases.lend()
    facts = environment(packages, tmp_path / "state", url)
    facts |= {"MPMS_TEA_FILE": str(noted)}
    done = run(facts, "models", "deploy", "--plugin", "tea")
    assert done.returncode == 0, done.stderr
    with Site(url) as site:
        with running(facts, "work") as worker:
            instance = site.start_only("tea", hour=17)
            eventually(lambda: site.forms(instance))
            known = site.variables(instance)
            assert (known["tries"], known["leaves"]) == (3, "mint")
            eventually(lambda: {"first", "then", "background"} <= set(lines(noted)))
            worker.terminate()
            worker.wait()
        assert lines(noted)[-1] == "closed"
        ended = run(facts, "instances", "cancel", instance, "--reason", "spilt")
        assert ended.returncode == 0, ended.stderr
        told = "SELECT data FROM events WHERE kind = 'tea ended'"
        assert site.database.rows(told) == [({"how": "cancelled"},)]
    databases.take_back(url)


def lines(file: Path) -> list[str]:
    return file.read_text().split() if file.exists() else []
