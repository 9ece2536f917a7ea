/** A simulated warehouse from above: live, or replayed with a slider; and its heat maps. */
import { formatNumber, t } from "../texts.js";
import { drawSolid } from "./warehouse_solid.js";

type Robot = [tier: number, x: number, y: number, heading: number, loaded: number];

interface Frame {
  at_s: number;
  robots: Robot[];
  put: number[];
  taken: number[];
}

interface Floor {
  cells: [number, number, number][];
  kinds: string;
}

interface View {
  floor: Floor;
  frames: Frame[];
  heat: Record<string, number[]>;
}

interface Present {
  case: string;
  seed: number;
  frame: Frame;
  floor: Floor;
}

const SOLID = "solid";
const LIVE_MS = 700;
const STEP_MS = 60;
const COLD = [49, 24, 110];
const WARM = [214, 78, 92];
const HOT = [252, 233, 120];

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** From cold to hot. */
function shade(share: number): string {
  const [low, high, part] = share < 0.5 ? [COLD, WARM, share * 2] : [WARM, HOT, share * 2 - 1];
  const mixed = low.map((from, index) => Math.round(from + ((high[index] ?? 0) - from) * part));
  return `rgb(${mixed.join(",")})`;
}

function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${String(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

class Drawing {
  readonly canvas = document.createElement("canvas");
  #floor: Floor | null = null;
  #width = 1;
  #tier = 1;
  #height = 1;
  #left = 0;
  #below = 0;
  #stored = new Set<number>();

  set floor(floor: Floor) {
    this.#floor = floor;
    const [xs, ys, tiers] = [1, 2, 0].map((n) => floor.cells.map((cell) => cell[n] ?? 0)) as [number[], number[], number[]];
    const least = (values: number[]): number => values.reduce((a, b) => Math.min(a, b));
    const most = (values: number[]): number => values.reduce((a, b) => Math.max(a, b));
    this.#left = least(xs);
    this.#below = least(ys);
    this.#tier = most(xs) - this.#left + 2;
    this.#width = this.#tier * (most(tiers) + 1) - 1;
    this.#height = most(ys) - this.#below + 1;
  }

  /** One tier beside the other, the north above. */
  #at(tier: number, x: number, y: number): [number, number] {
    return [x - this.#left + tier * this.#tier, this.#height - 1 - (y - this.#below)];
  }

  #size(): number {
    const ratio = devicePixelRatio || 1;
    const room = this.canvas.parentElement?.clientWidth ?? 600;
    const size = Math.max(1, Math.min(28 * ratio, (room * ratio) / this.#width));
    this.canvas.width = Math.floor(size * this.#width);
    this.canvas.height = Math.floor(size * this.#height);
    this.canvas.style.width = `${String(this.canvas.width / ratio)}px`;
    return size;
  }

  show(frame: Frame, stored: Set<number>): void {
    this.#stored = stored;
    const context = this.canvas.getContext("2d");
    if (context === null || this.#floor === null) return;
    const size = this.#size();
    this.#cells(context, size, (index, kind) => {
      if (this.#stored.has(index)) return colour("--line-strong");
      if (kind === "s") return colour("--surface-2");
      if (kind === "p") return colour("--ok");
      if (kind === "r") return colour("--info");
      return kind === "q" ? colour("--brand-bg") : colour("--bg");
    });
    for (const [tier, x, y, heading, loaded] of frame.robots) {
      const [column, row] = this.#at(tier, x, y);
      const middle = [(column + 0.5) * size, (row + 0.5) * size] as const;
      if (loaded) {
        context.fillStyle = colour("--warn");
        context.fillRect(column * size + size * 0.06, row * size + size * 0.06, size * 0.88, size * 0.88);
      }
      context.beginPath();
      context.arc(...middle, size * 0.34, 0, 2 * Math.PI);
      context.fillStyle = colour("--brand");
      context.fill();
      const along = [[1, 0], [0, -1], [-1, 0], [0, 1]][heading] ?? [0, 0];
      context.beginPath();
      context.moveTo(...middle);
      context.lineTo(middle[0] + (along[0] ?? 0) * size * 0.34, middle[1] + (along[1] ?? 0) * size * 0.34);
      context.strokeStyle = colour("--brand-text");
      context.lineWidth = Math.max(1, size * 0.1);
      context.stroke();
    }
  }

  /** The same from aside. */
  solid(frame: Frame, stored: Set<number>, degrees: number): void {
    if (this.#floor === null) return;
    const { cells, kinds } = this.#floor;
    const ratio = devicePixelRatio || 1;
    const room = this.canvas.parentElement?.clientWidth ?? 600;
    const colours: Record<string, string> = { s: "--surface-2", p: "--ok", r: "--info", q: "--brand-bg" };
    const shades = Object.fromEntries(Object.entries(colours).map(([kind, name]) => [kind, colour(name)]));
    const lane = colour("--bg");
    const facts = {
      ...{ cells, stored, robots: frame.robots },
      colour: (index: number): string => shades[kinds[index] ?? "l"] ?? lane,
      ...{ pod: colour("--line-strong"), carried: colour("--warn"), robot: colour("--brand"), side: "#000" },
    };
    drawSolid(this.canvas, facts, Math.min(room, 1100) * ratio, degrees);
    this.canvas.style.width = `${String(this.canvas.width / ratio)}px`;
  }

  heat(values: number[], logarithm: boolean): void {
    const context = this.canvas.getContext("2d");
    if (context === null || this.#floor === null) return;
    const size = this.#size();
    const shown = logarithm ? values.map((value) => Math.log1p(value)) : values;
    const most = shown.reduce((a, b) => Math.max(a, b), 0) || 1;
    this.#cells(context, size, (index, kind) => {
      const value = shown[index] ?? 0;
      if (value > 0) return shade(value / most);
      return kind === "s" ? colour("--surface-2") : colour("--bg");
    });
  }

  #cells(context: CanvasRenderingContext2D, size: number, fill: (index: number, kind: string) => string): void {
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.#floor?.cells.forEach(([tier, x, y], index) => {
      const [column, row] = this.#at(tier, x, y);
      context.fillStyle = fill(index, this.#floor?.kinds[index] ?? "l");
      context.fillRect(column * size, row * size, Math.ceil(size) - 0.5, Math.ceil(size) - 0.5);
    });
  }
}

class Warehouse extends HTMLElement {
  readonly #drawing = new Drawing();
  readonly #said = document.createElement("p");
  #view: View | null = null;
  #stored = new Set<number>();
  #frame = -1;
  #playing = 0;
  #timer = 0;
  #slider: HTMLInputElement | null = null;
  #play: HTMLButtonElement | null = null;
  #layer: HTMLSelectElement | null = null;
  #logarithm: HTMLInputElement | null = null;
  #turned: HTMLInputElement | null = null;
  #turning: HTMLLabelElement | null = null;
  readonly #size = new ResizeObserver(() => this.#draw());

  static observedAttributes = ["replay"];

  connectedCallback(): void {
    this.#said.className = "quiet small";
    this.#said.setAttribute("role", "status");
    this.#drawing.canvas.setAttribute("role", "img");
    this.#drawing.canvas.setAttribute("aria-label", t("The warehouse from above: robots, pods, stations"));
    if (this.hasAttribute("replay")) this.append(this.#tools());
    this.append(this.#drawing.canvas, this.#said, this.#legend());
    this.#size.observe(this);
    if (this.hasAttribute("live")) this.#follow();
    else void this.#load();
  }

  disconnectedCallback(): void {
    clearInterval(this.#playing);
    clearTimeout(this.#timer);
    this.#size.disconnect();
  }

  attributeChangedCallback(_: string, before: string | null): void {
    if (before !== null) void this.#load();
  }

  #legend(): HTMLElement {
    const legend = document.createElement("ul");
    legend.className = "experiment-legend small";
    for (const [key, text] of [
      ["robot", t("robot")],
      ["loaded", t("robot with pod")],
      ["pod", t("pod")],
      ["pick", t("pick station")],
      ["replenishment", t("replenishment station")],
    ] as const) {
      const line = document.createElement("li");
      const swatch = document.createElement("span");
      swatch.className = `experiment-key experiment-key-${key}`;
      line.append(swatch, text);
      legend.append(line);
    }
    return legend;
  }

  #tools(): HTMLElement {
    const tools = document.createElement("div");
    tools.className = "experiment-tools";
    this.#play = document.createElement("button");
    this.#play.type = "button";
    this.#play.className = "button";
    this.#play.textContent = t("Play");
    this.#play.addEventListener("click", () => this.#turn());
    this.#slider = document.createElement("input");
    this.#slider.type = "range";
    this.#slider.min = "0";
    this.#slider.value = "0";
    this.#slider.setAttribute("aria-label", t("Simulated time"));
    this.#slider.addEventListener("input", () => {
      this.#pause();
      this.#go(Number(this.#slider?.value));
    });
    this.#layer = document.createElement("select");
    this.#layer.setAttribute("aria-label", t("What is shown"));
    for (const [value, text] of [
      ["", t("Robots and pods")],
      [SOLID, t("Robots and pods in 3-D")],
      ["robot_positions", t("Heat: where robots were")],
      ["trips", t("Heat: where trips ended")],
      ["storage_state", t("Heat: how full pods are")],
    ] as const) this.#layer.add(new Option(text, value));
    this.#layer.addEventListener("change", () => this.#draw());
    this.#logarithm = document.createElement("input");
    this.#logarithm.type = "checkbox";
    this.#logarithm.addEventListener("change", () => this.#draw());
    const logarithm = document.createElement("label");
    logarithm.className = "choice";
    logarithm.append(this.#logarithm, ` ${t("logarithm")}`);
    const layer = document.createElement("div");
    layer.className = "field";
    layer.append(this.#layer);
    this.#turned = document.createElement("input");
    this.#turned.type = "range";
    this.#turned.min = "-180";
    this.#turned.max = "180";
    this.#turned.value = "30";
    this.#turned.addEventListener("input", () => this.#draw());
    this.#turning = document.createElement("label");
    this.#turning.className = "experiment-turn";
    this.#turning.hidden = true;
    this.#turning.append(t("Turn the view"), this.#turned);
    tools.append(this.#play, this.#slider, layer, logarithm, this.#turning);
    return tools;
  }

  async #load(): Promise<void> {
    this.#pause();
    const answer = await fetch(this.getAttribute("replay") ?? "");
    if (!answer.ok) {
      this.#said.textContent = t("The replay cannot be loaded.");
      return;
    }
    this.#view = (await answer.json()) as View;
    this.#drawing.floor = this.#view.floor;
    this.#frame = -1;
    if (this.#slider !== null) this.#slider.max = String(this.#view.frames.length - 1);
    this.#go(Math.floor(this.#view.frames.length / 2));
  }

  #turn(): void {
    if (this.#playing) return this.#pause();
    if (this.#play !== null) this.#play.textContent = t("Pause");
    this.#playing = setInterval(() => {
      const last = (this.#view?.frames.length ?? 1) - 1;
      if (this.#frame >= last) this.#pause();
      else this.#go(this.#frame + 1);
    }, STEP_MS);
  }

  #pause(): void {
    clearInterval(this.#playing);
    this.#playing = 0;
    if (this.#play !== null) this.#play.textContent = t("Play");
  }

  #go(index: number): void {
    const frames = this.#view?.frames ?? [];
    if (index < this.#frame || this.#frame < 0) {
      this.#stored.clear();
      this.#frame = -1;
    }
    while (this.#frame < index && this.#frame < frames.length - 1) {
      const frame = frames[++this.#frame];
      for (const cell of frame?.taken ?? []) this.#stored.delete(cell);
      for (const cell of frame?.put ?? []) this.#stored.add(cell);
    }
    if (this.#slider !== null) this.#slider.value = String(this.#frame);
    this.#draw();
  }

  #draw(): void {
    const layer = this.#layer?.value ?? "";
    if (this.#turning !== null) this.#turning.hidden = layer !== SOLID;
    const heat = this.#view?.heat[layer];
    if (heat !== undefined) {
      this.#drawing.heat(heat, this.#logarithm?.checked ?? false);
      this.#said.textContent = t("Over the whole run; the most is {most}.", { most: formatNumber(Math.max(...heat), 1) });
      return;
    }
    const frame = this.#view?.frames[this.#frame];
    if (frame === undefined) return;
    if (layer === SOLID) this.#drawing.solid(frame, this.#stored, Number(this.#turned?.value));
    else this.#drawing.show(frame, this.#stored);
    this.#said.textContent = t("Simulated time {time}", { time: clock(frame.at_s) });
  }

  #follow(): void {
    const next = async (): Promise<void> => {
      try {
        const answer = await fetch(this.getAttribute("live") ?? "");
        const { present } = (await answer.json()) as { present: Present | null };
        if (present === null) this.#said.textContent = t("No run is on at this moment.");
        else {
          this.#drawing.floor = present.floor;
          this.#drawing.show(present.frame, new Set(present.frame.put));
          this.#said.textContent = t("{case}, run {number}: simulated time {time}", {
            case: present.case,
            number: present.seed + 1,
            time: clock(present.frame.at_s),
          });
        }
      } catch {
        this.#said.textContent = t("The server does not answer.");
      }
      if (this.isConnected) this.#timer = setTimeout(() => void next(), LIVE_MS);
    };
    void next();
  }
}

customElements.define("mpms-warehouse", Warehouse);

document.querySelector<HTMLSelectElement>("[data-experiment-case]")?.addEventListener("change", (event) => {
  const chosen = (event.currentTarget as HTMLSelectElement).selectedOptions[0];
  const plot = document.querySelector<HTMLImageElement>("[data-experiment-plot]");
  if (plot !== null && chosen?.dataset["plot"] !== undefined) plot.src = chosen.dataset["plot"];
  document.querySelector("mpms-warehouse[replay]")?.setAttribute("replay", chosen?.dataset["view"] ?? "");
});
