"""Histories as XES and OCEL 2.0: every step once, and readable by any parser."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from lxml import etree

from mpms.domain.history.cases import Case, CaseHead, Part, Thing, case_of
from mpms.domain.history.events import Cursor, Event
from mpms.domain.history.ocel import as_ocel
from mpms.domain.history.xes import as_xes
from mpms.domain.models.definitions import ModelStep

NOON = datetime(2026, 3, 2, 12, tzinfo=timezone(timedelta(hours=1)))
MODEL = {
    "move": ModelStep("move", "Move to\n<material>", "serviceTask", None),
    "load": ModelStep("load", "", "userTask", None),
    "fork": ModelStep("fork", "Ready?", "exclusiveGateway", None),
}
NS = "{http://www.xes-standard.org/}"
THINGS = (
    Thing("order", "MO-1", Part.CONCERNS),
    Thing("lot", "L-7", Part.USES),
    Thing("lot", "L-7", Part.USES, "t3"),
    Thing("robot", "r1", Part.PERFORMS, "t1"),
)


def line(number: int, kind: str, element: str, task: str, by: str = "worker") -> Event:
    at = NOON + timedelta(seconds=number)
    return Event(Cursor(1, number), at, kind, by, "i", element, task)


def case(key: str | None = "MO-1", *, cut: bool = False) -> Case:
    head = CaseHead("i", 1, "paint", 2, key, "active", NOON, None)
    lines = [
        line(1, "entered", "move", "t1"),
        line(2, "left", "move", "t1"),
        line(3, "entered", "fork", "t2"),
        line(4, "entered", "load", "t3"),
        line(5, "form answered", "load", "t3", by="sofia"),
        line(6, "left", "load", "t3"),
        line(7, "entered", "of another version", "t4"),
        line(8, "entered", "load", "t5"),
        line(9, "cancelled", "load", "t5"),
    ]
    return case_of(head, lines, MODEL, THINGS, cut=cut)


def values_of(node: Any) -> dict[str | None, str | None]:
    return {child.get("key"): child.get("value") for child in node if child.get("key")}


def parsed(*cases: Case) -> Any:
    return etree.fromstring("".join(as_xes("paint", cases)).encode())


def test_steps_are_activities_with_who_did_them() -> None:
    told = [(s.element, str(s.phase), s.resource) for s in case().steps]
    assert told == [
        ("move", "start", "r1"),
        ("move", "complete", "r1"),
        ("load", "start", "sofia"),
        ("load", "complete", "sofia"),
        ("load", "start", None),
        ("load", "ate_abort", None),
    ]


def test_xes_holds_every_case_and_step_with_its_zone() -> None:
    log = parsed(case(), case(None))
    first, second = log.findall(f"{NS}trace")
    assert values_of(first)["concept:name"] == "i"
    assert values_of(first)["business_key"] == "MO-1"
    assert values_of(first)["thing:lot"] == "L-7"
    assert "business_key" not in values_of(second)
    events = [values_of(event) for event in first.findall(f"{NS}event")]
    assert events[0] == {
        "concept:name": "Move to <material>",
        "element": "move",
        "lifecycle:transition": "start",
        "time:timestamp": "2026-03-02T11:00:01+00:00",
        "org:resource": "r1",
    }
    assert [event["concept:name"] for event in events[2:]] == ["load"] * 4
    assert "cut" not in values_of(first)


def test_what_xml_cannot_hold_is_replaced() -> None:
    log = parsed(case("a\x00\ud800\ufffe&"))
    trace = log.find(f"{NS}trace")
    assert trace is not None
    assert values_of(trace)["business_key"] == "a\ufffd\ufffd\ufffd&"


def test_a_case_with_more_lines_than_were_read_says_so() -> None:
    assert 'key="cut" value="true"' in "".join(as_xes("paint", [case(cut=True)]))
    made = json.loads("".join(as_ocel([case(cut=True)])))
    instance = made["objects"][0]
    assert {"name": "cut", "time": "2026-03-02T11:00:00+00:00", "value": True} in (
        instance["attributes"]
    )


def test_ocel_relates_steps_to_instance_order_and_robot() -> None:
    made = json.loads("".join(as_ocel([case()])))
    of = [
        {one["objectId"]: one["qualifier"] for one in event["relationships"]}
        for event in made["events"]
    ]
    about = {"instance:i": "of", "order:MO-1": "concerns"}
    assert of[0] == about | {"robot:r1": "performs"}
    assert of[2] == of[3] == about | {"lot:L-7": "uses"}
    assert of[4] == about
    names = [kind["name"] for kind in made["eventTypes"]]
    assert names == ["Move to <material>", "load"]
    assert [kind["name"] for kind in made["objectTypes"]] == [
        *("instance", "lot", "order", "robot")
    ]
    ids = [thing["id"] for thing in made["objects"]]
    assert ids == ["instance:i", "lot:L-7", "order:MO-1", "robot:r1"]
    known = {r["objectId"] for r in made["objects"][0]["relationships"]}
    assert known == {"order:MO-1", "lot:L-7"}
    assert datetime.fromisoformat(made["events"][0]["time"]).tzinfo == UTC


def test_a_case_without_steps_is_an_object_still() -> None:
    head = CaseHead("empty", 1, "paint", 1, None, "active", NOON, None)
    cases = [case_of(head, [], MODEL, ()), case(), case_of(head, [], MODEL, ())]
    made = json.loads("".join(as_ocel(cases)))
    assert len(made["events"]) == 6
    assert len(json.loads("".join(as_ocel([])))["objects"]) == 0
