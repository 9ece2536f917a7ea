"""How soon Start tells what has stopped, and how smoothly the wall screen moves."""

from __future__ import annotations

import random
import time
from typing import Any

SLOWER = 4
LASTS_S = 6.0
SEED = 19
WATCH = """() => {
  const look = () => {
    const said = document.querySelector("#home-now")?.textContent ?? "";
    if (window.wanted && said.includes(window.wanted)) {
      const text = window.wanted;
      window.wanted = null;
      requestAnimationFrame(() => {
        window.shownAt = Date.now();
        document.documentElement.dataset.shown = text;
      });
    }
  };
  new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
}"""
DRIVE = """count => {
  const robots = Array.from({length: count}, (_, n) => ({
    id: `robot${n + 1}`, x: 0, y: 0, yaw: 0, speed: 1, battery: 0.8, link: "up",
    ready: true, why_not: null, doing: "drives", place: "A", order: `MO-${n}`,
    instance: null, stopped: false, age_s: 0, grey: false, path_no: 0}));
  let turn = 0;
  setInterval(() => {
    turn += 1;
    robots.forEach((robot, n) => {
      robot.x = 5 + 4 * Math.cos(turn / 20 + n);
      robot.y = 3 + 3 * Math.sin(turn / 20 + n);
    });
    const detail = {robots: structuredClone(robots), people: []};
    document.body.dispatchEvent(new CustomEvent("live:floor", {detail}));
  }, 200);
}"""


def start_live_ms(page: Any, address: str, plant: Any, samples: int) -> list[float]:
    """Milliseconds from the commit of an incident to the frame of Start with it."""
    rng = random.Random(SEED)
    took_ms = []
    page.goto(f"{address}/")
    page.wait_for_selector('html[data-link="live"]', state="attached")
    page.evaluate(WATCH)
    for turn in range(samples + 2):
        time.sleep(1.0 + rng.random())
        with plant.services.uow() as tx:
            for incident in tx.incidents.listing():
                tx.incidents.close(incident.id, by="bench")
        text = f"BENCH-STOP-{plant._numbers + 1}-"
        page.evaluate("text => { window.wanted = text }", text)
        committed_at = plant.stop_something()
        page.wait_for_selector(f'html[data-shown="{text}"]', state="attached")
        shown_at = page.evaluate("window.shownAt") / 1000
        if turn >= 2:
            took_ms.append((shown_at - committed_at) * 1000)
    return took_ms


def pictures_per_s(page: Any, address: str, *, robots: int) -> float:
    """Pictures that the wall screen paints with this many moving robots, on a processor
    that is slowed down as a cheap tablet."""
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{address}/floor")
    page.wait_for_selector("canvas[data-pictures]", state="attached")
    wire = page.context.new_cdp_session(page)
    wire.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.evaluate(DRIVE, robots)
    time.sleep(1.0)
    count = "[performance.now(), +document.querySelector('canvas').dataset.pictures]"
    began_ms, before = page.evaluate(count)
    time.sleep(LASTS_S)
    ended_ms, after = page.evaluate(count)
    return float((after - before) / (ended_ms - began_ms) * 1000)
