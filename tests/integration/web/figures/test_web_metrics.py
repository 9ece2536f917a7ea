"""Prometheus gets the plant and the requests, in a form that a strict reader takes."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.site import NO_PAPER, Browser
from tests.support.web_figures import House


def scrape(client: Browser) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain")
    found: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
    for family in text_string_to_metric_families(answer.text):
        assert family.documentation, family.name
        for sample in family.samples:
            series = (sample.name, frozenset(sample.labels.items()))
            assert series not in found, series
            found[series] = sample.value
    return found


def of(found: Any, name: str, **labels: str) -> float | None:
    value: float | None = found.get((name, frozenset(labels.items())))
    return value


def test_the_plant_is_measured(house: House) -> None:
    house.finish(house.mix())
    house.mix()
    house.trouble = NO_PAPER
    house.finish(house.mix())
    house.worker.settle()
    house.tally()
    found = scrape(house.visitor())
    running = of(found, "mpms_instances", process="mixing", state="active")
    assert running == 2
    done = {"process": "mixing", "state": "completed"}
    assert of(found, "mpms_instances_total", **done) == 1
    assert of(found, "mpms_jobs", topic="print", state="ready") == 1
    assert of(found, "mpms_jobs_total", topic="print", outcome="run") == 1
    failed = of(found, "mpms_jobs_total", topic="print", outcome="failed")
    assert failed is not None
    assert failed >= 1
    assert of(found, "mpms_tasks", state="open") == 1
    assert of(found, "mpms_history_lines_total", kind="instance started") == 3
    assert of(found, "mpms_queue_size", queue="deliveries") == 0
    assert of(found, "mpms_queue_oldest_seconds", queue="timers") == 0
    assert of(found, "mpms_database_up") == 1
    assert of(found, "mpms_streams") == 3
    robot = house.world.robots[0].id
    assert of(found, "mpms_robot_connected", robot=robot) == 1


def test_an_incident_is_measured(house: House) -> None:
    house.trouble = NO_PAPER
    house.finish(house.mix())
    house.use_up_attempts()
    found = scrape(house.visitor())
    assert of(found, "mpms_incidents", kind="job") == 1
    assert of(found, "mpms_jobs", topic="print", state="given_up") == 1


def test_requests_are_measured_by_route_and_not_by_address(house: House) -> None:
    client = house.visitor()
    for number in range(3):
        client.get(f"/orders/MO-{number}")
    client.get("/no-such-page")
    client.open("/healthz", method="BREW")
    found = scrape(client)
    route = {"method": "GET", "route": "/orders/<number>"}
    assert of(found, "mpms_requests_total", status="303", **route) == 3
    assert of(found, "mpms_request_seconds_count", **route) == 3
    none = {"method": "GET", "route": "none", "status": "404"}
    assert of(found, "mpms_requests_total", **none) == 1
    methods = {dict(labels).get("method") for _, labels in found}
    assert "BREW" not in methods


def test_only_this_machine_may_ask(house: House) -> None:
    client = house.visitor()
    far = {"REMOTE_ADDR": "192.0.2.7"}
    assert client.get("/metrics", environ_base=far).status_code == 403
    local = {"REMOTE_ADDR": "::1"}
    assert client.get("/metrics", environ_base=local).status_code == 200
    for header in ("X-Forwarded-For", "Forwarded", "Via"):
        passed_on = client.get("/metrics", headers={header: "x"})
        assert passed_on.status_code == 403, header


@pytest.mark.parametrize(
    ("sent", "status"),
    [("Bearer s3cret", 200), ("Bearer wrong", 403), ("", 403), ("Bearer ü", 403)],
)
def test_with_a_token_only_who_has_it_may_ask(
    house: House, sent: str, status: int
) -> None:
    client = house.visitor(metrics_token="s3cret")
    far = {"REMOTE_ADDR": "192.0.2.7"}
    headers = {"Authorization": sent} if sent else {}
    answer = client.get("/metrics", headers=headers, environ_base=far)
    assert answer.status_code == status


def test_without_a_database_the_process_is_still_measured(house: House) -> None:
    client = house.visitor()
    house.services.close()
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert "mpms_database_up 0.0" in answer.text
