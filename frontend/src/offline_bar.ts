// Says what a worker must know of the network: whether it is there, what waits on this
// tablet, and that going on is safe.

import { changes, currentPerson, everything, first, outbox } from "./outbox.js";
import type { Entry } from "./outbox.js";
import { loadUpdate, onUpdateReady } from "./shell.js";
import { language, t } from "./texts.js";

const TOAST_MS = 6_000;

let updateReady = false;
let waitedBefore = 0;

function make(tag: string, className: string, ...inside: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...inside);
  return element;
}

function button(text: string, press: () => void): HTMLElement {
  const made = make("button", "button button-quiet", text) as HTMLButtonElement;
  made.type = "button";
  made.addEventListener("click", press);
  return made;
}

function link(text: string, href: string): HTMLElement {
  const made = make("a", "button button-quiet", text) as HTMLAnchorElement;
  made.href = href;
  return made;
}

/** One sentence on what waits; "" if there is nothing to say. */
function sentence(waiting: number, others: number): string {
  const parts: string[] = [];
  if (!outbox.online) parts.push(t("No network."));
  if (waiting === 1) parts.push(t("1 confirmation waits on this tablet."));
  if (waiting > 1)
    parts.push(t("{n} confirmations wait on this tablet.", { n: waiting }));
  if (outbox.needsSignIn && waiting > 0) parts.push(t("Sign in to send."));
  else if (others > 0)
    parts.push(t("Some are of somebody else and are sent when that person signs in."));
  else if (parts.length > 0) parts.push(t("It is safe to go on."));
  return parts.join(" ");
}

function timeOf(entry: Entry): string {
  const style: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" };
  return new Date(entry.deviceAt).toLocaleTimeString(language(), style);
}

function titleOf(entry: Entry): string {
  const title = [entry.taskName || entry.task, entry.order].filter(Boolean);
  if (entry.answeredBy !== currentPerson()) title.push(entry.answeredBy);
  return title.join(" · ");
}

function row(entry: Entry): HTMLElement {
  const time = make("span", "offline-time", timeOf(entry));
  return make("li", "", time, " ", titleOf(entry));
}

function notice(entry: Entry): HTMLElement {
  const refused = entry.state === "refused";
  const said = refused ? t("This was not accepted.") : t("The supervisor decides.");
  const words = [titleOf(entry), said, entry.message ?? ""].filter(Boolean).join(" · ");
  const seen = (): void => void outbox.dismiss(entry.key);
  const doors = [button(t("Understood"), seen)];
  if (refused) {
    doors.unshift(button(t("Send again"), () => void outbox.retry(entry.key)));
    doors.unshift(link(t("Open the task"), `/tasks/${entry.task}`));
  }
  return make(
    "div",
    `banner ${refused ? "banner-bad" : "banner-warn"} offline-notice`,
    make("p", "", words),
    make("div", "cluster", ...doors),
  );
}

function toast(text: string): void {
  const box = document.getElementById("toast");
  if (!box) return;
  box.dataset["kind"] = "ok";
  box.textContent = text;
  box.hidden = false;
  setTimeout(() => {
    if (box.textContent === text) box.hidden = true;
  }, TOAST_MS);
}

interface Pieces {
  bar: HTMLElement;
  words: HTMLElement;
  doors: HTMLElement;
  list: HTMLElement;
  details: HTMLDetailsElement;
  notices: HTMLElement;
}

function furnish(bar: HTMLElement): Pieces {
  const words = make("p", "offline-words");
  words.setAttribute("role", "status");
  words.setAttribute("aria-live", "polite");
  const doors = make("div", "cluster");
  const list = make("ul", "offline-list");
  const details = make("details", "") as HTMLDetailsElement;
  details.append(make("summary", "", t("What waits")), list);
  const notices = make("div", "stack");
  notices.setAttribute("aria-live", "polite");
  bar.className = "offline-bar";
  bar.removeAttribute("role"); // the sentence has it: buttons are no news
  const head = make("div", "offline-head banner banner-warn", words, doors, details);
  bar.replaceChildren(head, notices);
  return { bar, words, doors, list, details, notices };
}

async function show(pieces: Pieces): Promise<void> {
  const all = await everything();
  const waiting = all.filter((one) => one.state === "waiting");
  const bad = all.filter(
    (one) => (one.state === "refused" || one.state === "conflict") && !one.seen,
  );
  const others = waiting.filter((one) => outbox.ofOthers.has(one.key)).length;
  const text = sentence(waiting.length, others) || (updateReady ? updateText() : "");
  const { bar, words, doors, list, details, notices } = pieces;

  if (words.textContent !== text) words.textContent = text;
  words.parentElement!.hidden = text === "";
  details.hidden = waiting.length === 0;
  list.replaceChildren(...waiting.map(row));
  doors.replaceChildren();
  if (outbox.needsSignIn && waiting.length > 0)
    doors.append(
      link(t("Sign in"), `/login?next=${encodeURIComponent(location.pathname)}`),
    );
  else if (updateReady && outbox.online) doors.append(button(t("Load it"), loadUpdate));
  notices.replaceChildren(...bad.map(notice));
  bar.hidden = text === "" && bad.length === 0;

  if (waitedBefore > 0 && waiting.length === 0 && bad.length === 0)
    toast(t("All confirmations are sent."));
  waitedBefore = waiting.length;
}

function updateText(): string {
  return t("A new version is ready.");
}

/** Fills `#offline-bar` and keeps it true. */
export function startOfflineBar(): void {
  const bar = document.getElementById("offline-bar");
  if (!bar || !first("bar")) return;
  const pieces = furnish(bar);
  let queue = Promise.resolve();
  const refresh = (): void => {
    queue = queue.then(() => show(pieces)).catch((failure: unknown) => {
      console.warn(failure);
    });
  };
  changes.addEventListener("change", refresh);
  onUpdateReady(() => {
    updateReady = true;
    refresh();
  });
  refresh();
}
