// The service worker. Files under /static never change under their name and are taken
// from the cache; pages come from the network and, when it is slow or gone, from what
// this person has seen or was fetched ahead. Nothing that one person saw is shown to
// another: the pages of each are dropped as soon as the server sends a page to somebody
// else or to nobody.

import { showAlerts } from "./sw_alerts.js";
import {
  changesPerson,
  filesOf,
  imagesOf,
  isHashed,
  isKept,
  personOf,
} from "./sw_pages.js";
import type { WorkerScope } from "./sw_scope.js";

declare const __SHELL__: string[] | undefined;
declare const __BUILD__: string | undefined;

const SHELL = (typeof __SHELL__ === "undefined" ? [] : __SHELL__).filter(
  (url) => !url.includes("/icon-"), // the system keeps the icons of an installed app
);
const BUILD = typeof __BUILD__ === "undefined" ? "none" : __BUILD__;
const scope = self as unknown as WorkerScope;

const FILES = "files"; // one for all builds: names carry a hash
const APART = `apart-${BUILD}`; // pages for everybody: /offline
const PAGES = "pages-"; // + person; there is one at most
const PATIENCE_MS = 3_000;
const MOST_PAGES = 60;
const AWAY = [502, 503, 504]; // a proxy whose server is being restarted

// Answers to requests that are older than the last known person say nothing.
let personSince = 0;

showAlerts(scope);

scope.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      for (const url of SHELL) await keepFile(url); // resumed at the next try
      await keepOfflinePage();
    })(),
  );
});

scope.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys())
        if (name !== FILES && name !== APART && !name.startsWith(PAGES))
          await caches.delete(name);
      await sweepFiles();
      await scope.clients.claim();
    })(),
  );
});

scope.addEventListener("message", (event) => {
  const { type, paths } = event.data;
  if (type === "activate") event.waitUntil(scope.skipWaiting());
  if (type === "keep" && Array.isArray(paths))
    event.waitUntil(keepAhead(paths.filter((path) => typeof path === "string")));
});

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== scope.location.origin) return;
  if (changesPerson(request.method, pathname)) event.waitUntil(forgetPages());
  const lasting = (work: Promise<unknown>): void => event.waitUntil(work);
  if (request.mode === "navigate") event.respondWith(page(request, pathname, lasting));
  else if (request.method !== "GET") return;
  else if (pathname.startsWith("/static/"))
    event.respondWith(file(request, pathname, lasting));
  else if (request.destination === "image") event.respondWith(image(request));
});

async function page(
  request: Request,
  path: string,
  lasting: (work: Promise<unknown>) => void,
): Promise<Response> {
  const network = ask(request, lasting);
  const kept = request.method === "GET" && isKept(path);
  if (kept) {
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS));
    const answer = await Promise.race([network, late]);
    if (answer && !AWAY.includes(answer.status)) return answer;
    const found = await keptPage(path);
    if (found) return found;
  }
  const answer = await network;
  if (answer) return answer;
  const apart = await caches.open(APART);
  return (await apart.match("/offline")) ?? Response.error();
}

// Undefined without an answer. Never throws.
async function ask(
  request: Request,
  lasting: (work: Promise<unknown>) => void,
): Promise<Response | undefined> {
  const askedAt = performance.now();
  let answer: Response;
  try {
    answer = await fetch(request);
  } catch {
    return undefined;
  }
  if (answer.status === 200 && isHtml(answer)) {
    const done = learn(request.url, answer.clone(), askedAt, request.method === "GET");
    lasting(done.catch(() => undefined));
  }
  return answer;
}

async function learn(
  url: string,
  answer: Response,
  askedAt: number,
  mayKeep: boolean,
): Promise<void> {
  const { pathname, search } = new URL(url);
  if (pathname === "/offline") return;
  const html = await answer.text();
  if (askedAt < personSince) return;
  const person = personOf(html);
  if (person === undefined) return;
  await becomes(person, askedAt);
  if (person && mayKeep && !search && isKept(pathname) && !answer.redirected)
    await keep(person, pathname, html, answer.headers);
}

async function becomes(person: string, since: number): Promise<void> {
  const mine = PAGES + person;
  const known = (await caches.keys()).filter((name) => name.startsWith(PAGES));
  if (known.length === 1 && known[0] === mine) return;
  personSince = since;
  for (const name of known) if (name !== mine) await caches.delete(name);
  if (!person) return;
  await caches.open(mine);
  await keepOfflinePage().catch(() => undefined); // in this person's language
}

async function forgetPages(): Promise<void> {
  personSince = performance.now();
  for (const name of await caches.keys())
    if (name.startsWith(PAGES)) await caches.delete(name);
}

async function pages(): Promise<Cache | undefined> {
  const name = (await caches.keys()).find((one) => one.startsWith(PAGES));
  return name === undefined ? undefined : caches.open(name);
}

async function keptPage(path: string): Promise<Response | undefined> {
  return (await pages())?.match(path, { ignoreVary: true });
}

async function keep(
  person: string,
  path: string,
  html: string,
  headers: Headers,
): Promise<void> {
  const copy = new Headers(headers);
  for (const name of ["content-encoding", "content-length", "set-cookie"])
    copy.delete(name);
  if (!(await caches.has(PAGES + person))) return; // has just signed out
  const cache = await caches.open(PAGES + person);
  await cache.put(path, new Response(html, { headers: copy }));
  const keys = await cache.keys();
  for (const old of keys.slice(0, -MOST_PAGES)) await cache.delete(old);
}

async function keepAhead(paths: string[]): Promise<void> {
  for (const path of paths.filter(isKept)) {
    const askedAt = performance.now();
    let answer: Response;
    try {
      answer = await fetch(path, { headers: { Accept: "text/html" } });
    } catch {
      return;
    }
    if (answer.redirected || answer.status !== 200 || !isHtml(answer)) continue;
    const html = await answer.clone().text();
    await learn(new URL(path, scope.location.origin).href, answer, askedAt, true);
    for (const url of filesOf(html)) await keepFile(url).catch(() => undefined);
    for (const url of imagesOf(html)) await keepImage(url);
  }
}

async function keepImage(url: string): Promise<void> {
  const cache = await pages();
  if (!cache) return;
  try {
    const answer = await fetch(url);
    if (answer.ok && !answer.redirected) await cache.put(url, answer);
  } catch {
    // The page opens without it.
  }
}

async function image(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch {
    const found = await (await pages())?.match(request.url, { ignoreVary: true });
    return found ?? Response.error();
  }
}

async function file(
  request: Request,
  path: string,
  lasting: (work: Promise<unknown>) => void,
): Promise<Response> {
  const cache = await caches.open(FILES);
  const found = await cache.match(path, { ignoreVary: true });
  if (found) return found;
  const answer = await fetch(request);
  // The browser has it by now: this asks nobody for it again.
  if (answer.ok && isHashed(path)) lasting(keepFile(path).catch(() => undefined));
  return answer;
}

// With all that it imports, and only then: what is in the cache is complete.
async function keepFile(url: string, above: string[] = []): Promise<void> {
  const cache = await caches.open(FILES);
  if (above.includes(url) || (await cache.match(url, { ignoreVary: true }))) return;
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  for (const imported of await importsOf(url, answer.clone()))
    await keepFile(imported, [...above, url]);
  await cache.put(url, answer);
}

async function importsOf(url: string, file: Response): Promise<string[]> {
  return url.endsWith(".js") ? filesOf(await file.text()) : [];
}

async function keepOfflinePage(): Promise<void> {
  const answer = await fetch("/offline", { cache: "no-store" });
  if (!answer.ok || answer.redirected) throw new Error(`/offline: ${answer.status}`);
  const html = await answer.clone().text();
  await (await caches.open(APART)).put("/offline", answer);
  for (const url of filesOf(html)) await keepFile(url);
}

// Files of former builds go, but for those that a kept page still names.
async function sweepFiles(): Promise<void> {
  const needed = new Set(SHELL);
  for (const cache of [await pages(), await caches.open(APART)])
    for (const request of (await cache?.keys()) ?? []) {
      const found = await cache?.match(request, { ignoreVary: true });
      if (found && isHtml(found))
        for (const url of filesOf(await found.text())) needed.add(url);
    }
  const files = await caches.open(FILES);
  for (const url of needed) {
    const found = await files.match(url, { ignoreVary: true });
    if (found) for (const more of await importsOf(url, found)) needed.add(more);
  }
  for (const request of await files.keys())
    if (!needed.has(new URL(request.url).pathname)) await files.delete(request);
}

function isHtml(answer: Response): boolean {
  return (answer.headers.get("content-type") ?? "").includes("text/html");
}
