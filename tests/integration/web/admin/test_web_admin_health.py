"""The health page tells what is broken, why, and what to do; machines get a word."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mpms.factory.adapters.memory import LoopbackRobots
from mpms.factory.ports.fleet import SavedFleet
from mpms.factory.ports.mail.vitals import MailFacts
from mpms.factory.services.health import (
    FactoryHealth,
    check_fleet,
    check_mail_in,
    check_mail_out,
)
from mpms.factory.web.labels import health
from mpms.ports.admin.plant_desk import PlantDesk
from mpms.ports.workers import Contact, WorkerSeen
from mpms.services.admin.health import Light, check_queues, check_workers, read_health
from mpms.services.jobs.handlers import Handlers
from tests.support.factory_worker import FactoryWorker
from tests.support.site import Browser, browser_of, pages_of
from tests.support.web_admin import Office

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class SilentAlarm:
    """Nobody rings."""

    def wait(self, timeout_s: float) -> object:
        threading.Event().wait(min(timeout_s, 0.01))
        return None

    def wake(self) -> None:
        pass


def worker_of(office: Office, name: str = "host:1") -> FactoryWorker:
    return FactoryWorker(
        office.uow,
        office.advance,
        Handlers(),
        LoopbackRobots(office.world),
        SilentAlarm(),
        name=name,
        version="1.2",
    )


def seen(ago_s: float, **more: Any) -> WorkerSeen:
    at = NOW - timedelta(seconds=ago_s)
    facts = {"failure": None, "version": "1", "name": "host:1"} | more
    return WorkerSeen(
        facts["name"],
        facts["version"],
        1.0,
        at,
        at,
        5,
        facts["failure"],
        more.get("clock_ahead_s", 0.0),
    )


@pytest.mark.covers("A1")
def test_a_running_worker_makes_the_plant_green_and_its_end_is_noticed(
    office: Office, admin: Browser
) -> None:
    assert office.visitor().get("/healthz/word").status_code == 503
    worker = worker_of(office)
    worker.turn()
    worker.turn()
    read = read_health(
        office.uow, office.clock.now(), parts=(FactoryHealth(office.world),)
    )
    lights = {f.part: f.light for f in read.findings}
    assert lights["workers"] == lights["robots"] == lights["database"] == Light.GREEN
    page = admin.get("/admin").text
    assert "host:1" in page
    assert "1 worker is running." in page
    again = browser_of(pages_of(office.desk()))  # pages remember the word for a while
    assert again.get("/healthz/word").text == "good\n"

    stop = threading.Event()
    stop.set()
    worker.run(stop)
    assert office.rows("SELECT * FROM workers") == []
    assert "No worker is running" in admin.get("/admin/health-now").text


@pytest.mark.parametrize(
    ("workers", "cause", "light"),
    [
        ([], "none", Light.RED),
        ([seen(3600)], "none", Light.RED),
        ([seen(1)], "fine", Light.GREEN),
        ([seen(1, failure="boom")], "failing", Light.YELLOW),
        ([seen(1), seen(600, name="host:2")], "vanished", Light.YELLOW),
        ([seen(1, version="0.9")], "versions", Light.YELLOW),
        ([seen(1, clock_ahead_s=-60.0)], "clock", Light.YELLOW),
        ([seen(1, clock_ahead_s=2.0)], "fine", Light.GREEN),
    ],
)
def test_workers_are_shown_by_their_last_heartbeat(
    workers: list[WorkerSeen], cause: str, light: Light
) -> None:
    found = check_workers(workers, NOW, "1")
    assert (found.cause, found.light) == (cause, light)


def test_a_queue_is_late_by_its_own_measure() -> None:
    assert check_queues({"job": 30.0, "reply": 600.0}).light is Light.GREEN
    assert check_queues({"job": 61.0, "reply": 600.0}).light is Light.YELLOW
    worst = check_queues({"job": 61.0, "timer": 601.0})
    assert (worst.light, worst.values["queue"]) == (Light.RED, "timer")


def test_a_mail_server_is_shown_by_its_last_answer() -> None:
    facts = MailFacts(None, 1, 0, None)
    before, later = NOW - timedelta(seconds=60), NOW - timedelta(seconds=5)
    broken = Contact("imap", before, later, "connection refused")
    back = Contact("imap", later, before, "connection refused")
    assert check_mail_in(broken, facts, NOW).cause == "away"
    assert check_mail_in(back, facts, NOW).light is Light.GREEN
    assert check_mail_in(None, facts, NOW).light is Light.GREY
    assert check_mail_out(broken, facts).light is Light.RED
    assert check_mail_out(back, MailFacts(None, 0, 2, None)).cause == "lost"


@pytest.mark.parametrize(
    ("led", "saved_s", "at_work", "requests", "cause", "light"),
    [
        (True, 10.0, 3, 3, "fine", Light.GREEN),
        (True, 121.0, 3, 3, "stalled", Light.RED),
        (True, 999.0, 0, 0, "fine", Light.GREEN),
        (False, 10.0, 3, 3, "not_led", Light.RED),
        (False, 10.0, 0, 0, "not_led", Light.YELLOW),
    ],
)
def test_a_fleet_whose_robots_have_tasks_and_do_nothing_is_told(
    led: bool, saved_s: float, at_work: int, requests: int, cause: str, light: Light
) -> None:
    saved = SavedFleet({}, "w", "a", NOW - timedelta(seconds=saved_s), led)
    found = check_fleet(saved, at_work, requests, NOW)
    assert (found.cause, found.light) == (cause, light)
    told = health.told(found)
    assert told is not None
    assert ("2 min" in told.cause) is (cause == "stalled")


def test_a_full_disk_and_the_version_are_told(office: Office) -> None:
    plant = PlantDesk(version="9.8.7", disk=lambda: (1 << 20, 100 << 30))
    page = office.browser_of("adam", plant=plant).get("/admin").text
    assert "MPMS 9.8.7" in page
    assert "Only 0 GB are free" in page
    told = office.browser_of("adam", plant=plant).get("/admin/health.json").json
    assert told["light"] == "red"
    assert {"database", "workers", "queues", "disk"} <= {
        part["part"] for part in told["parts"]
    }


def test_a_database_that_is_away_is_a_finding_and_no_fault(office: Office) -> None:
    office.services.connections.close()
    read = read_health(office.uow, NOW, parts=(FactoryHealth(office.world),))
    assert read.light is Light.RED
    assert read.findings[0].cause == "away"


def test_old_jobs_and_timers_make_the_queues_late(
    office: Office, admin: Browser
) -> None:
    office.deploy("forms/load_material.form", "processes/warehouse_simplified.bpmn")
    ((definition,),) = office.rows("SELECT id FROM definitions LIMIT 1")
    office.rows(
        "WITH i AS (INSERT INTO instances (id, definition_id, key) VALUES"
        " (gen_random_uuid(), %s, 'k') RETURNING id)"
        " INSERT INTO timers (task_id, instance_id, element, due_at)"
        " SELECT gen_random_uuid(), id, 'wait', now() - interval '3 hours' FROM i",
        definition,
    )
    page = admin.get("/admin").text
    assert "The oldest of the timers has waited for 3 h." in page
    office.rows("UPDATE instances SET suspended_at = now(), suspended_by = 'x'")
    assert "Nothing waits longer than it should." in admin.get("/admin").text
