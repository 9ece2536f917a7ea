"""Bulk actions on the pages: chosen, looked at beforehand, ordered, followed, told."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from mpms.domain.bulk import BatchAction
from mpms.services.bulk import order as ordering
from mpms.services.bulk import preview as previewing
from mpms.services.bulk.show import show_batch
from tests.support.web_cockpit import Panel

WHY = "the line is cleaned"


def asked(panel: Panel, role: str = "supervisor", **fields: Any) -> str:
    fields.setdefault("key", "mixing")
    answer = panel.browser(role).get(
        "/batches/new", query_string=fields, headers={"HX-Request": "true"}
    )
    assert answer.status_code == 200, answer.text
    return " ".join(answer.text.split())


def ordered(panel: Panel, **fields: Any) -> int:
    fields = {"key": "mixing", "reason": WHY} | fields
    answer = panel.browser().post("/batches", data=fields)
    assert answer.status_code == 303, answer.text
    return int(answer.location.rsplit("/", 1)[1])


def test_a_leader_can_tick_every_instance_and_a_viewer_cannot(panel: Panel) -> None:
    ids = [panel.mix(f"MO-{n}") for n in range(2)]
    page = panel.page("/cockpit/mixing")
    for one in ids:
        assert f'name="instance" value="{one}"' in page
    assert 'data-all="Select all 2 matches"' in page
    assert 'id="bulk-suspend"' in page
    seen = panel.page("/cockpit/mixing", "viewer")
    assert "bulk-" not in seen
    assert panel.browser("viewer").get("/batches/new").status_code == 403
    assert panel.browser("viewer").post("/batches").status_code == 403
    assert panel.browser("worker").get("/batches").status_code == 403
    assert "Bulk actions" in panel.page("/batches", "viewer")


def test_ticked_ones_are_suspended_and_their_page_tells_each(panel: Panel) -> None:
    ids = [panel.mix(f"MO-{n}") for n in range(3)]
    number = ordered(panel, action="suspend", instance=ids[:2])
    waiting = panel.page(f"/batches/{number}")
    assert "0 of 2 done" in waiting
    assert 'id="batch-stop"' in waiting
    assert 'id="batch-stop"' not in panel.page(f"/batches/{number}", "viewer")
    panel.settle()
    page = panel.page(f"/batches/{number}/now")
    assert "2 of 2 done" in page
    assert WHY in page
    assert f'href="/cockpit/i/{ids[0]}">MO-0</a>' in page
    assert "MO-2" not in page
    assert "Undo: let them go on" in page
    listed = panel.page("/batches/list")
    assert "Suspend: 2 instances" in listed


def test_the_preview_says_which_can_and_why_others_cannot(panel: Panel) -> None:
    ids = [panel.mix(f"MO-{n}") for n in range(3)]
    ordered(panel, action="suspend", instance=ids[0])
    panel.settle()
    some = asked(panel, action="suspend", instance=ids)
    assert "Suspend: 3 instances" in some
    assert "It can be done to 2 of them" in some
    assert "1 × It is already suspended." in some
    assert "It can be done to each of them." in asked(
        panel, action="resume", instance=ids[0]
    )
    assert "3 × It is still running." in asked(panel, action="restart", instance=ids)
    assert "3 × It has no incident" in asked(panel, action="retry", instance=ids)


def test_tokens_are_looked_for_at_the_chosen_step(panel: Panel) -> None:
    waiting, stuck = panel.mix("MO-1"), panel.get_stuck("MO-2")
    for action in ("skip", "move"):
        page = asked(panel, action=action, instance=[waiting, stuck], at="load")
        assert "It can be done to 1 of them" in page
        assert "1 × There is no token there." in page
    number = ordered(panel, action="move", instance=waiting, at="load", target="weigh")
    panel.settle()
    assert "Load material → Weigh Mix paint" in panel.page(f"/batches/{number}")
    assert panel.rows("SELECT status FROM instances WHERE id = %s", waiting) == [
        ("completed",)
    ]


def test_the_plan_of_a_migration_is_shown_before_it_is_ordered(panel: Panel) -> None:
    ids = [panel.mix(f"MO-{n}") for n in range(2)]
    panel.deploy(name="Mix faster")
    first = asked(panel, action="migrate", instance=ids)
    assert 'id="bulk-look"' in first
    plan = asked(panel, action="migrate", instance=ids, to="2")
    assert "It can be done to each of them." in plan
    assert "2 × It is in version 1 already." in asked(
        panel, action="migrate", instance=ids, to="1"
    )
    wrong = asked(panel, action="migrate", instance=ids, to="2", renamed="load")
    assert "Write one element a line" in wrong
    number = ordered(panel, action="migrate", instance=ids, to="2")
    panel.settle()
    assert show_batch(panel.uow, number).batch.done == 2


def test_a_long_plan_says_how_many_it_looked_at(
    panel: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previewing, "PLANNED", 2)
    ids = [panel.mix(f"MO-{n}") for n in range(3)]
    panel.deploy(name="Mix faster")
    plan = asked(panel, action="migrate", instance=ids, to="2")
    assert "Looked at the first 2 of 3:" in plan


def test_all_that_fit_the_search_are_taken(panel: Panel) -> None:
    for n in range(3):
        panel.mix(f"MO-{n}", colour="red" if n else "blue")
    other = panel.mix("XX-1", colour="red")
    search = {"q": "MO-", "name": "colour", "value": "red", "state": "running"}
    page = asked(panel, action="cancel", all="1", **search)
    assert "Cancel: 2 instances" in page
    assert "All matches of the search as of now." in page
    travels = 'name="filter" value="q=MO-&amp;name=colour&amp;value=red"'
    assert travels in page
    kept = "q=MO-&name=colour&value=red"
    number = ordered(panel, action="cancel", all="1", filter=kept)
    panel.settle()
    batch = show_batch(panel.uow, number)
    assert {item.business_key for item in batch.items} == {"MO-1", "MO-2"}
    assert panel.rows("SELECT status FROM instances WHERE id = %s", other) == [
        ("active",)
    ]


def test_more_than_the_most_is_said_and_not_ordered(
    panel: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (ordering, previewing):
        monkeypatch.setattr(module, "MOST_ITEMS", 2)
    for n in range(4):
        panel.mix(f"MO-{n}")
    page = asked(panel, action="suspend", all="1")
    assert "More than 2 match, too many for one bulk action." in page
    assert 'id="bulk-go"' not in page
    form = {"key": "mixing", "action": "suspend", "all": "1", "reason": WHY}
    assert panel.browser().post("/batches", data=form).status_code == 422
    assert panel.rows("SELECT count(*) FROM batches") == [(0,)]


def test_what_is_refused_keeps_what_was_typed(panel: Panel) -> None:
    one = panel.mix("MO-1")
    form = {
        **{"key": "mixing", "action": "set variables", "instance": one},
        **{"variable": "kg", "content": "seven", "reason": WHY},
    }
    answer = panel.browser().post("/batches", data=form)
    assert answer.status_code == 422
    assert "This is no JSON" in answer.text
    for typed in ('value="kg"', ">seven</textarea>", f">{WHY}</textarea>", one):
        assert typed in answer.text
    form |= {"content": "7", "reason": "  "}
    assert panel.browser().post("/batches", data=form).status_code == 422
    number = ordered(panel, **(form | {"reason": WHY}))
    panel.settle()
    assert show_batch(panel.uow, number).batch.done == 1
    found = panel.rows("SELECT variables ->> 'kg' FROM instances WHERE id = %s", one)
    assert found == [("7",)]


def test_nothing_chosen_and_nonsense_are_told(panel: Panel) -> None:
    assert "No matches" in _posted(panel, action="suspend")
    assert "no such process instance" in _posted(
        panel, action="suspend", instance="no id"
    )
    get = panel.browser().get
    assert get("/batches/new?action=explode&key=mixing").status_code == 404
    assert get("/batches/new?action=suspend&key=nothing").status_code == 404
    assert get("/batches/77").status_code == 404
    assert get(f"/batches/{10**30}").status_code == 404
    assert get("/batches?below=x").status_code == 200


def _posted(panel: Panel, **fields: Any) -> str:
    form = {"key": "mixing", "reason": WHY} | fields
    answer = panel.browser().post("/batches", data=form)
    assert answer.status_code == 422, answer.text
    return str(answer.text)


def test_failed_ones_are_filtered_and_repeated(panel: Panel) -> None:
    good, bad = panel.mix("MO-1"), panel.mix("MO-2")
    ordered(panel, action="suspend", instance=bad)
    panel.settle()
    number = ordered(panel, action="suspend", instance=[good, bad])
    panel.settle()
    failed = panel.page(f"/batches/{number}?only=failed")
    assert "already suspended by supervisor-en" in failed
    assert f"/cockpit/i/{good}" not in failed
    ordered(panel, action="resume", instance=bad)
    panel.settle()
    answer = panel.browser().post(f"/batches/{number}/again", data={"reason": WHY})
    panel.settle()
    again = show_batch(panel.uow, int(answer.location.rsplit("/", 1)[1]))
    assert [item.target.instance_id for item in again.items] == [bad]
    assert again.batch.done == 1


def test_a_batch_is_stopped_undone_and_exported(panel: Panel) -> None:
    ids = [panel.mix(name) for name in ("MO-1", "=SUM(A1)")]
    stopped = ordered(panel, action="suspend", instance=ids)
    panel.browser().post(f"/batches/{stopped}/stop")
    page = panel.page(f"/batches/{stopped}")
    assert "2 left as they were" in page
    assert "not done" in page
    again = panel.browser().post(f"/batches/{stopped}/stop")
    assert again.status_code == 422
    done = ordered(panel, action="suspend", instance=ids)
    panel.settle()
    panel.browser().post(f"/batches/{done}/undo", data={"reason": "clean"})
    panel.settle()
    assert panel.rows("SELECT count(suspended_at) FROM instances") == [(0,)]
    text = panel.browser().get(f"/batches/{done}/items.csv").text
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    assert [row[:2] for row in rows[1:]] == [["MO-1", "done"], ["'=SUM(A1)", "done"]]
    assert [row[4] for row in rows[1:]] == ids


@pytest.mark.parametrize("language", ["de", "es"])
def test_every_action_has_its_form_in_every_language(
    panel: Panel, language: str
) -> None:
    one = panel.mix("MO-1")
    for action in BatchAction:
        answer = panel.browser("supervisor", language).get(
            "/batches/new",
            query_string={"key": "mixing", "action": action, "instance": one},
        )
        assert answer.status_code == 200
        assert "Is kept in the history" not in answer.text
    batch = ordered(panel, action="suspend", instance=one)
    panel.settle()
    page = panel.page(f"/batches/{batch}", language=language)
    assert "of 1 done" not in page
