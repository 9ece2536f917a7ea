// One entry on its way: how it is asked, and what each answer means. An answer counts
// as the server's only if it speaks JSON, because a hotspot's login page says 200 too.

import type { Entry, Outcome, Reply } from "./outbox_core.js";

export const SEND_TIMEOUT_MS = 8_000;

export interface Wire {
  fetch: typeof fetch;
  person(): string;
  timeoutMs?: number;
}

export async function send(wire: Wire, entry: Entry): Promise<Outcome> {
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), wire.timeoutMs ?? SEND_TIMEOUT_MS);
  try {
    const response = await wire.fetch(addressOf(entry), {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json",
        ...(entry.signature ? { "Entry-Signature": entry.signature } : {}),
      },
      credentials: "same-origin",
      redirect: "manual", // to the login page: fetch would follow and find a 200
      signal: aborter.signal,
      body: bodyOf(entry),
    });
    return await outcomeOf(response, entry, wire.person());
  } catch {
    return { is: "unreachable" };
  } finally {
    clearTimeout(timer);
  }
}

type Message = Pick<Entry, "kind" | "task" | "body" | "key"> &
  Pick<Entry, "deviceAt" | "answeredBy" | "signIn">;

/** What is signed: where the entry goes and all that it says. */
export function wordsOf(entry: Message): string {
  return `${addressOf(entry)}\n${bodyOf(entry)}`;
}

function addressOf(entry: Pick<Entry, "task" | "kind">): string {
  return `/tasks/${entry.task}/${entry.kind}`;
}

function bodyOf(entry: Message): string {
  return JSON.stringify({
    ...(entry.body as Record<string, unknown> | null),
    key: entry.key,
    device_at: entry.deviceAt,
    answered_by: entry.answeredBy,
    sign_in: entry.signIn,
  });
}

async function outcomeOf(response: Response, entry: Entry, person: string): Promise<Outcome> {
  const { status } = response;
  if (response.type === "opaqueredirect" || (status >= 300 && status < 400))
    return { is: "signIn" };
  if (status === 401) return { is: "signIn" };
  const type = response.headers.get("content-type") ?? "";
  const ours = type.includes("json");
  if (status === 408 || status === 425 || status === 429 || status >= 500)
    return ours || status < 500 ? { is: "later" } : { is: "unreachable" };
  if (type.includes("html")) return { is: "unreachable" };
  if (status < 300 && !ours) return { is: "unreachable" };
  const reply = ours ? ((await response.json()) as Reply) : {};
  const message = textOf(reply);
  if (reply["state"] === "conflict") return { is: "conflict", message, reply };
  if (status < 300) return { is: "taken", reply };
  if (response.headers.has("retry-after") || isPassing(reply)) return { is: "later" };
  if (status === 403 && entry.answeredBy !== person) return { is: "otherPerson" };
  return { is: "refused", message: message || String(status), reply };
}

function isPassing(reply: Reply): boolean {
  return reply["retry"] === true || reply["cause"] === "DatabaseAway";
}

function textOf(reply: Reply): string {
  const found = reply["error"] ?? reply["message"] ?? reply["detail"] ?? reply["title"];
  return typeof found === "string" ? found : "";
}
