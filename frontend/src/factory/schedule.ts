// Which order comes first: drag an order to another priority, or move it with the arrow
// keys. What is saved is one word of the order; the chart follows.

import { t } from "../texts.js";

interface Swap {
  target: Element;
  requestConfig?: { triggeringEvent?: Event };
}

let dragged = ""; // its number: the list may be drawn anew meanwhile

function queue(): HTMLElement | null {
  return document.querySelector<HTMLElement>("[data-queue]");
}

function levels(): HTMLElement[] {
  return [...(queue()?.querySelectorAll<HTMLElement>("[data-level]") ?? [])];
}

function levelAt(y: number): HTMLElement | undefined {
  return levels().find((level) => {
    const box = level.getBoundingClientRect();
    return y >= box.top && y <= box.bottom;
  });
}

async function move(order: HTMLElement, level: HTMLElement): Promise<void> {
  const { number = "", due = "", change = "" } = order.dataset;
  const priority = level.dataset["level"] ?? "normal";
  if (order.closest("[data-level]") === level) return;
  level.querySelector(".queue-orders")?.append(order);
  order.querySelector<HTMLElement>(".queue-handle")?.focus();
  const said = document.getElementById("schedule-said");
  let answer: Response | undefined;
  try {
    const body = new URLSearchParams({ priority, due, back: "schedule" });
    answer = await fetch(change, { method: "POST", body, redirect: "manual" });
  } catch {
    answer = undefined;
  }
  const name = level.querySelector(".queue-level-name")?.textContent ?? priority;
  if (said)
    said.textContent =
      answer?.type === "opaqueredirect"
        ? t("{number} is now: {priority}", { number, priority: name })
        : t("That did not work.");
  refocus = number;
  document.body.dispatchEvent(new CustomEvent("schedule:refresh"));
}

// Whoever thinks about a due date is not interrupted by the next refresh.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, requestConfig } = (event as CustomEvent<Swap>).detail;
  if (target.id !== "schedule-now" || !target.querySelector(".queue-more[open]")) return;
  if (requestConfig?.triggeringEvent?.type !== "schedule:refresh") event.preventDefault();
});

let refocus = "";
document.addEventListener("htmx:afterSwap", () => {
  if (!refocus) return;
  document
    .querySelector<HTMLElement>(`[data-number="${CSS.escape(refocus)}"] .queue-handle`)
    ?.focus();
  refocus = "";
});

function orderNumbered(number: string): HTMLElement | null {
  return document.querySelector(`[data-number="${CSS.escape(number)}"]`);
}

function orderOf(event: Event): HTMLElement | null {
  const handle = (event.target as Element).closest(".queue-handle");
  return handle?.closest<HTMLElement>("[data-number]") ?? null;
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
  const order = orderOf(event);
  const all = levels();
  const at = all.findIndex((level) => level.contains(order));
  const to = all[at + (event.key === "ArrowUp" ? -1 : 1)];
  if (!order || at < 0) return;
  event.preventDefault();
  if (to) void move(order, to);
});

document.addEventListener("pointerdown", (event) => {
  const order = orderOf(event);
  if (!order) return;
  event.preventDefault();
  dragged = order.dataset["number"] ?? "";
  order.classList.add("queue-dragged");
});
document.addEventListener("pointermove", (event) => {
  if (!dragged) return;
  const over = levelAt(event.clientY);
  for (const level of levels()) level.classList.toggle("queue-over", level === over);
});
for (const kind of ["pointerup", "pointercancel"] as const)
  document.addEventListener(kind, (event) => {
    const order = dragged ? orderNumbered(dragged) : null;
    dragged = "";
    if (!order) return;
    order.classList.remove("queue-dragged");
    for (const level of levels()) level.classList.remove("queue-over");
    const to = kind === "pointerup" ? levelAt(event.clientY) : undefined;
    if (to) void move(order, to);
  });
