/**
 * A process on its drawing: where tokens stand, where time goes. All it shows is taken
 * from the table of steps beside it, so readers of the table miss nothing.
 */
import NavigatedViewer from "bpmn-js/lib/NavigatedViewer";
import type { Box, Canvas } from "./diagram_canvas.js";
import { panAndPinch } from "./pan_and_pinch.js";
import { t } from "./texts.js";

interface Registry {
  get(id: string): object | undefined;
}

interface Overlays {
  add(element: string, kind: string, overlay: object): string;
  remove(filter: { type: string }): void;
}

interface EventBus {
  on(event: string, heard: (event: { element: { id: string } }) => void): void;
}

const LONG = 2.4; // times as wide as high
const READABLE = 0.36;
const ROOM_PX = 100; // for buttons and watermark below the drawing
const MARGIN = 20;
const STEP_PX = 80;
const ZOOM = 1.25;
const BADGES = { show: { minZoom: 0.1 }, scale: { min: 0.75, max: 1.1 } };
const KEYS: Record<string, [number, number]> = {
  ArrowLeft: [STEP_PX, 0],
  ArrowRight: [-STEP_PX, 0],
  ArrowUp: [0, STEP_PX],
  ArrowDown: [0, -STEP_PX],
};

class ProcessMap extends HTMLElement {
  #viewer: InstanceType<typeof NavigatedViewer> | null = null;
  #marked: [string, string][] = [];
  #drawn = false;
  #again = (): void => this.#mark();
  #look = (event: Event): void => this.#bringIntoView((event as CustomEvent<string>).detail);

  connectedCallback(): void {
    const stage = document.createElement("div");
    stage.className = "diagram-stage";
    stage.tabIndex = 0;
    stage.setAttribute("role", "group");
    stage.setAttribute("aria-label", t("Diagram: arrow keys move it, + and − zoom"));
    this.replaceChildren(stage, this.#buttons());
    this.#viewer = new NavigatedViewer({ container: stage });
    panAndPinch(stage, () => this.#canvas());
    stage.addEventListener("keydown", (event) => this.#press(event));
    document.body.addEventListener("cockpit:marked", this.#again);
    document.body.addEventListener("htmx:afterSettle", this.#again);
    document.body.addEventListener("cockpit:look", this.#look);
    void this.#draw();
  }

  disconnectedCallback(): void {
    document.body.removeEventListener("cockpit:marked", this.#again);
    document.body.removeEventListener("htmx:afterSettle", this.#again);
    document.body.removeEventListener("cockpit:look", this.#look);
    this.#viewer?.destroy();
    this.#viewer = null;
  }

  #canvas(): Canvas | null {
    return this.#drawn && this.#viewer ? this.#viewer.get<Canvas>("canvas") : null;
  }

  #steps(): HTMLElement | null {
    return document.getElementById(this.getAttribute("steps") ?? "");
  }

  #buttons(): HTMLElement {
    const group = document.createElement("div");
    group.className = "diagram-zoom";
    const zoom = (by: number) => (): void => {
      const canvas = this.#canvas();
      canvas?.zoom(canvas.zoom() * by, "auto");
    };
    const offers: [string, string, () => void][] = [
      ["+", t("Zoom in"), zoom(ZOOM)],
      ["−", t("Zoom out"), zoom(1 / ZOOM)],
      ["⤢", t("Show the whole diagram"), () => this.#canvas()?.zoom("fit-viewport", "auto")],
    ];
    for (const [sign, label, act] of offers) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = sign;
      button.setAttribute("aria-label", label);
      button.title = label;
      button.addEventListener("click", act);
      group.append(button);
    }
    return group;
  }

  #press(event: KeyboardEvent): void {
    const canvas = this.#canvas();
    if (canvas === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = KEYS[event.key];
    if (way) canvas.scroll({ dx: way[0], dy: way[1] });
    else if (event.key === "+") canvas.zoom(canvas.zoom() * ZOOM, "auto");
    else if (event.key === "-") canvas.zoom(canvas.zoom() / ZOOM, "auto");
    else if (event.key === "0") canvas.zoom("fit-viewport", "auto");
    else return;
    event.preventDefault();
  }

  async #draw(): Promise<void> {
    const answer = await fetch(this.getAttribute("model") ?? "");
    if (!answer.ok || this.#viewer === null) return;
    try {
      await this.#viewer.importXML(await answer.text());
    } catch {
      this.#sayThereIsNone();
      return;
    }
    this.#drawn = true;
    this.#frame();
    this.#viewer.get<EventBus>("eventBus").on("element.click", ({ element }) => {
      const id = element.id.replace(/_label$/, "");
      if (this.#row(id) === undefined) return;
      document.body.dispatchEvent(new CustomEvent("cockpit:choose", { detail: id }));
    });
    this.#mark();
  }

  /** A model may be executed without ever having been drawn. */
  #sayThereIsNone(): void {
    const said = document.createElement("p");
    said.className = "empty";
    said.textContent = t("This model has no drawing. The list of steps says the same.");
    this.replaceChildren(said);
  }

  /** Long drawings get the whole width, and no more height than they need. */
  #frame(): void {
    const canvas = this.#canvas();
    const stage = this.querySelector<HTMLElement>(".diagram-stage");
    if (canvas === null || stage === null) return;
    const { width, height } = canvas.viewbox().inner;
    const long = width > LONG * height;
    this.parentElement?.classList.toggle("long-drawing", long);
    const whole = this.hasAttribute("whole"); // what is compared is seen side by side
    const fits = stage.clientWidth / Math.max(width, 1);
    const scale = whole ? fits : Math.max(fits, READABLE);
    if (long) stage.style.height = `${String(Math.round(height * scale + ROOM_PX))}px`;
    this.#viewer?.get<Canvas & { resized(): void }>("canvas").resized();
    if (canvas.zoom("fit-viewport", "auto") < READABLE && !whole) this.#lookAtTokens(canvas);
    else if (long) {
      const view = canvas.viewbox();
      canvas.viewbox({ ...box(view), y: view.inner.y - MARGIN });
    }
  }

  /** Too small as a whole: begin where something happens, or at the start. */
  #lookAtTokens(canvas: Canvas): void {
    const { inner } = canvas.viewbox();
    canvas.zoom(READABLE, "auto");
    const view = canvas.viewbox();
    const busy = this.#rows().find((row) => Number(row.dataset["tokens"]) > 0);
    const at = this.#viewer
      ?.get<{ get(id: string): Box | undefined }>("elementRegistry")
      .get(busy?.dataset["element"] ?? "");
    const left = at ? at.x + at.width / 2 - view.width / 2 : inner.x;
    const top = at ? at.y + at.height / 2 : inner.y + inner.height / 2;
    const most = Math.max(inner.x, inner.x + inner.width - view.width);
    canvas.viewbox({
      x: Math.min(Math.max(left, inner.x - MARGIN), most + MARGIN),
      y: inner.height < view.height ? inner.y - MARGIN : top - view.height / 2,
      width: view.width,
      height: view.height,
    });
  }

  #rows(): HTMLElement[] {
    return [...(this.#steps()?.querySelectorAll<HTMLElement>("[data-element]") ?? [])];
  }

  #row(id: string): HTMLElement | undefined {
    return this.#rows().find((row) => row.dataset["element"] === id);
  }

  #mark(): void {
    const canvas = this.#canvas();
    if (this.#viewer === null || canvas === null) return;
    const registry = this.#viewer.get<Registry>("elementRegistry");
    const overlays = this.#viewer.get<Overlays>("overlays");
    const show = this.#steps()?.dataset["show"] ?? "live";
    for (const [element, marker] of this.#marked) canvas.removeMarker(element, marker);
    this.#marked = [];
    overlays.remove({ type: "figure" });
    for (const row of this.#rows()) {
      const id = row.dataset["element"] ?? "";
      if (registry.get(id) === undefined) continue;
      const mark = (marker: string): void => {
        canvas.addMarker(id, marker);
        this.#marked.push([id, marker]);
      };
      mark("diagram-step");
      if (row.getAttribute("aria-current") === "true") mark("diagram-chosen");
      if (show === "marks") this.#plain(row, id, mark, overlays);
      else if (row.dataset["flow"]) this.#flow(row, id, show, mark, overlays);
      else if (show === "live") this.#live(row, id, mark, overlays);
      else this.#heat(row, id, show, mark, overlays);
    }
  }

  /** The row itself says how its element is marked. */
  #plain(
    row: HTMLElement,
    id: string,
    mark: (marker: string) => void,
    overlays: Overlays,
  ): void {
    const { mark: marker, badge: sign } = row.dataset;
    if (!marker) return;
    mark(marker);
    const kind = `model-mark model-mark-${marker.replace(/^\w+-/, "")}`;
    if (sign) overlays.add(id, "figure", badge(kind, sign, { top: -14, right: 14 }));
  }

  /** As wide as it was often taken, with its share beside its first stretch. */
  #flow(
    row: HTMLElement,
    id: string,
    show: string,
    mark: (marker: string) => void,
    overlays: Overlays,
  ): void {
    const flow = this.#viewer?.get<Registry>("elementRegistry").get(id) as
      | { waypoints?: { x: number; y: number }[] }
      | undefined;
    const points = flow?.waypoints ?? [];
    const [first, second] = points;
    if (first === undefined || second === undefined) return;
    mark(`flow-${row.dataset["flow"] ?? "0"}`);
    const left = Math.min(...points.map((point) => point.x));
    const top = Math.min(...points.map((point) => point.y));
    const at = { left: (first.x + second.x) / 2 - left - 14, top: (first.y + second.y) / 2 - top - 10 };
    overlays.add(id, "figure", badge("heat-figure", row.getAttribute(`data-text-${show}`) ?? "", at));
  }

  #bringIntoView(id: string): void {
    if (this.#viewer === null || this.#canvas() === null) return;
    if (this.#viewer.get<Registry>("elementRegistry").get(id) === undefined) return;
    this.#viewer
      .get<{ scrollToElement(element: string, room: number): void }>("canvas")
      .scrollToElement(id, STEP_PX);
  }

  #live(
    row: HTMLElement,
    id: string,
    mark: (marker: string) => void,
    overlays: Overlays,
  ): void {
    const tokens = Number(row.dataset["tokens"]);
    const stuck = Number(row.dataset["stuck"]);
    if (tokens > 0) {
      mark("diagram-live");
      overlays.add(id, "figure", badge("token", short(tokens), { bottom: 14, left: -14 }));
    }
    if (stuck > 0) {
      mark("diagram-stuck");
      const text = `! ${short(stuck)}`;
      overlays.add(id, "figure", badge("token token-stuck", text, { top: -14, right: 20 }));
    }
  }

  #heat(
    row: HTMLElement,
    id: string,
    show: string,
    mark: (marker: string) => void,
    overlays: Overlays,
  ): void {
    const level = row.getAttribute(`data-heat-${show}`) ?? "0";
    if (level === "0") return;
    mark(`heat-${level}`);
    const text = row.getAttribute(`data-text-${show}`) ?? "";
    overlays.add(id, "figure", badge("heat-figure", text, { bottom: 12, left: -8 }));
  }
}

function box({ x, y, width, height }: Box): Box {
  return { x, y, width, height };
}

function badge(kind: string, text: string, position: object): object {
  const html = document.createElement("span");
  html.className = kind;
  html.textContent = text;
  return { position, html, ...BADGES };
}

function short(count: number): string {
  return count < 10_000 ? String(count) : `${String(Math.floor(count / 1000))}k`;
}

customElements.define("mpms-process-map", ProcessMap);
