"""Repairs beside event subprocesses, conditions and compensation."""

import pytest

from mpms.domain.errors import ElementUnknown, RepairRefused
from mpms.domain.instances.instances import InstanceStatus
from mpms.domain.instances.steps import SetVariables
from tests.support.repair_drawing import RepairDrawing
from tests.support.repair_play import RepairPlayer


def test_a_scope_that_only_listens_is_empty(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    help_ = draw.on("help", draw.signal, "start_help -> h -> end_h")
    sub = draw.sub("sub", "start_s -> x -> end_s", help=help_)
    run = play(draw("start -> sub -> a -> b -> end", sub=sub))
    assert run.open == ["start_help", "x"]
    run.move("x", "b")
    assert run.open == ["b"]
    assert "sub" not in run.passed("left")
    run = play(draw("start -> a -> end", help=help_))
    run.cancel("a")
    assert run.status is InstanceStatus.CANCELLED


def test_an_event_subprocess_is_entered_by_a_move_without_its_start(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    help_ = draw.on("help", draw.signal, "start_help -> h -> i -> end_h")
    run = play(draw("start -> a -> end", help=help_))
    run.move("a", "i")
    assert run.open == ["i"]
    run.complete("i")
    assert run.status is InstanceStatus.COMPLETED


def test_a_beginning_elsewhere_listens_as_the_plain_one_does(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    help_ = draw.on("help", draw.signal, "start_help -> h -> end_h")
    run = play(draw("start -> a -> b -> end", help=help_), at=("b",))
    assert run.open == ["b", "start_help"]


@pytest.mark.parametrize(
    ("element", "why"),
    [
        ("start_help", "the start of an event subprocess"),
        ("help", "an event subprocess"),
        ("un_a", "to undo something"),
        ("undo_a", "a boundary event"),
    ],
)
def test_what_only_an_event_begins_is_no_target(
    draw: RepairDrawing, play: RepairPlayer, element: str, why: str
) -> None:
    help_ = draw.on("help", draw.signal, "start_help -> h -> end_h")
    xml = draw("start -> a -> b -> end", help=help_, undo_a=draw.handler("un_a", "a"))
    run = play(xml)
    before = run.snapshot
    with pytest.raises(ElementUnknown, match=why):
        run.move("a", element)
    assert run.snapshot is before


def test_what_was_skipped_is_not_undone(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    xml = draw(
        "start -> a -> b -> c -> back -> d -> end",
        undo_a=draw.handler("un_a", "a"),
        undo_b=draw.handler("un_b", "b"),
        back=draw.undo("back"),
    )
    run = play(xml)
    run.complete("a")
    run.skip("b")
    run.complete("c")
    assert run.open == ["un_a"]
    with pytest.raises(RepairRefused, match="undoes something"):
        run.move("un_a", "d")
    run.skip("un_a")
    assert run.open == ["d"]


def test_a_handler_may_be_skipped_while_another_waits(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    xml = draw(
        "start -> a -> b -> c -> back -> d -> end",
        undo_a=draw.handler("un_a", "a"),
        undo_b=draw.handler("un_b", "b"),
        back=draw.undo("back"),
    )
    run = play(xml)
    for element in ("a", "b", "c"):
        run.complete(element)
    assert run.open == ["un_a", "un_b"]
    run.skip("un_b")
    assert run.open == ["un_a"]
    run.move("back", "d")
    assert run.open == ["d"]


def test_a_condition_hears_of_a_repaired_variable(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    hot = draw.edge("hot", "a", draw.when("kg > 5"))
    run = play(draw("start -> a -> end", "hot -> b -> end2", hot=hot), kg=1)
    run.set(kg=4)
    assert "a" in run.open
    run.set(kg=6)
    assert run.open == ["b"]


def test_a_watching_event_that_is_stuck_can_be_cancelled(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    late = draw.edge("late", "a", draw.timer("${missing}"))
    run = play(draw("start -> a -> end", "late -> end2", late=late))
    assert "late" in run.stuck
    run.cancel("late")
    assert run.stuck == {}
    assert run.open == ["a"]


# -- migration ---------------------------------------------------------------------


def test_a_new_event_subprocess_is_listened_for_and_an_old_one_is_dropped(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    old = draw.on("old", draw.signal, "start_old -> h -> end_h")
    new = draw.on("new", draw.timer("PT5M"), "start_new -> i -> end_i")
    sub = draw.sub("sub", "start_s -> x -> end_s", old=old)
    run = play(draw("start -> sub -> end", sub=sub))
    run.migrate(
        draw(
            "start -> sub -> end", sub=draw.sub("sub", "start_s -> x -> end_s", new=new)
        )
    )
    assert run.open == ["start_new", "x"]
    run.fire("start_new")
    assert run.open == ["i"]


def test_what_has_come_once_does_not_come_again_by_a_migration(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    late = draw.edge("late", "a", draw.timer("PT5M"), cancels=False)
    help_ = draw.on(
        "help", draw.timer("PT9M"), "start_help -> h -> end_h", cancels=False
    )
    lines = "start -> a -> end", "late -> b -> end2"
    run = play(draw(*lines, late=late, help=help_))
    run.fire("late")
    run.fire("start_help")
    assert run.open == ["a", "b", "h"]
    run.migrate(draw(*lines, "b -> end3", late=late, help=help_))
    assert run.open == ["a", "b", "h"]


def test_an_interrupted_scope_listens_to_nothing_new(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    help_ = draw.on("help", draw.timer("PT9M"), "start_help -> h -> end_h")
    more = draw.on("more", draw.signal, "start_more -> m -> end_m")
    run = play(draw("start -> a -> end", help=help_))
    run.fire("start_help")
    run.migrate(draw("start -> a -> end", help=help_, more=more))
    assert run.open == ["h"]


def test_what_may_have_to_be_undone_is_carried_over(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    lines = "start -> {} -> c -> back -> d -> end"
    back = draw.undo("back")
    run = play(draw(lines.format("a"), undo_a=draw.handler("un_a", "a"), back=back))
    run.complete("a")
    new = draw(lines.format("b"), undo_b=draw.handler("un_a", "b"), back=back)
    assert "may have to be undone" in run.obstacles(new)
    run.migrate(new, a="b", undo_a="undo_b")
    run.complete("c")
    assert run.open == ["un_a"]


def test_local_variables_of_a_scope_reach_the_conditions_inside(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    hot = draw.edge("hot", "x", draw.when("kg > 5"))
    sub = draw.sub("sub", "start_s -> x -> end_s", "hot -> y -> end_y", hot=hot)
    run = play(draw("start -> sub -> end", sub=sub), kg=1)
    run.do(SetVariables({"kg": 9}, task_id=run.id("sub")))
    assert run.open == ["y"]
    assert run.variables == {"kg": 1}


def test_a_scope_whose_flow_was_cancelled_starts_no_more_event_subprocesses(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    help_ = draw.on(
        "help", draw.timer("PT9M"), "start_help -> h -> end_h", cancels=False
    )
    more = draw.on("more", draw.signal, "start_more -> m -> end_m", cancels=False)
    run = play(draw("start -> a -> end", help=help_, more=more))
    run.fire("start_help")
    assert run.open == ["a", "h", "start_more"]
    run.cancel("a")
    assert run.open == ["h"]
    run.complete("h")
    assert run.status is InstanceStatus.COMPLETED
