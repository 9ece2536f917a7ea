// One map on a page: brings the parts together.

import { t } from "../../texts.js";
import { put, svg } from "./drawing.js";
import { Frames, fetchPlan } from "./frames.js";
import { People } from "./people.js";
import { Ways } from "./paths.js";
import { boundsOf, drawGround, Signs } from "./plan.js";
import { Robots } from "./robots.js";
import { Senses, type Sense } from "./senses.js";
import { Side } from "./side.js";
import { layerTools, zoomTools } from "./tools.js";
import type { FloorFrame, FloorPlan } from "./types.js";
import { Viewport } from "./viewport.js";

export interface MapOptions {
  compact?: boolean; // no tools, no list: part of another page
  robot?: string | undefined; // chosen at first
  place?: string | undefined; // marked
  still?: boolean; // shows only what it is given
}

const TRAILS_UP_TO = 8; // robots; more would be a web
const TASKS_UP_TO = 8;
const SIDE_MS = 500;

export class FloorMap {
  private readonly view: Viewport;
  // The ground is a picture of its own, so that what moves over it does not redraw it.
  private readonly ground = svg("svg", { class: "map-drawing map-under", "aria-hidden": "true" });
  private readonly fixed = svg("g", { class: "map-floor" });
  private readonly drawing = svg("svg", { class: "map-drawing", "aria-hidden": "true" });
  private readonly floor = svg("g", { class: "map-floor" });
  private readonly signs: Signs;
  private readonly robots: Robots;
  private readonly ways = new Ways();
  private readonly people = new People();
  private readonly senses: Senses;
  private readonly side: Side | null = null;
  private readonly frames: Frames | null;
  private readonly bar = svg("path", { class: "map-scale-line" });
  private readonly barText = svg("text", { class: "map-scale-text" });
  private sideAt = 0;
  private count = 0;
  private wish: string | null;

  constructor(
    private readonly element: HTMLElement,
    plan: FloorPlan,
    options: MapOptions,
  ) {
    const compact = options.compact ?? false;
    this.wish = options.robot ?? null;
    element.classList.add("floor-map");
    element.classList.toggle("floor-map-compact", compact);
    const narrow = element.clientWidth < 600;
    const margins = compact
      ? { top: 24, right: 32, bottom: 40, left: 32 }
      : narrow
        ? { top: 84, right: 44, bottom: 84, left: 44 }
        : { top: 92, right: 104, bottom: 72, left: 64 };
    this.view = new Viewport(element, boundsOf(plan), () => this.arrange(), margins);
    this.signs = new Signs(plan, compact || narrow, options.place ?? null);
    this.robots = new Robots(this.view, compact || narrow ? 1 : TASKS_UP_TO, plan.shapes);
    this.senses = new Senses(() =>
      this.robots.chosen === null ? [...this.robots.known.keys()] : [this.robots.chosen],
    );
    this.fixed.append(drawGround(plan));
    this.ground.append(this.fixed, this.signs.element);
    this.floor.append(
      this.senses.element,
      this.ways.element,
      this.people.circles,
    );
    this.drawing.append(
      this.floor,
      this.people.dots,
      this.robots.element,
      svg("g", { class: "map-scale" }, this.bar, this.barText),
    );
    element.replaceChildren(this.ground, this.drawing);
    if (compact) this.describe("img", t("Map of {name}", { name: plan.name }));
    else {
      this.describe("group", t("Map of {name}. Arrow keys move it, plus and minus zoom, 0 shows the whole floor.", { name: plan.name }));
      element.tabIndex = 0;
      this.side = new Side(this.robots, plan, (id) => this.choose(id));
      this.view.listen();
      element.addEventListener("click", (event) => this.tap(event));
      element.append(zoomTools(this.view), this.layers());
    }
    this.view.start();
    const still = options.still ?? false;
    this.frames = still ? null : new Frames((frame) => this.take(frame));
    if (!still) setInterval(() => this.grow(), 1000);
  }

  take(frame: FloorFrame): void {
    const now = performance.now();
    this.robots.take(frame.robots, now);
    this.people.take(frame.people, this.view);
    const chosen = this.robots.chosen;
    if (!this.ways.take(frame.robots, chosen, TRAILS_UP_TO)) this.frames?.wantPaths();
    if (this.wish !== null && this.robots.known.has(this.wish)) {
      const wish = this.wish;
      this.wish = null;
      this.choose(wish);
    }
    if (now - this.sideAt > SIDE_MS) {
      this.sideAt = now;
      this.side?.refresh(now);
      this.side?.refreshPeople(frame.people);
    }
    this.element.dataset["frames"] = String(++this.count);
  }

  choose(id: string | null): void {
    this.robots.choose(id);
    this.side?.openRobot();
    this.side?.refresh(performance.now());
    const where = id === null ? null : this.robots.where(id);
    if (where) this.view.reveal(where.x, where.y);
    if (this.senses.any) void this.senses.refresh();
  }

  private describe(role: string, label: string): void {
    this.element.setAttribute("role", role);
    this.element.setAttribute("aria-label", label);
  }

  private layers(): HTMLElement {
    const hide = (part: Element) => (on: boolean) =>
      put(part, "display", on ? "inline" : "none");
    const sense = (name: Sense) => (on: boolean) => this.senses.show(name, on);
    return layerTools([
      { name: t("Floor"), on: true, show: hide(this.fixed) },
      { name: t("Robots"), on: true, show: hide(this.robots.element) },
      { name: t("Paths"), on: true, show: hide(this.ways.element) },
      { name: t("Local path"), on: false, show: sense("localPlan") },
      {
        name: t("People"),
        on: true,
        show: (on) => {
          hide(this.people.dots)(on);
          hide(this.people.circles)(on);
        },
      },
      { name: t("Laser"), on: false, show: sense("scan") },
      { name: t("Local costmap"), on: false, show: sense("costmap") },
      { name: t("Global costmap"), on: false, show: sense("whole") },
    ]);
  }

  private tap(event: MouseEvent): void {
    if (this.view.dragged || !(event.target instanceof Element)) return;
    const robot = event.target.closest<SVGElement>("[data-robot]")?.dataset["robot"];
    const place = event.target.closest<SVGElement>("[data-place]")?.dataset["place"];
    if (robot) this.choose(robot === this.robots.chosen ? null : robot);
    else if (place) this.side?.openPlace(place);
  }

  private grow(): void {
    const now = performance.now();
    this.robots.say(now);
    this.side?.refresh(now);
  }

  private arrange(): void {
    const { scale, shiftX, shiftY, width, height } = this.view;
    for (const picture of [this.ground, this.drawing])
      put(picture, "viewBox", `0 0 ${width} ${height}`);
    const matrix = [scale, 0, 0, scale, shiftX, shiftY].map((n) => n.toFixed(3));
    for (const floor of [this.fixed, this.floor])
      put(floor, "transform", `matrix(${matrix.join(" ")})`);
    this.signs.arrange(this.view);
    this.robots.arrange();
    this.people.arrange(this.view);
    this.measure(scale, height);
  }

  private measure(scale: number, height: number): void {
    const metres = [0.5, 1, 2, 5, 10, 20, 50, 100].find((m) => m * scale >= 60) ?? 200;
    const right = 16 + metres * scale;
    put(this.bar, "d", `M16 ${height - 22}v6H${right.toFixed(1)}v-6`);
    put(this.barText, "x", "16");
    put(this.barText, "y", String(height - 28));
    this.barText.textContent = `${metres} m`;
  }
}

export async function mountMap(
  element: HTMLElement,
  options: MapOptions = {},
): Promise<FloorMap | null> {
  try {
    return new FloorMap(element, await fetchPlan(), options);
  } catch (failure) {
    console.warn(failure);
    element.textContent = t("The floor plan cannot be loaded. Reload the page.");
    return null;
  }
}
