/**
 * Draws a process and marks where its tokens are. A list beside the picture says the
 * same to those who cannot see it; touch pans and pinches, which the viewer lacks.
 */
import NavigatedViewer from "bpmn-js/lib/NavigatedViewer";
import type { Box, Canvas } from "../diagram_canvas.js";
import { panAndPinch } from "../pan_and_pinch.js";
import { t } from "../texts.js";

interface Tokens {
  model: string;
  order: string | null;
  status: string;
  live: Record<string, number>;
  names: Record<string, string>;
  passed: string[];
  stuck: string[];
}

interface Registry {
  get(id: string): Box | undefined;
}

interface Overlays {
  add(element: string, kind: string, overlay: object): string;
  remove(filter: { type: string }): void;
}

class Diagram extends HTMLElement {
  #viewer: InstanceType<typeof NavigatedViewer> | null = null;
  #marked: [string, string][] = [];
  #drawn = "";
  #steps = document.createElement("p");
  #again = (): void => void this.#show();

  connectedCallback(): void {
    const stage = document.createElement("div");
    stage.className = "diagram-stage";
    this.#steps.className = "diagram-steps";
    this.#steps.setAttribute("aria-live", "polite");
    this.replaceChildren(this.#steps, stage);
    this.#viewer = new NavigatedViewer({ container: stage });
    panAndPinch(stage, () => this.#canvas());
    document.body.addEventListener("live:instances", this.#again);
    document.body.addEventListener("live:tasks", this.#again);
    void this.#show();
  }

  disconnectedCallback(): void {
    document.body.removeEventListener("live:instances", this.#again);
    document.body.removeEventListener("live:tasks", this.#again);
    this.#viewer?.destroy();
    this.#viewer = null;
  }

  #canvas(): Canvas | null {
    return this.#viewer === null ? null : this.#viewer.get<Canvas>("canvas");
  }

  async #show(): Promise<void> {
    const address = this.getAttribute("tokens");
    if (address === null) return;
    const answer = await fetch(address);
    if (!answer.ok) return;
    const tokens = (await answer.json()) as Tokens;
    if (this.#viewer === null) return;
    if (this.#drawn !== tokens.model) {
      const model = await fetch(tokens.model);
      await this.#viewer.importXML(await model.text());
      this.#drawn = tokens.model;
      this.#canvas()?.zoom("fit-viewport", "auto");
    }
    this.#mark(tokens);
  }

  #mark(tokens: Tokens): void {
    const canvas = this.#canvas();
    if (this.#viewer === null || canvas === null) return;
    for (const [element, marker] of this.#marked) canvas.removeMarker(element, marker);
    const registry = this.#viewer.get<Registry>("elementRegistry");
    const overlays = this.#viewer.get<Overlays>("overlays");
    this.#marked = [
      ...tokens.passed.map((id): [string, string] => [id, "diagram-passed"]),
      ...Object.keys(tokens.live).map((id): [string, string] => [id, "diagram-live"]),
      ...tokens.stuck.map((id): [string, string] => [id, "diagram-stuck"]),
    ].filter(([id]) => registry.get(id) !== undefined);
    for (const [element, marker] of this.#marked) canvas.addMarker(element, marker);
    overlays.remove({ type: "token" });
    for (const [id, count] of Object.entries(tokens.live)) {
      if (registry.get(id) === undefined) continue;
      const badge = document.createElement("span");
      badge.className = tokens.stuck.includes(id) ? "token token-stuck" : "token";
      badge.textContent = String(count);
      overlays.add(id, "token", { position: { top: -14, left: -14 }, html: badge });
    }
    this.#say(tokens);
    this.#look(tokens, registry, canvas);
  }

  #say(tokens: Tokens): void {
    const now = Object.keys(tokens.live).map((id) => tokens.names[id] || id);
    const text = now.length > 0 ? t("Now: {steps}", { steps: now.join(", ") }) : t("The process has ended.");
    if (this.#steps.textContent !== text) this.#steps.textContent = text;
  }

  /** Long models are unreadable as a whole: keep the tokens in the middle. */
  #look(tokens: Tokens, registry: Registry, canvas: Canvas): void {
    const boxes = Object.keys(tokens.live)
      .map((id) => registry.get(id))
      .filter((box): box is Box => box !== undefined);
    if (boxes.length === 0) return;
    const left = Math.min(...boxes.map((box) => box.x));
    const right = Math.max(...boxes.map((box) => box.x + box.width));
    const top = Math.min(...boxes.map((box) => box.y));
    const bottom = Math.max(...boxes.map((box) => box.y + box.height));
    const view = canvas.viewbox();
    const width = Math.max(right - left + 300, 900);
    const height = (width * view.height) / Math.max(view.width, 1);
    const inside = left > view.x && right < view.x + view.width && top > view.y && bottom < view.y + view.height;
    if (inside && Math.abs(view.width - width) < 1) return;
    const all = view.inner;
    canvas.viewbox({
      x: within((left + right) / 2 - width / 2, all.x, all.x + all.width - width),
      y: within((top + bottom) / 2 - height / 2, all.y, all.y + all.height - height),
      width,
      height,
    });
  }
}

/** As near as possible, with no empty paper beside a diagram that is larger. */
function within(wanted: number, least: number, most: number): number {
  return most < least ? (least + most) / 2 : Math.min(Math.max(wanted, least), most);
}

customElements.define("mpms-diagram", Diagram);
