// Topics that a step can name, offered while one types, and what is known of the one typed.

import { t } from "../texts.js";

export interface Topic {
  name: string;
  about: string;
  takes: Record<string, string>;
  gives: Record<string, string>;
  source: string;
  served: boolean | null;
}

export class Topics {
  readonly #known: Map<string, Topic>;

  constructor(topics: Topic[]) {
    this.#known = new Map(topics.map((one) => [one.name, one]));
  }

  offer(input: HTMLInputElement, row: HTMLElement): void {
    const list = document.createElement("datalist");
    list.id = `${input.id}-topics`;
    for (const one of this.#known.values())
      list.append(new Option(one.about || this.#origin(one), one.name));
    input.setAttribute("list", list.id);
    const box = document.createElement("div");
    box.className = "topic-about";
    box.setAttribute("role", "status");
    const show = (): void => this.#show(input.value.trim(), box);
    input.addEventListener("input", show);
    input.addEventListener("change", show);
    show();
    row.append(list, box);
  }

  #show(name: string, box: HTMLElement): void {
    const topic = this.#known.get(name);
    box.hidden = name === "";
    if (topic === undefined) {
      box.textContent = t("No worker is known that serves this topic.");
      return;
    }
    const parts = [paragraph(topic.about), variables(t("Takes"), topic.takes)];
    parts.push(variables(t("Gives"), topic.gives), paragraph(this.#origin(topic)));
    box.replaceChildren(...parts.filter((one) => one !== null));
  }

  #origin({ source, served }: Topic): string {
    const from = source ? t("From {source}", { source }) : t("Served by an external worker");
    return served === false ? `${from} · ${t("nobody serves it now")}` : from;
  }
}

function paragraph(text: string): HTMLElement | null {
  if (!text) return null;
  const made = document.createElement("p");
  made.textContent = text;
  return made;
}

function variables(title: string, named: Record<string, string>): HTMLElement | null {
  const names = Object.entries(named);
  if (names.length === 0) return null;
  const list = document.createElement("dl");
  for (const [name, meaning] of names) {
    const term = document.createElement("dt");
    term.textContent = name;
    const said = document.createElement("dd");
    said.textContent = meaning;
    list.append(term, said);
  }
  const box = document.createElement("div");
  const head = document.createElement("p");
  head.className = "topic-part";
  head.textContent = title;
  box.append(head, list);
  return box;
}
