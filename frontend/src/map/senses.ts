// What robots sense: laser echoes and the cells they keep clear of. Heavy, so they are
// asked for only while they are switched on, once a second, for few robots.

import { put, svg } from "./drawing.js";

const EVERY_MS = 1000;
const MOST_ROBOTS = 4;
const CELL_M = 0.1;

interface Sensed {
  scan: number[];
  costmap: number[];
}

export class Senses {
  readonly element = svg("g", { class: "map-senses" });
  scan = false;
  costmap = false;
  private readonly drawn = new Map<string, { echoes: SVGPathElement; cells: SVGPathElement }>();

  constructor(private readonly wanted: () => string[]) {
    setInterval(() => void this.refresh(), EVERY_MS);
  }

  async refresh(): Promise<void> {
    if (document.hidden) return;
    const on = this.scan || this.costmap;
    const robots = on ? this.wanted().slice(0, MOST_ROBOTS) : [];
    for (const [id, { echoes, cells }] of this.drawn)
      if (!robots.includes(id)) {
        echoes.remove();
        cells.remove();
        this.drawn.delete(id);
      }
    await Promise.all(robots.map((robot) => this.ask(robot)));
  }

  private async ask(robot: string): Promise<void> {
    try {
      const answer = await fetch(`/map/layers/${encodeURIComponent(robot)}.json`);
      if (answer.ok) this.draw(robot, (await answer.json()) as Sensed);
    } catch {
      // The next second asks again.
    }
  }

  private draw(robot: string, sensed: Sensed): void {
    if (!this.scan && !this.costmap) return;
    let paths = this.drawn.get(robot);
    if (!paths) {
      const cells = svg("path", { class: "sense-cells" });
      const echoes = svg("path", { class: "sense-echoes" });
      paths = { cells, echoes };
      this.drawn.set(robot, paths);
      this.element.append(cells, echoes);
    }
    let echoes = "";
    if (this.scan)
      for (let i = 0; i + 1 < sensed.scan.length; i += 2)
        echoes += `M${sensed.scan[i]!} ${-sensed.scan[i + 1]!}h0`;
    let cells = "";
    const half = CELL_M / 2;
    if (this.costmap)
      for (let i = 0; i + 1 < sensed.costmap.length; i += 2) {
        const [x, y] = [sensed.costmap[i]! - half, -sensed.costmap[i + 1]! - half];
        cells += `M${x.toFixed(2)} ${y.toFixed(2)}h${CELL_M}v${CELL_M}h${-CELL_M}Z`;
      }
    put(paths.echoes, "d", echoes);
    put(paths.cells, "d", cells);
  }
}
