// The part that never moves: rooms, walls, racks in metres; names in pixels, so that
// they stay readable at any zoom.

import { t } from "../../texts.js";
import { line, put, svg } from "./drawing.js";
import type { FloorPlan, PlaceOnPlan, Point } from "./types.js";
import type { Box, Viewport } from "./viewport.js";
import { shown } from "./labels.js";

const SPOT = 0.9; // metres
const REACH = 2.2;
const OUT = 12; // pixels

let grids = 0; // a page may have two maps

export function boundsOf(plan: FloorPlan): Box {
  const xs = plan.walls.flatMap((wall) => [wall[0], wall[2]]);
  const ys = plan.walls.flatMap((wall) => [wall[1], wall[3]]);
  for (const place of plan.places) {
    xs.push(place.x);
    ys.push(place.y);
  }
  if (plan.walls.length === 0 || xs.length === 0)
    return { left: plan.left, bottom: plan.bottom, width: plan.width, height: plan.height };
  const [left, bottom] = [Math.min(...xs), Math.min(...ys)];
  return {
    left,
    bottom,
    width: Math.max(Math.max(...xs) - left, 1),
    height: Math.max(Math.max(...ys) - bottom, 1),
  };
}

export function drawGround(plan: FloorPlan): SVGGElement {
  const ground = svg("g", { class: "map-ground" });
  const grid = `map-grid-${++grids}`;
  ground.append(metreGrid(grid));
  for (const room of plan.rooms) {
    const d = `${line(room)}Z`;
    ground.append(svg("path", { class: "map-room", d }));
    ground.append(svg("path", { d, fill: `url(#${grid})` }));
  }
  // On the floor of the town, below all else.
  ground.append(drawStreets(plan));
  for (const place of plan.places) ground.append(spot(place));
  const tanks = plan.places
    .filter((place) => place.kind === "tank")
    .map((place) => String(near(place, plan)));
  for (const rack of plan.racks) {
    const [left, bottom, width, height] = rack;
    const shape = { class: "map-rack", x: left, y: -bottom - height, width, height };
    const [cx, cy] = middleOf(rack);
    const isTank = tanks.includes(String([cx, cy]));
    const r = Math.min(width, height) / 2;
    ground.append(
      isTank
        ? svg("circle", { class: "map-rack map-tank", cx, cy: -cy, r })
        : svg("rect", { ...shape, rx: 0.05 }),
    );
  }
  const walls = plan.walls.map(([x1, y1, x2, y2]) => `M${x1} ${-y1}L${x2} ${-y2}`);
  ground.append(svg("path", { class: "map-walls", d: walls.join("") }));
  return ground;
}

// Roads, sidewalks and crossings, and what stands on them.
function drawStreets(plan: FloorPlan): SVGGElement {
  const streets = svg("g", { class: "map-streets" });
  for (const { kind, x1_m, y1_m, x2_m, y2_m } of plan.ground) {
    const [width, height] = [x2_m - x1_m, y2_m - y1_m];
    const at = { x: x1_m, y: -y2_m, width, height };
    streets.append(svg("rect", { ...at, class: `map-${kind}` }));
    if (kind === "crossings") streets.append(stripes(x1_m, -y2_m, width, height));
  }
  for (const { id, corners, on_map } of plan.obstacles) {
    const known = on_map ? "" : " map-obstacle-unknown";
    const name = svg("title");
    name.textContent = on_map ? shown(id) : t("{name}, on no map", { name: shown(id) });
    const d = `${line(corners)}Z`;
    streets.append(svg("path", { class: `map-obstacle${known}`, d }, name));
  }
  return streets;
}

// People walk along the longer side; stripes lie across it.
function stripes(x: number, y: number, width: number, height: number): SVGPathElement {
  const [far, upright] = height > width ? [height, true] : [width, false];
  let d = "";
  for (let at = 0.3; at + 0.3 < far; at += 1)
    d += upright ? `M${x} ${y + at + 0.2}h${width}` : `M${x + at + 0.2} ${y}v${height}`;
  return svg("path", { class: "map-stripes", d });
}

function spot(place: PlaceOnPlan): SVGRectElement {
  const turn = (-place.yaw * 180) / Math.PI;
  return svg("rect", {
    class: `map-spot map-spot-${place.kind}`,
    x: -SPOT / 2,
    y: -SPOT / 2,
    width: SPOT,
    height: SPOT,
    rx: 0.12,
    transform: `translate(${place.x} ${-place.y}) rotate(${turn.toFixed(1)})`,
  });
}

function metreGrid(id: string): SVGPatternElement {
  const lines = svg("path", { class: "map-grid", d: "M1 0H0V1" });
  const metre = { id, width: 1, height: 1, patternUnits: "userSpaceOnUse" };
  return svg("pattern", metre, lines);
}

function middleOf([left, bottom, width, height]: FloorPlan["racks"][number]): Point {
  return [left + width / 2, bottom + height / 2];
}

// The middle of the rack or tank that a place serves.
function near(place: PlaceOnPlan, plan: FloorPlan): Point | undefined {
  return plan.racks
    .map(middleOf)
    .map((middle) => ({ middle, far: Math.hypot(middle[0] - place.x, middle[1] - place.y) }))
    .filter(({ far }) => far < REACH)
    .sort((one, other) => one.far - other.far)[0]?.middle;
}

interface Sign {
  x: number;
  y: number;
  outX: number; // pixels away from where robots stop
  outY: number;
  width: number; // pixels
  height: number;
  minor: boolean; // gives way to other names
  element: SVGGElement;
}

export class Signs {
  readonly element = svg("g", { class: "map-signs" });
  private readonly signs: Sign[] = [];

  constructor(plan: FloorPlan, small: boolean, wanted: string | null) {
    for (const place of plan.places) {
      if (place.kind === "home") {
        if (!small) this.add(place, place.x, place.y, 0, 0, this.parking());
        continue;
      }
      // A name stands on its rack, where no robot hides it.
      const [x, y] = near(place, plan) ?? [place.x, place.y];
      const here = place.name === wanted;
      const name = shown(place.name);
      const little = small || (place.kind === "place" && !here);
      const height = little ? 24 : 34;
      const width = Math.max(height, name.length * (little ? 9 : 12) + 14);
      this.add(place, x, y, width, height, this.board(name, width, height, little, here));
    }
    // Those that give way come last, when it is known what stands in their way.
    this.signs.sort((one, other) => Number(one.minor) - Number(other.minor));
  }

  arrange(view: Viewport): void {
    const taken: { onX: number; onY: number; width: number; height: number }[] = [];
    for (const { x, y, outX, outY, width, height, minor, element } of this.signs) {
      const [onX, onY] = [view.x(x) + outX, view.y(y) + outY];
      put(element, "transform", `translate(${onX.toFixed(1)} ${onY.toFixed(1)})`);
      const hidden =
        minor &&
        taken.some(
          (other) =>
            Math.abs(other.onX - onX) < (other.width + width) / 2 &&
            Math.abs(other.onY - onY) < (other.height + height) / 2,
        );
      put(element, "display", hidden ? "none" : "inline");
      if (!hidden && width > 0) taken.push({ onX, onY, width, height });
    }
  }

  private add(
    place: PlaceOnPlan,
    x: number,
    y: number,
    width: number,
    height: number,
    element: SVGGElement,
  ): void {
    element.dataset["place"] = place.name;
    this.element.append(element);
    const far = Math.hypot(x - place.x, y - place.y);
    const out = far > 0 ? OUT / far : 0;
    const [outX, outY] = [(x - place.x) * out, -(y - place.y) * out];
    const minor = place.kind === "place";
    this.signs.push({ x, y, outX, outY, width, height, minor, element });
  }

  private board(
    name: string,
    width: number,
    height: number,
    small: boolean,
    here: boolean,
  ): SVGGElement {
    const text = svg("text", { class: "map-sign-text", y: small ? 5 : 7 });
    text.textContent = name;
    return svg(
      "g",
      { class: `map-sign${small ? " map-sign-small" : ""}${here ? " map-sign-here" : ""}` },
      svg("rect", { x: -width / 2, y: -height / 2, width, height, rx: 6 }),
      text,
    );
  }

  private parking(): SVGGElement {
    const text = svg("text", { class: "map-parking", y: 5 });
    text.textContent = "P";
    return svg("g", {}, text);
  }
}
