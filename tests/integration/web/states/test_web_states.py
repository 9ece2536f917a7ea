"""Every page of a plant in which everything has happened, for everybody who may see it.

What is drawn on bad days only breaks on bad days only: so all of them are made at once,
in one database, and every address that can be asked for is asked for. What of the
templates was rendered is counted by branches. ``elsewhere.txt`` names the others: most
are shown by no state of the plant but by a wrong answer to a form or the door of
another company, and the tests of those render them.
"""

from __future__ import annotations

import itertools
import json
import re
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from flask import Flask
from werkzeug.routing import Rule

from mpms.adapters.web_push import WebPusher
from mpms.assets import shipped_models
from mpms.domain.people.people import Role
from mpms.factory.domain.records.chain import Entry
from mpms.factory.ports.checks import ProfileShown, Tell
from mpms.factory.ports.floor import FloorSeen, PersonSeen, RobotSeen
from mpms.factory.web.desk import DemoFactory
from mpms.factory.web.pages.figures import TABLES
from mpms.ports.admin.plant_desk import LogFile, PlantDesk, SettingShown
from mpms.services.instances.repair import cancel_instance, retry_incident
from mpms.services.instances.suspend import resume_instance, suspend_instance
from mpms.web.desk import DemoDoor
from mpms.web.fields.instance_actions import ACTIONS
from mpms.web.pages.cockpit_instance import TABS
from mpms.web.rights import STRANGERS, roles_of
from tests.support.shown_drives import IDS, ShownDrives
from tests.support.site import Browser, browser_of
from tests.support.web_states import WatchedSite

HERE = Path(__file__).parent
PATIENCE_S = 60.0
# A stream that does not end, files that a build makes, and what monitoring asks for.
NOT_ASKED = {"events.follow", "static", "shell.service_worker", "metrics.scrape"}
NOT_ASKED |= {"admin.word"}
PEOPLE = {
    "adam": (Role.ADMIN, (), "de"),
    "eva": (Role.SUPERVISOR, (), "en"),
    "sofia": (Role.SUPERVISOR, ("worker",), "es"),
    "ana": (Role.WORKER, ("worker",), "en"),
    "max": (Role.WORKER, ("worker", "nobody uses this"), "en"),
    "vera": (Role.VIEWER, (), "en"),
    "dora": (Role.WORKER, ("mixers",), "en"),
}
STEPS = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="d" targetNamespace="urn:x">
<process id="{key}" isExecutable="true"><startEvent id="begin"/>{steps}
<endEvent id="end"/>{flows}</process></definitions>"""
MATERIAL = {"code": "RM-001", "name": "Water", "required_kg": 12345.678, "place": "A"}
DONE = {"loaded_kg": 3, "lot": "L-1"}
CATALOGUE = {
    "materials": [
        {"code": "RM-001", "name": "Water", "max_kg": 100, "place": "A"}
        | {"picture": f"{'0' * 32}.png"},
        {"code": "RM-002", "name": "Chalk", "max_kg": 100, "place": "nowhere"},
    ],
    "recipes": [
        {
            "name": "White paint",
            "batch": 100,
            "unit": unit,
            "lines": [{"material": f"RM-00{n}", "kg": 10} for n in (1, 2)],
        }
        | more
        for unit, more in (
            ("kg", {}),
            ("l", {"name": "Grey paint", "density_kg_per_l": "1.2"}),
        )
    ],
}
ASKED = tomllib.loads((HERE / "addresses.toml").read_text("utf-8"))
UNDOABLE = """SELECT instance_id, id FROM events WHERE kind IN
    ('suspended', 'resumed', 'variables set', 'token moved', 'migrated')"""
TOKENS = "SELECT task_id::text FROM tasks WHERE instance_id::text = %s LIMIT 1"
FIXED: Mapping[str, Sequence[object]] = {
    "robot": ("robot1", "robot2", "robot3", "nobody"),
    "tab": (*TABS, "nothing"),
    "action": (*ACTIONS, "nothing"),
    "table": (*TABLES, "nothing"),
    "version": (1, 2, 3),
    "name": ("file",),
    "kind": ("materials", "recipes", "suppliers", "tanks", "lots"),
    "code": ("RM-001", "RM-002", "RM-999"),
    "drive_id": IDS,
    "which": ("new", "present", "other"),
}
UNKNOWN: Mapping[str, object] = {
    **dict.fromkeys(("task_id", "instance_id", "attachment_id"), uuid4()),
    **dict.fromkeys(("late_id", "batch_id", "definition_id"), 999_999),
}
ASKED_OF_ALL = {"models.compare", "models.deploy.migrate", "cockpit_instance.values"}
ASKED_OF_ALL |= {"cockpit.process", "cockpit.steps"}
# The last of many, one by one.
AFTERWARDS = {
    "DELETE FROM goals WHERE robot = 'robot1'": "/admin/robots",
    "UPDATE history_runs SET taken_at = NULL": "/admin/retention",
    "DELETE FROM push_subscriptions WHERE endpoint LIKE '%2'": "/incidents/alerts",
    "UPDATE late_answers SET decided_at = now() WHERE id > 1": "/tasks /",
    """UPDATE orders SET status = 'new' WHERE status = 'waiting for release'
       AND number <> 'MO-2026-0006'""": "/",
    """UPDATE incidents SET resolved_at = now() WHERE resolved_at IS NULL
       AND id > (SELECT min(id) FROM incidents WHERE resolved_at IS NULL)""": "/tasks",
    """UPDATE incidents SET resolved_at = now() WHERE resolved_at IS NULL;
       UPDATE orders SET status = 'new' WHERE status = 'waiting for release';
       UPDATE orders SET status = 'done' WHERE status IN ('new', 'in process');
       DELETE FROM tasks WHERE form LIKE 'order_failed%'""": (
        "/ /incidents /orders /floor"
    ),
    "DELETE FROM batch_items WHERE batch_id = 1": "/batches/1",
}
# A product that was loaded into another one.
RECORDED = (
    ("MO-2026-0002", "loaded", "L-1", "10.5"),
    ("MO-2026-0002", "produced", "MO-2026-0002", "10.5"),
    ("MO-2026-0003", "loaded", "MO-2026-0002", None),
    ("MO-2026-0003", "produced", "MO-2026-0003", "1"),
)
TWO_ASK = {"tasks.page", "batches.page", "cockpit_instance.tab"}


def test_every_page_renders_in_every_state_for_everybody(site: WatchedSite) -> None:
    app = site.watched_app()
    assert app.test_client().get("/login").status_code == 200
    for login, (role, groups, language) in PEOPLE.items():
        site.person(login, role, groups=groups, language=language)
    visit(site, app, as_everybody=False)
    assert site.sign_in(app, "ana", "Empty").get("/login").status_code == 200
    make_everything(site, app)
    app.extensions["desk"] = replace(site.desk(), **everything_set())
    visit(site, app)
    for login in ("ana", "adam"):
        on_a_tablet = site.sign_in(app, login, tablet=f"Tablet of {login}")
        for path in ("/login", "/login?as=ana", "/login?with=password", "/tablets"):
            assert ask(on_a_tablet, path) == []
    leader = site.sign_in(app, "adam")
    for instance_id, line in site.rows(UNDOABLE):
        assert ask(leader, f"/cockpit/i/{instance_id}/do/undo?line={line}") == []
    for path, typed in wrong_answers(site):
        answer = leader.post(path, data=typed)
        assert answer.status_code in (200, 409, 422), (path, answer.text)
    for change, paths in AFTERWARDS.items():
        site.rows(change)
        assert [why for path in paths.split() for why in ask(leader, path)] == []
    elsewhere = (HERE / "elsewhere.txt").read_text("utf-8").splitlines()
    listed = {line for line in elsewhere if line and not line.startswith("#")}
    new = sorted(set(site.branches.missed) - listed)
    assert not new, "make a state that shows them:\n" + "\n".join(new)
    assert sorted(listed - site.branches.all) == [], "no template has them"


def model(key: str, *steps: str) -> bytes:
    ids = ["begin", *(step.split('"')[1] for step in steps), "end"]
    flows = "".join(
        f'<sequenceFlow id="f{n}" sourceRef="{a}" targetRef="{b}"/>'
        for n, (a, b) in enumerate(itertools.pairwise(ids))
    )
    return STEPS.format(key=key, steps="".join(steps), flows=flows).encode()


def make_everything(site: WatchedSite, app: Flask) -> None:
    names = ("everything.bpmn", "all_fields.form", "tables.dmn")
    look, see = '<userTask id="look" name="Look"/>', '<userTask id="see"/>'
    ask_ = '<userTask id="look" name="Look" camunda:formKey="all_fields"/>'
    call = '<callActivity id="call" name="Call" calledElement="not_there"/>'
    pack = '<userTask id="pack" camunda:candidateGroups="packers"/>'
    decide = '<userTask id="decide" name="Decide" camunda:formKey="order_failed"/>'
    site.deploy_shipped()
    site.deploy_files({name: (HERE / name).read_bytes() for name in names}, note="All.")
    site.deploy_files(
        {
            "called.bpmn": model("called", look),
            "short.bpmn": model("short"),
            "stopped.bpmn": model("stopped", decide),
            "warned.bpmn": model("warned", call, pack),
        },
        note="The first.",
    )
    everything = site.start(
        "everything",
        "MO-2026-0002",
        kg=3,
        lot="L-1",
        words=["x" * 300],
        order_number="MO-2026-0002",
        materials=[MATERIAL],
    )
    site.use_up_attempts()
    for _ in range(2):
        ((last,),) = site.rows("SELECT max(id) FROM incidents WHERE kind = 'job'")
        retry_incident(site.uow, site.advance, last, by="sofia")
        site.use_up_attempts()
    near = {"material": MATERIAL, "materials": [MATERIAL] * 2, "index": 1}
    made = {
        "everything": everything,
        "suspended": site.start("called", "MO-2026-0008"),
        "completed": site.start("short", "C"),
        "cancelled": site.start("called"),
        "far": site.start("called", "F", place="A", robot="robot1", **near),
        "lost": site.start("called", "L", place="tank 3", robot="robot2", **near),
        "seen": site.start("called", "S", place="B", robot="robot3", loaded=[DONE]),
        "here": site.start("called", "H", place="mixing_room", robot="robot1", **near),
        "mine": site.start("called", "MO-2026-0003", loaded=[DONE], **near),
        "again": site.start("everything", "A"),
    }
    for number in ("MO-2026-0009", None, *(f"MO-2026-001{n}" for n in range(8))):
        site.start("stopped", number, error_message="The robot is blocked.")
    site.start("orders_handling")
    cancel_instance(
        site.uow, site.advance, made["cancelled"], by="sofia", reason="Over."
    )
    for _ in range(2):
        suspend_instance(site.uow, made["suspended"], by="sofia", reason="Wait.")
        resume_instance(site.uow, made["suspended"], by="sofia", reason="Go on.")
    suspend_instance(site.uow, made["suspended"], by="sofia", reason="Wait.")
    for n, steps in enumerate([(look, see), (see,), (look,), (ask_,), *[(look,)] * 3]):
        renamed = [step.replace('"Look"', f'"Look {n}"') for step in steps]
        site.deploy_files({"called.bpmn": model("called", *renamed)}, note="Better.")
    moved = re.sub(
        r'(<dc:Bounds x=")', r"\g<1>1", shipped_models()["warehouse.bpmn"].decode()
    )
    site.deploy_files(
        {"warehouse.bpmn": moved.replace("Load material", "Load").encode()}
    )
    repair(site, app, made)
    count_all(site)
    tasks = site.rows(
        "SELECT element, task_id::text FROM tasks WHERE instance_id = %s", everything
    )
    others = {
        "task": dict(tasks)["look"],
        "others": dict(tasks)["again"],
        "answered": str(uuid4()),
        "catalogue": json.dumps(CATALOGUE),
    }
    site.run((HERE / "states.sql").read_text("utf-8"), made | others)
    with site.uow() as tx:
        recipe = {"name": "Paint", "version": 2, "sha256": "ab", "batch": "500 l"}
        ordered = {"product": "Paint", "recipe": recipe}
        tx.records.note(Entry("MO-2026-0002", "order accepted", "ana", data=ordered))
        for number, what, lot, kg in RECORDED:
            data = {"material": "RM-001", "lot": lot, "kg": kg}
            tx.records.note(Entry(number, what, "ana", data=data))


def count_all(site: WatchedSite) -> None:
    """Whoever follows the history waits for the oldest transaction of the server."""
    give_up_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up_at:
        site.worker.settle()
        ((behind,),) = site.rows(
            """SELECT count(*) FROM events AS e, readers AS r WHERE r.name = 'tallies'
               AND (e.transaction, e.id) > (r.transaction, r.line)"""
        )
        if not behind:
            return
        time.sleep(0.1)
    raise AssertionError("the history was never counted")


def repair(site: WatchedSite, app: Flask, made: Mapping[str, str]) -> None:
    """By hand, on the pages: what can be undone, and that it was done."""
    client = site.sign_in(app, "sofia")
    for name, action, data in (
        ("far", "set-variable", {"name": "kg", "value": "3"}),
        ("far", "set-variable", {"name": "kg", "value": "null"}),
        ("far", "remove-variable", {"name": "index"}),
        ("far", "set-variable", {"name": "fresh", "value": "1"}),
        ("here", "suspend", {}),
        ("here", "resume", {}),
        ("lost", "migrate", {"to": "2"}),
        ("lost", "move", {"element": "see", "at": "look"}),
    ):
        page = f"/cockpit/i/{made[name]}"
        token = site.rows(
            "SELECT task_id::text FROM tasks WHERE instance_id = %s", made[name]
        )[0][0]
        given = {"reason": "Because.", "task": token if action == "move" else ""}
        answer = client.post(f"{page}/do/{action}", data=data | given)
        assert answer.status_code == 303, answer.text
        assert client.get(page).status_code == 200


def wrong_answers(site: WatchedSite) -> Iterator[tuple[str, dict[str, str]]]:
    """To forms of which no other test gives a wrong answer without a script."""
    ((task, instance_id),) = site.rows(
        """SELECT task_id::text, instance_id::text FROM tasks JOIN instances AS i
           ON i.id = instance_id WHERE business_key = 'MO-2026-0002' AND form <> ''"""
    )
    yield f"/tasks/{task}/answer", {}
    page = f"/cockpit/i/{instance_id}/do/"
    yield f"{page}set-variable", {"name": "kg", "value": "{", "reason": "So."}
    chosen = {"key": "called", "all": "1", "reason": "So."}
    yield "/batches", chosen | {"action": "set variables", "content": "1"}
    yield "/batches", chosen | {"action": "skip"}
    yield "/admin/places/versions", {"file": "1", "seen": "1"}


def everything_set() -> dict[str, Any]:
    """A site with every part that a plant may have or lack."""
    settings = [
        SettingShown("MPMS_A", "1", "environment", "What it is", ""),
        SettingShown("MPMS_B", "", "default", "What it is", "Nothing is sent."),
    ]
    log = LogFile("mpms.log", 10, datetime.now(UTC), HERE / "states.sql")
    seen = FloorSeen(
        (
            RobotSeen(
                "robot1", 1.0, 1.0, 0.0, 0.1, 0.1, 0.5, 0.8, plan=((0, 0), (1, 1))
            ),
            RobotSeen("robot2", stopped=True, heard_age_s=0.1),
        ),
        (PersonSeen("tag 1", 1.0, 2.0, 0.3, 0.1),),
    )
    demo = DemoFactory(
        {
            "leader": DemoDoor("sofia", "x"),
            "engineer": DemoDoor("adam", "x", "/models"),
        },
        lambda: "",
        {"mail": lambda: ""},
    )
    return {
        "demo": demo,
        "floor": Watched(seen),
        "hand_to_mail_server": lambda raw: None,
        "orders_address": "orders@plant.example.com",
        "drives": ShownDrives(),
        "pusher": WebPusher("mailto:plant@example.com"),
        "plant": PlantDesk("1", "1", settings, lambda: [log]),
        "robot_check": Profiles(),
    }


class Watched:
    """A floor on which somebody is."""

    def __init__(self, seen: FloorSeen) -> None:
        self._seen = seen

    def seen(self) -> FloorSeen:
        return self._seen

    def costmap(self, robot: str) -> list[Any]:
        return [(0.0, 0.0)]

    global_costmap = costmap


class Profiles:
    """Robots that are all of one make."""

    def profile(self, robot: str) -> ProfileShown | None:
        topics = [("goal", "/goal", "Pose")]
        words = "A make" if robot == "robot1" else ""
        return ProfileShown("make", words, words, "driver", topics, "ws://a")

    def check(self, robot: str, tell: Tell) -> None:
        raise AssertionError("nobody tests a robot here")


def visit(site: WatchedSite, app: Flask, *, as_everybody: bool = True) -> None:
    """Ask for everything: the first address as all who may, others as one or two."""
    broken = []
    clients = {one: site.sign_in(app, one) for one in PEOPLE if one != "dora"}
    for rule in app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.endpoint in NOT_ASKED:
            continue
        if rule.rule.startswith(("/engine-rest", "/v2")):
            continue
        if rule.rule.startswith("/api/") and rule.endpoint != "api.docs":
            continue
        may = roles_of(app, rule.endpoint) or frozenset()
        askers = [clients[one] for one in clients if PEOPLE[one][0] in may]
        if may == STRANGERS:
            askers = [browser_of(app), clients["ana"]]
        for number, path in enumerate(addresses(site, rule)):
            some = askers if as_everybody and not number else askers[:1]
            if number and rule.endpoint in TWO_ASK:
                some = [askers[0], askers[-1]]
            for client in some:
                broken += [f"{path}: {why}" for why in ask(client, path)]
    assert not broken, "\n".join(sorted(set(broken)))


def ask(client: Browser, path: str) -> list[str]:
    try:
        status = client.get(path, headers={"Accept": "text/html"}).status_code
        if status == 303:  # maybe a part of a page
            status = client.get(path, headers={"HX-Request": "true"}).status_code
    except Exception as error:  # whatever a template or its view raises
        return [f"{type(error).__name__}: {error}"]
    return [str(status)] if status >= 500 else []


def addresses(site: WatchedSite, rule: Rule) -> Iterator[str]:
    """Each with every value of its arguments; queries with the first of the last."""
    choices = [
        [(name, value) for value in values_of(site, rule.endpoint, name)]
        for name in sorted(rule.arguments)
    ]
    for chosen in itertools.product(*choices):
        path = rule.rule
        for name, value in chosen:
            end = path.index(f"{name}>") + len(name) + 1
            start = path.rindex("<", 0, end)
            path = path[:start] + quote(str(value), safe="") + path[end:]
        yield path
        first = not chosen or chosen[-1] == choices[-1][0]
        if first or rule.endpoint in ASKED_OF_ALL:
            asked = queries(site, rule.endpoint, dict(chosen))
            yield from (f"{path}?{query}" for query in asked)


def queries(
    site: WatchedSite, endpoint: str, chosen: Mapping[str, object]
) -> Iterator[str]:
    yield from ASKED["queries"].get(endpoint, ())
    if endpoint == "cockpit_instance.ask":
        for (token,) in site.rows(TOKENS, str(chosen["instance_id"])):
            yield f"task={token}"


def values_of(site: WatchedSite, endpoint: str, name: str) -> Sequence[object]:
    """All that there are, and one that there is not."""
    if name in FIXED:
        return FIXED[name]
    part = endpoint.rpartition(".")[0]
    known = ASKED["values"]
    names = (f"{endpoint} {name}", f"{part} {name}", name)
    wanted = next((known[one] for one in names if one in known), None)
    assert wanted, f"addresses.toml has no values for {name} of {endpoint}"
    found = [row[0] for row in site.rows(wanted)]
    return [*found, UNKNOWN.get(name, "nothing")]
