"""Takes a picture of every page in three widths, light and dark, for people to look at.

    make screens                  all of them, into build/screens
    make screens ARGS=tasks       those whose name holds the word

It runs the demo's factory with nobody confirming, so that tasks wait in every state.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from mpms import bootstrap
from mpms.cli.database import database
from mpms.demo.people import PEOPLE, settle_people
from mpms.demo.plant import Plant, factory
from mpms.demo.site import DemoSite
from mpms.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "screens"
WIDTHS = {360: 740, 1024: 768, 1920: 1080}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


def main(words: list[str]) -> int:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("Chromium is not installed.", file=sys.stderr)
        return 1
    OUT.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="mpms-screens-"))
    home.chmod(0o711)
    settings = Settings(state_dir=home, web_port=0)
    try:
        with database(settings) as url:
            bootstrap.migrate_database(url)
            with factory(
                url, settings, speed=10.0, patience_s=1e9, pause_s=0.0
            ) as plant:
                settle_people(plant.services.uow)
                with (
                    DemoSite(settings, url, plant.simulator.url) as site,
                    sync_playwright() as playwright,
                ):
                    browser = playwright.chromium.launch(
                        executable_path=chromium, args=FLAGS
                    )
                    take_all(browser, site.address.rstrip("/"), plant, words)
                    browser.close()
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return 0


def take_all(browser: Browser, address: str, plant: Plant, words: list[str]) -> None:
    numbers = [plant.buyer.send_order() for _ in range(2)]
    task = _wait(lambda: _first_task(plant), "a task")
    shots = {
        "login": (None, "/login"),
        "trust": (None, "/trust"),
        "start": ("sofia", "/"),
        "tasks": ("ana", "/tasks"),
        "task": ("ana", f"/tasks/{task}"),
        "tasks-supervisor": ("sofia", "/tasks"),
        "orders": ("sofia", "/orders"),
        "order": ("sofia", f"/orders/{numbers[0]}"),
        "order-new": ("sofia", "/orders/new"),
        "map": ("vera", "/map"),
        "incidents": ("sofia", "/incidents"),
        "alerts": ("sofia", "/incidents/alerts"),
        "cockpit": ("sofia", "/cockpit"),
        "process": ("sofia", "/cockpit/warehouse?show=duration"),
        "instance": ("sofia", f"/cockpit/i/{_instance_of(plant, task)}"),
        "bulk": ("sofia", "/batches"),
        "figures": ("sofia", "/figures"),
        "models": ("adam", "/models"),
        "model-version": ("adam", "/models/warehouse/1"),
        "model-editor": ("adam", "/models/warehouse/edit"),
        "decision": ("adam", "/models/decisions/weight_tolerance"),
        "form-preview": ("adam", "/models/forms/load_material"),
        "plant": ("adam", "/admin"),
        "plant-people": ("adam", "/admin/people"),
        "plant-robots": ("adam", "/admin/robots"),
        "plant-floor": ("adam", "/admin/floor"),
        "warehouse-trial": ("adam", "/warehouse/trial"),
        "plant-places": ("adam", "/admin/places"),
        "plant-material": ("adam", "/admin/places/materials/RM-001"),
        "plant-recipe": ("adam", "/admin/places/recipes/new"),
        "plant-versions": ("adam", "/admin/places/versions"),
        "plant-settings": ("adam", "/admin/settings"),
        "plant-audit": ("adam", "/admin/audit"),
        "tokens": ("adam", "/tokens"),
        "webhooks": ("adam", "/webhooks"),
        "api": ("adam", "/api/v1/docs"),
        "design": ("adam", "/design"),
        "me": ("ana", "/me"),
        "tablets": ("sofia", "/tablets"),
        "missing": ("sofia", "/no-such-page"),
    }
    for name, (login, path) in shots.items():
        if words and not any(word in name for word in words):
            continue
        for width, height in WIDTHS.items():
            for scheme in ("light", "dark"):
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme=scheme,
                    service_workers="block",
                )
                page = context.new_page()
                if login is not None:
                    _sign_in(page, address, login)
                page.goto(address + path)
                page.wait_for_timeout(1500)
                page.screenshot(path=OUT / f"{name}-{width}-{scheme}.png")
                context.close()
        print(name)


def _sign_in(page: Page, address: str, login: str) -> None:
    person = next(p for p in PEOPLE if p.login == login)
    page.goto(f"{address}/login")
    page.locator("input[name=login]:not([type=hidden])").fill(person.login)
    page.locator("input[type=password]").fill(person.password)
    page.locator("form:has(input[type=password]) button").first.click()
    page.wait_for_url(re.compile(rf"^{re.escape(address)}/(?!login)"))


def _first_task(plant: Plant) -> str | None:
    with plant.services.uow() as tx:
        tasks = tx.tasks.open()
    return tasks[0].task_id if len(tasks) >= 2 else None


def _instance_of(plant: Plant, task_id: str) -> str:
    with plant.services.uow() as tx:
        return next(t.instance_id for t in tx.tasks.open() if t.task_id == task_id)


def _wait(find: Callable[[], str | None], what: str) -> str:
    give_up_at = time.monotonic() + 120.0
    while time.monotonic() < give_up_at:
        if (found := find()) is not None:
            return found
        time.sleep(0.2)
    raise TimeoutError(f"waited in vain for {what}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
