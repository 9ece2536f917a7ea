// Where frames come from: the page's event stream, or polling while none comes.

import type { FloorFrame, FloorPlan } from "./types.js";

const POLL_MS = 200;
const QUIET_MS = 1500; // without a frame on the stream
const PAUSE_MS = 2000; // after a poll that failed
const PATHS_MS = 1000; // between two questions for paths

export async function fetchPlan(): Promise<FloorPlan> {
  const answer = await fetch("/map/plan.json");
  if (!answer.ok) throw new Error(`the plan: ${answer.status}`);
  return (await answer.json()) as FloorPlan;
}

export class Frames {
  private streamedAt = -Infinity;
  private asking = false;
  private resumeAt = 0;
  private pathsAt = -Infinity;
  private pathsWanted = true;

  constructor(private readonly show: (frame: FloorFrame) => void) {
    document.body.addEventListener("live:floor", (event) => {
      this.streamedAt = performance.now();
      this.show((event as CustomEvent<FloorFrame>).detail);
    });
    document.body.addEventListener("live:reset", () => this.wantPaths());
    document.addEventListener("visibilitychange", () => this.wantPaths());
    setInterval(() => void this.ask(), POLL_MS);
    void this.ask();
  }

  // Frames carry the number of a path, not the path: ask for what is not known yet.
  wantPaths(): void {
    this.pathsWanted = true;
  }

  private async ask(): Promise<void> {
    const now = performance.now();
    if (document.hidden || this.asking || now < this.resumeAt) return;
    const paths = this.pathsWanted && now - this.pathsAt > PATHS_MS;
    if (!paths && now - this.streamedAt < QUIET_MS) return;
    this.asking = true;
    if (paths) {
      this.pathsAt = now;
      this.pathsWanted = false;
    }
    try {
      const answer = await fetch(`/map/frame.json${paths ? "?paths=1" : ""}`);
      if (!answer.ok) throw new Error(String(answer.status));
      this.show((await answer.json()) as FloorFrame);
    } catch {
      this.resumeAt = performance.now() + PAUSE_MS;
      this.pathsWanted ||= paths;
    } finally {
      this.asking = false;
    }
  }
}
