"""Two versions compared: what came, went, changed, or was only drawn elsewhere."""

from __future__ import annotations

import pytest

from mpms.domain.models.difference import FactChange, ModelPart, PartChange, difference

LOAD = ModelPart("load", "Load", "userTask", {"form": "load"}, (0, 0, 100, 80))
WEIGH = ModelPart(
    "weigh", "Weigh", "serviceTask", {"topic": "scale"}, (200, 0, 100, 80)
)


def only(changes: tuple[PartChange, ...]) -> PartChange:
    assert len(changes) == 1, changes
    return changes[0]


def test_the_same_parts_do_not_differ() -> None:
    assert difference([LOAD, WEIGH], [LOAD, WEIGH]) == ()


def test_the_order_in_the_file_means_nothing() -> None:
    assert difference([LOAD, WEIGH], [WEIGH, LOAD]) == ()


def test_a_new_part_is_added_with_all_it_says() -> None:
    change = only(difference([LOAD], [LOAD, WEIGH]))
    assert (change.how, change.id) == ("added", "weigh")
    assert change.facts == (FactChange("topic", None, "scale"),)


def test_a_missing_part_is_removed_with_all_it_said() -> None:
    change = only(difference([LOAD, WEIGH], [LOAD]))
    assert (change.how, change.id, change.name) == ("removed", "weigh", "Weigh")
    assert change.facts == (FactChange("topic", "scale", None),)


@pytest.mark.parametrize(
    ("new", "fact"),
    [
        (
            ModelPart("load", "Fill", "userTask", {"form": "load"}, LOAD.place),
            FactChange("name", "Load", "Fill"),
        ),
        (
            ModelPart("load", "Load", "manualTask", {"form": "load"}, LOAD.place),
            FactChange("kind", "userTask", "manualTask"),
        ),
        (
            ModelPart("load", "Load", "userTask", {"form": "fill"}, LOAD.place),
            FactChange("form", "load", "fill"),
        ),
        (
            ModelPart("load", "Load", "userTask", {}, LOAD.place),
            FactChange("form", "load", None),
        ),
        (
            ModelPart(
                "load", "Load", "userTask", {"form": "load", "lane": "A"}, LOAD.place
            ),
            FactChange("lane", None, "A"),
        ),
    ],
)
def test_each_fact_is_told_with_what_it_was(new: ModelPart, fact: FactChange) -> None:
    change = only(difference([LOAD], [new]))
    assert (change.how, change.facts, change.moved) == ("changed", (fact,), False)


def test_several_facts_of_one_part_are_one_change() -> None:
    new = ModelPart("load", "Fill", "userTask", {"form": "fill"}, LOAD.place)
    change = only(difference([LOAD], [new]))
    assert [fact.fact for fact in change.facts] == ["name", "form"]


def test_what_is_only_drawn_elsewhere_is_moved_and_not_changed() -> None:
    new = ModelPart("load", "Load", "userTask", {"form": "load"}, (0, 300, 100, 80))
    change = only(difference([LOAD], [new]))
    assert (change.how, change.facts, change.moved) == ("moved", (), True)


def test_what_changed_and_moved_is_changed() -> None:
    new = ModelPart("load", "Fill", "userTask", {"form": "load"}, (0, 300, 100, 80))
    change = only(difference([LOAD], [new]))
    assert (change.how, change.moved) == ("changed", True)


def test_an_id_that_changed_is_another_part() -> None:
    new = ModelPart("fill", "Load", "userTask", {"form": "load"}, LOAD.place)
    changes = difference([LOAD], [new])
    assert [(c.how, c.id) for c in changes] == [("added", "fill"), ("removed", "load")]


def test_a_part_that_lost_its_name_is_told_by_the_old_one() -> None:
    new = ModelPart("load", "", "userTask", {"form": "load"}, LOAD.place)
    change = only(difference([LOAD], [new]))
    assert change.name == "Load"
    assert change.facts == (FactChange("name", "Load", ""),)


def test_a_drawing_that_appears_or_vanishes_is_a_move() -> None:
    new = ModelPart("load", "Load", "userTask", {"form": "load"}, None)
    assert only(difference([LOAD], [new])).how == "moved"
    assert only(difference([new], [LOAD])).how == "moved"


def test_the_most_important_comes_first() -> None:
    still = ModelPart("still", "", "task", {}, (1, 1))
    old = [WEIGH, LOAD, still]
    new = [
        ModelPart("still", "", "task", {}, (2, 2)),
        ModelPart("load", "Fill", "userTask", {"form": "load"}, LOAD.place),
        ModelPart("extra", "", "task"),
    ]
    assert [change.how for change in difference(old, new)] == [
        *("added", "removed", "changed", "moved")
    ]


def test_everything_of_a_new_process_is_added() -> None:
    assert [c.how for c in difference([], [LOAD, WEIGH])] == ["added", "added"]
    assert [c.how for c in difference([LOAD, WEIGH], [])] == ["removed", "removed"]
