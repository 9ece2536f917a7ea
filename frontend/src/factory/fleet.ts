/** What is drawn on the fleet's floor with a finger: zones, people, obstacles. */
import { t } from "../texts.js";

type Corner = [number, number];

const APART_M = 0.3; // a finger says more points than a zone needs
const MOST = 60;

class Pen {
  readonly #corners: Corner[] = [];
  #down = false;
  #on = false;

  constructor(
    private readonly drawing: SVGSVGElement,
    private readonly form: HTMLFormElement,
    private readonly pen: HTMLButtonElement,
    private readonly close: HTMLButtonElement,
  ) {
    pen.addEventListener("click", () => this.#turn(!this.#on));
    drawing.addEventListener("pointerdown", (event) => {
      drawing.setPointerCapture(event.pointerId);
      this.#down = true;
      this.#corners.length = 0;
      this.#add(event);
    });
    drawing.addEventListener("pointermove", (event) => {
      if (this.#down) this.#add(event);
    });
    for (const name of ["pointerup", "pointercancel"]) {
      drawing.addEventListener(name, () => this.#end());
    }
  }

  #turn(on: boolean): void {
    this.#on = on;
    this.pen.setAttribute("aria-pressed", String(on));
    this.drawing.toggleAttribute("hidden", !on);
    if (!on) return;
    this.#corners.length = 0;
    this.#show();
    this.#say(t("Draw around the area to close, with a finger or the mouse."));
  }

  #add(event: PointerEvent): void {
    const matrix = this.drawing.getScreenCTM();
    if (matrix === null) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const last = this.#corners.at(-1);
    const next: Corner = [at.x, -at.y];
    if (last !== undefined && Math.hypot(next[0] - last[0], next[1] - last[1]) < APART_M) return;
    this.#corners.push(next);
    this.#show();
  }

  #end(): void {
    if (!this.#down) return;
    this.#down = false;
    const step = Math.max(1, Math.ceil(this.#corners.length / MOST));
    const kept = this.#corners.filter((_, index) => index % step === 0);
    const enough = kept.length >= 3;
    this.close.disabled = !enough;
    const field = this.form.elements.namedItem("corners") as HTMLInputElement;
    field.value = enough ? JSON.stringify(kept.map((pair) => pair.map((v) => Math.round(v * 100) / 100))) : "";
    this.#say(enough ? t("Give it a name, then close it.") : t("That is too small for a zone. Draw again."));
  }

  #show(): void {
    const points = this.#corners.map(([x, y]) => `${x},${-y}`).join(" ");
    this.drawing.querySelector("polygon")?.setAttribute("points", points);
  }

  #say(text: string): void {
    const said = this.form.querySelector("[data-fleet-said]");
    if (said !== null) said.textContent = text;
  }
}

/** A person or an obstacle: choose which, tap the plan, and the form is sent. */
class Put {
  #kind = "";

  constructor(
    private readonly drawing: SVGSVGElement,
    private readonly form: HTMLFormElement,
    private readonly buttons: HTMLButtonElement[],
  ) {
    for (const button of buttons)
      button.addEventListener("click", () => {
        const kind = button.dataset["fleetPut"] ?? "";
        this.#turn(kind === this.#kind ? "" : kind);
      });
    drawing.addEventListener("pointerup", (event) => {
      if (this.#kind !== "") this.#put(event);
    });
  }

  stop(): void {
    if (this.#kind !== "") this.#turn("");
  }

  #turn(kind: string): void {
    this.#kind = kind;
    for (const button of this.buttons)
      button.setAttribute("aria-pressed", String(button.dataset["fleetPut"] === kind));
    this.drawing.toggleAttribute("hidden", kind === "");
    const said = this.form.querySelector("[data-fleet-put-said]");
    if (said !== null && kind !== "") said.textContent = t("Tap the plan where it is.");
  }

  #put(event: PointerEvent): void {
    const matrix = this.drawing.getScreenCTM();
    if (matrix === null) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const values = { x_m: at.x.toFixed(2), y_m: (-at.y).toFixed(2), kind: this.#kind };
    for (const [name, value] of Object.entries(values)) {
      const field = this.form.elements.namedItem(name);
      if (field instanceof HTMLInputElement) field.value = value;
    }
    this.form.requestSubmit();
  }
}

function start(): void {
  const drawing = document.querySelector<SVGSVGElement>("[data-fleet-draw]");
  const form = document.querySelector<HTMLFormElement>("[data-fleet-zone]");
  const pen = document.querySelector<HTMLButtonElement>("[data-fleet-pen]");
  const close = document.querySelector<HTMLButtonElement>("[data-fleet-close]");
  if (drawing === null || form === null || pen === null || close === null) return;
  new Pen(drawing, form, pen, close);
  const things = document.querySelector<HTMLFormElement>("[data-fleet-thing]");
  const putting = document.querySelector<SVGSVGElement>("[data-fleet-tap]");
  if (things === null || putting === null) return;
  const buttons = things.querySelectorAll<HTMLButtonElement>("[data-fleet-put]");
  const put = new Put(putting, things, [...buttons]);
  pen.addEventListener("click", () => put.stop());
}

/** A tap on the plan of the trial warehouse says where a robot shall drive. */
function offerSpots(): void {
  const floor = document.querySelector<HTMLElement>("[data-trial-floor]");
  const form = document.querySelector<HTMLFormElement>("[data-trial-form]");
  if (floor === null || form === null) return;
  floor.addEventListener("click", (event) => {
    const drawing = event.target instanceof Element ? event.target.closest("svg") : null;
    const matrix = drawing?.getScreenCTM();
    if (!matrix) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    for (const [name, value] of [["x", at.x], ["y", -at.y]] as const) {
      const field = form.elements.namedItem(name);
      if (field instanceof HTMLInputElement) field.value = String(Math.max(0, Math.round(value)));
    }
  });
}

start();
offerSpots();
