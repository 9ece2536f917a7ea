"""Models in a browser: compared, deployed, drawn, and followed by what runs."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, Response, Route, expect

from mpms.services.instances.start import start_instance
from tests.support.axe import complaints_of
from tests.support.house import House

Open = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

ROOT = Path(__file__).resolve().parents[3]
WAREHOUSE = (ROOT / "processes" / "warehouse.bpmn").read_bytes()
MODELS_PAGE_KB_GZIP = 130


def watermark_is_whole(page: Page) -> bool:
    return bool(
        page.evaluate(
            """() => [...document.querySelectorAll('.diagram-stage')].every(stage => {
                const mark = stage.querySelector('.bjs-powered-by');
                mark.scrollIntoView({block: 'center'});
                const box = mark.getBoundingClientRect();
                const frame = stage.getBoundingClientRect();
                const top = document.elementFromPoint(
                    box.x + box.width / 2, box.y + box.height / 2);
                return box.width > 20 && box.right <= frame.right + 1
                    && box.bottom <= frame.bottom + 1 && mark.contains(top);
            })"""
        )
    )


def upload(page: Page, house: House, name: str, content: bytes) -> None:
    page.goto(f"{house.address}/models/deploy")
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "application/xml", "buffer": content}
    )
    page.get_by_role("button", name="Check and compare").click()
    page.locator(".banner-ok, .banner-bad").first.wait_for()
    deploy = page.get_by_role("button", name="Deploy", exact=True)
    if deploy.count():
        deploy.click()


def at_the_desk(open_page: OpenPage) -> Page:
    """A large screen on which the administrator has signed in."""
    return open_page("adam", width=1440, height=1000)


def test_a_new_version_is_refused_deployed_compared_and_followed(
    house: House, open_page: OpenPage
) -> None:
    number = house.order()
    house.task(number, "load_material")
    page = open_page("adam", width=1440, height=1000)

    upload(page, house, "warehouse.bpmn", WAREHOUSE.replace(b"scriptTask", b"oddTask"))
    expect(page.get_by_role("alert")).to_contain_text("Nothing was deployed")
    expect(page.locator(".model-finding-bad").first).to_be_visible()
    assert complaints_of(page, exclude=(".djs-container",)) == []

    name = "Load and scan"
    changed = WAREHOUSE.replace(b'"Load material"', f'"{name}"'.encode())
    upload(page, house, "warehouse.bpmn", changed)
    expect(page).to_have_url(re.compile(r"/models/warehouse/\d+/migrate$"))
    expect(page.locator(".figure", has_text="can be migrated")).to_contain_text(
        re.compile("[1-9]")
    )
    assert complaints_of(page, exclude=(".djs-container",)) == []
    version = page.url.split("/")[-2]
    page.get_by_label("Why", exact=True).fill("scan from now on")
    page.get_by_role("button", name=re.compile(f"to version {version}")).click()
    house.until(
        "the instance follows",
        lambda: house.rows(
            "SELECT 1 FROM instances AS i JOIN definitions AS d ON d.id ="
            f" i.definition_id WHERE i.business_key = '{number}'"
            f" AND d.version = {version}"
        ),
    )

    page.goto(f"{house.address}/models/warehouse/compare")
    drawn = page.locator(".djs-element[data-element-id=load_material]")
    expect(drawn).to_have_count(2)
    expect(drawn.first).to_have_class(re.compile("part-changed"))
    expect(drawn.last).to_have_class(re.compile("part-changed"))
    row = page.locator("tr[data-element=load_material]")
    expect(row.locator("ins")).to_have_text(name)
    row.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(drawn.first).to_have_class(re.compile("diagram-chosen"))
    assert watermark_is_whole(page)
    assert complaints_of(page, exclude=(".djs-container",)) == []
    for path in ("/models", f"/models/warehouse/{version}"):
        page.goto(house.address + path)
        assert complaints_of(page, exclude=(".djs-container",)) == []


def test_a_process_is_drawn_deployed_and_started(
    house: House, open_page: OpenPage
) -> None:
    page = at_the_desk(open_page)
    answer = page.goto(f"{house.address}/models")
    assert answer is not None
    assert "unsafe-inline" not in answer.headers["content-security-policy"]
    page.get_by_role("link", name="Draw a new model").click()
    page.get_by_label("Name").fill("Clean the tank")
    page.get_by_label("Id").fill("clean_tank")
    page.get_by_role("button", name="Start drawing").click()
    ready = page.locator("#model-editor[data-ready]")
    expect(ready).to_be_attached()
    assert watermark_is_whole(page)

    # The context pad: append a task, then make it a form by the menu of kinds.
    page.locator(".djs-element[data-element-id=start]").first.click()
    page.locator(
        ".djs-context-pad .bpmn-icon-user, .djs-context-pad .bpmn-icon-task"
    ).first.click()
    page.keyboard.press("Escape")
    added = page.locator("#editor-elements option", has_text="Task")
    expect(added).to_have_count(1)
    page.locator("#editor-elements").select_option(index=2)
    page.locator(".djs-context-pad .bpmn-icon-screw-wrench").click()
    page.locator(".djs-popup [data-id=replace-with-user-task]").click()
    page.get_by_label("Name").fill("Clean it")
    page.get_by_label("Id", exact=True).fill("clean_it")
    page.get_by_label("Form", exact=True).fill("no_such_form")
    page.get_by_label("Groups that may do it").fill("worker")
    page.get_by_label("Groups that may do it").press("Tab")
    findings = page.locator("#editor-findings li")
    expect(findings.filter(has_text="there is no form 'no_such_form'")).to_be_visible()
    task = page.locator(".djs-element[data-element-id=clean_it]").first
    expect(task).to_have_class(re.compile("finding-warn"))
    expect(page.locator("#editor-state")).to_have_text("Saved as your draft")

    page.reload()
    expect(ready).to_be_attached()
    task.click()
    expect(page.get_by_label("Name")).to_have_value("Clean it")
    page.get_by_label("Form", exact=True).fill("start_mixing")
    page.get_by_label("Form", exact=True).press("Tab")
    expect(page.get_by_role("link", name="Show this form on a tablet")).to_be_visible()
    expect(findings.filter(has_text="there is no form")).to_have_count(0)
    simulate = page.get_by_role("button", name="Simulate")
    simulate.click()
    walks = page.locator(".djs-overlays[data-container-id=start] .bts-context-pad")
    walks.first.click()
    expect(page.locator(".bts-token").first).to_be_attached()
    expect(page.locator("#editor-fields")).to_have_attribute("inert", "")
    simulate.click()
    expect(walks).to_have_count(0)
    expect(page.locator("#editor-state")).to_have_text("Saved as your draft")
    fill = page.get_by_role("button", name="Fill the window")
    fill.click()
    stage = page.locator(".editor-stage").bounding_box()
    assert stage is not None
    assert stage["height"] > 950  # of 1000
    fill.click()

    page.get_by_role("button", name="Compare and deploy").click()
    expect(page.locator(".model-review .chip")).to_have_text("new")
    assert complaints_of(page) == []
    page.get_by_label("Why (shown beside the version)").fill("tanks get dirty")
    page.get_by_role("button", name="Deploy as a new version").click()
    expect(page).to_have_url(re.compile("/models/clean_tank/1$"))
    assert house.rows(
        "SELECT deployed_by, note FROM definitions WHERE key = 'clean_tank'"
    ) == [("adam", "tanks get dirty")]
    with house.services.uow() as tx:
        start_instance(tx, house.services.advance, "clean_tank", actor="test")
    assert house.rows("SELECT form, groups FROM tasks WHERE element = 'clean_it'") == [
        ("start_mixing", ["worker"])
    ]


def test_a_draft_is_not_called_kept_while_a_newer_change_is_not(
    house: House, open_page: OpenPage
) -> None:
    page = at_the_desk(open_page)
    page.goto(f"{house.address}/models/warehouse/edit")
    expect(page.locator("#model-editor[data-ready]")).to_be_attached()
    keep = page.locator("#model-editor").get_attribute("data-keep")
    page.locator("#editor-elements").select_option("order_arrives")
    held: list[Route] = []
    page.route(f"**{keep}", lambda route: held.append(route))
    name, state = page.get_by_label("Name"), page.locator("#editor-state")
    name.fill("First")
    name.press("Tab")
    house.until("the first is on its way", lambda: held or page.evaluate("0"))
    name.fill("Second")
    name.press("Tab")
    expect(state).to_have_text("Not saved yet")
    with page.expect_response(f"**{keep}"):
        held[0].continue_()
    house.until("the second is on its way", lambda: held[1:] or page.evaluate("0"))
    expect(state).to_have_text("Not saved yet")
    held[1].continue_()
    expect(state).to_have_text("Saved as your draft")


def test_the_factorys_own_process_is_edited_without_losing_anything(
    house: House, open_page: OpenPage
) -> None:
    page = at_the_desk(open_page)
    key = "warehouse_simplified"
    if not house.rows(f"SELECT 1 FROM definitions WHERE key = '{key}'"):
        upload(
            page,
            house,
            f"{key}.bpmn",
            (ROOT / "processes" / f"{key}.bpmn").read_bytes(),
        )
        expect(page).to_have_url(re.compile(f"/models/{key}/1$"))
    page.goto(f"{house.address}/models/{key}/edit")
    expect(page.locator("#model-editor[data-ready]")).to_be_attached()
    expect(page.locator("#editor-count")).to_have_text("0")
    page.locator("#editor-elements").select_option("load_material")
    note = "drawn by the administrator"
    page.get_by_label("Documentation").fill(note)
    page.get_by_label("Documentation").press("Tab")
    expect(page.locator("#editor-state")).to_have_text("Saved as your draft")
    expect(page.locator("#editor-count")).to_have_text("0")
    page.get_by_role("button", name="Compare and deploy").click()
    expect(page.locator(".model-review ins")).to_have_text(note)
    page.get_by_role("button", name="Deploy as a new version").click()
    expect(page).to_have_url(re.compile(rf"/models/{key}/\d+(/migrate)?$"))
    page.goto(f"{house.address}/models/{key}/compare")
    rows = page.locator("#model-changes tbody tr")
    expect(rows).to_have_count(1)
    expect(rows.locator("ins")).to_have_text(note)


def test_names_are_chosen_from_what_exists_and_new_ones_are_warned_of(
    house: House, open_page: OpenPage
) -> None:
    page = at_the_desk(open_page)
    page.goto(f"{house.address}/models/orders_handling/edit")
    expect(page.locator("#model-editor[data-ready]")).to_be_attached()
    caught = page.locator("#editor-elements option", has_text="mailbox changed")
    value = caught.first.get_attribute("value")
    page.locator("#editor-elements").select_option(value)
    message = page.get_by_label("Message", exact=True)
    offered = page.locator("datalist[id$=-messages] option")
    assert "material to bring back" in [
        one.get_attribute("value") for one in offered.all()
    ]
    expect(page.locator(".name-about")).to_have_text("Used in: Orders handling")
    message.fill("mailbox chnaged")
    expect(page.locator(".name-unknown")).to_contain_text("Check the spelling")
    message.fill("mailbox changed")
    expect(page.locator(".name-unknown")).to_have_count(0)


def test_a_model_of_operaton_is_edited_in_its_own_words(
    house: House, open_page: OpenPage
) -> None:
    page = at_the_desk(open_page)
    key, shipped = "of_operaton", "warehouse_simplified"
    model = (ROOT / "processes" / f"{shipped}.bpmn").read_text(encoding="utf-8")
    model = model.replace("http://camunda.org/schema", "http://operaton.org/schema")
    model = model.replace("camunda:", "operaton:").replace(":camunda=", ":operaton=")
    model = model.replace("Camunda Platform", "Operaton")
    model = model.replace(shipped, key).replace("robot.move", "robot.mvoe", 1)
    upload(page, house, f"{key}.bpmn", model.encode())
    expect(page).to_have_url(re.compile(f"/models/{key}/1$"))
    said = "for the topic 'robot.mvoe'; did you mean 'robot.move'?"
    expect(page.locator(".model-finding", has_text=said)).to_be_visible()

    page.goto(f"{house.address}/models/{key}/edit")
    expect(page.locator("#model-editor[data-ready]")).to_be_attached()
    finding = page.locator("#editor-findings li", has_text=said)
    expect(finding).to_be_visible()
    finding.get_by_role("button").first.click()
    topic = page.get_by_label("Topic of the handler")
    expect(topic).to_have_value("robot.mvoe")
    topic.fill("robot.move")
    topic.press("Tab")
    expect(finding).to_have_count(0)
    ((draft,),) = house.rows(f"SELECT content FROM model_drafts WHERE key = '{key}'")
    assert b'operaton:topic="robot.move"' in bytes(draft)
    assert b"camunda:" not in bytes(draft)


def test_a_decision_is_changed_tried_and_deployed(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("adam", width=1024, height=900)
    page.goto(f"{house.address}/models/decisions/weight_tolerance/edit")
    page.get_by_role("button", name="Add a rule below rule 2").click()
    third = page.get_by_label(re.compile("^Rule 3: beyond"))
    expect(third).to_be_visible()
    third.fill("> > 7")
    third.press("Tab")
    expect(page.locator(".model-finding-bad").first).to_be_visible()
    page.get_by_role("button", name="Remove rule 3").click()
    expect(third).to_have_count(0)
    page.get_by_label(re.compile("^Rule 1: beyond")).fill("< 3")
    page.get_by_label(re.compile("^Rule 2: beyond")).fill(">= 3")
    page.get_by_label("measured_kg").fill("104")
    page.get_by_label("material").fill('{"required_kg": 100}')
    page.get_by_role("button", name="Decide").click()
    expect(page.locator("#tried")).to_contain_text("Rules that matched: 1")
    page.get_by_role("button", name="Deploy as a new version").click()
    expect(page).to_have_url(re.compile("/models$"))
    assert house.rows("SELECT max(version) FROM decisions") == [(2,)]
    # The factory weighs as before for whoever comes next.
    page.goto(f"{house.address}/models/deploy")
    page.locator("input[type=file]").set_input_files(
        ROOT / "processes" / "weight_tolerance.dmn"
    )
    page.get_by_role("button", name="Check and compare").click()
    page.get_by_role("button", name="Deploy", exact=True).click()
    expect(page).to_have_url(re.compile("/models$"))


def test_a_form_is_previewed_alive(house: House, open_page: OpenPage) -> None:
    page = open_page("vera", width=1024, height=900)
    page.goto(f"{house.address}/models/forms/load_material")
    screen = page.locator(".tablet-screen")
    expect(screen.locator(".field").first).to_be_visible()
    expect(screen.locator("[data-live-form], .form-fields").first).to_be_attached()
    page.get_by_label("Process variables").fill(
        '{"material": {"name": "Zinc white", "required_kg": 12}}'
    )
    page.get_by_role("button", name="Show with these values").click()
    expect(screen).to_contain_text("Zinc white")
    assert complaints_of(page, exclude=(".djs-container",)) == []


def test_a_form_is_drawn_with_our_fields_and_seen_on_a_tablet(
    house: House, open_page: OpenPage
) -> None:
    page = at_the_desk(open_page)
    page.goto(f"{house.address}/models/forms/load_material/edit")
    expect(page.locator("#form-editor[data-ready]")).to_be_attached()
    expect(page.locator("#form-count")).to_have_text("0")
    drawn = page.locator("#form-stage")
    for ours in ("Scan", "Weigh", "Photo", "Signature"):
        expect(drawn.get_by_text(ours, exact=True).first).to_be_visible()
    drawn.get_by_text("Lot number").first.click(force=True)
    drawn.locator(
        "[data-group-id=group-general] .bio-properties-panel-group-header"
    ).click()
    drawn.locator(
        "[data-entry-id=label] :is(input, textarea, [contenteditable=true])"
    ).first.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("Lot on the sack")
    expect(page.locator("#form-state")).to_have_text("Saved as your draft")
    expect(page.locator("#form-preview")).to_contain_text("Lot on the sack")
    expect(drawn.locator("[class*=powered]").first).to_be_visible()
    ((draft,),) = house.rows("SELECT content FROM model_drafts WHERE kind = 'form'")
    assert b'"type": "weigh"' in bytes(draft)
    page.reload()
    page.get_by_role("button", name="Discard the draft").click()
    expect(page).to_have_url(f"{house.address}/models")


def test_only_the_editor_loads_the_modeller(house: House, open_context: Open) -> None:
    context = open_context(service_workers="block")
    page = context.new_page()
    loaded: list[Response] = []

    def note(answer: Response) -> None:
        if "/static/" in answer.url and answer.ok:
            loaded.append(answer)

    page.on("response", note)
    house.sign_in(page, "adam")
    for path in ("/models", "/models/warehouse/1"):
        loaded.clear()
        page.goto(house.address + path, wait_until="load")
        if path != "/models":
            expect(page.locator(".djs-shape").first).to_be_attached()
        urls = [answer.url for answer in loaded]
        assert not [url for url in urls if "model_editor" in url or "woff2" in url]
        # Read here: a handler that reads a body is left waiting while the test goes on.
        total = sum(len(gzip.compress(answer.body())) for answer in list(loaded))
        assert 0 < total < MODELS_PAGE_KB_GZIP * 1024
    answer = page.goto(f"{house.address}/models/warehouse/edit")
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert policy.endswith("; style-src-attr 'unsafe-inline'")
    assert policy.count("unsafe-inline") == 1
    expect(page.locator("#model-editor[data-ready]")).to_be_attached()
    assert [answer for answer in loaded if "model_editor" in answer.url]
