// One card a screen: the page is one long form, and here it is cut into steps. Texts and
// tables go with the question that follows them; boxes to tick stand together.

import { t } from "./texts.js";

export type Kind = "claim" | "go" | "form" | "confirm";

export interface Step {
  kind: Kind;
  element: HTMLElement;
  title: string;
  next: string; // what the one button says
}

export interface Hooks {
  /** May the step be left forwards? */
  leave(step: Step): Promise<boolean>;
  enter(step: Step): void;
  finish(): Promise<void>;
}

function asks(node: Element): boolean {
  return node.matches("[data-field]") || node.querySelector("[data-field]") !== null;
}

function isBox(node: Element | undefined): boolean {
  return node instanceof HTMLElement && node.dataset["type"] === "checkbox";
}

/** The children of a form, card by card. */
export function cardsOf(nodes: Element[]): Element[][] {
  const cards: Element[][] = [];
  let before: Element[] = [];
  for (const node of nodes) {
    const last = cards.at(-1);
    if (!asks(node)) before.push(node);
    else if (last && before.length === 0 && isBox(node) && isBox(last.at(-1)))
      last.push(node);
    else {
      cards.push([...before, node]);
      before = [];
    }
  }
  if (cards.length === 0) return before.length > 0 ? [before] : [];
  cards.at(-1)!.push(...before);
  return cards;
}

function cut(section: HTMLElement, whole: boolean): HTMLElement[] {
  const form = section.querySelector<HTMLElement>("[data-form]");
  const cards = form && !whole ? cardsOf([...form.children]) : [];
  if (!form || cards.length < 2) return [section];
  const made = cards.map((nodes) => {
    const card = document.createElement("section");
    card.className = "card step";
    card.append(...nodes);
    return card;
  });
  form.replaceChildren(...made);
  section.classList.remove("card", "step");
  return made;
}

/** A card is named after what it asks for; boxes are to be checked. */
function titleOf(card: HTMLElement): string {
  const label = card.querySelector(".field-label, legend")?.textContent;
  return label ? label.replace("*", "").trim() : t("Check");
}

function stepsOf(form: HTMLElement): Step[] {
  const whole =
    form.dataset["serious"] !== undefined || form.dataset["oneCard"] !== undefined;
  const sections = [...form.querySelectorAll<HTMLElement>("[data-step]")];
  return sections.flatMap((section) => {
    const kind = section.dataset["step"] as Kind;
    const title = section.dataset["title"] ?? "";
    const next = section.dataset["next"] ?? "";
    const elements = kind === "form" ? cut(section, whole) : [section];
    return elements.map((element) => ({
      kind,
      element,
      title: elements.length > 1 ? titleOf(element) : title,
      next,
    }));
  });
}

/** Conditions may hide all that a card asks; then there is nothing to see there. */
function isEmpty(step: Step): boolean {
  if (step.kind !== "form") return false;
  const shown = [...step.element.children].some(
    (child) => !(child as HTMLElement).hidden && child.textContent.trim() !== "",
  );
  return !shown;
}

export class Stepper {
  readonly steps: Step[];
  private at = 0;
  private busy = false;
  private readonly nextButton: HTMLButtonElement;
  private readonly backButton: HTMLButtonElement;

  constructor(
    private readonly form: HTMLFormElement,
    private readonly hooks: Hooks,
  ) {
    this.steps = stepsOf(form);
    this.nextButton = form.querySelector<HTMLButtonElement>("[data-step-next]")!;
    this.backButton = form.querySelector<HTMLButtonElement>("[data-step-back]")!;
    form.querySelector<HTMLElement>("[data-stepper]")!.hidden = false;
    form.classList.add("stepping");
    this.nextButton.type = "button";
    this.nextButton.addEventListener("click", () => void this.forward());
    this.backButton.addEventListener("click", () => this.back());
    // The enter key and keyboard scanners end a field, they confirm nothing.
    form.addEventListener("submit", (event) => {
      if (!event.submitter?.hasAttribute("formaction")) event.preventDefault();
    });
    this.show(0, false);
  }

  get current(): Step {
    return this.steps[this.at]!;
  }

  async forward(): Promise<void> {
    if (this.busy) return;
    this.setBusy(true);
    try {
      if (!(await this.hooks.leave(this.current))) return;
      const next = this.beside(1);
      if (next === undefined) await this.hooks.finish();
      else this.show(next);
    } finally {
      this.setBusy(false);
    }
  }

  back(): void {
    const before = this.beside(-1);
    if (before !== undefined) this.show(before);
  }

  /** Shows the step that holds this element. */
  showStepOf(inside: Element): void {
    const index = this.steps.findIndex((step) => step.element.contains(inside));
    if (index >= 0) this.show(index);
  }

  showKind(kind: Kind): void {
    const index = this.steps.findIndex((step) => step.kind === kind);
    if (index >= 0) this.show(index);
  }

  /** A step that is done once and for all, as the claim. */
  drop(kind: Kind): void {
    for (const step of this.steps.filter((one) => one.kind === kind)) {
      const index = this.steps.indexOf(step);
      this.steps.splice(index, 1);
      step.element.remove();
      if (index < this.at) this.at -= 1;
    }
    this.show(Math.min(this.at, this.steps.length - 1));
  }

  setBusy(busy: boolean): void {
    this.busy = busy;
    this.nextButton.setAttribute("aria-disabled", String(busy));
  }

  private beside(way: 1 | -1): number | undefined {
    let index = this.at + way;
    while (this.steps[index] && isEmpty(this.steps[index]!)) index += way;
    return this.steps[index] ? index : undefined;
  }

  private show(index: number, move = true): void {
    this.at = index;
    const step = this.current;
    for (const other of this.steps) other.element.hidden = other !== step;
    this.hooks.enter(step);
    this.nextButton.textContent = step.next;
    this.backButton.hidden = this.beside(-1) === undefined;
    this.progress();
    if (!move) return;
    scrollTo({ top: 0 });
    // On a small screen a long title pushes the card down.
    if (step.element.getBoundingClientRect().top > innerHeight / 2)
      this.form.scrollIntoView();
    const title = this.form.querySelector<HTMLElement>("[data-stepper-title]")!;
    title.tabIndex = -1;
    title.focus({ preventScroll: true });
  }

  private progress(): void {
    const shown = this.steps.filter((step) => !isEmpty(step));
    const place = shown.indexOf(this.current);
    const count = t("Step {n} of {all}", { n: place + 1, all: shown.length });
    // One card says by itself what it is.
    this.form
      .querySelector("[data-stepper]")!
      .classList.toggle("visually-hidden", shown.length === 1);
    this.form.querySelector("[data-stepper-title]")!.textContent = this.current.title;
    this.form.querySelector("[data-stepper-count]")!.textContent = count;
    const bar = this.form.querySelector("[data-stepper-bar]")!;
    bar.replaceChildren(
      ...shown.map((_, index) => {
        const mark = document.createElement("li");
        mark.className = index < place ? "past" : index === place ? "now" : "";
        return mark;
      }),
    );
  }
}
