/**
 * Draws the floor: walls, doors, places, lanes, zones, charging, robots and packages on
 * its plan. What is wrong is told while one draws; nothing is kept before it is saved as a version.
 */
import { type Corner, type Draft, Floor, type Part, type Point, samePart } from "./floor/draft.js";
import { fieldsOf } from "./floor/fields.js";
import { offerPreview, Player, type Seen } from "./floor/preview.js";
import { wallIndex } from "./floor/solid.js";
import { cornersOf, moveCorner, Stage } from "./floor/stage.js";
import { post } from "../posting.js";
import { t } from "../texts.js";

interface Fault {
  section: string;
  name: string;
  what: string;
  text: string;
  refuses: boolean;
}

const SOON_MS = 700;
const MOST_STEPS = 100;

function part<Found extends HTMLElement>(id: string, kind: new () => Found): Found {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no #${id}`);
  return found;
}

class Editor {
  readonly #root = part("floor-editor", HTMLElement);
  readonly #parts = part("floor-parts", HTMLSelectElement);
  readonly #fields = part("floor-fields", HTMLElement);
  readonly #state = part("floor-state", HTMLElement);
  readonly #save = part("floor-save", HTMLFormElement);
  readonly #began = part("floor-draft", HTMLElement).textContent;
  #floor = new Floor(JSON.parse(this.#began) as Draft);
  #kept = this.#copy();
  #past: string[] = [];
  #future: string[] = [];
  #tool = "select";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #checks = 0;
  #saved = false;
  readonly #stage = new Stage(part("floor-stage", HTMLElement), () => this.#floor, {
    tap: (at, found, place) => this.#tap(at, found, place),
    move: (moved, corner, to) => {
      moveCorner(this.#floor, moved, corner, to);
      this.#player.hide();
      this.#stage.draw();
    },
    moved: () => this.#changed(this.#stage.selected),
  });
  readonly #player = new Player(this.#stage);

  start(): void {
    for (const button of this.#buttons("tool"))
      button.addEventListener("click", () => this.#take(button.dataset["tool"] ?? "select"));
    const acts: Record<string, () => void> = {
      finish: () => this.#finish(),
      package: () => this.#changed(this.#floor.addPackage()),
      undo: () => this.#back(this.#past, this.#future),
      redo: () => this.#back(this.#future, this.#past),
      in: () => this.#stage.view.closer(),
      out: () => this.#stage.view.farther(),
      fit: () => this.#stage.view.fit(),
    };
    for (const button of this.#buttons("do"))
      button.addEventListener("click", () => acts[button.dataset["do"] ?? ""]?.());
    this.#parts.addEventListener("change", () => this.#pick(partOf(this.#parts.value)));
    this.#root.addEventListener("keydown", (event) => this.#key(event));
    this.#save.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#keep();
    });
    window.addEventListener("beforeunload", (event) => {
      if (this.#isChanged && !this.#saved) event.preventDefault();
    });
    const seen = JSON.parse(part("floor-shown", HTMLElement).textContent) as Seen | null;
    if (seen) this.#player.take(seen);
    const url = this.#root.dataset["preview"];
    if (url) offerPreview(url, this.#player);
    this.#player.hide();
    this.#take("select");
    this.#show();
    void this.#check();
  }

  #buttons(name: string): HTMLButtonElement[] {
    return [...this.#root.querySelectorAll<HTMLButtonElement>(`button[data-${name}]`)];
  }

  #button(act: string): HTMLButtonElement | undefined {
    return this.#buttons("do").find((button) => button.dataset["do"] === act);
  }

  #copy(): string {
    return JSON.stringify(this.#floor.draft);
  }

  get #isChanged(): boolean {
    return this.#past.length > 0;
  }

  // Tools

  #take(tool: string): void {
    this.#tool = tool;
    this.#stage.trail = [];
    for (const button of this.#buttons("tool"))
      button.setAttribute("aria-pressed", String(button.dataset["tool"] === tool));
    const hints: Record<string, string> = {
      select: t("Tap a part to change it; drag its round handles. Drag the floor to move it."),
      place: t("Tap where robots should stop."),
      lane: t("Tap the points of the lane, places too; then finish."),
      zone: t("Tap the corners of the zone; then finish."),
      charging: t("Tap two opposite corners of the charging zone."),
      robot: t("Tap a place, or where the robot should rest."),
      wall: t("Tap the corners of the wall; then finish."),
      door: t("Tap both ends of the opening."),
    };
    part("floor-hint", HTMLElement).textContent = hints[tool] ?? "";
    if (tool !== "select") this.#player.hide();
    this.#trailed();
  }

  #tap(at: Point, found: Part | null, place: string | undefined): void {
    const trail = this.#stage.trail;
    const corner: Corner = this.#tool === "lane" && place !== undefined ? place : at;
    switch (this.#tool) {
      case "place":
        return this.#changed(this.#floor.addPlace(at));
      case "robot":
        return this.#changed(this.#floor.addRobot(at, place));
      case "lane":
      case "wall":
      case "zone":
        if (this.#isLast(corner)) return this.#finish();
        trail.push(corner);
        return this.#trailed();
      case "door":
      case "charging": {
        const [first] = trail;
        if (first === undefined) {
          trail.push(at);
          return this.#trailed();
        }
        this.#stage.trail = [];
        const from = this.#floor.spot(first);
        return this.#changed(
          this.#tool === "door" ? this.#floor.addDoor(from, at) : this.#floor.addCharging(from, at),
        );
      }
      default:
        return this.#pick(found);
    }
  }

  // Tapping the last point once more ends a lane, the first one a zone.
  #isLast(corner: Corner): boolean {
    const trail = this.#stage.trail;
    const end = this.#tool === "zone" ? trail[0] : trail.at(-1);
    if (end === undefined || trail.length < 2) return false;
    const [[x, y], [a, b]] = [this.#floor.spot(end), this.#floor.spot(corner)];
    return Math.hypot(x - a, y - b) < 14 / this.#stage.view.scale;
  }

  #finish(): void {
    const trail = this.#stage.trail;
    this.#stage.trail = [];
    if (this.#tool === "lane" && trail.length >= 2) this.#changed(this.#floor.addLane(trail));
    else if (this.#tool === "wall" && trail.length >= 2) this.#changed(this.#floor.addWall(trail));
    else if (this.#tool === "zone" && trail.length >= 3)
      this.#changed(this.#floor.addZone(trail.map((corner) => this.#floor.spot(corner))));
    this.#trailed();
  }

  #trailed(): void {
    const least = this.#tool === "zone" ? 3 : 2;
    const finish = this.#button("finish");
    if (finish) {
      finish.hidden = !["lane", "wall", "zone"].includes(this.#tool);
      finish.disabled = this.#stage.trail.length < least;
    }
    this.#stage.draw();
  }

  #key(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (typing) return;
    const selected = this.#stage.selected;
    if (event.key === "Enter" && this.#stage.trail.length > 0) this.#finish();
    else if (event.key === "Escape") this.#take("select");
    else if (event.key === "Delete" && selected !== null) {
      this.#floor.remove(selected);
      this.#changed(null);
    } else if (event.key === "z" && (event.ctrlKey || event.metaKey))
      this.#back(this.#past, this.#future);
    else return;
    event.preventDefault();
  }

  // Changes

  #changed(selected: Part | null): void {
    const now = this.#copy();
    if (now !== this.#kept) {
      this.#past.push(this.#kept);
      this.#past.splice(0, this.#past.length - MOST_STEPS);
      this.#future = [];
      this.#kept = now;
    }
    this.#stage.selected = selected;
    this.#player.hide();
    this.#soon();
    this.#show();
  }

  #back(from: string[], to: string[]): void {
    const before = from.pop();
    if (before === undefined) return;
    to.push(this.#kept);
    this.#kept = before;
    this.#floor = new Floor(JSON.parse(before) as Draft);
    const selected = this.#stage.selected;
    if (selected && !this.#floor.has(selected)) this.#stage.selected = null;
    this.#player.hide();
    this.#soon();
    this.#show();
  }

  #pick(found: Part | null): void {
    this.#stage.selected = found;
    const [spot] = found === null ? [] : cornersOf(this.#floor, found);
    if (spot) this.#stage.view.reveal(...spot);
    this.#show();
  }

  #show(): void {
    const selected = this.#stage.selected;
    this.#listParts(selected);
    const answers = {
      change: (what: () => Part | null) => this.#changed(what()),
    };
    this.#fields.replaceChildren(
      ...(selected === null ? [] : fieldsOf(this.#floor, selected, answers)),
    );
    for (const [act, steps] of [["undo", this.#past], ["redo", this.#future]] as const) {
      const button = this.#button(act);
      if (button) button.disabled = steps.length === 0;
    }
    if (this.#isChanged) this.#state.textContent = t("Changed, not saved yet");
    this.#stage.draw();
  }

  #listParts(selected: Part | null): void {
    const words: Record<string, string> = {
      places: t("Places"),
      storage: t("Storage places"),
      inputs: t("Inputs"),
      outputs: t("Outputs"),
      waiting: t("Waiting places"),
      lanes: t("Lanes"),
      zones: t("Zones"),
      charging: t("Charging zones"),
      robots: t("Robots"),
      packages: t("Package types"),
      doors: t("Doors"),
      walls: t("Walls"),
    };
    const groups = new Map<string, HTMLOptGroupElement>();
    for (const each of this.#floor.parts()) {
      let group = groups.get(each.section);
      if (group === undefined) {
        group = document.createElement("optgroup");
        group.label = words[each.section] ?? each.section;
        groups.set(each.section, group);
      }
      const chosen = samePart(each, selected);
      group.append(new Option(this.#called(each), valueOf(each), chosen, chosen));
    }
    const none = new Option(t("nothing selected"), "", selected === null, selected === null);
    this.#parts.replaceChildren(none, ...groups.values());
  }

  #called({ section, name }: Part): string {
    const wall = section === "walls" ? this.#floor.draft.walls[wallIndex(name)] : undefined;
    return wall ? `${wall[0]}, ${wall[1]} – ${wall[2]}, ${wall[3]}` : name;
  }

  // The server checks, and keeps what is right

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#check(), SOON_MS);
  }

  #asked(): { draft: Draft; based_on: number } {
    return { draft: this.#floor.draft, based_on: Number(this.#root.dataset["number"]) };
  }

  async #check(): Promise<void> {
    const number = ++this.#checks;
    const { status, said } = await post(this.#root.dataset["check"] ?? "", this.#asked());
    if (number !== this.#checks) return;
    if (status !== 200) {
      this.#faults(null);
      return;
    }
    this.#faults(said["faults"] as Fault[]);
  }

  #faults(faults: Fault[] | null): void {
    const list = part("floor-faults", HTMLElement);
    const save = this.#save.querySelector("button");
    const refused = faults === null || faults.some((fault) => fault.refuses);
    if (save) save.disabled = refused || !this.#isChanged;
    if (faults === null) {
      list.replaceChildren(item(t("The server could not check this. Change something to try again.")));
      return;
    }
    this.#stage.wrong = faults
      .filter(({ refuses }) => refuses)
      .map(({ section, name }) => ({ section, name }) as Part);
    list.replaceChildren(
      ...(faults.length
        ? faults.map((fault) => this.#fault(fault))
        : [item(t("Nothing is wrong: every place can be reached."))]),
    );
    this.#stage.draw();
  }

  #fault(fault: Fault): HTMLElement {
    const section = fault.section === "stock" ? "storage" : fault.section;
    const found = { section, name: fault.name } as Part;
    const text = `${fault.what} ${fault.name}: ${fault.text}`;
    const one = item("");
    one.className = fault.refuses ? "floor-refused" : "floor-hinted";
    if (!this.#floor.has(found)) {
      one.textContent = text;
      return one;
    }
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", () => this.#pick(found));
    one.append(button);
    return one;
  }

  async #keep(): Promise<void> {
    const problem = part("floor-problem", HTMLElement);
    const reason = part("floor-reason", HTMLInputElement).value;
    const url = this.#root.dataset["save"] ?? "";
    const { status, said } = await post(url, { ...this.#asked(), reason });
    if (status === 200 && typeof said["go"] === "string") {
      this.#saved = true;
      window.location.assign(said["go"]);
      return;
    }
    const why = typeof said["problem"] === "string" ? said["problem"] : "";
    problem.textContent = why || t("The server does not answer. Try again.");
    problem.hidden = false;
    if (Array.isArray(said["faults"])) this.#faults(said["faults"] as Fault[]);
  }
}

function item(text: string): HTMLLIElement {
  const one = document.createElement("li");
  one.textContent = text;
  return one;
}

function valueOf({ section, name }: Part): string {
  return `${section}/${name}`;
}

function partOf(value: string): Part | null {
  const at = value.indexOf("/");
  if (at < 0) return null;
  return { section: value.slice(0, at), name: value.slice(at + 1) } as Part;
}

new Editor().start();
