"""Instances in virtual time: the hub moves them, people and times are made up."""

from __future__ import annotations

import pytest

from mpms.domain.testdrive.scenario import FORM_S, JOB_S, Learnt, Worker
from tests.support.drawings import call, draw, in_a_row, job, timer
from tests.support.virtual_plant import always, drivable, driven, every, run_of

TWO_FORMS = drivable("papers", in_a_row("papers", "begin look file end"))


def test_one_person_does_one_form_at_a_time() -> None:
    learnt = always(look=100.0, file=20.0)
    alone = driven(TWO_FORMS, every(0.0, 3), learnt=learnt)
    # Three looks one after the other, then each is filed.
    assert alone.lead_times_s == pytest.approx([320.0, 340.0, 360.0])
    assert alone.people == {"ana": pytest.approx(1.0)}
    both = driven(
        TWO_FORMS, every(0.0, 3), learnt=learnt, people=[Worker("ana"), Worker("bo")]
    )
    assert max(both.lead_times_s) == pytest.approx(220.0)
    assert sum(alone.waited_s) > sum(both.waited_s)


def test_people_do_the_forms_of_their_groups_only() -> None:
    forms = (
        '<startEvent id="begin"/>'
        '<userTask id="weld" name="Weld" camunda:candidateGroups="welder"/>'
        '<endEvent id="end"/>'
    )
    model = drivable("weld", draw("weld", forms, "begin weld", "weld end"))
    people = [
        Worker("ana", frozenset({"painter"})),
        Worker("bo", frozenset({"welder"})),
    ]
    run = driven(model, every(0.0, 2), learnt=always(weld=10.0), people=people)
    assert run.people == {"ana": 0.0, "bo": pytest.approx(1.0)}


def test_a_group_that_nobody_is_in_gets_one_person_and_that_is_said() -> None:
    forms = (
        '<startEvent id="begin"/>'
        '<userTask id="weld" name="Weld" camunda:candidateGroups="welder"/>'
        '<endEvent id="end"/>'
    )
    model = drivable("weld", draw("weld", forms, "begin weld", "weld end"))
    run = run_of(model, every(0.0, 2), people=[Worker("ana", frozenset({"painter"}))])
    assert len(run.drive().lead_times_s) == 2
    assert run.crew.unknown_groups == {"welder"}


def test_a_timer_fires_in_virtual_time() -> None:
    drawn = f'<startEvent id="begin"/>{timer("dry", "PT36H")}<endEvent id="end"/>'
    model = drivable("dry", draw("dry", drawn, "begin dry", "dry end"))
    run = driven(model, every(60.0, 2))
    assert run.lead_times_s == pytest.approx([36 * 3600.0] * 2)


def test_a_topic_that_nobody_knows_takes_the_stated_default() -> None:
    drawn = f'<startEvent id="begin"/>{job("cut", "laser.cut")}<endEvent id="end"/>'
    model = drivable("cut", draw("cut", drawn, "begin cut", "cut end"))
    run = run_of(model, every(60.0, 40))
    found = run.drive().figures()["lead_time_mean_s"]
    assert found == pytest.approx(JOB_S, rel=0.2)
    assert run.used_default == {"cut"}


def test_what_a_foreign_worker_answered_decides_the_way_again() -> None:
    drawn = (
        f'<startEvent id="begin"/>{job("test", "lab.test")}'
        '<exclusiveGateway id="good" default="good_to_end"/>'
        '<userTask id="mend" name="Mend"/><endEvent id="end"/>'
    )
    ways = ("begin test", "test good", "good end", "good mend ${not passed}")
    model = drivable("test", draw("test", drawn, *ways, "mend end"))
    answers = [{"passed": True}, {"passed": True}, {"passed": True}, {"passed": False}]
    learnt = Learnt({"test": [5.0] * 5}, results={"test": answers})
    run = driven(model, every(600.0, 400), learnt=learnt)
    visits = {step.element: step.visits for step in run.steps}
    assert visits["end"] == 400
    assert 60 <= visits["mend"] <= 140, "about a quarter"


def test_a_problem_is_reported_as_often_as_in_the_past() -> None:
    drawn = (
        '<startEvent id="begin"/><userTask id="load" name="Load"/>'
        '<boundaryEvent id="broken" attachedToRef="load">'
        '<errorEventDefinition id="any"/></boundaryEvent>'
        '<endEvent id="end"/><endEvent id="given_up"/>'
    )
    ways = ("begin load", "load end", "broken given_up")
    model = drivable("load", draw("load", drawn, *ways))
    learnt = Learnt(answers={"load": [{}] * 8}, problems={"load": ["torn"] * 2})
    run = driven(model, every(600.0, 300), learnt=learnt)
    visits = {step.element: step.visits for step in run.steps}
    assert 30 <= visits["given_up"] <= 90, "about a fifth"


def test_a_called_process_is_driven_as_an_instance_of_its_own() -> None:
    drawn = f'<startEvent id="begin"/>{call("sub", "papers")}<endEvent id="end"/>'
    outer = draw("outer", drawn, "begin sub", "sub end")
    model = drivable("outer", outer, in_a_row("papers", "begin look file end"))
    run = driven(model, every(0.0, 1), learnt=always(look=30.0, file=40.0))
    assert run.lead_times_s == pytest.approx([70.0])


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    first, again = (driven(TWO_FORMS, every(30.0, 20)) for _ in range(2))
    assert first.lead_times_s == again.lead_times_s
    other = driven(TWO_FORMS, every(30.0, 20), seed=2)
    assert other.lead_times_s != first.lead_times_s


def test_a_step_more_changes_no_luck_of_the_others() -> None:
    longer = drivable("papers", in_a_row("papers", "begin look stamp file end"))
    people = [Worker(f"p{n}") for n in range(200)]
    short = driven(TWO_FORMS, every(600.0, 20), people=people)
    long = driven(longer, every(600.0, 20), people=people)
    gaps = [b - a for a, b in zip(short.lead_times_s, long.lead_times_s, strict=True)]
    assert all(FORM_S * 0.5 <= gap <= FORM_S * 1.5 for gap in gaps), "the stamp alone"


def test_an_instance_that_cannot_go_on_is_told_and_stops_no_other() -> None:
    drawn = (
        '<startEvent id="begin"/><exclusiveGateway id="which"/>'
        '<endEvent id="a"/><endEvent id="b"/>'
    )
    ways = ("begin which", "which a ${missing == 1}", "which b ${missing == 2}")
    model = drivable("stuck", draw("stuck", drawn, *ways))
    run = driven(model, [*every(10.0, 2), *every(10.0, 1, missing=1)])
    assert len(run.lead_times_s) == 1
    ((told, count),) = run.stuck.items()
    assert "missing" in told
    assert count == 2


TABLE = (
    b'<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d"'
    b' name="d" namespace="d"><decision id="colour" name="Colour"><decisionTable>'
    b'<output name="colour" typeRef="string"/><rule><outputEntry><text>"red"</text>'
    b"</outputEntry></rule></decisionTable></decision></definitions>"
)


@pytest.mark.parametrize(
    ("bound", "deployed", "ends"),
    [
        ("", "colour", 1),
        ("deployment", "colour", 1),
        ("version", "colour@1", 1),
        ("version", "colour", 0),
    ],
)
def test_a_decision_is_taken_as_it_is_bound(
    bound: str, deployed: str, ends: int
) -> None:
    binding = f' camunda:decisionRefBinding="{bound}"' if bound else ""
    version = ' camunda:decisionRefVersion="1"' if bound == "version" else ""
    drawn = (
        '<startEvent id="begin"/><businessRuleTask id="choose" name="Choose"'
        f' camunda:decisionRef="colour"{binding}{version}'
        ' camunda:mapDecisionResult="singleEntry" camunda:resultVariable="colour"/>'
        '<endEvent id="end"/>'
    )
    files = draw("paint", drawn, "begin choose", "choose end")
    run = driven(drivable("paint", files, decisions={deployed: TABLE}), every(0.0, 1))
    assert len(run.lead_times_s) == ends
    assert (run.stuck == {}) == bool(ends)
