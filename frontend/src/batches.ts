/**
 * Bulk actions. On the page of a process: instances are ticked, and stay ticked when
 * the list is fetched anew or turned to older ones; actions open in a dialog. On their own pages: progress is
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

type Typed = HTMLSelectElement | HTMLInputElement | HTMLTextAreaElement;

function fieldsOf(box: HTMLElement): Typed[] {
  return [...box.querySelectorAll<Typed>("select, input:not([type=hidden]), textarea")];
}

// A preview tells of what was chosen when it was asked for. Whatever was typed since then
// stays, and so does the place one types at.
let typed: Typed[] = [];
let typing: Element | null = null;
document.addEventListener("htmx:beforeSwap", (event) => {
  const box = dialog();
  if ((event as CustomEvent<{ target: Element }>).detail.target.id !== BODY || !box) return;
  typed = box.open ? fieldsOf(box) : [];
  typing = document.activeElement;
});

function goOnTyping(fields: Typed[]): void {
  for (const old of typed) {
    const field = fields.find(({ name, type }) => name === old.name && type === old.type);
    if (!field) continue;
    field.value = old.value;
    if (field instanceof HTMLInputElement && old instanceof HTMLInputElement)
      field.checked = old.checked;
    if (old === typing) field.focus();
    if (field instanceof HTMLTextAreaElement && old instanceof HTMLTextAreaElement)
      field.setSelectionRange(old.selectionStart, old.selectionEnd);
  }
  typed = [];
}

document.addEventListener("htmx:afterSwap", (event) => {
  const target = (event as CustomEvent<{ target: Element }>).detail.target;
  const box = dialog();
  if (target.id !== BODY || box === null) return;
  if (!box.open) box.showModal();
  const fields = fieldsOf(box);
  goOnTyping(fields);
  if (document.activeElement instanceof HTMLTextAreaElement) return;
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
  let told = ""; // of everything; only the first page says how many fit
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
  const elsewhere = form.appendChild(document.createElement("span"));
  elsewhere.hidden = true;
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
    elsewhere.replaceChildren(
      ...(everything ? [] : [...ticked])
        .filter((id) => !here.some((box) => box.value === id))
        .map(carried),
    );
    form.dataset["selected"] = everything ? "all" : String(ticked.size);
    told = found?.dataset["allTold"] ?? told;
    if (count) count.textContent = everything ? told : said(ticked.size, count);
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

/** What is ticked on another page of the list goes along unseen. */
function carried(id: string): HTMLInputElement {
  const input = document.createElement("input");
  [input.type, input.name, input.value] = ["hidden", "instance", id];
  return input;
}

function said(number: number, texts: HTMLElement): string {
  if (number === 0) return "";
  if (number === 1) return texts.dataset["one"] ?? "";
  return (texts.dataset["many"] ?? "").replace("#", String(number));
}

export {}; // a module, whose names are its own
