// The list of tasks without network: what a worker will open next is fetched ahead,
// and what he has confirmed is shown as done before the server knows of it.

import { changes, everything, first, type Entry } from "./outbox.js";
import { wanted } from "./prefetch_rules.js";
import { keepPages } from "./shell.js";
import { t } from "./texts.js";

interface Row {
  task: string;
  mine: boolean;
  element: HTMLElement;
}

/** Rows are `[data-task=<id>]`; those I have claimed are `[data-mine]` too. */
export function rowsOf(root: ParentNode): Row[] {
  return Array.from(root.querySelectorAll<HTMLElement>("[data-task]"), (element) => ({
    task: element.dataset["task"] ?? "",
    mine: element.dataset["mine"] !== undefined,
    element,
  }));
}

function newestByTask(all: Entry[]): Map<string, Entry> {
  return new Map(
    all.filter((one) => one.kind === "answer").map((one) => [one.task, one]),
  );
}

function mark(row: Row, entry: Entry | undefined): void {
  const { element } = row;
  const state = entry?.state;
  const shown = state === "refused" || state === undefined ? "" : state;
  if ((element.dataset["outbox"] ?? "") === shown) return;
  element.querySelector("[data-outbox-chip]")?.remove();
  delete element.dataset["outbox"];
  if (!shown) return;
  element.dataset["outbox"] = shown;
  const chip = document.createElement("span");
  chip.dataset["outboxChip"] = "";
  chip.className = `chip ${shown === "sent" ? "chip-ok" : "chip-warn"}`;
  chip.textContent =
    shown === "sent"
      ? t("Done")
      : shown === "waiting"
        ? t("Done, waits for the network")
        : t("The supervisor decides.");
  element.append(chip);
}

async function overlay(): Promise<Set<string>> {
  const answers = newestByTask(await everything());
  for (const row of rowsOf(document)) mark(row, answers.get(row.task));
  const done = [...answers.values()].filter((one) => one.state !== "refused");
  return new Set(done.map((one) => one.task));
}

async function refresh(): Promise<void> {
  const done = await overlay();
  await keepPages([location.pathname, ...wanted(rowsOf(document), done)]);
}

/** On /tasks. The list may be replaced at any time by a live update. */
export function startPrefetch(): void {
  if (!first("prefetch")) return;
  const quietly = (work: () => Promise<unknown>) => (): void => {
    work().catch((failure: unknown) => console.warn(failure));
  };
  changes.addEventListener("change", quietly(overlay));
  document.body.addEventListener("htmx:afterSettle", quietly(refresh));
  addEventListener("online", quietly(refresh));
  quietly(refresh)();
}
