"""Experiments by the pages: asked, run by the real program, compared and shared."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from mpms.domain.people.people import Role
from mpms.factory.services.experiments.results import MEASURES
from tests.support.experiments import SMALL, ExperimentHouse, number_in, words

TWO = {**SMALL, "strategy.poa": ["PodMatch", "FCFS"], "set.robots": "2, 4"}


@pytest.mark.covers("R72", "RC18", "R73")
def test_a_form_becomes_runs_that_are_compared(house: ExperimentHouse) -> None:
    browser = house.browser()
    made = number_in(browser.post("/experiments/new", data={**TWO, "title": "Two"}))
    before = words(browser.get(f"/experiments/{made}").text)
    assert "0 of 8 runs" in before
    assert house.work()
    assert house.experiment(made).state == "done"
    page = words(browser.get(f"/experiments/{made}").text)
    for case in ("poa=PodMatch robots=2", "poa=FCFS robots=4"):
        assert case in page
    assert "±" in page
    rows = house.rows(
        "SELECT robots, orders_per_h, score, collisions, footprint FROM experiment_runs"
    )
    assert len(rows) == 8
    for robots, orders_per_h, score, collisions, footprint in rows:
        assert robots in (2, 4)
        assert orders_per_h == footprint["orders_per_h"] > 0
        assert 0 < score < 1
        assert collisions == 0
        assert set(MEASURES) <= footprint.keys()
        assert {"strategy_poa", "decisions_poa", "state_share_Move"} <= footprint.keys()
    table = browser.get(f"/experiments/{made}/runs.csv").text.removeprefix("\ufeff")
    lines = list(csv.DictReader(io.StringIO(table)))
    assert len(lines) == 8
    assert {line["seed"] for line in lines} == {"0", "1"}


@pytest.mark.covers("R74", "R75", "RC21")
def test_a_run_is_replayed_and_drawn(house: ExperimentHouse) -> None:
    browser = house.browser()
    made = number_in(browser.post("/experiments/new", data={**SMALL, "seeds": "1"}))
    assert house.work()
    view = _json(browser.get(f"/experiments/{made}/view.json?case=base"))
    robots = {len(frame["robots"]) for frame in view["frames"]}
    assert robots == {4}
    assert len(view["frames"]) == 900  # every two seconds
    assert len(view["floor"]["cells"]) == len(view["floor"]["kinds"])
    assert set(view["heat"]) == {"robot_positions", "trips", "storage_state"}
    assert sum(view["heat"]["trips"]) > 0
    for kind in ("progression", "measure", "pareto"):
        drawn = browser.get(f"/experiments/{made}/{kind}.svg?case=base")
        assert drawn.status_code == 200
        assert drawn.text.startswith("<svg")
    assert browser.get(f"/experiments/{made}/nothing.svg").status_code == 404


def test_every_mistake_of_a_form_is_told_at_once(house: ExperimentHouse) -> None:
    wrong = {
        **SMALL,
        "layout": "1-0-0-4-40",
        "set.skus": "-5",
        "set.top_speed_mps": "quick",
    }
    answer = house.browser().post("/experiments/new", data=wrong)
    assert answer.status_code == 422
    page = words(answer.text)
    assert "the layout has no pick station" in page
    assert "the layout has no replenishment station" in page
    assert "skus is more than 0" in page
    assert "top_speed_mps: 'quick' is no number" in page
    assert 'value="1-0-0-4-40"' in answer.text
    assert house.rows("SELECT count(*) FROM experiments") == [(0,)]


@pytest.mark.parametrize("layout", ["/etc/passwd", "../../pyproject.toml", "a b"])
def test_no_page_reads_a_file_of_ours(house: ExperimentHouse, layout: str) -> None:
    answer = house.browser().post("/experiments/new", data={**SMALL, "layout": layout})
    assert answer.status_code == 422
    assert "is a name that comes along" in words(answer.text)


def test_the_wizard_recommends_and_says_how_sure_it_is(house: ExperimentHouse) -> None:
    asked = {
        "orders_per_h": "60",
        "skus": "100",
        "pick_stations": "1",
        "replenishment_stations": "1",
        "pods": "60",
        "robots_from": "1",
        "robots_to": "4",
        "hours": "1",
        "seeds": "2",
    }
    made = number_in(house.browser().post("/experiments/which", data=asked))
    assert house.work()
    runs = house.experiment(made)
    assert (runs.done, runs.state) == (32, "done")
    page = words(house.browser().get(f"/experiments/{made}").text)
    assert "Recommendation" in page
    assert "robots with" in page
    assert "From 32 simulated runs" in page
    assert "Difference of an order's time" in page


def test_a_question_that_no_warehouse_answers_is_refused(
    house: ExperimentHouse,
) -> None:
    asked = {"orders_per_h": "5000", "pick_stations": "1"}
    answer = house.browser().post("/experiments/which", data=asked)
    assert answer.status_code == 422
    assert "1 pick stations pick at most 360 units per hour" in words(answer.text)


def test_a_link_shows_the_results_to_strangers_until_it_ends(
    house: ExperimentHouse,
) -> None:
    browser, stranger = house.browser(), house.visitor()
    made = number_in(browser.post("/experiments/new", data={**SMALL, "seeds": "1"}))
    house.work()
    assert stranger.get(f"/experiments/{made}").status_code == 303
    browser.post(f"/experiments/{made}/share", data={"shared": "1"})
    link = house.experiment(made).link
    assert link is not None
    shared = stranger.get(f"/experiments/shared/{link}")
    assert "Side by side" in words(shared.text)
    assert "Delete" not in words(shared.text)
    for part in ("runs.csv", "view.json?case=base", "measure.svg"):
        assert stranger.get(f"/experiments/shared/{link}/{part}").status_code == 200
    browser.post(f"/experiments/{made}/share", data={"shared": "0"})
    assert stranger.get(f"/experiments/shared/{link}").status_code == 404


def test_what_a_killed_worker_leaves_another_goes_on_with(
    house: ExperimentHouse,
) -> None:
    made = number_in(house.browser().post("/experiments/new", data=TWO))
    with house.uow() as tx:
        assert tx.experiments.claim("dead", 1000.0) is not None
    assert not house.work(), "it is leased"
    house.rows("UPDATE experiments SET leased_until = now() RETURNING id")
    assert house.work("another")
    found = house.experiment(made)
    assert (found.state, found.done) == ("done", 8)


def test_one_that_waits_is_stopped_at_once_and_then_deleted(
    house: ExperimentHouse,
) -> None:
    browser = house.browser()
    made = number_in(browser.post("/experiments/new", data=SMALL))
    browser.post(f"/experiments/{made}/delete")
    assert house.experiment(made).state == "waiting"
    browser.post(f"/experiments/{made}/stop")
    assert house.experiment(made).state == "stopped"
    assert not house.work()
    browser.post(f"/experiments/{made}/delete")
    assert browser.get(f"/experiments/{made}").status_code == 404


def test_without_what_simulates_the_page_says_how_to_install_it(
    house: ExperimentHouse,
) -> None:
    page = house.browser(simulator=None).get("/experiments/new")
    assert "pip install 'mpms[sim]'" in words(page.text)


def test_viewers_look_and_do_not_ask(house: ExperimentHouse) -> None:
    made = number_in(house.browser().post("/experiments/new", data=SMALL))
    viewer, worker = house.browser(Role.VIEWER), house.browser(Role.WORKER)
    assert viewer.get(f"/experiments/{made}").status_code == 200
    assert viewer.post("/experiments/new", data=SMALL).status_code == 403
    assert viewer.post(f"/experiments/{made}/stop").status_code == 403
    assert worker.get("/experiments").status_code == 403


def _json(answer: Any) -> Any:
    import gzip

    data = answer.data
    if answer.headers.get("Content-Encoding") == "gzip":
        data = gzip.decompress(data)
    return json.loads(data)
