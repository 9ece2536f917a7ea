"""One process: its steps with figures, and its instances found by what one knows."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from tests.support.site import row_of
from tests.support.web_cockpit import Panel, keys_of


@pytest.fixture
def busy(panel: Panel) -> Panel:
    """MO-1 is done, MO-2 is stuck at the scale, MO-3 and XY-4 wait for a person."""
    done = panel.mix("MO-1", product="red")
    panel.answer(done)
    panel.get_stuck("MO-2")
    panel.mix("MO-3", product="red", batch=7)
    panel.mix("XY-4", product="blue")
    return panel


def test_steps_show_what_stands_there_and_what_happened(busy: Panel) -> None:
    page = busy.page("/cockpit/mixing")
    load = row_of(page, 'data-element="load"')
    assert 'data-tokens="2" data-stuck="0"' in load
    assert 'data-text-count="2"' in load
    weigh = row_of(page, 'data-element="weigh"')
    assert 'data-tokens="1" data-stuck="1"' in weigh
    assert "1 stuck" in weigh
    assert 'model="/definitions/' in page


def test_figures_may_be_those_of_the_search_alone(busy: Panel) -> None:
    page = busy.page("/cockpit/mixing/steps?only=1&state=any&name=product&value=blue")
    load = row_of(page, 'data-element="load"')
    assert 'data-tokens="1" data-stuck="0"' in load
    assert 'data-text-count="0"' in load
    assert "Instances that match the search: 1. The figures are theirs." in page
    done = busy.page("/cockpit/mixing/steps?only=1&state=completed&q=MO-1")
    load = row_of(done, 'data-element="load"')
    assert 'data-tokens="0" data-stuck="0"' in load
    assert 'data-text-count="1"' in load


def test_only_people_and_events_are_waited_for(busy: Panel) -> None:
    busy.rows("UPDATE element_hours SET seconds = 600, waited_s = 300, visits = 1")
    page = busy.page("/cockpit/mixing/steps")
    load, weigh = row_of(page, '"load"'), row_of(page, '"weigh"')
    assert 'data-text-duration="10 min" data-text-waiting="5 min"' in load
    assert 'data-text-duration="10 min" data-text-waiting="0 s"' in weigh
    assert 'data-heat-duration="5" data-heat-waiting="5"' in load
    assert 'data-heat-duration="5" data-heat-waiting="0"' in weigh


def test_bottlenecks_are_sentences_with_numbers(busy: Panel) -> None:
    busy.rows("DELETE FROM element_hours WHERE element NOT IN ('load', 'weigh')")
    busy.rows("UPDATE element_hours SET seconds = 600, waited_s = 480, visits = 1")
    page = unescape(busy.page("/cockpit/mixing/steps"))
    told = re.findall(r"<li>(\d+ %[^<]*)</li>", page)
    assert len(told) == 3
    assert told[0].startswith("50 % of the time")
    assert told[0].endswith("10 min on average.")
    assert told[1].startswith("40 % of the time, forms at ")
    assert told[1].endswith("wait for somebody to take them, 8 min on average.")
    assert told[2].startswith("10 % of the time, people work at ")
    busy.rows("DELETE FROM element_hours")
    assert "Where the time goes" not in busy.page("/cockpit/mixing/steps")


def test_the_window_of_time_leaves_out_what_happened_before(busy: Panel) -> None:
    busy.rows("UPDATE element_hours SET hour = hour - interval '10 days'")
    visits = {
        window: re.search(
            r'data-text-count="(\d+)"',
            row_of(
                busy.page(f"/cockpit/mixing?window={window}"), 'data-element="load"'
            ),
        )[1]  # type: ignore[index]
        for window in ("hour", "day", "week", "month", "quarter")
    }
    assert visits == {
        "hour": "0",
        "day": "0",
        "week": "0",
        "month": "2",
        "quarter": "2",
    }
    own = "/cockpit/mixing/steps?window=own&from=2020-01-01&to=2020-02-01"
    assert 'data-text-count="0"' in row_of(busy.page(own), 'data-element="load"')
    since = "/cockpit/mixing/steps?window=own&from=2020-01-01"
    assert 'data-text-count="2"' in row_of(busy.page(since), 'data-element="load"')


def test_a_version_narrows_figures_and_list(busy: Panel) -> None:
    busy.deploy(name="Mix paint anew")
    busy.mix("MO-9")
    newest = busy.page("/cockpit/mixing?version=2")
    assert keys_of(newest) == ["MO-9"]
    assert 'data-tokens="1"' in row_of(newest, 'data-element="load"')
    assert keys_of(busy.page("/cockpit/mixing?version=1")) == ["XY-4", "MO-3", "MO-2"]
    assert keys_of(busy.page("/cockpit/mixing"))[0] == "MO-9"
    assert busy.browser().get("/cockpit/mixing?version=3").status_code == 404
    assert busy.browser().get("/cockpit/nothing").status_code == 404


def test_instances_are_found_by_what_one_knows(busy: Panel) -> None:
    expected = {
        "": ["XY-4", "MO-3", "MO-2"],
        "state=any": ["XY-4", "MO-3", "MO-2", "MO-1"],
        "state=stuck": ["MO-2"],
        "state=suspended": [],
        "state=completed": ["MO-1"],
        "state=cancelled": [],
        "state=failed": [],
        "state=any&q=MO-": ["MO-3", "MO-2", "MO-1"],
        "q=O-": [],
        "state=any&name=product&value=red": ["MO-3", "MO-1"],
        "name=batch&value=7": ["MO-3"],
        "element=load": ["XY-4", "MO-3"],
        "element=weigh&state=any": ["MO-2"],
        "age=hour": ["XY-4", "MO-3", "MO-2"],
        "age=over_hour": [],
    }
    found = {
        asked: keys_of(busy.page(f"/cockpit/mixing/instances?{asked}"))
        for asked in expected
    }
    assert found == expected
    whole = {asked: keys_of(busy.page(f"/cockpit/mixing?{asked}")) for asked in found}
    assert whole == expected


def test_an_address_that_was_tampered_with_is_no_error(busy: Panel) -> None:
    odd = "state=%00&age=x&window=own&show=x&version=x&below=x~y&from=0001-01-01"
    assert keys_of(busy.page(f"/cockpit/mixing?{odd}")) == ["XY-4", "MO-3", "MO-2"]


def test_a_row_says_where_the_instance_stands_and_leads_to_it(busy: Panel) -> None:
    page = busy.page("/cockpit/mixing?state=any")
    stuck = row_of(page, ">MO-2<")
    assert ">stuck<" in stuck
    assert "Weigh Mix paint" in stuck
    (instance_id,) = busy.rows(
        "SELECT id::text FROM instances WHERE business_key = 'MO-2'"
    )[0]
    assert f'href="/cockpit/i/{instance_id}"' in stuck
    assert "Load material" in row_of(page, ">XY-4<")
    assert ">completed<" in row_of(page, ">MO-1<")


def test_pages_follow_each_other_without_gap_or_repetition(panel: Panel) -> None:
    names = [f"MO-{number:03d}" for number in range(70)]
    for name in names:
        panel.mix(name)
    seen, address = [], "/cockpit/mixing?q=MO-"
    while True:
        page = panel.page(address)
        seen += keys_of(page)
        further = re.search(r'href="([^"]*below=[^"#]*)', page)
        if further is None:
            break
        address = unescape(further[1])
    assert seen == names[::-1]


def test_counting_stops_at_a_thousand(panel: Panel) -> None:
    panel.mix("MO-1")
    panel.rows(
        "INSERT INTO instances (id, definition_id, key, status, started_at,"
        " changed_at, ended_at) SELECT gen_random_uuid(), definition_id, key,"
        " 'completed', started_at, changed_at, changed_at + n * interval '1 s'"
        " FROM instances, generate_series(1, 1200) AS n"
    )
    assert "1,000+ instances" in panel.page("/cockpit/mixing?state=any")
    answer = panel.browser().get("/cockpit/mixing/instances.csv?state=completed")
    assert len(answer.text.splitlines()) == 1201


def test_a_spreadsheet_gets_the_same_instances_and_no_formula(panel: Panel) -> None:
    panel.mix('=HYPERLINK("http://example.com","x")', product="red")
    panel.mix("MO-1", product="red")
    panel.mix("MO-2", product="blue")
    answer = panel.browser("viewer").get(
        "/cockpit/mixing/instances.csv?name=product&value=red"
    )
    assert answer.content_type == "text/csv; charset=utf-8"
    assert "mixing-instances.csv" in answer.headers["Content-Disposition"]
    lines = list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))
    assert [line["Business key"] for line in lines] == [
        "MO-1",
        '\'=HYPERLINK("http://example.com","x")',
    ]
    assert lines[0]["Stands at"] == "Load material"
    assert lines[0]["State"] == "running"


def test_texts_of_others_are_never_markup(panel: Panel) -> None:
    panel.mix("<script>alert(1)</script>")
    page = panel.page(
        "/cockpit/mixing?q=%3Cscript%3E&name=%22%3E%3Cb%3E&element=%3Ci%3E"
    )
    assert "<script>alert" not in page
    assert "<b>" not in page
    assert "<script>alert" not in panel.page("/cockpit/mixing")


def test_a_page_opens_as_many_transactions_however_long_it_is(panel: Panel) -> None:
    desk = panel.app().extensions["desk"]
    opened: list[None] = []

    def counting() -> Any:
        opened.append(None)
        return panel.uow()

    panel.app().extensions["desk"] = replace(desk, uow=counting)
    panel.mix("MO-1")
    panel.page("/cockpit/mixing/instances")
    few = len(opened)
    for number in range(20):
        panel.mix(f"XX-{number}")
    panel.page("/cockpit/mixing/instances")
    assert len(opened) == 2 * few
