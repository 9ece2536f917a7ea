/**
 * The pages about models: a line of a list and its place on the drawing show each other,
 * older versions unfold, and a form in its preview behaves as on a tablet.
 */
import { enhanceForm } from "./fields/index.js";

function rows(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-show=marks] [data-element]")];
}

function choose(id: string): HTMLElement[] {
  const chosen = rows().filter((row) => {
    const is = row.dataset["element"] === id;
    if (is) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
    return is;
  });
  document.body.dispatchEvent(new CustomEvent("cockpit:marked"));
  return chosen;
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element)) return;
  const look = event.target.closest<HTMLElement>("[data-look]")?.dataset["look"];
  if (look) {
    choose(look);
    document.body.dispatchEvent(new CustomEvent("cockpit:look", { detail: look }));
  }
  const unfold = event.target.closest<HTMLElement>("[data-unfold]");
  if (unfold) {
    const older = document.getElementById(unfold.dataset["unfold"] ?? "");
    const open = older?.hasAttribute("hidden") ?? false;
    older?.toggleAttribute("hidden", !open);
    unfold.setAttribute("aria-expanded", String(open));
  }
});

document.body.addEventListener("cockpit:choose", (event) => {
  const [first] = choose((event as CustomEvent<string>).detail);
  first?.querySelector<HTMLElement>("[data-look]")?.focus();
});

for (const preview of document.querySelectorAll<HTMLElement>("[data-preview]"))
  enhanceForm(preview);
