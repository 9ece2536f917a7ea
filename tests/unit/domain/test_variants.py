"""Paths that instances took are counted, ranked and shared out."""

from __future__ import annotations

import pytest

from mpms.domain.history.variants import Path, variants_of


def path(name: str, way: str, *, s: float = 60.0, cut: bool = False) -> Path:
    return Path(name, tuple(way.split()), cut, s)


def test_the_same_steps_in_the_same_order_are_one_variant() -> None:
    found = variants_of(
        [
            path("a", "look print", s=10),
            path("b", "look"),
            path("c", "look print", s=30),
            path("d", "print look"),
            path("e", "look print", s=20),
        ]
    )
    assert [(v.elements, v.count) for v in found] == [
        (("look", "print"), 3),
        (("look",), 1),
        (("print", "look"), 1),
    ]
    assert [v.share for v in found] == [0.6, 0.2, 0.2]
    assert sum(v.share for v in found) == pytest.approx(1)
    assert (found[0].median_s, found[0].example) == (20, "a")


def test_every_round_of_a_loop_counts() -> None:
    found = variants_of([path("a", "drive load"), path("b", "drive load drive load")])
    assert [len(v.elements) for v in found] == [2, 4]


def test_a_path_that_was_cut_is_not_taken_for_a_whole_one() -> None:
    found = variants_of([path("a", "look"), path("b", "look", cut=True)])
    assert sorted(v.cut for v in found) == [False, True]


def test_nothing_has_no_variants() -> None:
    assert variants_of([]) == []
