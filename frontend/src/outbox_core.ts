// What becomes of a confirmation between the tap and the server's word. Store, network,
// clock and lock are given, so that hours without Wi-Fi can be tried out in a second.

export type State = "waiting" | "sent" | "conflict" | "refused";

export interface Entry {
  seq?: number; // given by the store; entries are sent in this order
  key: string; // the same at every try: the server knows what it has taken already
  kind: string; // the last part of the address: answer, problem, release ...
  task: string;
  taskName: string;
  order: string;
  answeredBy: string;
  signIn?: string; // during which it was answered
  signature?: string; // with the key of that sign-in: proves that nobody else wrote it
  deviceAt: string;
  body: unknown;
  attempts: number;
  state: State;
  message?: string; // why it was refused
  reply?: Reply; // what the server said last
  settledAt?: number;
  seen?: boolean; // the person has read of the refusal or the conflict
}

export type Reply = Record<string, unknown>;

export type NewEntry = Pick<Entry, "key" | "kind" | "task" | "body"> &
  Partial<Pick<Entry, "taskName" | "order">> &
  Pick<Entry, "answeredBy" | "signIn" | "signature" | "deviceAt">;

export type Outcome =
  | { is: "taken"; reply: Reply }
  | { is: "conflict" | "refused"; message: string; reply: Reply }
  | { is: "unreachable" } // no answer, or one that is not the server's
  | { is: "later" } // the server lives and cannot take it now
  | { is: "signIn" }
  | { is: "otherPerson" }; // the server takes it from its own person only

type Settled = Extract<Outcome, { reply: Reply }>;

export interface Result {
  state: "sent" | "kept" | "conflict" | "refused";
  message?: string;
  reply?: Reply;
}

export interface Store {
  /** Returns when the entry would survive a dead battery. Sets `seq`. */
  add(entry: Entry): Promise<void>;
  put(entry: Entry): Promise<void>;
  remove(entry: Entry): Promise<void>;
  all(): Promise<Entry[]>;
}

export interface Parts {
  store: Store;
  send(entry: Entry): Promise<Outcome>;
  /** Is the server there? Asked when nothing waits that would tell. */
  probe(): Promise<boolean>;
  /** Runs `work` while no other tab does. */
  alone(work: () => Promise<void>): Promise<void>;
  now(): number;
  /** Calls back after `ms`; returns what cancels it. */
  after(ms: number, call: () => void): () => void;
  changed(): void;
}

export const FIRST_PAUSE_MS = 5_000;
export const LONGEST_PAUSE_MS = 60_000;
export const PATIENCE_MS = 8_000;
export const PATIENCE_OFFLINE_MS = 1_500;
const KEEP_SENT_MS = 24 * 3_600_000; // cached lists still show the task
const KEEP_SEEN_MS = 30 * 24 * 3_600_000;

export class Outbox {
  online = true;
  needsSignIn = false;
  readonly ofOthers = new Set<string>(); // keys that wait for their own person
  private failures = 0;
  private running: Promise<void> | undefined;
  private asked = 0;
  private cancelTimer: (() => void) | undefined;

  constructor(private readonly parts: Parts) {}

  /** Stores first, then sends; what is stored is sent sooner or later. */
  async sendOrKeep(wanted: NewEntry): Promise<Result> {
    const { store } = this.parts;
    const known = (await store.all()).find((one) => isTwin(one, wanted));
    let entry: Entry;
    if (known && known.state !== "refused") entry = known;
    else {
      entry = {
        taskName: "",
        order: "",
        ...wanted,
        ...(known?.seq === undefined ? {} : { seq: known.seq }),
        attempts: 0,
        state: "waiting",
      };
      await (known ? store.put(entry) : store.add(entry));
      this.parts.changed();
    }
    if (entry.state === "waiting") await this.flushFor(this.patience());
    const now = (await store.all()).find((one) => one.key === entry.key) ?? entry;
    return resultOf(now);
  }

  /** Sends what waits, in order for each task. One flush at a time. */
  flush(): Promise<void> {
    this.asked += 1;
    if (!this.running)
      this.running = this.passes().finally(() => {
        this.running = undefined;
      });
    return this.running;
  }

  /** Something gives hope: the network is back, the page is looked at, a sign-in. */
  async wake(): Promise<void> {
    this.failures = 0;
    await this.tick();
  }

  stop(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
  }

  lostNetwork(): void {
    this.setOnline(false);
    this.schedule();
  }

  async retry(key: string): Promise<void> {
    await this.change(key, (entry) => {
      entry.state = "waiting";
      delete entry.message;
      delete entry.reply;
    });
    await this.wake();
  }

  async dismiss(key: string): Promise<void> {
    await this.change(key, (entry) => {
      entry.seen = true;
    });
  }

  private async tick(): Promise<void> {
    this.stop();
    await this.flush();
    const entries = await this.parts.store.all();
    const waiting = entries.some((one) => one.state === "waiting");
    if (!waiting && !this.online) this.setOnline(await this.parts.probe());
    if (waiting || !this.online) this.schedule();
    await this.prune(entries);
  }

  private schedule(): void {
    this.stop();
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.failures, LONGEST_PAUSE_MS);
    this.failures += 1;
    this.cancelTimer = this.parts.after(pause, () => void this.tick());
  }

  private async flushFor(patience: number): Promise<void> {
    let cancel: (() => void) | undefined;
    const enough = new Promise<void>((resolve) => {
      cancel = this.parts.after(patience, resolve);
    });
    await Promise.race([this.flush(), enough]);
    cancel?.();
    if (!this.cancelTimer) this.schedule();
  }

  // Where nothing has come through lately, a worker should not wait at every tap.
  private patience(): number {
    return this.online ? PATIENCE_MS : PATIENCE_OFFLINE_MS;
  }

  private async passes(): Promise<void> {
    for (let served = -1; served !== this.asked; ) {
      served = this.asked; // what is added from now on needs another pass
      await this.parts.alone(() => this.pass());
      // Hope that came while this pass failed is not forgotten: it gets a pass too.
      if (this.needsSignIn) return;
    }
  }

  private async pass(): Promise<void> {
    const { store } = this.parts;
    const blocked = new Set<string>();
    this.needsSignIn = false;
    for (const entry of await store.all()) {
      if (entry.state !== "waiting" || blocked.has(entry.task)) continue;
      const outcome = await this.parts.send(entry);
      this.setOnline(outcome.is !== "unreachable");
      this.ofOthers.delete(entry.key);
      entry.attempts += 1;
      if ("reply" in outcome) this.settle(entry, outcome);
      else blocked.add(entry.task);
      await store.put(entry);
      if (outcome.is === "otherPerson") this.ofOthers.add(entry.key);
      if (outcome.is === "signIn") this.needsSignIn = true;
      this.parts.changed();
      if (outcome.is === "unreachable" || outcome.is === "signIn") return;
    }
  }

  private settle(entry: Entry, outcome: Settled): void {
    entry.settledAt = this.parts.now();
    entry.reply = outcome.reply;
    this.failures = 0;
    if (outcome.is === "taken") {
      entry.state = "sent";
      entry.body = null; // photos need room
    } else {
      entry.state = outcome.is;
      entry.message = outcome.message;
    }
  }

  private async change(key: string, edit: (entry: Entry) => void): Promise<void> {
    const entry = (await this.parts.store.all()).find((one) => one.key === key);
    if (!entry) return;
    edit(entry);
    await this.parts.store.put(entry);
    this.parts.changed();
  }

  private async prune(entries: Entry[]): Promise<void> {
    const now = this.parts.now();
    for (const entry of entries) {
      const age = now - (entry.settledAt ?? now);
      const old = entry.state === "sent" ? age > KEEP_SENT_MS : age > KEEP_SEEN_MS;
      if (old && (entry.state === "sent" || entry.seen))
        await this.parts.store.remove(entry);
    }
  }

  private setOnline(online: boolean): void {
    if (online === this.online) return;
    this.online = online;
    this.parts.changed();
  }
}

// A second tap on the same button is the same confirmation.
function isTwin(entry: Entry, wanted: NewEntry): boolean {
  if (entry.key === wanted.key) return true;
  return (
    entry.state === "waiting" &&
    entry.task === wanted.task &&
    entry.kind === wanted.kind &&
    entry.answeredBy === wanted.answeredBy &&
    JSON.stringify(entry.body) === JSON.stringify(wanted.body)
  );
}

function resultOf({ state, message, reply }: Entry): Result {
  return {
    state: state === "waiting" ? "kept" : state,
    ...(message === undefined ? {} : { message }),
    ...(reply === undefined ? {} : { reply }),
  };
}
