"""Packages of strangers: installed with pip, they serve topics, pages and models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import tty
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mpms.assets import product_version
from mpms.domain.people.people import Role
from tests.support.databases import Databases
from tests.support.site import Site
from tests.support.waiting import PATIENCE_S, eventually

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
MODEL = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="urn:test">
  <process id="{key}" isExecutable="true"><startEvent id="begin"/>
    <serviceTask id="work" camunda:type="external" camunda:topic="{topic}">
      <extensionElements>
        <camunda:failedJobRetryTimeCycle>R3/PT0.1S</camunda:failedJobRetryTimeCycle>
      </extensionElements></serviceTask>
    <boundaryEvent id="caught" attachedToRef="work"><errorEventDefinition id="e"
      errorRef="unknown" camunda:errorMessageVariable="why"/></boundaryEvent>
    <userTask id="look"/><endEvent id="refused"/>
    <sequenceFlow id="a" sourceRef="begin" targetRef="work"/>
    <sequenceFlow id="b" sourceRef="work" targetRef="look"/>
    <sequenceFlow id="c" sourceRef="caught" targetRef="refused"/>
  </process><error id="unknown" errorCode="MaterialUnknown"/></definitions>"""
MODELS = {"tank": "convert.litres", "stock": "stock.ask", "scale": "serial.weigh"}
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
    install(pip, directory, *sorted(path.parent for path in EXAMPLES.glob("*/*.toml")))
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


class Stock(BaseHTTPRequestHandler):
    """Another system: out of order at first, and it knows one material."""

    asked: ClassVar[list[str | None]] = []

    def do_GET(self) -> None:
        self.asked.append(self.headers["Idempotency-Key"])
        known = self.path == "/stock/RM-001"
        ready = len(self.asked) > 1
        self.send_response(404 if not known else 200 if ready else 503)
        self.end_headers()
        self.wfile.write(b'{"kg": 12.5}')

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def stock_system() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Stock) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@contextmanager
def swinging_scale() -> Iterator[str]:
    """A scale on a pseudo terminal: the load swings once, then rests."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    answers = [b"S D     11.980 kg\r\n", b"S S     12.345 kg\r\n"]

    def play() -> None:
        with suppress(OSError):
            while (asked := os.read(ours, 100)) != b"end":
                assert asked == b"S\r\n"
                os.write(ours, answers.pop(0) if answers else b"?\r\n")

    thread = threading.Thread(target=play)
    thread.start()
    yield os.ttyname(theirs)
    os.write(theirs, b"end")
    thread.join()
    os.close(theirs)
    os.close(ours)


@dataclass
class Plant:
    """A worker and a server that know nothing of the examples but their packages."""

    site: Site
    address: str
    deployed: str
    migrated: str

    def reach(self, key: str, **variables: Any) -> dict[str, Any]:
        """Start a process and wait for its form; return its variables."""
        instance = self.site.start_only(key, **variables)
        eventually(lambda: self.site.forms(instance))
        return self.site.variables(instance)

    def refused(self, key: str, **variables: Any) -> str:
        """Start a process and wait for its end; return what its error said."""
        instance = self.site.start_only(key, **variables)
        eventually(lambda: self.site.instance(instance).status.value == "completed")
        return str(self.site.variables(instance)["why"])


@pytest.fixture(scope="module")
def plant(
    packages: Path, databases: Databases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Plant]:
    directory = tmp_path_factory.mktemp("plant")
    for key, topic in MODELS.items():
        (directory / f"{key}.bpmn").write_text(MODEL.format(key=key, topic=topic))
    with ExitStack() as parts:
        url = databases.create(databases.template)  # a plug-in adds tables to it
        parts.callback(databases.drop, url)
        facts = environment(packages, directory / "state", url) | {
            "STOCK_URL": parts.enter_context(stock_system()),
            "SCALE_DEVICE": parts.enter_context(swinging_scale()),
            "MPMS_BAKERY_OVEN_LOAVES": "50",
        }
        migrated = run(facts, "migrate")
        assert migrated.returncode == 0, migrated.stderr
        files = map(str, sorted(directory.glob("*.bpmn")))
        done = run(facts, "models", "deploy", "--plugin", "bakery", *files)
        assert done.returncode == 0, done.stderr
        site = parts.enter_context(Site(url))
        for login, role in (("lea", Role.SUPERVISOR), ("adam", Role.ADMIN)):
            site.person(login, role)
        site.person("otto", Role.SUPERVISOR, language="de")
        parts.enter_context(running(facts, "work"))
        server = parts.enter_context(running(facts, "serve"))
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1].rstrip("/")
        yield Plant(site, address, done.stdout, migrated.stdout)


def test_plug_ins_are_listed_with_their_package_and_what_they_add(
    packages: Path, tmp_path: Path, database_url: str
) -> None:
    said = run(environment(packages, tmp_path, database_url), "plugins")
    assert said.returncode == 0, said.stderr
    ours, _, others = said.stdout.partition("bakery  ")
    assert ours.startswith(f"factory  mpms {product_version()}  ")
    assert "  topic  robot.move  inside  Sends the robot to a place" in ours
    assert ("bakery  " + others).splitlines() == [
        f"bakery  mpms-example-bakery 1.0  {packages / 'bakery' / '__init__.py'}",
        "  topic  oven.bake  outside  bakes loaves",
        "    takes  loaves: how many",
        "    gives  turns: how often the oven was filled",
        "  page   /bakery  Bakery",
        "  setting  MPMS_BAKERY_OVEN_LOAVES  40  How many loaves fit into the oven.",
        "  history  bread done",
        "  store  bakery_ledger",
        "  model  bread.bpmn",
        "  model  check_bread.form",
        "  answers  metrics  bakery_ledger_metrics",
        "  migration  0001_bakery_ledger.sql",
        "  worker  bakery.work:work",
        "  hooks  bakery.ledger:WriteLedger",
        "  API  bakery.ledger:SECTIONS",
        f"carts  mpms-example-robot-driver 1.0  {packages / 'carts.py'}",
        "  offers  factory.robots  carts  carts:Carts",
        "  offers  factory.scales  carts  carts:CartScales",
        f"litres  mpms-example-topic 1.0  {packages / 'litres.py'}",
        "  topic  convert.litres  outside",
        f"serial_scale  mpms-example-serial-scale 1.0  {packages / 'serial_scale.py'}",
        "  topic  serial.weigh  outside",
        f"shift  mpms-example-page 1.0  {packages / 'shift_page' / '__init__.py'}",
        "  page   /shift  Shift",
        f"stock  mpms-example-rest-call 1.0  {packages / 'stock.py'}",
        "  topic  stock.ask  outside",
    ]


def test_a_bad_setting_of_a_plug_in_and_a_misspelt_one_are_named(
    packages: Path, tmp_path: Path, database_url: str
) -> None:
    facts = environment(packages, tmp_path, database_url)
    few = run(facts | {"MPMS_BAKERY_OVEN_LOAVES": "few"}, "work")
    assert few.returncode == 1
    assert few.stderr == (
        "mpms: MPMS_BAKERY_OVEN_LOAVES is a whole number, zero or more.\n"
    )
    odd = run(facts | {"MPMS_BAKERY_OVEN_LOAFS": "50"}, "serve")
    assert "MPMS_BAKERY_OVEN_LOAFS is not a setting" in odd.stderr


def test_a_topic_in_ten_lines_is_served_and_known_to_the_lint(
    plant: Plant, packages: Path, tmp_path: Path
) -> None:
    assert plant.reach("tank", kg=310.0, kg_per_litre=1.24)["litres"] == 250.0
    model = tmp_path / "tank.bpmn"
    model.write_text(MODEL.format(key="tank", topic="convert.litres"))
    said = run(environment(packages, tmp_path, ""), "models", "lint", str(model))
    told = json.loads(said.stdout)
    assert (told["deployable"], told.get("warnings", [])) == (True, [])


def test_a_rest_call_is_retried_and_its_404_goes_to_the_model(plant: Plant) -> None:
    assert plant.reach("stock", material="RM-001")["in_stock_kg"] == 12.5
    first, second = Stock.asked
    assert first == second is not None
    assert plant.refused("stock", material="RM-9") == "nobody knows RM-9"


def test_a_scale_at_a_serial_line_is_read_when_its_load_rests(plant: Plant) -> None:
    assert plant.reach("scale")["weight_kg"] == 12.345


def test_a_page_is_in_the_menu_of_its_role_and_opens_to_nobody_else(
    plant: Plant,
) -> None:
    link = '<a href="/shift">'
    status, text = page(f"{plant.address}/shift", plant.site.session_of("adam"))
    assert (status, link in text) == (200, True)
    status, text = page(f"{plant.address}/shift", plant.site.session_of("lea"))
    assert status == 403
    status, text = page(f"{plant.address}/me", plant.site.session_of("lea"))
    assert (status, link in text) == (200, False)


def test_a_bakery_with_model_form_handler_and_page_works_beside_us(
    plant: Plant,
) -> None:
    assert "bread: version 1" in plant.deployed
    assert "check_bread: form" in plant.deployed
    baked = plant.reach("bread", business_key="B-1", loaves=100)
    assert baked["turns"] == 2  # by the setting
    assert "do not fit" in plant.refused("bread", business_key="B-2", loaves=5000)
    status, text = page(f"{plant.address}/bakery", plant.site.session_of("lea"))
    assert status == 200
    assert "B-1</a> waits to be checked" in text
    assert "The oven takes 50 loaves." in text
    german = page(f"{plant.address}/bakery", plant.site.session_of("otto"))[1]
    assert "<h1>Bäckerei</h1>" in german
    assert "B-1</a> wartet auf die Prüfung" in german
    assert "Bäckerei</a>" in german  # in the menu


def test_a_bakery_keeps_a_table_of_its_own_with_the_end_of_each_instance(
    plant: Plant,
) -> None:
    assert "0001_bakery_ledger" in plant.migrated
    plant.refused("bread", business_key="B-3", loaves=4000)
    address = f"{plant.address}/api/v1/bakery/ledger"
    status, text = page(address, plant.site.session_of("lea"))
    assert status == 200
    assert {"number": "B-3", "loaves": 4000, "turns": None} in json.loads(text)["items"]
    assert "# TYPE mpms_loaves_total counter" in page(f"{plant.address}/metrics", "")[1]
    told = "SELECT data FROM events WHERE kind = 'bread done'"
    assert ({"loaves": 4000, "turns": 0},) in plant.site.database.rows(told)


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
