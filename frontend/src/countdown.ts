// Time that is left, second by second, wherever an element says until when.

import { t } from "./texts.js";

export function timeLeft(until: Date, now: Date): string {
  const seconds = Math.ceil((until.getTime() - now.getTime()) / 1000);
  if (seconds <= 0) return t("due now");
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const two = (value: number): string => String(value).padStart(2, "0");
  const clock = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  if (days > 0) return t("in {d} d {h} h", { d: days, h: hours });
  return t("in {time}", { time: hours > 0 ? `${hours}:${clock}` : clock });
}

function refresh(): void {
  const now = new Date();
  for (const element of document.querySelectorAll<HTMLElement>("[data-countdown]")) {
    const text = timeLeft(new Date(element.dataset["countdown"] ?? ""), now);
    if (element.textContent !== text) element.textContent = text;
  }
}

export function startCountdowns(): void {
  refresh();
  setInterval(refresh, 1000);
  document.addEventListener("htmx:afterSwap", refresh);
}
