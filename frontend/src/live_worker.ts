// One stream for all pages of a browser: six would use up its connections.

import { isLater, LiveStream, type News } from "./live_stream.js";

export interface Asked {
  what: "join" | "here" | "leave" | "again";
  from: string;
  floor: boolean;
}

const KEPT = 200;
const GONE_MS = 150_000; // timers of hidden pages run once a minute

interface Page {
  floor: boolean;
  seenAt: number;
}

const pages = new Map<MessagePort, Page>();
const told: { news: News; since: string }[] = [];
let floor = false;
let before = ""; // where the stream stood when the oldest kept news came

const stream = new LiveStream((news) => {
  if (news.kind === "hint" || news.kind === "reset") {
    told.push({ news, since: told.at(-1)?.news.id ?? before });
    if (told.length > KEPT) before = told.shift()?.news.id ?? before;
  }
  for (const [port, page] of pages)
    if (news.kind !== "floor" || page.floor) port.postMessage(news);
});

// What other pages have been told since this one was rendered.
function catchUp(port: MessagePort, from: string): void {
  if (isLater(before, from)) port.postMessage({ kind: "reset", data: "", id: stream.id });
  else
    for (const { news, since } of told)
      if (isLater(news.id, from) || !isLater(from, since)) port.postMessage(news);
}

function adjust(): void {
  const wanted = [...pages.values()].some((page) => page.floor);
  if (pages.size === 0) stream.close();
  else if (!stream.isOpen || wanted !== floor) {
    floor = wanted;
    stream.open(floor);
  }
}

function join(port: MessagePort, asked: Asked): void {
  const known = pages.get(port);
  pages.set(port, { floor: asked.floor, seenAt: Date.now() });
  if (!stream.isOpen) {
    floor = asked.floor;
    before = asked.from;
    told.length = 0;
    stream.open(floor, asked.from);
  } else if (!known) {
    catchUp(port, asked.from);
    stream.again();
  }
  adjust();
  port.postMessage({ kind: "state", data: stream.state, id: stream.id });
}

function hear(port: MessagePort, asked: Asked): void {
  const page = pages.get(port);
  if (asked.what === "leave") pages.delete(port);
  else if (asked.what === "join" || !page) join(port, asked);
  else page.seenAt = Date.now();
  if (asked.what === "again") stream.again();
  adjust();
}

setInterval(() => {
  for (const [port, page] of pages)
    if (Date.now() - page.seenAt > GONE_MS) pages.delete(port);
  adjust();
}, GONE_MS / 5);

self.addEventListener("online", () => stream.again());
self.addEventListener("connect", (event) => {
  const port = (event as MessageEvent).ports[0];
  if (port) port.onmessage = (message: MessageEvent<Asked>) => hear(port, message.data);
});
