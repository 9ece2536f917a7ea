"""What the pages tell of car-like vehicles, alleys and a training."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleet.bodies.passability import COLUMNS, TableWrong, Trial
from mpms.domain.people.people import Role
from mpms.factory import bootstrap
from mpms.factory.adapters.robots.check import BridgeCheck
from mpms.factory.adapters.vehicle_files import TABLE, WorldVehicles
from mpms.factory.ports.floor import FloorSeen, RobotSeen
from mpms.factory.ports.vehicles import LearnedPoint
from tests.support.site import Browser
from tests.support.web_map import House, PaintedFloor

WORLDS = Path(__file__).resolve().parents[4] / "worlds"


class Vehicles(WorldVehicles):
    """Those of the town, and tables that the test writes."""

    trials: Sequence[Trial] | None = None
    points: Sequence[LearnedPoint] | None = None
    wrong = ""

    def passability(self) -> Sequence[Trial]:
        if self.wrong:
            raise TableWrong(self.wrong)
        return super().passability() if self.trials is None else self.trials

    def unseen(self) -> Sequence[Trial]:
        if self.wrong:
            raise TableWrong(self.wrong)
        return super().unseen()

    def training(self) -> Sequence[LearnedPoint]:
        if self.wrong:
            raise TableWrong(self.wrong)
        return super().training() if self.points is None else self.points


@pytest.fixture
def vehicles() -> Vehicles:
    town = bootstrap.world_named("urban")
    return Vehicles(town, WORLDS / "urban", WORLDS)


@pytest.fixture
def floor() -> PaintedFloor:
    return PaintedFloor()


@pytest.fixture
def town(
    house: House, vehicles: Vehicles, floor: PaintedFloor
) -> tuple[House, Browser]:
    house.person("vera", Role.VIEWER)
    world = bootstrap.world_named("urban")
    browser = house.browser_of("vera", world=world, vehicles=vehicles, floor=floor)
    return house, browser


@pytest.mark.covers("Z1", "Z2", "Z4", "Z5", "Z6", "Z45", "Z46")
def test_a_vehicle_has_a_page_with_its_tables_a_drawing_and_urdf(
    town: tuple[House, Browser],
) -> None:
    _, browser = town
    listed = browser.get("/vehicles").text
    assert listed.index("ZebraT") < listed.index("Indoor robot")
    assert 'href="/vehicles"' in listed  # in the menu of every page
    shown = browser.get("/vehicles/zebrat").text
    for words in (
        "RoboSense 16-line",
        "Intel D455 RGB-D",
        "0.963",
        "0.53",
        "rstr_link",
        "base2lstr",
        "VLP-16.urdf",
        "± 60°",
        "3.8092",
        "left_front",
        "Ubuntu 16.04 LTS",
        "Kinetic",
    ):
        assert words in shown, words
    drawn = browser.get("/vehicles/zebrat/drawing.svg")
    assert drawn.mimetype == "image/svg+xml"
    assert "ZebraT, to scale" in drawn.text
    assert "0.530 m" in drawn.text
    sent = browser.get("/vehicles/zebrat/model.urdf")
    assert "zebrat.urdf" in sent.headers["Content-Disposition"]
    # Only here: every process of a run collects this file, and one runs it.
    import yourdfpy  # type: ignore[import-untyped]

    robot = yourdfpy.URDF.load(
        io.BytesIO(sent.data), load_meshes=False, build_scene_graph=False
    )
    assert len(robot.joint_map) == 6 + 4
    assert browser.get("/vehicles/tank").status_code == 404
    assert browser.get("/vehicles/tank/model.urdf").status_code == 404


def test_the_mistakes_of_a_vehicle_file_are_told_on_its_page(
    house: House, tmp_path: Path
) -> None:
    text = (WORLDS / "vehicles" / "car.yaml").read_text("utf-8")
    wrong = tmp_path / "mine.yaml"
    wrong.write_text(
        text.replace("  wheel_base_m: 2.80\n", "").replace(
            "limit_deg: 35.0", "limit_deg: 90.0"
        ),
        "utf-8",
    )
    plain = bootstrap.world_named("urban")
    robots = (replace(plain.robots[0], vehicle=str(wrong)), *plain.robots[1:])
    world = replace(plain, robots=robots)
    house.person("vera", Role.VIEWER)
    files = WorldVehicles(world, tmp_path, WORLDS)
    browser = house.browser_of("vera", world=world, vehicles=files)
    assert "Its file has mistakes." in browser.get("/vehicles").text
    shown = browser.get("/vehicles/mine").text
    assert "wheel_base_m" in shown
    assert "a wheel across the way does not roll" in shown
    # It is drawn round, then, and the map works.
    assert "mine" not in str(browser.get("/map/plan.json").json["shapes"])


def drive(width_m: float, seed: int, why: str = "", through: str = "alley") -> Trial:
    reached = through if not why else ""
    passed = not why
    return Trial(
        *("zebrat", "a_star+dwa", width_m, seed, passed, why, reached),
        *(30.0, 20.0, 0.0, 0, 0.1),
    )


@pytest.mark.covers("Z34", "Z35")
def test_the_table_of_who_gets_through_shows_every_cell_and_why_not(
    town: tuple[House, Browser], vehicles: Vehicles
) -> None:
    _, browser = town
    shown = browser.get("/vehicles/alleys").text
    for words in ("ZebraT", "Autonomous vehicle", "Indoor robot", "Hybrid A* + TEB"):
        assert words in shown
    for words in ("too wide", "cannot turn", "by the gap", "passed", "stuck"):
        assert words in shown
    vehicles.trials = [
        drive(1.0, 0, "stuck at 7.9, 2.9"),
        drive(1.0, 1),
        drive(0.9, 0, "stuck at 7.5, 2.9"),
        replace(drive(1.2, 0), planner="a_star+policy"),
    ]
    shown = browser.get("/vehicles/alleys").text
    assert "1 of 2" in shown
    assert "stuck at 7.9, 2.9" in shown
    assert "A* + learned policy" in shown
    lines = browser.get("/vehicles/alleys.csv").text.splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert len(lines) == 5
    vehicles.trials = []
    assert "Nobody has made the table yet" in browser.get("/vehicles/alleys").text


@pytest.mark.covers("Z42")
def test_the_curve_of_the_training_rises_on_its_page(
    town: tuple[House, Browser], vehicles: Vehicles
) -> None:
    _, browser = town
    points = list(vehicles.training())
    assert points[-1].arrived > 0.5 > points[0].arrived
    assert points[-1].reward > points[0].reward
    shown = browser.get("/vehicles/training").text
    assert shown.count("<polyline") == 2
    assert "million steps" in shown
    passed = {
        name: {t.seed for t in vehicles.unseen() if t.planner == name and t.passed}
        for name in ("a_star+dwa", "a_star+policy")
    }
    more = len(passed["a_star+policy"] - passed["a_star+dwa"])
    assert f"the learned policy passes {more} of these" in shown
    vehicles.points = []
    assert "Nobody has trained a policy" in browser.get("/vehicles/training").text
    vehicles.points = [LearnedPoint(1000, -3.0, 0.1)]
    assert "Half of them" not in browser.get("/vehicles/training").text


def test_a_table_that_cannot_be_read_says_why(
    town: tuple[House, Browser], vehicles: Vehicles
) -> None:
    _, browser = town
    vehicles.wrong = "line 3: passed is 'maybe'"
    for page in ("alleys", "training"):
        assert "passed is &#39;maybe&#39;" in browser.get(f"/vehicles/{page}").text
    assert browser.get("/vehicles/alleys.csv").status_code == 404


def test_a_plant_of_its_own_keeps_its_own_table(tmp_path: Path) -> None:
    world = bootstrap.world_named("urban")
    (tmp_path / TABLE).write_text(",".join(COLUMNS) + "\n", "utf-8")
    assert WorldVehicles(world, tmp_path, WORLDS).passability() == []
    (tmp_path / TABLE).write_text("vehicle\n", "utf-8")
    with pytest.raises(TableWrong, match="columns"):
        WorldVehicles(world, tmp_path, WORLDS).passability()


@pytest.mark.covers("Z19")
def test_the_map_has_the_town_and_the_vehicle_with_heading_and_steering(
    town: tuple[House, Browser], floor: PaintedFloor
) -> None:
    _, browser = town
    plan = browser.get("/map/plan.json").json
    assert {each["kind"] for each in plan["ground"]} == {
        "roads",
        "sidewalks",
        "crossings",
    }
    assert {o["id"]: o["on_map"] for o in plan["obstacles"]}["bicycle"] is False
    assert len(plan["racks"]) == 8  # the buildings
    zebrat = plan["shapes"]["zebrat"]
    assert zebrat["front"] - zebrat["back"] == pytest.approx(0.963)
    floor.frame = FloorSeen(
        (RobotSeen("zebrat", 1.0, 2.0, 0.5, 0.1, 0.1, steering_rad=0.4),)
    )
    frame = browser.get("/map/frame.json").json
    robots = {each["id"]: each for each in frame["robots"]}
    assert robots["zebrat"]["yaw"] == 0.5
    assert robots["zebrat"]["steering"] == 0.4
    assert "steering" not in robots["hydro"]
    svg = browser.get("/map/plan.svg").text
    assert svg.count("<polygon") > len(plan["obstacles"])


def test_the_robots_page_leads_to_its_vehicle(town: tuple[House, Browser]) -> None:
    house, _ = town
    house.person("adam", Role.ADMIN)
    world = bootstrap.world_named("urban")
    doors = BridgeCheck(world, None)
    admin = house.browser_of("adam", world=world, robot_check=doors)
    assert 'href="/vehicles/zebrat"' in admin.get("/admin/robots/zebrat").text


def test_programs_get_the_same_over_the_api(
    house: House, vehicles: Vehicles, tmp_path: Path
) -> None:
    world = bootstrap.world_named("urban")
    vera = house.browser(Role.VIEWER, world=world, vehicles=vehicles)

    def get(path: str) -> Any:
        return vera.get(f"/api/v1/{path}")

    listed = get("vehicles").json["items"]
    assert listed[0] == {
        "name": "zebrat",
        "title": "ZebraT",
        "wrong": "",
        "robots": ["zebrat"],
    }
    zebrat = get("vehicles/zebrat").json
    assert zebrat["dimensions"]["wheel_base_m"] == 0.53
    assert [joint["name"] for joint in zebrat["joints"]][:2] == [
        "base2lstr",
        "base2rstr",
    ]
    assert zebrat["sensors"][0]["settings"]["lines"] == 16
    assert get("vehicles/tank").status_code == 404
    assert (
        get("vehicles/zebrat/urdf").data == vera.get("/vehicles/zebrat/model.urdf").data
    )
    assert b"to scale" in get("vehicles/zebrat/drawing").data
    assert len(get("alleys").json["items"]) == len(vehicles.passability())
    assert len(get("training/unseen").json["items"]) == len(vehicles.unseen())
    assert get("training").json["items"][-1]["arrived"] > 0.5
    vehicles.wrong = "line 3"
    for table in ("alleys", "training", "training/unseen"):
        assert get(table).status_code == 422
    wrong = tmp_path / "mine.yaml"
    wrong.write_text("name: mine", "utf-8")
    robot = replace(world.robots[0], vehicle=str(wrong))
    own = replace(world, robots=(robot,))
    browser = house.browser(
        Role.VIEWER, world=own, vehicles=WorldVehicles(own, tmp_path, WORLDS)
    )
    assert (
        "lacks dimensions" in browser.get("/api/v1/vehicles").json["items"][0]["wrong"]
    )
    told = browser.get("/api/v1/vehicles/mine")
    assert told.status_code == 422
    assert "lacks dimensions" in told.text
