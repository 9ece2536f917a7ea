"""What stands in a file arrives in the records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mpms.engine.model import Element, EventTrigger, Flow, Loop, Mapping, Model
from mpms.engine.reading import Trait, read, read_model
from mpms.engine.reading.settings import SAME_BUSINESS_KEY, comma_list

Build = Callable[..., bytes]


@pytest.fixture(scope="module")
def modelled(drawn: Callable[[str], bytes]) -> Model:
    return read_model(drawn("in_camunda_modeler"))


@pytest.fixture(scope="module")
def elements(modelled: Model) -> dict[str, Element]:
    return modelled.processes[0].elements


def only(xml: bytes, id_: str = "x") -> Element:
    return read_model(xml).processes[0].elements[id_]


def test_a_process_has_its_name_and_all_levels_in_file_order(modelled: Model) -> None:
    (process,) = modelled.processes
    assert (process.id, process.name, process.executable) == (
        "deliver",
        "Deliver material",
        True,
    )
    assert list(process.elements)[:4] == ["began", "move", "move_failed", "decide"]
    assert [e.id for e in process.within("mix")] == ["mix_began", "stir", "mix_done"]
    assert modelled.problems == ()


def test_flows_are_joined_to_their_elements(
    modelled: Model, elements: dict[str, Element]
) -> None:
    choice = elements["choice"]
    assert choice.incoming == ("to_choice",)
    assert choice.outgoing == ("wrong", "right")
    assert choice.default == "wrong"
    flows = modelled.processes[0].flows
    assert flows["right"] == Flow("right", "yes", "choice", "mix", "${weight_ok}")
    assert flows["wrong"].condition is None


def test_labels_are_one_line(elements: dict[str, Element]) -> None:
    assert elements["began"].name == "Order came"


@pytest.mark.parametrize(
    ("id_", "lane"),
    [
        ("load", "Worker"),
        ("too_slow", "Worker"),
        ("decide", "lane_chief"),
        ("began", "People"),
        ("move", "MPMS"),
        ("mix", "People"),
        ("mix_began", "People"),
        ("stir", "Tank"),
        ("choice", None),
    ],
)
def test_the_deepest_lane_wins_and_subprocesses_hand_theirs_down(
    elements: dict[str, Element], id_: str, lane: str | None
) -> None:
    assert elements[id_].lane == lane


def test_lanes_are_listed_in_file_order(modelled: Model) -> None:
    assert modelled.processes[0].lanes == (
        "People",
        "Worker",
        "lane_chief",
        "MPMS",
        "Tank",
    )


def test_an_element_in_two_lanes_is_a_problem(bpmn: Build) -> None:
    lane = "<lane id='{0}'><flowNodeRef>x</flowNodeRef></lane>"
    body = f"<laneSet>{lane.format('a')}{lane.format('b')}</laneSet><task id='x'/>"
    (problem,) = read_model(bpmn(body)).problems
    assert (problem.element, problem.reason) == ("x", "is in two lanes, 'a' and 'b'")


def test_an_external_task_keeps_topic_inputs_outputs_retries_and_properties(
    elements: dict[str, Element],
) -> None:
    settings = elements["move"].settings
    assert settings.topic == "robot.move"
    assert settings.inputs == (
        Mapping("place", "${material.place}"),
        Mapping("note", None),
        Mapping("limits", {"speeds": ["${slow}", "0.5"], "robot": "=robot"}),
    )
    assert settings.outputs == (Mapping("position", "${position}"),)
    assert settings.retry_cycle == "R3/PT10S"
    assert settings.properties == (("colour", "blue"),)


def test_a_user_task_keeps_form_people_and_due_date(
    elements: dict[str, Element],
) -> None:
    settings = elements["load"].settings
    assert settings.form == "load"
    assert settings.candidate_groups == ("worker", "${max(a, b)}")
    assert settings.candidate_users == ("ayse", "bert")
    assert settings.due_date == "PT1H"
    assert elements["decide"].settings.form == "decide"
    assert elements["decide"].settings.assignee == "${chief}"


@pytest.mark.parametrize(
    ("key", "form"),
    [
        ("load", "load"),
        ("camunda-forms:deployment:load.form", "load"),
        ("camunda-forms:deployment:forms/load.form", "load"),
        ("camunda-forms:/forms/load.form", "load"),
        ("camunda-forms:app:load.form", "camunda-forms:app:load.form"),
        ("embedded:app:forms/load.html", "embedded:app:forms/load.html"),
        ("", None),
    ],
)
def test_a_form_key_names_a_form(bpmn: Build, key: str, form: str | None) -> None:
    element = only(bpmn(f'<userTask id="x" camunda:formKey="{key}"/>'))
    assert element.settings.form == form


def test_a_call_keeps_what_goes_in_and_out(elements: dict[str, Element]) -> None:
    close = elements["close"]
    assert close.called == "seal"
    assert close.settings.call_business_key == SAME_BUSINESS_KEY
    assert close.settings.call_in == (
        Mapping("number", "${order_number}", variable="order_number"),
        Mapping("next", "${count + 1}"),
    )
    assert (close.settings.call_in_all, close.settings.call_out_all) == (False, True)


def test_a_decision_keeps_reference_result_and_variable(
    elements: dict[str, Element],
) -> None:
    settings = elements["weigh"].settings
    assert settings.decision == "weight_tolerance"
    assert settings.decision_result == "singleEntry"
    assert settings.result_variable == "weight_ok"


def test_a_script_keeps_format_and_text(elements: dict[str, Element]) -> None:
    stir = elements["stir"]
    assert (stir.script_format, stir.script) == ("mpms", "count = count + 1")


@pytest.mark.parametrize(
    ("id_", "trigger"),
    [
        (
            "move_failed",
            EventTrigger(
                "error",
                name="Robot failed",
                code="RobotFailed",
                error_code_variable="error_code",
                error_message_variable="error_message",
            ),
        ),
        ("failed", EventTrigger("error", name="Robot failed", code="RobotFailed")),
        ("too_slow", EventTrigger("timer", timer="cycle", text="R/PT5M")),
        ("pause", EventTrigger("timer", timer="duration", text="PT5M")),
        ("remind", EventTrigger("signal", name="loading is late")),
        (
            "fetched",
            EventTrigger(
                "message", name="batch fetched", correlation="${order_number}"
            ),
        ),
        ("ended", EventTrigger("terminate")),
        ("began", None),
    ],
)
def test_events_keep_what_they_wait_for_or_throw(
    elements: dict[str, Element], id_: str, trigger: EventTrigger | None
) -> None:
    assert elements[id_].trigger == trigger


def test_boundary_events_know_their_host_and_whether_they_interrupt(
    elements: dict[str, Element],
) -> None:
    assert elements["move_failed"].attached_to == "move"
    assert elements["move_failed"].interrupting
    assert not elements["too_slow"].interrupting


@pytest.mark.parametrize(
    ("xml", "loop"),
    [
        (
            '<multiInstanceLoopCharacteristics camunda:collection="items" '
            'camunda:elementVariable="item"/>',
            Loop("parallel", collection="items", element_variable="item"),
        ),
        (
            '<multiInstanceLoopCharacteristics isSequential="true">'
            "<loopCardinality>3</loopCardinality>"
            "<completionCondition>${done}</completionCondition>"
            "</multiInstanceLoopCharacteristics>",
            Loop("sequential", cardinality="3", completion="${done}"),
        ),
        (
            "<multiInstanceLoopCharacteristics>"
            "<loopDataInputRef>items</loopDataInputRef>"
            "<loopDataOutputRef>results</loopDataOutputRef>"
            '<inputDataItem id="i" name="item"/><outputDataItem id="result"/>'
            "</multiInstanceLoopCharacteristics>",
            Loop(
                "parallel",
                collection="items",
                element_variable="item",
                output_collection="results",
                output_element="result",
            ),
        ),
        (
            '<standardLoopCharacteristics testBefore="true" loopMaximum="5">'
            "<loopCondition>${again}</loopCondition></standardLoopCharacteristics>",
            Loop(
                "standard",
                loop_condition="${again}",
                loop_maximum=5,
                test_before=True,
            ),
        ),
    ],
)
def test_loops_are_read_in_both_dialects(bpmn: Build, xml: str, loop: Loop) -> None:
    assert only(bpmn(f'<task id="x">{xml}</task>')).loop == loop


FLOW = (
    "<task id='x'/><task id='y'/><sequenceFlow id='f' sourceRef='x' targetRef='y'>"
    "<conditionExpression {}>{}</conditionExpression></sequenceFlow>"
)


@pytest.mark.parametrize(
    ("language", "text", "condition"),
    [
        ("", "a", "a"),
        ("language='feel'", "a", "=a"),
        ("language='FEEL'", "=a", "=a"),
        ("language='https://www.omg.org/spec/DMN/20191111/FEEL/'", "a", "=a"),
        ("language='juel'", "${a}", "${a}"),
    ],
)
def test_an_expression_may_name_feel_as_its_language(
    bpmn: Build, language: str, text: str, condition: str
) -> None:
    (process,) = read_model(bpmn(FLOW.format(language, text))).processes
    assert process.flows["f"].condition == condition


def test_a_whole_file_may_be_in_feel(bpmn: Build) -> None:
    script = "<scriptTask id='s'><script>b = 1</script></scriptTask>"
    xml = bpmn(FLOW.format("", "a") + script).replace(
        b'id="file"', b'id="file" expressionLanguage="http://www.omg.org/spec/FEEL/1"'
    )
    (process,) = read_model(xml).processes
    assert process.flows["f"].condition == "=a"
    assert process.elements["s"].script == "b = 1"


def test_the_retry_cycle_is_found_at_the_loop_and_as_an_attribute(bpmn: Build) -> None:
    loop = (
        "<serviceTask id='x'><multiInstanceLoopCharacteristics><extensionElements>"
        "<camunda:failedJobRetryTimeCycle>R5/PT1M</camunda:failedJobRetryTimeCycle>"
        "</extensionElements></multiInstanceLoopCharacteristics></serviceTask>"
    )
    assert only(bpmn(loop)).settings.retry_cycle == "R5/PT1M"
    plain = '<serviceTask id="x" camunda:failedJobRetryTimeCycle="R2/PT1S"/>'
    assert only(bpmn(plain)).settings.retry_cycle == "R2/PT1S"


def test_an_event_definition_may_be_declared_beside_the_process(bpmn: Build) -> None:
    body = "<endEvent id='x'><eventDefinitionRef>t</eventDefinitionRef></endEvent>"
    assert only(bpmn(body, "<terminateEventDefinition id='t'/>")).triggers == (
        EventTrigger("terminate"),
    )


@pytest.mark.parametrize(
    ("body", "element", "reason"),
    [
        (
            "<task id='x'/><sequenceFlow id='f' sourceRef='x' targetRef='gone'/>",
            "f",
            "the flow leads to 'gone', which is not in this process",
        ),
        (
            "<task id='x'/><sequenceFlow id='f' targetRef='x'/>",
            "f",
            "the flow starts at nothing; connect its end with a step",
        ),
        (
            "<endEvent id='x'><signalEventDefinition signalRef='s'/></endEvent>",
            "x",
            "refers to the signal 's', which the file does not declare",
        ),
        (
            "<receiveTask id='x' messageRef='m'/>",
            "x",
            "refers to the message 'm', which the file does not declare",
        ),
        (
            "<endEvent id='x'><eventDefinitionRef>t</eventDefinitionRef></endEvent>",
            "x",
            "refers to the event definition 't', which the file does not declare",
        ),
        ("<task id='x'/><userTask id='x'/>", "x", "the id 'x' is used 2 times"),
        ("<task name='nameless'/>", "", "a task has no id"),
    ],
)
def test_references_and_ids_that_lead_nowhere_are_problems(
    bpmn: Build, body: str, element: str, reason: str
) -> None:
    (problem,) = read_model(bpmn(body)).problems
    assert (problem.element, problem.reason) == (element, reason)


def test_dead_flows_stay_out_of_the_model(bpmn: Build) -> None:
    body = "<task id='x'/><sequenceFlow id='f' sourceRef='x' targetRef='gone'/>"
    (process,) = read_model(bpmn(body)).processes
    assert process.flows == {}
    assert process.elements["x"].outgoing == ()


def test_flows_without_id_are_kept_apart(bpmn: Build) -> None:
    flow = "<sequenceFlow sourceRef='x' targetRef='y'/>"
    xml = bpmn(f"<task id='x'/><task id='y'/>{flow}{flow}")
    assert len(read_model(xml).processes[0].flows) == 2


@pytest.mark.parametrize("name", ["in_bpmn_io", "in_another_editor", "for_camunda_8"])
def test_any_prefix_is_read(drawn: Callable[[str], bytes], name: str) -> None:
    model = read_model(drawn(name))
    assert model.problems == ()
    (process,) = model.processes
    assert len(process.flows) == len(process.elements) - 1


def test_references_may_carry_a_prefix(drawn: Callable[[str], bytes]) -> None:
    elements = read_model(drawn("in_another_editor")).processes[0].elements
    assert elements["_6-74"].message == "goods arrived"


@pytest.mark.parametrize(
    "encoding", ["UTF-8", "UTF-16", "ISO-8859-1", "windows-1252", "UTF-8-sig"]
)
def test_any_usual_encoding_is_read(bpmn: Build, encoding: str) -> None:
    xml = bpmn("<task id='x' name='Rührwerk prüfen'/>", encoding=encoding)
    if encoding == "UTF-8-sig":
        xml = xml.replace(b"UTF-8-sig", b"UTF-8")
    assert only(xml).name == "Rührwerk prüfen"


def test_a_picture_beside_the_executable_process_does_not_count(bpmn: Build) -> None:
    picture = (
        "<process id='q' isExecutable='false'><task id='lost'/>"
        "<sequenceFlow id='f' sourceRef='lost' targetRef='gone'/></process>"
    )
    reading = read(bpmn("<task id='x'/>", picture))
    assert [p.executable for p in reading.model.processes] == [True, False]
    assert reading.model.problems == ()
    assert "lost" not in {trait.element for trait in reading.facts.traits}


def test_facts_name_the_owner_of_every_word(bpmn: Build) -> None:
    body = (
        '<endEvent id="x" name="X"><messageEventDefinition camunda:topic="t"/>'
        "</endEvent><callActivity id='c'><extensionElements>"
        "<camunda:in local='true'/></extensionElements></callActivity>"
    )
    traits = {t._replace(node=0) for t in read(bpmn(body)).facts.traits}
    expected: list[tuple[Any, ...]] = [
        ("x", "X", "endEvent", "bpmn", "messageEventDefinition", "", False),
        ("x", "X", "messageEventDefinition", "camunda", "topic", "t", True),
        ("c", "", "callActivity", "camunda", "in", "", False),
        ("c", "", "camunda:in", "", "local", "true", True),
    ]
    assert {Trait(*row) for row in expected} <= traits


def test_a_line_of_5000_steps_is_read(bpmn: Build) -> None:
    steps = "".join(
        f"<task id='t{n}'/><sequenceFlow id='f{n}' sourceRef='t{n}' "
        f"targetRef='t{n + 1}'/>"
        for n in range(5000)
    )
    (process,) = read_model(bpmn(f"{steps}<task id='t5000'/>")).processes
    assert len(process.elements) == 5001
    assert process.elements["t5000"].incoming == ("f4999",)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (None, ()),
        ("a", ("a",)),
        (" a , b,,c ", ("a", "b", "c")),
        ("${f(a, b)}, c", ("${f(a, b)}", "c")),
        ("}, a", ("}", "a")),
    ],
)
def test_lists_are_split_at_commas_outside_expressions(
    text: str | None, parts: tuple[str, ...]
) -> None:
    assert comma_list(text) == parts
