"""Whatever a drawing says about a step is compared, and nothing is told twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from mpms.domain.errors import ModelRefused
from mpms.domain.models.difference import PartChange, difference
from mpms.engine.parts import parts

ROOT = Path(__file__).resolve().parents[3]
WAREHOUSE = (ROOT / "processes" / "warehouse.bpmn").read_bytes()
HANDLING = (ROOT / "processes" / "orders_handling.bpmn").read_bytes()


def changes(
    key: str, old: bytes, *replaced: tuple[bytes, bytes]
) -> tuple[PartChange, ...]:
    new = old
    for was, becomes in replaced:
        assert was in new, was
        new = new.replace(was, becomes)
    return difference(parts(old, key), parts(new, key))


def told(found: tuple[PartChange, ...]) -> list[tuple[str, str, list[str]]]:
    return [(c.how, c.id, [fact.fact for fact in c.facts]) for c in found]


def test_a_model_does_not_differ_from_itself() -> None:
    assert changes("warehouse", WAREHOUSE) == ()
    assert len(parts(WAREHOUSE, "warehouse")) > 40


def test_a_step_with_another_name_is_changed() -> None:
    found = changes("warehouse", WAREHOUSE, (b'"Load material"', b'"Fill in"'))
    assert told(found) == [("changed", "load_material", ["name"])]


def test_a_form_another_one_is_told_old_and_new() -> None:
    was = (
        b"camunda:formRef=" if b"camunda:formRef=" in WAREHOUSE else b"camunda:formKey="
    )
    start = WAREHOUSE.index(was, WAREHOUSE.index(b'id="load_material"'))
    end = WAREHOUSE.index(b'"', start + len(was) + 1) + 1
    found = changes(
        "warehouse", WAREHOUSE, (WAREHOUSE[start:end], b'camunda:formKey="another"')
    )
    forms = [c.facts for c in found if c.id == "load_material"]
    assert [fact.new for facts in forms for fact in facts if fact.fact == "form"] == [
        "another"
    ]


def test_a_timer_that_waits_longer_is_a_fact_of_its_event() -> None:
    found = changes("orders_handling", HANDLING, (b"PT30S", b"PT45S"))
    assert told(found) == [("changed", "wait_for_mailbox", ["event text"])]
    assert (found[0].facts[0].old, found[0].facts[0].new) == ("PT30S", "PT45S")


def test_a_signal_with_another_name_is_seen_where_it_is_used() -> None:
    found = changes(
        "orders_handling", HANDLING, (b'name="email received" />', b'name="post" />')
    )
    assert found
    assert {fact for c in found for fact in told((c,))[0][2]} == {"event name"}


def test_a_topic_and_documentation_are_facts() -> None:
    found = changes(
        "orders_handling",
        HANDLING,
        (b'camunda:topic="mail.read"', b'camunda:topic="mail.fetch"'),
        (b"Runs for ever", b"Runs always"),
    )
    assert told(found) == [
        ("changed", "orders_handling", ["documentation"]),
        ("changed", "read_emails", ["topic"]),
    ]


def test_a_default_flow_that_moves_is_a_fact_of_its_gateway() -> None:
    found = changes(
        "orders_handling",
        HANDLING,
        (
            b'default="new_mail_to_wait_for_mail"',
            b'default="new_mail_to_tell_email_received"',
        ),
    )
    assert told(found) == [("changed", "new_mail", ["default"])]


def test_a_shape_drawn_elsewhere_is_only_moved() -> None:
    start = HANDLING.index(b'bpmnElement="read_emails"')
    x = HANDLING.index(b' x="', start)
    moved = HANDLING[:x] + b' x="7' + HANDLING[x + 4 :]
    found = difference(
        parts(HANDLING, "orders_handling"), parts(moved, "orders_handling")
    )
    assert told(found) == [("moved", "read_emails", [])]


def test_a_flow_that_leads_elsewhere_is_changed_and_its_steps_are_not() -> None:
    found = changes(
        "orders_handling",
        HANDLING,
        (
            b'sourceRef="mail_again" targetRef="read_emails"',
            b'sourceRef="mail_again" targetRef="wait_for_mail"',
        ),
    )
    assert told(found) == [("changed", "mail_again_to_read_emails", ["target"])]


def test_another_process_of_the_file_is_not_told() -> None:
    assert parts(HANDLING, "warehouse") == []


def test_hostile_xml_is_refused_as_everywhere() -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "b">]><definitions/>'
    with pytest.raises(ModelRefused):
        parts(bomb, "x")
