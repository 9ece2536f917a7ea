// A timer where the recipe has one. It goes on when the page is left: the browser keeps
// until when, by task.

import { t } from "./texts.js";

export function startTimer(): void {
  const box = document.querySelector<HTMLElement>("[data-timer]");
  const start = box?.querySelector<HTMLButtonElement>("[data-timer-start]");
  const left = box?.querySelector<HTMLOutputElement>(".task-timer-left");
  if (!box || !start || !left) return;
  const key = `mpms-timer-${box.dataset["timerKey"] ?? ""}`;
  const wholeMs = Number(box.dataset["timer"]) * 60_000;
  let until = Number(localStorage.getItem(key) ?? 0);
  let rung = until > 0 && until <= Date.now();
  start.hidden = false;
  start.addEventListener("click", () => {
    until = Date.now() + wholeMs;
    rung = false;
    localStorage.setItem(key, String(until));
    tick();
  });
  const tick = (): void => {
    if (!box.isConnected) return;
    const runs = until > 0;
    const rest = Math.max(0, Math.ceil(((runs ? until - Date.now() : wholeMs) / 1000)));
    left.textContent = clock(rest);
    box.dataset["state"] = !runs ? "ready" : rest > 0 ? "running" : "over";
    start.textContent = runs ? t("Start again") : t("Start the timer");
    if (runs && rest === 0 && !rung) {
      rung = true;
      left.setAttribute("aria-live", "assertive");
      left.textContent = t("The time is over");
      ring();
    } else if (runs && rest === 0) left.textContent = t("The time is over");
  };
  tick();
  setInterval(tick, 500);
}

function clock(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

function ring(): void {
  (navigator as { vibrate?: (pattern: number[]) => boolean }).vibrate?.([300, 150, 300]);
  try {
    const audio = new AudioContext();
    const tone = audio.createOscillator();
    tone.frequency.value = 660;
    tone.connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.8);
    tone.addEventListener("ended", () => void audio.close());
  } catch {
    // No sound: the page says it.
  }
}
