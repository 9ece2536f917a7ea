// Parts of a page that are fetched again at a hint. Two ways to miss the last one are
// closed here: a part that replaces itself hears nothing between its request and its
// replacement, and a fetch that failed would not be tried again before the next hint.

import htmx from "htmx.org";

const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 30_000;

interface Asked {
  xhr: XMLHttpRequest;
  requestConfig: { verb: string; elt: Element }; // the part, also if it is gone by now
}

let told = 0; // hints so far
const toldOf = new Map<string, number>(); // topic -> the number of its last hint
const askedAfter = new WeakMap<Element, number>(); // part -> hints told by then
const failures = new Map<string, number>(); // id of a part -> how often in a row

export function noteHint(topic: string): void {
  toldOf.set(topic, ++told);
}

function topicsOf(part: Element): string[] {
  const triggers = part.getAttribute("hx-trigger") ?? "";
  return [...triggers.matchAll(/live:(\w+) from:body/g)].map((found) => found[1] ?? "");
}

function liveFetch(event: Event): Asked | undefined {
  const asked = (event as CustomEvent<Asked>).detail;
  const { verb, elt } = asked.requestConfig;
  return verb === "get" && topicsOf(elt).length > 0 ? asked : undefined;
}

function fetchAgain(id: string): void {
  const part = document.getElementById(id);
  const path = part?.getAttribute("hx-get");
  if (part && path) void htmx.ajax("get", path, { source: part });
}

// Without a connection it waits: the dot says so, and a message each time would not help.
function retry(id: string, afterMs: number): void {
  setTimeout(() => {
    if (document.documentElement.dataset["link"] === "live") fetchAgain(id);
    else retry(id, afterMs);
  }, afterMs);
}

document.addEventListener("htmx:beforeRequest", (event) => {
  const asked = liveFetch(event);
  if (asked) askedAfter.set(asked.requestConfig.elt, told);
});

document.addEventListener("htmx:afterRequest", (event) => {
  const asked = liveFetch(event);
  if (!asked) return;
  const { xhr } = asked;
  const { elt } = asked.requestConfig;
  if (xhr.status === 0 || xhr.status >= 500) {
    const times = failures.get(elt.id) ?? 0;
    failures.set(elt.id, times + 1);
    retry(elt.id, Math.min(FIRST_RETRY_MS * 2 ** times, LONGEST_RETRY_MS));
    return;
  }
  failures.delete(elt.id);
  const since = askedAfter.get(elt) ?? told;
  const missed = topicsOf(elt).some((topic) => (toldOf.get(topic) ?? 0) > since);
  if (missed && !document.contains(elt)) fetchAgain(elt.id);
});
