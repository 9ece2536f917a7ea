// The pages of tasks: the list and one task card by card.

import { startOffline } from "./offline.js";
import { post } from "./posting.js";

// One tap takes the next task. Without network its page opens all the same: the answer
// is kept, and the server finds out whether somebody else was faster.
// What stood at the top may be taken by somebody else: a finger that was on its way to
// it does not take what came in its place.
const SEEN_MS = 700;
let shown = shownTask();
let changedAt = -Infinity;

function shownTask(): string {
  return document.querySelector<HTMLInputElement>("#next-shown")?.value ?? "";
}

document.addEventListener("htmx:afterSwap", () => {
  const now = shownTask();
  if (now !== shown && shown !== "") changedAt = performance.now();
  shown = now;
});

function claimAndOpen(form: HTMLFormElement, page: string): void {
  form.querySelector("button")?.setAttribute("aria-disabled", "true");
  void post(form.action, {}).then((answer) => {
    if (answer.status === 401 || answer.status === 409) location.reload();
    else location.assign(page);
  });
}

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  const page = form.dataset["claim"];
  if (page === undefined) return;
  event.preventDefault();
  if (performance.now() - changedAt < SEEN_MS) return;
  claimAndOpen(form, page);
});

const form = document.querySelector<HTMLFormElement>("form[data-task-form]");
// The list needs none of it, and it is what a worker loads first.
if (form) void import("./task_card.js").then(({ startTaskCard }) => startTaskCard(form));
startOffline();
