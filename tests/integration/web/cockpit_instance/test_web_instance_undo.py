"""What somebody did is taken back, with who and why, or it is said why it cannot be."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from tests.support.web_instance import House

REASON = "it was the wrong order"


def post(browser: Any, instance_id: str, action: str, **form: Any) -> Any:
    form.setdefault("reason", REASON)
    return browser.post(f"/cockpit/i/{instance_id}/do/{action}", data=form)


def done(browser: Any, instance_id: str, action: str, **form: Any) -> str:
    answer = post(browser, instance_id, action, **form)
    assert answer.status_code == 303, answer.text
    return str(browser.get(answer.location).text)


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def offered(page: str) -> str:
    """The line that the button below the message would undo."""
    found = re.search(r'id="undo-last" href="[^"]*line=(\d+)"', page)
    assert found is not None, "no undo is offered"
    return found[1]


def line_of(house: House, instance_id: str, kind: str) -> str:
    ((line,),) = house.rows(
        "SELECT max(id) FROM events WHERE instance_id = %s AND kind = %s",
        instance_id,
        kind,
    )
    return str(line)


def test_a_changed_variable_gets_its_old_value_back(house: House) -> None:
    instance_id = house.start("steps", kg=1)
    browser = house.browser("supervisor")
    page = done(browser, instance_id, "set-variable", name="kg", value="9")
    line = offered(page)
    form = browser.get(f"/cockpit/i/{instance_id}/do/undo?line={line}").text
    assert "kg becomes 1" in words(form)
    assert "It is undone." in done(browser, instance_id, "undo", line=line)
    assert house.variables(instance_id) == {"kg": 1}
    who, data = house.told("variables set", instance_id)[-1]
    assert (who, data["reason"]) == ("supervisor-en", REASON)
    assert data["undoes"] == int(line)
    again = post(browser, instance_id, "undo", line=line)
    assert again.status_code == 422
    assert "This has already been undone." in again.text


def test_an_added_variable_goes_and_a_removed_one_comes_back(house: House) -> None:
    instance_id = house.start("steps", kg=1)
    browser = house.browser("admin")
    page = done(browser, instance_id, "set-variable", name="lot", value='"L-1"')
    done(browser, instance_id, "undo", line=offered(page))
    assert house.variables(instance_id) == {"kg": 1}
    page = done(browser, instance_id, "remove-variable", name="kg")
    assert house.variables(instance_id) == {}
    done(browser, instance_id, "undo", line=offered(page))
    assert house.variables(instance_id) == {"kg": 1}


def test_a_variable_that_changed_again_is_left_alone(house: House) -> None:
    instance_id = house.start("steps", kg=1)
    browser = house.browser("admin")
    line = offered(done(browser, instance_id, "set-variable", name="kg", value="2"))
    done(browser, instance_id, "set-variable", name="kg", value="3")
    refused = post(browser, instance_id, "undo", line=line)
    assert refused.status_code == 422
    assert "The variable kg was changed again since." in words(refused.text)
    assert house.variables(instance_id) == {"kg": 3}


def test_a_value_of_one_task_gets_its_old_value_back(house: House) -> None:
    instance_id = house.start("steps", kg=1)
    browser = house.browser("admin")
    task = house.token(instance_id, "weigh")
    own = {"name": "own", "task": task}
    done(browser, instance_id, "set-variable", value="1", **own)
    page = done(browser, instance_id, "set-variable", value="2", **own)
    done(browser, instance_id, "undo", line=offered(page))
    form = browser.get(
        f"/cockpit/i/{instance_id}/do/set-variable?name=own&task={task}&fixed=1"
    )
    assert ">1</textarea>" in form.text
    assert house.variables(instance_id) == {"kg": 1}


def test_a_moved_token_goes_back_while_it_waits_there(house: House) -> None:
    instance_id = house.start("steps")
    browser = house.browser("supervisor")
    task = house.token(instance_id, "weigh")
    line = offered(done(browser, instance_id, "move", task=task, element="pack"))
    done(browser, instance_id, "undo", line=line)
    assert house.places(instance_id) == ["weigh"]
    task = house.token(instance_id, "weigh")
    line = offered(done(browser, instance_id, "move", task=task, element="mix"))
    house.fill_in(instance_id, "mix")
    refused = post(browser, instance_id, "undo", line=line)
    assert refused.status_code == 422
    assert "The token has gone on since" in words(refused.text)
    assert house.places(instance_id) == ["pack"]


def test_suspending_and_resuming_undo_each_other(house: House) -> None:
    instance_id = house.start("steps")
    browser = house.browser("supervisor")
    line = offered(done(browser, instance_id, "suspend"))
    done(browser, instance_id, "undo", line=line)
    assert house.instance(instance_id).suspended is None
    line = line_of(house, instance_id, "resumed")
    done(browser, instance_id, "undo", line=line)
    assert house.instance(instance_id).suspended is not None


def test_a_migrated_process_goes_back_to_its_version(house: House) -> None:
    instance_id = house.start("steps")
    house.deploy("steps", "start check stir pack end")
    browser = house.browser("admin")
    page = done(browser, instance_id, "migrate", to=2, renamed="weigh = check")
    assert house.places(instance_id) == ["check"]
    done(browser, instance_id, "undo", line=offered(page))
    assert house.places(instance_id) == ["weigh"]


@pytest.mark.parametrize("action", ["skip", "cancel-activity"])
def test_what_is_over_cannot_be_undone_and_says_so_before(
    house: House, action: str
) -> None:
    instance_id = house.start("steps")
    browser = house.browser("admin")
    task = house.token(instance_id, "weigh")
    form = browser.get(f"/cockpit/i/{instance_id}/do/{action}?task={task}").text
    assert "This cannot be undone" in words(form)
    page = done(browser, instance_id, action, task=task)
    assert "undo-last" not in page
    kind = "activity skipped" if action == "skip" else "activity cancelled"
    line = line_of(house, instance_id, kind)
    refused = post(browser, instance_id, "undo", line=line)
    assert refused.status_code == 422
    assert "This cannot be undone." in refused.text


def test_the_timeline_offers_to_undo_only_what_can_be(house: House) -> None:
    instance_id = house.start("steps", kg=1)
    browser = house.browser("supervisor")
    done(browser, instance_id, "set-variable", name="kg", value="2")
    first = line_of(house, instance_id, "variables set")
    done(browser, instance_id, "set-variable", name="kg", value="3")
    second = line_of(house, instance_id, "variables set")
    page = browser.get(f"/cockpit/i/{instance_id}?tab=timeline").text
    assert f'id="undo-{second}"' in page
    assert f'id="undo-{first}"' not in page
    viewer = house.browser("viewer").get(f"/cockpit/i/{instance_id}?tab=timeline")
    assert "undo-" not in viewer.text


@pytest.mark.parametrize("line", ["", "x", "9" * 30, "999999999"])
def test_a_senseless_line_is_refused(house: House, line: str) -> None:
    instance_id = house.start("steps")
    refused = post(house.browser("admin"), instance_id, "undo", line=line)
    assert refused.status_code == 422
    form = house.browser("admin").get(f"/cockpit/i/{instance_id}/do/undo?line={line}")
    assert form.status_code == 200
