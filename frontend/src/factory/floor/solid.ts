// What robots meet on a floor and what they carry: walls, doors, packages and what lies in
// the storage at the start. Changes of a draft, as in draft.ts.

import type { Draft, Part, Point } from "./draft.js";

export type Wall = [number, number, number, number];

export interface Door {
  id: string;
  x1_m: number;
  y1_m: number;
  x2_m: number;
  y2_m: number;
  open_for_s?: number;
  closed_every_s?: number;
}

export interface PackageType {
  weight_kg: number;
  geometry?: string;
}

export interface Stocked {
  package: string;
  type: string;
}

const SAME_M = 0.01;

// Walls have no names in the files: they are known by their number.
export const wallName = (index: number): string => `wall_${index + 1}`;

export function wallIndex(name: string): number {
  return Number(name.slice("wall_".length)) - 1;
}

export function addWalls(draft: Draft, points: Point[]): Part {
  points.slice(1).forEach((to, index) => {
    const from = points[index] ?? to;
    draft.walls.push([...from, ...to]);
  });
  return { section: "walls", name: wallName(draft.walls.length - 1) };
}

// The ends of walls that meet there move together, so that corners stay shut.
export function moveWall(draft: Draft, name: string, corner: number, to: Point): void {
  const wall = draft.walls[wallIndex(name)];
  if (!wall) return;
  const [x, y] = corner === 0 ? [wall[0], wall[1]] : [wall[2], wall[3]];
  for (const each of draft.walls)
    for (const at of [0, 2] as const)
      if (Math.hypot(each[at] - x, each[at + 1 as 1 | 3] - y) < SAME_M)
        [each[at], each[at + 1 as 1 | 3]] = to;
}

export function door(draft: Draft, name: string): Door | undefined {
  return draft.doors.find(({ id }) => id === name);
}

export function moveDoor(found: Door, corner: number, [x, y]: Point): void {
  if (corner === 0) [found.x1_m, found.y1_m] = [x, y];
  else [found.x2_m, found.y2_m] = [x, y];
}

export function geometries(draft: Draft): string[] {
  const carried = Object.values(draft.robot_types).flatMap((type) => type.geometries ?? []);
  const had = Object.values(draft.packages).flatMap(({ geometry }) => geometry ?? []);
  return [...new Set([...carried, ...had])].sort();
}

export function renamePackage(draft: Draft, name: string, to: string): void {
  for (const lying of Object.values(draft.stock)) if (lying.type === name) lying.type = to;
}

// A package of this type lies at a storage place when the fleet begins; "": nothing.
export function setStock(draft: Draft, place: string, type: string): void {
  if (type === "") {
    dropStock(draft, place);
    return;
  }
  const had = draft.stock[place];
  draft.stock[place] = { package: had?.package ?? freshPackage(draft), type };
}

export function dropStock(draft: Draft, place: string): void {
  draft.stock = Object.fromEntries(Object.entries(draft.stock).filter(([key]) => key !== place));
}

function freshPackage(draft: Draft): string {
  const taken = new Set(Object.values(draft.stock).map((each) => each.package));
  let number = 1;
  while (taken.has(`P-${number}`)) number += 1;
  return `P-${number}`;
}
