// What has been typed into a form is kept field by field: on this tablet at once, on
// the server when the fingers rest, so that another tablet can go on with it.

import { database, type LocalDraft } from "./device_db.js";
import { newer, type ServerDraft } from "./draft_rules.js";
import { currentPerson } from "./outbox.js";

export type { ServerDraft };

const REST_MS = 600;

export class Drafts {
  private readonly waiting = new Map<string, LocalDraft>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(
    private readonly task: string,
    private readonly person = currentPerson(),
  ) {
    addEventListener("pagehide", () => void this.push());
    addEventListener("online", () => void this.push());
  }

  /** Values by field, to fill the form with when it opens. */
  async load(server: Record<string, ServerDraft> = {}): Promise<Record<string, unknown>> {
    const local = await this.local();
    const found: Record<string, unknown> = {};
    for (const field of new Set([...local.keys(), ...Object.keys(server)]))
      found[field] = newer(local.get(field), server[field]);
    for (const draft of local.values())
      if (!draft.saved && found[draft.field] === draft.value)
        this.waiting.set(draft.field, draft);
    if (this.waiting.size > 0) this.rest();
    return found;
  }

  async save(field: string, value: unknown): Promise<void> {
    if (this.closed) return;
    const { task, person } = this;
    const draft = { person, task, field, value, at: Date.now(), saved: false };
    this.waiting.set(field, draft);
    this.rest();
    await this.keep(draft);
  }

  /** The answer is on its way; a draft would only come back to haunt it. */
  async clear(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    this.waiting.clear();
    try {
      await (await database()).delete("drafts", this.range());
    } catch {
      // Without a database there was nothing to clear.
    }
  }

  private rest(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.push(), REST_MS);
  }

  private async push(): Promise<void> {
    const sent = [...this.waiting.values()];
    if (sent.length === 0 || this.closed) return;
    const fields = Object.fromEntries(sent.map((one) => [one.field, one.value]));
    const body = JSON.stringify({ fields });
    try {
      const response = await fetch(`/tasks/${this.task}/draft`, {
        method: "PUT",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        redirect: "manual",
        keepalive: body.length < 60_000, // browsers allow 64 KiB
        body,
      });
      if (!response.ok) return;
    } catch {
      return; // kept here; the next change or the network's return tries again
    }
    for (const draft of sent) {
      if (this.waiting.get(draft.field) !== draft) continue;
      this.waiting.delete(draft.field);
      await this.keep({ ...draft, saved: true });
    }
  }

  private async keep(draft: LocalDraft): Promise<void> {
    try {
      if (!this.closed) await (await database()).put("drafts", draft);
    } catch (failure) {
      console.warn(failure);
    }
  }

  private async local(): Promise<Map<string, LocalDraft>> {
    try {
      const found = await (await database()).getAll("drafts", this.range());
      return new Map(found.map((one) => [one.field, one]));
    } catch {
      return new Map();
    }
  }

  private range(): IDBKeyRange {
    const { person, task } = this;
    return IDBKeyRange.bound([person, task, ""], [person, task, "\uffff"]);
  }
}
