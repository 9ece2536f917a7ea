// The drawing: walls, parts in metres below a transform, handles as large as fingers.

import { line, svg } from "../map/drawing.js";
import { Viewport } from "../map/viewport.js";
import { type Corner, type Floor, onGrid, type Part, type Point, samePart } from "./draft.js";
import { door, moveDoor, moveWall, wallIndex, wallName } from "./solid.js";

const FINGER = 14; // pixels
const LETTERS = 13;
const NEAR = 22;
const MARGINS = { top: 16, right: 16, bottom: 16, left: 16 };
const ROLES: Record<string, string> = {
  places: "place",
  storage: "storage",
  inputs: "input",
  outputs: "output",
  waiting: "waiting",
};

export interface Drawn {
  tap: (at: Point, part: Part | null, place: string | undefined) => void;
  move: (part: Part, corner: number, to: Point) => void;
  moved: () => void;
}

export class Stage {
  selected: Part | null = null;
  wrong: Part[] = [];
  trail: Corner[] = []; // what is being drawn
  robots: { at: Point; radius: number; name: string }[] = []; // of a preview
  readonly view: Viewport;
  private readonly canvas = svg("svg", { class: "floor-canvas", "aria-hidden": "true" });
  private dragging = false;

  constructor(
    private readonly element: HTMLElement,
    private readonly floor: () => Floor,
    private readonly drawn: Drawn,
  ) {
    const { width_m, height_m, origin } = floor().draft.map;
    const box = {
      left: origin?.[0] ?? 0,
      bottom: origin?.[1] ?? 0,
      width: width_m,
      height: height_m,
    };
    element.append(this.canvas);
    element.style.aspectRatio = `${width_m} / ${height_m}`;
    this.view = new Viewport(element, box, () => this.draw(), MARGINS);
    this.view.listen();
    element.addEventListener("click", (event) => this.tap(event));
    this.view.start();
  }

  at(event: MouseEvent): Point {
    const frame = this.element.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    return [(x - this.view.shiftX) / this.view.scale, (this.view.shiftY - y) / this.view.scale];
  }

  draw(): void {
    const { scale, shiftX, shiftY, width, height } = this.view;
    this.canvas.setAttribute("viewBox", `0 0 ${Math.max(1, width)} ${Math.max(1, height)}`);
    this.canvas.classList.toggle("floor-playing", this.robots.length > 0);
    const metres = svg("g", { transform: `translate(${shiftX} ${shiftY}) scale(${scale})` });
    metres.append(this.ground(), ...this.areas(), ...this.walls(), ...this.doors());
    metres.append(...this.lanes(), ...this.spots());
    metres.append(...this.preview(), ...this.unfinished());
    this.canvas.replaceChildren(metres, ...this.handles());
  }

  private px(pixels: number): number {
    return pixels / this.view.scale;
  }

  private classes(part: Part, kind: string): string {
    const picked = samePart(part, this.selected) ? " floor-picked" : "";
    const wrong = this.wrong.some((each) => samePart(part, each)) ? " floor-wrong" : "";
    return `floor-part floor-${kind}${picked}${wrong}`;
  }

  private group(part: Part, kind: string, ...shapes: Element[]): SVGGElement {
    const group = svg("g", { class: this.classes(part, kind) }, ...shapes);
    group.dataset["section"] = part.section;
    group.dataset["name"] = part.name;
    return group;
  }

  private ground(): Element {
    const { map } = this.floor().draft;
    const [left, bottom] = [map.origin?.[0] ?? 0, map.origin?.[1] ?? 0];
    const frame = { x: left, y: -bottom - map.height_m, width: map.width_m, height: map.height_m };
    return svg("rect", { class: "floor-ground", ...frame });
  }

  // Each with a broad line below it that a finger can meet.
  private walls(): Element[] {
    return this.floor().draft.walls.map(([x1, y1, x2, y2], index) => {
      const d = `M${x1} ${-y1}L${x2} ${-y2}`;
      const broad = svg("path", { d, class: "floor-broad", "stroke-width": this.px(NEAR) });
      const part: Part = { section: "walls", name: wallName(index) };
      return this.group(part, "wall", broad, svg("path", { d, class: "floor-line" }));
    });
  }

  private doors(): Element[] {
    return this.floor().draft.doors.map(({ id, x1_m, y1_m, x2_m, y2_m }) => {
      const d = `M${x1_m} ${-y1_m}L${x2_m} ${-y2_m}`;
      const broad = svg("path", { d, class: "floor-broad", "stroke-width": this.px(NEAR) });
      const label = this.name(id, [(x1_m + x2_m) / 2, (y1_m + y2_m) / 2 + this.px(8)]);
      const leaf = svg("path", { d, class: "floor-line" });
      return this.group({ section: "doors", name: id }, "door", broad, leaf, label);
    });
  }

  private areas(): Element[] {
    const floor = this.floor();
    const zones = Object.entries(floor.draft.zones).map(([name, zone]) => {
      const spots = zone.corners.map((corner) => floor.spot(corner));
      const kind = `zone floor-block-${zone.block ?? "open"}`;
      const shape = svg("path", { d: spots.length ? `${line(spots)}Z` : "" });
      return this.group({ section: "zones", name }, kind, shape, this.name(name, middle(spots)));
    });
    const charging = Object.entries(floor.draft.charging).map(([name, zone]) => {
      const [x1, y1, x2, y2] = zone.area;
      const shape = svg("rect", { x: x1, y: -y2, width: x2 - x1, height: y2 - y1 });
      const label = this.name(name, [(x1 + x2) / 2, (y1 + y2) / 2]);
      return this.group({ section: "charging", name }, "charging", shape, label);
    });
    return [...zones, ...charging];
  }

  private lanes(): Element[] {
    const floor = this.floor();
    return floor.draft.lanes.map((lane) => {
      const spots = lane.points.map((corner) => floor.spot(corner));
      const d = line(spots);
      const wide = svg("path", { d, class: "floor-lane-room", "stroke-width": lane.width_m ?? 0.3 });
      const arrows = lane.one_way ? this.arrows(spots) : [];
      const label = this.name(lane.id, middle(spots.slice(0, 2)));
      const core = svg("path", { d, class: "floor-lane-core" });
      return this.group({ section: "lanes", name: lane.id }, "lane", wide, core, ...arrows, label);
    });
  }

  private arrows(spots: Point[]): Element[] {
    return spots.slice(1).map((to, index) => {
      const from = spots[index] ?? to;
      const [x, y] = middle([from, to]);
      const turn = (Math.atan2(-(to[1] - from[1]), to[0] - from[0]) * 180) / Math.PI;
      const size = this.px(9);
      const d = `M${-size} ${-size}L${size} 0L${-size} ${size}Z`;
      const transform = `translate(${x} ${-y}) rotate(${turn.toFixed(1)})`;
      return svg("path", { d, class: "floor-arrow", transform });
    });
  }

  private spots(): Element[] {
    const floor = this.floor();
    const found: Element[] = [];
    const homes = new Set(floor.draft.robots.map(({ home }) => home)); // they say the robot
    for (const section of ["waiting", "places", "storage", "inputs", "outputs"] as const)
      for (const [name, pose] of Object.entries(floor.draft[section])) {
        if (!pose) continue;
        const turn = -(pose.yaw_deg ?? 0);
        const size = Math.max(0.3, this.px(7));
        const [r, tip] = [size, size * 1.7];
        const group = this.group(
          { section, name },
          ROLES[section] ?? "place",
          svg("circle", { r }),
          svg("path", { d: `M${r} ${-r / 2}L${tip} 0L${r} ${r / 2}Z`, transform: `rotate(${turn})` }),
        );
        group.setAttribute("transform", `translate(${pose.x_m} ${-pose.y_m})`);
        const picked = samePart({ section, name }, this.selected);
        if (section === "storage" && name in floor.draft.stock) {
          const half = size * 0.55;
          const box = { x: -half, y: -half, width: 2 * half, height: 2 * half };
          group.append(svg("rect", { class: "floor-stocked", ...box }));
        }
        if (section !== "waiting" && (picked || !homes.has(name)))
          group.append(this.name(name, [0, size * 1.4 + this.px(6)]));
        found.push(group);
      }
    for (const robot of floor.draft.robots) {
      const at = floor.pose(robot.home);
      if (!at) continue;
      const shape = svg("circle", { r: floor.radius(robot.kind) });
      const group = this.group({ section: "robots", name: robot.id }, "robot", shape);
      group.append(this.name(robot.id, [0, -floor.radius(robot.kind) - this.px(16)]));
      group.setAttribute("transform", `translate(${at.x_m} ${-at.y_m})`);
      found.push(group);
    }
    return found;
  }

  private name(text: string, [x, y]: Point): SVGTextElement {
    const label = svg("text", { x, y: -y, "font-size": this.px(LETTERS) });
    label.textContent = text;
    return label;
  }

  private preview(): Element[] {
    return this.robots.map(({ at: [x, y], radius, name }) => {
      const shape = svg("circle", { r: radius });
      const label = this.name(name, [0, radius + this.px(4)]);
      const transform = `translate(${x} ${-y})`;
      return svg("g", { class: "floor-simulated", transform }, shape, label);
    });
  }

  private unfinished(): Element[] {
    if (this.trail.length === 0) return [];
    const spots = this.trail.map((corner) => this.floor().spot(corner));
    const dots = spots.map(([x, y]) => svg("circle", { cx: x, cy: -y, r: this.px(5) }));
    const path = svg("path", { d: line(spots) });
    return [svg("g", { class: "floor-trail" }, path, ...dots)];
  }

  // Round handles on what is selected, in pixels, so that a finger can take them.
  private handles(): Element[] {
    const part = this.selected;
    if (part === null) return [];
    return cornersOf(this.floor(), part).map(([x, y], index) => {
      const place = { cx: this.view.x(x), cy: this.view.y(y), r: FINGER };
      const handle = svg("circle", { class: "floor-handle", ...place });
      handle.addEventListener("pointerdown", (event) => this.grab(event, part, index));
      return handle;
    });
  }

  private grab(event: PointerEvent, part: Part, corner: number): void {
    if (event.button !== 0) return;
    event.stopPropagation();
    event.preventDefault();
    this.dragging = true;
    const move = (moved: PointerEvent): void => {
      if (moved.pointerId === event.pointerId)
        this.drawn.move(part, corner, onGrid(this.at(moved)));
    };
    const end = (ended: PointerEvent): void => {
      if (ended.pointerId !== event.pointerId) return;
      for (const [name, heard] of heardOf) window.removeEventListener(name, heard);
      setTimeout(() => (this.dragging = false)); // the click that follows is none
      this.drawn.moved();
    };
    const heardOf = [
      ["pointermove", move],
      ["pointerup", end],
      ["pointercancel", end],
    ] as const;
    for (const [name, heard] of heardOf) window.addEventListener(name, heard);
  }

  private tap(event: MouseEvent): void {
    if (this.view.dragged || this.dragging) return;
    const at = this.at(event);
    const under = event.target instanceof Element ? event.target.closest(".floor-part") : null;
    const part = under instanceof SVGElement ? partOf(under) : null;
    this.drawn.tap(onGrid(at), part, this.floor().near(at, this.px(NEAR)));
  }
}

function partOf(element: SVGElement): Part {
  const { section, name } = element.dataset;
  return { section: section as Part["section"], name: name ?? "" };
}

function middle(spots: Point[]): Point {
  const count = Math.max(1, spots.length);
  const sum = spots.reduce<Point>(([x, y], [a, b]) => [x + a, y + b], [0, 0]);
  return [sum[0] / count, sum[1] / count];
}

export function cornersOf(floor: Floor, { section, name }: Part): Point[] {
  switch (section) {
    case "lanes":
      return (floor.lane(name)?.points ?? []).map((corner) => floor.spot(corner));
    case "zones":
      return (floor.draft.zones[name]?.corners ?? []).map((corner) => floor.spot(corner));
    case "charging": {
      const area = floor.draft.charging[name]?.area;
      return area ? [[area[0], area[1]], [area[2], area[3]]] : [];
    }
    case "robots": {
      const home = floor.robot(name)?.home;
      return home !== undefined && floor.pose(home) ? [floor.spot(home)] : [];
    }
    case "walls": {
      const wall = floor.draft.walls[wallIndex(name)];
      return wall ? [[wall[0], wall[1]], [wall[2], wall[3]]] : [];
    }
    case "doors": {
      const found = door(floor.draft, name);
      return found ? [[found.x1_m, found.y1_m], [found.x2_m, found.y2_m]] : [];
    }
    case "packages":
      return [];
    default: {
      const pose = floor.draft[section][name];
      return pose ? [[pose.x_m, pose.y_m]] : [];
    }
  }
}

export function moveCorner(floor: Floor, part: Part, corner: number, to: Point): void {
  const { section, name } = part;
  if (section === "lanes") {
    const lane = floor.lane(name);
    if (lane) lane.points[corner] = to;
  } else if (section === "zones") {
    const zone = floor.draft.zones[name];
    if (zone) zone.corners[corner] = to;
  } else if (section === "charging") {
    const zone = floor.draft.charging[name];
    if (!zone) return;
    const [x1, y1, x2, y2] = zone.area;
    zone.area = corner === 0 ? [to[0], to[1], x2, y2] : [x1, y1, to[0], to[1]];
    floor.fillCharging(zone);
  } else if (section === "walls") moveWall(floor.draft, name, corner, to);
  else if (section === "doors") {
    const found = door(floor.draft, name);
    if (found) moveDoor(found, corner, to);
  } else if (section !== "packages") {
    const pose =
      section === "robots" ? floor.pose(floor.robot(name)?.home ?? "") : floor.draft[section][name];
    if (pose) [pose.x_m, pose.y_m] = to;
  }
}
