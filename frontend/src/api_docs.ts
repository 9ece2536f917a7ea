/** The page of the API: find operations while typing, copy examples, open what a link
 * names. Without scripts everything is there, closed and in order. */

import { t } from "./texts";
import { offerTrial } from "./api_trial.js";

const search = document.querySelector<HTMLInputElement>("#api-search");
const count = document.querySelector<HTMLElement>("#api-count");
const cards = [...document.querySelectorAll<HTMLDetailsElement>(".api-one")];
const parts = [...document.querySelectorAll<HTMLElement>(".api-part")];

function find(): void {
  const words = (search?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const card of cards) {
    const fits = words.every((word) => card.dataset.find?.includes(word));
    card.hidden = !fits;
    if (fits) shown += 1;
  }
  for (const part of parts) {
    const some = part.querySelector(".api-one:not([hidden])") !== null;
    part.hidden = !some;
    const link = document.querySelector<HTMLElement>(
      `.api-parts [data-part="${part.dataset.part}"]`,
    );
    if (link) link.hidden = !some;
  }
  if (count) count.textContent = t("{n} operations", { n: shown });
}

function openNamed(): void {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named instanceof HTMLDetailsElement) named.open = true;
  named?.scrollIntoView();
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const text = button.parentElement?.querySelector("code")?.textContent ?? "";
  await navigator.clipboard.writeText(text);
  if (button.lastChild) button.lastChild.textContent = t("Copied");
}

// Only pages from a secure address may write to the clipboard.
if ("clipboard" in navigator)
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => void copy(button));
  }

// Built when it is opened: 240 forms would make the page heavy for nothing.
for (const card of cards)
  card.addEventListener("toggle", () => {
    if (card.open) offerTrial(card);
  });

search?.addEventListener("input", find);
addEventListener("hashchange", openNamed);
if (location.hash) openNamed();
