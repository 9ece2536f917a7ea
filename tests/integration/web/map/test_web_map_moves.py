"""Simulated robots over rosbridge, moving on the page of a real browser."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from werkzeug.serving import ThreadedWSGIServer, make_server

from mpms.domain.people.people import Role
from mpms.factory.adapters.floor import BridgeFloor
from mpms.factory.domain.worlds import RobotInfo
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.services.floor.view import FloorViewer
from mpms.web.changes.live import Live
from mpms.web.site import assets
from mpms.web.site.signed_in import SESSION_COOKIE
from shopfloor.sim.server import RunningSimulator, running
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.world_file import load_world
from tests.support.waiting import eventually
from tests.support.web_map import House

ROOT = Path(__file__).resolve().parents[4]
MANY, SOME = 20, 3


@pytest.fixture
def robots(request: pytest.FixtureRequest) -> int:
    """How many there are; a test that wants more than some says so."""
    return int(getattr(request, "param", SOME))


@pytest.fixture
def simulator(robots: int) -> Iterator[RunningSimulator]:
    world = load_world(ROOT / "worlds/paint_factory").with_robots(robots)
    with running(Simulation(world)) as simulator:
        yield simulator


@pytest.fixture
def page(house: House, simulator: RunningSimulator, browser: Browser) -> Iterator[Page]:
    house.person("ada", Role.SUPERVISOR)
    pattern = house.world.robots[0]
    infos: tuple[RobotInfo, ...] = tuple(
        replace(pattern, id=name) for name in simulator.simulation.robots
    )
    world = replace(house.world, robots=infos)
    house.report(*(RobotState(robot.id, True, link="up") for robot in infos))
    floor = BridgeFloor(world, simulator.url)
    viewer = FloorViewer(house.counted, floor, world)
    live = Live(
        house.uow,
        house.services.listen(),
        frame=lambda: viewer.view().as_json(),
    )
    live.start()
    app = house.app(world=world, floor=floor, live=live)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    assert isinstance(server, ThreadedWSGIServer)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    token = f'"{house.session_of("ada")}"'
    context.add_cookies([{"name": SESSION_COOKIE, "value": token, "url": address}])
    page = context.new_page()
    page.goto(f"{address}/map")
    yield page
    context.close()
    live.close()
    server.shutdown()
    thread.join()
    server.server_close()
    floor.close()


def drive_all(simulator: RunningSimulator) -> None:
    """Everybody two metres to the right, by another client than ours."""

    def order() -> None:
        other = simulator.simulation.connect()
        for name, robot in simulator.simulation.robots.items():
            at = robot.vehicle.pose
            topic = f"/{name}/move_base_simple/goal"
            kind = "geometry_msgs/PoseStamped"
            spot = {"x": at.x_m + 2.0, "y": at.y_m}
            pose = {"position": spot, "orientation": {"w": 1.0}}
            message = {"header": {"frame_id": "map"}, "pose": pose}
            for frame in (
                {"op": "advertise", "topic": topic, "type": kind},
                {"op": "publish", "topic": topic, "msg": message},
            ):
                other.receive(json.dumps(frame))

    simulator.do(order)


def frames(page: Page) -> int:
    return int(page.locator("[data-map]").first.get_attribute("data-frames") or 0)


def spots(page: Page) -> list[str | None]:
    return [each.get_attribute("transform") for each in page.locator("g.robot").all()]


@pytest.mark.covers("A75")
@pytest.mark.parametrize("robots", [MANY], indirect=True)
def test_twenty_robots_move_on_the_page_and_in_the_list(
    page: Page, simulator: RunningSimulator
) -> None:
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    eventually(lambda: page.locator("g.robot").count() == MANY, "all robots")
    eventually(lambda: all(spots(page)), "their places")
    before, seen = spots(page), frames(page)
    drive_all(simulator)
    eventually(
        lambda: all(a != b for a, b in zip(before, spots(page), strict=True)),
        "movement of all robots",
    )
    eventually(lambda: frames(page) > seen + 10, "more frames")
    assert page.locator("#map-robot-rows [data-robot]").count() == MANY
    assert troubles == []


@pytest.mark.covers("A75")
def test_every_layer_is_seen_when_it_is_switched_on_and_gone_when_off(
    page: Page, simulator: RunningSimulator
) -> None:
    eventually(lambda: page.locator("g.robot").count() == SOME, "all robots")
    simulator.do(lambda: setattr(simulator.simulation, "speed", 0.1))
    drive_all(simulator)
    page.locator('#map-robot-rows [data-robot="robot1"] button').click()

    def drawn(css: str) -> bool:
        found = page.locator(css)
        return found.count() > 0 and bool(found.first.get_attribute("d"))

    def gone(css: str) -> bool:
        return not drawn(css)

    for name, css in (
        ("Local path", ".sense-way"),  # first: it is there only while the robot drives
        ("Laser", ".sense-echoes"),
        ("Local costmap", ".sense-cells"),
        ("Global costmap", ".sense-whole"),
    ):
        layer = page.get_by_role("button", name=name, exact=True)
        assert layer.get_attribute("aria-pressed") == "false"
        layer.click()
        eventually(partial(drawn, css), name)
        layer.click()
        eventually(partial(gone, css), "gone")
    for name, css in (
        ("Floor", ".map-under .map-floor"),
        ("Robots", ".map-robots"),
        ("Paths", ".map-ways"),
        ("People", ".map-people"),
    ):
        part = page.locator(css).first
        assert part.get_attribute("display") != "none"
        page.get_by_role("button", name=name, exact=True).click()
        assert part.get_attribute("display") == "none"


def test_a_silent_floor_turns_grey_and_says_how_old_it_is(
    page: Page, simulator: RunningSimulator
) -> None:
    eventually(lambda: page.locator("g.robot").count() == SOME, "all robots")
    row = page.locator('#map-robot-rows [data-robot="robot1"]')
    eventually(lambda: "free" in row.inner_text(), "a robot that is well")
    simulator.fault("freeze *")
    eventually(lambda: "last heard" in row.inner_text(), "its age")
    eventually(lambda: page.locator("g.robot-grey").count() == SOME, "grey robots")
    simulator.fault("clear *")
    eventually(lambda: "free" in row.inner_text(), "the robot again")


def test_keys_zoom_and_a_row_opens_the_sheet(page: Page) -> None:
    eventually(lambda: page.locator("g.robot").count() == SOME, "all robots")
    ground = page.locator(".map-floor").first
    fitted = ground.get_attribute("transform")
    page.locator("[data-map]").focus()
    page.keyboard.press("+")
    closer = ground.get_attribute("transform")
    page.keyboard.press("ArrowLeft")
    assert len({fitted, closer, ground.get_attribute("transform")}) == 3
    page.keyboard.press("0")
    assert ground.get_attribute("transform") == fitted
    row = page.locator('#map-robot-rows [data-robot="robot2"] button')
    row.focus()
    page.keyboard.press("Enter")
    eventually(lambda: page.locator("#map-sheet").is_visible(), "the sheet")
    assert "robot2" in page.locator("#map-sheet").inner_text()
    assert row.get_attribute("aria-pressed") == "true"
    page.locator("#map-sheet").focus()
    page.keyboard.press("Escape")
    eventually(lambda: not page.locator("#map-sheet").is_visible(), "a closed sheet")


def test_the_build_of_the_pages_has_the_map() -> None:
    dist = assets.DIST
    manifest = json.loads((dist / "manifest.json").read_text(encoding="utf-8"))
    assert {"map.js", "map.css"} <= manifest.keys()
    assert assets.Assets(dist).url("map.js").startswith("/static/map-")
    assert os.access(dist / manifest["map.js"], os.R_OK)
