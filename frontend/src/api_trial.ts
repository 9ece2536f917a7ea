/**
 * An operation of the API tried on its own page, with the rights of whoever reads it:
 * reading with the session of the browser, changing with a token, which stays on the page.
 */
import { t } from "./texts.js";

const LONGEST = 20_000;
let token = "";

function labelled(label: string, input: HTMLElement, hint = ""): HTMLElement {
  const row = document.createElement("label");
  row.className = "field";
  const name = document.createElement("span");
  name.className = "field-label";
  name.textContent = label;
  row.append(name);
  if (hint) {
    const told = document.createElement("span");
    told.className = "field-hint";
    told.textContent = hint;
    row.append(told);
  }
  row.append(input);
  return row;
}

function line(name: string, required: boolean): HTMLInputElement {
  const input = document.createElement("input");
  input.className = "input";
  input.name = name;
  input.required = required;
  input.autocomplete = "off";
  input.spellcheck = false;
  return input;
}

class Trial {
  readonly #fields: [HTMLInputElement, string][] = [];
  readonly #body = document.createElement("textarea");
  readonly #token = line("token", true);
  readonly #said = document.createElement("div");
  readonly #method: string;
  readonly #path: string;

  constructor(private readonly card: HTMLDetailsElement) {
    this.#method = card.dataset["method"] ?? "GET";
    this.#path = card.dataset["path"] ?? "";
  }

  form(): HTMLElement {
    const form = document.createElement("form");
    form.className = "stack api-trial";
    const title = document.createElement("h3");
    title.textContent = t("Try it");
    form.append(title);
    for (const row of this.card.querySelectorAll<HTMLElement>("[data-field]")) {
      const name = row.dataset["field"] ?? "";
      const input = line(name, row.dataset["required"] !== undefined);
      this.#fields.push([input, row.dataset["where"] ?? "query"]);
      form.append(labelled(name, input));
    }
    const sample = this.card.dataset["body"];
    if (sample !== undefined) {
      this.#body.className = "input";
      this.#body.rows = Math.min(sample.split("\n").length + 1, 14);
      this.#body.spellcheck = false;
      this.#body.value = sample;
      form.append(labelled(t("Body (JSON)"), this.#body));
    }
    if (this.#method !== "GET") {
      this.#token.type = "password";
      this.#token.value = token;
      const hint = t("What changes something needs a token; it is kept on this page only.");
      form.append(labelled(t("API token"), this.#token, hint));
    }
    const send = document.createElement("button");
    send.className = "button";
    send.textContent = t("Send the request");
    this.#said.setAttribute("role", "status");
    form.append(send, this.#said);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#send();
    });
    return form;
  }

  async #send(): Promise<void> {
    this.#tell(t("Sending …"), "");
    const headers: Record<string, string> = { Accept: "application/json" };
    if (this.#method !== "GET") {
      token = this.#token.value.trim();
      headers["Authorization"] = `Bearer ${token}`;
      headers["Idempotency-Key"] = newKey();
    }
    const sends = this.card.dataset["body"] !== undefined;
    if (sends) headers["Content-Type"] = "application/json";
    try {
      const answer = await fetch(this.#address(), {
        method: this.#method,
        headers,
        ...(sends ? { body: this.#body.value } : {}),
      });
      this.#tell(`${String(answer.status)} ${answer.statusText}`, readable(await answer.text()));
    } catch (failure) {
      this.#tell(t("no connection"), String(failure));
    }
  }

  #address(): string {
    const query = new URLSearchParams();
    let path = this.#path;
    for (const [input, where] of this.#fields) {
      if (where === "path")
        path = path.replace(`{${input.name}}`, encodeURIComponent(input.value.trim()));
      else if (input.value.trim()) query.set(input.name, input.value.trim());
    }
    const asked = query.toString();
    return asked ? `${path}?${asked}` : path;
  }

  #tell(status: string, text: string): void {
    const head = document.createElement("p");
    head.className = "api-status";
    head.textContent = status;
    const body = document.createElement("pre");
    body.tabIndex = 0;
    body.hidden = text === "";
    body.textContent = text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
    this.#said.replaceChildren(head, body);
  }
}

/** Also from an address that is not secure, where there is no randomUUID. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Once a card. */
export function offerTrial(card: HTMLDetailsElement): void {
  if (card.querySelector(".api-trial")) return;
  card.querySelector(".api-body")?.append(new Trial(card).form());
}
