// Fields as they stand on the page: where their values are, how they are read and
// written. A field is an element with data-field, made by templates/_form.html.

import { language } from "../texts.js";
import type { Field } from "./rules.js";

const rules = new WeakMap<Element, Field>();

/** Values that no input of the page can hold: photos and drawn signatures. */
export const pictures = new WeakMap<Element, string>();

export function fieldsIn(root: ParentNode): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>("[data-field]")];
}

export function rulesOf(element: HTMLElement): Field {
  let found = rules.get(element);
  if (!found) {
    found = JSON.parse(element.dataset.rules ?? "{}") as Field;
    rules.set(element, found);
  }
  return found;
}

/** Comma and point are both decimal signs: our pages never group digits in inputs. */
export function parseNumber(text: string): number | string | null {
  const plain = text.replace(/[\s\u00a0]/g, "");
  if (plain === "") return null;
  const dotted = plain.includes(".") ? plain : plain.replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(dotted) ? Number(dotted) : text.trim();
}

export function writeNumber(value: number): string {
  const text = String(value);
  return language() === "en" ? text : text.replace(".", ",");
}

function inputsOf(element: HTMLElement): HTMLInputElement[] {
  return [...element.querySelectorAll("input")];
}

function inputOf(element: HTMLElement): HTMLInputElement {
  return element.querySelector<HTMLInputElement>("input, textarea, select")!;
}

function chosenOf(choice: HTMLElement | undefined): unknown {
  return JSON.parse(choice?.dataset.value ?? "null") as unknown;
}

export function valueOf(element: HTMLElement): unknown {
  switch (element.dataset.type) {
    case "checkbox":
      return inputOf(element).checked;
    case "number":
    case "weigh":
      return parseNumber(inputOf(element).value);
    case "radio":
      return chosenOf(inputsOf(element).find((one) => one.checked));
    case "checklist":
    case "taglist":
      return inputsOf(element)
        .filter((one) => one.checked)
        .map(chosenOf);
    case "select":
      return chosenOf(element.querySelector("select")!.selectedOptions[0]);
    case "photo":
      return pictures.get(element) ?? null;
    case "signature":
      return pictures.get(element) ?? (inputOf(element).value.trim() || null);
    case "scan":
      return inputOf(element).value.trim();
    case "datetime":
      return inputOf(element).value || null;
    default:
      return inputOf(element).value;
  }
}

/** Puts a draft into a field; pictures are put by their own modules. */
export function writeValue(element: HTMLElement, value: unknown): void {
  const isChosen = (choice: HTMLElement): boolean =>
    Array.isArray(value)
      ? value.includes(chosenOf(choice))
      : value === chosenOf(choice);
  switch (element.dataset.type) {
    case "checkbox":
      inputOf(element).checked = value === true;
      break;
    case "radio":
    case "checklist":
    case "taglist":
      for (const one of inputsOf(element)) one.checked = isChosen(one);
      break;
    case "select":
      for (const one of element.querySelectorAll("option")) one.selected = isChosen(one);
      break;
    case "photo":
      break;
    default:
      inputOf(element).value =
        typeof value === "number"
          ? writeNumber(value)
          : typeof value === "string" && !value.startsWith("data:image/")
            ? value
            : "";
  }
}

export function showProblem(element: HTMLElement, text: string): void {
  const place = element.querySelector<HTMLElement>("[data-error]");
  if (!place) return;
  if (place.textContent !== text) place.textContent = text;
  place.hidden = text === "";
  element.classList.toggle("field-wrong", text !== "");
  for (const input of element.querySelectorAll("input, select, textarea, fieldset"))
    if (text) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
}
