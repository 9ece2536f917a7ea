// The frame around each page: theme, menus, times that grow older, failed requests.

import { t, language } from "./texts.js";

const THEMES = ["auto", "light", "dark"];

function chooseTheme(theme: string): void {
  const root = document.documentElement;
  if (theme === "auto") delete root.dataset["theme"];
  else root.dataset["theme"] = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  showTheme();
}

function showTheme(): void {
  const now = document.documentElement.dataset["theme"] ?? "auto";
  for (const button of document.querySelectorAll<HTMLElement>("[data-theme-choice]"))
    button.setAttribute("aria-pressed", String(button.dataset["themeChoice"] === now));
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

export function ago(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
  if (!step) return seconds > 0 ? t("in a moment") : t("just now");
  const [unit, size] = step;
  const style = unit === "day" ? "long" : "short";
  const format = new Intl.RelativeTimeFormat(language(), { style });
  return format.format(Math.trunc(seconds / size), unit);
}

function refreshAges(): void {
  const now = new Date();
  for (const element of document.querySelectorAll<HTMLTimeElement>("time[data-ago]"))
    element.textContent = ago(new Date(element.dateTime), now);
}

function closeOtherMenus(event: Event): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
    if (!(event.target instanceof Node && menu.contains(event.target))) menu.open = false;
}

let clearing: ReturnType<typeof setTimeout> | undefined;

export function say(message: string, kind: "ok" | "bad" = "ok"): void {
  const box = document.getElementById("toast");
  if (!box) return;
  box.textContent = message;
  box.dataset["kind"] = kind;
  box.hidden = false;
  clearTimeout(clearing);
  clearing = setTimeout(() => (box.hidden = true), 6000);
}

document.addEventListener("click", (event) => {
  closeOtherMenus(event);
  const chosen =
    event.target instanceof Element
      ? event.target.closest<HTMLElement>("[data-theme-choice]")
      : null;
  const theme = chosen?.dataset["themeChoice"];
  if (theme && THEMES.includes(theme)) chooseTheme(theme);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector<HTMLDetailsElement>("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary")?.focus();
});

document.addEventListener("htmx:responseError", (event) => {
  const { xhr } = (event as CustomEvent<{ xhr: XMLHttpRequest }>).detail;
  if (xhr.status === 401) location.reload();
  else say(problemText(xhr), "bad");
});

document.addEventListener("htmx:sendError", () =>
  say(t("The server does not answer. Try again in a moment."), "bad"),
);

function problemText(xhr: XMLHttpRequest): string {
  const type = xhr.getResponseHeader("content-type") ?? "";
  if (type.includes("json"))
    try {
      const problem = JSON.parse(xhr.responseText) as Record<string, unknown>;
      const text = problem["detail"] ?? problem["error"] ?? problem["title"];
      if (typeof text === "string") return text;
    } catch {
      return t("That did not work.");
    }
  if (type.startsWith("text/plain") && xhr.responseText) return xhr.responseText;
  return t("That did not work.");
}

// On phones the rows of links scroll sideways: show where one is.
for (const here of document.querySelectorAll(".bar-nav [aria-current], .sections [aria-current]"))
  here.scrollIntoView({ block: "nearest", inline: "center" });

showTheme();
refreshAges();
setInterval(refreshAges, 20_000);
document.addEventListener("htmx:afterSwap", refreshAges);
