"""A worker's pages on a small phone, with the longest texts and a wide font.

Cheap tablets lack our fonts, plants have places such as "Tank 3" and German has long
words. On every page nothing may run out of the screen, no text may be pressed into a
column of a few letters, and the button that matters is there to be pressed.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from mpms import assets, bootstrap
from mpms.demo.site import DemoSite
from mpms.domain.people.people import Role
from mpms.factory.domain.orders import Order, OrderLine
from mpms.services.instances.repair import cancel_instance
from mpms.services.instances.start import start_instance
from mpms.services.models.deploy import deploy_models
from mpms.services.people.session_tokens import hash_of
from mpms.services.tasks.claim import claim_task
from mpms.services.tasks.submit import submit_form
from mpms.settings import Settings
from tests.support.databases import Databases

Open = Callable[..., BrowserContext]

NOBODY_LISTENS = "ws://127.0.0.1:9"
WIDE = "* { font-family: 'DejaVu Sans', Verdana, sans-serif !important; }"
PICTURES = os.environ.get("MPMS_PICTURES")  # a folder, for people to look at
SIZES = [{"width": 320, "height": 640}, {"width": 360, "height": 740}]
if PICTURES:
    SIZES += [{"width": 1024, "height": 768}, {"width": 1920, "height": 1080}]

LONG = {
    "number": "MO-2026-0000017-NACHLIEFERUNG-B",
    "product": "Zweikomponentenpolyurethanfußbodenbeschichtungsgrundierung RAL 7035",
    "material": "Hexamethylendiisocyanatbiuret-Härterlösungsmittelgemisch, technisch",
    "place": "lösemittelzwischenlager_nordwest",
    "task": "Härterlösungsmittelgemischbehälter am Rührwerksbehälter bereitstellen",
    "person": "Maximiliane-Charlotte Oberwasserlechner-Schwarzenberger",
}
SHORT = {
    "number": "MO-2026-0007",
    "product": "White paint",
    "material": "Titanium dioxide",
    "place": "tank 3",
    "task": "Load material",
    "person": "Ana Ruiz",
}
CHOICES = [
    {"label": "Behälterverschlussdichtungsring beschädigt", "value": "a"},
    {"label": "Gut", "value": "b"},
]


def field(kind: str, key: str, **more: Any) -> dict[str, Any]:
    label = "Chargenrückverfolgbarkeitskennzeichnung"
    return {"type": kind, "key": key, "label": label, **more}


FORM = [
    {"type": "text", "text": "# {{material.name}}\n\n{{order_number}}"},
    field("scan", "lot", expected="=material.lot"),
    field("weigh", "kg", target="=material.required_kg", tolerance_kg=0.5),
    field("radio", "state", values=CHOICES),
    field("checklist", "seen", values=CHOICES),
    field("select", "pick", values=CHOICES),
    field("checkbox", "clean"),
    field("textfield", "seal", description="Plombennummernkontrollziffernfolge"),
    field("number", "drums", appearance={"suffixAdorner": "Gebindeeinheiten"}),
    field("textarea", "note"),
    field("datetime", "day", subtype="date"),
    field("photo", "photo"),
    field("signature", "signed"),
    {
        "type": "table",
        "label": "Rohstoffe",
        "dataSource": "=materials",
        "columns": [
            {"label": "Rohstoffbezeichnung", "key": "name"},
            {"label": "Sollgewicht", "key": "required_kg"},
        ],
    },
]

WRONG = """() => {
    const wrong = [], width = document.documentElement.clientWidth;
    const over = document.scrollingElement.scrollWidth - width;
    if (over > 0) wrong.push(`the page scrolls sideways by ${over}px`);
    const name = element => {
        const classes = [...element.classList].map(one => '.' + one).join('');
        return element.tagName.toLowerCase() + classes;
    };
    const rolls = element => element !== null && element !== document.body && (
        ['auto', 'scroll'].includes(getComputedStyle(element).overflowX)
        || getComputedStyle(element).textOverflow === 'ellipsis'
        || rolls(element.parentElement));
    const unseen = '.visually-hidden, .skip, select, svg, script, style, thead';
    const apart = element => element.closest(unseen) !== null || rolls(element);
    const cut = element => {
        const style = getComputedStyle(element);
        return style.overflowX === 'hidden' && style.textOverflow !== 'ellipsis'
            && style.webkitLineClamp === 'none'
            && element.scrollWidth > element.clientWidth + 1;
    };
    for (const element of document.body.querySelectorAll('*')) {
        if (!element.checkVisibility() || apart(element)) continue;
        if (cut(element)) wrong.push(`${name(element)} is cut off`);
        for (const child of element.childNodes) {
            const text = child.nodeType === Node.TEXT_NODE ? child.data.trim() : '';
            if (text.length < 2) continue;
            const range = document.createRange();
            range.selectNodeContents(child);
            const boxes = [...range.getClientRects()].filter(box => box.width > 0);
            if (!boxes.length) continue;
            const right = Math.max(...boxes.map(box => box.right));
            const left = Math.min(...boxes.map(box => box.left));
            if (right > width + 0.5 || left < -0.5)
                wrong.push(`${name(element)} leaves the screen: ${text}`);
            const lines = new Set(boxes.map(box => Math.round(box.top))).size;
            if (lines > 2 && text.length / lines < 4)
                wrong.push(`${name(element)} is a column of letters: ${text}`);
        }
    }
    return wrong;
}"""

BUTTONS = ":is(main, dialog, #offline-bar) :is(.button, .choice, .task-row, summary)"
BUTTONS += ", main :is(.pin-key, .person-tile, .input)"
PRESSED = """([buttons, least]) => {
    const wrong = [], width = document.documentElement.clientWidth;
    const root = document.querySelector('dialog[open]') ?? document;
    const found = [...root.querySelectorAll(buttons)]
        .filter(one => one.checkVisibility() && one.getBoundingClientRect().width > 1);
    const atTop = one => ['center', 'end', 'start'].some(block => {
        one.scrollIntoView({block});
        const {left, top, width, height} = one.getBoundingClientRect();
        const seen = document.elementFromPoint(left + width / 2, top + height / 2);
        return seen !== null && (one.contains(seen) || seen.contains(one));
    });
    for (const one of found) {
        const box = one.getBoundingClientRect();
        const told = `${one.className} ${one.textContent.trim().slice(0, 30)}`;
        if (box.left < -0.5 || box.right > width + 0.5)
            wrong.push(`off the screen: ${told}`);
        else if (!atTop(one))
            wrong.push(`covered: ${told}`);
        if (Math.min(box.width, box.height) < least - 0.5)
            wrong.push(`${box.width}x${box.height}: ${told}`);
    }
    scrollTo(0, 0);
    return wrong;
}"""

CARD_IS_SEEN = """() => {
    const card = document.querySelector('[data-step]:not([hidden])');
    const { top, bottom } = card.getBoundingClientRect();
    const thumb = document.querySelector('.task-thumb').getBoundingClientRect().top;
    return top <= innerHeight / 2 || bottom <= thumb;
}"""

TITLES = """() => [...document.querySelectorAll(
        '.task-next, .task-row, .task-top')]
    .flatMap(card => {
        const title = card.querySelector('h1, h2, strong');
        const part = title.getBoundingClientRect().width
            / card.getBoundingClientRect().width;
        const told = `${card.className}: ${title.textContent} (${part.toFixed(2)})`;
        return part < 0.4 ? [`the title is too narrow: ${told}`] : [];
    })"""


class Floor:
    """A site with what a worker may meet: no robots, no mail, nobody else."""

    def __init__(self, url: str, directory: Path) -> None:
        self.services = bootstrap.connect(url)
        self.uow, self.advance = self.services.uow, self.services.advance
        settings = Settings(state_dir=directory, web_port=0)
        self.site = DemoSite(settings, url, NOBODY_LISTENS)
        deploy_models(
            self.uow, self.services.engine, assets.shipped_models(), by="engineer"
        )
        self.tokens: dict[str, str] = {}
        for login, role, name in (
            ("ana", Role.WORKER, SHORT["person"]),
            ("max", Role.WORKER, LONG["person"]),
            ("sofia", Role.SUPERVISOR, LONG["person"]),
        ):
            self.add_person(login, role, name)
        self.tablet = uuid4().hex
        with self.uow() as tx:
            tx.sessions.enrol(hash_of(self.tablet), LONG["place"], by="sofia")

    @property
    def address(self) -> str:
        return self.site.address.rstrip("/")

    def add_person(self, login: str, role: Role, name: str) -> None:
        self.tokens[login] = uuid4().hex
        ends_at = self.services.clock.now() + timedelta(hours=8)
        with self.uow() as tx:
            person = tx.people.add(login, name, role, groups=("worker",), language="de")
            tx.people.set_pin(login, "no such hash")
            tx.sessions.open(
                hash_of(self.tokens[login]),
                person.id,
                tablet_id=None,
                expires_at=ends_at,
            )

    def task(self, words: dict[str, str], **variables: Any) -> str:
        """A process of one task about an order, with every kind of field."""
        key = f"p{uuid4().hex[:8]}"
        number = f"{words['number']}-{key[-3:]}"
        form = variables.pop("form", f"{key}_form")
        model = (
            '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
            ' xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="d"'
            f' targetNamespace="urn:test"><process id="{key}" isExecutable="true">'
            f'<startEvent id="b"/><userTask id="ask" name="{words["task"]}"'
            f' camunda:formKey="{form}" camunda:candidateGroups="worker"/>'
            '<endEvent id="e"/><sequenceFlow id="f1" sourceRef="b" targetRef="ask"/>'
            '<sequenceFlow id="f2" sourceRef="ask" targetRef="e"/>'
            "</process></definitions>"
        )
        drawn = {"id": f"{key}_form", "type": "default", "components": FORM}
        files = {f"{key}.bpmn": model.encode()}
        if form == f"{key}_form":
            files[f"{key}_form.form"] = json.dumps(drawn).encode()
        deploy_models(self.uow, self.services.engine, files, by="engineer")
        line = {
            "code": "RM-0000000000000000042",
            "name": words["material"],
            "required_kg": 12345.678,
            "place": words["place"],
            "lot": "L-2026-000000000000000000000000000042",
        }
        with self.uow() as tx:
            tx.orders.add(
                Order(
                    number,
                    words["product"],
                    (OrderLine("RM-001", words["material"], Decimal(12345)),),
                    priority="urgent",
                )
            )
            instance_id = start_instance(
                tx,
                self.advance,
                key,
                variables={
                    "order_number": number,
                    "place": words["place"],
                    "material": line,
                    "materials": [line],
                    "robot": "robot1",
                    **variables,
                },
                business_key=number,
                actor="operator",
            )
        with self.uow() as tx:
            return next(t.task_id for t in tx.tasks.open(instance_id=instance_id))

    def clear(self) -> None:
        """End what a test has left."""
        with self.uow() as tx:
            waiting = {task.instance_id for task in tx.tasks.open()}
        for instance_id in waiting:
            cancel_instance(
                self.uow, self.advance, instance_id, by="test", reason="it is over"
            )

    def claim(self, task: str, login: str) -> None:
        with self.uow() as tx:
            person = tx.people.get(login)
        assert person is not None
        claim_task(self.uow, task, person=person)


@pytest.fixture(scope="module")
def floor(databases: Databases, postgres_directory: Path) -> Iterator[Floor]:
    directory = postgres_directory / f"narrow-{uuid4().hex[:8]}"
    with ExitStack() as parts:
        floor = Floor(parts.enter_context(databases.lent()), directory)
        parts.callback(floor.services.close)
        parts.enter_context(floor.site)
        yield floor


class Phone:
    """A small screen in somebody's hand; it collects what is wrong on each page."""

    def __init__(self, floor: Floor, open_context: Open) -> None:
        self.floor = floor
        self.context = open_context(
            viewport=SIZES[0],
            bypass_csp=True,
            service_workers="block",
            has_touch=True,
            reduced_motion="reduce",
        )
        self.page: Page = self.context.new_page()
        self.wrong: dict[str, list[str]] = {}

    def be(self, login: str | None, *, tablet: bool = False) -> None:
        self.page.goto("about:blank")
        self.context.clear_cookies()
        cookies = {"mpms_session": self.floor.tokens[login]} if login else {}
        if tablet:
            cookies["mpms_tablet"] = self.floor.tablet
        self.context.add_cookies(
            [
                {"name": name, "value": value, "url": self.floor.address}
                for name, value in cookies.items()
            ]
        )

    def look(self, path: str, name: str, *, least: int = 64) -> Page:
        self.page.goto(self.floor.address + path)
        self.page.wait_for_load_state("load")
        if path.startswith("/tasks/"):
            expect(self.page.locator("[data-stepper-count]")).not_to_be_empty()
        self.page.add_style_tag(content=WIDE)
        self.check(name, least=least)
        return self.page

    def check(self, name: str, *, least: int = 64, buttons: str = BUTTONS) -> None:
        for size in SIZES:
            self.page.set_viewport_size(size)  # type: ignore[arg-type]
            found = self.page.evaluate(WRONG) + self.page.evaluate(TITLES)
            found += self.page.evaluate(PRESSED, [buttons, least])
            if found:
                self.wrong[f"{name}, {size['width']} px"] = found
            if PICTURES:
                path = Path(PICTURES) / f"{name} {size['width']}.png"
                self.page.screenshot(path=path, full_page=True)

    def must_fit(self) -> None:
        said = [f"{name}: {one}" for name, found in self.wrong.items() for one in found]
        assert not said, "\n".join(said)

    def through_the_cards(self, name: str) -> None:
        for number in itertools.count(2):
            if not self.next_card():
                return
            self.check(f"{name} {number}")

    def to_the_last_card(self) -> None:
        while self.next_card():
            pass

    def next_card(self) -> bool:
        """Of the fields only those are filled in that must be."""
        if self.page.locator("[data-step=confirm]").is_visible():
            return False
        for needed in self.page.locator("[data-step] [required]:visible").all():
            if needed.get_attribute("type") == "radio":
                needed.check()
            else:
                needed.fill(LONG["material"])
        count = self.page.locator("[data-stepper-count]")
        before = count.inner_text()
        self.page.locator("[data-step-next]").click()
        expect(count).not_to_have_text(before)
        if not self.page.evaluate(CARD_IS_SEEN):
            self.wrong[count.inner_text()] = ["the card is not seen"]
        return True


@pytest.fixture
def phone(floor: Floor, open_context: Open) -> Iterator[Phone]:
    yield Phone(floor, open_context)
    floor.clear()


def test_the_next_task_at_tank_3_is_read_and_taken_on_a_phone(
    floor: Floor, phone: Phone
) -> None:
    task = floor.task(SHORT)
    phone.be("ana")
    page = phone.look("/tasks", "tasks tank 3")
    phone.must_fit()
    page.locator(f"[data-task='{task}'] .button-primary").click()
    page.wait_for_url(f"**/tasks/{task}")


def test_every_page_of_a_worker_fits_a_phone(floor: Floor, phone: Phone) -> None:
    phone.be("ana")
    phone.look("/tasks", "nothing to do")
    stopped = floor.task(
        LONG,
        form="order_failed",
        error_message=LONG["material"] + " fehlt am " + LONG["place"],
        error_code="material_missing",
        loaded=[{"code": "RM-1", "name": LONG["material"], "required_kg": 1.5}],
    )
    waiting = [floor.task(words) for words in (SHORT, LONG, LONG, SHORT)]
    mine, other = floor.task(LONG), floor.task(LONG)
    floor.claim(other, "max")
    phone.look("/tasks", "tasks with an order that stopped")
    phone.look(f"/tasks/{stopped}", "stopped")
    phone.through_the_cards("stopped")
    phone.look(f"/tasks/{waiting[1]}", "free")
    phone.look(f"/tasks/{waiting[0]}", "free at tank 3")
    phone.look(f"/tasks/{other}", "of somebody else")
    floor.claim(mine, "ana")
    page = phone.look(f"/tasks/{mine}", "mine 1")
    page.locator("[data-problem-open]").click()
    phone.check("problem")
    page.locator("[data-problem-close]").click()
    page.locator(".order-drawer summary").click()
    phone.check("mine with its order")
    page.locator(".order-drawer summary").click()
    phone.through_the_cards("mine")
    phone.look("/tasks", "tasks, one taken")
    phone.look("/me", "me")
    phone.look("/map", "map", least=24)
    phone.look("/orders", "orders", least=24)
    phone.look("/offline", "offline")
    phone.look("/no-such-page", "no such page")
    page.locator(".menu > summary").click()
    phone.check("menu", buttons=".menu-box :is(button, a)")
    phone.be(None, tablet=True)
    phone.look("/login", "login on a tablet")
    phone.look("/login?as=max", "login with a PIN")
    phone.look("/login?with=password", "login with a password")
    phone.be(None)
    phone.look("/login", "login", least=44)
    phone.look("/trust", "trust", least=44)
    phone.be("sofia")
    phone.look("/tablets", "tablets", least=44)
    phone.look("/tasks", "tasks of a supervisor")
    phone.look(f"/tasks/{other}", "taken, seen by a supervisor")
    phone.must_fit()


def test_what_the_network_does_to_a_worker_fits_a_phone(
    floor: Floor, phone: Phone
) -> None:
    late, kept = floor.task(LONG), floor.task(LONG)
    phone.be("ana")
    floor.claim(late, "ana")
    page = phone.look(f"/tasks/{late}", "before it is late")
    phone.to_the_last_card()
    submit_form(floor.uow, floor.advance, late, {"seal": "4711"}, by="max")
    page.locator("[data-step-next]").click()
    expect(page.locator(".task-end-warn")).to_be_visible()
    phone.check("too late")
    phone.look("/tasks", "tasks after a late answer")
    expect(page.locator(".offline-notice")).to_be_visible()
    phone.check("tasks after a late answer")
    page.locator(".offline-notice button").last.click()
    floor.claim(kept, "ana")
    phone.look(f"/tasks/{kept}", "before the network goes")
    phone.to_the_last_card()
    phone.context.set_offline(True)
    page.locator("[data-step-next]").click()
    expect(page.locator(".task-end-ok")).to_be_visible()
    expect(page.locator(".offline-head")).to_be_visible()
    page.locator(".offline-head summary").click()
    phone.check("kept on the tablet")
    phone.context.set_offline(False)
    expect(page.locator("#toast")).to_be_visible()
    phone.check("sent")
    phone.be("sofia")
    phone.look("/late", "late answers", least=44)
    phone.must_fit()
