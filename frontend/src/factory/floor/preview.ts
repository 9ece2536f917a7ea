// What ten simulated robots did on a version of the floor, played back on its plan.

import { formatNumber, t } from "../../texts.js";
import type { Point } from "./draft.js";
import type { Stage } from "./stage.js";

export interface Seen {
  robots: number;
  simulated_s: number;
  done: number;
  open: number;
  contacts: number;
  deadlocks: number;
  lowest_percent: number;
  driven_m: number;
  alerts: string[];
  note: string;
  frame_s: number;
  names: string[];
  radii_m: number[];
  frames: number[][];
}

const FASTER = 10; // simulated seconds a second
const PATIENCE_MS = 150_000;

function part<Found extends HTMLElement>(id: string, kind: new () => Found): Found | null {
  const found = document.getElementById(id);
  return found instanceof kind ? found : null;
}

export class Player {
  #seen: Seen | null = null;
  #time_s = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #slider = part("floor-time", HTMLInputElement);
  readonly #play = part("floor-play", HTMLButtonElement);

  constructor(private readonly stage: Stage) {
    this.#slider?.addEventListener("input", () => this.#show(Number(this.#slider?.value)));
    this.#play?.addEventListener("click", () => (this.#timer ? this.pause() : this.#run()));
  }

  take(seen: Seen): void {
    this.#seen = seen;
    part("floor-seen", HTMLElement)?.removeAttribute("hidden");
    if (this.#slider) this.#slider.max = String(seen.simulated_s);
    const figures = [
      t("{n} robots", { n: seen.robots }),
      t("{n} tasks done, {open} open at the end", { n: seen.done, open: seen.open }),
      t("{n} contacts", { n: seen.contacts }),
      t("{n} deadlocks found and cut", { n: seen.deadlocks }),
      t("lowest battery {n} %", { n: formatNumber(seen.lowest_percent, 0) }),
      t("{n} m driven", { n: formatNumber(seen.driven_m, 0) }),
      ...(seen.note ? [seen.note] : []),
    ];
    list("floor-figures", figures);
    list("floor-alerts", seen.alerts);
    this.#show(0);
  }

  // Robots of a preview are not part of the drawing.
  hide(): void {
    this.pause();
    if (this.stage.robots.length === 0) return;
    this.stage.robots = [];
    this.stage.draw();
  }

  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#word(t("Play"));
  }

  #run(): void {
    const seen = this.#seen;
    if (seen === null) return;
    if (this.#time_s >= seen.simulated_s) this.#time_s = 0;
    this.#word(t("Pause"));
    let before = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#show(this.#time_s + ((now - before) / 1000) * FASTER);
      before = now;
      if (this.#time_s >= seen.simulated_s) this.pause();
    }, 50);
  }

  #word(word: string): void {
    const label = this.#play?.querySelector("span");
    if (label) label.textContent = word;
  }

  #show(time_s: number): void {
    const seen = this.#seen;
    if (seen === null) return;
    this.#time_s = Math.min(time_s, seen.simulated_s);
    const index = Math.min(seen.frames.length - 1, Math.floor(this.#time_s / seen.frame_s));
    const share = Math.min(1, this.#time_s / seen.frame_s - index);
    const frame = seen.frames[index] ?? [];
    const next = seen.frames[index + 1] ?? frame;
    const between = (at: number): number =>
      (frame[at] ?? 0) + ((next[at] ?? 0) - (frame[at] ?? 0)) * share;
    this.stage.robots = seen.names.map((name, number) => {
      const at: Point = [between(2 * number), between(2 * number + 1)];
      return { at, radius: seen.radii_m[number] ?? 0.4, name };
    });
    this.stage.draw();
    if (this.#slider) this.#slider.value = String(Math.round(this.#time_s));
    const clock = part("floor-clock", HTMLOutputElement);
    if (clock) clock.value = `${minutes(this.#time_s)} / ${minutes(seen.simulated_s)}`;
  }
}

// The button that lets the server simulate; it takes some seconds.
export function offerPreview(url: string, player: Player): void {
  const button = part("floor-preview", HTMLButtonElement);
  const said = part("floor-previewing", HTMLElement);
  const problem = part("floor-preview-problem", HTMLElement);
  if (!button || !said || !problem) return;
  button.addEventListener("click", () => {
    button.disabled = true;
    problem.hidden = true;
    const began = performance.now();
    const tick = setInterval(() => {
      const passed = Math.round((performance.now() - began) / 1000);
      said.textContent = t("Ten robots are at work … {n} s", { n: passed });
    }, 500);
    void simulated(url).then((answer) => {
      clearInterval(tick);
      said.textContent = "";
      button.disabled = false;
      if (typeof answer === "string") {
        problem.textContent = answer;
        problem.hidden = false;
        return;
      }
      player.take(answer);
      allowUse();
    });
  });
}

function allowUse(): void {
  const use = document.querySelector<HTMLButtonElement>("#floor-use button");
  if (use) use.disabled = false;
  document.getElementById("floor-use-why")?.remove();
}

async function simulated(url: string): Promise<Seen | string> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      signal: AbortSignal.timeout(PATIENCE_MS),
      body: "{}",
    });
    const said = (await response.json()) as { preview?: Seen; problem?: string };
    return said.preview ?? said.problem ?? t("The preview could not be made.");
  } catch {
    return t("The server does not answer. Try again.");
  }
}

function list(id: string, lines: string[]): void {
  const items = lines.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  });
  part(id, HTMLElement)?.replaceChildren(...items);
}

function minutes(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
