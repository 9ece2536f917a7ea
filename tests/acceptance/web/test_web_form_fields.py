"""Fields in a real browser, under the real Content-Security-Policy.

Conditions, the tolerance bar, scanners that type, the camera with a made-up video,
photos and signatures. The page has nothing but one form.
"""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import segno
from flask import Flask, Response, render_template_string, send_from_directory
from PIL import Image
from playwright.sync_api import ConsoleMessage, Error, Page, Playwright, Request
from werkzeug.serving import make_server

from mpms.engine.feel.lenient import value_or_null
from mpms.web import texts
from mpms.web.fields.rendering import render_form

ROOT = Path(__file__).resolve().parents[3]
FRONTEND = ROOT / "frontend"
DEADLINE_S = 60.0
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; media-src 'self' blob:; "
    "form-action 'self'; base-uri 'none'"
)
ENTRY = """
import * as fields from "./fields/index.js";
const form = document.querySelector("form");
const changes = [];
fields.enhanceForm(form, { onChange: (field, value) => changes.push([field, value]) });
Object.assign(window, {
  changes,
  read: () => fields.readAnswers(form),
  check: () => fields.checkAnswers(form).map(({ key, text }) => [key, text]),
  write: (values) => fields.writeAnswers(form, values),
});
"""
HTML = """<!doctype html><html lang="en"><title>Form</title>
<meta name="assets" content="{{ addresses }}">
<link rel="stylesheet" href="/built/page.css"><link rel="icon" href="data:,">
<body data-role="worker"><main><h1>Form</h1><form novalidate>{{ form }}</form></main>
<script type="module" src="/built/page.js"></script></body></html>"""
CHOICES = [{"label": "Red", "value": "red"}, {"label": "Seven", "value": 7}]
VARIABLES = {"material": {"required_kg": 12.5, "lot": "L-42"}}


def field(kind: str, key: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "key": key, "label": f"Label {key}", **more}


FORM = {
    "components": [
        field("scan", "lot", expected="=material.lot"),
        field("weigh", "kg", target="=material.required_kg", tolerance_kg=0.5),
        field("radio", "colour", values=CHOICES),
        field(
            "textfield",
            "why",
            conditional={"hide": "=colour = null or not(list contains(colour, 7))"},
            validate={"required": True},
        ),
        field("checklist", "tags", values=CHOICES),
        field("select", "pick", values=CHOICES),
        field("checkbox", "done", validate={"required": True}),
        field("datetime", "day", subtype="date"),
        field("photo", "photo"),
        field("signature", "signed"),
    ]
}


def missing(what: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scripts and styles of the fields alone: other pages must not stop this test."""
    beside = Path(sys.executable).parent / "node"
    node = shutil.which("node") or (str(beside) if beside.exists() else None)
    if node is None or not (FRONTEND / "node_modules" / "esbuild").exists():
        missing("Node or frontend/node_modules is missing: run npm ci in frontend/")
    folder = tmp_path_factory.mktemp("fields")
    sheets = ("tokens", "base", "components", "forms")
    styles = "".join(f'@import "./styles/{name}.css";' for name in sheets)
    shared = {"bundle": True, "format": "esm", "logLevel": "error"}
    builds: list[dict[str, object]] = [
        {
            "stdin": {"contents": ENTRY, "resolveDir": str(FRONTEND / "src")},
            "outfile": str(folder / "page.js"),
        },
        {
            "stdin": {
                "contents": styles,
                "loader": "css",
                "resolveDir": str(FRONTEND),
            },
            "outfile": str(folder / "page.css"),
        },
        {
            "entryPoints": [str(FRONTEND / "src" / "scanner.ts")],
            "outfile": str(folder / "scanner.js"),
        },
    ]
    calls = ",".join(f"build({json.dumps(shared | one)})" for one in builds)
    script = f'import("esbuild").then(({{ build }}) => Promise.all([{calls}]))'
    subprocess.run([str(node), "-e", script], cwd=FRONTEND, check=True)
    reader = FRONTEND / "node_modules" / "zxing-wasm" / "dist" / "reader"
    shutil.copy(reader / "zxing_reader.wasm", folder)
    return folder


@pytest.fixture(scope="module")
def address(built: Path) -> Iterator[str]:
    app = Flask("mpms.web", static_folder=None)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    texts.install(app)
    names = ("scanner.js", "zxing_reader.wasm")
    addresses = json.dumps({name: f"/built/{name}" for name in names})

    @app.get("/")
    def page() -> str:
        form = render_form(FORM, VARIABLES, feel=value_or_null)
        return render_template_string(HTML, form=form, addresses=addresses)

    @app.get("/built/<name>")
    def file(name: str) -> Response:
        return send_from_directory(built, name)

    @app.after_request
    def guard(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = POLICY
        return response

    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def fake_camera(path: Path, code: str) -> None:
    """A few frames of a QR code, as Chromium's fake camera reads them."""
    width, height = 640, 480
    drawn = io.BytesIO()
    segno.make(code, error="h").save(drawn, kind="png", scale=10, border=4)
    frame = Image.new("L", (width, height), 255)
    frame.paste(Image.open(drawn).convert("L").resize((360, 360)), (140, 60))
    grey = bytes([128]) * (width * height // 2)
    head = f"YUV4MPEG2 W{width} H{height} F10:1 Ip A1:1 C420jpeg\n"
    frames = (b"FRAME\n" + frame.tobytes() + grey) * 5
    path.write_bytes(head.encode() + frames)


@pytest.fixture(scope="module")
def camera_page(
    playwright_: Playwright, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    """Of a browser with a camera; one test after the other loads the form in it."""
    video = tmp_path_factory.mktemp("camera") / "code.y4m"
    fake_camera(video, "L-42")
    started = playwright_.chromium.launch(
        executable_path=shutil.which("chromium") or shutil.which("chromium-browser"),
        args=[
            *("--no-sandbox", "--disable-dev-shm-usage"),
            "--use-fake-ui-for-media-stream",
            "--use-fake-device-for-media-stream",
            f"--use-file-for-fake-video-capture={video}",
        ],
    )
    yield started.new_page(viewport={"width": 360, "height": 800})
    started.close()


@pytest.fixture
def page(camera_page: Page, address: str) -> Iterator[Page]:
    shown = camera_page
    complaints: list[str] = []
    asked: list[str] = []

    def hear_console(said: ConsoleMessage) -> None:
        complaints.append(said.text)

    def hear_error(error: Error) -> None:
        complaints.append(str(error))

    def hear_request(request: Request) -> None:
        asked.append(request.url)

    shown.on("console", hear_console)
    shown.on("pageerror", hear_error)
    shown.on("request", hear_request)
    shown.goto(address)
    until(shown, "typeof read === 'function'")
    yield shown
    shown.goto("about:blank")
    shown.remove_listener("console", hear_console)
    shown.remove_listener("pageerror", hear_error)
    shown.remove_listener("request", hear_request)
    assert complaints == []
    allowed = (address, "data:", "about:")
    assert [url for url in asked if not url.startswith(allowed)] == []


def until(page: Page, expression: str) -> None:
    """Playwright's own waiting needs eval, which our policy forbids."""
    deadline = time.monotonic() + DEADLINE_S
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(50)


def scanner_types(page: Page, code: str) -> None:
    """All keys at once, as scanners do however busy the machine is."""
    page.evaluate(
        """code => [...code, "Enter"].forEach((key) => document.activeElement
          .dispatchEvent(new KeyboardEvent(
            "keydown", { key, bubbles: true, cancelable: true })))""",
        code,
    )


def test_conditions_follow_what_is_chosen(page: Page) -> None:
    assert page.is_hidden("#why-input")
    page.locator("[data-field=colour] .choice", has_text="Seven").click()
    assert page.is_visible("#why-input")
    assert page.evaluate("check()") == [
        ["why", "Please fill this in."],
        ["done", "Please fill this in."],
    ]
    page.locator("[data-field=colour] .choice", has_text="Red").click()
    assert page.is_hidden("#why-input")
    assert "why" not in page.evaluate("read()")


def test_the_tolerance_bar_speaks_while_one_types(page: Page) -> None:
    said = page.locator(".weigh-state")
    page.fill("#kg-input", "11")
    assert said.inner_text() == "1.5 kg too little"
    page.fill("#kg-input", "14")
    assert said.inner_text() == "1.5 kg too much"
    page.fill("#kg-input", "12,75")
    assert said.inner_text() == "Within tolerance"
    assert page.evaluate("read().kg") == 12.75


def test_a_wrong_code_fills_the_screen_and_the_next_scan_goes_on(page: Page) -> None:
    scanner_types(page, "L-43")
    wrong = page.locator(".scan-wrong")
    wrong.wait_for()
    box = wrong.bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (360, 800)
    assert "L-42 is expected here." in wrong.inner_text()
    scanner_types(page, "L-42")
    until(page, "read().lot === 'L-42'")
    until(page, "document.querySelector('.scan-wrong') === null")
    assert page.get_attribute(".scan", "data-state") == "right"


def test_the_camera_reads_a_code_with_our_own_reader(page: Page) -> None:
    page.click("[data-scan=camera]")
    until(page, "read().lot === 'L-42'")
    until(page, "document.querySelector('.scanner') === null")


def test_a_photo_is_made_small_before_it_travels(page: Page) -> None:
    large = io.BytesIO()
    Image.new("RGB", (3000, 2000), "teal").save(large, "JPEG")
    upload = {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": large.getvalue()}
    page.set_input_files("#photo-input", upload)  # type: ignore[arg-type]
    until(page, "(read().photo ?? '').startsWith('data:image/jpeg;base64,')")
    content = base64.b64decode(page.evaluate("read().photo").partition(",")[2])
    assert Image.open(io.BytesIO(content)).size == (1280, 853)
    page.click("[data-photo=clear]")
    assert "photo" not in page.evaluate("read()")


def test_one_signs_by_drawing_or_by_typing(page: Page) -> None:
    canvas = page.locator(".signature-canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 60, steps=5)
    page.mouse.up()
    assert page.evaluate("read().signed").startswith("data:image/png;base64,")
    page.fill(".signature-name", "Ada")
    assert page.evaluate("read().signed") == "Ada"


def test_drafts_come_back_into_every_field(page: Page) -> None:
    draft = {
        "lot": "L-42",
        "kg": 12.5,
        "colour": 7,
        "why": "because",
        "tags": ["red", 7],
        "pick": "red",
        "done": True,
        "day": "2026-11-16",
        "photo": "data:image/png;base64,"
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
        "AABJRU5ErkJggg==",
        "signed": "Ada",
    }
    page.evaluate("values => write(values)", draft)
    assert page.evaluate("read()") == draft
    assert page.evaluate("check()") == []


def test_everything_to_press_is_large_enough_for_gloves(page: Page) -> None:
    small = page.evaluate(
        """() => [...document.querySelectorAll(
             "button, select, .choice, .input, .photo-take")]
           .filter((one) => one.getClientRects().length > 0)
           .filter((one) => one.getBoundingClientRect().height < 64)
           .map((one) => one.outerHTML)"""
    )
    assert small == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nobody_is_locked_out(page: Page, theme: str) -> None:
    page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
    page.fill("#kg-input", "11")
    page.evaluate("check()")
    axe = FRONTEND / "node_modules" / "axe-core" / "axe.min.js"
    page.evaluate(axe.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
