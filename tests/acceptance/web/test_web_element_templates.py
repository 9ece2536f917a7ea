"""A template of the plant, deployed as a file, fills in a step where one draws."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import etree
from playwright.sync_api import Page, expect

from tests.acceptance.web.test_web_drawings import SMALL_MODEL, deploy, drawn_now
from tests.support.house import House

OpenPage = Callable[..., Page]
DATA = Path(__file__).parents[2] / "data" / "element-templates"
CAMUNDA = "{http://camunda.org/schema/1.0/bpmn}"
TURNED = SMALL_MODEL.replace('id="turned"', 'id="labelled"').replace(
    'bpmnElement="turned"', 'bpmnElement="labelled"'
)


@pytest.mark.covers("A6")
def test_a_template_is_offered_filled_in_and_lands_in_the_file(
    house: House, open_page: OpenPage
) -> None:
    deploy(house, "labelled.bpmn", TURNED.encode())
    deploy(house, "label.json", (DATA / "barcode_label.json").read_bytes())
    page = open_page("adam")
    page.goto(f"{house.address}/models/labelled/edit")
    expect(page.locator("#model-editor[data-ready]")).to_be_attached()
    page.locator("#editor-elements").select_option("begin")
    template = page.get_by_label("Template", exact=True)
    expect(template).to_have_count(0)  # it is for tasks
    page.locator("#editor-elements").select_option("tell")
    expect(template.locator("option")).to_have_text(["none", "Print a label"])
    template.select_option(label="Print a label")

    printer = page.get_by_label("Printer", exact=True)
    printer.fill("the big one")
    printer.press("Tab")
    wrong = page.get_by_text("A letter and a number, such as P12.")
    expect(wrong).to_be_visible()
    printer.fill("P12")
    printer.press("Tab")
    expect(wrong).to_be_hidden()
    expect(page.get_by_label("Copies", exact=True)).to_have_count(0)
    page.get_by_label("Kind", exact=True).select_option("counted")
    page.get_by_label("Copies", exact=True).fill("3")
    page.get_by_label("Variable for the number printed").fill("labels")
    page.get_by_label("Variable for the number printed").press("Tab")
    expect(page.get_by_label("Made by", exact=True)).to_be_disabled()
    expect(page.locator("#editor-state")).to_have_text("Saved as your draft")

    step = etree.fromstring(drawn_now(page).encode()).find(".//{*}serviceTask")
    assert step is not None
    said = {key: step.get(f"{CAMUNDA}{key}") for key in ("type", "topic")}
    assert said == {"type": "external", "topic": "labels.print"}
    assert step.get(f"{CAMUNDA}modelerTemplate") == "plant.label"
    assert step.get(f"{CAMUNDA}modelerTemplateVersion") == "2"
    inputs = step.iterfind(f".//{CAMUNDA}inputParameter")
    assert {one.get("name"): one.text for one in inputs} == {
        "printer": "P12",
        "kind": "counted",
        "copies": "3",
    }
    (output,) = step.iterfind(f".//{CAMUNDA}outputParameter")
    assert (output.get("name"), output.text) == ("labels", "${printed}")
    (owner,) = step.iterfind(f".//{CAMUNDA}property")
    assert owner.get("value") == "the print shop"
    assert step.findtext(f".//{CAMUNDA}failedJobRetryTimeCycle") == "R3/PT10S"

    page.get_by_label("Kind", exact=True).select_option("plain")
    expect(page.get_by_label("Copies", exact=True)).to_have_count(0)
    template.select_option(label="none")
    expect(printer).to_have_count(0)
    expect(page.get_by_label("Topic of the handler")).to_have_value("labels.print")
    expect(page.get_by_label("Inputs", exact=True)).to_have_value(
        "printer = P12\nkind = plain"
    )
    expect(page.locator("#editor-state")).to_have_text("Saved as your draft")
    page.goto(f"{house.address}/models/labelled/edit")
    page.get_by_role("button", name="Discard the draft").click()
