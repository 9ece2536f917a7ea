"""SDF worlds: what is written is read again, and what is hostile is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lxml import etree

from shopfloor.warehouse.building import add
from shopfloor.warehouse.errors import CellTaken, KindUnknown, WorldWrong
from shopfloor.warehouse.sdf import facts_of_model, read_sdf, robot_urdf, write_sdf
from shopfloor.warehouse.things import Obstacle, ObstacleKind, Person
from shopfloor.warehouse.world_file import find_file, load
from tests.support.kivas import Drive, hall


@pytest.mark.covers("K73")
@pytest.mark.parametrize("name", ["empty", "small", "medium", "two_robots"])
def test_a_world_comes_back_as_it_was(name: str) -> None:
    warehouse = load(find_file(name)).warehouse
    assert read_sdf(write_sdf(warehouse)) == warehouse


@pytest.mark.covers("K73")
def test_a_warehouse_after_a_run_comes_back_too() -> None:
    anna = Person("anna", ((1, 6), (3, 6)), 0.7, (1, 6), 1.0, 6.0)
    start = add(hall((0, 0), units=[(0, 0)], belts=[(5, 0)]), anna)
    start = add(start, Obstacle("div", ObstacleKind.DIVIDER, (7, 2), 1, 3))
    drive = Drive(start).do("lift 1 1 1", "mov 3 2 1", "lift 0 1 1", "mov 4 4 1")
    rested = replace(drive.now, ticks=0, owed_s=0.0)
    assert read_sdf(write_sdf(rested)) == rested


@pytest.mark.covers("K73")
def test_the_robot_is_written_as_urdf_with_its_parts() -> None:
    root = etree.fromstring(robot_urdf().encode())
    links = {link.get("name") for link in root.findall("link")}
    assert links == {"chassis", "left_wheel", "right_wheel", "tower"}
    kinds = {joint.get("type") for joint in root.findall("joint")}
    assert kinds == {"continuous", "prismatic"}


def test_every_model_has_a_body_that_is_seen_and_collides() -> None:
    root = etree.fromstring(write_sdf(load(find_file("two_robots")).warehouse).encode())
    for model in root.iter("model"):
        for link in model.findall("link"):
            assert link.find("collision/geometry") is not None
            assert link.find("visual/geometry") is not None


def test_a_robot_that_an_editor_has_moved_stands_there() -> None:
    text = write_sdf(hall((2, 3)))
    moved = read_sdf(
        text.replace("<pose>2 3 0 0 0 0</pose>", "<pose>5 1 0 0 0 0</pose>")
    )
    assert moved.robots["kiva1"].cell == (5, 1)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<sdf", "not XML"),
        ("<sdf/>", "no <world>"),
        ("<sdf><world name='w'/></sdf>", "no <mpms:warehouse>"),
        (
            '<!DOCTYPE s [<!ENTITY a "b">]><sdf><world name="w">&a;</world></sdf>',
            "a document type is not allowed",
        ),
    ],
)
def test_what_is_no_world_of_ours_is_refused(text: str, reason: str) -> None:
    with pytest.raises(WorldWrong, match=reason):
        read_sdf(text)


def test_mistakes_in_a_world_are_all_named() -> None:
    text = write_sdf(hall((0, 0), (2, 0)))
    with pytest.raises(WorldWrong, match="kiva2 cannot stand there"):
        read_sdf(text.replace("<pose>2 0 0 0 0 0</pose>", "<pose>0 0 0 0 0 0</pose>"))
    with pytest.raises(WorldWrong, match="model 'tree' is of no kind"):
        read_sdf(text.replace("</world>", "<model name='tree'/></world>"))
    with pytest.raises(WorldWrong, match="the pose of 'kiva2' is not 6 numbers"):
        read_sdf(text.replace("<pose>2 0 0 0 0 0</pose>", "<pose>here</pose>"))


def test_a_model_is_known_by_its_parts() -> None:
    model = "<model name='k'><link name='chassis'/><link name='tower'/></model>"
    assert facts_of_model(model, "")["kind"] == "robot"
    with pytest.raises(KindUnknown):
        facts_of_model("<model name='tree'/>", "")


def test_people_stand_nowhere_twice() -> None:
    anna = Person("anna", ((0, 0),), 0.8, (0, 0), 0.0, 0.0)
    with pytest.raises(CellTaken):
        add(hall((0, 0)), anna)
