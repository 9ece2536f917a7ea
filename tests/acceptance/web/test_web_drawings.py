"""Drawings under fingers and keys, in the dark, and with their maker's mark in full
sight."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from mpms.services.models.deploy import deploy_models
from tests.support.browsers import Tabs
from tests.support.house import House

OpenPage = Callable[..., Page]
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

ROOT = Path(__file__).resolve().parents[3]
WAREHOUSE = (ROOT / "processes" / "warehouse.bpmn").read_bytes()
# The whole mark, from corner to corner, is on the screen and under nothing.
MARK_IN_SIGHT = """async (stage) => {
    for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
    const mark = stage.querySelector('.bjs-powered-by');
    mark.scrollIntoView({block: 'center', behavior: 'instant'});
    const box = mark.getBoundingClientRect();
    const picture = mark.querySelector('svg').getBoundingClientRect();
    const frame = stage.getBoundingClientRect();
    const wrong = [];
    if (picture.width < 20 || picture.height < 10) wrong.push('too small');
    if (box.left < 0 || box.top < 0 || box.right > innerWidth
        || box.bottom > innerHeight) wrong.push('off the screen');
    if (box.left < frame.left - 1 || box.right > frame.right + 1
        || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        wrong.push('outside of the drawing');
    for (const across of [0.02, 0.25, 0.5, 0.75, 0.98])
        for (const down of [0.05, 0.5, 0.95]) {
            const top = document.elementFromPoint(
                picture.x + across * picture.width, picture.y + down * picture.height);
            if (!mark.contains(top)) wrong.push(`covered by ${top?.outerHTML
                .slice(0, 80)} at ${across}, ${down}`);
        }
    for (let one = mark; one !== null; one = one.parentElement) {
        const {opacity, visibility} = getComputedStyle(one);
        if (Number(opacity) < 1 || visibility !== 'visible') wrong.push('faint');
    }
    return wrong;
}"""
SMALL_MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI"
  xmlns:dc="http://www.omg.org/spec/DD/20100524/DC"
  xmlns:di="http://www.omg.org/spec/DD/20100524/DI"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  id="drawing" targetNamespace="urn:test">
<process id="turned" name="Turned" isExecutable="true">
  <startEvent id="begin"/>
  <userTask id="fill" name="Fill it" camunda:formKey="start_mixing"
    camunda:candidateGroups="worker" camunda:asyncBefore="true">
    <extensionElements><camunda:inputOutput>
      <camunda:inputParameter name="kg">${weight}</camunda:inputParameter>
      <camunda:inputParameter name="list"><camunda:list>
        <camunda:value>one</camunda:value></camunda:list></camunda:inputParameter>
    </camunda:inputOutput></extensionElements></userTask>
  <serviceTask id="tell" name="Tell it" camunda:type="external"
    camunda:topic="orders.set_status"><extensionElements>
    <camunda:failedJobRetryTimeCycle>R3/PT10S</camunda:failedJobRetryTimeCycle>
    </extensionElements></serviceTask>
  <endEvent id="end"/>
  <sequenceFlow id="f1" sourceRef="begin" targetRef="fill"/>
  <sequenceFlow id="f2" sourceRef="fill" targetRef="tell"/>
  <sequenceFlow id="f3" sourceRef="tell" targetRef="end"/>
</process>
<bpmndi:BPMNDiagram id="diagram"><bpmndi:BPMNPlane id="plane" bpmnElement="turned">
  <bpmndi:BPMNShape id="begin_di" bpmnElement="begin">
    <dc:Bounds x="100" y="122" width="36" height="36"/></bpmndi:BPMNShape>
  <bpmndi:BPMNShape id="fill_di" bpmnElement="fill">
    <dc:Bounds x="200" y="100" width="100" height="80"/></bpmndi:BPMNShape>
  <bpmndi:BPMNShape id="tell_di" bpmnElement="tell">
    <dc:Bounds x="360" y="100" width="100" height="80"/></bpmndi:BPMNShape>
  <bpmndi:BPMNShape id="end_di" bpmnElement="end">
    <dc:Bounds x="520" y="122" width="36" height="36"/></bpmndi:BPMNShape>
  <bpmndi:BPMNEdge id="f1_di" bpmnElement="f1">
    <di:waypoint x="136" y="140"/><di:waypoint x="200" y="140"/></bpmndi:BPMNEdge>
  <bpmndi:BPMNEdge id="f2_di" bpmnElement="f2">
    <di:waypoint x="300" y="140"/><di:waypoint x="360" y="140"/></bpmndi:BPMNEdge>
  <bpmndi:BPMNEdge id="f3_di" bpmnElement="f3">
    <di:waypoint x="460" y="140"/><di:waypoint x="520" y="140"/></bpmndi:BPMNEdge>
</bpmndi:BPMNPlane></bpmndi:BPMNDiagram>
</definitions>"""


def deploy(house: House, name: str, content: bytes) -> None:
    services = house.services
    deploy_models(services.uow, services.engine, {name: content}, by="test")


def shape(page: Page, element: str) -> Locator:
    return page.locator(f".djs-shape[data-element-id={element}]").first


def place(at: Locator) -> tuple[float, float, float]:
    """Where something lies on the screen, and how wide it is drawn."""
    box = at.bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"]


class Fingers:
    """Touch as a tablet reports it."""

    def __init__(self, page: Page) -> None:
        self._wire = page.context.new_cdp_session(page)

    def _touch(self, kind: str, *points: tuple[float, float]) -> None:
        touched = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(points)]
        self._wire.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched}
        )

    def drag(self, x: float, y: float, dx: float, dy: float) -> None:
        self._touch("touchStart", (x, y))
        for step in range(1, 11):
            self._touch("touchMove", (x + dx * step / 10, y + dy * step / 10))
        self._touch("touchEnd")

    def spread(self, x: float, y: float, *, to: float) -> None:
        """Two fingers from 40 px apart until ``to``."""

        def two(apart: float) -> tuple[tuple[float, float], tuple[float, float]]:
            return (x - apart / 2, y), (x + apart / 2, y)

        self._touch("touchStart", *two(40))
        for step in range(1, 11):
            self._touch("touchMove", *two(40 + (to - 40) * step / 10))
        self._touch("touchEnd")


@pytest.mark.parametrize("path", ["/cockpit/warehouse", "/models/warehouse/edit"])
def test_a_drawing_moves_under_one_finger_and_grows_under_two(
    house: House, open_page: OpenPage, path: str
) -> None:
    page = open_page("adam", width=1024, height=900, touch=True)
    page.goto(house.address + path)
    drawn = shape(page, "load_material")
    expect(drawn).to_be_visible()
    if path.endswith("/edit"):
        expect(page.locator("#model-editor[data-ready]")).to_be_attached()
    stage = page.locator(".diagram-stage").first
    stage.scroll_into_view_if_needed()
    frame = stage.bounding_box()
    assert frame is not None
    x, y = frame["x"] + frame["width"] * 0.6, frame["y"] + frame["height"] * 0.9
    fingers = Fingers(page)
    before = place(drawn)
    scrolled = page.evaluate("() => scrollY")
    fingers.drag(x, y, -90, -60)
    house.until("it has moved", lambda: place(drawn)[0] < before[0] - 60)
    assert place(drawn)[1] < before[1] - 30
    assert place(drawn)[2] == pytest.approx(before[2], rel=0.02)
    assert page.evaluate("() => scrollY") == scrolled  # the drawing, not the page
    fingers.spread(x, y, to=120)
    house.until("it has grown", lambda: place(drawn)[2] > before[2] * 1.8)
    fingers.spread(x, y, to=20)
    house.until("it has shrunk", lambda: place(drawn)[2] < before[2] * 2.2)


def test_a_drawing_is_moved_and_read_by_keys(house: House, open_page: OpenPage) -> None:
    page = open_page("sofia", width=1024, height=900)
    page.goto(f"{house.address}/cockpit/warehouse")
    drawn = shape(page, "load_material")
    expect(drawn).to_be_visible()
    page.locator(".diagram-stage").focus()
    x, y, width = place(drawn)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    house.until("it has moved", lambda: place(drawn)[0] < x - 40)
    assert place(drawn)[1] < y - 40
    page.keyboard.press("+")
    house.until("it has grown", lambda: place(drawn)[2] > width * 1.1)
    page.keyboard.press("-")
    page.keyboard.press("-")
    house.until("it has shrunk", lambda: place(drawn)[2] < width)
    # The list beside it says the same to those who see no drawing.
    page.locator("#step-load_material").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("element=load_material"))
    expect(drawn).to_have_class(re.compile("diagram-chosen"))


def test_a_process_is_edited_by_keys_alone(house: House, open_page: OpenPage) -> None:
    deploy(house, "turned.bpmn", SMALL_MODEL.encode())
    page = open_page("adam")
    page.goto(f"{house.address}/models/turned/edit")
    expect(page.locator("#model-editor[data-ready]")).to_be_attached()
    page.locator("#editor-elements").focus()
    page.keyboard.type("Fill it")
    expect(page.get_by_label("Groups that may do it")).to_have_value("worker")
    page.keyboard.press("Tab")
    name = page.get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("Fill the tank")
    page.keyboard.press("Tab")
    expect(shape(page, "fill")).to_contain_text("Fill the tank")
    expect(page.locator("#editor-state")).to_have_text("Saved as your draft")
    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    expect(shape(page, "fill")).to_contain_text("Fill it")
    _, _, width = place(shape(page, "fill"))
    page.get_by_role("button", name="Zoom in").focus()
    page.keyboard.press("Enter")
    house.until("it has grown", lambda: place(shape(page, "fill"))[2] > width * 1.1)

    page.locator(".djs-container svg").first.focus()
    page.keyboard.press("Delete")
    expect(shape(page, "fill")).to_have_count(0)
    page.keyboard.press("Control+Z")
    expect(shape(page, "fill")).to_be_visible()
    page.goto(f"{house.address}/models/turned/edit")
    page.get_by_role("button", name="Discard the draft").click()


def test_topics_are_offered_with_what_is_known_of_them(
    house: House, open_page: OpenPage
) -> None:
    deploy(house, "turned.bpmn", SMALL_MODEL.encode())
    page = open_page("adam", width=1024, height=900)
    page.goto(f"{house.address}/models/turned/edit")
    expect(page.locator("#model-editor[data-ready]")).to_be_attached()
    page.locator("#editor-elements").select_option("tell")
    topic, about = (
        page.get_by_label("Topic of the handler"),
        page.locator(".topic-about"),
    )
    expect(about).to_contain_text("Sets how an order ended.")
    expect(about).to_contain_text("the number of the order")
    options = page.locator("datalist[id$=topics] option")
    assert "robot.move" in options.evaluate_all("all => all.map(one => one.value)")
    topic.fill("scale.weigh")
    expect(about).to_contain_text("measured_kg")
    topic.fill("scale.wiegh")
    expect(about).to_have_text("No worker is known that serves this topic.")


def turn_into(page: Page, element: str, kind: str) -> None:
    page.locator("#editor-elements").select_option(element)
    page.locator(".djs-context-pad .bpmn-icon-screw-wrench").click()
    page.locator(f".djs-popup [data-id=replace-with-{kind}]").click()
    expect(page.locator(".djs-popup")).to_have_count(0)


def drawn_now(page: Page) -> str:
    with page.expect_download() as download:
        page.locator("#editor-download").click()
    return Path(download.value.path()).read_text(encoding="utf-8")


def test_a_step_that_becomes_another_kind_keeps_the_words_that_fit_it(
    house: House, open_page: OpenPage
) -> None:
    deploy(house, "turned.bpmn", SMALL_MODEL.encode())
    page = open_page("adam")
    page.goto(f"{house.address}/models/turned/edit")
    expect(page.locator("#model-editor[data-ready]")).to_be_attached()
    turn_into(page, "fill", "service-task")
    expect(page.get_by_label("Inputs")).to_have_value(
        re.compile(r"kg = \$\{weight\}\nlist = ")
    )
    turn_into(page, "tell", "send-task")
    expect(page.get_by_label("Topic of the handler")).to_have_value("orders.set_status")
    expect(page.get_by_label("Retries")).to_have_value("R3/PT10S")
    xml = drawn_now(page)
    filled = re.search(
        r"<(?:\w+:)?serviceTask id=\"fill\".*?</(?:\w+:)?serviceTask>", xml, re.S
    )
    assert filled is not None
    assert 'asyncBefore="true"' in filled[0]
    assert "<camunda:value>one</camunda:value>" in filled[0]
    assert "formKey" not in filled[0]  # a service has no form
    assert "candidateGroups" not in filled[0]

    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    page.locator("#editor-elements").select_option("fill")
    expect(page.get_by_label("Form", exact=True)).to_have_value("start_mixing")
    expect(page.get_by_label("Groups that may do it")).to_have_value("worker")
    turn_into(page, "fill", "task")
    turn_into(page, "fill", "user-task")
    expect(page.get_by_label("Inputs")).to_have_value(re.compile("kg = "))
    expect(page.locator("#editor-state")).to_have_text("Saved as your draft")
    page.goto(f"{house.address}/models/turned/edit")
    page.get_by_role("button", name="Discard the draft").click()


def test_palette_and_menus_have_the_colours_of_the_page(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("adam")
    page.goto(f"{house.address}/models/warehouse/edit")
    expect(page.locator("#model-editor[data-ready]")).to_be_attached()
    page.locator("#editor-elements").select_option("load_material")
    page.locator(".djs-context-pad .bpmn-icon-screw-wrench").click()
    paper = "e => getComputedStyle(e).backgroundColor"
    ink = "e => getComputedStyle(e).color"
    seen = set()
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        card = page.locator(".card").first.evaluate(paper)
        for part in (".djs-palette", ".djs-popup"):
            assert page.locator(part).first.evaluate(paper) == card, part
        text = page.locator("h1").evaluate(ink)
        for part in (".djs-palette .entry", ".djs-popup .entry"):
            assert page.locator(part).first.evaluate(ink) == text, part
        seen.add((card, text))
    assert len(seen) == len(SCHEMES)


WIDTHS = (360, 1280)


@pytest.fixture(scope="module")
def marks(house: House, tabs: Tabs) -> dict[int, dict[str, list[str]]]:
    """What is wrong with the mark on each page, by the width of the screen; each page
    is opened once."""
    deploy(
        house,
        "warehouse.bpmn",
        WAREHOUSE.replace(b'"Load material"', b'"Load and look"'),
    )
    number = house.order()
    with house.services.uow() as tx:
        instance = tx.tasks.get(house.task(number, "load_material")).instance_id
    tab = tabs.take(touch=False)
    page = tab.page
    house.sign_in(page, "adam")
    wrong: dict[int, dict[str, list[str]]] = {width: {} for width in WIDTHS}
    for path in (
        "/",
        "/cockpit/warehouse",
        f"/cockpit/i/{instance}",
        f"/cockpit/i/{instance}?replay=1",
        "/models/warehouse/1",
        "/models/warehouse/compare",
        "/models/warehouse/edit",
    ):
        page.set_viewport_size({"width": WIDTHS[0], "height": 800})
        page.goto(house.address + path)
        stages = page.locator(".bjs-container")
        expect(stages.first.locator(".djs-shape").first).to_be_attached()
        if path.endswith("/edit"):
            expect(page.locator("#model-editor[data-ready]")).to_be_attached()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            for stage in stages.all():
                if found := stage.evaluate(MARK_IN_SIGHT):
                    wrong[width].setdefault(path, []).extend(found)
    tabs.give_back(tab, house.address)
    assert tab.told() == []
    return wrong


@pytest.mark.parametrize("width", WIDTHS)
def test_the_mark_of_the_drawings_is_in_full_sight_everywhere(
    marks: dict[int, dict[str, list[str]]], width: int
) -> None:
    assert marks[width] == {}
