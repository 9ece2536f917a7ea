// What robots sense and make of it: laser echoes, the cells they keep clear of, around
// them and on the whole map, and the path for the next metres. Heavy, so they are asked
// for only while they are switched on, once a second, for few robots; the whole map is
// asked for once it is switched on, and again only until it has come.

import { line, put, svg } from "./drawing.js";
import type { Point } from "./types.js";

const EVERY_MS = 1000;
const MOST_ROBOTS = 4;
const CELL_M = 0.1;

export type Sense = "scan" | "costmap" | "localPlan" | "whole";

interface Sensed {
  scan: number[];
  costmap: number[];
  local_plan: number[];
}

class Drawn {
  readonly whole = svg("path", { class: "sense-whole" });
  readonly cells = svg("path", { class: "sense-cells" });
  readonly way = svg("path", { class: "sense-way" });
  readonly echoes = svg("path", { class: "sense-echoes" });
  readonly element = svg("g", {}, this.whole, this.cells, this.way, this.echoes);
}

export class Senses {
  readonly element = svg("g", { class: "map-senses" });
  private readonly on = new Set<Sense>();
  private readonly drawn = new Map<string, Drawn>();

  constructor(private readonly wanted: () => string[]) {
    setInterval(() => void this.refresh(), EVERY_MS);
  }

  get any(): boolean {
    return this.on.size > 0;
  }

  show(sense: Sense, on: boolean): void {
    if (on) this.on.add(sense);
    else this.on.delete(sense);
    void this.refresh();
  }

  async refresh(): Promise<void> {
    if (document.hidden) return;
    const robots = this.any ? this.wanted().slice(0, MOST_ROBOTS) : [];
    for (const [id, drawn] of this.drawn)
      if (!robots.includes(id)) {
        drawn.element.remove();
        this.drawn.delete(id);
      }
    for (const drawn of this.drawn.values())
      if (!this.on.has("whole")) put(drawn.whole, "d", "");
    await Promise.all(robots.map((robot) => this.ask(robot)));
  }

  private async ask(robot: string): Promise<void> {
    const address = `/map/layers/${encodeURIComponent(robot)}.json`;
    try {
      if (this.on.has("scan") || this.on.has("costmap") || this.on.has("localPlan")) {
        const answer = await fetch(address);
        if (answer.ok) this.draw(this.of(robot), (await answer.json()) as Sensed);
      } else this.draw(this.of(robot), { scan: [], costmap: [], local_plan: [] });
      if (this.on.has("whole") && !this.of(robot).whole.getAttribute("d")) {
        const answer = await fetch(`${address}?whole=1`);
        if (answer.ok) this.drawWhole(robot, (await answer.json()) as { whole: number[] });
      }
    } catch {
      // The next second asks again.
    }
  }

  private of(robot: string): Drawn {
    let drawn = this.drawn.get(robot);
    if (!drawn) {
      drawn = new Drawn();
      this.drawn.set(robot, drawn);
      this.element.append(drawn.element);
    }
    return drawn;
  }

  private draw(drawn: Drawn, { scan, costmap, local_plan }: Sensed): void {
    let echoes = "";
    if (this.on.has("scan"))
      for (const [x, y] of pairs(scan)) echoes += `M${x} ${-y}h0`;
    let cells = "";
    const half = CELL_M / 2;
    if (this.on.has("costmap"))
      for (const [x, y] of pairs(costmap)) cells += row(x - half, y - half, 1);
    put(drawn.echoes, "d", echoes);
    put(drawn.cells, "d", cells);
    put(drawn.way, "d", this.on.has("localPlan") ? line(pairs(local_plan)) : "");
  }

  private drawWhole(robot: string, { whole }: { whole: number[] }): void {
    if (!this.on.has("whole")) return;
    let cells = "";
    for (let i = 0; i + 2 < whole.length; i += 3)
      cells += row(whole[i]!, whole[i + 1]!, whole[i + 2]!);
    put(this.of(robot).whole, "d", cells);
  }
}

// Cells side by side, from their lower left corner.
function row(left: number, low: number, count: number): string {
  const wide = (count * CELL_M).toFixed(1);
  const from = `M${left.toFixed(2)} ${(-low - CELL_M).toFixed(2)}`;
  return `${from}h${wide}v${CELL_M}h-${wide}Z`;
}

function* pairs(numbers: number[]): Generator<Point> {
  for (let i = 0; i + 1 < numbers.length; i += 2) yield [numbers[i]!, numbers[i + 1]!];
}
