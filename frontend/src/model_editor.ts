/**
 * Draws a process: the modeller, the settings our engine honours, and what it would
 * refuse, told while one draws. Every change is kept as a draft soon after it is made.
 */
import Modeler from "bpmn-js/lib/Modeler";
import tokenSimulation from "bpmn-js-token-simulation/lib/modeler";
import type { Canvas } from "./diagram_canvas.js";
import { type Field, groupsOf } from "./modelling/fields.js";
import { type Template, templateGroups } from "./modelling/templates.js";
import keepWords from "./modelling/keep_words.js";
import { Pen, type Shape } from "./modelling/moddle.js";
import { panAndPinch } from "./pan_and_pinch.js";
import { post } from "./posting.js";
import { type Topic, Topics } from "./modelling/topics.js";
import { t } from "./texts.js";

interface Finding {
  element: string;
  name: string;
  reason: string;
  refuses: boolean;
}

interface Registry {
  get(id: string): Shape | undefined;
  getAll(): Shape[];
}

interface EventBus {
  on(event: string, heard: (event: { newSelection?: Shape[] }) => void): void;
}

const SOON_MS = 800;
const ZOOM = 1.25;
const LARGEST = 1.5; // a small drawing is not blown up further
const PALETTE_PX = 130;
const MARGIN_PX = 30;
const BADGE = { position: { top: -14, right: 14 }, show: { minZoom: 0.1 } };
const UNNAMED = /^(label|bpmn:(TextAnnotation|Association|Group|DataInputAssociation))$/;

function part(id: string): HTMLElement {
  return partOf(id, HTMLElement);
}

function partOf<Found>(id: string, kind: new () => Found): Found {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no #${id}`);
  return found;
}

class Editor {
  readonly #root = part("model-editor");
  readonly #stage = this.#root.querySelector<HTMLElement>(".editor-stage") as HTMLElement;
  readonly #fields = part("editor-fields");
  readonly #elements = partOf("editor-elements", HTMLSelectElement);
  readonly #state = part("editor-state");
  readonly #names = JSON.parse(part("model-names").textContent) as Record<string, Record<string, string>>;
  readonly #templates = JSON.parse(part("model-templates").textContent) as Template[];
  readonly #topics = new Topics(
    JSON.parse(part("model-topics").textContent) as Topic[],
  );
  readonly #modeler = new Modeler({
    container: this.#stage,
    additionalModules: [keepWords, tokenSimulation],
  });
  #shown: Field[] = [];
  #inputs: HTMLElement[] = [];
  #selected: Shape | null = null;
  #marked: [string, string][] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unsaved = false;
  #changes = 0;
  #saving: Promise<boolean> = Promise.resolve(true);

  async open(): Promise<void> {
    void this.#loadFont();
    const answer = await fetch(this.#root.dataset["model"] ?? "");
    try {
      await this.#modeler.importXML(await answer.text());
    } catch (failure) {
      this.#state.textContent = t("The drawing cannot be shown: {why}", { why: String(failure) });
      return;
    }
    this.#showWhole();
    panAndPinch(this.#stage, () => this.#canvas);
    this.#listen();
    this.#select(this.#rootElement());
    await this.#keep(false);
    this.#root.dataset["ready"] = "true";
  }

  /** Its icons are letters of a font, which our policy lets come from our address only. */
  async #loadFont(): Promise<void> {
    const font = new FontFace("bpmn", `url(${this.#root.dataset["font"] ?? ""})`);
    document.fonts.add(await font.load());
  }

  #listen(): void {
    const bus = this.#modeler.get<EventBus>("eventBus");
    bus.on("selection.changed", ({ newSelection }) =>
      this.#select(newSelection?.length === 1 ? (newSelection[0] ?? null) : this.#rootElement()),
    );
    bus.on("commandStack.changed", () => this.#changed());
    this.#elements.addEventListener("change", () => this.#goTo(this.#elements.value));
    this.#root.addEventListener("click", (event) => {
      if (!(event.target instanceof Element)) return;
      const look = event.target.closest<HTMLElement>("[data-look]")?.dataset["look"];
      if (look) this.#goTo(look);
      const act = event.target.closest<HTMLElement>("[data-do]")?.dataset["do"];
      if (act) this.#act(act);
    });
    const deploy = partOf("editor-deploy", HTMLFormElement);
    deploy.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#keep(true).then((kept) => {
        this.#unsaved = !kept;
        if (kept) deploy.submit();
      });
    });
    part("editor-download").addEventListener("click", (event) => {
      event.preventDefault();
      void this.#download();
    });
    addEventListener("beforeunload", (event) => {
      if (this.#unsaved) event.preventDefault();
    });
  }

  get #canvas(): Canvas & { scrollToElement(id: string, room: number): void } {
    return this.#modeler.get("canvas");
  }

  get #registry(): Registry {
    return this.#modeler.get("elementRegistry");
  }

  #rootElement(): Shape {
    return this.#modeler.get<{ getRootElement(): Shape }>("canvas").getRootElement();
  }

  #act(what: string): void {
    const stack = this.#modeler.get<{ undo(): void; redo(): void }>("commandStack");
    if (what === "undo") stack.undo();
    if (what === "redo") stack.redo();
    if (what === "in") this.#canvas.zoom(this.#canvas.zoom() * ZOOM, "auto");
    if (what === "out") this.#canvas.zoom(this.#canvas.zoom() / ZOOM, "auto");
    if (what === "fit") this.#showWhole();
    if (what === "fill") this.#fillWindow();
    if (what === "simulate") this.#simulate();
  }

  /** The drawing and its settings alone, until pressed again. */
  #fillWindow(): void {
    const filled = this.#root.classList.toggle("editor-filled");
    this.#press("fill", filled);
    this.#modeler.get<{ resized(): void }>("canvas").resized();
    this.#showWhole();
  }

  /** Tokens walk through the drawing; meanwhile nothing can be changed. */
  #simulate(): void {
    const on = !this.#root.classList.contains("editor-simulates");
    this.#root.classList.toggle("editor-simulates", on);
    this.#press("simulate", on);
    this.#fields.toggleAttribute("inert", on);
    part("editor-simulated").hidden = !on;
    this.#modeler.get<{ toggleMode(active: boolean): void }>("toggleMode").toggleMode(on);
  }

  #press(what: string, pressed: boolean): void {
    const button = this.#root.querySelector(`[data-do=${what}]`);
    button?.setAttribute("aria-pressed", String(pressed));
  }

  /** Beside the palette, not behind it. */
  #showWhole(): void {
    const { inner } = this.#canvas.viewbox();
    const { clientWidth, clientHeight } = this.#stage;
    const wide = (clientWidth - PALETTE_PX - MARGIN_PX) / Math.max(inner.width, 1);
    const high = (clientHeight - 2 * MARGIN_PX) / Math.max(inner.height, 1);
    const scale = Math.max(Math.min(wide, high, LARGEST), 0.2);
    const [width, height] = [clientWidth / scale, clientHeight / scale];
    const spare = Math.max((clientWidth - PALETTE_PX - MARGIN_PX) / scale - inner.width, 0);
    this.#canvas.viewbox({
      x: inner.x - PALETTE_PX / scale - spare / 2,
      y: inner.y - (height - inner.height) / 2,
      width,
      height,
    });
  }

  #goTo(id: string): void {
    const element = this.#registry.get(id);
    if (element === undefined) return;
    const selection = this.#modeler.get<{ select(element: Shape | null): void }>("selection");
    if (element === this.#rootElement()) selection.select(null);
    else {
      selection.select(element);
      this.#canvas.scrollToElement(id, 80);
    }
  }

  // -- settings ------------------------------------------------------------------------

  #select(element: Shape | null): void {
    this.#selected = element?.labelTarget ?? element;
    this.#listElements();
    this.#build();
  }

  #listElements(): void {
    const options = this.#registry
      .getAll()
      .filter((one) => !UNNAMED.test(one.type) && !one.labelTarget)
      .map((one) => {
        const { name, $type } = one.businessObject;
        const kind = $type.replace("bpmn:", "");
        return new Option(name ? `${name} (${kind})` : `${one.id} (${kind})`, one.id);
      });
    this.#elements.replaceChildren(...options);
    this.#elements.value = this.#selected?.id ?? "";
  }

  #groups(): ReturnType<typeof groupsOf> {
    if (this.#selected === null) return [];
    const pen = new Pen(this.#modeler, this.#selected);
    const [general, ...others] = groupsOf(pen);
    const template = templateGroups(pen, this.#templates, (one) => this.#become(pen, one));
    return [...(general ? [general] : []), ...template, ...others];
  }

  /** A template may want a step of another kind. */
  #become(pen: Pen, { elementType }: Template): Pen {
    if (elementType === undefined || pen.is(elementType.value)) return pen;
    const replace = this.#modeler.get<{
      replaceElement(element: Shape, target: { type: string }): Shape;
    }>("bpmnReplace");
    this.#selected = replace.replaceElement(pen.element, { type: elementType.value });
    return new Pen(this.#modeler, this.#selected);
  }

  #build(): void {
    const before = this.#inputs.findIndex((one) => one === document.activeElement);
    const held = this.#shown[before]?.label;
    const groups = this.#groups();
    this.#shown = groups.flatMap((group) => group.fields);
    this.#inputs = [];
    this.#fields.replaceChildren(
      ...groups.map((group) => {
        const set = document.createElement("fieldset");
        const legend = document.createElement("legend");
        legend.textContent = group.title;
        set.append(legend, ...group.fields.map((field) => this.#row(field)));
        return set;
      }),
    );
    // A field that appears because another was changed must not take the hand away.
    if (held) this.#inputs[this.#shown.findIndex((field) => field.label === held)]?.focus();
  }

  #row(field: Field): HTMLElement {
    const id = `setting-${String(this.#inputs.length)}`;
    const row = document.createElement("div");
    row.className = "field";
    const label = document.createElement("label");
    label.className = "field-label";
    label.htmlFor = id;
    label.textContent = field.label;
    const input = inputOf(field);
    input.id = id;
    input.toggleAttribute("disabled", field.fixed === true);
    const hint = document.createElement("p");
    hint.className = "field-hint";
    hint.id = `${id}-hint`;
    hint.textContent = field.hint ?? "";
    hint.hidden = !field.hint;
    const wrong = document.createElement("p");
    wrong.className = "field-error";
    wrong.setAttribute("role", "alert");
    wrong.hidden = true;
    input.setAttribute("aria-describedby", hint.id);
    input.addEventListener("change", () => {
      const why = field.write(input.value);
      wrong.textContent = why ?? "";
      wrong.hidden = why === null;
      input.toggleAttribute("aria-invalid", why !== null);
    });
    this.#inputs.push(input);
    row.append(label, hint, input, wrong);
    if (field.list) this.#offer(field.list, input, row);
    return row;
  }

  #offer(list: string, input: HTMLElement, row: HTMLElement): void {
    if (list === "topics") {
      this.#topics.offer(input as HTMLInputElement, row);
      return;
    }
    const known = this.#names[list] ?? {};
    const names = document.createElement("datalist");
    names.id = `${input.id}-${list}`;
    names.append(...Object.entries(known).map(([name, about]) => new Option(about, name)));
    input.setAttribute("list", names.id);
    const said = document.createElement("p");
    said.className = "name-about";
    said.setAttribute("role", "status");
    const tell = (): void => {
      const name = (input as HTMLInputElement).value.trim();
      const about = known[name];
      said.hidden = name === "";
      said.classList.toggle("name-unknown", about === undefined && !name.includes("${"));
      said.textContent = aboutName(list, name, about);
    };
    tell();
    input.addEventListener("input", tell);
    input.addEventListener("change", tell);
    row.append(names, said);
    if (list !== "forms") return;
    const link = document.createElement("a");
    link.target = "_blank";
    link.textContent = t("Show this form on a tablet");
    const follow = (): void => {
      const { value } = input as HTMLInputElement;
      link.href = `${this.#root.dataset["forms"] ?? ""}${encodeURIComponent(value)}`;
      link.hidden = !(value in known);
    };
    follow();
    input.addEventListener("input", follow);
    row.append(link);
  }

  /** After an undo or a change on the drawing; what is being typed stays. */
  #refresh(): void {
    const now = this.#groups().flatMap((group) => group.fields);
    const same =
      now.length === this.#shown.length &&
      now.every((field, place) => field.label === this.#shown[place]?.label);
    if (!same) return this.#build();
    this.#shown.forEach((field, place) => {
      const input = this.#inputs[place] as HTMLInputElement;
      if (input !== document.activeElement) input.value = field.read();
    });
  }

  // -- drafts and findings ---------------------------------------------------------------

  #changed(): void {
    this.#unsaved = true;
    this.#changes += 1;
    this.#state.textContent = t("Not saved yet");
    this.#refresh();
    this.#listElements();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#keep(true), SOON_MS);
  }

  #keep(keep: boolean): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#saving = this.#saving.then(() => this.#send(keep));
    return this.#saving;
  }

  async #send(keep: boolean): Promise<boolean> {
    const changes = this.#changes;
    const { xml } = await this.#modeler.saveXML({ format: true });
    const base = Number(this.#root.dataset["base"]) || null;
    const { status, said } = await post(this.#root.dataset["keep"] ?? "", { xml, base, keep });
    if (status !== 200) {
      this.#unsaved ||= keep;
      const why = typeof said["detail"] === "string" ? said["detail"] : t("no connection");
      this.#state.textContent = t("Not saved: {why}", { why });
      return false;
    }
    // What was changed meanwhile is kept by the next one.
    if (changes === this.#changes) {
      this.#unsaved = false;
      if (keep) this.#state.textContent = t("Saved as your draft");
    }
    this.#show(said["findings"] as Finding[]);
    return true;
  }

  async #download(): Promise<void> {
    const { xml } = await this.#modeler.saveXML({ format: true });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([xml ?? ""], { type: "application/xml" }));
    link.download = partOf("editor-download", HTMLAnchorElement).download;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  #show(findings: Finding[]): void {
    const overlays = this.#modeler.get<{
      add(element: string, kind: string, overlay: object): void;
      remove(filter: { type: string }): void;
    }>("overlays");
    overlays.remove({ type: "finding" });
    for (const [id, marker] of this.#marked)
      if (this.#registry.get(id)) this.#canvas.removeMarker(id, marker);
    this.#marked = [];
    for (const { element, reason, refuses } of findings) {
      if (this.#registry.get(element) === undefined) continue;
      const marker = refuses ? "finding-bad" : "finding-warn";
      if (element !== this.#rootElement().id) {
        this.#canvas.addMarker(element, marker);
        this.#marked.push([element, marker]);
        const html = document.createElement("span");
        html.className = `model-mark model-mark-${refuses ? "bad" : "warn"}`;
        html.textContent = "!";
        html.title = reason;
        overlays.add(element, "finding", { html, ...BADGE });
      }
    }
    part("editor-count").textContent = String(findings.length);
    part("editor-findings").replaceChildren(...findings.map((one) => this.#line(one)));
  }

  #line({ element, name, reason, refuses }: Finding): HTMLElement {
    const line = document.createElement("li");
    line.className = `model-finding${refuses ? " model-finding-bad" : ""}`;
    const box = document.createElement("div");
    if (this.#registry.get(element)) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "model-look";
      button.dataset["look"] = element;
      button.textContent = name || element;
      box.append(button);
    }
    const text = document.createElement("p");
    text.textContent = `${refuses ? t("refused") : t("note")}: ${reason}`;
    box.append(text);
    line.append(box);
    return line;
  }
}

/** What is known of a chosen name, or a warning that it is new. */
function aboutName(list: string, name: string, about: string | undefined): string {
  if (about !== undefined)
    return list === "forms" || list === "decisions" || list === "processes"
      ? about
      : t("Used in: {where}", { where: about });
  if (name.includes("${")) return t("Computed when the step is reached.");
  if (list === "forms") return t("No form of this name is deployed.");
  if (list === "decisions") return t("No decision of this name is deployed.");
  if (list === "processes") return t("No process of this name is deployed.");
  return t("No other deployed process uses this name. Check the spelling, or it waits for ever.");
}

function inputOf(field: Field): HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement {
  if (field.kind === "choice") {
    const select = document.createElement("select");
    select.append(...(field.choices ?? []).map(([value, text]) => new Option(text, value)));
    select.value = field.read();
    return select;
  }
  const input =
    field.kind === "text"
      ? document.createElement("textarea")
      : document.createElement("input");
  input.className = "input";
  input.value = field.read();
  input.autocapitalize = "none";
  input.spellcheck = false;
  if (input instanceof HTMLInputElement) input.autocomplete = "off";
  else input.rows = 3;
  return input;
}

void new Editor().open();
