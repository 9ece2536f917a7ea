"""Multi-instance activities and standard loops, on every kind of activity."""

from typing import Any

import pytest

from mpms.domain.errors import TaskGone
from mpms.domain.instances.steps import Complete, Fail
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

pytestmark = pytest.mark.covers("A3")


def looped(draw: Drawing, loop: str, kind: str = "user", **options: Any) -> bytes:
    make = {
        "user": lambda: draw.user(loop=loop, **options),
        "service": lambda: draw.service("work", loop=loop, **options),
        "call": lambda: draw.call("other", loop=loop, **options),
        "receive": lambda: draw.receive("letter", loop=loop, **options),
    }
    return draw("start -> many -> after -> end", many=make[kind]())


@pytest.mark.parametrize("items", ["${materials}", "materials", "=materials"])
def test_parallel_turns_are_open_at_once_each_with_its_own_item(
    draw: Drawing, play: Player, items: str
) -> None:
    loop = draw.each(items, "material")
    run = play(looped(draw, loop), {"materials": ["salt", "flour", "yeast"]})
    waits = run.waits("many")
    assert [w.inputs["material"] for w in waits] == ["salt", "flour", "yeast"]
    assert [w.inputs["loopCounter"] for w in waits] == [0, 1, 2]
    for turn in (1, 0):
        run.complete_turn("many", turn)
    assert run.open == ["many"]
    run.complete_turn("many", 2)
    assert run.open == ["after"]
    assert run.variables == {"materials": ["salt", "flour", "yeast"]}


def test_turns_keep_their_order_through_the_bytes(draw: Drawing, play: Player) -> None:
    model = draw(
        "start -> and -> many", "and -> b -> c", many=draw.user(loop=draw.times("5"))
    )
    run = play(model)
    for task in ("b", "c"):
        run.complete(task)
        turns = [w.inputs["loopCounter"] for w in run.waits("many")]
        assert turns == [0, 1, 2, 3, 4]


def test_sequential_turns_come_one_after_the_other(draw: Drawing, play: Player) -> None:
    loop = draw.each("${materials}", "material", sequential=True)
    run = play(looped(draw, loop), {"materials": ["salt", "flour"]})
    assert run.wait("many").inputs["material"] == "salt"
    run.complete("many")
    assert run.wait("many").inputs["material"] == "flour"
    run.complete("many")
    assert run.open == ["after"]


def test_a_sequential_loop_walks_the_list_as_it_was_when_it_began(
    draw: Drawing, play: Player
) -> None:
    loop = draw.each("${materials}", "material", sequential=True)
    run = play(looped(draw, loop), {"materials": ["salt", "flour"]})
    run.complete("many", materials=[])
    assert run.wait("many").inputs["material"] == "flour"


@pytest.mark.parametrize("number", ["3", "${n}", "${n - 1 + 1}", "=n"])
@pytest.mark.parametrize("sequential", [True, False])
def test_a_cardinality_is_the_number_of_turns(
    draw: Drawing, play: Player, number: str, sequential: bool
) -> None:
    run = play(looped(draw, draw.times(number, sequential=sequential)), {"n": 3})
    for turn in range(3):
        assert len(run.open) == (1 if sequential else 3 - turn)
        run.complete_turn("many", turn)
    assert run.open == ["after"]


@pytest.mark.parametrize("sequential", [True, False])
@pytest.mark.parametrize("kind", ["user", "service", "call", "receive"])
def test_an_empty_collection_is_passed_at_once(
    draw: Drawing, play: Player, sequential: bool, kind: str
) -> None:
    loop = draw.each("${none}", "x", sequential=sequential, collect=("all", "x"))
    run = play(looped(draw, loop, kind), {"none": []})
    assert run.open == ["after"]
    assert run.variables == {"none": [], "all": []}


def test_an_empty_loop_leaves_no_boundary_event(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> many -> after",
            "edge -> beside",
            many=draw.user(loop=draw.times("0")),
            edge=draw.border("many", timer="PT1M"),
        )
    )
    assert run.open == ["after"]


def test_a_completion_condition_cancels_the_turns_that_are_left(
    draw: Drawing, play: Player
) -> None:
    loop = draw.times("5", until="${nrOfCompletedInstances >= 2}")
    run = play(looped(draw, loop))
    late = run.waits("many")[4].task_id
    run.complete_turn("many", 3)
    assert run.open == ["many"] * 4
    run.complete_turn("many", 1)
    assert run.open == ["after"]
    assert run.passed("cancelled") == ["many"] * 3
    with pytest.raises(TaskGone):
        run.do(Complete(late))


def test_a_completion_condition_ends_a_sequential_loop_early(
    draw: Drawing, play: Player
) -> None:
    loop = draw.times("5", sequential=True, until="${found}")
    run = play(looped(draw, loop), {"found": False})
    run.complete("many")
    run.complete("many", found=True)
    assert run.open == ["after"]


def test_the_counters_of_a_loop_can_be_read_in_it(draw: Drawing, play: Player) -> None:
    run = play(looped(draw, draw.times("3")))
    run.complete_turn("many", 0)
    task_id = run.waits("many")[0].task_id
    seen = run.sees(task_id)
    counters = {name: n for name, n in seen.items() if name.startswith("nrOf")}
    assert counters == {
        "nrOfInstances": 3,
        "nrOfActiveInstances": 2,
        "nrOfCompletedInstances": 1,
    }
    assert run.variables == {}


@pytest.mark.parametrize("item", ["weight", "${weight}"])
def test_outputs_are_collected_in_the_order_of_the_items(
    draw: Drawing, play: Player, item: str
) -> None:
    loop = draw.each("${materials}", "material", collect=("weights", item))
    run = play(looped(draw, loop), {"materials": ["salt", "flour", "yeast"]})
    for turn, weight in ((2, 30), (0, 10), (1, 20)):
        run.complete_turn("many", turn, weight=weight)
    assert run.variables["weights"] == [10, 20, 30]


def test_a_parallel_loop_of_jobs_gives_each_job_its_item(
    draw: Drawing, play: Player
) -> None:
    model = looped(draw, draw.each("${places}", "place"), "service")
    run = play(model, {"places": ["A", "B"]})
    assert [w.inputs["place"] for w in run.waits("many")] == ["A", "B"]
    model = looped(
        draw,
        draw.each("${places}", "place"),
        "service",
        inputs={"goal": "go to ${place}"},
    )
    run = play(model, {"places": ["A", "B"]})
    assert [w.inputs["goal"] for w in run.waits("many")] == ["go to A", "go to B"]


@pytest.mark.parametrize("sequential", [True, False])
def test_pure_handlers_run_all_their_turns_in_one_step(
    draw: Drawing, play: Player, sequential: bool
) -> None:
    loop = draw.each("${ns}", "n", sequential=sequential, collect=("squares", "square"))
    run = play(
        looped(draw, loop, "service"),
        {"ns": list(range(50))},
        pure={"work": lambda inputs: {"square": inputs["n"] ** 2}},
    )
    assert run.open == ["after"]
    assert run.variables["squares"] == [n * n for n in range(50)]


def test_a_failing_turn_is_caught_by_the_boundary_of_the_whole_loop(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> many -> after",
            "edge -> beside",
            many=draw.service("work", loop=draw.times("3")),
            edge=draw.border("many", error="Jam"),
        )
    )
    from_second = run.waits("many")[1].task_id
    run.complete_turn("many", 0)
    run.do(Fail(from_second, "Jam"))
    assert run.open == ["beside"]


@pytest.mark.parametrize("sequential", [True, False])
def test_a_call_activity_is_called_once_for_each_item(
    draw: Drawing, play: Player, sequential: bool
) -> None:
    loop = draw.each(
        "${orders}", "order", sequential=sequential, collect=("results", "result")
    )
    call = {"passes": {"order": "order"}, "returns": {"result": "outcome"}}
    model = looped(draw, loop, "call", key="${order.id}", **call)
    run = play(model, {"orders": [{"id": 1}, {"id": 2}]})
    waits = run.waits("many")
    assert [w.inputs for w in waits] == [
        {"order": {"id": n}} for n in ((1,) if sequential else (1, 2))
    ]
    assert waits[0].business_key == "1"
    run.complete_turn("many", 0, outcome="a")
    run.complete_turn("many", 1, outcome="b")
    assert run.variables["results"] == ["a", "b"]


@pytest.mark.parametrize("sequential", [True, False])
def test_a_subprocess_is_run_once_for_each_item_with_its_own_scope(
    draw: Drawing, play: Player, sequential: bool
) -> None:
    sub = draw.sub(
        "start_in -> xor_in",
        "xor_in -> heavy if material.kg > 5",
        "xor_in -> light otherwise",
        "heavy -> mark",
        "light -> mark",
        mark=draw.script("done_kg = done_kg + material.kg"),
        loop=draw.each("${materials}", "material", sequential=sequential),
    )
    run = play(
        draw("start -> sub -> after", sub=sub),
        {"materials": [{"kg": 9}, {"kg": 2}], "done_kg": 0},
    )
    assert run.open == (["heavy"] if sequential else ["heavy", "light"])
    run.complete("heavy")
    assert run.open == ["light"]
    run.complete("light")
    assert run.open == ["after"]
    assert run.variables["done_kg"] == 11


def test_a_receive_task_in_a_loop_waits_once_for_each_item(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> many -> after",
            many=draw.receive(
                "reached", key="${robot}", loop=draw.each("${robots}", "robot")
            ),
        ),
        {"robots": ["R1", "R2"]},
    )
    assert [w.correlation for w in run.waits("many")] == ["R1", "R2"]


def test_loops_inside_loops_keep_their_items_apart(draw: Drawing, play: Player) -> None:
    outer = draw.sub(
        "start_in -> leaf",
        leaf=draw.user(loop=draw.each("${row}", "cell")),
        loop=draw.each("${rows}", "row"),
    )
    run = play(draw("start -> outer -> after", outer=outer), {"rows": [[1, 2], [3]]})
    assert sorted(w.inputs["cell"] for w in run.waits("leaf")) == [1, 2, 3]
    for wait in run.waits("leaf"):
        run.do(Complete(wait.task_id))
    assert run.open == ["after"]


def test_a_standard_loop_repeats_while_its_condition_holds(
    draw: Drawing, play: Player
) -> None:
    run = play(looped(draw, draw.again("${more}")))
    for _ in range(4):
        run.complete("many", more=True)
        assert run.open == ["many"]
    run.complete("many", more=False)
    assert run.open == ["after"]


def test_a_standard_loop_that_tests_before_may_take_no_turn(
    draw: Drawing, play: Player
) -> None:
    model = looped(draw, draw.again("${more}", before=True))
    assert play(model, {"more": False}).open == ["after"]
    run = play(model, {"more": True})
    run.complete("many", more=False)
    assert run.open == ["after"]


def test_a_standard_loop_stops_at_its_maximum(draw: Drawing, play: Player) -> None:
    run = play(looped(draw, draw.again("${true}", most=3)))
    for _ in range(3):
        run.complete("many")
    assert run.open == ["after"]


def test_a_standard_loop_of_a_script_ends_in_one_step(
    draw: Drawing, play: Player
) -> None:
    script = draw.script("n = n + 1", loop=draw.again("${n < 500}"))
    run = play(draw("start -> s -> after", s=script), {"n": 0})
    assert run.open == ["after"]
    assert run.variables == {"n": 500}


@pytest.mark.parametrize(
    ("loop", "variables", "reason"),
    [
        ("each", {"items": "text"}, "list"),
        ("each", {"items": "1 +"}, "list"),
        ("each", {"items": {"a": 1}}, "list"),
        ("each", {}, "items"),
        ("times", {"n": -1}, "-1"),
        ("times", {"n": "many"}, "many"),
        ("times", {"n": True}, "True"),
        ("times", {"n": 10_001}, "10,001"),
    ],
)
def test_a_loop_over_nonsense_is_stuck_and_says_why(
    draw: Drawing, play: Player, loop: str, variables: dict[str, Any], reason: str
) -> None:
    text = draw.each("${items}", "x") if loop == "each" else draw.times("${n}")
    run = play(looped(draw, text), variables)
    assert reason in run.stuck["many"]
    assert run.open == []
    run.mend(items=[1], n=1)
    run.retry("many")
    assert run.open == ["many"]


def test_a_text_in_a_collection_variable_is_never_evaluated(
    draw: Drawing, play: Player
) -> None:
    run = play(
        looped(draw, draw.each("${items}", "x")),
        {"items": "secret", "secret": ["no", "entry"]},
    )
    assert "list" in run.stuck["many"]


def test_loops_in_loops_get_no_more_tokens_than_a_step_can_carry(
    draw: Drawing, play: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """900 turns of 900 took 2 GB inside the request that started the process."""
    monkeypatch.setattr("mpms.engine.nodes.loops.TOKEN_LIMIT", 30)
    sub = draw.sub(
        "start_in -> many", loop=draw.times("3"), many=draw.user(loop=draw.times("9"))
    )
    run = play(draw("start -> sub -> after", sub=sub))
    assert len(run.waits("many")) == 9 + 9 + 1  # the third is stuck
    assert "30 are the most: loops lie in each other" in run.stuck["many"]
