"""Every page for every eye and finger: axe-core, sizes of targets, narrow screens; and
what the browser may load on every page of the site."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from mpms.factory.adapters.simulator import SimulatorProcess
from mpms.factory.services.experiments.run import RunExperiments
from mpms.web.site.security import CONTENT_SECURITY_POLICY
from tests.acceptance.web.sights import PHONE_PX, TABLET_PX, Sight, Sights, named
from tests.support.house import House
from tests.support.waiting import until

OpenPage = Callable[..., Page]

RELAXED = "; style-src-attr 'unsafe-inline'"
GLOVE_PX, FLOOR_PX = 64, 24
"""Worker pages; the least that any target may have."""

SMALL_TARGETS = """least => [...document.querySelectorAll(
        'main a, main button, main summary, main select, main label.choice,'
        + ' main input:not([type=hidden]):not([type=checkbox]):not([type=radio])')]
    .filter(element => {
        const box = element.getBoundingClientRect();
        const style = getComputedStyle(element);
        const inText = element.tagName === 'A' && style.display === 'inline';
        return box.width > 1 && box.height > 1 && style.visibility !== 'hidden'
            && !inText && !element.closest('.visually-hidden, .skip')
            && Math.min(box.width, box.height) < least - 0.5;
    })
    .map(element => {
        const box = element.getBoundingClientRect();
        return `${element.outerHTML.slice(0, 90)} ${box.width}x${box.height}`;
    })"""


def pages_of(house: House) -> dict[str, tuple[str | None, str]]:
    number = house.order(materials=2)
    task = house.task(number, "load_material")
    ((instance,),) = house.rows(
        f"SELECT instance_id::text FROM tasks WHERE task_id = '{task}'"
    )
    done, going = experiments_in(house)
    return {
        "login": (None, "/login"),
        "trust": (None, "/trust"),
        "start": ("sofia", "/"),
        "tasks": ("ana", "/tasks"),
        "task": ("ana", f"/tasks/{task}"),
        "supervisor's tasks": ("sofia", "/tasks"),
        "late answers": ("sofia", "/late"),
        "orders": ("sofia", "/orders"),
        "order": ("sofia", f"/orders/{number}"),
        "batch record": ("sofia", f"/orders/{number}/record"),
        "trace a lot": ("sofia", "/orders/trace?lot=L-2026"),
        "new order": ("sofia", "/orders/new"),
        "map": ("vera", "/map"),
        "vehicles": ("vera", "/vehicles"),
        "vehicle": ("vera", "/vehicles/zebrat"),
        "alleys": ("vera", "/vehicles/alleys"),
        "training": ("vera", "/vehicles/training"),
        "cockpit": ("sofia", "/cockpit"),
        "process": ("vera", "/cockpit/warehouse"),
        "instance": ("sofia", f"/cockpit/i/{instance}"),
        "incidents": ("sofia", "/incidents"),
        "alerts": ("sofia", "/incidents/alerts"),
        "bulk actions": ("sofia", "/batches"),
        "figures": ("sofia", "/figures"),
        "dashboard": ("sofia", "/dashboard"),
        "schedule": ("sofia", "/schedule"),
        "models": ("vera", "/models"),
        "model": ("vera", "/models/warehouse/1"),
        "compared": ("vera", "/models/warehouse/compare?from=1&to=1"),
        "decision": ("vera", "/models/decisions/weight_tolerance"),
        "form preview": ("vera", "/models/forms/load_material"),
        "design": ("adam", "/design"),
        "deploy": ("adam", "/models/deploy"),
        "follow": ("adam", "/models/warehouse/1/migrate"),
        "decision edited": ("adam", "/models/decisions/weight_tolerance/edit"),
        "new model": ("adam", "/models/new"),
        "tokens": ("adam", "/tokens"),
        "webhooks": ("adam", "/webhooks"),
        "API": ("adam", "/api/v1/docs"),
        "me": ("ana", "/me"),
        "tablets": ("sofia", "/tablets"),
        "paths taken": ("sofia", "/cockpit/warehouse/paths"),
        "experiments": ("sofia", "/experiments"),
        "new experiment": ("sofia", "/experiments/new"),
        "which strategy": ("sofia", "/experiments/which"),
        "experiment": ("sofia", f"/experiments/{done}"),
        "experiment that runs": ("sofia", f"/experiments/{going}"),
        "nothing here": ("sofia", "/no-such-page"),
    }


def experiments_in(house: House) -> tuple[int, int]:
    """One that was really simulated, and one whose worker is gone."""
    plan = {
        **{"layout": "1-1-1-4-40", "scenario": "default", "controllers": "default"},
        **{"hours": 0.1, "seeds": 2, "measure": "score", "set": []},
        "vary": {"poa": ["PodMatch", "FCFS"], "robots": [2, 4]},
    }
    with house.services.uow() as tx:
        done = tx.experiments.add("Two rules", plan, None, 8, by="sofia")
    ((going,),) = house.rows(
        "INSERT INTO experiments"
        " (title, plan, runs, made_by, state, began_at, share, worker, leased_until)"
        " SELECT 'Elsewhere', plan, runs, made_by, 'running', now(), 0.4, 'another',"
        f" now() + interval '1 day' FROM experiments WHERE id = {done} RETURNING id"
    )
    run = RunExperiments(house.services.uow, SimulatorProcess(), "looks")
    state = f"SELECT state FROM experiments WHERE id = {done}"
    until("it is run", lambda: run() or house.rows(state) == [("done",)])
    until("it is done", lambda: house.rows(state) == [("done",)])
    return done, int(going)


def small_targets(least_px: int) -> Callable[[Page], list[str]]:
    def measure(page: Page) -> list[str]:
        found: list[str] = page.evaluate(SMALL_TARGETS, least_px)
        return found

    return measure


def next_card(page: Page) -> bool:
    """Go on to the next card of a task, if there is one."""
    onward = page.locator("[data-step-next]")
    count = page.locator("[data-stepper-count]")
    expect(count).not_to_be_empty()  # before, no script has hidden the other cards
    title = count.inner_text()
    for box in page.locator("[data-step] input[type=checkbox]:visible").all():
        box.check()
    ends = "4 of 4" in title or "1 of 1" in title  # a card of its own is confirmed
    if ends or page.locator("[data-step=confirm]").is_visible():
        return False
    onward.click()
    page.wait_for_function(
        "before => document.querySelector('[data-stepper-count]').textContent.trim()"
        " !== before",
        arg=title.strip(),
    )
    return True


def open_some_operations(page: Page) -> None:
    """Axe sees nothing of what is closed, and takes ten seconds for it: of the many
    operations, which are all drawn alike, it gets one of each method open."""
    page.evaluate(
        """() => {
            for (const method of ['get', 'post', 'put', 'patch', 'delete'])
                document.querySelector(`.api-one:has(.api-${method})`)
                    ?.setAttribute('open', '');
            for (const body of document.querySelectorAll(
                    '.api-one:not([open]) > .api-body'))
                body.remove();
        }"""
    )


@pytest.fixture(scope="module")
def looks(house: House, sights: Sights) -> Iterator[dict[str, Sight]]:
    """Every page that is listed above, by its name."""
    found = {
        name: sights.look(
            login,
            path,
            small=small_targets(GLOVE_PX if name in ("tasks", "task") else FLOOR_PX),
            widths=(PHONE_PX, TABLET_PX),
            onward=next_card if name == "task" else lambda page: False,
            before_axe=open_some_operations if name == "API" else lambda page: None,
        )
        for name, (login, path) in pages_of(house).items()
    }
    assert sights.told() == []
    yield found
    house.rows("DELETE FROM experiments RETURNING id")


def test_axe_finds_nothing_on_any_page_light_or_dark(looks: dict[str, Sight]) -> None:
    assert named(looks, lambda sight: sight.complaints) == {}


@pytest.mark.covers("A14")
def test_a_narrow_screen_shows_every_page_without_scrolling_sideways(
    looks: dict[str, Sight],
) -> None:
    assert named(looks, lambda sight: sight.too_wide_px[PHONE_PX]) == {}


@pytest.mark.parametrize("width", [PHONE_PX, TABLET_PX])
def test_targets_are_large_enough_for_gloves_and_fingers(
    looks: dict[str, Sight], width: int
) -> None:
    assert named(looks, lambda sight: sight.too_small[width]) == {}


@pytest.mark.covers("R25")
def test_a_replay_is_also_seen_in_3_d_and_turned(
    looks: dict[str, Sight], house: House, open_page: OpenPage
) -> None:
    assert looks["experiment"].complaints == []
    ((done,),) = house.rows("SELECT id FROM experiments WHERE state = 'done'")
    page = open_page("sofia")
    page.goto(f"{house.address}/experiments/{done}")
    canvas = page.locator("mpms-warehouse canvas")
    layers = page.get_by_label("What is shown")
    expect(page.get_by_text("Simulated time 0:")).to_be_visible()
    turn = page.get_by_label("Turn the view")
    expect(turn).to_be_hidden()
    seen = [canvas.evaluate(PICTURE)]
    layers.select_option("Robots and pods in 3-D")
    expect(turn).to_be_visible()
    seen.append(canvas.evaluate(PICTURE))
    turn.fill("120")
    seen.append(canvas.evaluate(PICTURE))
    layers.select_option("Robots and pods")
    expect(turn).to_be_hidden()
    assert canvas.evaluate(PICTURE) == seen[0]
    assert len(set(seen)) == 3


PICTURE = "canvas => canvas.toDataURL()"
SECTIONS = (
    *("/", "/tasks", "/orders", "/map", "/cockpit", "/incidents", "/batches"),
    *("/figures", "/models", "/admin", "/api/v1/docs", "/tokens", "/webhooks", "/me"),
    *("/models/deploy", "/models/new", "/models/warehouse/edit", "/orders/new"),
    *("/models/decisions/weight_tolerance/edit", "/incidents/alerts", "/tablets"),
    *("/design", "/login", "/no/such/page", "/offline"),
)
MOST_ALIKE = 12


def test_every_page_of_the_site_is_served_under_the_strict_policy(
    house: House, sights: Sights
) -> None:
    """From link to link; what a page reports as blocked fails the test as well. A page
    that was looked at before is not opened again."""
    assert "unsafe-inline" not in CONTENT_SECURITY_POLICY
    number = house.order()
    house.task(number, "load_material")
    wanted = deque(SECTIONS)
    seen: set[str] = set()
    alike: dict[tuple[str, int], int] = {}
    other: dict[str, str] = {}
    while wanted:
        path = wanted.popleft()
        parts = path.split("/")
        kind = (parts[1], len(parts))
        if path in seen or alike.get(kind, 0) >= MOST_ALIKE:
            continue
        seen.add(path)
        alike[kind] = alike.get(kind, 0) + 1
        sight = sights.remembered(path) or sights.open("adam", path)
        if not sight.headers.get("content-type", "").startswith("text/html"):
            continue
        policy = sight.headers.get("content-security-policy", "")
        if re.fullmatch(r"/models/\w+/edit", path) and "/decisions" not in path:
            assert policy == CONTENT_SECURITY_POLICY + RELAXED, path
        elif policy != CONTENT_SECURITY_POLICY:
            other[path] = policy
        for link in sight.links:
            address = urlsplit(link)
            ours = f"{address.scheme}://{address.netloc}" == house.address
            if ours and not re.search(r"\.\w+$|^/(static|logout)", address.path):
                wanted.append(address.path)
    assert other == {}
    assert len(seen) > 60
    assert sights.told() == []


def test_the_map_moves_under_a_finger(house: House, open_page: OpenPage) -> None:
    page = open_page("vera", width=800, height=1000, touch=True)
    page.goto(f"{house.address}/map")
    wall = page.locator("main svg path, main svg line, main svg rect").first
    expect(wall).to_be_attached()
    robot = page.locator("main svg text", has_text="robot1").first
    expect(robot).to_be_visible()
    before = robot.bounding_box()
    assert before is not None
    wire = page.context.new_cdp_session(page)

    def touch(kind: str, x: float, y: float) -> None:
        points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    box = page.locator("main svg").first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] * 0.35, box["y"] + box["height"] * 0.3
    touch("touchStart", x, y)
    for step in range(1, 11):
        touch("touchMove", x + 8 * step, y + 4 * step)
    touch("touchEnd", x, y)
    house.until(
        "the floor has moved",
        lambda: (
            (after := robot.bounding_box()) is not None
            and after["x"] - before["x"] > 40
        ),
    )
