"""Event subprocesses, conditions and compensations under repair and migration."""

from typing import Any

import pytest

from mpms.domain.errors import MigrationRefused
from mpms.domain.instances.steps import CancelActivity, Move, Skip
from mpms.domain.models.definitions import Definition
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Play, Player


def migrate(run: Play, xml: bytes, **renamed: str) -> None:
    assert run.engine.check(xml) == []
    new = Definition("newer", "process", 2, "", xml)
    step = run.engine.migrate(run.definition, new, run.kept, renamed, now=run.now)
    run.go_over(new, step)


def listening(draw: Drawing, name: str = "hear", *more: str) -> bytes:
    handlers: dict[str, Any] = {
        f"on_{n}": draw.on(
            f"{n} -> b_{n}", **{n: draw.begin(interrupting=False, signal=n)}
        )
        for n in (name, *more)
    }
    return draw("start -> a -> end", **handlers)


def test_a_waiting_start_goes_over_to_a_new_version(
    draw: Drawing, play: Player
) -> None:
    run = play(listening(draw))
    task = run.wait("hear").task_id
    migrate(run, listening(draw))
    assert run.wait("hear").task_id == task
    run.receive("hear")
    assert run.open == ["a", "b_hear", "hear"]


def test_a_new_event_subprocess_listens_after_the_migration(
    draw: Drawing, play: Player
) -> None:
    run = play(listening(draw))
    migrate(run, listening(draw, "hear", "more"))
    assert run.open == ["a", "hear", "more"]


def test_a_start_that_fired_does_not_wait_again_after_a_migration(
    draw: Drawing, play: Player
) -> None:
    model = draw(
        "start -> a",
        on=draw.on("late -> b", late=draw.begin(interrupting=False, timer="PT1M")),
    )
    run = play(model)
    run.fire("late")
    migrate(run, model)
    assert run.open == ["a", "b"]


def undoable(draw: Drawing, handler: str | None = "undo") -> bytes:
    more: dict[str, Any] = {}
    if handler:
        more = {"edge": draw.border("a", compensate=handler), handler: draw.undo()}
    return draw(
        "start -> a -> b -> back -> end", back=draw.throw(compensate=None), **more
    )


def test_what_is_to_be_undone_goes_over_to_a_new_version(
    draw: Drawing, play: Player
) -> None:
    run = play(undoable(draw))
    run.complete("a")
    migrate(run, undoable(draw, "mend"))
    run.complete("b")
    assert run.open == ["mend"]


def test_a_version_that_cannot_undo_what_is_done_is_refused(
    draw: Drawing, play: Player
) -> None:
    run = play(undoable(draw))
    run.complete("a")
    with pytest.raises(MigrationRefused, match="'edge'"):
        migrate(run, undoable(draw, None))


# -- repair ------------------------------------------------------------------------


def test_an_event_subprocess_can_be_cancelled_and_its_scope_goes_on(
    draw: Drawing, play: Player
) -> None:
    run = play(listening(draw))
    run.receive("hear")
    run.do(CancelActivity(run.wait("b_hear").task_id))
    assert run.open == ["a", "hear"]


def test_a_token_moved_into_a_subprocess_wakes_its_event_subprocesses(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> a -> sub",
            sub=draw.sub(
                "start_in -> b -> c",
                on=draw.on("hear -> d", hear=draw.begin(signal="s")),
            ),
        )
    )
    run.do(Move(run.wait("a").task_id, "c"))
    assert run.open == ["c", "hear"]


def test_a_handler_that_is_skipped_counts_as_done(draw: Drawing, play: Player) -> None:
    run = play(undoable(draw))
    run.complete("a")
    run.complete("b")
    run.do(Skip(run.wait("undo").task_id))
    assert run.done
