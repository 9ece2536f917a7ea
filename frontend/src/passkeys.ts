// Passkeys: the browser asks the device, the server decides.

import { t } from "./texts.js";

type Json = Record<string, unknown>;

interface Parsing {
  parseCreationOptionsFromJSON(options: unknown): PublicKeyCredentialCreationOptions;
  parseRequestOptionsFromJSON(options: unknown): PublicKeyCredentialRequestOptions;
}

function parsing(): Parsing | undefined {
  const known = (globalThis as { PublicKeyCredential?: Partial<Parsing> }).PublicKeyCredential;
  return known && "parseCreationOptionsFromJSON" in known ? (known as Parsing) : undefined;
}

function said(credential: Credential | null): Json {
  return (credential as PublicKeyCredential).toJSON() as unknown as Json;
}

function textOf(told: Json): string {
  const found = told["error"] ?? told["detail"] ?? told["next"];
  return typeof found === "string" ? found : "";
}

async function post(path: string, body?: BodyInit): Promise<Json> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (typeof body === "string") headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method: "POST", headers, ...(body ? { body } : {}) });
  const told = (await answer.json()) as Json;
  if (!answer.ok) throw new Error(textOf(told) || String(answer.status));
  return told;
}

async function orTell(problem: HTMLElement | null, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (failure) {
    if (!problem) return;
    const quiet = failure instanceof DOMException; // the person has closed the dialogue
    problem.textContent = quiet
      ? t("The device did not show a passkey.")
      : (failure as Error).message;
    problem.hidden = false;
  }
}

function offerToShow(button: HTMLButtonElement, parser: Parsing): void {
  const problem = document.getElementById("problem");
  button.hidden = false;
  button.addEventListener("click", () =>
    void orTell(problem, async () => {
      const { publicKey } = await post("/login/second/passkey/ask");
      const shown = await navigator.credentials.get({
        publicKey: parser.parseRequestOptionsFromJSON(publicKey),
      });
      const next = encodeURIComponent(button.dataset["next"] ?? "/");
      const path = `/login/second/passkey?next=${next}`;
      location.assign(textOf(await post(path, JSON.stringify(said(shown)))));
    }),
  );
}

function offerToAdd(form: HTMLFormElement, parser: Parsing): void {
  const problem = document.getElementById("second-wrong");
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = new FormData(form);
    void orTell(problem, async () => {
      const { options, token } = await post("/me/second/passkey/offer", typed);
      const made = await navigator.credentials.create({
        publicKey: parser.parseCreationOptionsFromJSON((options as Json)["publicKey"]),
      });
      const body = { token, said: said(made), name: typed.get("name") };
      location.assign(textOf(await post("/me/second/passkey", JSON.stringify(body))));
      location.reload(); // the address may be the same but for its last part
    });
  });
}

const parser = parsing();
if (parser) {
  const button = document.querySelector<HTMLButtonElement>("[data-show-passkey]");
  if (button) offerToShow(button, parser);
  const form = document.querySelector<HTMLFormElement>("[data-add-passkey]");
  if (form) offerToAdd(form, parser);
}
