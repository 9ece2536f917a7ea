// The key with which this tablet signs what the person who is signed in now answers.
//
// The server gives it once a sign-in, anew in its first minute: an answer may be lost.
// Scripts cannot read it back, and it is dropped when its person leaves: who comes later
// cannot write an entry for somebody before.

import { database } from "./device_db.js";

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };

function subtle(): SubtleCrypto | undefined {
  return (crypto as { subtle?: SubtleCrypto }).subtle; // in secure contexts only
}

/** Asks for the key of this sign-in, unless it is here. */
export async function fetchKey(signIn: string): Promise<void> {
  const maker = subtle();
  if (!maker || !signIn || (await keyOf(signIn))) return;
  const answer = await fetch("/me/entry-key", { method: "POST" });
  if (!answer.ok) return;
  const { key } = (await answer.json()) as { key?: string | null };
  if (!key) return;
  const bytes = Uint8Array.from(key.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const kept = await maker.importKey("raw", bytes, ALGORITHM, false, ["sign"]);
  const change = (await database()).transaction("entryKeys", "readwrite");
  await change.store.clear(); // of whoever was here before
  await change.store.put({ signIn, key: kept });
  await change.done;
}

export async function dropKeys(): Promise<void> {
  await (await database()).clear("entryKeys");
}

/** Of these words, if there is a key; without one an entry waits for its person. */
export async function signatureOf(
  signIn: string | undefined,
  words: string,
): Promise<string | undefined> {
  const key = signIn ? await keyOf(signIn) : undefined;
  if (!key) return undefined;
  const made = await subtle()!.sign("HMAC", key, new TextEncoder().encode(words));
  const bytes = Array.from(new Uint8Array(made));
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function keyOf(signIn: string): Promise<CryptoKey | undefined> {
  return (await (await database()).get("entryKeys", signIn))?.key;
}
