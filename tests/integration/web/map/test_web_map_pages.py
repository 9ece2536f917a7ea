"""The map's pages: what they say, to whom, and how they say it."""

from __future__ import annotations

from typing import Any

import pytest

from mpms.domain.people.people import Role
from mpms.factory.domain.goals import GoalReport, GoalState
from mpms.factory.ports.floor import FloorSeen, PersonSeen, RobotSeen
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.services.floor.view import FACTS_FRESH_S, FloorViewer
from tests.support.web_map import House, frame_of

SCRIPT = "<script>alert('x')</script>"
ADDRESSES = (
    "/map",
    "/map/list",
    "/map/plan.json",
    "/map/plan.svg",
    "/map/frame.json",
    "/map/layers/robot1.json",
)


def seen(robot: str = "robot1", **more: Any) -> RobotSeen:
    given = {"x_m": 3.0, "y_m": 2.0, "yaw_rad": 0.5, "pose_age_s": 0.2} | more
    return RobotSeen(robot, **given)


def test_everybody_who_is_signed_in_sees_the_floor_and_strangers_do_not(
    house: House,
) -> None:
    for role in Role:
        browser = house.browser(role)
        answers = {address: browser.get(address).status_code for address in ADDRESSES}
        assert set(answers.values()) == {200}, (role, answers)
    stranger = house.visitor()
    for address in ADDRESSES:
        assert stranger.get(address).status_code in (303, 401)


def test_a_frame_joins_the_floor_with_goal_order_and_link(house: House) -> None:
    house.floor.frame = FloorSeen(
        (seen(battery=0.4), seen("robot2")), (PersonSeen("ann", 1.0, 2.0, 0.3, 0.1),)
    )
    house.report(
        RobotState("robot1", False, link="up"),
        RobotState("robot2", False, link="down", why_not="link down: no answer"),
    )
    instance = house.hold("robot1", "PO-1042")
    house.send("robot1", "B", instance)
    frame = frame_of(house.browser())
    first, second, third = frame["robots"]
    assert (first["id"], first["doing"], first["place"]) == ("robot1", "drives", "B")
    assert (first["order"], first["instance"]) == ("PO-1042", instance)
    assert (first["battery"], first["grey"], first["why_not"]) == (0.4, False, None)
    assert (second["grey"], second["why_not"]) == (True, "link down: no answer")
    assert (third["id"], third["x"], third["grey"]) == ("robot3", None, True)
    assert frame["people"][0]["radius"] == 0.3


def test_a_goal_that_ended_is_not_shown_any_more(house: House) -> None:
    now_s = [0.0]
    house.floor.frame = FloorSeen((seen(),))
    house.hold("robot1", "PO-1")
    goal_id = house.send("robot1", "B")
    viewer = FloorViewer(house.counted, house.floor, house.world, now=lambda: now_s[0])
    assert viewer.view().robots[0].doing == "drives"
    with house.uow() as tx:
        tx.goals.settle(GoalReport(goal_id, GoalState.REACHED))
    now_s[0] += FACTS_FRESH_S
    assert viewer.view().robots[0].doing == "serves"


def test_many_readers_ask_the_database_once(house: House) -> None:
    viewer = FloorViewer(house.counted, house.floor, house.world, now=lambda: 7.0)
    before = house.counted.transactions
    for _ in range(100):
        viewer.view()
    assert house.counted.transactions == before + 1


def test_an_order_is_looked_up_once_an_instance(house: House) -> None:
    now_s = [0.0]
    house.hold("robot1", "PO-1")
    viewer = FloorViewer(house.counted, house.floor, house.world, now=lambda: now_s[0])
    assert viewer.view().robots[0].order == "PO-1"
    now_s[0] += FACTS_FRESH_S
    with house.uow() as tx:
        tx.robot_holds.release(tx.robot_holds.held()["robot1"])
    assert viewer.view().robots[0].order is None


def test_paths_come_when_asked_for(house: House) -> None:
    house.floor.frame = FloorSeen((seen(driven=((1.0, 1.0), (2.0, 1.0))),))
    browser = house.browser()
    assert "driven" not in frame_of(browser)["robots"][0]
    assert frame_of(browser, "?paths=1")["robots"][0]["driven"] == [[1, 1], [2, 1]]


def test_a_frame_is_never_kept_by_a_cache(house: House) -> None:
    answer = house.browser().get("/map/frame.json")
    assert answer.headers["Cache-Control"] == "no-store"


def test_layers_are_asked_for_by_robot(house: House) -> None:
    way = ((1.0, 2.0), (1.5, 2.126))
    house.floor.frame = FloorSeen((seen(scan=((1.234, 2.0),), local_plan=way),))
    house.floor.cells["robot1"] = [(1.05, 2.05)]
    answer = house.browser().get("/map/layers/robot1.json")
    assert answer.get_json() == {
        "scan": [1.23, 2.0],
        "costmap": [1.05, 2.05],
        "local_plan": [1.0, 2.0, 1.5, 2.13],
    }
    assert house.floor.asked == ["robot1"]


@pytest.mark.covers("A75")
def test_the_costmap_of_the_whole_map_is_told_in_rows(house: House) -> None:
    cells = [(1.25, 2.05), (1.05, 2.05), (1.15, 2.05), (3.05, 2.05), (0.05, -0.05)]
    house.floor.whole["robot1"] = cells
    answer = house.browser().get("/map/layers/robot1.json?whole=1")
    assert answer.get_json() == {"whole": [0.0, -0.1, 1, 1.0, 2.0, 3, 3.0, 2.0, 1]}
    assert house.floor.asked == ["robot1 whole"]


def test_layers_of_a_robot_that_is_not_there_are_not_found(house: House) -> None:
    answer = house.browser().get("/map/layers/robot99.json")
    assert answer.status_code == 404
    assert house.floor.asked == []


@pytest.mark.covers("A67", "W5")
def test_the_list_says_what_the_map_shows(house: House) -> None:
    house.floor.frame = FloorSeen(
        (seen(), seen("robot2", pose_age_s=12.0), seen("robot3", stopped=True)),
        (PersonSeen("ann", 1.0, 2.0, 0.34, 0.1),),
    )
    house.report(*(RobotState(f"robot{n}", True, link="up") for n in (1, 2, 3)))
    house.send("robot1", "tank", house.hold("robot1", "PO-7"))
    text = house.browser().get("/map/list").text
    for said in ("drives to tank", "Order PO-7", "last heard 12 s ago"):
        assert said in text
    for said in ("emergency stop", "ann", "to within 0.3 m", "RM-002", "mixing tank"):
        assert said in text


@pytest.mark.parametrize(
    ("language", "said"),
    [("de", "fährt zu B"), ("es", "va a B"), ("en", "drives to B")],
)
def test_the_list_speaks_the_readers_language(
    house: House, language: str, said: str
) -> None:
    house.floor.frame = FloorSeen((seen(),))
    house.report(RobotState("robot1", True, link="up"))
    house.send("robot1", "B")
    assert said in house.browser(language=language).get("/map").text


def test_names_are_text_and_never_markup(house: House) -> None:
    house.floor.frame = FloorSeen(
        (seen(SCRIPT),), (PersonSeen(SCRIPT, 1.0, 2.0, 0.3, 0.1),)
    )
    house.send(SCRIPT, SCRIPT, house.hold(SCRIPT, SCRIPT))
    house.report(RobotState(SCRIPT, True, link="up"))
    browser = house.browser(world=house.renamed(SCRIPT))
    for address in ("/map", "/map/list", "/map/plan.svg"):
        text = browser.get(address).text
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert" in text
    assert frame_of(browser)["robots"][0]["place"] == SCRIPT


def test_the_plan_is_drawn_without_a_script_too(house: House) -> None:
    answer = house.browser().get("/map/plan.svg")
    assert answer.mimetype == "image/svg+xml"
    assert answer.text.count("<line") == 4
    assert "style" not in answer.text
    plan = house.browser().get("/map/plan.json").get_json()
    assert {place["name"] for place in plan["places"]} >= {"A", "B", "C", "tank"}


def test_the_page_asks_for_frames_and_has_no_inline_style(house: House) -> None:
    text = house.browser().get("/map").text
    assert 'data-live="floor"' in text
    assert 'data-map="full"' in text
    assert "style=" not in text
