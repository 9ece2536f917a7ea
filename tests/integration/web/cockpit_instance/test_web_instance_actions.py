"""Every repair by every role: done, told with who and why, or refused and explained."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from tests.support.web_instance import House

REASON = "the scale is <broken>"
FORMS = (
    *("set-variable", "remove-variable", "skip", "move", "cancel-activity"),
    *("suspend", "cancel", "restart", "migrate"),
)
ACTIONS = (*FORMS, "retry", "resume", "undo")
STRANGER = "00000000-0000-4000-8000-000000000000"


def post(browser: Any, instance_id: str, action: str, **form: Any) -> Any:
    return browser.post(f"/cockpit/i/{instance_id}/do/{action}", data=form)


def done(browser: Any, instance_id: str, action: str, **form: Any) -> str:
    """Post an action that works; return the page that follows."""
    answer = post(browser, instance_id, action, reason=REASON, **form)
    assert answer.status_code == 303, answer.text
    return str(browser.get(answer.location).text)


def words(page: str) -> str:
    """What a reader sees, without markup."""
    inside = re.sub(r"(?s)<(script|style).*?</\1>", " ", page)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", inside)).split())


@pytest.mark.parametrize("role", ["worker", "viewer"])
def test_only_leaders_act(house: House, role: str) -> None:
    instance_id = house.start("steps")
    browser = house.browser(role)
    before = house.rows("SELECT count(*) FROM events")
    form = {"task": house.token(instance_id, "weigh"), "element": "pack"}
    for action in ACTIONS:
        assert post(browser, instance_id, action, **form).status_code == 403, action
        asked = browser.get(f"/cockpit/i/{instance_id}/do/{action}")
        assert asked.status_code == 403, action
    assert house.rows("SELECT count(*) FROM events") == before


def test_a_form_opens_as_a_page_and_as_a_part(house: House) -> None:
    instance_id = house.start("steps")
    browser = house.browser("supervisor")
    task = house.token(instance_id, "weigh")
    for action in FORMS:
        address = f"/cockpit/i/{instance_id}/do/{action}?task={task}"
        whole = browser.get(address)
        part = browser.get(address, headers={"HX-Request": "true"})
        assert whole.status_code == part.status_code == 200, action
        assert "<!doctype" in whole.text
        assert "<!doctype" not in part.text


@pytest.mark.parametrize("role", ["supervisor", "admin"])
def test_a_given_up_job_is_tried_again(house: House, role: str) -> None:
    instance_id, incident_id = house.stuck_job()
    browser = house.browser(role)
    page = browser.get(f"/cockpit/i/{instance_id}").text
    assert "no paper in the printer" in page
    assert f"/do/retry?incident={incident_id}" in page
    silent = post(browser, instance_id, "retry", incident=incident_id)
    assert silent.status_code == 422
    assert "Enter a reason" in silent.text
    assert f'name="incident" value="{incident_id}"' in silent.text
    house.trouble = None
    page = done(browser, instance_id, "retry", incident=incident_id)
    assert "It is tried again." in page
    house.worker.settle()
    assert house.places(instance_id) == ["pack"]
    assert house.told("retry", instance_id)[0][0] == f"{role}-en"
    again = post(browser, instance_id, "retry", incident=incident_id, reason=REASON)
    assert again.status_code == 422
    assert "This incident is no longer open." in words(again.text)


def test_an_incident_of_another_instance_is_not_retried_from_here(
    house: House,
) -> None:
    _, incident_id = house.stuck_job()
    other = house.start("steps")
    answer = post(house.browser("admin"), other, "retry", incident=incident_id)
    assert answer.status_code == 422
    assert house.rows("SELECT count(*) FROM events WHERE kind = 'retry'") == [(0,)]


def test_a_variable_is_added_changed_and_removed(house: House) -> None:
    instance_id = house.start("steps", kg=1)
    browser = house.browser("supervisor")
    page = done(
        browser, instance_id, "set-variable", name="lots", value='["L1", {"n": 2}]'
    )
    assert "The variable lots is set." in page
    done(browser, instance_id, "set-variable", name="kg", value="4.5", fixed=1)
    assert house.variables(instance_id) == {"kg": 4.5, "lots": ["L1", {"n": 2}]}
    done(browser, instance_id, "remove-variable", name="lots", fixed=1)
    assert house.variables(instance_id) == {"kg": 4.5}
    page = words(browser.get(f"/cockpit/i/{instance_id}?tab=timeline").text)
    assert "supervisor-en set variables: kg the scale is <broken>" in page
    assert "supervisor-en removed variables: lots" in page
    past = words(browser.get(f"/cockpit/i/{instance_id}/values?name=kg").text)
    assert past.index("4.5") < past.index("operator")


def test_a_variable_of_one_task_stays_with_it(house: House) -> None:
    instance_id = house.start("steps", kg=1)
    browser = house.browser("admin")
    task = house.token(instance_id, "weigh")
    own = {"name": "own", "value": "true", "task": task, "tab": "variables"}
    page = done(browser, instance_id, "set-variable", **own)
    assert "only in Weigh" in words(page)
    assert house.variables(instance_id) == {"kg": 1}
    form = browser.get(
        f"/cockpit/i/{instance_id}/do/set-variable?name=own&task={task}&fixed=1"
    )
    assert ">true</textarea>" in form.text


def test_what_is_no_json_is_explained_and_kept(house: House) -> None:
    instance_id = house.start("steps", kg=1)
    browser = house.browser("admin")
    for value in ("blue", '{"a": }', "", "NaN", "[" * 100_000):
        form = {"name": "kg", "value": value, "reason": REASON}
        answer = post(browser, instance_id, "set-variable", **form)
        assert answer.status_code == 422, value[:20]
        assert 'class="field-error"' in answer.text
        assert "the scale is &lt;broken&gt;</textarea>" in answer.text
    assert house.variables(instance_id) == {"kg": 1}


def test_an_activity_is_skipped_with_results(house: House) -> None:
    instance_id = house.start("steps")
    task = house.token(instance_id, "weigh")
    page = done(
        house.browser("supervisor"), instance_id, "skip", task=task, value='{"kg": 7}'
    )
    assert house.places(instance_id) == ["mix"]
    assert house.variables(instance_id) == {"kg": 7}
    assert "supervisor-en skipped: Weigh the scale is <broken>" in words(page)


def test_a_token_is_moved_where_it_was_told_to_go(house: House) -> None:
    instance_id = house.start("steps")
    browser = house.browser("supervisor")
    task = house.token(instance_id, "weigh")
    form = browser.get(f"/cockpit/i/{instance_id}/do/move?task={task}&element=pack")
    assert '<option value="pack" selected>' in form.text
    page = done(browser, instance_id, "move", task=task, element="pack")
    assert house.places(instance_id) == ["pack"]
    told = "supervisor-en moved a token from Weigh to Pack the scale is <broken>"
    assert told in words(page)


def test_a_refused_move_says_why_and_changes_nothing(house: House) -> None:
    instance_id = house.start("steps")
    browser = house.browser("admin")
    task = house.token(instance_id, "weigh")
    unknown = post(
        browser, instance_id, "move", task=task, element="moon", reason=REASON
    )
    assert unknown.status_code == 422
    assert "Nothing was changed." in unknown.text
    assert "the scale is &lt;broken&gt;</textarea>" in unknown.text
    silent = post(browser, instance_id, "move", task=task, element="pack")
    assert silent.status_code == 422
    assert "Enter a reason" in silent.text
    house.fill_in(instance_id, "weigh")
    late = post(browser, instance_id, "move", task=task, element="pack", reason="x")
    assert late.status_code == 409
    assert "somebody or something was faster" in words(late.text)
    assert house.places(instance_id) == ["mix"]


def test_an_activity_is_cancelled_and_with_the_last_token_the_process(
    house: House,
) -> None:
    instance_id = house.start("steps")
    page = done(
        house.browser("admin"),
        instance_id,
        "cancel-activity",
        task=house.token(instance_id, "weigh"),
    )
    assert str(house.instance(instance_id).status) == "cancelled"
    assert "admin-en cancelled: Weigh" in words(page)


def test_a_process_is_suspended_and_resumed(house: House) -> None:
    instance_id = house.start("steps")
    browser = house.browser("supervisor")
    page = words(done(browser, instance_id, "suspend"))
    assert "Suspended by supervisor-en: the scale is <broken>" in page
    twice = post(browser, instance_id, "suspend", reason=REASON)
    assert twice.status_code == 422
    assert house.instance(instance_id).suspended is not None
    page = words(done(browser, instance_id, "resume"))
    assert "supervisor-en resumed the process" in page
    assert house.instance(instance_id).suspended is None
    again = post(browser, instance_id, "resume", reason=REASON)
    assert again.status_code == 422
    assert "It is not suspended." in again.text


def test_a_process_is_cancelled_and_restarted(house: House) -> None:
    instance_id = house.start("steps", kg=3)
    browser = house.browser("supervisor")
    page = done(browser, instance_id, "cancel")
    assert "Restart" in page
    assert str(house.instance(instance_id).status) == "cancelled"
    late = post(browser, instance_id, "cancel", reason=REASON)
    assert late.status_code == 409
    nowhere = post(browser, instance_id, "restart", reason=REASON)
    assert nowhere.status_code == 422
    assert "Choose where the process should start." in nowhere.text
    answer = post(browser, instance_id, "restart", element="mix", reason=REASON)
    new_id = answer.location.rsplit("/", 1)[1]
    assert new_id != instance_id
    assert house.places(new_id) == ["mix"]
    assert house.variables(new_id) == {"kg": 3}
    family = words(browser.get(f"/cockpit/i/{new_id}?tab=calls").text)
    assert "Restarted from" in family
    twice = post(browser, instance_id, "restart", element="mix", reason=REASON)
    assert twice.status_code == 422
    assert "restarted already" in twice.text


def test_the_plan_of_a_migration_is_shown_first(house: House) -> None:
    instance_id = house.start("steps")
    house.deploy("steps", "start weigh stir pack end")
    house.deploy("steps", "start check stir pack end")
    browser = house.browser("admin")
    address = f"/cockpit/i/{instance_id}/do/migrate"
    assert 'name="reason"' not in browser.get(address).text
    can = browser.get(f"{address}?to=2").text
    assert "It can be migrated from version 1 to version 2." in can
    assert 'name="reason"' in can
    cannot = browser.get(f"{address}?to=3").text
    assert "It cannot be migrated to version 3:" in cannot
    assert 'name="reason"' not in cannot
    refused = post(browser, instance_id, "migrate", to=3, reason=REASON)
    assert refused.status_code == 422
    assert "'Weigh' has a live task" in words(refused.text)
    renamed = browser.get(f"{address}?to=3&renamed=weigh+%3D+check").text
    assert "It can be migrated from version 1 to version 3." in renamed
    page = done(browser, instance_id, "migrate", to=3, renamed="weigh = check")
    assert house.places(instance_id) == ["check"]
    assert "migrated the process from version 1 to 3" in words(page)


def test_a_senseless_migration_is_no_fault_of_ours(house: House) -> None:
    instance_id = house.start("steps")
    browser = house.browser("admin")
    for query in ("to=99", "to=x", "to=2&renamed=weigh", "to=1"):
        answer = browser.get(f"/cockpit/i/{instance_id}/do/migrate?{query}")
        assert answer.status_code == 200, query


def test_an_unknown_instance_or_action_is_not_found(house: House) -> None:
    browser = house.browser("admin")
    instance_id = house.start("steps")
    for address in (
        f"/cockpit/i/{STRANGER}",
        "/cockpit/i/nonsense",
        f"/cockpit/i/{STRANGER}/do/cancel",
        f"/cockpit/i/{instance_id}/do/explode",
        f"/cockpit/i/{instance_id}/tab/explode",
    ):
        assert browser.get(address).status_code == 404, address
    assert post(browser, STRANGER, "cancel", reason="x").status_code == 404
    assert post(browser, instance_id, "explode", reason="x").status_code == 404
