"""Carrying running instances over to another version of their process."""

from datetime import timedelta

import pytest

from mpms.domain.errors import ElementUnknown, MigrationRefused
from mpms.domain.instances.steps import FormWait, JobWait, Retry, TimerWait
from tests.support.repair_drawing import RepairDrawing
from tests.support.repair_play import RepairPlayer


def test_tokens_go_on_in_the_new_version(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> a -> b -> end"), n=1)
    task = run.id("a")
    run.migrate(draw("start -> a -> new -> b -> end"))
    assert run.id("a") == task
    assert run.step.opened == run.step.closed == ()
    run.complete("a")
    assert run.open == ["new"]
    assert run.variables == {"n": 1}


def test_a_renamed_element_is_found_by_the_mapping(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> a -> end"))
    task = run.id("a")
    new = draw("start -> weigh -> end", weigh=draw.user("weigh", formKey="scale"))
    assert "not in the new version" in run.obstacles(new)
    run.migrate(new, a="weigh")
    (wait,) = run.step.waits
    assert isinstance(wait, FormWait)
    assert (wait.task_id, wait.element, wait.form) == (task, "weigh", "scale")


def test_a_live_task_is_never_lost(draw: RepairDrawing, play: RepairPlayer) -> None:
    run = play(draw("start -> a -> b -> end"))
    before = run.snapshot
    with pytest.raises(MigrationRefused, match="'a' has a live task"):
        run.migrate(draw("start -> b -> end"))
    assert run.snapshot is before
    assert run.open == ["a"]


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("service", "another kind"),
        ("looped", "another kind"),
        ("wrapped", "another scope"),
    ],
)
def test_an_element_that_is_no_longer_the_same_is_an_obstacle(
    draw: RepairDrawing, play: RepairPlayer, new: str, why: str
) -> None:
    run = play(draw("start -> a -> end"))
    changed = {
        "service": draw("start -> a -> end", a=draw.service("a", "weigh")),
        "looped": draw("start -> a -> end", a=draw.user("a", draw.each("xs", "x"))),
        "wrapped": draw("start -> s -> end", s=draw.sub("s", "start_s -> a -> end_s")),
    }
    assert why in run.obstacles(changed[new])


def test_a_timer_keeps_its_due_time_and_a_job_gets_its_new_topic(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    old = draw(
        "start -> and1 -> t -> end",
        "and1 -> j -> end",
        t=draw.catch("t", draw.timer("PT10M")),
        j=draw.service("j", "weigh"),
    )
    new = draw(
        "start -> and1 -> t -> end",
        "and1 -> j -> end",
        t=draw.catch("t", draw.timer("PT99H")),
        j=draw.service("j", "weigh.twice"),
    )
    run = play(old)
    due_at = run.now + timedelta(minutes=10)
    run.later(5)
    run.migrate(new)
    timer = next(w for w in run.step.waits if isinstance(w, TimerWait))
    job = next(w for w in run.step.waits if isinstance(w, JobWait))
    assert timer.due_at == due_at
    assert job.topic == "weigh.twice"


def test_boundary_events_are_opened_and_dropped_as_the_new_version_draws_them(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    old = draw(
        "start -> a -> end",
        "gone -> end2",
        "stays -> end3",
        gone=draw.edge("gone", "a", draw.signal),
        stays=draw.edge("stays", "a", draw.timer("PT10M")),
    )
    new = draw(
        "start -> a -> end",
        "stays -> end3",
        "added -> b -> end4",
        stays=draw.edge("stays", "a", draw.timer("PT20M")),
        added=draw.edge("added", "a", draw.timer("PT30M")),
    )
    run = play(old)
    stays = run.id("stays")
    run.migrate(new)
    assert run.open == ["a", "added", "stays"]
    assert run.id("stays") == stays
    run.fire("added")
    assert run.open == ["b"]


def test_a_boundary_event_that_became_another_kind_is_opened_anew(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    old = draw("start -> a -> end", "e -> end2", e=draw.edge("e", "a", draw.signal))
    new = draw(
        "start -> a -> end", "e -> end2", e=draw.edge("e", "a", draw.timer("PT5M"))
    )
    run = play(old)
    run.migrate(new)
    assert {type(w).__name__ for w in run.step.waits} == {"FormWait", "TimerWait"}


def test_a_waiting_join_keeps_its_tokens(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> and1 -> a -> and2 -> c -> end", "and1 -> b -> and2"))
    run.complete("a")
    run.migrate(draw("start -> and1 -> a -> and2 -> d -> end", "and1 -> b -> and2"))
    run.complete("b")
    assert run.open == ["d"]


def test_a_join_follows_a_renamed_source_and_fires_if_nothing_is_missing_now(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> and1 -> a -> and2 -> c -> end", "and1 -> b -> and2"))
    run.complete("a")
    renamed = draw("start -> and1 -> weigh -> and2 -> c -> end", "and1 -> b -> and2")
    run.migrate(renamed, a="weigh")
    run.complete("b")
    assert run.open == ["c"]


def test_a_join_whose_flow_vanished_is_an_obstacle(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(
        draw(
            "start -> and1 -> a -> and2 -> d -> end",
            "and1 -> b -> and2",
            "and1 -> c -> and2",
        )
    )
    run.complete("a")
    new = draw("start -> and1 -> b -> and2 -> d -> end", "and1 -> c -> and2")
    assert "'a_to_and2', which is gone" in run.obstacles(new)


def test_loops_go_on_unless_their_turns_are_made_differently(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    one_by_one = draw.user("a", draw.each("items", "item", one_by_one=True))
    run = play(draw("start -> a -> end", a=one_by_one), items=[1, 2])
    at_once = draw.user("a", draw.each("items", "item"))
    assert "loop" in run.obstacles(draw("start -> a -> end", a=at_once))
    run.migrate(draw("start -> a -> b -> end", a=one_by_one))
    run.complete("a")
    run.complete("a")
    assert run.open == ["b"]


def test_a_subprocess_keeps_its_inner_tokens_and_gets_new_events(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    sub = draw.sub("s", "start_s -> x -> end_s")
    run = play(draw("start -> s -> end", s=sub))
    longer = draw.sub("s", "start_s -> x -> y -> end_s")
    late = draw.edge("late", "s", draw.timer("PT5M"))
    run.migrate(draw("start -> s -> b -> end", "late -> end2", s=longer, late=late))
    assert run.open == ["late", "x"]
    run.complete("x")
    run.complete("y")
    assert run.open == ["b"]


def test_an_event_gateway_gets_its_new_events_and_loses_none(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    bell, clock = (
        draw.catch("bell", draw.signal),
        draw.catch("clock", draw.timer("PT5M")),
    )
    letter = draw.catch("letter", draw.message)
    run = play(
        draw(
            "start -> event -> bell -> end",
            "event -> clock -> end",
            bell=bell,
            clock=clock,
        )
    )
    without = draw(
        "start -> event -> letter -> end",
        "event -> clock -> end",
        letter=letter,
        clock=clock,
    )
    assert "'bell' has a live task" in run.obstacles(without)
    more = draw(
        "start -> event -> bell -> end",
        "event -> clock -> end",
        "event -> letter -> end",
        bell=bell,
        clock=clock,
        letter=letter,
    )
    run.migrate(more)
    assert run.open == ["bell", "clock", "letter"]


def test_a_stuck_element_is_carried_over_and_retried_in_the_new_version(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    run = play(draw("start -> x -> end", x=draw.script("x", "y = missing + 1")))
    run.migrate(draw("start -> x -> b -> end", x=draw.script("x", "y = 1")))
    assert "x" in run.stuck
    run.do(Retry(run.id("x")))
    assert run.open == ["b"]
    assert run.variables == {"y": 1}


@pytest.mark.parametrize("renamed", [{"nowhere": "a"}, {"a": "nowhere"}])
def test_a_mapping_that_names_nothing_is_refused(
    draw: RepairDrawing, play: RepairPlayer, renamed: dict[str, str]
) -> None:
    run = play(draw("start -> a -> end"))
    with pytest.raises(ElementUnknown, match="'nowhere'"):
        run.obstacles(draw("start -> a -> b -> end"), **renamed)
