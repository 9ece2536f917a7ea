// The page of one instance: forms open in a dialog, times count down, a diagram moves.

import { startCountdowns } from "./countdown.js";
import "./instance_diagram.js";

const BODY = "instance-dialog-body";

function dialog(): HTMLDialogElement | null {
  return document.querySelector<HTMLDialogElement>("#instance-dialog");
}

// What is open stays open when the server sends a part of the page anew.
let opened = new Map<string, boolean>();

function remember(event: Event): void {
  const target = (event as CustomEvent<{ target: Element }>).detail.target;
  for (const each of document.querySelectorAll<HTMLDetailsElement>("main details[id]"))
    opened.set(each.id, each.open);
  if (target.id === BODY) opened = new Map();
}

function recall(): void {
  for (const [id, open] of opened) {
    const each = document.getElementById(id);
    if (each instanceof HTMLDetailsElement && each.open !== open) each.open = open;
  }
}

document.addEventListener("htmx:beforeSwap", remember);
document.addEventListener("htmx:afterSwap", recall);
document.addEventListener("htmx:oobAfterSwap", recall);
document.addEventListener("htmx:afterSwap", (event) => {
  const target = (event as CustomEvent<{ target: Element }>).detail.target;
  const box = dialog();
  if (target.id !== BODY || box === null) return;
  if (!box.open) box.showModal();
  firstOpen(box)?.focus();
});

/** The first field that somebody has to fill in. */
function firstOpen(box: HTMLElement): HTMLElement | undefined {
  const fields = [
    ...box.querySelectorAll<HTMLSelectElement | HTMLInputElement | HTMLTextAreaElement>(
      "select, input:not([type=hidden]):not([type=checkbox]), textarea",
    ),
  ];
  const place = box.querySelector<HTMLInputElement>("input[name=element]");
  return place ?? fields.find((field) => field.required && field.value === "") ?? fields[0];
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element)) return;
  const box = dialog();
  if (box?.open !== true) return;
  if (event.target.closest("[data-dialog-close]") === null && event.target !== box) return;
  if (event.target === box && !outside(box, event)) return;
  event.preventDefault();
  box.close();
});

function outside(box: HTMLElement, event: MouseEvent): boolean {
  const { left, right, top, bottom } = box.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return x < left || x > right || y < top || y > bottom;
}

startCountdowns();
