// The wall screen: the plant drawn with depth on a canvas. What stands is painted once
// into a picture of its own; racks, tanks, robots and people are painted every time, the
// far ones first. Frames come five times a second, between two of them things glide.

import { svg } from "./map/drawing.js";
import { Frames, fetchPlan } from "./map/frames.js";
import type { FloorFrame, FloorPlan } from "./map/types.js";
import { language, t } from "../texts.js";

interface MadeOrder {
  number: string;
  product: string;
  tank: string;
  share: number; // of its materials in the tank
  robot: string | null;
  load: string | null;
  stopped: boolean;
}

interface Moving {
  x: number;
  y: number;
  fromX: number;
  fromY: number;
  toX: number;
  toY: number;
  at: number;
  grey: boolean;
}

const GLIDE_MS = 230;
const ASK_MS = 10_000;
const RACK_M = 1.1;
const TANK_M = 1.7;
const TANK_RADIUS_M = 0.55; // where the plan draws no body of it
const TANK_BESIDE_M = 2.5; // a robot docks beside its tank
const ROBOT_M = 0.35;
const COLOURS = ["#4cc3d9", "#ffc04d", "#b28dff", "#7ddc8b", "#ff9e80", "#6ea8ff", "#f28bc1", "#d4e157"];
const MOST_PIXELS = 1.5; // a picture point: more costs and is not seen from afar

function colourOf(order: string | null): string {
  if (!order) return "#8aa0a8";
  const last = Number.parseInt(/\d+$/.exec(order)?.[0] ?? "0", 10);
  return COLOURS[last % COLOURS.length] ?? "#8aa0a8";
}

function darker(colour: string, by: number): string {
  const parts = [1, 3, 5].map((at) => Math.round(Number.parseInt(colour.slice(at, at + 2), 16) * by));
  return `rgb(${parts.join(",")})`;
}

interface Tank {
  name: string;
  x: number;
  y: number;
  radius: number;
}

/** The plan names where robots dock; the tank is the body beside it. */
function tanksOf(plan: FloorPlan): { tanks: Tank[]; racks: FloorPlan["racks"] } {
  const racks = [...plan.racks];
  const tanks = plan.places.filter((place) => place.kind === "tank").map((place) => {
    const far = ([x, y, width, deep]: (typeof racks)[number]): number => Math.hypot(x + width / 2 - place.x, y + deep / 2 - place.y);
    const near = racks.filter((rack) => far(rack) < TANK_BESIDE_M).sort((one, other) => far(one) - far(other))[0];
    if (!near) return { name: place.name, x: place.x, y: place.y, radius: TANK_RADIUS_M };
    racks.splice(racks.indexOf(near), 1);
    const [x, y, width, deep] = near;
    return { name: place.name, x: x + width / 2, y: y + deep / 2, radius: Math.min(width, deep) / 2 };
  });
  return { tanks, racks };
}

class Wall {
  private readonly tanks: Tank[];
  private readonly racks: FloorPlan["racks"];
  private readonly context: CanvasRenderingContext2D;
  private readonly ground = document.createElement("canvas");
  private readonly robots = new Map<string, Moving>();
  private readonly people = new Map<string, Moving>();
  private frame: FloorFrame = { robots: [], people: [] };
  private orders: MadeOrder[] = [];
  private scale = 1;
  private middle = { x: 0, y: 0 };
  private width = 0;
  private height = 0;
  private pictures = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly plan: FloorPlan,
  ) {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("no canvas");
    this.context = context;
    ({ tanks: this.tanks, racks: this.racks } = tanksOf(plan));
    new ResizeObserver(() => this.arrange()).observe(canvas);
    this.arrange();
    new Frames((frame) => this.take(frame));
    requestAnimationFrame((now) => this.picture(now));
  }

  show(orders: MadeOrder[]): void {
    this.orders = orders;
  }

  private take(frame: FloorFrame): void {
    const now = performance.now();
    this.frame = frame;
    for (const robot of frame.robots) if (robot.x !== null && robot.y !== null) this.aim(this.robots, robot.id, robot.x, robot.y, robot.grey, now);
    for (const person of frame.people) this.aim(this.people, person.id, person.x, person.y, person.grey, now);
    for (const [known, heard] of [[this.robots, frame.robots], [this.people, frame.people]] as const) {
      const ids = new Set(heard.map((each) => each.id));
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    }
  }

  private aim(known: Map<string, Moving>, id: string, x: number, y: number, grey: boolean, at: number): void {
    const old = known.get(id);
    const far = old ? Math.hypot(x - old.x, y - old.y) > 3 : true;
    const from = old && !far ? old : { x, y };
    known.set(id, { x: from.x, y: from.y, fromX: from.x, fromY: from.y, toX: x, toY: y, at, grey });
  }

  private glide(now: number): void {
    for (const known of [this.robots, this.people])
      for (const each of known.values()) {
        const share = Math.min(1, (now - each.at) / GLIDE_MS);
        each.x = each.fromX + share * (each.toX - each.fromX);
        each.y = each.fromY + share * (each.toY - each.fromY);
      }
  }

  private at(x: number, y: number, z = 0): [number, number] {
    const { left, bottom, width, height } = this.plan;
    const [a, b] = [x - left - width / 2, y - bottom - height / 2];
    return [this.middle.x + (a + b) * 0.866 * this.scale, this.middle.y + ((a - b) * 0.5 - z) * this.scale];
  }

  private arrange(): void {
    const pixels = Math.min(window.devicePixelRatio || 1, MOST_PIXELS);
    const { clientWidth, clientHeight } = this.canvas;
    this.width = Math.max(1, Math.round(clientWidth * pixels));
    this.height = Math.max(1, Math.round(clientHeight * pixels));
    const { width, height } = this.plan;
    const across = (width + height) * 0.866;
    const deep = (width + height) * 0.5 + TANK_M;
    this.scale = Math.min(this.width / across, this.height / deep) * 0.94;
    this.middle = { x: this.width / 2, y: this.height / 2 + (TANK_M / 2) * this.scale };
    for (const canvas of [this.canvas, this.ground]) {
      canvas.width = this.width;
      canvas.height = this.height;
    }
    this.paintGround();
  }

  private paintGround(): void {
    const to = this.ground.getContext("2d");
    if (!to) return;
    const { left, bottom, width, height } = this.plan;
    this.outline(to, [[left, bottom], [left + width, bottom], [left + width, bottom + height], [left, bottom + height]], "#18262c");
    to.strokeStyle = "#22343b";
    to.lineWidth = 1;
    for (let x = Math.ceil(left); x < left + width; x++) this.stroke(to, [x, bottom, x, bottom + height]);
    for (let y = Math.ceil(bottom); y < bottom + height; y++) this.stroke(to, [left, y, left + width, y]);
    to.strokeStyle = "#7d97a1";
    to.lineWidth = Math.max(2, this.scale * 0.12);
    for (const wall of this.plan.walls) this.stroke(to, wall);
    for (const place of this.plan.places) {
      if (place.kind === "tank") continue;
      const [x, y] = this.at(place.x, place.y);
      to.strokeStyle = "#4d6670";
      to.lineWidth = 2;
      to.beginPath();
      to.ellipse(x, y, this.scale * 0.4, this.scale * 0.23, 0, 0, 7);
      to.stroke();
    }
  }

  private stroke(to: CanvasRenderingContext2D, [x1, y1, x2, y2]: readonly [number, number, number, number]): void {
    to.beginPath();
    to.moveTo(...this.at(x1, y1));
    to.lineTo(...this.at(x2, y2));
    to.stroke();
  }

  private outline(to: CanvasRenderingContext2D, points: readonly (readonly [number, number])[], colour: string, z = 0): void {
    to.beginPath();
    points.forEach(([x, y], turn) => (turn ? to.lineTo(...this.at(x, y, z)) : to.moveTo(...this.at(x, y, z))));
    to.closePath();
    to.fillStyle = colour;
    to.fill();
  }

  private box(x: number, y: number, width: number, deep: number, z: number, colour: string): void {
    const to = this.context;
    const face = (points: [number, number, number][], fill: string): void => {
      to.beginPath();
      points.forEach((point, turn) => (turn ? to.lineTo(...this.at(...point)) : to.moveTo(...this.at(...point))));
      to.closePath();
      to.fillStyle = fill;
      to.fill();
    };
    const [right, top] = [x + width, y + deep];
    face([[x, y, 0], [right, y, 0], [right, y, z], [x, y, z]], darker(colour, 0.55));
    face([[right, y, 0], [right, top, 0], [right, top, z], [right, y, z]], darker(colour, 0.75));
    face([[x, y, z], [right, y, z], [right, top, z], [x, top, z]], colour);
  }

  private tank({ x, y, radius }: Tank, share: number, colour: string): void {
    const to = this.context;
    const [rx, ry] = [radius * this.scale * 1.22, radius * this.scale * 0.7];
    const cylinder = (z: number, side: string, lid: string): void => {
      const [x0, y0] = this.at(x, y);
      const [, y1] = this.at(x, y, z);
      to.beginPath();
      to.ellipse(x0, y0, rx, ry, 0, 0, Math.PI);
      to.lineTo(x0 - rx, y1);
      to.ellipse(x0, y1, rx, ry, 0, Math.PI, 0, true);
      to.closePath();
      to.fillStyle = side;
      to.fill();
      to.beginPath();
      to.ellipse(x0, y1, rx, ry, 0, 0, 7);
      to.fillStyle = lid;
      to.fill();
    };
    if (share > 0) cylinder(TANK_M * Math.min(1, share), darker(colour, 0.7), colour);
    cylinder(TANK_M, "rgba(160,190,200,0.22)", "rgba(200,225,232,0.25)");
  }

  private sign(text: string, x: number, y: number, z: number, colour: string, size = 0.62): void {
    const to = this.context;
    const points = Math.max(14, Math.min(this.scale * size, this.height * 0.045));
    to.font = `700 ${points}px system-ui, sans-serif`;
    const [px, py] = this.at(x, y, z);
    const wide = to.measureText(text).width;
    to.fillStyle = "rgba(8,16,19,0.82)";
    to.fillRect(px - wide / 2 - points * 0.3, py - points * 1.25, wide + points * 0.6, points * 1.4);
    to.fillStyle = colour;
    to.textAlign = "center";
    to.fillText(text, px, py - points * 0.2);
  }

  private picture(now: number): void {
    requestAnimationFrame((next) => this.picture(next));
    if (document.hidden) return;
    this.glide(now);
    const to = this.context;
    // Signs lie above everything: what cannot be read is of no use on a wall.
    const bodies: { far: number; paint: () => void }[] = [];
    const signs: (() => void)[] = [];
    to.clearRect(0, 0, this.width, this.height);
    to.drawImage(this.ground, 0, 0);
    for (const [x, y, width, deep] of this.racks)
      bodies.push({ far: x + width / 2 - (y + deep / 2), paint: () => this.box(x, y, width, deep, RACK_M, "#5c7480") });
    for (const tank of this.tanks) {
      const order = this.orders.find((each) => each.tank === tank.name);
      const colour = colourOf(order?.number ?? null);
      bodies.push({ far: tank.x - tank.y, paint: () => this.tank(tank, order?.share ?? 0, colour) });
      const percent = order ? ` ${Math.round(order.share * 100)} %` : "";
      signs.push(() => this.sign(tank.name.replaceAll("_", " ") + percent, tank.x, tank.y, TANK_M + 0.35, order ? colour : "#dbe7ea"));
    }
    for (const place of this.plan.places)
      if (place.kind === "pickup") bodies.push({ far: -Infinity, paint: () => this.sign(place.name.replaceAll("_", " "), place.x, place.y, 0, "#a9bdc5", 0.5) });
    for (const robot of this.frame.robots) {
      const moving = this.robots.get(robot.id);
      if (!moving) continue;
      const { x, y } = moving;
      const colour = robot.stopped ? "#ff6b60" : moving.grey ? "#66777e" : colourOf(robot.order);
      const load = this.orders.find((each) => each.robot === robot.id)?.load;
      bodies.push({
        far: x - y,
        paint: () => {
          this.box(x - ROBOT_M, y - ROBOT_M, 2 * ROBOT_M, 2 * ROBOT_M, 0.35, colour);
          if (load) {
            const [px, py] = this.at(x, y, 0.6);
            to.fillStyle = "#e9d8a6";
            to.fillRect(px - this.scale * 0.2, py - this.scale * 0.2, this.scale * 0.4, this.scale * 0.4);
          }
        },
      });
      signs.push(() => this.sign(load ? `${robot.id} · ${load}` : robot.id, x, y, load ? 1.1 : 0.7, colour));
    }
    for (const person of this.frame.people) {
      const moving = this.people.get(person.id);
      if (!moving) continue;
      const { x, y, grey } = moving;
      const colour = grey ? "#7c8a90" : "#ffb74d";
      bodies.push({
        far: x - y,
        paint: () => {
          const [px, py] = this.at(x, y);
          to.fillStyle = colour;
          to.beginPath();
          to.ellipse(px, py - this.scale * 0.35, this.scale * 0.16, this.scale * 0.38, 0, 0, 7);
          to.arc(px, py - this.scale * 0.9, this.scale * 0.17, 0, 7);
          to.fill();
        },
      });
      signs.push(() => this.sign(person.id, x, y, 1.2, colour, 0.5));
    }
    bodies.sort((one, other) => one.far - other.far);
    for (const body of bodies) body.paint();
    for (const sign of signs) sign();
    this.canvas.dataset["pictures"] = String(++this.pictures);
  }
}

function listOrders(list: HTMLElement, orders: MadeOrder[]): void {
  list.replaceChildren(
    ...orders.slice(0, 8).map((order) => {
      const row = document.createElement("li");
      const said = `${order.number} ${order.product} ${Math.round(order.share * 100)} %`;
      const dot = svg("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("circle", { cx: 5, cy: 5, r: 5, fill: colourOf(order.number) }));
      row.append(dot, order.stopped ? `${said} – ${t("has stopped")}` : said);
      row.classList.toggle("wall-stopped", order.stopped);
      return row;
    }),
  );
}

async function start(): Promise<void> {
  const canvas = document.querySelector<HTMLCanvasElement>("canvas[data-wall]");
  const list = document.querySelector<HTMLElement>("[data-wall-orders]");
  const clock = document.querySelector<HTMLElement>("[data-wall-clock]");
  if (!canvas || !list || !clock) return;
  const wall = new Wall(canvas, await fetchPlan());
  const ask = async (): Promise<void> => {
    const answer = await fetch("/floor/orders.json").catch(() => null);
    if (!answer?.ok) return;
    const { orders } = (await answer.json()) as { orders: MadeOrder[] };
    wall.show(orders);
    listOrders(list, orders);
  };
  let asked: ReturnType<typeof setTimeout> | undefined;
  for (const topic of ["live:instances", "live:tasks", "live:reset"])
    document.body.addEventListener(topic, () => {
      clearTimeout(asked);
      asked = setTimeout(() => void ask(), 100);
    });
  setInterval(() => void ask(), ASK_MS);
  const tick = (): void => {
    clock.textContent = new Intl.DateTimeFormat(language(), { hour: "2-digit", minute: "2-digit" }).format(new Date());
  };
  tick();
  setInterval(tick, 1000);
  document.querySelector("[data-wall-full]")?.addEventListener("click", () => void document.documentElement.requestFullscreen());
  await ask();
}

void start();
