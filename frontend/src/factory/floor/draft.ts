// A floor as its files have it, and every change of it that the editor can make.
// Metres; places by name; a change returns nothing and is taken back by a copy.

import {
  addWalls,
  type Door,
  dropStock,
  type PackageType,
  renamePackage,
  type Stocked,
  type Wall,
  wallIndex,
  wallName,
} from "./solid.js";

export type Point = [number, number];
export type Corner = Point | string; // a lane may lead through a place, by its name

export interface Pose {
  x_m: number;
  y_m: number;
  yaw_deg?: number;
}

export interface Lane {
  id: string;
  points: Corner[];
  one_way?: boolean;
  speed_mps?: number;
  width_m?: number;
}

export interface Zone {
  corners: Corner[];
  block?: string;
  speed_mps?: number;
  group?: string;
}

export interface Charging {
  area: [number, number, number, number];
  rate_percent_per_s: number;
  max_robots: number;
  places: string[];
}

export interface Robot {
  id: string;
  kind: string;
  home: string;
  profile: string;
  max_speed_mps: number;
  max_payload_kg: number;
  [more: string]: unknown;
}

export interface RobotType {
  speed_mps: number;
  radius_m?: number;
  payload_kg?: number;
  moves?: string;
  geometries?: string[];
  [more: string]: unknown;
}

export interface FloorMap {
  width_m: number;
  height_m: number;
  origin?: number[];
}

export interface Draft {
  name: string;
  map: FloorMap;
  places: Record<string, Pose>;
  waiting: Record<string, Pose>;
  inputs: Record<string, Pose | null>;
  outputs: Record<string, Pose | null>;
  storage: Record<string, Pose | null>;
  charging: Record<string, Charging>;
  lanes: Lane[];
  zones: Record<string, Zone>;
  robot_types: Record<string, RobotType>;
  robots: Robot[];
  walls: Wall[];
  doors: Door[];
  packages: Record<string, PackageType>;
  stock: Record<string, Stocked>;
}

export const USES = ["places", "storage", "inputs", "outputs"] as const;
export type Use = (typeof USES)[number];
type Named = Use | "waiting" | "zones" | "charging" | "packages";
type Listed = "lanes" | "robots" | "doors";
export type Section = Named | Listed | "walls";

export interface Part {
  section: Section;
  name: string;
}

const NAMED: Named[] = [...USES, "waiting", "zones", "charging", "packages"];
const LISTED: Listed[] = ["lanes", "robots", "doors"];

const GRID_M = 0.1;

export function onGrid([x, y]: Point): Point {
  return [round(x), round(y)];
}

function round(value: number): number {
  return Math.round(value / GRID_M) / (1 / GRID_M);
}

export function samePart(a: Part | null, b: Part | null): boolean {
  return a !== null && b !== null && a.section === b.section && a.name === b.name;
}

export class Floor {
  constructor(public draft: Draft) {
    draft.lanes.forEach((lane, index) => (lane.id ||= `lane${index + 1}`));
  }

  parts(): Part[] {
    return [
      ...NAMED.flatMap((section) =>
        Object.entries(this.draft[section])
          .filter(([, value]) => value !== null)
          .map(([name]) => ({ section, name })),
      ),
      ...LISTED.flatMap((section) =>
        this.draft[section].map(({ id }) => ({ section, name: id })),
      ),
      ...this.draft.walls.map((_, index) => ({
        section: "walls" as const,
        name: wallName(index),
      })),
    ];
  }

  has(part: Part): boolean {
    return this.parts().some((each) => samePart(each, part));
  }

  // Where a robot can stand: the name of every place, whatever it is used for.
  placeNames(): string[] {
    return USES.flatMap((use) =>
      Object.entries(this.draft[use]).flatMap(([name, pose]) => (pose ? [name] : [])),
    );
  }

  pose(name: string): Pose | undefined {
    for (const use of USES) {
      const found = this.draft[use][name];
      if (found) return found;
    }
    return undefined;
  }

  useOf(name: string): Use {
    for (const use of ["storage", "inputs", "outputs"] as const)
      if (name in this.draft[use]) return use;
    return "places";
  }

  spot(corner: Corner): Point {
    if (typeof corner !== "string") return corner;
    const pose = this.pose(corner);
    return pose ? [pose.x_m, pose.y_m] : [0, 0];
  }

  lane(name: string): Lane | undefined {
    return this.draft.lanes.find(({ id }) => id === name);
  }

  robot(name: string): Robot | undefined {
    return this.draft.robots.find(({ id }) => id === name);
  }

  radius(kind: string): number {
    return this.draft.robot_types[kind]?.radius_m ?? 0.4;
  }

  moves(kind: string): string {
    return this.draft.robot_types[kind]?.moves ?? "free";
  }

  // Types that only their robots describe are written down once one of them differs.
  setMoves(kind: string, moves: string): void {
    for (const robot of this.draft.robots)
      this.draft.robot_types[robot.kind] ??= {
        speed_mps: robot.max_speed_mps,
        payload_kg: robot.max_payload_kg,
        radius_m: typeof robot["radius_m"] === "number" ? robot["radius_m"] : 0.4,
      };
    const type = this.draft.robot_types[kind];
    if (type) type.moves = moves;
  }

  kinds(): string[] {
    const made = this.draft.robots.map(({ kind }) => kind);
    return [...new Set([...Object.keys(this.draft.robot_types), ...made])];
  }

  near([x, y]: Point, within: number): string | undefined {
    return this.placeNames()
      .map((name) => ({ name, at: this.spot(name) }))
      .map(({ name, at }) => ({ name, far: Math.hypot(at[0] - x, at[1] - y) }))
      .filter(({ far }) => far <= within)
      .sort((one, other) => one.far - other.far)[0]?.name;
  }

  fresh(begin: string): string {
    const taken = new Set(this.parts().map(({ name }) => name));
    let number = 1;
    while (taken.has(`${begin}_${number}`)) number += 1;
    return `${begin}_${number}`;
  }

  addPlace([x, y]: Point, begin = "place"): Part {
    const name = this.fresh(begin);
    this.draft.places[name] = { x_m: x, y_m: y, yaw_deg: 0 };
    return { section: "places", name };
  }

  addLane(points: Corner[]): Part {
    const id = this.fresh("lane");
    this.draft.lanes.push({ id, points, width_m: 1.2 });
    return { section: "lanes", name: id };
  }

  addWall(points: Corner[]): Part {
    return addWalls(this.draft, points.map((corner) => this.spot(corner)));
  }

  addDoor([x1_m, y1_m]: Point, [x2_m, y2_m]: Point): Part {
    const id = this.fresh("door");
    this.draft.doors.push({ id, x1_m, y1_m, x2_m, y2_m });
    return { section: "doors", name: id };
  }

  addPackage(): Part {
    const name = this.fresh("package");
    this.draft.packages[name] = { weight_kg: 10 };
    return { section: "packages", name };
  }

  addZone(corners: Point[]): Part {
    const name = this.fresh("zone");
    this.draft.zones[name] = { corners, block: "single" };
    return { section: "zones", name };
  }

  addCharging([x1, y1]: Point, [x2, y2]: Point): Part {
    const name = this.fresh("charging");
    const area: Charging["area"] = [
      Math.min(x1, x2),
      Math.min(y1, y2),
      Math.max(x1, x2),
      Math.max(y1, y2),
    ];
    const zone = { area, rate_percent_per_s: 0.4, max_robots: 1, places: [] as string[] };
    this.draft.charging[name] = zone;
    this.fillCharging(zone);
    zone.max_robots = Math.max(1, zone.places.length);
    return { section: "charging", name };
  }

  // Robots charge at the places that lie in the zone.
  fillCharging(zone: Charging): void {
    const [left, bottom, right, top] = zone.area;
    zone.places = this.placeNames().filter((name) => {
      const [x, y] = this.spot(name);
      return left <= x && x <= right && bottom <= y && y <= top;
    });
    zone.max_robots = Math.min(zone.max_robots, Math.max(1, zone.places.length));
  }

  // Like the last robot of its kind, with a rest place of its own.
  addRobot(at: Point, place: string | undefined): Part {
    const homes = new Set(this.draft.robots.map(({ home }) => home));
    const home = place !== undefined && !homes.has(place) ? place : this.addPlace(at, "rest").name;
    const like = this.draft.robots.at(-1);
    const usual = {
      kind: this.kinds()[0] ?? "carrier",
      profile: "move_base",
      max_speed_mps: 1,
      max_payload_kg: 100,
    };
    const id = this.fresh("robot");
    this.draft.robots.push({ ...usual, ...like, id, home });
    return { section: "robots", name: id };
  }

  remove({ section, name }: Part): void {
    if (section === "lanes") this.draft.lanes = this.draft.lanes.filter(({ id }) => id !== name);
    else if (section === "robots")
      this.draft.robots = this.draft.robots.filter(({ id }) => id !== name);
    else if (section === "doors")
      this.draft.doors = this.draft.doors.filter(({ id }) => id !== name);
    else if (section === "walls") this.draft.walls.splice(wallIndex(name), 1);
    else {
      const kept = Object.entries(this.draft[section]).filter(([key]) => key !== name);
      (this.draft as unknown as Record<string, unknown>)[section] = Object.fromEntries(kept);
      if (section === "waiting" || !(USES as readonly string[]).includes(section)) return;
      for (const zone of Object.values(this.draft.charging))
        zone.places = zone.places.filter((each) => each !== name);
      for (const use of USES)
        if (this.draft[use][name] === null) this.drop(use, name);
      if (name in this.draft.waiting) this.drop("waiting", name);
      dropStock(this.draft, name);
    }
  }

  private drop(section: Use | "waiting", name: string): void {
    const kept = Object.entries(this.draft[section]).filter(([key]) => key !== name);
    this.draft[section] = Object.fromEntries(kept) as Record<string, Pose>;
  }

  // Everything that names it is renamed too.
  rename({ section, name }: Part, to: string): Part {
    const next = { section, name: to };
    if (to === "" || to === name || this.has(next)) return { section, name };
    if (section === "walls") return { section, name };
    if (section === "lanes" || section === "robots" || section === "doors") {
      const found = this.draft[section].find(({ id }) => id === name);
      if (found) found.id = to;
    } else {
      const drawn = this.draft as unknown as Record<string, Record<string, unknown>>;
      drawn[section] = renamed(drawn[section] ?? {}, name, to);
      if (section === "packages") renamePackage(this.draft, name, to);
      if ((USES as readonly string[]).includes(section)) this.renameUses(name, to);
    }
    return next;
  }

  private renameUses(name: string, to: string): void {
    const other = (corner: Corner): Corner => (corner === name ? to : corner);
    for (const robot of this.draft.robots) if (robot.home === name) robot.home = to;
    for (const zone of Object.values(this.draft.charging))
      zone.places = zone.places.map((each) => (each === name ? to : each));
    for (const lane of this.draft.lanes) lane.points = lane.points.map(other);
    for (const zone of Object.values(this.draft.zones)) zone.corners = zone.corners.map(other);
    this.draft.waiting = renamed(this.draft.waiting, name, to);
    this.draft.stock = renamed(this.draft.stock, name, to);
    const drawn = this.draft as unknown as Record<Use, Record<string, Pose | null>>;
    for (const use of USES) drawn[use] = renamed(drawn[use], name, to);
  }

  // Storage, input, output or an ordinary place: it moves from list to list.
  setUse(name: string, use: Use): Part {
    const pose = this.pose(name);
    if (!pose) return { section: "places", name };
    for (const each of USES) if (name in this.draft[each]) this.drop(each, name);
    this.draft[use][name] = pose;
    if (use !== "storage") dropStock(this.draft, name);
    return { section: use, name };
  }
}

function renamed<Value>(
  from: Record<string, Value>,
  name: string,
  to: string,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(from).map(([key, value]) => [key === name ? to : key, value]),
  );
}
