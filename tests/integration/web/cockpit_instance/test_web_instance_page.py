"""What the page of one instance shows, and to whom."""

from __future__ import annotations

import re
from typing import Any

from mpms.factory.domain.goals import Goal, GoalState, Pose
from tests.support.web_instance import House

TABS = ("timeline", "variables", "jobs", "incidents", "tasks", "calls")
SCRIPT = '<script>alert("x")</script>'


def test_every_tab_opens_as_a_page_and_as_a_part(house: House) -> None:
    instance_id, _ = house.stuck_job()
    for role in ("admin", "supervisor", "viewer"):
        browser = house.browser(role)
        for tab in TABS:
            whole = browser.get(f"/cockpit/i/{instance_id}?tab={tab}")
            assert whole.status_code == 200
            assert f'instance-tab-{tab}"' in whole.text
            address = f"/cockpit/i/{instance_id}/tab/{tab}"
            part = browser.get(address, headers={"HX-Request": "true"})
            assert part.status_code == 200
            assert "<!doctype" not in part.text
            assert browser.get(address).status_code == 303


def test_workers_do_not_see_the_cockpit(house: House) -> None:
    instance_id = house.start("steps")
    browser = house.browser("worker")
    for part in ("", "/now", "/tokens.json", "/tab/timeline", "/values?name=kg"):
        answer = browser.get(f"/cockpit/i/{instance_id}{part}")
        assert answer.status_code == 403, part


def test_viewers_read_and_find_no_button(house: House) -> None:
    instance_id, _ = house.stuck_job()
    browser = house.browser("viewer")
    for tab in TABS:
        page = browser.get(f"/cockpit/i/{instance_id}?tab={tab}").text
        assert "/do/" not in page
        assert 'href="/tasks/' not in page


def test_tokens_are_told_with_the_way_they_came(house: House) -> None:
    instance_id = house.start("steps")
    house.fill_in(instance_id, "weigh")
    marks = house.browser("viewer").get(f"/cockpit/i/{instance_id}/tokens.json").json
    assert [token["element"] for token in marks["tokens"]] == ["mix"]
    assert marks["passed"] == ["start", "weigh"]
    assert marks["flows"] == {"start_to_weigh": 1, "weigh_to_mix": 1}
    assert marks["stuck"] == []
    assert marks["model"].endswith(".bpmn")


def test_a_stuck_job_is_marked_and_tells_its_attempts(house: House) -> None:
    instance_id, _ = house.stuck_job()
    browser = house.browser("supervisor")
    marks = browser.get(f"/cockpit/i/{instance_id}/tokens.json").json
    assert marks["stuck"] == ["label"]
    jobs = browser.get(f"/cockpit/i/{instance_id}?tab=jobs").text
    assert "failed" in jobs
    assert "no paper in the printer" in jobs
    assert "<code>print</code>" in jobs


def test_a_page_of_an_instance_with_trouble_begins_with_the_trouble(
    house: House,
) -> None:
    instance_id, _ = house.stuck_job()
    page = house.browser("supervisor").get(f"/cockpit/i/{instance_id}").text
    assert 'instance-tab-incidents"' in page
    other = house.start("steps")
    page = house.browser("supervisor").get(f"/cockpit/i/{other}").text
    assert 'instance-tab-timeline"' in page


def test_older_lines_are_a_page_away(house: House) -> None:
    instance_id = house.start("steps", n=0)
    browser = house.browser("admin")
    for n in range(70):
        answer = browser.post(
            f"/cockpit/i/{instance_id}/do/set-variable",
            data={"name": "n", "value": str(n), "reason": f"turn {n:03d}"},
        )
        assert answer.status_code == 303
    first = browser.get(f"/cockpit/i/{instance_id}?tab=timeline").text
    assert "turn 069" in first
    assert "turn 000" not in first
    below = first.split("below=")[1].split("&")[0].split('"')[0]
    address = f"/cockpit/i/{instance_id}/tab/timeline?below={below}"
    older = browser.get(address, headers={"HX-Request": "true"}).text
    assert "turn 000" in older
    assert "turn 069" not in older
    assert "<nav" not in older


def test_every_step_of_the_engine_is_shown_if_wanted(house: House) -> None:
    instance_id = house.start("steps")
    browser = house.browser("viewer")
    short = browser.get(f"/cockpit/i/{instance_id}?tab=timeline").text
    full = browser.get(f"/cockpit/i/{instance_id}?tab=timeline&all=1").text
    assert "entered: Weigh" not in short
    assert "entered: Weigh" in full


def test_values_cannot_bring_markup_into_the_page(house: House) -> None:
    evil: dict[str, Any] = {"evil": SCRIPT, SCRIPT: ["x" * 300, SCRIPT]}
    instance_id = house.start("steps", **evil)
    browser = house.browser("admin")
    for part in ("?tab=variables", f"/values?name={SCRIPT}", "/do/set-variable?"):
        page = browser.get(f"/cockpit/i/{instance_id}{part}")
        assert page.status_code == 200
        assert SCRIPT not in page.text


def test_the_page_speaks_the_readers_language(house: House) -> None:
    instance_id = house.start("steps")
    spoken = {"de": ("Schritte", "Anhalten"), "es": ("Pasos", "Suspender")}
    for language, words in spoken.items():
        browser = house.browser("supervisor", language)
        page = browser.get(f"/cockpit/i/{instance_id}").text
        for word in words:
            assert word in page


def test_an_ended_process_shows_its_way_and_its_last_values(house: House) -> None:
    instance_id = house.start("steps", kg=2)
    for element in ("weigh", "mix", "pack"):
        house.fill_in(instance_id, element)
    page = house.browser("viewer").get(f"/cockpit/i/{instance_id}?tab=variables").text
    assert "completed" in page
    assert "<code>2</code>" in page
    assert 'href="/cockpit/steps?state=any&amp;name=kg&amp;value=2#' in page
    assert "The process has ended." in page


def test_a_token_leads_to_its_robot(house: House) -> None:
    instance_id, _ = house.stuck_job()
    task_id = house.token(instance_id, "label")
    goal = Goal("g-1", "robot1", "A", Pose(1, 2), GoalState.NEW, task_id, instance_id)
    with house.uow() as tx:
        tx.goals.add(goal)
    browser = house.browser("viewer")
    page = browser.get(f"/cockpit/i/{instance_id}").text
    assert 'href="/map?robot=robot1"' in page
    marks = browser.get(f"/cockpit/i/{instance_id}/tokens.json").json
    [link] = [token["link"] for token in marks["tokens"]]
    assert link == {"address": "/map?robot=robot1", "title": "robot1 on the map"}


def test_what_is_stuck_leads_from_the_start_page_to_its_process(house: House) -> None:
    instance_id, _ = house.stuck_job()
    browser = house.browser("supervisor")
    cause = re.search(r'href="(/incidents/[^"]+)"', browser.get("/overview/now").text)
    assert cause is not None
    assert f'href="/cockpit/i/{instance_id}"' in browser.get(cause[1]).text
