// The way ahead (dashed) and the way behind (fading). The server sends both once; then
// the trail grows with the robot, and a new plan is asked for when its number changes.

import { line, put, svg } from "./drawing.js";
import type { Point, RobotFrame } from "./types.js";

const KEPT = 120;
const STEP_M = 0.25;
const JUMP_M = 3;
const PARTS = 5; // of a trail, each paler than the one before

class Way {
  readonly element = svg("g", { class: "way" });
  private readonly planned = svg("path", { class: "way-plan" });
  private readonly goal = svg("circle", { class: "way-goal", r: 0.16 });
  private readonly trail: SVGPathElement[] = [];
  private plan: Point[] = [];
  private planNo = 0;
  private driven: Point[] = [];

  constructor() {
    for (let part = 0; part < PARTS; part++)
      this.trail.push(svg("path", { class: "way-driven", "stroke-opacity": 0.12 + part * 0.15 }));
    this.element.append(...this.trail, this.planned, this.goal);
  }

  // Whether the plan of this frame is known.
  take(frame: RobotFrame): boolean {
    if (frame.driven) this.driven = [...frame.driven];
    if (frame.plan) {
      this.plan = frame.plan;
      this.planNo = frame.path_no;
    }
    const here: Point | null =
      frame.x === null || frame.y === null ? null : [frame.x, frame.y];
    const grown = here !== null && this.grow(here);
    if (grown || frame.driven) this.drawTrail();
    if (frame.path_no === 0) this.plan = [];
    const known = frame.path_no === 0 || frame.path_no === this.planNo;
    this.drawPlan(known ? here : null);
    return known;
  }

  private grow(here: Point): boolean {
    const last = this.driven.at(-1);
    const far = last ? Math.hypot(here[0] - last[0], here[1] - last[1]) : Infinity;
    if (far < STEP_M) return false;
    if (far > JUMP_M) this.driven = [];
    this.driven.push(here);
    if (this.driven.length > KEPT) this.driven.shift();
    return true;
  }

  private drawTrail(): void {
    const size = Math.ceil(KEPT / PARTS);
    const missing = KEPT - this.driven.length;
    this.trail.forEach((path, part) => {
      const from = Math.max(0, part * size - missing);
      const to = Math.max(0, (part + 1) * size - missing);
      const points = this.driven.slice(Math.max(0, from - 1), to);
      put(path, "d", points.length > 1 ? line(points) : "");
    });
  }

  private drawPlan(here: Point | null): void {
    const end = this.plan.at(-1);
    const rest = here && this.plan.length > 1 ? [here, ...this.plan.slice(1)] : [];
    put(this.planned, "d", rest.length > 1 ? line(rest) : "");
    put(this.goal, "display", rest.length > 1 ? "inline" : "none");
    if (end) {
      put(this.goal, "cx", String(end[0]));
      put(this.goal, "cy", String(-end[1]));
    }
  }
}

export class Ways {
  readonly element = svg("g", { class: "map-ways" });
  private readonly ways = new Map<string, Way>();

  // Whether all plans are known.
  take(frames: RobotFrame[], chosen: string | null, most: number): boolean {
    let known = true;
    const trails = frames.length <= most;
    for (const frame of frames) {
      let way = this.ways.get(frame.id);
      if (!way) {
        way = new Way();
        this.ways.set(frame.id, way);
        this.element.append(way.element);
      }
      known = way.take(frame) && known;
      const mine = frame.id === chosen;
      const trail = trails || mine ? "" : " way-no-trail";
      const grey = frame.grey ? " way-grey" : "";
      put(way.element, "class", `way${mine ? " way-chosen" : ""}${trail}${grey}`);
    }
    for (const [id, way] of this.ways)
      if (!frames.some((frame) => frame.id === id)) {
        way.element.remove();
        this.ways.delete(id);
      }
    return known;
  }
}
