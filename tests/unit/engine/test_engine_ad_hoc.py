"""Ad-hoc subprocesses and complex gateways: what runs is decided on the way."""

from typing import Any

import pytest

from mpms.domain.errors import ExpressionFailed
from mpms.domain.instances.steps import Complete, FormWait
from mpms.engine.runner import SpiffEngine
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Play, Player

pytestmark = pytest.mark.covers("A3")


def workshop(draw: Drawing, **options: Any) -> bytes:
    inner = draw.ad_hoc("sand -> polish", "paint", "drill", **options)
    return draw("start -> shop -> after", shop=inner)


def choose(run: Play, name: str) -> None:
    run.do(Complete(run.wait("shop").task_id, {"next": name}))


def test_the_active_elements_begin_and_it_ends_when_nothing_is_left(
    draw: Drawing, play: Player
) -> None:
    run = play(workshop(draw, active="=todo"), {"todo": ["sand", "drill"]})
    assert run.open == ["drill", "sand"]
    run.complete("sand")
    run.complete("drill")
    assert run.open == ["polish"]
    run.complete("polish")
    assert run.open == ["after"]


def test_with_no_active_element_it_is_passed(draw: Drawing, play: Player) -> None:
    assert play(workshop(draw, active="=[]")).open == ["after"]
    run = play(workshop(draw, active="=todo"), {"todo": ["polish"]})
    assert "no activity polish" in run.stuck["shop"]


@pytest.mark.parametrize(
    ("cancels", "left"), [("true", ["after"]), ("false", ["drill"])]
)
def test_its_completion_condition_is_looked_at_when_something_is_left(
    draw: Drawing, play: Player, cancels: str, left: list[str]
) -> None:
    xml = workshop(
        draw,
        active='=["paint", "drill"]',
        until="${good}",
        cancelRemainingInstances=cancels,
    )
    run = play(xml, {"good": False})
    run.complete("paint", good=True)
    assert run.open == left
    if left == ["drill"]:
        run.complete("drill")
        assert run.open == ["after"]


def test_a_condition_that_fails_is_an_incident_that_can_be_mended(
    draw: Drawing, play: Player
) -> None:
    run = play(workshop(draw, active='=["paint", "drill"]', until="${good}"))
    run.complete("paint")
    assert "good" in run.stuck["shop"]
    run.mend(good=True)
    run.retry("shop")
    assert run.open == ["after"]


def test_people_choose_what_is_done_next_until_nothing_more_is_to_do(
    draw: Drawing, play: Player
) -> None:
    xml = workshop(draw)
    run = play(xml)
    wait = run.wait("shop")
    assert isinstance(wait, FormWait)
    (form,) = SpiffEngine().inner_forms(xml)
    assert wait.form == form["id"]
    offered = [value["value"] for value in form["components"][0]["values"]]
    assert offered == ["sand", "paint", "drill", "nothing_more"]
    choose(run, "paint")
    choose(run, "paint")
    assert run.open == ["paint", "paint", "shop"]
    with pytest.raises(ExpressionFailed, match="polish"):
        choose(run, "polish")
    choose(run, "nothing_more")
    assert run.open == ["paint", "paint"]
    for task in run.waits("paint"):
        run.do(Complete(task.task_id))
    assert run.open == ["after"]


def test_one_at_a_time_is_offered_again_when_the_last_is_done(
    draw: Drawing, play: Player
) -> None:
    run = play(
        workshop(draw, ordering="Sequential", until="${enough}"), {"enough": 0 > 1}
    )
    choose(run, "sand")
    assert run.open == ["sand"]
    run.complete("sand")
    run.complete("polish")
    assert run.open == ["shop"]
    choose(run, "drill")
    run.complete("drill", enough=True)
    assert run.open == ["after"]


def test_what_an_ad_hoc_subprocess_cannot_hold_is_refused(draw: Drawing) -> None:
    both = workshop(draw, active="=[]", ordering="Sequential")
    start = draw("start -> shop", shop=draw.ad_hoc("start_in -> paint"))
    reasons = [SpiffEngine().check(xml)[0].reason for xml in (both, start)]
    assert "'Sequential' together with active elements" in reasons[0]
    assert "needs an activity that no flow leads to" in reasons[1]


# -- complex gateways -------------------------------------------------------------


def two_of_three(draw: Drawing, condition: str = "activationCount >= 2") -> bytes:
    xml = draw(
        "start -> and",
        "and -> a -> complex",
        "and -> b -> complex",
        "and -> c -> complex",
        "complex -> x if big",
        "complex -> y otherwise",
    )
    text = f"<activationCondition>${{{condition}}}</activationCondition>"
    return xml.replace(
        b'<userTask id="complex"', b'<complexGateway id="complex"'
    ).replace(
        b'></userTask><userTask id="b"',
        f'>{text}</complexGateway><userTask id="b"'.encode(),
    )


def test_a_complex_gateway_goes_on_when_enough_has_come_and_takes_the_rest(
    draw: Drawing, play: Player
) -> None:
    run = play(two_of_three(draw), {"big": True})
    run.complete("a")
    assert run.open == ["b", "c"]
    run.complete("c")
    assert run.open == ["b", "x"]
    run.complete("b")
    assert run.open == ["x"]
    run.complete("x")
    assert run.done


def test_its_condition_is_refused_if_it_lacks_and_an_incident_if_it_fails(
    draw: Drawing, play: Player
) -> None:
    run = play(two_of_three(draw, "unknown"), {"big": True})
    run.complete("a")
    assert "unknown" in run.stuck["complex"]
    xml = two_of_three(draw)
    begin, end = b"<activationCondition>", b"</activationCondition>"
    bare = xml[: xml.index(begin)] + xml[xml.index(end) + len(end) :]
    (problem,) = SpiffEngine().check(bare)
    assert "needs an activation condition" in problem.reason


# -- forms inside models ----------------------------------------------------------

FIELDS = """<camunda:formData>
<camunda:formField id="kg" label="Weight" type="long" defaultValue="5">
<camunda:validation>
<camunda:constraint name="required"/><camunda:constraint name="max" config="90"/>
</camunda:validation></camunda:formField>
<camunda:formField id="grade" type="enum"><camunda:value id="a" name="Grade A"/>
</camunda:formField>
<camunda:formField id="fine" label="Fine" type="boolean" defaultValue="true"/>
</camunda:formData>"""


def test_generated_forms_of_camunda_7_become_forms(draw: Drawing, play: Player) -> None:
    task = draw.user()
    task.extensions = FIELDS
    xml = draw("start -> a", a=task)
    assert play(xml).wait("a").form == "process-a"
    (form,) = SpiffEngine().inner_forms(xml)
    kg, grade, fine = form["components"]
    assert (kg["type"], kg["defaultValue"]) == ("number", 5)
    assert kg["validate"] == {"required": True, "max": 90}
    assert grade["values"] == [{"label": "Grade A", "value": "a"}]
    assert (fine["type"], fine["defaultValue"]) == ("checkbox", True)
