/**
 * The cockpit's pages: fetch again what has changed, and search without loading anew.
 * Figures follow the history with a second's delay, so a hint is followed up once more.
 */

const TOPICS = ["tasks", "instances", "incidents"];
const SOON_MS = 50;
const GAP_MS = 1000;
const FOLLOW_UP_MS = 1600;
const TYPING_MS = 400;
const TYPED = ["q", "value"];

let timer: ReturnType<typeof setTimeout> | undefined;
let due = Infinity;
let lastAt = 0;
let followUp = false;

function tell(name: string): void {
  document.body.dispatchEvent(new CustomEvent(`cockpit:${name}`));
}

function schedule(at: number): void {
  if (at >= due) return;
  clearTimeout(timer);
  due = at;
  timer = setTimeout(refresh, at - Date.now());
}

function refresh(): void {
  due = Infinity;
  lastAt = Date.now();
  tell("refresh");
  if (!followUp) return;
  followUp = false;
  schedule(lastAt + FOLLOW_UP_MS);
}

function changed(): void {
  followUp = true;
  schedule(Math.max(Date.now() + SOON_MS, lastAt + GAP_MS));
}

for (const topic of TOPICS) document.body.addEventListener(`live:${topic}`, changed);

const filter = document.querySelector<HTMLFormElement>("#cockpit-filter");
if (filter) watch(filter);

function watch(form: HTMLFormElement): void {
  let typing: ReturnType<typeof setTimeout> | undefined;
  const field = (name: string): HTMLInputElement | null =>
    form.querySelector<HTMLInputElement>(`input[type=hidden][name=${name}]`);
  const set = (name: string, value: string): void => {
    const found = field(name);
    if (found) found.value = value;
  };

  /** The address always says what the page shows, so that it can be sent to others. */
  const note = (): void => {
    const parts = asked();
    history.replaceState(history.state, "", parts ? `?${parts}` : location.pathname);
  };
  const asked = (): string => {
    const parts = new URLSearchParams();
    for (const [name, value] of new FormData(form))
      if (typeof value === "string" && value !== "" && usual(name) !== value)
        parts.set(name, value);
    return parts.toString();
  };
  const search = (): void => {
    clearTimeout(typing);
    typing = undefined;
    set("below", "");
    note();
    tell("instances");
    if (new FormData(form).get("only") !== null) tell("steps");
  };
  const show = (mode: string): void => {
    set("show", mode);
    for (const button of document.querySelectorAll<HTMLElement>("[data-show][aria-pressed]"))
      button.setAttribute("aria-pressed", String(button.dataset["show"] === mode));
    const steps = document.querySelector<HTMLElement>("#cockpit-steps");
    if (steps) steps.dataset["show"] = mode;
    note();
    tell("marked");
  };
  const choose = (element: string): void => {
    set("element", field("element")?.value === element ? "" : element);
    search();
    tell("steps");
  };

  form.addEventListener("submit", (event) => {
    const pressed = event.submitter?.dataset["show"];
    event.preventDefault();
    if (pressed) show(pressed);
    else search();
  });
  for (const control of form.elements) {
    control.addEventListener("change", () => {
      const name = control.getAttribute("name") ?? "";
      // Whoever leaves a field has often waited until what was typed was found.
      if (TYPED.includes(name) && typing === undefined) return;
      if (!["window", "from", "to", "only"].includes(name)) return search();
      const own = new FormData(form).get("window") === "own";
      document.querySelector("[data-own-dates]")?.toggleAttribute("hidden", !own);
      note();
      tell("steps");
    });
    control.addEventListener("input", () => {
      if (!TYPED.includes(control.getAttribute("name") ?? "")) return;
      clearTimeout(typing);
      typing = setTimeout(search, TYPING_MS);
    });
  }
  /** Older and newer instances: a page back in the browser is a page back here. */
  const turn = (below: string): void => {
    set("below", below);
    tell("page");
  };
  document.addEventListener("click", (event) => {
    const link =
      event.target instanceof Element
        ? event.target.closest<HTMLElement>("a[data-choose], a[data-below]")
        : null;
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { choose: element, below } = link.dataset;
    if (below === undefined) return choose(element ?? "");
    history.pushState(null, "");
    turn(below);
    note();
    document.querySelector<HTMLElement>("#instances-title")?.focus();
  });
  addEventListener("popstate", () => {
    const before = new URLSearchParams(location.search);
    const now = new URLSearchParams(asked());
    const below = before.get("below") ?? "";
    for (const address of [before, now]) {
      address.delete("below");
      address.sort();
    }
    if (before.toString() === now.toString()) turn(below);
    else location.reload();
  });
  document.body.addEventListener("cockpit:choose", (event) =>
    choose((event as CustomEvent<string>).detail),
  );
}

function usual(name: string): string {
  return { show: "live", window: "week", state: "running" }[name] ?? "";
}
