// The list beside the map says what the map shows; the sheet says all about one robot.
// Rows are made by the server; here they are kept up to date and chosen.

import { formatNumber, t } from "../../texts.js";
import { put, write } from "./drawing.js";
import type { Robot, Robots } from "./robots.js";
import type { FloorPlan, PersonFrame } from "./types.js";
import { ago, heard, linkWord, shown } from "./labels.js";

const LOW_BATTERY = 0.15;
const TONES = ["ok", "info", "warn", "bad"];

function part(root: ParentNode, name: string): HTMLElement | null {
  return root.querySelector<HTMLElement>(`[data-part="${name}"]`);
}

function html(tag: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

function percent(share: number | null): string {
  return share === null ? "–" : `${formatNumber(share * 100, 0)} %`;
}

export class Side {
  private readonly rows = document.getElementById("map-robot-rows");
  private readonly people = document.getElementById("map-people-rows");
  private readonly sheet = document.getElementById("map-sheet");
  private readonly said = document.getElementById("map-said");
  private readonly troubles = new Map<string, string>();
  private place: string | null = null;
  private openFor = "";

  constructor(
    private readonly robots: Robots,
    private readonly plan: FloorPlan,
    private readonly choose: (id: string | null) => void,
  ) {
    this.rows?.addEventListener("click", (event) => {
      const row = (event.target as Element).closest<HTMLElement>("[data-robot]");
      const id = row?.dataset["robot"];
      if (id) this.choose(id === this.robots.chosen ? null : id);
    });
    this.sheet?.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  refresh(at: number): void {
    for (const [id, robot] of this.robots.known) {
      this.fill(this.row(id), id, robot, at);
      this.announce(id, robot);
    }
    for (const row of this.rows?.querySelectorAll<HTMLElement>("[data-robot]") ?? [])
      if (!this.robots.known.has(row.dataset["robot"] ?? "")) row.remove();
    this.showSheet(at);
  }

  refreshPeople(frames: PersonFrame[]): void {
    if (!this.people) return;
    document.getElementById("map-people-part")?.toggleAttribute("hidden", !frames.length);
    const rows = new Map(
      [...this.people.querySelectorAll<HTMLElement>("[data-person]")].map((row) => [
        row.dataset["person"] ?? "",
        row,
      ]),
    );
    for (const frame of frames) {
      let row = rows.get(frame.id);
      if (!row) {
        row = html("li", "map-person", this.named("name"), this.named("near"));
        row.dataset["person"] = frame.id;
        this.people.append(row);
      }
      rows.delete(frame.id);
      const name = part(row, "name");
      const near = part(row, "near");
      if (name) write(name, frame.id);
      const within = t("to within {n} m", { n: formatNumber(frame.radius, 1) });
      if (near) write(near, frame.grey ? heard(frame.age_s) : within);
    }
    for (const row of rows.values()) row.remove();
  }

  openPlace(name: string): void {
    this.place = name;
    this.choose(null);
    this.place = name;
    this.showSheet(performance.now());
    this.sheet?.focus();
  }

  openRobot(): void {
    this.place = null;
    this.showSheet(performance.now());
  }

  private close(): void {
    const id = this.robots.chosen;
    this.place = null;
    this.choose(null);
    this.showSheet(performance.now());
    const row = id === null ? null : this.row(id);
    row?.querySelector("button")?.focus();
  }

  private named(name: string): HTMLElement {
    const element = html("span", name === "near" ? "quiet small" : "map-person-name");
    element.dataset["part"] = name;
    return element;
  }

  private row(id: string): HTMLElement | null {
    if (!this.rows) return null;
    for (const row of this.rows.querySelectorAll<HTMLElement>("[data-robot]"))
      if (row.dataset["robot"] === id) return row;
    const pattern = document.querySelector<HTMLTemplateElement>("#map-row");
    const row = pattern?.content.querySelector("li")?.cloneNode(true);
    if (!(row instanceof HTMLElement)) return null;
    row.dataset["robot"] = id;
    this.rows.append(row);
    return row;
  }

  private fill(row: HTMLElement | null, id: string, robot: Robot, at: number): void {
    if (!row) return;
    const { frame, label } = robot;
    row.classList.toggle("map-grey", this.robots.grey(robot, at));
    const button = row.querySelector("button");
    if (button) put(button, "aria-pressed", String(id === this.robots.chosen));
    const texts = {
      name: id,
      battery: frame.battery === null ? "" : percent(frame.battery),
      state: label.text,
      order: frame.order === null ? "" : t("Order {number}", { number: frame.order }),
    };
    for (const [name, text] of Object.entries(texts)) {
      const element = part(row, name);
      if (element) write(element, text);
    }
    const low = frame.battery !== null && frame.battery <= LOW_BATTERY;
    part(row, "battery")?.classList.toggle("map-low", low);
    const chip = part(row, "chip");
    for (const tone of TONES) chip?.classList.toggle(`chip-${tone}`, tone === label.tone);
    const icon = row.querySelector('[data-part="icon"]');
    if (icon) put(icon, "href", `#map-icon-${label.icon}`);
  }

  private announce(id: string, robot: Robot): void {
    const trouble = ["warn", "bad"].includes(robot.label.tone) ? robot.label.icon : "";
    const before = this.troubles.get(id);
    this.troubles.set(id, trouble);
    if (before === undefined || before === trouble || !this.said) return;
    this.said.textContent = `${id}: ${robot.label.text}`;
  }

  private showSheet(at: number): void {
    const { sheet } = this;
    if (!sheet) return;
    const id = this.robots.chosen;
    const robot = id === null ? undefined : this.robots.known.get(id);
    const subject = robot ? `robot ${robot.frame.id}` : `place ${this.place ?? ""}`;
    sheet.hidden = !robot && this.place === null;
    if (sheet.hidden) {
      this.openFor = "";
      return;
    }
    if (this.openFor !== subject) {
      this.openFor = subject;
      this.build(sheet, robot ? robot.frame.id : shown(this.place ?? ""));
    }
    const facts = robot ? this.robotFacts(robot, at) : this.placeFacts();
    this.fillFacts(sheet.querySelector("dl"), facts);
  }

  private build(sheet: HTMLElement, title: string): void {
    const heading = html("h2", "map-sheet-title", title);
    heading.id = "map-sheet-title";
    const close = html("button", "button button-quiet map-close", "✕");
    close.setAttribute("type", "button");
    close.setAttribute("aria-label", t("Close"));
    close.addEventListener("click", () => this.close());
    sheet.replaceChildren(html("div", "map-sheet-head", heading, close), html("dl", "facts"));
  }

  private robotFacts(robot: Robot, at: number): [string, string | Node][] {
    const { frame, label } = robot;
    const facts: [string, string | Node][] = [[t("State"), label.text]];
    if (frame.why_not) facts.push([t("Reason"), frame.why_not]);
    if (frame.order !== null) facts.push([t("Order"), orderLink(frame.order)]);
    if (frame.instance !== null && document.documentElement.dataset["role"] !== "worker")
      facts.push([t("Process"), tokenLink(frame.instance, frame.id)]);
    if (frame.place !== null) facts.push([t("Goal"), shown(frame.place)]);
    if (frame.speed !== null)
      facts.push([t("Speed"), `${formatNumber(frame.speed, 1)} m/s`]);
    if (frame.steering !== undefined)
      facts.push([t("Steering"), `${formatNumber((frame.steering * 180) / Math.PI, 0)}°`]);
    const shape = this.plan.shapes[frame.id];
    if (shape) facts.push([t("Vehicle"), vehicleLink(shape.vehicle)]);
    facts.push([t("Battery"), percent(frame.battery)]);
    facts.push([t("Link"), linkWord(frame.link)]);
    const age = this.robots.age(robot, at);
    facts.push([t("Last heard"), age === null ? t("never") : ago(age)]);
    return facts;
  }

  private placeFacts(): [string, string | Node][] {
    const place = this.plan.places.find((one) => one.name === this.place);
    if (!place) return [];
    const coming = [...this.robots.known.values()]
      .filter(({ frame }) => frame.place === place.name)
      .map(({ frame }) => frame.id);
    const facts: [string, string | Node][] = [];
    if (place.kind === "tank") facts.push([t("Kind"), t("mixing tank")]);
    if (place.materials.length) facts.push([t("Materials"), place.materials.join(", ")]);
    facts.push([t("On their way"), coming.length ? coming.join(", ") : t("nobody")]);
    return facts;
  }

  private fillFacts(list: HTMLElement | null, facts: [string, string | Node][]): void {
    if (!list) return;
    // What is shown stays where it can: a click on a link that is replaced is lost.
    const shownNow = new Map(
      [...list.querySelectorAll("dt")].map((term) => [term.textContent, term]),
    );
    if ([...shownNow.keys()].join("\n") !== facts.map(([name]) => name).join("\n")) {
      const names = new Set<string | null>(facts.map(([name]) => name));
      for (const [name, term] of shownNow)
        if (!names.has(name)) {
          term.nextElementSibling?.remove();
          term.remove();
        }
      facts.forEach(([name], index) => {
        if (shownNow.has(name)) return;
        const before = list.querySelectorAll("dt")[index] ?? null;
        const term = html("dt", "", name);
        list.insertBefore(term, before);
        list.insertBefore(html("dd", ""), before);
      });
    }
    const values = list.querySelectorAll("dd");
    facts.forEach(([, value], index) => {
      const shownValue = values[index];
      if (!shownValue) return;
      if (typeof value === "string") write(shownValue, value);
      else if (shownValue.innerHTML !== (value as HTMLElement).outerHTML)
        shownValue.replaceChildren(value);
    });
  }
}

function orderLink(number: string): HTMLAnchorElement {
  const link = document.createElement("a");
  link.href = `/orders/${encodeURIComponent(number)}`;
  link.textContent = number;
  return link;
}

function vehicleLink(name: string): HTMLAnchorElement {
  const link = document.createElement("a");
  link.href = `/vehicles/${encodeURIComponent(name)}`;
  link.textContent = name;
  return link;
}

// Processes that follow each other look alike: the text alone would hide the change.
function tokenLink(instance: string, robot: string): HTMLAnchorElement {
  const link = document.createElement("a");
  link.href = `/cockpit/i/${encodeURIComponent(instance)}?robot=${encodeURIComponent(robot)}`;
  link.textContent = t("Show its token");
  return link;
}
