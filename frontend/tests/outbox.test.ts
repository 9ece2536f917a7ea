// Hours without Wi-Fi in a second: the outbox against a server, a clock and tabs of ours.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  LONGEST_PAUSE_MS,
  Outbox,
  type Entry,
  type NewEntry,
  type Outcome,
  type Store,
} from "../src/outbox_core.js";
import { newer } from "../src/draft_rules.js";
import { send } from "../src/outbox_wire.js";
import { filesOf, imagesOf, isKept, changesPerson, personOf } from "../src/sw_pages.js";
import { wanted } from "../src/prefetch_rules.js";

/** The disk: outlives every tab. */
class Disk implements Store {
  readonly rows = new Map<number, Entry>();
  private last = 0;
  full = false;
  add(entry: Entry): Promise<void> {
    if (this.full) return Promise.reject(new Error("no room"));
    entry.seq = ++this.last;
    return this.put(entry);
  }
  put(entry: Entry): Promise<void> {
    this.rows.set(entry.seq!, structuredClone(entry));
    return Promise.resolve();
  }
  remove(entry: Entry): Promise<void> {
    this.rows.delete(entry.seq!);
    return Promise.resolve();
  }
  all(): Promise<Entry[]> {
    return Promise.resolve([...this.rows.values()].map((row) => structuredClone(row)));
  }
  states(): string[] {
    return [...this.rows.values()].map((row) => `${row.task} ${row.state}`);
  }
}

/** Time stands still until a test moves it. */
class Clock {
  now = 0;
  private timers: { at: number; call: () => void }[] = [];
  after(ms: number, call: () => void): () => void {
    const timer = { at: this.now + ms, call };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((one) => one !== timer);
    };
  }
  pauses(): number[] {
    return this.timers.map((one) => one.at - this.now);
  }
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      const due = this.timers.filter((one) => one.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.now = due.at;
      this.timers = this.timers.filter((one) => one !== due);
      due.call();
      await settled();
    }
    this.now = end;
    await settled();
  }
}

/** Takes each key once, as the real one does. */
class Server {
  readonly taken: Entry[] = [];
  readonly asked: string[] = [];
  answer: (entry: Entry) => Outcome | undefined = () => undefined;
  losesAnswers = 0;
  up = true;
  atOnce = 0;
  mostAtOnce = 0;
  async send(entry: Entry): Promise<Outcome> {
    this.asked.push(entry.key);
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    await settled(3);
    this.atOnce -= 1;
    if (!this.up) return { is: "unreachable" };
    const other = this.answer(entry);
    if (other) return other;
    const already = this.taken.some((one) => one.key === entry.key);
    if (!already) this.taken.push(structuredClone(entry));
    if (this.losesAnswers-- > 0) return { is: "unreachable" };
    return { is: "taken", reply: { state: already ? "already" : "done" } };
  }
}

class Lock {
  private queue: Promise<void> = Promise.resolve();
  alone(work: () => Promise<void>): Promise<void> {
    const mine = this.queue.then(work);
    this.queue = mine.catch(() => undefined);
    return mine;
  }
}

async function settled(rounds = 200): Promise<void> {
  for (let i = 0; i < rounds; i++) await Promise.resolve();
}

class World {
  disk = new Disk();
  clock = new Clock();
  server = new Server();
  lock = new Lock();
  tab(): Outbox {
    return new Outbox({
      store: this.disk,
      send: (entry) => this.server.send(entry),
      probe: () => Promise.resolve(this.server.up),
      alone: (work) => this.lock.alone(work),
      now: () => this.clock.now,
      after: (ms, call) => this.clock.after(ms, call),
      changed: () => undefined,
    });
  }
}

let count = 0;
function answer(task: string, value: unknown = ++count): NewEntry {
  return {
    key: `key-${++count}`,
    kind: "answer",
    task,
    body: { answers: { value } },
    answeredBy: "ana",
    deviceAt: "2026-03-01T08:00:00.000Z",
  };
}

test("with network an answer is sent at once", async () => {
  const world = new World();
  const result = await world.tab().sendOrKeep(answer("a"));
  assert.equal(result.state, "sent");
  assert.deepEqual(result.reply, { state: "done" });
  assert.deepEqual(world.disk.states(), ["a sent"]);
});

test("without network an answer is kept and sent when the network is back", async () => {
  const world = new World();
  const tab = world.tab();
  world.server.up = false;
  assert.equal((await tab.sendOrKeep(answer("a"))).state, "kept");
  assert.equal(tab.online, false);
  world.server.up = true;
  await tab.wake();
  assert.deepEqual(world.disk.states(), ["a sent"]);
  assert.equal(tab.online, true);
});

test("hope that comes while a try fails leads to another try at once", async () => {
  const world = new World();
  const tab = world.tab();
  world.server.up = false;
  assert.equal((await tab.sendOrKeep(answer("a"))).state, "kept");
  const usual = world.server.send.bind(world.server);
  let fail = (): void => undefined;
  world.server.send = () =>
    new Promise((resolve) => {
      fail = () => {
        world.server.send = usual;
        resolve({ is: "unreachable" });
      };
    });
  const first = tab.wake();
  await settled();
  world.server.up = true;
  const second = tab.wake();
  fail();
  await Promise.all([first, second]);
  assert.deepEqual(world.disk.states(), ["a sent"]);
});

test("a lost answer of the server leads to the same key again and one taking", async () => {
  const world = new World();
  const tab = world.tab();
  world.server.losesAnswers = 1;
  const wish = answer("a");
  assert.equal((await tab.sendOrKeep(wish)).state, "kept");
  await tab.wake();
  assert.deepEqual(world.server.asked, [wish.key, wish.key]);
  assert.equal(world.server.taken.length, 1);
  assert.deepEqual(world.disk.states(), ["a sent"]);
});

test("an entry is on the disk before it is sent, so a killed tab loses nothing", async () => {
  const world = new World();
  const wish = answer("a");
  let stored: string[] = [];
  const dying = new Outbox({
    store: world.disk,
    send: () => {
      stored = world.disk.states();
      return new Promise(() => undefined); // the battery is empty
    },
    probe: () => Promise.resolve(false),
    alone: (work) => work(), // a lock ends with its tab
    now: () => 0,
    after: () => () => undefined,
    changed: () => undefined,
  });
  void dying.sendOrKeep(wish);
  await settled();
  assert.deepEqual(stored, ["a waiting"]);
  const next = world.tab();
  await next.wake();
  assert.deepEqual(world.server.taken.map((one) => one.key), [wish.key]);
});

test("a store without room is said, never called kept", async () => {
  const world = new World();
  world.disk.full = true;
  await assert.rejects(world.tab().sendOrKeep(answer("a")), /no room/);
});

test("after 30 minutes without network all is sent in order and once", async () => {
  const world = new World();
  const tab = world.tab();
  world.server.up = false;
  const keys: string[] = [];
  for (let minute = 0; minute < 30; minute++) {
    for (const wish of [answer(`task-${minute % 4}`), answer(`task-${minute % 4}`)]) {
      keys.push(wish.key);
      assert.equal((await tab.sendOrKeep(wish)).state, "kept");
    }
    await world.clock.pass(60_000);
  }
  assert.equal(world.server.taken.length, 0);
  world.server.up = true;
  await world.clock.pass(2 * LONGEST_PAUSE_MS); // no event tells: the timer must do
  assert.deepEqual(world.server.taken.map((one) => one.key), keys);
  assert.ok(world.disk.states().every((state) => state.endsWith("sent")));
});

test("tries become rarer without network, down to one a minute", async () => {
  const world = new World();
  const tab = world.tab();
  world.server.up = false;
  await tab.sendOrKeep(answer("a"));
  const pauses: number[] = [];
  for (let i = 0; i < 6; i++) {
    pauses.push(world.clock.pauses()[0]!);
    await world.clock.pass(world.clock.pauses()[0]!);
  }
  assert.deepEqual(pauses, [5000, 10000, 20000, 40000, 60000, 60000]);
});

test("where nobody is signed in entries wait for the sign-in", async () => {
  const world = new World();
  const tab = world.tab();
  world.server.answer = () => ({ is: "signIn" });
  assert.equal((await tab.sendOrKeep(answer("a"))).state, "kept");
  await tab.sendOrKeep(answer("b"));
  assert.equal(tab.needsSignIn, true);
  assert.equal(tab.online, true);
  world.server.answer = () => undefined;
  const afterSignIn = world.tab();
  await afterSignIn.wake();
  assert.deepEqual(world.server.taken.map((one) => one.task), ["a", "b"]);
  assert.equal(afterSignIn.needsSignIn, false);
});

test("a refused answer stays, is told, and holds up nobody", async () => {
  const world = new World();
  const tab = world.tab();
  const refusal = { is: "refused", message: "too heavy", reply: {} } as const;
  world.server.answer = (entry) => (entry.task === "a" ? refusal : undefined);
  const result = await tab.sendOrKeep(answer("a"));
  assert.deepEqual([result.state, result.message], ["refused", "too heavy"]);
  await tab.sendOrKeep(answer("b"));
  await world.clock.pass(40 * 24 * 3_600_000);
  await tab.wake();
  assert.deepEqual(world.disk.states(), ["a refused"]);
});

test("a refused answer can be sent again and, once read, goes after a month", async () => {
  const world = new World();
  const tab = world.tab();
  world.server.answer = () => ({ is: "refused", message: "no", reply: {} });
  const wish = answer("a");
  await tab.sendOrKeep(wish);
  await tab.retry(wish.key);
  assert.deepEqual(world.server.asked, [wish.key, wish.key]);
  await tab.dismiss(wish.key);
  await world.clock.pass(31 * 24 * 3_600_000);
  await tab.wake();
  assert.deepEqual(world.disk.states(), []);
});

test("a corrected form may use the key of the refused one", async () => {
  const world = new World();
  const tab = world.tab();
  world.server.answer = () => ({ is: "refused", message: "no", reply: {} });
  const wish = answer("a");
  await tab.sendOrKeep(wish);
  world.server.answer = () => undefined;
  const corrected = { ...wish, body: { answers: { value: "right" } } };
  assert.equal((await tab.sendOrKeep(corrected)).state, "sent");
  assert.deepEqual(world.server.taken.map((one) => one.body), [corrected.body]);
  assert.deepEqual(world.disk.states(), ["a sent"]);
});

test("a conflict is told and not sent again", async () => {
  const world = new World();
  const tab = world.tab();
  world.server.answer = () => ({ is: "conflict", message: "Bob was faster", reply: {} });
  const result = await tab.sendOrKeep(answer("a"));
  assert.deepEqual([result.state, result.message], ["conflict", "Bob was faster"]);
  await tab.wake();
  assert.equal(world.server.asked.length, 1);
});

test("a second tap is the same confirmation", async () => {
  const world = new World();
  const tab = world.tab();
  world.server.up = false;
  await tab.sendOrKeep(answer("a", "same"));
  await tab.sendOrKeep(answer("a", "same"));
  assert.equal(world.disk.rows.size, 1);
});

test("a busy order holds up its own task only, and the order of its entries", async () => {
  const world = new World();
  const tab = world.tab();
  let busy = true;
  world.server.answer = (entry) =>
    busy && entry.task === "a" ? { is: "later" } : undefined;
  await tab.sendOrKeep(answer("a", "first"));
  await tab.sendOrKeep(answer("a", "second"));
  await tab.sendOrKeep(answer("b", "third"));
  assert.deepEqual(world.server.taken.map((one) => one.task), ["b"]);
  busy = false;
  await world.clock.pass(LONGEST_PAUSE_MS);
  const values = world.server.taken.map(
    (one) => (one.body as { answers: { value: string } }).answers.value,
  );
  assert.deepEqual(values, ["third", "first", "second"]);
});

test("what belongs to somebody else waits for that person and holds up nobody", async () => {
  const world = new World();
  const tab = world.tab();
  world.server.answer = (entry) =>
    entry.answeredBy === "ana" ? { is: "otherPerson" } : undefined;
  const hers = answer("a");
  await tab.sendOrKeep(hers);
  await tab.sendOrKeep({ ...answer("b"), answeredBy: "bob" });
  assert.deepEqual(world.disk.states(), ["a waiting", "b sent"]);
  assert.deepEqual([...tab.ofOthers], [hers.key]);
  world.server.answer = () => undefined;
  await tab.wake();
  assert.deepEqual(world.disk.states(), ["a sent", "b sent"]);
  assert.equal(tab.ofOthers.size, 0);
});

test("two tabs send one after the other and each entry once", async () => {
  const world = new World();
  const [one, two] = [world.tab(), world.tab()];
  world.server.up = false;
  for (const task of ["a", "b", "c"]) await one.sendOrKeep(answer(task));
  await two.sendOrKeep(answer("d"));
  world.server.up = true;
  world.server.asked.length = 0;
  await Promise.all([one.wake(), two.wake(), one.flush(), two.flush()]);
  assert.equal(world.server.mostAtOnce, 1);
  assert.equal(world.server.asked.length, 4);
  assert.deepEqual(world.server.taken.map((row) => row.task), ["a", "b", "c", "d"]);
});

test("an entry that comes while another is sent goes right after it", async () => {
  const world = new World();
  const tab = world.tab();
  const results = await Promise.all([
    tab.sendOrKeep(answer("a")),
    tab.sendOrKeep(answer("b")),
  ]);
  assert.deepEqual(results.map((result) => result.state), ["sent", "sent"]);
});

test("a server that never answers makes a worker wait 8 s, later 1.5 s", async () => {
  const world = new World();
  const tab = new Outbox({
    store: world.disk,
    send: () => new Promise(() => undefined),
    probe: () => Promise.resolve(false),
    alone: (work) => world.lock.alone(work),
    now: () => world.clock.now,
    after: (ms, call) => world.clock.after(ms, call),
    changed: () => undefined,
  });
  const first = tab.sendOrKeep(answer("a"));
  await settled();
  assert.deepEqual(world.clock.pauses(), [8000]);
  await world.clock.pass(8000);
  assert.equal((await first).state, "kept");
  tab.lostNetwork();
  const second = tab.sendOrKeep(answer("b"));
  await settled();
  assert.equal(Math.min(...world.clock.pauses()), 1500);
  await world.clock.pass(1500);
  assert.equal((await second).state, "kept");
});

test("without anything to send the network's return is found by asking", async () => {
  const world = new World();
  const tab = world.tab();
  world.server.up = false;
  tab.lostNetwork();
  await world.clock.pass(5_000);
  assert.equal(tab.online, false);
  world.server.up = true;
  await world.clock.pass(LONGEST_PAUSE_MS);
  assert.equal(tab.online, true);
  assert.deepEqual(world.clock.pauses(), []);
});

test("what was sent is remembered for a day, for lists that are older", async () => {
  const world = new World();
  const tab = world.tab();
  await tab.sendOrKeep(answer("a"));
  assert.equal([...world.disk.rows.values()][0]!.body, null);
  await world.clock.pass(25 * 3_600_000);
  await tab.wake();
  assert.equal(world.disk.rows.size, 0);
});

// -- the wire ---------------------------------------------------------------------------

const ENTRY: Entry = {
  ...answer("7a"),
  key: "k",
  body: { answers: { kg: 3 } },
  taskName: "",
  order: "",
  attempts: 0,
  state: "waiting",
};

function json(status: number, body: unknown, headers: HeadersInit = {}): Response {
  return Response.json(body, { status, headers });
}

async function outcome(response: Response, person = "ana"): Promise<string> {
  const fetched = () => Promise.resolve(response);
  return (await send({ fetch: fetched, person: () => person }, ENTRY)).is;
}

test("an entry goes out with its key, its time, its person and its body", async () => {
  let seen: [string, RequestInit] | undefined;
  const fetched = (url: unknown, init?: RequestInit): Promise<Response> => {
    seen = [url as string, init!];
    return Promise.resolve(json(200, { state: "done" }));
  };
  await send({ fetch: fetched as typeof fetch, person: () => "ana" }, ENTRY);
  assert.equal(seen![0], "/tasks/7a/answer");
  assert.equal(seen![1].method, "POST");
  assert.deepEqual(JSON.parse(seen![1].body as string), {
    answers: { kg: 3 },
    key: "k",
    device_at: ENTRY.deviceAt,
    answered_by: "ana",
  });
});

test("each answer of a server has one meaning", async () => {
  assert.equal(await outcome(json(200, { state: "done" })), "taken");
  assert.equal(await outcome(json(200, { state: "already" })), "taken");
  assert.equal(await outcome(json(200, { state: "conflict" })), "conflict");
  assert.equal(await outcome(json(401, {})), "signIn");
  assert.equal(await outcome(new Response(null, { status: 303 })), "signIn");
  assert.equal(await outcome(json(409, { error: "taken by Bob" })), "refused");
  assert.equal(await outcome(json(409, { retry: true })), "later");
  assert.equal(await outcome(json(409, {}, { "Retry-After": "1" })), "later");
  assert.equal(await outcome(json(422, { cause: "DatabaseAway" })), "later");
  assert.equal(await outcome(json(422, { error: "too heavy" })), "refused");
  assert.equal(await outcome(json(404, { error: "gone" })), "refused");
  assert.equal(await outcome(json(403, { detail: "no" })), "refused");
  assert.equal(await outcome(json(403, { detail: "no" }), "bob"), "otherPerson");
  assert.equal(await outcome(json(429, {})), "later");
  assert.equal(await outcome(json(500, {})), "later");
  assert.equal(await outcome(new Response("Bad gateway", { status: 502 })), "unreachable");
});

test("the login page of a hotspot is no answer of ours", async () => {
  const headers = { "Content-Type": "text/html" };
  const page = (status: number) => new Response("<h1>Wi-Fi</h1>", { status, headers });
  assert.equal(await outcome(page(200)), "unreachable");
  assert.equal(await outcome(page(404)), "unreachable");
  assert.equal(await outcome(new Response("ok", { status: 200 })), "unreachable");
});

test("a server that stays silent is given up", async () => {
  const silent = ((_url: unknown, init?: RequestInit) =>
    new Promise((_resolve, reject) => {
      init!.signal!.addEventListener("abort", () => reject(new Error("aborted")));
    })) as typeof fetch;
  const wire = { fetch: silent, person: () => "ana", timeoutMs: 5 };
  assert.equal((await send(wire, ENTRY)).is, "unreachable");
});

// -- drafts, pages and what is fetched ahead ----------------------------------------------

test("the newer draft wins, and what the server has not got is newer", () => {
  const at = Date.parse("2026-03-01T08:00:00Z");
  const local = { value: "mine", at, saved: false };
  assert.equal(newer(undefined, undefined), undefined);
  assert.equal(newer(local, undefined), "mine");
  assert.equal(newer(undefined, { value: "theirs" }), "theirs");
  assert.equal(newer(local, { value: "theirs" }), "mine");
  assert.equal(newer({ ...local, saved: true }, { value: "theirs" }), "theirs");
  assert.equal(newer(local, { value: "theirs", at: "2026-03-01T08:00:01Z" }), "theirs");
  assert.equal(newer(local, { value: "theirs", at: "2026-03-01T07:59:59Z" }), "mine");
});

const ID = "0b9e4c9e-7a30-4f4f-9f62-0f6c0e3c1d1";

test("my tasks and the next three are fetched ahead, answered ones are not", () => {
  const rows = [1, 2, 3, 4, 5, 6].map((n) => ({ task: `${ID}${n}`, mine: n === 5 }));
  const paths = wanted([rows[4]!, ...rows], new Set([`${ID}2`]));
  assert.deepEqual(paths, [5, 1, 3, 4].map((n) => `/tasks/${ID}${n}`));
  assert.deepEqual(wanted([{ task: "../login", mine: true }], new Set()), []);
});

test("only the pages of tasks are kept", () => {
  assert.ok(isKept("/tasks"));
  assert.ok(isKept(`/tasks/${ID}1`));
  for (const path of ["/", "/login", "/orders", "/tasks/list", `/tasks/${ID}1/now`])
    assert.ok(!isKept(path), path);
});

test("sign-in, sign-out and a change of person are noticed", () => {
  for (const path of ["/login", "/login/pin", "/login/badge", "/logout", "/demo/worker"])
    assert.ok(changesPerson("POST", path), path);
  assert.ok(!changesPerson("GET", "/login"));
  assert.ok(!changesPerson("POST", `/tasks/${ID}1/answer`));
});

test("a page says whom it was made for", () => {
  assert.equal(personOf('<meta name="person" content="ana">'), "ana");
  assert.equal(personOf('<html lang="en"><title>Sign in</title>'), "");
  assert.equal(personOf('<html lang="en" data-role="worker"><p>'), undefined);
});

test("the files of a page are found, also those that scripts load later", () => {
  const html =
    '<script src="/static/main-0123456789.js"></script><link href="/static/main-abcdef0123.css">' +
    '<meta content="{&#34;a&#34;:&#34;/static/zxing_reader-aaaaaaaaaa.wasm&#34;}">' +
    '<meta content="/static/diagram-bbbbbbbbbb.js"><img class="x" src="/plan.png?a=1&amp;b=2">';
  assert.deepEqual(filesOf(html), [
    "/static/main-0123456789.js",
    "/static/main-abcdef0123.css",
    "/static/zxing_reader-aaaaaaaaaa.wasm",
  ]);
  assert.deepEqual(filesOf('import{a}from"./chunk-0123456789.js"'), [
    "/static/chunk-0123456789.js",
  ]);
  assert.deepEqual(imagesOf(html), ["/plan.png?a=1&b=2"]);
});
