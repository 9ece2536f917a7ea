// Live updates. Hints arrive as `live:tasks`, `live:instances`, `live:incidents`, `live:batches`
// and those of plug-ins on the body, with the ids that changed (none: any may have); the page
// fetches what it shows again. Frames of the floor arrive as `live:floor`.

import { assetUrl } from "./assets.js";
import { noteHint } from "./live_fetch.js";
import { LiveStream, type LinkState, type News } from "./live_stream.js";
import type { Asked } from "./live_worker.js";
import { t } from "./texts.js";

const GAP_MS = 300; // between two hints that make a page fetch
const HERE_MS = 20_000;
const HIDDEN_MS = 60_000;

let position = "";
let lists: string[] = [];
let waiting: Record<string, string[]> = {};
let lastAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

function dispatch(name: string, detail: unknown): void {
  document.body.dispatchEvent(new CustomEvent(`live:${name}`, { detail }));
}

function flush(): void {
  clearTimeout(timer);
  timer = undefined;
  if (document.hidden) return;
  const now = waiting;
  waiting = {};
  lastAt = Date.now();
  for (const [topic, ids] of Object.entries(now)) {
    noteHint(topic);
    dispatch(topic, ids);
  }
}

function hint(found: Record<string, string[]>): void {
  for (const [topic, ids] of Object.entries(found)) {
    const earlier = waiting[topic];
    if (!earlier) waiting[topic] = ids;
    else if (ids.length === 0 || earlier.length === 0) waiting[topic] = [];
    else waiting[topic] = [...new Set([...earlier, ...ids])];
  }
  const left = lastAt + GAP_MS - Date.now();
  if (left <= 0) flush();
  else timer ??= setTimeout(flush, left);
}

function show(state: LinkState): void {
  document.documentElement.dataset["link"] = state === "live" ? "live" : "lost";
  const dot = document.getElementById("link-state");
  const label = {
    live: t("Up to date"),
    lost: t("No connection to the server"),
    away: t("The server waits for its database"),
  }[state];
  dot?.setAttribute("aria-label", label);
  dot?.setAttribute("title", label);
}

function hear(news: News): void {
  position = news.id || position;
  if (news.kind === "state") show(news.data as LinkState);
  else if (news.kind === "hint") hint(JSON.parse(news.data) as Record<string, string[]>);
  else if (news.kind === "reset") {
    dispatch("reset", []);
    hint(Object.fromEntries(lists.map((topic) => [topic, []])));
  } else if (!document.hidden) dispatch("floor", JSON.parse(news.data));
}

function wantsFloor(): boolean {
  return document.body.dataset["live"] === "floor";
}

function throughWorker(): void {
  const worker = new SharedWorker(assetUrl("live_worker.js"), { name: "mpms live" });
  const ask = (what: Asked["what"]): void =>
    worker.port.postMessage({ what, from: position, floor: wantsFloor() });
  worker.port.onmessage = (message: MessageEvent<News>) => hear(message.data);
  ask("join");
  setInterval(() => ask("here"), HERE_MS);
  addEventListener("pagehide", () => ask("leave"));
  addEventListener("pageshow", (event) => {
    if (event.persisted) ask("join");
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) ask("again");
  });
}

function direct(): void {
  const stream = new LiveStream(hear);
  const open = (): void => stream.open(wantsFloor(), position);
  let closing: ReturnType<typeof setTimeout> | undefined;
  open();
  addEventListener("pagehide", () => stream.close());
  addEventListener("online", () => stream.again());
  addEventListener("pageshow", (event) => {
    if (event.persisted) open();
  });
  document.addEventListener("visibilitychange", () => {
    clearTimeout(closing);
    if (document.hidden) closing = setTimeout(() => stream.close(), HIDDEN_MS);
    else if (stream.isOpen) stream.again();
    else open();
  });
}

function start(): void {
  const from = document.querySelector<HTMLMetaElement>("meta[name=live-from]");
  if (!from) return; // nobody is signed in
  position = from.content;
  lists = (from.dataset["lists"] ?? "").split(" ");
  document.addEventListener("visibilitychange", flush);
  try {
    throughWorker();
  } catch {
    direct();
  }
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
