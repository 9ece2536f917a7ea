"""Packages of strangers: installed with pip, they serve topics, pages and models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from mpms.domain.people import Role
from tests.support.site import Site
from tests.support.waiting import PATIENCE_S, eventually

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
LITRES = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="urn:test">
  <process id="tank" isExecutable="true"><startEvent id="begin"/>
    <serviceTask id="convert" camunda:type="external" camunda:topic="convert.litres"/>
    <userTask id="look"/>
    <sequenceFlow id="a" sourceRef="begin" targetRef="convert"/>
    <sequenceFlow id="b" sourceRef="convert" targetRef="look"/>
  </process></definitions>"""
BROKEN = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "broken-example"
version = "2.1"
[project.entry-points."mpms.plugins"]
broken = "broken_example:plugin"
[tool.hatch.build.targets.wheel]
include = ["broken_example.py"]
"""

Pip = Callable[..., None]


@pytest.fixture(scope="module")
def packages(pip: Pip, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the examples installed."""
    directory = tmp_path_factory.mktemp("packages")
    install(pip, directory, EXAMPLES / "topic", EXAMPLES / "bakery")
    return directory


def install(pip: Pip, directory: Path, *sources: Path) -> None:
    pip(
        *("install", "--quiet", "--no-deps", "--no-build-isolation"),
        *("--target", directory, *sources),
    )


def environment(packages: Path, state: Path, url: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}
    return kept | {
        "PYTHONPATH": str(packages),
        "MPMS_DATABASE_URL": url,
        "MPMS_STATE_DIR": str(state),
        "MPMS_WEB_PORT": "0",
    }


def run(facts: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mpms", *command],
        env=facts,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@contextmanager
def running(facts: dict[str, str], command: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "mpms", command],
        env=facts,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def page(address: str, session: str) -> tuple[int, str]:
    asked = urllib.request.Request(  # noqa: S310
        address, headers={"Cookie": f"mpms_session={session}"}
    )
    try:
        with urllib.request.urlopen(asked, timeout=PATIENCE_S) as answer:  # noqa: S310
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def test_plug_ins_are_listed_with_their_package_and_what_they_add(
    packages: Path, tmp_path: Path, database_url: str
) -> None:
    said = run(environment(packages, tmp_path, database_url), "plugins")
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines() == [
        f"bakery  mpms-example-bakery 1.0  {packages / 'bakery' / '__init__.py'}",
        "  topic  oven.bake  outside  bakes loaves",
        "  page   /bakery  Bakery",
        "  model  bread.bpmn",
        "  model  check_bread.form",
        f"litres  mpms-example-topic 1.0  {packages / 'litres.py'}",
        "  topic  convert.litres  outside",
    ]


def test_a_strangers_topics_page_and_model_work_with_no_change_of_ours(
    packages: Path, tmp_path: Path, database_url: str
) -> None:
    facts = environment(packages, tmp_path / "state", database_url)
    (tmp_path / "tank.bpmn").write_text(LITRES)
    linted = run(facts, "models", "lint", str(tmp_path / "tank.bpmn"))
    told = json.loads(linted.stdout)
    assert (told["deployable"], told.get("warnings", [])) == (True, [])
    done = run(
        facts, "models", "deploy", "--plugin", "bakery", str(tmp_path / "tank.bpmn")
    )
    assert done.returncode == 0, done.stderr
    assert "bread: version 1" in done.stdout
    assert "tank: version 1" in done.stdout
    with ExitStack() as parts:
        site = parts.enter_context(Site(database_url))
        site.person("lea", Role.SUPERVISOR)
        site.person("ana", Role.WORKER)
        parts.enter_context(running(facts, "work"))
        server = parts.enter_context(running(facts, "serve"))
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1].rstrip("/")

        baked = site.start_only("bread", business_key="B-1", loaves=100)
        tank = site.start_only("tank", kg=310.0, kg_per_litre=1.24)
        refused = site.start_only("bread", loaves=5000)
        eventually(lambda: site.forms(baked) and site.forms(tank))
        assert site.variables(baked)["turns"] == 3
        assert site.variables(tank)["litres"] == 250.0
        eventually(lambda: site.instance(refused).status.value == "completed")
        assert "do not fit" in site.variables(refused)["why"]

        status, text = page(f"{address}/bakery", site.session_of("lea"))
        assert status == 200
        assert "B-1</a> waits to be checked" in text
        assert '<a href="/bakery">' in text  # in the menu
        status, text = page(f"{address}/bakery", site.session_of("ana"))
        assert status == 403
        status, text = page(f"{address}/me", site.session_of("ana"))
        assert status == 200
        assert '<a href="/bakery">' not in text


@pytest.mark.parametrize("command", ["work", "serve"])
def test_a_broken_plug_in_is_named_and_refused_at_start(
    pip: Pip, packages: Path, tmp_path: Path, database_url: str, command: str
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "pyproject.toml").write_text(BROKEN)
    (source / "broken_example.py").write_text("import no_such_library\n")
    install(pip, tmp_path / "broken", source)
    facts = environment(tmp_path / "broken", tmp_path / "state", database_url)
    said = run(facts, command)
    assert said.returncode == 1
    assert said.stderr.splitlines()[-1] == (
        "mpms: The plug-in broken of broken-example 2.1 cannot be used:"
        " ModuleNotFoundError: No module named 'no_such_library'"
        " Correct or uninstall it."
    )
    listed = run(facts, "plugins")
    assert listed.returncode == 1
    assert "  cannot be used: ModuleNotFoundError" in listed.stdout
