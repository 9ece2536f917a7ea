"""The plant in figures: what the tallies count, by day, and compared with before."""

from __future__ import annotations

import csv
import io
import random
import re
from html import unescape
from typing import Any

import pytest

from mpms.factory.services.figures import share_of
from mpms.services.models.deploy import deploy_models
from tests.support.site import NO_PAPER
from tests.support.web_figures import House


def words(page: str) -> str:
    inside = re.sub(r"(?s)<(script|style).*?</\1>", " ", page)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", inside)).split())


def table(browser: Any, name: str, **asked: str) -> list[dict[str, str]]:
    answer = browser.get(f"/figures/{name}.csv", query_string=asked)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))


def test_what_was_made_today_is_counted(house: House) -> None:
    for _ in range(3):
        house.finish(house.mix())
    house.mix()
    with house.uow() as tx:
        for status in ("done", "completed manually", "cancelled"):
            data = {"order": "MO-1", "old": "in process", "new": status}
            tx.events.append("order status", actor="t", data=data)
        tx.events.append("order accepted", actor="t", data={"order": "MO-1"})
    house.tally()
    browser = house.browser()
    today = table(browser, "days")[-1]
    assert today["Processes started"] == "4"
    assert today["Processes completed"] == "3"
    assert (today["Orders received"], today["Orders done"]) == ("1", "2")
    assert today["Orders cancelled"] == "1"
    assert float(today["Lead time, median (s)"]) < 60  # empty if none was counted
    page = words(browser.get("/figures").text)
    assert "Processes completed 3 none before" in page
    assert "Load material" in page  # people let it wait


def test_a_window_is_compared_with_the_one_before(house: House) -> None:
    house.rows(
        "INSERT INTO process_hours SELECT id, date_trunc('hour', now(), 'UTC')"
        " - make_interval(days => d), 10, CASE WHEN d < 7 THEN 20 ELSE 10 END, 0, 0, 60"
        " FROM definitions, unnest(ARRAY[3, 10]) AS d"
    )
    page = words(house.browser().get("/figures?window=week").text)
    assert "Processes completed 20 +100 % · before: 10" in page


def test_one_process_is_looked_at_alone(house: House) -> None:
    house.deploy("packing")
    house.finish(house.start("mixing"))
    house.finish(house.start("packing"))
    house.finish(house.start("packing"))
    house.tally()
    browser = house.browser()
    assert table(browser, "days")[-1]["Processes completed"] == "3"
    alone = table(browser, "days", process="packing")[-1]
    assert alone["Processes completed"] == "2"
    waiting = table(browser, "waiting", process="packing")
    assert {row["Process"] for row in waiting} == {"packing process"}
    assert table(browser, "days", process="moon")[-1]["Processes completed"] == "0"


def test_incidents_are_counted_by_cause(house: House) -> None:
    house.trouble = NO_PAPER
    for _ in range(2):
        house.finish(house.mix())
    while house.rows("SELECT id FROM jobs WHERE state = 'ready'"):
        house.rows("UPDATE jobs SET run_at = now() WHERE state = 'ready'")
        house.worker.settle()
    browser = house.browser()
    assert table(browser, "days")[-1]["Incidents"] == "2"
    (cause,) = table(browser, "incidents")
    assert "no paper in the printer" in cause["Cause"]
    assert (cause["Incidents"], cause["Still open"]) == ("2", "2")


def test_lead_times_are_right_to_five_per_cent(house: House) -> None:
    chance = random.Random(20260302)  # one sample in 700 falls badly into its buckets
    times_s = sorted(chance.lognormvariate(7, 1.2) for _ in range(501))
    house.rows(
        "INSERT INTO lead_times SELECT min(id), date_trunc('hour', now(), 'UTC'),"
        " floor(ln(s) / ln(1.1)), count(*) FROM definitions,"
        " unnest(%s::float8[]) AS s GROUP BY 2, 3",
        times_s,
    )
    today = table(house.browser(), "days")[-1]
    median, p90 = times_s[250], times_s[450]
    assert float(today["Lead time, median (s)"]) == pytest.approx(median, rel=0.06)
    assert float(today["Lead time, 90 % within (s)"]) == pytest.approx(p90, rel=0.06)


def test_shares_of_nothing_and_of_one() -> None:
    assert share_of({}, 0.5) is None
    assert share_of({0: 1}, 1.0) == pytest.approx(1.1)
    least = share_of({0: 1, 50: 9}, 0.05)
    assert least is not None
    assert least < 1.1


@pytest.mark.parametrize(
    "query",
    [
        "window=own&from=2026-01-01&to=2026-01-31",
        "window=own&from=2026-02-01&to=2020-01-01",
        "window=century&process=" + "x" * 500,
        "window=quarter&from=yesterday",
    ],
)
def test_any_address_gets_a_page(house: House, query: str) -> None:
    assert house.browser("viewer").get(f"/figures?{query}").status_code == 200


def test_workers_do_not_see_the_figures(house: House) -> None:
    browser = house.browser("worker")
    assert browser.get("/figures").status_code == 403
    assert browser.get("/figures/days.csv").status_code == 403
    assert house.browser("admin").get("/figures/moon.csv").status_code == 404


@pytest.mark.parametrize("language", ["de", "es"])
def test_figures_speak_the_readers_language(house: House, language: str) -> None:
    page = words(house.browser("viewer", language).get("/figures").text)
    assert {"de": "Wo Arbeit wartet", "es": "Dónde espera el trabajo"}[language] in page


ENDLESS = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    targetNamespace="urn:test">
  <process id="rounds" name="Rounds" isExecutable="true"><startEvent id="start"/>
    <exclusiveGateway id="again"/>
    <intermediateCatchEvent id="rest" name="after a while"><timerEventDefinition>
      <timeDuration>PT0.01S</timeDuration></timerEventDefinition>
    </intermediateCatchEvent>
    <userTask id="look" name="Look around"/>
    <sequenceFlow id="f1" sourceRef="start" targetRef="again"/>
    <sequenceFlow id="f2" sourceRef="again" targetRef="rest"/>
    <sequenceFlow id="f3" sourceRef="rest" targetRef="look"/>
    <sequenceFlow id="f4" sourceRef="look" targetRef="again"/>
  </process></definitions>"""


def test_the_rhythm_of_a_process_that_never_ends_is_no_waiting_work(
    house: House,
) -> None:
    deploy_models(house.uow, house.engine, {"rounds.bpmn": ENDLESS}, by="t")
    instance = house.start("rounds")
    while not house.rows("SELECT 1 FROM tasks WHERE element = 'look'"):
        house.worker.turn()
    house.finish(instance)
    house.tally()
    page = words(house.browser().get("/figures?process=rounds").text)
    assert "Look around" in page  # somebody had to come
    assert "after a while" not in page
