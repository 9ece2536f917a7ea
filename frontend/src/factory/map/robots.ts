// Robots, drawn in pixels over the floor. Frames come five times a second; between two
// of them a robot glides. Only what moves is touched, thirty times a second or, for
// many robots, fifteen.

import { put, svg, write } from "./drawing.js";
import type { RobotFrame, Shape } from "./types.js";
import type { Viewport } from "./viewport.js";
import { GREY_AFTER_S, shown, type Label, labelOf } from "./labels.js";

const BADGES: Record<string, string> = {
  offline: "M-4 -4L4 4M4 -4L-4 4",
  stop: "M0 -4V1M0 4V4.1",
  warn: "M0 -4V1M0 4V4.1",
};
const RING = 17;
const SMALL_SCALE = 22; // pixels a metre, below which robots shrink
const SHORTEST_CAR = 34; // pixels
const STILL_M = 0.004;
const STILL_RAD = 0.01;
const LONGEST_GLIDE_MS = 1000;
const PICTURE_MS = 30;
const MANY = 8; // robots; with more of them half the pictures do

interface Pose {
  x: number;
  y: number;
  yaw: number;
}

export interface Robot {
  frame: RobotFrame;
  heardAt: number; // when its position was true, by the browser's clock
  label: Label;
  at: Pose | null;
}

function turned(from: number, to: number): number {
  return Math.atan2(Math.sin(to - from), Math.cos(to - from));
}

class Marker {
  readonly element = svg("g", { class: "robot" });
  private readonly shape = svg("g", { class: "robot-shape" });
  private readonly body = svg("g", { class: "robot-body" });
  private readonly ring = svg("circle", {
    class: "robot-ring",
    r: RING,
    pathLength: 100,
    transform: "rotate(-90)",
  });
  private readonly badge = svg("g", { class: "robot-badge" });
  private readonly sign = svg("path", {});
  private readonly name = svg("text", { class: "robot-name", y: 36 });
  private readonly task = svg("text", { class: "robot-task", y: 52 });
  private from: Pose | null = null;
  private to: Pose | null = null;
  private startAt = 0;
  private glideMs = 200;
  private frameAt = 0;
  private arrived = true;
  private readonly car: Car | null = null;
  now: Pose | null = null;

  constructor(id: string, shape: Shape | undefined) {
    this.element.dataset["robot"] = id;
    if (shape) {
      this.car = new Car(shape);
      this.element.classList.add("robot-is-car");
      this.body.append(this.car.element);
    } else
      this.body.append(
        svg("path", { class: "robot-nose", d: "M13 -8L25 0L13 8Z" }),
        svg("circle", { class: "robot-core", r: 13 }),
        svg("path", { class: "robot-arrow", d: "M-5 -6L6 0L-5 6L-2 0Z" }),
      );
    this.badge.append(svg("circle", { r: 9 }), this.sign);
    this.badge.setAttribute("transform", "translate(15 -15)");
    this.shape.append(
      svg("circle", { class: "robot-chosen", r: 26 }),
      svg("circle", { class: "robot-track", r: RING }),
      this.ring,
      this.body,
      this.badge,
    );
    const touch = svg("circle", { class: "robot-touch", r: 24 });
    this.element.append(touch, this.shape, this.name, this.task);
    this.name.textContent = id;
  }

  aim(frame: RobotFrame, at: number, glide: boolean): void {
    const interval = Math.min(LONGEST_GLIDE_MS, at - this.frameAt);
    this.frameAt = at;
    if (frame.x === null || frame.y === null) {
      this.to = this.now = null;
      return;
    }
    const to = { x: frame.x, y: frame.y, yaw: frame.yaw ?? this.now?.yaw ?? 0 };
    this.to = to;
    const jump = this.now && Math.hypot(to.x - this.now.x, to.y - this.now.y) > 3;
    if (!this.now || !glide || jump) {
      this.from = this.now = to;
      this.arrived = true;
      return;
    }
    const far = Math.hypot(to.x - this.now.x, to.y - this.now.y);
    if (far < STILL_M && Math.abs(turned(this.now.yaw, to.yaw)) < STILL_RAD) return;
    this.from = this.now;
    this.startAt = at;
    this.glideMs += 0.2 * (interval - this.glideMs);
    this.arrived = false;
  }

  // Whether it still moves.
  glide(at: number): boolean {
    if (this.arrived || !this.from || !this.to) return false;
    const share = Math.min(1, (at - this.startAt) / (this.glideMs * 1.15));
    this.now = {
      x: this.from.x + share * (this.to.x - this.from.x),
      y: this.from.y + share * (this.to.y - this.from.y),
      yaw: this.from.yaw + share * turned(this.from.yaw, this.to.yaw),
    };
    this.arrived = share >= 1;
    return true;
  }

  place(view: Viewport): void {
    put(this.element, "display", this.now ? "inline" : "none");
    if (!this.now) return;
    const [x, y] = [view.x(this.now.x), view.y(this.now.y)];
    put(this.element, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    const size = view.scale < SMALL_SCALE ? 0.75 : 1;
    this.car?.grow(view.scale / size);
    put(this.shape, "transform", `scale(${size})`);
    const below = Math.round(Math.max(36 * size, this.car?.reach(this.now.yaw, size) ?? 0));
    put(this.name, "y", String(below));
    put(this.task, "y", String(below + 16));
    const degrees = ((-this.now.yaw * 180) / Math.PI).toFixed(1);
    put(this.body, "transform", `rotate(${degrees})`);
  }

  // Names on top of each other help nobody: the list has them all.
  hides(other: Marker, view: Viewport): boolean {
    if (!this.now || !other.now) return false;
    const [far, high] = [this.now.x - other.now.x, this.now.y - other.now.y];
    return Math.abs(far) * view.scale < 56 && Math.abs(high) * view.scale < 18;
  }

  say(robot: Robot, chosen: boolean, detailed: boolean, crowded: boolean): void {
    const { frame, label } = robot;
    const tone = label.icon === "offline" ? "grey" : label.tone || "ok";
    const marks = `${chosen ? " robot-is-chosen" : ""}${crowded ? " robot-crowded" : ""}`;
    const car = this.car ? " robot-is-car" : "";
    put(this.element, "class", `robot robot-${tone}${car}${marks}`);
    this.car?.steer(frame.steering ?? 0);
    const battery = Math.round((frame.battery ?? 0) * 100);
    put(this.ring, "stroke-dasharray", `${battery} 100`);
    const charge = battery <= 15 ? "low" : battery <= 30 ? "medium" : "good";
    put(this.ring, "class", `robot-ring robot-ring-${charge}`);
    const drawn = BADGES[label.icon];
    put(this.badge, "display", drawn ? "inline" : "none");
    put(this.sign, "d", drawn ?? "");
    let task = "";
    if (drawn) task = label.text;
    else if (detailed || chosen) {
      const goal = frame.place === null ? "" : `→ ${shown(frame.place)}`;
      task = [goal, frame.order ?? ""].filter(Boolean).join(" · ");
    }
    write(this.task, task);
  }
}

// Drawn as large as it is on the floor, but never too small to be seen.
class Car {
  readonly element = svg("g", { class: "robot-car" });
  private readonly front: SVGRectElement[] = [];
  private readonly long: number;
  private scale = 0;

  constructor(private readonly shape: Shape) {
    const { back, front, half, wheel_base, track } = shape;
    this.long = front - back;
    const d = `M${back} ${-half}H${front - 0.3 * half}L${front} ${-0.6 * half}V${0.6 * half}L${front - 0.3 * half} ${half}H${back}Z`;
    const nose = Math.min(half, 0.35 * this.long);
    const middle = back + 0.55 * this.long;
    const arrow = `M${middle - nose} ${-0.6 * nose}L${middle + 0.5 * nose} 0L${middle - nose} ${0.6 * nose}L${middle - 0.6 * nose} 0Z`;
    this.element.append(svg("path", { class: "robot-core", d }));
    for (const side of [-1, 1]) {
      this.element.append(this.wheel(0, (side * track) / 2));
      const turned = this.wheel(wheel_base, (side * track) / 2);
      this.front.push(turned);
      this.element.append(turned);
    }
    this.element.append(svg("path", { class: "robot-arrow", d: arrow }));
  }

  // Pixels a metre; the marker turns about the rear axle, as the vehicle does.
  grow(scale: number): void {
    const seen = Math.max(scale, SHORTEST_CAR / this.long);
    if (seen === this.scale) return;
    this.scale = seen;
    put(this.element, "transform", `scale(${seen.toFixed(2)})`);
  }

  // Pixels below the rear axle at which a name is free of the body.
  reach(yaw: number, size: number): number {
    const { back, front, half } = this.shape;
    const along = Math.max(-front * Math.sin(yaw), -back * Math.sin(yaw));
    return (along + half * Math.abs(Math.cos(yaw))) * this.scale * size + 18;
  }

  steer(angle: number): void {
    const { wheel_base, track } = this.shape;
    const degrees = ((-angle * 180) / Math.PI).toFixed(1);
    this.front.forEach((wheel, index) => {
      const y = ((index === 0 ? -1 : 1) * track) / 2;
      put(wheel, "transform", `rotate(${degrees} ${wheel_base} ${y})`);
    });
  }

  private wheel(x: number, y: number): SVGRectElement {
    const { wheel_radius, wheel_width } = this.shape;
    return svg("rect", {
      class: "robot-wheel",
      x: x - wheel_radius,
      y: y - wheel_width / 2,
      width: 2 * wheel_radius,
      height: wheel_width,
    });
  }
}

export class Robots {
  readonly element = svg("g", { class: "map-robots" });
  readonly known = new Map<string, Robot>();
  chosen: string | null = null;
  private readonly markers = new Map<string, Marker>();
  private readonly calm = matchMedia("(prefers-reduced-motion: reduce)");
  private running = false;
  private drawnAt = 0;

  constructor(
    private readonly view: Viewport,
    private readonly detailedUpTo: number,
    private readonly shapes: Record<string, Shape> = {},
  ) {}

  take(frames: RobotFrame[], at: number): void {
    const there = new Set(frames.map((frame) => frame.id));
    for (const [id, marker] of this.markers)
      if (!there.has(id)) {
        marker.element.remove();
        this.markers.delete(id);
        this.known.delete(id);
      }
    for (const frame of frames) {
      const marker = this.marker(frame.id);
      marker.aim(frame, at, !this.calm.matches);
      const heardAt = frame.age_s === null ? NaN : at - frame.age_s * 1000;
      const label = labelOf(frame, frame.age_s);
      this.known.set(frame.id, { frame, heardAt, label, at: marker.now });
    }
    this.say(at);
    this.arrange();
    this.run();
  }

  // Ages grow also when no frame comes.
  say(at: number): void {
    const detailed = this.known.size <= this.detailedUpTo;
    const named: Marker[] = [];
    for (const [id, robot] of this.known) {
      robot.label = labelOf(robot.frame, this.age(robot, at));
      const marker = this.markers.get(id);
      if (!marker) continue;
      const chosen = id === this.chosen;
      const crowded = !chosen && named.some((other) => other.hides(marker, this.view));
      if (!crowded) named.push(marker);
      marker.say(robot, chosen, detailed, crowded);
    }
  }

  age(robot: Robot, at: number): number | null {
    return Number.isNaN(robot.heardAt) ? null : (at - robot.heardAt) / 1000;
  }

  grey(robot: Robot, at: number): boolean {
    const age = this.age(robot, at);
    return age === null || age > GREY_AFTER_S || robot.frame.link !== "up";
  }

  where(id: string): Pose | null {
    return this.markers.get(id)?.now ?? null;
  }

  choose(id: string | null): void {
    this.chosen = id;
    this.say(performance.now());
    const marker = id === null ? undefined : this.markers.get(id);
    if (marker) this.element.append(marker.element);
  }

  arrange(): void {
    for (const marker of this.markers.values()) marker.place(this.view);
  }

  private marker(id: string): Marker {
    let marker = this.markers.get(id);
    if (!marker) {
      marker = new Marker(id, this.shapes[id]);
      this.markers.set(id, marker);
      this.element.append(marker.element);
    }
    return marker;
  }

  private run(): void {
    if (this.running) return;
    this.running = true;
    requestAnimationFrame((at) => this.picture(at));
  }

  private picture(at: number): void {
    const rest = this.markers.size > MANY ? 2 * PICTURE_MS : PICTURE_MS;
    if (at - this.drawnAt < rest) {
      requestAnimationFrame((later) => this.picture(later));
      return;
    }
    this.drawnAt = at;
    let moving = false;
    for (const marker of this.markers.values())
      if (marker.glide(at)) {
        marker.place(this.view);
        moving = true;
      }
    this.running = moving;
    if (moving) requestAnimationFrame((later) => this.picture(later));
  }
}
