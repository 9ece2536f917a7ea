"""The history is counted once, line by line, whatever the worker does meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mpms.domain.instances.instances import InstanceStatus
from mpms.ports.instances.rows import InstanceFilter
from tests.support.bench import Bench

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
LATER = datetime(2100, 1, 1, tzinfo=UTC)


@pytest.fixture
def forms(bench: Bench) -> Bench:
    bench.deploy_drawn(
        "forms",
        '<startEvent id="begin"/><userTask id="load"/><endEvent id="end"/>',
        *("begin load", "load end"),
    )
    return bench


def follow(bench: Bench, lines: int = 1000) -> None:
    while True:
        with bench.uow() as tx:
            if not tx.tallies.follow(lines):
                return


def heat(bench: Bench) -> dict[str, Any]:
    with bench.uow() as tx:
        found = tx.cockpit.heat(
            "forms", definition_id=None, since=LONG_AGO, until=LATER
        )
    return {row.element: row for row in found}


def found(bench: Bench, **wanted: Any) -> list[str | None]:
    with bench.uow() as tx:
        rows = tx.cockpit.instances(InstanceFilter(**wanted), below=None, limit=50)
    return [row.business_key for row in rows]


@pytest.mark.parametrize("lines", [1, 3, 1000])
def test_what_tokens_did_is_counted_once_however_it_is_read(
    forms: Bench, lines: int
) -> None:
    for number in range(3):
        forms.start("forms", business_key=f"MO-{number}")
    follow(forms, lines)
    assert "load" not in heat(forms)
    for task in forms.forms()[:2]:
        forms.submit(task.task_id, {})
    follow(forms, lines)
    follow(forms, lines)
    assert {name: row.visits for name, row in heat(forms).items()} == {
        "begin": 3,
        "load": 2,
        "end": 2,
    }
    with forms.uow() as tx:
        (standing,) = tx.cockpit.standing("forms")
        trend = tx.cockpit.trends(LONG_AGO)["forms"]
    assert (standing.element, standing.tokens, standing.stuck) == ("load", 1, 0)
    assert (sum(h.started for h in trend), sum(h.completed for h in trend)) == (3, 2)


def test_lists_find_instances_by_key_value_element_and_state(forms: Bench) -> None:
    forms.start("forms", business_key="MO-1", product="red", batch=7)
    forms.start("forms", business_key="MO-2", product="blue")
    forms.start("forms", business_key="XY-3", product="red", parts=[1, 2])
    forms.submit(forms.forms()[0].task_id, {"done": True})
    follow(forms)
    assert found(forms) == ["MO-1", "XY-3", "MO-2"]
    assert found(forms, business_key="MO-") == ["MO-1", "MO-2"]
    assert found(forms, name="product", value="red") == ["MO-1", "XY-3"]
    assert found(forms, name="done", value="true") == ["MO-1"]
    assert found(forms, name="batch", value="7") == ["MO-1"]
    assert found(forms, element="load") == ["XY-3", "MO-2"]
    assert found(forms, statuses=(InstanceStatus.COMPLETED,)) == ["MO-1"]
    assert found(forms, statuses=(InstanceStatus.ACTIVE,)) == ["XY-3", "MO-2"]
    assert found(forms, business_key="%") == []
    soon = datetime.now(UTC) + timedelta(hours=1)
    assert found(forms, since=soon) == []


def test_pages_of_a_list_follow_each_other_without_gap_or_repeat(forms: Bench) -> None:
    for number in range(7):
        forms.start("forms", business_key=f"MO-{number}")
    for task in forms.forms()[:3]:
        forms.submit(task.task_id, {})
    seen: list[str | None] = []
    below = None
    while True:
        with forms.uow() as tx:
            page = tx.cockpit.instances(InstanceFilter(), below=below, limit=2)
        if not page:
            break
        seen += [row.business_key for row in page]
        below = page[-1].place
    assert sorted(seen, key=str) == [f"MO-{number}" for number in range(7)]


def test_a_second_reader_waits_for_nobody_and_counts_nothing_twice(
    forms: Bench,
) -> None:
    forms.start("forms")
    follow(forms)
    forms.submit(forms.forms()[0].task_id, {})
    with forms.uow() as tx:
        tx.tallies.follow(1)
        with forms.uow() as other:
            assert other.tallies.follow(1000) is False
    follow(forms)
    assert heat(forms)["load"].visits == 1


def test_values_that_text_cannot_hold_do_not_stop_the_counting(forms: Bench) -> None:
    odd = {"nul": "a\x00b", "name\x00": 1, "plain": "yes"}
    instance_id = forms.start("forms", business_key="MO-1", **odd)
    follow(forms)
    assert found(forms, name="plain", value="yes") == ["MO-1"]
    with forms.uow() as tx:
        changes = tx.cockpit_instance.changes(instance_id)
        (plain,) = tx.cockpit_instance.changes(instance_id, name="plain")
    assert {change.name: change.new for change in changes} == odd
    assert plain.new == "yes"


def test_joins_and_events_at_borders_leave_nothing_standing(bench: Bench) -> None:
    """Otherwise a process that loops for years would fill the table."""
    bench.deploy_drawn(
        "turns",
        '<startEvent id="begin"/><exclusiveGateway id="again"/>'
        '<parallelGateway id="fork"/><userTask id="load"/><task id="beside"/>'
        '<boundaryEvent id="late" attachedToRef="load"><timerEventDefinition>'
        "<timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>"
        '<endEvent id="given_up"/><parallelGateway id="join"/>',
        *("begin again", "again fork", "fork load", "fork beside", "load join"),
        *("beside join", "join again", "late given_up"),
    )
    bench.start("turns")
    for _ in range(3):
        bench.submit(bench.forms()[0].task_id, {})
    follow(bench)
    with bench.uow() as tx:
        standing = {row.element: row.tokens for row in tx.cockpit.standing("turns")}
    assert standing == {"load": 1, "join": 1}


def test_the_history_of_all_instances_tells_what_was_counted(forms: Bench) -> None:
    for number in range(3):
        forms.start("forms", business_key=f"MO-{number}")
    for task in forms.forms()[:2]:
        forms.submit(task.task_id, {})
    follow(forms)
    with forms.uow() as tx:
        rows = tx.cockpit.instances(InstanceFilter(), below=None, limit=50)
        read = tx.cockpit.heat_of([row.id for row in rows], since=LONG_AGO, until=LATER)
        one = tx.cockpit.heat_of([rows[0].id], since=LONG_AGO, until=LATER)
        before = tx.cockpit.heat_of([rows[0].id], since=LONG_AGO, until=LONG_AGO)
    counted = heat(forms)
    assert {row.element: (row.visits, row.cancelled) for row in read} == {
        element: (row.visits, row.cancelled) for element, row in counted.items()
    }
    for row in read:
        assert row.seconds == pytest.approx(counted[row.element].seconds, abs=1e-3)
        assert row.waited_s == pytest.approx(counted[row.element].waited_s, abs=1e-3)
    assert sum(row.visits for row in one) < sum(row.visits for row in read)
    assert before == []
