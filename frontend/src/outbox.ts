// The outbox of this browser: confirmations are stored here before they are sent.

import { alone, database, entries } from "./device_db.js";
import {
  Outbox,
  type Entry,
  type NewEntry,
  type Outcome,
  type Result,
} from "./outbox_core.js";
import { fetchKey, signatureOf } from "./entry_keys.js";
import { send, wordsOf } from "./outbox_wire.js";
import { t } from "./texts.js";

export type { Entry, Result };

type Wanted = Omit<NewEntry, "key" | "answeredBy" | "signIn" | "signature" | "deviceAt"> & {
  key?: string;
};

const PROBE_TIMEOUT_MS = 3_000;

const channel =
  "BroadcastChannel" in globalThis ? new BroadcastChannel("mpms-outbox") : undefined;

// Two scripts of one page may both contain this module: they share its state.
interface Shared {
  outbox: Outbox;
  changes: EventTarget;
  started: Set<string>;
}
const page = globalThis as typeof globalThis & { mpmsOutbox?: Shared };

function tellThisTab(): void {
  changes.dispatchEvent(new Event("change"));
}

function changed(): void {
  tellThisTab();
  channel?.postMessage("change");
}

const ways = {
  fetch: (...request: Parameters<typeof fetch>) => fetch(...request),
  person: currentPerson,
};

async function probe(): Promise<boolean> {
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), PROBE_TIMEOUT_MS);
  try {
    const options: RequestInit = { cache: "no-store", signal: aborter.signal };
    const answer = await fetch("/healthz", options);
    return ((await answer.json()) as { ok?: boolean }).ok === true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

function newOutbox(): Outbox {
  return new Outbox({
    store: entries,
    send: (entry): Promise<Outcome> => send(ways, entry),
    probe,
    alone,
    now: () => Date.now(),
    after(ms, call) {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
    changed,
  });
}

page.mpmsOutbox ??= {
  outbox: newOutbox(),
  changes: new EventTarget(),
  started: new Set(),
};

export const { outbox, changes } = page.mpmsOutbox; // "change": see everything() again

/** True once a page for each name. */
export function first(name: string): boolean {
  const { started } = page.mpmsOutbox!;
  return !started.has(name) && Boolean(started.add(name));
}

export function currentPerson(): string {
  return said("person");
}

/** What the head of the page says. */
function said(name: string): string {
  const meta = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`);
  return meta?.content ?? "";
}

export function newKey(): string {
  if ("randomUUID" in crypto) return crypto.randomUUID();
  const bytes: Uint8Array = (crypto as Crypto).getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * Posts `body` with key, device time and person to /tasks/<task>/<kind>.
 *
 * "kept": stored and sent later, the worker may go on. "refused" comes with a message;
 * the form stays open. Give the same `key` for what is the same confirmation.
 */
export async function sendOrKeep(wanted: Wanted): Promise<Result> {
  const entry: NewEntry = {
    ...wanted,
    key: wanted.key ?? newKey(),
    answeredBy: currentPerson(),
    signIn: said("sign-in"),
    deviceAt: new Date().toISOString(),
  };
  try {
    await database();
    const signature = await signatureOf(entry.signIn, wordsOf(entry));
    if (signature) entry.signature = signature;
  } catch {
    return sendUnkept(entry);
  }
  try {
    return await outbox.sendOrKeep(entry);
  } catch (failure) {
    console.warn(failure); // most likely no room left
    return sendUnkept(entry);
  }
}

async function sendUnkept(wanted: NewEntry): Promise<Result> {
  const entry: Entry = {
    taskName: "",
    order: "",
    ...wanted,
    attempts: 0,
    state: "waiting",
  };
  const outcome = await send(ways, entry);
  if (outcome.is === "taken") return { state: "sent", reply: outcome.reply };
  if ("reply" in outcome) {
    const { is: state, ...rest } = outcome;
    return { state, ...rest };
  }
  const message = t(
    "There is no network and this tablet cannot keep the confirmation. Stay on this page and try again.",
  );
  return { state: "refused", message };
}

/** All that this tablet knows of, in the order of the taps. */
export async function everything(): Promise<Entry[]> {
  try {
    return await entries.all();
  } catch {
    return [];
  }
}

/** The newest answer of a task that is under way or taken: its form needs no other. */
export async function answerOf(task: string): Promise<Entry | undefined> {
  const found = (await everything()).filter(
    (one) => one.task === task && one.kind === "answer" && one.state !== "refused",
  );
  return found.at(-1);
}

/** Sends what waits now, and whenever there is hope. Call it on every page. */
export function startOutbox(): void {
  if (!first("outbox")) return;
  const wake = (): void => {
    outbox.wake().catch((failure: unknown) => console.warn(failure));
  };
  addEventListener("online", wake);
  addEventListener("offline", () => outbox.lostNetwork());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") wake();
  });
  channel?.addEventListener("message", tellThisTab);
  if (!navigator.onLine) outbox.lostNetwork();
  wake();
  fetchKey(said("sign-in")).catch((failure: unknown) => console.warn(failure));
  const { storage } = navigator as { storage?: Partial<StorageManager> };
  void storage?.persist?.().catch(() => false);
}
