"""The cockpit's first page: what is stuck and what is late comes first."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest

from tests.support.site import row_of
from tests.support.web_cockpit import Panel


def test_every_process_is_listed_with_what_it_does_now(
    panel: Panel,
) -> None:
    panel.mix("MO-1")
    panel.mix("MO-2")
    row = row_of(panel.page("/cockpit"), 'href="/cockpit/mixing"')
    assert "Mix paint" in row
    assert "version 1" in row
    assert 'data-label="Running">2<' in row
    assert 'data-label="Forms">2<' in row
    assert 'data-label="Incidents">0<' in row
    assert "2 started, 0 completed, 0 failed" in row
    assert row.count("<rect") == 24


def test_processes_with_incidents_come_first_then_the_late_ones(panel: Panel) -> None:
    panel.deploy("busy", "Busy")
    panel.deploy("late", "Late")
    for number in range(3):
        panel.mix(f"B-{number}", "busy")
    late = panel.mix("L-1", "late")
    panel.rows(
        "INSERT INTO orders (number, due, instance_id, status)"
        " VALUES ('L-1', %s, %s, 'in process')",
        date.today() - timedelta(days=3),
        late,
    )
    panel.get_stuck("MO-1")
    page = panel.page("/cockpit")
    order = re.findall(r'id="process-(\w+)"', page)
    assert order == ["mixing", "late", "busy"]
    assert page.count("cockpit-trouble") == 2
    assert page.count("figure-bad") == 2


def test_the_fragment_that_is_fetched_again_is_no_whole_page(panel: Panel) -> None:
    fragment = panel.page("/cockpit-now")
    assert "<html" not in fragment
    assert "Mix paint" in fragment


@pytest.mark.parametrize("path", ["/cockpit", "/cockpit/mixing"])
def test_viewers_may_read_and_workers_may_not(panel: Panel, path: str) -> None:
    assert panel.browser("viewer").get(path).status_code == 200
    assert panel.browser("worker").get(path).status_code == 403
    assert panel.visitor().get(path).status_code == 303


@pytest.mark.parametrize(("language", "word"), [("de", "Prozesse"), ("es", "Procesos")])
def test_the_board_speaks_the_readers_language(
    panel: Panel, language: str, word: str
) -> None:
    assert word in panel.page("/cockpit", language=language)


def test_a_plant_without_processes_says_so(panel: Panel) -> None:
    panel.rows("DELETE FROM definitions")
    assert "No process is deployed." in panel.page("/cockpit")
