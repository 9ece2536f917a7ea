"""Link events: a sequence flow that is not drawn."""

from typing import Any

import pytest

from mpms.engine.runner import SpiffEngine
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

pytestmark = pytest.mark.covers("A3")


def test_a_link_goes_on_at_its_catch(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> a -> away",
            "here -> b -> end",
            away=draw.throw(link="over"),
            here=draw.catch(link="over"),
        )
    )
    run.complete("a")
    assert run.open == ["b"]
    assert run.passed("left")[-2:] == ["away", "here"]
    run.complete("b")
    assert run.done


def test_several_throws_lead_to_one_catch(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> and -> away1",
            "and -> away2",
            "here -> b",
            away1=draw.throw(link="over"),
            away2=draw.throw(link="over"),
            here=draw.catch(link="over"),
        )
    )
    assert run.open == ["b", "b"]


def test_a_link_may_lead_back_into_a_loop(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> xor -> a -> xor_more",
            "xor_more -> back if more",
            "xor_more -> end otherwise",
            "here -> xor",
            back=draw.throw(link="again"),
            here=draw.catch(link="again"),
        )
    )
    for _ in range(20):
        run.complete("a", more=True)
        assert run.open == ["a"]
    run.complete("a", more=False)
    assert run.done


def test_links_of_the_same_name_in_two_scopes_do_not_meet(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> sub -> away",
            "here -> outer",
            away=draw.throw(link="over"),
            here=draw.catch(link="over"),
            sub=draw.sub(
                "start_in -> away_in",
                "here_in -> inner",
                away_in=draw.throw(link="over"),
                here_in=draw.catch(link="over"),
            ),
        )
    )
    assert run.open == ["inner"]
    run.complete("inner")
    assert run.open == ["outer"]


def test_an_inclusive_join_waits_for_what_comes_by_a_link(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> or_in",
            "or_in -> a if true",
            "or_in -> b if true",
            "a -> or_out",
            "b -> away",
            "here -> or_out",
            "or_out -> after",
            away=draw.throw(link="over"),
            here=draw.catch(link="over"),
        )
    )
    run.complete("a")
    assert run.open == ["b"]
    run.complete("b")
    assert run.open == ["after"]


@pytest.mark.parametrize(
    ("lines", "links", "reason"),
    [
        (["start -> away"], {"away": "x"}, "catches 'x'"),
        (["start -> a", "here -> b"], {"here": "x"}, "throws 'x'"),
        (
            ["start -> away", "here -> b", "here2 -> c"],
            {"away": "x", "here": "x", "here2": "x"},
            "'here' catches the link 'x' already",
        ),
        (
            ["start -> away -> a", "here -> b"],
            {"away": "x", "here": "x"},
            "no flow leaves a link that throws",
        ),
        (
            ["start -> and -> away", "and -> here -> b"],
            {"away": "x", "here": "x"},
            "no flow leads to a link that catches",
        ),
        (["start -> away", "here -> b"], {"away": "", "here": "x"}, "names no link"),
    ],
)
def test_links_that_do_not_pair_are_refused(
    draw: Drawing, lines: list[str], links: dict[str, str], reason: str
) -> None:
    events: dict[str, Any] = {
        id_: (draw.throw if id_.startswith("away") else draw.catch)(link=name)
        for id_, name in links.items()
    }
    problems = SpiffEngine().check(draw(*lines, **events))
    assert any(reason in problem.reason for problem in problems)
    assert {p.element for p in problems} <= {*links}


def test_a_link_out_of_a_subprocess_is_refused(draw: Drawing) -> None:
    model = draw(
        "start -> sub",
        "here -> b",
        here=draw.catch(link="x"),
        sub=draw.sub("start_in -> away", away=draw.throw(link="x")),
    )
    assert {p.element for p in SpiffEngine().check(model)} == {"away", "here"}
