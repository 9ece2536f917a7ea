/** The past of an instance: what stood where at any moment of it. No page, no clock. */
import { t } from "../texts.js";
import type { Marks, Token } from "../instance_diagram.js";
import type { Point, RobotFrame } from "./map/types.js";

export type Move = [ms: number, kind: string, element: string, task: string, via: string | null];

export interface Drive {
  robot: string;
  place: string;
  task: string | null;
  from: number;
  to: number | null;
  guessed: boolean;
}

export interface Past {
  model: string;
  instance: string;
  order: string | null;
  began_at: string;
  length_ms: number;
  ended: boolean;
  cut: boolean;
  names: Record<string, string>;
  moves: Move[];
  told: [ms: number, words: string][];
  troubles: [from: number, to: number | null, element: string][];
  drives: Drive[];
  tracks: Record<string, [ms: number, x: number, y: number][]>;
}

const TRAIL = 120;

/** How many entries of a sorted list are not later than a moment. */
export function until(list: readonly { readonly 0: number }[], ms: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.[0] ?? Infinity) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function marksAt(past: Past, ms: number): Marks {
  const live = new Map<string, Token>();
  const passed = new Set<string>();
  const cancelled = new Set<string>();
  const flows: Record<string, number> = {};
  const driving = past.drives.filter(({ from, to }) => from <= ms && (to === null || ms < to));
  for (const [, kind, element, task, via] of past.moves.slice(0, until(past.moves, ms))) {
    if (kind === "entered") {
      const robot = driving.find((drive) => drive.task === task)?.robot ?? null;
      const name = past.names[element] ?? element;
      const link = robot === null ? null : mapOf(robot);
      live.set(task, { task, element, name, state: "waiting", link, at_work: robot !== null, due_at: null });
      if (via !== null) flows[via] = (flows[via] ?? 0) + 1;
    } else {
      live.delete(task);
      (kind === "left" ? passed : cancelled).add(element);
    }
  }
  const over = past.ended && ms >= past.length_ms;
  return {
    model: past.model,
    ended: over,
    tokens: over ? [] : [...live.values()],
    passed: [...passed],
    cancelled: [...cancelled],
    flows,
    stuck: past.troubles
      .filter(([from, to]) => from <= ms && (to === null || ms < to))
      .map(([, , element]) => element),
  };
}

function mapOf(robot: string): { address: string; title: string } {
  const address = `/map?robot=${encodeURIComponent(robot)}`;
  return { address, title: t("{value} on the map", { value: robot }) };
}

/** Where the robots of the instance were, as the map draws them. */
export function robotsAt(past: Past, ms: number): RobotFrame[] {
  return Object.entries(past.tracks).map(([robot, track]) => {
    const count = until(track, ms);
    const before = track[Math.max(count - 1, 0)];
    const after = track[count];
    const [x, y] = between(before, after, ms);
    const drive = past.drives.find((one) => one.robot === robot && one.from <= ms && (one.to === null || ms < one.to));
    const driven = track.slice(Math.max(0, count - TRAIL), count).map(([, px, py]): Point => [px, py]);
    return {
      id: robot,
      x,
      y,
      yaw: heading(before, after) ?? heading(track[count - 2], before) ?? 0,
      speed: null,
      battery: null,
      link: "up",
      ready: true,
      why_not: null,
      doing: drive ? "drives" : "serves",
      place: drive?.place ?? null,
      order: past.order,
      instance: past.instance,
      stopped: false,
      age_s: 0,
      grey: false,
      path_no: 0,
      driven: [...driven, [x, y]],
    };
  });
}

type Step = [ms: number, x: number, y: number] | undefined;

function between(before: Step, after: Step, ms: number): Point {
  if (before === undefined) return [0, 0];
  if (after === undefined || ms <= before[0]) return [before[1], before[2]];
  const share = (ms - before[0]) / Math.max(after[0] - before[0], 1);
  return [before[1] + share * (after[1] - before[1]), before[2] + share * (after[2] - before[2])];
}

function heading(before: Step, after: Step): number | null {
  if (before === undefined || after === undefined) return null;
  const [dx, dy] = [after[1] - before[1], after[2] - before[2]];
  return Math.hypot(dx, dy) < 0.05 ? null : Math.atan2(dy, dx);
}

/** Whether some position of this moment is a guess. */
export function guessedAt(past: Past, ms: number): boolean {
  return past.drives.some(({ from, to, guessed }) => guessed && from <= ms && (to === null || ms <= to));
}

/** Moments at which something happens, each once. */
export function moments(past: Past): number[] {
  const all = [...past.moves.map(([ms]) => ms), ...past.told.map(([ms]) => ms), 0, past.length_ms];
  return [...new Set(all)].sort((one, other) => one - other);
}

const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20000];
const WHOLE_MS = 30_000; // to watch all of it

export { SPEEDS };

export function speedFor(length_ms: number): number {
  return SPEEDS.find((speed) => length_ms / speed <= WHOLE_MS) ?? SPEEDS.at(-1) ?? 1;
}
