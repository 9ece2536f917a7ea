"""Models drawn for Camunda 8 run as Camunda 8 runs them, not as Camunda 7 would."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from mpms.domain.execution import Execution
from mpms.domain.instances.steps import Complete, Start
from mpms.domain.models.definitions import Definition
from mpms.engine.runner import SpiffEngine
from tests.support.bpmn_play import Play, Player

FRAME = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
  xmlns:modeler="http://camunda.org/schema/modeler/1.0" id="file"
  modeler:executionPlatform="Camunda Cloud">
<process id="process" isExecutable="true">{body}</process>{roots}</definitions>"""


def drawn(body: str, roots: str = "") -> bytes:
    return FRAME.format(body=body, roots=roots).encode()


def line(*steps: str, roots: str = "", beside: str = "") -> bytes:
    """Start, the steps with the ids x1, x2, ... and the end."""
    ids = ["start", *(f"x{n}" for n in range(1, len(steps) + 1)), "end"]
    flows = "".join(
        f"<sequenceFlow id='f{n}' sourceRef='{a}' targetRef='{b}'/>"
        for n, (a, b) in enumerate(pairwise(ids))
    )
    body = f"<startEvent id='start'/><endEvent id='end'/>{flows}{''.join(steps)}"
    return drawn(body + beside, roots)


def step(tag: str, words: str, inside: str = "", number: int = 1) -> str:
    extensions = f"<extensionElements>{words}</extensionElements>"
    return f"<{tag} id='x{number}'>{extensions}{inside}</{tag}>"


def job(words: str = "", inside: str = "", number: int = 1) -> str:
    definition = "<zeebe:taskDefinition type='work'/>"
    return step("serviceTask", definition + words, inside, number)


def io(*inputs: str, outputs: tuple[str, ...] = ()) -> str:
    """Mappings written ``target:source``."""
    parts = [
        f"<zeebe:{word} source='{text.partition(':')[2]}'"
        f" target='{text.partition(':')[0]}'/>"
        for word, texts in (("input", inputs), ("output", outputs))
        for text in texts
    ]
    return f"<zeebe:ioMapping>{''.join(parts)}</zeebe:ioMapping>"


def many(words: str, inside: str = "", attributes: str = "") -> str:
    return (
        f"<multiInstanceLoopCharacteristics {attributes}><extensionElements>"
        f"<zeebe:loopCharacteristics {words}/></extensionElements>{inside}"
        "</multiInstanceLoopCharacteristics>"
    )


# -- jobs ---------------------------------------------------------------------------


def test_a_job_has_its_topic_and_as_many_tries_as_retries_says(play: Player) -> None:
    wait = play(line(job())).wait("x1")
    assert (wait.topic, len(wait.retry_delays_s)) == ("work", 2)
    five = "<zeebe:taskDefinition type='=\"robot.move\"' retries='5'/>"
    wait = play(line(step("serviceTask", five))).wait("x1")
    assert (wait.topic, len(wait.retry_delays_s)) == ("robot.move", 4)
    four = "<zeebe:taskDefinition type='work' retries='=4'/>"
    wait = play(line(step("serviceTask", four))).wait("x1")
    assert len(wait.retry_delays_s) == 3
    once = "<zeebe:taskDefinition type='work' retries='1'/>"
    assert play(line(step("serviceTask", once))).wait("x1").retry_delays_s == ()


def test_job_results_go_to_the_instance(play: Player) -> None:
    played = play(line(job()), {"a": 1})
    played.complete("x1", a=2, b=3)
    assert played.variables == {"a": 2, "b": 3}


def test_with_outputs_only_what_is_mapped_goes_to_the_instance(play: Player) -> None:
    played = play(line(job(io(outputs=("total:=sum",)))), {"a": 1})
    played.complete("x1", sum=5, noise=True)
    assert played.variables == {"a": 1, "total": 5}


def test_a_result_with_the_name_of_an_input_stays_with_the_task(play: Player) -> None:
    played = play(line(job(io("a:=b"))), {"a": 1, "b": 2})
    played.complete("x1", a=99, c=3)
    assert played.variables == {"a": 1, "b": 2, "c": 3}


def test_a_job_sees_its_inputs_and_everything_else(play: Player) -> None:
    played = play(line(job(io("place:=material.place"))), {"material": {"place": "R1"}})
    assert played.wait("x1").inputs == {"place": "R1", "material": {"place": "R1"}}


def test_a_pure_handler_sees_the_same(play: Player) -> None:
    seen: list[dict[str, Any]] = []

    def work(inputs: dict[str, Any]) -> dict[str, Any]:
        seen.append(inputs)
        return {}

    assert play(line(job(io("b:=a + 1"))), {"a": 1}, pure={"work": work}).done
    assert seen == [{"a": 1, "b": 2}]


def test_headers_are_an_input_and_no_expressions(play: Player) -> None:
    headers = (
        "<zeebe:taskHeaders><zeebe:header key='unit' value='kg'/>"
        "<zeebe:header key='rule' value='=a > 1'/>"
        "<zeebe:header key='text' value='${x}'/></zeebe:taskHeaders>"
    )
    played = play(line(job(headers)), {"a": 1})
    assert played.wait("x1").inputs == {
        "a": 1,
        "taskHeaders": {"unit": "kg", "rule": "=a > 1", "text": "${x}"},
    }
    played.complete("x1")
    assert played.variables == {"a": 1}


@pytest.mark.parametrize("tag", ["sendTask", "businessRuleTask", "scriptTask"])
def test_other_tasks_may_be_jobs_too(play: Player, tag: str) -> None:
    played = play(line(step(tag, "<zeebe:taskDefinition type='work'/>")))
    assert played.wait("x1").topic == "work"
    played.complete("x1", a=1)
    assert (played.done, played.variables) == (True, {"a": 1})


@pytest.mark.parametrize("tag", ["intermediateThrowEvent", "endEvent"])
def test_a_thrown_message_may_be_a_job(play: Player, tag: str) -> None:
    event = (
        f"<{tag} id='e'><extensionElements><zeebe:taskDefinition type='send'/>"
        f"{io('to:=customer')}</extensionElements><messageEventDefinition/></{tag}>"
    )
    body = (
        "<startEvent id='start'/><sequenceFlow id='f' sourceRef='start' "
        f"targetRef='e'/>{event}"
    )
    played = play(drawn(body), {"customer": "c@x"})
    assert played.wait("e").topic == "send"
    assert played.wait("e").inputs["to"] == "c@x"
    assert played.step.throws == ()
    played.complete("e")
    assert played.done


def test_a_boundary_event_catches_the_error_of_a_job(play: Player) -> None:
    beside = (
        "<boundaryEvent id='b' attachedToRef='x1'><errorEventDefinition "
        "errorRef='e'/></boundaryEvent><userTask id='mend'/>"
        "<sequenceFlow id='fb' sourceRef='b' targetRef='mend'/>"
    )
    roots = "<error id='e' name='Broken' errorCode='=\"BROKEN\"'/>"
    played = play(line(job(), beside=beside, roots=roots))
    played.fail("x1", "BROKEN")
    assert played.open == ["mend"]


# -- mappings -----------------------------------------------------------------------


def test_inputs_see_those_before_them(play: Player) -> None:
    played = play(line(job(io("b:=a + 1", "c:=b + 1"))), {"a": 1})
    assert played.wait("x1").inputs == {"a": 1, "b": 2, "c": 3}


def test_dotted_inputs_make_a_map_of_their_own(play: Player) -> None:
    played = play(line(job(io("o.id:=a", "o.by.who:=b"))), {"a": 1, "b": 2, "o": {}})
    assert played.wait("x1").inputs["o"] == {"id": 1, "by": {"who": 2}}
    played.complete("x1")
    assert played.variables["o"] == {}


def test_dotted_outputs_keep_the_rest_of_the_map(play: Player) -> None:
    xml = line(job(io(outputs=("o.id:=r", "o.by.who:=r + 1"))))
    played = play(xml, {"o": {"id": 0, "by": {"at": "R1"}, "n": 7}})
    played.complete("x1", r=5)
    assert played.variables == {"o": {"id": 5, "by": {"at": "R1", "who": 6}, "n": 7}}


def test_a_source_without_the_mark_is_a_text(play: Player) -> None:
    played = play(line(job(io("a:b", "c:${b}"))), {"b": 1})
    assert played.wait("x1").inputs == {"a": "b", "b": 1, "c": "${b}"}


def test_a_subprocess_maps_in_and_out(play: Player) -> None:
    inside = (
        "<startEvent id='s'/><sequenceFlow id='g' sourceRef='s' targetRef='w'/>"
        "<serviceTask id='w'><extensionElements><zeebe:taskDefinition type='work'/>"
        "</extensionElements></serviceTask>"
    )
    xml = line(step("subProcess", io("own:=a", outputs=("out:=own",)), inside))
    played = play(xml, {"a": 1})
    played.complete("w", own=5, other=6)
    assert played.done
    assert played.variables == {"a": 1, "out": 5, "other": 6}


# -- user tasks ---------------------------------------------------------------------


def test_a_user_task_has_form_people_and_results(play: Player) -> None:
    words = (
        "<zeebe:userTask/><zeebe:formDefinition formId='load'/>"
        "<zeebe:assignmentDefinition candidateGroups='worker, chief' "
        "candidateUsers='=[\"ayse\", helper]'/>"
        "<zeebe:taskSchedule dueDate='2030-01-31T08:00:00Z'/>"
        "<zeebe:priorityDefinition priority='60'/>"
    )
    played = play(line(step("userTask", words)), {"helper": "bert"})
    wait = played.wait("x1")
    assert (wait.form, wait.assignee) == ("load", None)
    assert wait.groups == ("worker", "chief", "user:ayse", "user:bert")
    played.complete("x1", weight=3)
    assert played.variables["weight"] == 3


def test_groups_may_be_a_computed_list_and_the_assignee_an_expression(
    play: Player,
) -> None:
    words = (
        "<zeebe:assignmentDefinition assignee='=chief' "
        'candidateGroups=\'=["a", "b"]\'/>'
    )
    wait = play(line(step("userTask", words)), {"chief": "ayse"}).wait("x1")
    assert (wait.assignee, wait.groups) == ("ayse", ("a", "b"))


# -- calls --------------------------------------------------------------------------


def call(attributes: str = "", words: str = "") -> str:
    called = f"<zeebe:calledElement processId='other' {attributes}/>"
    return step("callActivity", called + words)


def test_a_call_passes_everything_and_takes_everything_back(play: Player) -> None:
    played = play(line(call()), {"a": 1})
    assert (played.wait("x1").called, played.wait("x1").inputs) == ("other", {"a": 1})
    played.complete("x1", a=2, b=3)
    assert played.variables == {"a": 2, "b": 3}


def test_a_call_may_give_the_called_process_a_business_key(play: Player) -> None:
    played = play(line(call("businessId='=order.id'")), {"order": {"id": "A-7"}})
    assert played.wait("x1").business_key == "A-7"


def test_a_call_passes_its_inputs_alone_if_told(play: Player) -> None:
    xml = line(call("propagateAllParentVariables='false'", io("n:=a")))
    assert play(xml, {"a": 1, "b": 2}).wait("x1").inputs == {"n": 1}
    xml = line(call("", io("n:=a")))
    assert play(xml, {"a": 1, "b": 2}).wait("x1").inputs == {"a": 1, "b": 2, "n": 1}


@pytest.mark.parametrize("propagate", ["true", "false"])
def test_with_outputs_a_call_takes_only_those_back(
    play: Player, propagate: str
) -> None:
    attributes = f"propagateAllChildVariables='{propagate}'"
    played = play(line(call(attributes, io(outputs=("r:=b",)))), {"a": 1})
    played.complete("x1", a=2, b=3)
    assert played.variables == {"a": 1, "r": 3}


def test_a_call_may_take_nothing_back(play: Player) -> None:
    played = play(line(call("propagateAllChildVariables='false'")), {"a": 1})
    played.complete("x1", a=2, b=3)
    assert played.variables == {"a": 1}


# -- loops --------------------------------------------------------------------------

ITEMS = "inputCollection='=items' inputElement='item'"
COLLECT = f"{ITEMS} outputCollection='results' outputElement='=result'"


def test_turns_are_counted_from_one_and_collect_in_order(play: Player) -> None:
    xml = line(job("", many(COLLECT)))
    played = play(xml, {"items": ["a", "b"]})
    seen = {w.inputs["loopCounter"]: w.inputs["item"] for w in played.waits("x1")}
    assert seen == {1: "a", 2: "b"}
    played.complete_turn("x1", 2, result="B")
    played.complete_turn("x1", 1, result="A")
    assert played.done
    assert played.variables == {"items": ["a", "b"], "results": ["A", "B"]}


def test_a_loop_alone_makes_its_task_speak_camunda_8(play: Player) -> None:
    task = f"<userTask id='x1'>{many(COLLECT)}</userTask>"
    played = play(line(task), {"items": ["a", "b"]})
    played.complete_turn("x1", 1, result="A")
    played.complete_turn("x1", 2, result="B")
    assert played.variables == {"items": ["a", "b"], "results": ["A", "B"]}


def test_turns_of_a_subprocess_collect_too(play: Player) -> None:
    inside = (
        "<startEvent id='s'/><sequenceFlow id='g' sourceRef='s' targetRef='w'/>"
        "<userTask id='w'/>"
    )
    xml = line(f"<subProcess id='x1'>{many(COLLECT)}{inside}</subProcess>")
    played = play(xml, {"items": ["a", "b"]})
    for wait in played.waits("w"):
        seen = played.sees(wait.task_id)
        played.do(Complete(wait.task_id, {"result": seen["item"].upper()}))
    assert played.variables == {"items": ["a", "b"], "results": ["A", "B"]}


def test_cancelled_turns_leave_a_gap(play: Player) -> None:
    condition = (
        "<completionCondition>=numberOfCompletedInstances &gt;= 1</completionCondition>"
    )
    xml = line(job("", many(COLLECT, condition)))
    played = play(xml, {"items": [1, 2, 3]})
    played.complete_turn("x1", 2, result="B")
    assert played.done
    assert played.variables["results"] == [None, "B", None]


def test_an_output_item_may_be_computed(play: Player) -> None:
    words = f"{ITEMS} outputCollection='sums' outputElement='=item + extra'"
    xml = line(job(io(outputs=("extra:=n",)), many(words, "", "isSequential='true'")))
    played = play(xml, {"items": [1, 2]})
    played.complete("x1", n=10)
    played.complete("x1", n=20)
    assert played.variables["sums"] == [11, 22]


def test_no_items_give_an_empty_collection(play: Player) -> None:
    played = play(line(job("", many(COLLECT))), {"items": []})
    assert (played.done, played.variables["results"]) == (True, [])


# -- decisions, scripts, messages, conditions ----------------------------------------


def table(outputs: str, rule: str, policy: str = "FIRST") -> bytes:
    return (
        '<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d" '
        'name="d" namespace="n"><decision id="grade" name="grade">'
        f'<decisionTable id="t" hitPolicy="{policy}"><input id="i">'
        '<inputExpression id="e"><text>x</text></inputExpression></input>'
        f'{outputs}<rule id="r"><inputEntry id="c"><text>&gt; 0</text></inputEntry>'
        f"{rule}</rule></decisionTable></decision></definitions>"
    ).encode()


def output(name: str) -> str:
    return f'<output id="{name}" name="{name}"/>'


def entry(id_: str, text: str) -> str:
    return f'<outputEntry id="{id_}"><text>{text}</text></outputEntry>'


@pytest.mark.parametrize(
    ("file", "result"),
    [
        (table(output("a"), entry("o", "1")), 1),
        (
            table(output("a") + output("b"), entry("o", "1") + entry("p", "2")),
            {"a": 1, "b": 2},
        ),
        (table(output("a"), entry("o", "1"), "COLLECT"), [1]),
    ],
)
def test_a_decision_gives_what_dmn_says(play: Player, file: bytes, result: Any) -> None:
    words = "<zeebe:calledDecision decisionId='grade' resultVariable='g'/>"
    xml = line(step("businessRuleTask", words))
    played = play(xml, {"x": 1}, decisions={"grade": file}.get)
    assert played.stuck == {}
    assert played.variables["g"] == result


def test_a_thrown_signal_carries_its_inputs(play: Player) -> None:
    event = step(
        "intermediateThrowEvent",
        io("n:=a", "o.m:=n + 1"),
        "<signalEventDefinition signalRef='s'/>",
    )
    played = play(line(event, roots="<signal id='s' name='ready'/>"), {"a": 1})
    (throw,) = played.step.throws
    assert throw.variables == {"n": 1, "o": {"m": 2}}
    assert played.variables == {"a": 1}


def test_a_script_is_one_expression(play: Player) -> None:
    words = "<zeebe:script expression='=a + b' resultVariable='sum'/>"
    played = play(line(step("scriptTask", words)), {"a": 1, "b": 2})
    assert played.variables == {"a": 1, "b": 2, "sum": 3}


def test_a_message_is_waited_for_with_its_key(play: Player) -> None:
    roots = (
        "<message id='m' name='=\"paid\"'><extensionElements>"
        "<zeebe:subscription correlationKey='=order'/></extensionElements></message>"
    )
    event = (
        "<intermediateCatchEvent id='x1'><messageEventDefinition messageRef='m'/>"
        "</intermediateCatchEvent>"
    )
    receive = "<receiveTask id='x2' messageRef='m'/>"
    played = play(line(event, receive, roots=roots), {"order": "A-7"})
    assert (played.wait("x1").event, played.wait("x1").correlation) == ("paid", "A-7")
    played.receive("x1")
    assert played.wait("x2").correlation == "A-7"
    played.receive("x2", paid=True)
    assert played.variables["paid"] is True


MESSAGE = "<message id='m' name='paid'/>"


def test_a_caught_message_with_outputs_brings_only_those(play: Player) -> None:
    event = (
        f"<intermediateCatchEvent id='x1'><extensionElements>"
        f"{io(outputs=('paid:=amount > 0',))}</extensionElements>"
        "<messageEventDefinition messageRef='m'/></intermediateCatchEvent>"
    )
    played = play(line(event, roots=MESSAGE), {"a": 1})
    played.receive("x1", amount=5, noise=1)
    assert (played.done, played.variables) == (True, {"a": 1, "paid": True})


@pytest.mark.parametrize("interrupting", ["true", "false"])
def test_so_does_a_message_at_the_border(play: Player, interrupting: str) -> None:
    beside = (
        f"<boundaryEvent id='b' attachedToRef='x1' cancelActivity='{interrupting}'>"
        f"<extensionElements>{io(outputs=('n:=amount',))}</extensionElements>"
        "<messageEventDefinition messageRef='m'/></boundaryEvent><userTask id='next'/>"
        "<sequenceFlow id='fb' sourceRef='b' targetRef='next'/>"
    )
    played = play(line(job(), beside=beside, roots=MESSAGE))
    played.receive("b", amount=5, noise=1)
    assert played.variables == {"n": 5}
    left = [] if interrupting == "true" else ["b", "x1"]
    assert played.open == sorted([*left, "next"])


def test_an_output_of_an_event_that_fails_can_be_retried(play: Player) -> None:
    event = (
        f"<intermediateCatchEvent id='x1'><extensionElements>"
        f"{io(outputs=('n:=amount + other',))}</extensionElements>"
        "<messageEventDefinition messageRef='m'/></intermediateCatchEvent>"
    )
    played = play(line(event, roots=MESSAGE), execution=Execution("strict"))
    played.receive("x1", amount=5)
    assert list(played.stuck) == ["x1"]
    played.mend(other=2)
    played.retry("x1")
    assert (played.done, played.variables) == (True, {"other": 2, "n": 7})


def test_its_feel_takes_an_error_for_null_unless_the_plant_wants_it_strict(
    play: Player,
) -> None:
    xml = line(job(io("n:=lacking + 1")))
    assert play(xml).wait("x1").inputs["n"] is None
    assert "lacking" in play(xml, execution=Execution("strict")).stuck["x1"]


def test_conditions_are_feel(play: Player) -> None:
    body = (
        "<startEvent id='start'/><exclusiveGateway id='g' default='no'/>"
        "<userTask id='heavy'/><userTask id='light'/>"
        "<sequenceFlow id='f' sourceRef='start' targetRef='g'/>"
        "<sequenceFlow id='yes' sourceRef='g' targetRef='heavy'>"
        "<conditionExpression>=weight &gt; 5</conditionExpression></sequenceFlow>"
        "<sequenceFlow id='no' sourceRef='g' targetRef='light'/>"
    )
    assert play(drawn(body), {"weight": 6}).open == ["heavy"]
    assert play(drawn(body), {"weight": 5}).open == ["light"]


def test_outputs_of_a_start_event_map_what_came_with_its_message(
    play: Player,
) -> None:
    start = (
        f"<startEvent id='hook'><extensionElements>{io(outputs=('n:=amount + 1',))}"
        "</extensionElements><messageEventDefinition messageRef='m'/></startEvent>"
        "<userTask id='x1'/><sequenceFlow id='f1' sourceRef='hook' targetRef='x1'/>"
    )
    engine = SpiffEngine()
    xml = drawn(start, MESSAGE)
    assert engine.check(xml) == []
    played = Play(engine, Definition("digest", "process", 1, "", xml))
    played.do(Start({"amount": 4, "noise": 1}, "hook"))
    assert played.variables == {"n": 5}


def test_outputs_of_the_start_of_an_event_subprocess_are_its_own(
    play: Player,
) -> None:
    inside = (
        "<subProcess id='on' triggeredByEvent='true'><startEvent id='hook'>"
        f"<extensionElements>{io(outputs=('n:=amount + 1',))}</extensionElements>"
        "<messageEventDefinition messageRef='m'/></startEvent><userTask id='mend'/>"
        "<sequenceFlow id='fi' sourceRef='hook' targetRef='mend'/></subProcess>"
    )
    played = play(line(job(), beside=inside, roots=MESSAGE))
    played.receive("hook", amount=4, noise=1)
    assert played.open == ["mend"]
    assert played.variables == {}
    assert played.sees(played.wait("mend").task_id) == {"n": 5}


def listened(tag: str, words: str = "") -> str:
    listeners = "".join(
        f"<zeebe:executionListener eventType='{event}' type='{topic}'/>"
        for event, topic in (("start", "open"), ("end", "close"), ("start", "greet"))
    )
    return step(
        tag, f"{words}<zeebe:executionListeners>{listeners}</zeebe:executionListeners>"
    )


@pytest.mark.parametrize("tag", ["userTask", "serviceTask", "callActivity"])
def test_listeners_are_jobs_before_and_after_an_activity(
    play: Player, tag: str
) -> None:
    words = {
        "serviceTask": "<zeebe:taskDefinition type='work'/>",
        "callActivity": "<zeebe:calledElement processId='other'/>",
    }.get(tag, "")
    words += io("n:=x", outputs=("y:=n + z",))
    played = play(line(listened(tag, words)), {"x": 1})
    keys = []
    for topic, given in (("open", {"z": 5}), ("greet", {})):
        wait = played.wait("x1")
        assert wait.topic == topic
        assert wait.inputs["n"] == 1
        keys.append(wait.task_id)
        played.complete("x1", **given)
    (wait,) = played.step.waits
    assert getattr(wait, "topic", "") != "greet"
    keys.append(wait.task_id)
    played.complete("x1")
    (wait,) = played.step.waits
    assert getattr(wait, "topic", "") == "close"
    assert len({*keys, wait.task_id}) == 4
    played.complete("x1", done=True)
    assert played.done
    assert played.variables == {"x": 1, "y": 6, "done": True}


def test_an_activity_that_is_left_early_takes_its_listener_along(
    play: Player,
) -> None:
    beside = (
        "<boundaryEvent id='b' attachedToRef='x1'>"
        "<messageEventDefinition messageRef='m'/></boundaryEvent><userTask id='next'/>"
        "<sequenceFlow id='fb' sourceRef='b' targetRef='next'/>"
    )
    work = "<zeebe:taskDefinition type='work'/>"
    played = play(line(listened("serviceTask", work), beside=beside, roots=MESSAGE))
    played.complete("x1")
    played.complete("x1")
    played.complete("x1")
    assert played.open == ["b", "x1"]
    played.receive("b")
    assert played.open == ["next"]
