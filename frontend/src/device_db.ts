// What this tablet keeps for itself. A new shape of the data is a new step at the end
// of STEPS: tablets that slept through several versions walk all of them.

import {
  openDB,
  type DBSchema,
  type IDBPDatabase,
  type IDBPTransaction,
  type StoreNames,
} from "idb";
import type { Entry, Store } from "./outbox_core.js";

export interface LocalDraft {
  person: string;
  task: string;
  field: string;
  value: unknown;
  at: number;
  saved: boolean; // the server has it
}

interface Shape extends DBSchema {
  outbox: { key: number; value: Entry };
  drafts: { key: [string, string, string]; value: LocalDraft };
  leases: { key: string; value: { name: string; owner: string; until: number } };
  entryKeys: { key: string; value: { signIn: string; key: CryptoKey } };
}

type Change = IDBPTransaction<Shape, StoreNames<Shape>[], "versionchange">;

const STEPS: ((db: IDBPDatabase<Shape>, change: Change) => void)[] = [
  (db) => {
    db.createObjectStore("outbox", { keyPath: "seq", autoIncrement: true });
    db.createObjectStore("drafts", { keyPath: ["person", "task", "field"] });
    db.createObjectStore("leases", { keyPath: "name" });
  },
  (db) => {
    db.createObjectStore("entryKeys", { keyPath: "signIn" });
  },
];

let opened: Promise<IDBPDatabase<Shape>> | undefined;

export function database(): Promise<IDBPDatabase<Shape>> {
  opened ??= openDB<Shape>("mpms", STEPS.length, {
    upgrade(db, from, _to, change) {
      for (const step of STEPS.slice(from)) step(db, change);
    },
    // A newer page wants to upgrade: make room, and open anew when needed.
    blocking(_from, _to, event) {
      (event.target as IDBDatabase).close();
      opened = undefined;
    },
    terminated() {
      opened = undefined;
    },
  });
  opened.catch(() => {
    opened = undefined;
  });
  return opened;
}

async function write<T>(work: (store: Writer) => Promise<T>): Promise<T> {
  const db = await database();
  // "strict": on the disk, not only on its way there, before we say it is kept.
  const change = db.transaction("outbox", "readwrite", { durability: "strict" });
  const [result] = await Promise.all([work(change.store), change.done]);
  return result;
}

interface Writer {
  add(value: Entry): Promise<number>;
  put(value: Entry): Promise<number>;
  delete(key: number): Promise<void>;
}

export const entries: Store = {
  async add(entry) {
    entry.seq = await write((store) => store.add(entry));
  },
  async put(entry) {
    await write((store) => store.put(entry));
  },
  async remove(entry) {
    await write((store) => store.delete(entry.seq ?? -1));
  },
  async all() {
    return (await database()).getAll("outbox");
  },
};

const LEASE_MS = 15_000;
const owner = String(Math.random());

async function takeLease(): Promise<boolean> {
  const change = (await database()).transaction("leases", "readwrite");
  const held = await change.store.get("outbox");
  const free = !held || held.owner === owner || held.until < Date.now();
  if (free)
    await change.store.put({ name: "outbox", owner, until: Date.now() + LEASE_MS });
  await change.done;
  return free;
}

// Web Locks exist in secure contexts only; a plant without TLS has the lease.
export async function alone(work: () => Promise<void>): Promise<void> {
  const locks = (navigator as { locks?: LockManager }).locks;
  if (locks) {
    await locks.request("mpms-outbox", work);
    return;
  }
  while (!(await takeLease())) await new Promise((resolve) => setTimeout(resolve, 500));
  const renewal = setInterval(() => void takeLease(), LEASE_MS / 3);
  try {
    await work();
  } finally {
    clearInterval(renewal);
    await (await database()).delete("leases", "outbox");
  }
}
