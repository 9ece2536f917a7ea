// Makes a form that the server has rendered live: conditions, tolerance bars, scanning,
// photos, signatures, and the server's rules before anything is sent.

import {
  fieldsIn,
  rulesOf,
  showProblem,
  valueOf,
  writeValue,
} from "./controls.js";
import { enhancePhoto, putPhoto } from "./photo.js";
import { say } from "./reasons.js";
import {
  checkForm,
  evaluate,
  type Expression,
  type Field,
  type Names,
  type Problem,
} from "./rules.js";
import { enhanceScans, showScan } from "./scan.js";
import { enhanceSignature, putSignature } from "./signature.js";
import { showWeight } from "./weigh.js";

export type { Problem } from "./rules.js";

export interface SpokenProblem extends Problem {
  /** In the reader's language, a sentence of its own. */
  text: string;
}

export interface FormOptions {
  onChange?: (field: string, value: unknown) => void;
  /** What the process knows; pages bring what their conditions need. */
  variables?: Names;
}

interface Live {
  variables: Names;
  options: FormOptions;
}

const forms = new WeakMap<Element, Live>();

export function enhanceForm(root: HTMLElement, options: FormOptions = {}): void {
  const variables: Names = {};
  const cards = [...root.querySelectorAll<HTMLElement>("[data-variables]")];
  for (const card of root.matches("[data-variables]") ? [root, ...cards] : cards)
    Object.assign(variables, JSON.parse(card.dataset.variables ?? "{}"));
  forms.set(root, { variables: { ...variables, ...options.variables }, options });
  root.setAttribute("data-live-form", "");
  for (const element of fieldsIn(root)) {
    const changed = (): void => hasChanged(root, element);
    if (element.dataset.type === "photo") enhancePhoto(element, changed);
    if (element.dataset.type === "signature") enhanceSignature(element, changed);
  }
  enhanceScans(root, {
    problem: (element) => problemOf(root, element),
    changed: (element) => hasChanged(root, element),
  });
  for (const kind of ["input", "change"])
    root.addEventListener(kind, (event) => {
      const element = (event.target as Element).closest<HTMLElement>("[data-field]");
      if (!element || element.dataset.type === "photo") return;
      hasChanged(root, element);
    });
  root.addEventListener("focusout", (event) => {
    const element = (event.target as Element).closest<HTMLElement>("[data-field]");
    if (element && isTypedInto(element)) show(element, problemOf(root, element));
  });
  refresh(root);
}

/** Answers of everything that is shown, typed as the server wants them. */
export function readAnswers(root: HTMLElement): Names {
  const answers: Names = {};
  for (const element of fieldsIn(root)) {
    if (isHiddenIn(element)) continue;
    const value = valueOf(element);
    if (value !== null) answers[element.dataset.field!] = value;
  }
  return answers;
}

/** Puts drafts into the fields. */
export function writeAnswers(root: HTMLElement, values: Names): void {
  for (const element of fieldsIn(root)) {
    const key = element.dataset.field!;
    if (!Object.hasOwn(values, key)) continue;
    writeValue(element, values[key]);
    if (element.dataset.type === "photo") putPhoto(element, values[key]);
    if (element.dataset.type === "signature") putSignature(element, values[key]);
  }
  const form = formOf(root);
  refresh(form);
  const found = new Map(problemsOf(form).map((one) => [one.key, one]));
  const problem = (element: HTMLElement): Problem | undefined =>
    found.get(element.dataset.field!);
  for (const element of fieldsIn(root)) {
    if (element.classList.contains("field-wrong")) show(element, problem(element));
    if (element.dataset.type === "scan") showScan(element, problem);
  }
}

/** Checks a form, or one card of it, and says at each field what is wrong. */
export function checkAnswers(root: HTMLElement): SpokenProblem[] {
  const found = new Map(problemsOf(formOf(root)).map((one) => [one.key, one]));
  const spoken: SpokenProblem[] = [];
  for (const element of fieldsIn(root)) {
    const problem = isHiddenIn(element) ? undefined : found.get(element.dataset.field!);
    show(element, problem);
    if (problem) spoken.push({ ...problem, text: say(problem) });
  }
  return spoken;
}

/** Says what the server found wrong: sentences by key. */
export function showProblems(root: HTMLElement, problems: Record<string, string>): void {
  for (const element of fieldsIn(root))
    showProblem(element, problems[element.dataset.field!] ?? "");
}

function formOf(part: HTMLElement): HTMLElement {
  return part.closest<HTMLElement>("[data-live-form]") ?? part;
}

function hasChanged(root: HTMLElement, element: HTMLElement): void {
  refresh(root);
  if (element.classList.contains("field-wrong") || !isTypedInto(element))
    show(element, problemOf(root, element));
  forms.get(root)?.options.onChange?.(element.dataset.field!, valueOf(element));
}

function isTypedInto(element: HTMLElement): boolean {
  return ["textfield", "textarea", "number", "weigh", "scan", "signature"].includes(
    element.dataset.type ?? "",
  );
}

function show(element: HTMLElement, problem: Problem | undefined): void {
  showProblem(element, problem ? say(problem) : "");
}

function isHiddenIn(element: HTMLElement): boolean {
  const own = element.closest<HTMLElement>("[data-condition][hidden]");
  return own !== null;
}

function problemOf(root: HTMLElement, element: HTMLElement): Problem | undefined {
  return problemsOf(root).find((one) => one.key === element.dataset.field);
}

function problemsOf(root: HTMLElement): Problem[] {
  const { fields, answers } = gather(root);
  return checkForm(fields, answers, forms.get(root)?.variables, today()).problems;
}

function gather(root: HTMLElement): { fields: Field[]; answers: Names } {
  const fields: Field[] = [];
  const answers: Names = {};
  for (const element of fieldsIn(root)) {
    const hide: Expression[] = [];
    for (
      let around = element.closest<HTMLElement>("[data-condition]");
      around && root.contains(around);
      around = around.parentElement?.closest<HTMLElement>("[data-condition]") ?? null
    )
      hide.push(conditionOf(around));
    fields.push({ ...rulesOf(element), hide });
    answers[element.dataset.field!] = valueOf(element);
  }
  return { fields, answers };
}

const conditions = new WeakMap<Element, Expression>();

function conditionOf(element: HTMLElement): Expression {
  let tree = conditions.get(element);
  if (!tree) {
    tree = JSON.parse(element.dataset.condition!) as Expression;
    conditions.set(element, tree);
  }
  return tree;
}

/** Hides and shows, in the order of the page: what is hidden says nothing further on. */
function refresh(root: HTMLElement): void {
  const names: Names = { ...forms.get(root)?.variables };
  for (const element of fieldsIn(root)) names[element.dataset.field!] = valueOf(element);
  for (const element of root.querySelectorAll<HTMLElement>(
    "[data-condition], [data-field]",
  )) {
    if (element.dataset.condition !== undefined)
      element.hidden = evaluate(conditionOf(element), names) === true;
    if (element.dataset.field === undefined) continue;
    const hidden = isHiddenIn(element);
    if (hidden) names[element.dataset.field] = null;
    for (const input of element.querySelectorAll<HTMLInputElement>("input, select, textarea"))
      input.disabled = hidden;
    if (element.dataset.type === "weigh" && !hidden)
      showWeight(element, rulesOf(element), names);
  }
}

function today(): string {
  const now = new Date();
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
