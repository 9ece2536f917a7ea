"""Compensation: what completed is undone, in reverse order, each once."""

from typing import Any

import pytest

from mpms.domain.errors import TaskGone
from mpms.domain.instances.steps import Complete, Skip
from mpms.engine.nodes.compensation import MEMORY
from mpms.engine.runner import SpiffEngine
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

pytestmark = pytest.mark.covers("A3")


def undoable(draw: Drawing, *names: str) -> dict[str, Any]:
    """For each name a compensation event and the handler ``undo_<name>``."""
    found: dict[str, Any] = {}
    for name in names:
        found[f"edge_{name}"] = draw.border(name, compensate=f"undo_{name}")
        found[f"undo_{name}"] = draw.undo()
    return found


def line(draw: Drawing, **throw: Any) -> bytes:
    return draw(
        "start -> a -> b -> xor",
        "xor -> back if undo",
        "xor -> end otherwise",
        "back -> after",
        back=draw.throw(**throw),
        **undoable(draw, "a", "b"),
    )


@pytest.mark.parametrize("order", [("undo_b", "undo_a"), ("undo_a", "undo_b")])
def test_all_of_a_scope_is_undone_at_once_begun_in_reverse_order(
    draw: Drawing, play: Player, order: tuple[str, str]
) -> None:
    run = play(line(draw, compensate=None))
    run.complete("a")
    run.complete("b", undo=True)
    assert run.open == ["undo_a", "undo_b"]
    for handler in order:
        assert "after" not in run.open
        run.complete(handler)
    assert run.open == ["after"]
    undone = [t.data["activity"] for t in run.trace if t.kind == "compensated"]
    assert undone == ["b", "a"]


def test_one_activity_is_undone_alone(draw: Drawing, play: Player) -> None:
    run = play(line(draw, compensate="a"))
    run.complete("a")
    run.complete("b", undo=True)
    assert run.open == ["undo_a"]
    run.complete("undo_a")
    assert run.open == ["after"]


def test_without_a_throw_nothing_is_undone(draw: Drawing, play: Player) -> None:
    run = play(line(draw, compensate=None))
    run.complete("a")
    run.complete("b", undo=False)
    assert run.done
    assert not {"edge_a", "undo_a"} & {t.element for t in run.trace}


def test_what_did_not_complete_is_not_undone(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> and -> a -> end",
            "and -> b -> end",
            "and -> c -> back",
            "stopped -> end",
            back=draw.end(compensate=None),
            stopped=draw.border("b", signal="stop"),
            **undoable(draw, "a", "b"),
        )
    )
    run.receive("stopped")
    run.complete("c")
    assert run.open == ["a"]
    assert run.passed("compensated") == []


def test_a_skipped_activity_is_not_undone(draw: Drawing, play: Player) -> None:
    run = play(line(draw, compensate=None))
    run.do(Skip(run.wait("a").task_id))
    run.complete("b", undo=True)
    run.complete("undo_b")
    assert run.open == ["after"]


def test_a_compensation_end_undoes_and_ends(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> a -> back",
            back=draw.end(compensate=None),
            **undoable(draw, "a"),
        )
    )
    run.complete("a")
    assert run.open == ["undo_a"]
    run.complete("undo_a")
    assert run.done


def test_nothing_is_undone_twice(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> a -> back -> again -> after",
            back=draw.throw(compensate=None),
            again=draw.throw(compensate=None),
            **undoable(draw, "a"),
        )
    )
    run.complete("a")
    run.complete("undo_a")
    assert run.open == ["after"]


def test_an_activity_that_completed_three_times_is_undone_three_times(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> xor -> a -> xor_more",
            "xor_more -> xor if more",
            "xor_more -> back otherwise",
            "back -> after",
            back=draw.throw(compensate="a"),
            **undoable(draw, "a"),
        )
    )
    for more in (True, True, False):
        run.complete("a", more=more)
    assert run.open == ["undo_a"] * 3
    for wait in run.waits("undo_a"):
        run.do(Complete(wait.task_id))
    assert run.open == ["after"]


def test_handlers_that_wait_for_nothing_are_done_one_after_the_other(
    draw: Drawing, play: Player
) -> None:
    def handler(which: str) -> Any:
        noted: dict[str, Any] = {
            f"{which}_{word}": draw.script(f"done = done + ['{which} {word}']")
            for word in ("first", "second")
        }
        ways = [
            f"and_{which} -> {which}_{side} -> and_{which}_end" for side in ("x", "y")
        ]
        for side in ("x", "y"):
            noted[f"{which}_{side}"] = draw.script("seen = true")
        return draw.sub(
            f"start_{which} -> {which}_first -> and_{which}",
            *ways,
            f"and_{which}_end -> {which}_second",
            **noted,
        )

    elements = undoable(draw, "a", "b")
    elements |= {f"undo_{which}": draw.undo(handler(which)) for which in "ab"}
    lines = ("start -> a -> b -> back -> after",)
    run = play(draw(*lines, back=draw.throw(compensate=None), **elements), {"done": []})
    run.complete("a")
    run.complete("b")
    assert run.open == ["after"]
    assert run.variables["done"] == ["b first", "b second", "a first", "a second"]


def test_it_goes_on_at_once_if_it_need_not_wait(draw: Drawing, play: Player) -> None:
    about = {"waitForCompletion": "false"}
    run = play(line(draw, compensate=None, about=about))
    run.complete("a")
    run.complete("b", undo=True)
    assert run.open == ["after", "undo_a", "undo_b"]
    run.complete("after")
    run.complete("undo_b")
    assert run.open == ["undo_a"]
    run.complete("undo_a")
    assert run.done


def test_a_handler_may_be_any_activity(draw: Drawing, play: Player) -> None:
    handlers = {
        "script": draw.script("undone = undone + 1"),
        "service": draw.service("work"),
        "sub": draw.sub("start_in -> inner"),
        "call": draw.call("other"),
        "many": draw.user(loop=draw.times("2")),
    }
    for kind, handler in handlers.items():
        run = play(
            draw(
                "start -> a -> back -> after",
                back=draw.throw(compensate=None),
                edge=draw.border("a", compensate="h"),
                h=draw.undo(handler),
            ),
            {"undone": 0},
        )
        run.complete("a")
        if kind == "script":
            assert run.variables == {"undone": 1}
        for wait in [w for w in run.step.waits if w.element != "after"]:
            run.do(Complete(wait.task_id))
        assert run.open == ["after"]


# -- scopes ------------------------------------------------------------------------


def nested(draw: Drawing, throw: Any, **extra: Any) -> bytes:
    return draw(
        "start -> a -> sub -> back -> after",
        back=throw,
        sub=draw.sub(
            "start_in -> b -> c -> end_in",
            **undoable(draw, "b", "c"),
        ),
        **undoable(draw, "a"),
        **extra,
    )


@pytest.mark.parametrize("activity", [None, "sub"])
def test_a_completed_subprocess_is_undone_from_within(
    draw: Drawing, play: Player, activity: str | None
) -> None:
    run = play(nested(draw, draw.throw(compensate=activity)))
    for name in ("a", "b", "c", "undo_c", "undo_b"):
        run.complete(name)
    if activity is None:
        run.complete("undo_a")
    assert run.open == ["after"]


def test_a_handler_of_its_own_replaces_those_inside(
    draw: Drawing, play: Player
) -> None:
    throw = draw.throw(compensate=None)
    run = play(nested(draw, throw, **undoable(draw, "sub")))
    for name in ("a", "b", "c", "undo_sub", "undo_a"):
        run.complete(name)
    assert run.open == ["after"]


def test_a_throw_inside_undoes_its_own_scope_only(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> a -> sub -> after",
            sub=draw.sub(
                "start_in -> b -> back -> c",
                back=draw.throw(compensate=None),
                **undoable(draw, "b"),
            ),
            **undoable(draw, "a"),
        )
    )
    run.complete("a")
    run.complete("b")
    run.complete("undo_b")
    assert run.open == ["c"]


def test_handlers_see_the_variables_their_subprocess_had(
    draw: Drawing, play: Player
) -> None:
    def script(text: str) -> Any:
        return draw.undo(draw.script(text))

    run = play(
        draw(
            "start -> many -> back -> after",
            back=draw.throw(compensate=None),
            many=draw.sub(
                "start_in -> b",
                loop=draw.each("${xs}", "x", sequential=True),
                edge=draw.border("b", compensate="h"),
                h=script("undone = undone + [x]"),
            ),
        ),
        {"xs": [1, 2, 3], "undone": []},
    )
    for _ in range(3):
        run.complete("b")
    assert run.open == ["after"]
    assert run.variables["undone"] == [3, 2, 1]
    assert "x" not in run.variables


def test_every_turn_that_completed_is_undone_with_its_own_item(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> many -> back -> after",
            back=draw.throw(compensate="many"),
            many=draw.user(loop=draw.each("${xs}", "x", until="${stop}")),
            edge=draw.border("many", compensate="h"),
            h=draw.undo(draw.script("undone = undone + [x]")),
        ),
        {"xs": [1, 2, 3], "undone": [], "stop": False},
    )
    run.complete_turn("many", 2)
    run.complete_turn("many", 0, stop=True)
    assert run.open == ["after"]
    assert run.variables["undone"] == [1, 3]


def test_a_loop_that_was_interrupted_is_not_undone(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> many -> end",
            "stop -> back -> after",
            stop=draw.border("many", signal="s"),
            back=draw.throw(compensate=None),
            many=draw.user(loop=draw.times("2")),
            **undoable(draw, "many"),
        )
    )
    run.complete_turn("many", 0)
    run.receive("stop")
    assert run.open == ["after"]


@pytest.mark.parametrize("activity", [None, "a"])
def test_an_event_subprocess_undoes_the_scope_around_it(
    draw: Drawing, play: Player, activity: str | None
) -> None:
    run = play(
        draw(
            "start -> a -> job -> end",
            job=draw.service("work"),
            bad=draw.on(
                "fail -> back -> told",
                fail=draw.begin(error="Jam"),
                back=draw.throw(compensate=activity),
            ),
            **undoable(draw, "a"),
        )
    )
    run.complete("a")
    run.fail("job", "Jam")
    assert run.open == ["undo_a"]
    run.complete("undo_a")
    assert run.open == ["told"]
    run.complete("told")
    assert run.done


def test_a_compensation_event_subprocess_undoes_its_subprocess(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> sub -> back -> after",
            back=draw.throw(compensate="sub"),
            sub=draw.sub(
                "start_in -> b -> c",
                on=draw.on(
                    "begin -> first -> inner -> last",
                    begin=draw.begin(compensate=None),
                    inner=draw.throw(compensate="b"),
                ),
                **undoable(draw, "b", "c"),
            ),
        )
    )
    run.complete("b")
    run.complete("c")
    for name in ("first", "undo_b", "last"):
        assert run.open == [name]
        run.complete(name)
    assert run.open == ["after"]


def test_an_error_in_a_handler_goes_outwards(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> sub -> normal",
            "edge -> mend",
            edge=draw.border("sub", error="Jam"),
            sub=draw.sub(
                "start_in -> a -> back -> after",
                back=draw.throw(compensate=None),
                at_a=draw.border("a", compensate="h"),
                h=draw.undo(draw.service("work")),
            ),
        )
    )
    run.complete("a")
    run.fail("h", "Jam")
    assert run.open == ["mend"]


def test_a_handler_that_gets_stuck_can_be_tried_again(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> a -> back -> after",
            back=draw.throw(compensate=None),
            at_a=draw.border("a", compensate="h"),
            h=draw.undo(draw.script("x = y + 1")),
        )
    )
    run.complete("a")
    assert set(run.stuck) == {"h"}
    run.mend(y=1)
    run.retry("h")
    assert run.open == ["after"]


def test_an_interrupted_compensation_stops(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> sub -> normal",
            "edge -> other",
            edge=draw.border("sub", signal="stop"),
            sub=draw.sub(
                "start_in -> a -> back",
                back=draw.end(compensate=None),
                **undoable(draw, "a"),
            ),
        )
    )
    run.complete("a")
    late = Complete(run.wait("undo_a").task_id)
    run.receive("edge")
    assert run.open == ["other"]
    with pytest.raises(TaskGone):
        run.do(late)


# -- what it costs -----------------------------------------------------------------


def test_a_model_without_compensation_remembers_nothing(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> xor -> a -> xor"))
    before = len(run.kept.state)
    for _ in range(20):
        run.complete("a")
    assert len(run.kept.state) == before


def test_what_was_remembered_goes_with_its_scope(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> xor -> sub -> xor",
            "late -> xor",
            late=draw.border("sub", signal="s"),
            sub=draw.sub("start_in -> a -> b", **undoable(draw, "a")),
        )
    )
    before = len(run.kept.state)
    for _ in range(5):
        run.complete("a")
        run.receive("late")
        assert len(run.kept.state) == before


def test_an_endless_loop_of_undoable_work_is_stopped_with_a_reason(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> xor -> a -> xor_more",
            "xor_more -> xor if n < 5000",
            "xor_more -> back otherwise",
            a=draw.script("n = n + 1"),
            back=draw.end(compensate=None),
            **undoable(draw, "a"),
        ),
        {"n": 0},
    )
    (reason,) = run.stuck.values()
    assert "completed activities wait here for a compensation" in reason
    assert run.variables["n"] == MEMORY + 1


# -- transactions ------------------------------------------------------------------


def booking(draw: Drawing) -> bytes:
    return draw(
        "start -> trade -> normal",
        "cancelled -> sorry",
        "hazard -> alarm",
        cancelled=draw.border("trade", cancel=None),
        hazard=draw.border("trade", error="Fire"),
        trade=draw.transaction(
            "start_in -> and -> a -> b -> xor",
            "and -> beside",
            "xor -> end_no if how == 'cancel'",
            "xor -> end_bad if how == 'error'",
            "xor -> end_in otherwise",
            end_no=draw.end(cancel=None),
            end_bad=draw.end(error="Fire"),
            **undoable(draw, "a", "b"),
        ),
    )


def test_a_cancelled_transaction_stops_undoes_and_leaves_by_its_border(
    draw: Drawing, play: Player
) -> None:
    run = play(booking(draw))
    run.complete("a")
    run.complete("b", how="cancel")
    assert run.open == ["undo_a", "undo_b"]
    assert "beside" in run.passed("cancelled")
    run.complete("undo_b")
    run.complete("undo_a")
    assert run.open == ["sorry"]


def test_an_error_leaves_a_transaction_without_undoing(
    draw: Drawing, play: Player
) -> None:
    run = play(booking(draw))
    run.complete("a")
    run.complete("b", how="error")
    assert run.open == ["alarm"]


def test_a_transaction_that_completes_goes_on_as_usual(
    draw: Drawing, play: Player
) -> None:
    run = play(booking(draw))
    run.complete("a")
    run.complete("b", how="")
    run.complete("beside")
    assert run.open == ["normal"]


def test_a_cancelled_transaction_with_nothing_to_undo_just_leaves(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> trade -> normal",
            "cancelled -> sorry",
            cancelled=draw.border("trade", cancel=None),
            trade=draw.transaction("start_in -> end_no", end_no=draw.end(cancel=None)),
        )
    )
    assert run.open == ["sorry"]


def test_a_completed_transaction_can_be_undone_later(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> trade -> back -> after",
            back=draw.throw(compensate=None),
            trade=draw.transaction("start_in -> a", **undoable(draw, "a")),
        )
    )
    run.complete("a")
    run.complete("undo_a")
    assert run.open == ["after"]


# -- refused -----------------------------------------------------------------------

REFUSED: list[tuple[Any, str, str]] = [
    (
        lambda d: d("start -> a", edge=d.border("a", compensate=None)),
        "edge",
        "needs one association",
    ),
    (
        lambda d: d("start -> a -> b", edge=d.border("a", compensate="b")),
        "edge",
        "'b' is not marked as an activity for compensation",
    ),
    (
        lambda d: d("start -> a", h=d.undo()),
        "h",
        "no compensation event leads to this activity",
    ),
    (
        lambda d: d("start -> a -> h", h=d.undo(), edge=d.border("a", compensate="h")),
        "h",
        "outside the flow",
    ),
    (
        lambda d: d(
            "start -> a",
            "late -> b",
            h=d.undo(),
            edge=d.border("a", compensate="h"),
            late=d.border("h", timer="PT1M"),
        ),
        "h",
        "boundary events of an activity for compensation",
    ),
    (
        lambda d: d("start -> a -> back", back=d.end(compensate="a")),
        "back",
        "'a' has no compensation event",
    ),
    (
        lambda d: d("start -> a -> back", back=d.end(compensate="gone")),
        "back",
        "there is no activity 'gone'",
    ),
    (
        lambda d: d(
            "start -> a -> sub",
            sub=d.sub("start_in -> back", back=d.end(compensate="a")),
            **undoable(d, "a"),
        ),
        "back",
        "not in the scope of this event",
    ),
    (
        lambda d: d("start -> end_no", end_no=d.end(cancel=None)),
        "end_no",
        "directly in a transaction",
    ),
    (
        lambda d: d(
            "start -> t",
            t=d.transaction("start_in -> end_no", end_no=d.end(cancel=None)),
        ),
        "end_no",
        "has no cancel event at its border",
    ),
    (
        lambda d: d("start -> a", edge=d.border("a", cancel=None)),
        "edge",
        "is no transaction",
    ),
    (
        lambda d: d("start -> a", on=d.on("b -> c", b=d.begin(compensate=None))),
        "b",
        "a whole process is not compensated",
    ),
]


@pytest.mark.parametrize(("model", "element", "reason"), REFUSED)
def test_what_cannot_be_undone_is_refused(
    draw: Drawing, model: Any, element: str, reason: str
) -> None:
    problems = SpiffEngine().check(model(draw))
    assert [p.element for p in problems] == [element], problems
    assert reason in problems[0].reason
