"""What looks alike has one cause, what does not has another, and it stays so."""

from __future__ import annotations

import pytest

from mpms.domain.incidents.causes import cause_of, shape_of
from mpms.domain.incidents.kinds import IncidentKind
from mpms.plugins import loading


def of(name: str) -> IncidentKind:
    return loading.kinds().incident(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("robot1 stopped after 20 s", "robot3 stopped after 7.5 s"),
        ("no order 'MO-2026-0001'", "no order 'MO-2026-7713'"),
        ("order MO-2026-0001 is gone", "order MO-2026-0002 is gone"),
        ('"blue" is no number', '"it\'s green" is no number'),
        (
            "token 8f14e45f-ceea-467f-a9a1-0c5d1f3e2b11 is lost",
            "token 45c48cce-2e2d-4fbd-aa1a-fc51c7c6ad26 is lost",
        ),
        ("late since 2026-11-16T21:11:22+01:00", "late since 2025-01-02 03:04:05Z"),
        ("no reply to a@b.example.com", "no reply to buyer+x@c.example.org"),
        ("object at 0x7f31aa00", "object at 0x55d2ff1e"),
        ("hash 9e107d9d372bb682 differs", "hash e4d909c290d0fb1c differs"),
        ("lines\n  3,  4", "lines 5, 6, 7"),
        ("«uno» no existe", "«dos tres» no existe"),
    ],
)
def test_messages_that_differ_in_particulars_have_one_cause(
    one: str, other: str
) -> None:
    where = {"process": "warehouse", "element": "weigh"}
    assert cause_of(of("job"), one, **where) == cause_of(of("job"), other, **where)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the scale does not answer", "the printer does not answer"),
        ("timeout of the scale", "the scale refused"),
        ("don't stop the robot's arm", "don't start the robot's arm"),
    ],
)
def test_messages_that_say_something_else_have_another_cause(
    one: str, other: str
) -> None:
    where = {"process": "warehouse", "element": "weigh"}
    assert cause_of(of("job"), one, **where) != cause_of(of("job"), other, **where)


def test_what_a_model_does_is_told_apart_by_its_place() -> None:
    here = cause_of(of("job"), "KeyError: 'kg'", process="a", element="weigh")
    assert here != cause_of(of("job"), "KeyError: 'kg'", process="a", element="load")
    assert here != cause_of(of("job"), "KeyError: 'kg'", process="b", element="weigh")
    assert here != cause_of(of("stuck"), "KeyError: 'kg'", process="a", element="weigh")


def test_a_robot_that_fails_is_one_cause_wherever_it_hurts() -> None:
    one = cause_of(of("goal"), "robot1: motor is off", process="a", element="to_tank")
    assert one == cause_of(
        of("goal"), "robot2: motor is off", process="b", element="home"
    )


def test_a_lasting_state_is_one_cause_whatever_its_words() -> None:
    refused = cause_of(of("mailbox"), "The mailbox cannot be read: connection refused")
    assert refused == cause_of(of("mailbox"), "The mailbox cannot be read: timed out")
    assert refused != cause_of(of("mail server"), "connection refused")


def test_lost_replies_are_told_apart_by_what_was_said() -> None:
    full = cause_of(of("reply"), "No reply went to a@x.example: mailbox full")
    assert full == cause_of(of("reply"), "No reply went to b@y.example: mailbox full")
    assert full != cause_of(of("reply"), "No reply went to a@x.example: no such user")


def test_a_cause_keeps_its_name_for_ever() -> None:
    """Comments and alerts are kept by it: a change would tear them off."""
    named = cause_of(of("job"), "no paper in 4 printers", process="p", element="label")
    assert named == "cdacb11c78ee3e04"
    assert shape_of("no Paper in 4 printers") == "no paper in … printers"


def test_hostile_messages_are_named_quickly() -> None:
    for hostile in ("'" * 100_000, "1-" * 50_000, "a@" * 50_000, "0x" * 50_000, "\0"):
        assert cause_of(of("job"), hostile, process="p", element="e").startswith("c")
