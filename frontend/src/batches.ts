/**
 * Bulk actions. On the page of a process: instances are ticked, and stay ticked when
 * the list is fetched anew; actions open in a dialog. On their own pages: progress is
 * fetched again when something has changed, at most twice a second.
 */

const GAP_MS = 500;
const CHOOSING_MS = 250;
const BODY = "bulk-dialog-body";

// -- progress ------------------------------------------------------------------------

let lastAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

function refresh(): void {
  timer = undefined;
  lastAt = Date.now();
  document.body.dispatchEvent(new CustomEvent("batches:refresh"));
}

document.body.addEventListener("live:batches", () => {
  if (timer !== undefined) return;
  timer = setTimeout(refresh, Math.max(0, lastAt + GAP_MS - Date.now()));
});

// Whoever writes a reason must not lose it: what is open or typed stays as it is.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target } = (event as CustomEvent<{ target: Element }>).detail;
  if (target.id === "batch-now" && target.querySelector("details[open]") !== null)
    event.preventDefault();
});

// -- the dialog ----------------------------------------------------------------------

function dialog(): HTMLDialogElement | null {
  return document.querySelector<HTMLDialogElement>("#bulk-dialog");
}

document.addEventListener("htmx:afterSwap", (event) => {
  const target = (event as CustomEvent<{ target: Element }>).detail.target;
  const box = dialog();
  if (target.id !== BODY || box === null) return;
  const again = box.open;
  if (!again) box.showModal();
  const fields = [
    ...box.querySelectorAll<HTMLSelectElement | HTMLInputElement | HTMLTextAreaElement>(
      "select, input:not([type=hidden], [type=checkbox]), textarea",
    ),
  ];
  fields.find((field) => field.required && field.value === "")?.focus();
});

document.addEventListener("click", (event) => {
  const box = dialog();
  if (!(event.target instanceof Element) || box?.open !== true) return;
  if (event.target.closest("[data-dialog-close]") === null) return;
  event.preventDefault();
  box.close();
});

// A choice that changes what would happen shows it; keys that walk through a list of
// choices make several.
let looking: ReturnType<typeof setTimeout> | undefined;
document.addEventListener("change", (event) => {
  if (!(event.target instanceof Element) || !event.target.matches("[data-preview]")) return;
  if (dialog()?.open !== true) return;
  clearTimeout(looking);
  looking = setTimeout(() => document.getElementById("bulk-look")?.click(), CHOOSING_MS);
});
// In the dialog htmx fetches the preview; a press before it is ready must not leave.
document.addEventListener("submit", (event) => {
  if (dialog()?.open === true && event.submitter?.id === "bulk-look") event.preventDefault();
});

// -- ticks ---------------------------------------------------------------------------

const bar = document.querySelector<HTMLFormElement>("#bulk-form");
if (bar) watch(bar);

function watch(form: HTMLFormElement): void {
  const ticked = new Set<string>();
  let everything = false;
  let last: HTMLInputElement | undefined;
  const page = form.querySelector<HTMLInputElement>("#bulk-page");
  const all = form.querySelector<HTMLButtonElement>("#bulk-all");
  const count = form.querySelector<HTMLElement>("#bulk-count");
  const hidden = form.querySelector<HTMLInputElement>("input[type=hidden][name=all]");
  const boxes = (): HTMLInputElement[] => [
    ...document.querySelectorAll<HTMLInputElement>(
      "#cockpit-instances input[type=checkbox][name=instance]",
    ),
  ];
  const table = (): HTMLElement | null =>
    document.querySelector<HTMLElement>("#cockpit-instances table[data-all]");

  const show = (): void => {
    const here = boxes();
    for (const box of here) {
      box.checked = everything || ticked.has(box.value);
      box.disabled = everything;
      box.closest("tr")?.classList.toggle("bulk-ticked", box.checked);
    }
    const found = table();
    const shown = here.filter((box) => box.checked).length;
    if (page) {
      page.checked = here.length > 0 && shown === here.length;
      page.indeterminate = shown > 0 && shown < here.length;
      page.disabled = everything || here.length === 0;
    }
    if (all) {
      all.textContent = found?.dataset["all"] ?? "";
      const more = Number(found?.dataset["found"] ?? 0) > here.length;
      all.hidden = everything || !(more && ticked.size > 0);
    }
    if (hidden) hidden.value = everything ? "1" : "";
    form.dataset["selected"] = everything ? "all" : String(ticked.size);
    if (count) count.textContent = said(everything, ticked.size, count, found);
  };
  const clear = (): void => {
    ticked.clear();
    everything = false;
    last = undefined;
    show();
  };

  document.addEventListener("change", (event) => {
    const box = event.target;
    if (!(box instanceof HTMLInputElement)) return;
    if (box === page)
      for (const each of boxes()) {
        if (box.checked) ticked.add(each.value);
        else ticked.delete(each.value);
      }
    else if (box.name === "instance" && box.form === form) {
      if (box.checked) ticked.add(box.value);
      else ticked.delete(box.value);
    } else return;
    show();
  });
  document.addEventListener("click", (event) => {
    const box = event.target;
    if (!(box instanceof HTMLInputElement) || box.name !== "instance") return;
    const here = boxes();
    const [from, to] = [here.indexOf(last ?? box), here.indexOf(box)];
    if (event.shiftKey && from >= 0)
      for (const each of here.slice(Math.min(from, to), Math.max(from, to) + 1)) {
        if (box.checked) ticked.add(each.value);
        else ticked.delete(each.value);
      }
    last = box;
  });
  all?.addEventListener("click", () => {
    everything = true;
    show();
    count?.focus();
  });
  form.querySelector("#bulk-none")?.addEventListener("click", () => {
    clear();
    page?.focus();
  });
  // Without a dialog the form is a page of its own; with one, htmx fetches it.
  form.addEventListener("submit", (event) => event.preventDefault());
  document.body.addEventListener("cockpit:instances", () => {
    const state = document.querySelector<HTMLSelectElement>("select[name=state]");
    form.dataset["state"] = state?.value ?? "any";
    clear();
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    const target = (event as CustomEvent<{ target: Element }>).detail.target;
    if (target.id === "cockpit-instances") show();
  });
  show();
}

/** What is selected; of all that fit only as many as were counted are told. */
function said(
  everything: boolean,
  number: number,
  texts: HTMLElement,
  found: HTMLElement | null,
): string {
  if (everything) return found?.dataset["allTold"] ?? "";
  if (number === 0) return "";
  if (number === 1) return texts.dataset["one"] ?? "";
  return (texts.dataset["many"] ?? "").replace("#", String(number));
}

export {}; // a module, whose names are its own
