/** Charts of the figures page. Colours come from the theme; tables say the same. */
import uPlot from "uplot";
import { formatNumber, language, t } from "../texts.js";

interface Chart {
  unit: "" | "s";
  lines: [string, (number | null)[]][];
}

type Charts = Record<string, Chart> & { days: string[] };

const COLOURS = ["--brand", "--ok", "--warn"];
const DASHES = [[], [6, 4], [2, 3]];
const HEIGHT = 220;
const WHOLE = [1, 2, 5].flatMap((n) => [n, n * 10, n * 100, n * 1000, n * 10_000]).sort((a, b) => a - b);

function charts(): Charts {
  return JSON.parse(document.getElementById("figures-data")?.textContent ?? "{}") as Charts;
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#0b5563";
}

function shown(unit: string, value: number | null): string {
  if (value === null) return "–";
  if (unit === "") return formatNumber(value, 0);
  if (value < 60) return `${formatNumber(value, value < 10 ? 1 : 0)} s`;
  if (value < 3600) return `${formatNumber(value / 60, 0)} min`;
  if (value < 172_800) return `${formatNumber(value / 3600, 1)} h`;
  return `${formatNumber(value / 86_400, 1)} d`;
}

class Figure extends HTMLElement {
  #plot: uPlot | null = null;
  #size = new ResizeObserver(() => this.#plot?.setSize({ width: this.clientWidth, height: HEIGHT }));
  #theme = new MutationObserver(() => this.#draw());
  #dark = matchMedia("(prefers-color-scheme: dark)");
  #turn = (): void => this.#draw();

  connectedCallback(): void {
    this.#draw();
    this.#size.observe(this);
    this.#theme.observe(document.documentElement, { attributes: true });
    this.#dark.addEventListener("change", this.#turn);
  }

  disconnectedCallback(): void {
    this.#size.disconnect();
    this.#theme.disconnect();
    this.#dark.removeEventListener("change", this.#turn);
    this.#plot?.destroy();
  }

  #draw(): void {
    const { days, ...all } = charts();
    const chart = all[this.getAttribute("chart") ?? ""];
    if (chart === undefined) return;
    this.#plot?.destroy();
    const at = days.map((day) => new Date(`${day}T12:00:00`).getTime() / 1000);
    const grid = { stroke: colour("--line"), width: 1 };
    const axis = { stroke: colour("--text-2"), grid, ticks: grid, font: "12px system-ui" };
    const day = new Intl.DateTimeFormat(language(), { day: "numeric", month: "short" });
    this.#plot = new uPlot(
      {
        width: this.clientWidth,
        height: HEIGHT,
        scales: { y: { range: (_, __, most) => [0, Math.max(most, 1) * 1.1] } },
        axes: [
          { ...axis, space: 64, values: (_, times) => times.map((time) => day.format(time * 1000)) },
          { ...axis, size: 64, ...(chart.unit === "" ? { incrs: WHOLE } : {}), values: (_, values) => values.map((value) => shown(chart.unit, value)) },
        ],
        series: [
          { label: t("Day"), value: (_, time: number | null) => (time === null ? "–" : day.format(time * 1000)) },
          ...chart.lines.map(([label], index) => ({
            label,
            stroke: colour(COLOURS[index] ?? "--brand"),
            dash: DASHES[index] ?? [],
            width: 2,
            spanGaps: true,
            points: { show: days.length <= 40, size: 5 },
            value: (_: uPlot, value: number | null) => shown(chart.unit, value),
          })),
        ],
      },
      [at, ...chart.lines.map(([, values]) => values)],
      this,
    );
    this.dataset["drawn"] = "";
  }
}

customElements.define("mpms-figure", Figure);

for (const field of document.querySelectorAll<HTMLSelectElement>("[data-figures-send]"))
  field.addEventListener("change", () => {
    const own = document.querySelector<HTMLElement>("[data-own-dates]");
    if (field.name === "window") own?.toggleAttribute("hidden", field.value !== "own");
    if (field.value !== "own") field.form?.requestSubmit();
  });
