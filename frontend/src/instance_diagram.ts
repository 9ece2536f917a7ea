/**
 * The diagram of one instance: its tokens, the way they came, the time that is left.
 * A token that is dragged onto an element asks to be moved there; the list of steps
 * beside the picture offers the same to those who cannot drag or see.
 */
import NavigatedViewer from "bpmn-js/lib/NavigatedViewer";
import { type Carrier, carryByKeys, type Place } from "./carry_token.js";
import { panAndPinch, type Paper } from "./pan_and_pinch.js";
import { t } from "./texts.js";

export interface Token {
  task: string;
  element: string;
  name: string;
  state: string;
  link?: { address: string; title: string } | null; // to what works for it
  at_work: boolean; // something does, for this very step
  due_at: string | null;
}

export interface Marks {
  model: string;
  ended: boolean;
  tokens: Token[];
  passed: string[];
  cancelled: string[];
  flows: Record<string, number>;
  stuck: string[];
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Canvas extends Paper {
  addMarker(element: string, marker: string): void;
  removeMarker(element: string, marker: string): void;
  viewbox(box?: Box): Box & { inner: Box };
  scrollToElement(element: string, padding?: number): void;
}

interface Drawn extends Box {
  id: string;
  type: string;
  waypoints?: unknown;
  labelTarget?: unknown;
  businessObject?: { name?: string };
}

interface Registry {
  get(id: string): Drawn | undefined;
  filter(wanted: (one: Drawn) => boolean): Drawn[];
}

interface Overlays {
  add(element: string, kind: string, overlay: object): string;
  remove(filter: { type: string }): void;
}

const TOPICS = ["live:instances", "live:tasks", "live:incidents"];
const DRAG_PX = 6;
const STANDS = /:(\w*Task|\w*SubProcess|CallActivity|Transaction|\w*Gateway|StartEvent|EndEvent|Intermediate\w*Event)$/;
const READABLE = { min: 1, max: 1.2 }; // badges are targets: they do not shrink

export class InstanceDiagram extends HTMLElement {
  #viewer: InstanceType<typeof NavigatedViewer> | null = null;
  #stage = document.createElement("div");
  #said = document.createElement("p");
  #marked: [string, string][] = [];
  #drawn = "";
  #shown = "";
  #asking = false;
  #dragging = false;
  #missed = false;
  #again = false;
  #past = false;
  #found = false;
  #news = (): void => void this.#refresh();

  connectedCallback(): void {
    this.#stage.className = "instance-stage";
    this.#said.className = "visually-hidden";
    this.#said.setAttribute("role", "status");
    this.replaceChildren(this.#said, this.#stage, this.#tools());
    this.#viewer = new NavigatedViewer({ container: this.#stage });
    panAndPinch(this.#stage, () => this.#canvas());
    for (const topic of TOPICS) document.body.addEventListener(topic, this.#news);
    document.addEventListener("htmx:oobAfterSwap", () => this.#point());
    void this.#refresh();
  }

  disconnectedCallback(): void {
    for (const topic of TOPICS) document.body.removeEventListener(topic, this.#news);
    this.#viewer?.destroy();
    this.#viewer = null;
  }

  /** Show a moment of the past, or the present again. */
  async replay(marks: Marks | null): Promise<void> {
    this.#past = marks !== null;
    this.toggleAttribute("past", this.#past);
    this.#shown = "";
    if (marks === null) return this.#refresh();
    if (this.#drawn !== marks.model && !(await this.#draw(marks.model))) return;
    if (this.#past) this.#mark(marks);
  }

  #canvas(): Canvas | null {
    return this.#viewer === null ? null : this.#viewer.get<Canvas>("canvas");
  }

  #tools(): HTMLElement {
    const tools = document.createElement("div");
    tools.className = "instance-tools";
    const zoom = (factor: number) => (): void => {
      const canvas = this.#canvas();
      canvas?.zoom(canvas.zoom() * factor, "auto");
    };
    tools.append(
      tool("+", t("Larger"), zoom(1.25)),
      tool("−", t("Smaller"), zoom(0.8)),
      tool("⤢", t("Whole diagram"), () => this.#canvas()?.zoom("fit-viewport", "auto")),
    );
    return tools;
  }

  /** One question at a time; news that come meanwhile ask once more. */
  async #refresh(): Promise<void> {
    this.#again = true;
    if (this.#asking) return;
    this.#asking = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#show();
      }
    } finally {
      this.#asking = false;
    }
  }

  async #show(): Promise<void> {
    const answer = await fetch(this.getAttribute("tokens") ?? "").catch(() => null);
    if (answer?.ok !== true) return;
    const text = await answer.text();
    if (text === this.#shown || this.#viewer === null || this.#past) return;
    if (this.#dragging) {
      this.#missed = true;
      return;
    }
    const marks = JSON.parse(text) as Marks;
    const first = this.#drawn !== marks.model;
    if (first && !(await this.#draw(marks.model))) return;
    if (this.hasAttribute("past")) return; // since the question was asked
    this.#shown = text;
    this.#mark(marks);
    this.#look(marks, first);
  }

  async #draw(model: string): Promise<boolean> {
    const answer = await fetch(model).catch(() => null);
    if (answer?.ok !== true || this.#viewer === null) return false;
    try {
      await this.#viewer.importXML(await answer.text());
    } catch {
      this.#stage.classList.add("instance-undrawn");
      this.#stage.textContent = t("This model has no drawing. The list of steps says the same.");
      return false;
    }
    this.#drawn = model;
    this.#marked = [];
    return true;
  }

  #mark(marks: Marks): void {
    const canvas = this.#canvas();
    if (this.#viewer === null || canvas === null) return;
    const registry = this.#viewer.get<Registry>("elementRegistry");
    for (const [element, marker] of this.#marked) canvas.removeMarker(element, marker);
    const tokens = marks.tokens.filter(({ element }) => registry.get(element));
    const live = tokens.filter(({ state }) => state !== "watching");
    const wanted: [string, string][] = [
      ...marks.cancelled.map((id): [string, string] => [id, "instance-cancelled"]),
      ...marks.passed.map((id): [string, string] => [id, "instance-passed"]),
      ...Object.keys(marks.flows).map((id): [string, string] => [id, "instance-way"]),
      ...live.map(({ element }): [string, string] => [element, "instance-live"]),
      ...marks.stuck.map((id): [string, string] => [id, "instance-broken"]),
    ];
    this.#marked = wanted.filter(([id]) => registry.get(id) !== undefined);
    for (const [element, marker] of this.#marked) canvas.addMarker(element, marker);
    const overlays = this.#viewer.get<Overlays>("overlays");
    overlays.remove({ type: "token" });
    overlays.remove({ type: "time" });
    for (const [element, here] of grouped(live)) {
      const badge = this.#badge(here, marks.stuck.includes(element));
      overlays.add(element, "token", { position: { top: -16, left: -16 }, scale: READABLE, html: badge });
    }
    for (const token of tokens)
      if (token.due_at !== null) {
        const left = document.createElement("span");
        left.className = "instance-time";
        left.dataset["countdown"] = token.due_at;
        const place = { position: { bottom: -4, left: 0 }, scale: READABLE };
        overlays.add(token.element, "time", { ...place, html: left });
      }
    const now = [...new Set(live.map(({ name }) => name))].join(", ");
    const said = marks.ended ? t("The process has ended.") : t("Now: {steps}", { steps: now });
    if (!this.#past) this.#say(said);
    this.#point();
  }

  #say(words: string): void {
    if (this.#said.textContent !== words) this.#said.textContent = words;
  }

  /** The tokens of what somebody came from. */
  #point(): void {
    const from = this.getAttribute("from");
    if (from === null || this.#past) return;
    let first: Element | null = null;
    for (const badge of this.querySelectorAll<HTMLElement>(".instance-badge")) {
      if (badge.getAttribute("href") !== from) continue;
      badge.classList.add("instance-chosen");
      const row = document.getElementById(`token-${badge.dataset["token"] ?? ""}`);
      row?.classList.add("instance-chosen");
      first ??= row;
    }
    if (this.#found || first === null) return;
    this.#found = true;
    first.scrollIntoView({ block: "nearest" });
  }

  #badge(here: Token[], stuck: boolean): HTMLElement {
    const badge = document.createElement("a");
    const [token] = here;
    if (token === undefined) return badge;
    const broken = stuck || here.some(({ state }) => state === "stuck");
    badge.className = broken ? "instance-badge instance-badge-stuck" : "instance-badge";
    badge.dataset["token"] = token.task;
    badge.draggable = false;
    const text = document.createElement("span");
    text.textContent = here.length > 1 ? String(here.length) : broken ? "!" : token.at_work ? "→" : "1";
    badge.append(text);
    const link = token.link ?? null;
    badge.href = link === null ? `#token-${token.task}` : link.address;
    badge.title = link === null ? token.name : `${token.name}: ${link.title}`;
    badge.setAttribute("aria-label", `${text.textContent} ${badge.title}`);
    badge.dataset["element"] = token.element;
    if (this.#past) return badge;
    this.#draggable(badge, token);
    if (this.hasAttribute("move"))
      carryByKeys(badge, token.element, token.name, this.#carrier(token));
    return badge;
  }

  #carrier(token: Token): Carrier {
    return {
      places: () => this.#places(),
      aim: (place) => {
        this.#aim(place?.id ?? null);
        if (place !== null) this.#canvas()?.scrollToElement(place.id, 60);
      },
      say: (words) => this.#say(words),
      carrying: (on) => this.#hold(on),
      drop: (element) => this.#ask(token, element),
    };
  }

  #places(): Place[] {
    const registry = this.#viewer?.get<Registry>("elementRegistry");
    const stands = registry?.filter((one) => one.labelTarget === undefined && STANDS.test(one.type)) ?? [];
    return stands.map(({ id, x, y, width, height, businessObject }) => {
      const name = businessObject?.name ?? id;
      return { id, x, y, width, height, name };
    });
  }

  /** The badge under a finger must not vanish. */
  #hold(on: boolean): void {
    this.#dragging = on;
    if (on || !this.#missed) return;
    this.#missed = false;
    void this.#refresh();
  }

  #draggable(badge: HTMLElement, token: Token): void {
    let from: { x: number; y: number } | null = null;
    let dragging = false;
    badge.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      if (event.button !== 0 || !this.hasAttribute("move")) return;
      from = { x: event.clientX, y: event.clientY };
      this.#hold(true);
      badge.setPointerCapture(event.pointerId);
    });
    for (const kind of ["mousedown", "touchstart"] as const)
      badge.addEventListener(kind, (event) => event.stopPropagation(), { passive: true });
    badge.addEventListener("pointermove", (event) => {
      if (from === null) return;
      const dx = event.clientX - from.x;
      const dy = event.clientY - from.y;
      if (!dragging && Math.hypot(dx, dy) < DRAG_PX) return;
      dragging = true;
      const scale = badge.getBoundingClientRect().width / Math.max(badge.offsetWidth, 1);
      badge.style.translate = `${dx / scale}px ${dy / scale}px`;
      badge.classList.add("instance-dragged");
      this.#aim(this.#under(event));
    });
    const drop = (event: PointerEvent): void => {
      const target = dragging && event.type === "pointerup" ? this.#under(event) : null;
      from = null;
      this.#hold(false);
      badge.style.translate = "";
      badge.classList.remove("instance-dragged");
      this.#aim(null);
      if (target !== null && target !== token.element) this.#ask(token, target);
      setTimeout(() => (dragging = false));
    };
    badge.addEventListener("pointerup", drop);
    badge.addEventListener("pointercancel", drop);
    badge.addEventListener("click", (event) => {
      if (dragging) event.preventDefault();
    });
  }

  /** The element of the process below the finger; flows and labels do not count. */
  #under(event: PointerEvent): string | null {
    for (const each of document.elementsFromPoint(event.clientX, event.clientY)) {
      const shape = each.closest<SVGElement>(".djs-shape[data-element-id]");
      const id = shape?.dataset["elementId"];
      if (id === undefined || shape === null || !this.contains(shape)) continue;
      const kind = this.#viewer?.get<Registry>("elementRegistry").get(id)?.type ?? "";
      if (/:(Participant|Lane|Process)$/.test(kind)) continue;
      return id.replace(/_label$/, "");
    }
    return null;
  }

  #aim(target: string | null): void {
    for (const old of this.querySelectorAll(".instance-aim")) old.classList.remove("instance-aim");
    if (target !== null)
      this.querySelector(`.djs-shape[data-element-id="${CSS.escape(target)}"]`)?.classList.add("instance-aim");
  }

  #ask(token: Token, element: string): void {
    const address = new URL(this.getAttribute("move") ?? "", location.href);
    address.searchParams.set("task", token.task);
    address.searchParams.set("element", element);
    void window.htmx.ajax("get", address.pathname + address.search, "#instance-dialog-body");
  }

  /** Long models are unreadable as a whole: begin where the tokens are. */
  #look(marks: Marks, first: boolean): void {
    const canvas = this.#canvas();
    if (!first || canvas === null || this.#viewer === null) return;
    canvas.zoom("fit-viewport", "auto");
    const registry = this.#viewer.get<Registry>("elementRegistry");
    const boxes = marks.tokens
      .map(({ element }) => registry.get(element))
      .filter((box): box is Drawn => box !== undefined);
    const [one] = boxes;
    const view = canvas.viewbox();
    if (one === undefined || canvas.zoom() >= 0.75) return;
    const width = Math.min(view.width, this.#stage.clientWidth / 0.8);
    const height = (width * view.height) / Math.max(view.width, 1);
    const { inner } = view;
    const middle = (from: number, size: number, least: number, all: number, seen: number): number =>
      seen >= all ? least + (all - seen) / 2 : Math.min(Math.max(from + size / 2 - seen / 2, least - 20), least + all - seen + 20);
    canvas.viewbox({
      x: middle(one.x, one.width, inner.x, inner.width, width),
      y: middle(one.y, one.height, inner.y, inner.height, height),
      width,
      height,
    });
  }
}

function grouped(tokens: Token[]): Map<string, Token[]> {
  const found = new Map<string, Token[]>();
  for (const token of tokens)
    found.set(token.element, [...(found.get(token.element) ?? []), token]);
  return found;
}

function tool(sign: string, label: string, act: () => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "instance-tool";
  button.textContent = sign;
  button.setAttribute("aria-label", label);
  button.title = label;
  button.addEventListener("click", act);
  return button;
}

customElements.define("mpms-instance-diagram", InstanceDiagram);
