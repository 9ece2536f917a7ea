// A sound when something more waits for a decision, for whoever has switched it on.

import { t } from "./texts.js";

const KEY = "alarm-sound";
let before: number | null = null;
let audio: AudioContext | null = null;

function isOn(): boolean {
  return localStorage.getItem(KEY) === "on";
}

// Two tones; a file would have to be fetched in the very moment the network is bad.
function ring(): void {
  audio ??= new AudioContext();
  void audio.resume();
  const begin = audio.currentTime;
  [880, 660].forEach((hertz, turn) => {
    if (!audio) return;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(0.25, begin + turn * 0.22);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + turn * 0.22 + 0.2);
    tone.connect(volume).connect(audio.destination);
    tone.start(begin + turn * 0.22);
    tone.stop(begin + turn * 0.22 + 0.2);
  });
  const rung = Number(document.documentElement.dataset["rung"] ?? 0);
  document.documentElement.dataset["rung"] = String(rung + 1);
}

export function noteAlarms(count: number): void {
  if (before !== null && count > before && isOn()) ring();
  before = count;
}

function draw(button: HTMLElement): void {
  button.setAttribute("aria-pressed", String(isOn()));
  button.textContent = isOn() ? t("Sound is on") : t("Sound is off");
}

function look(): void {
  const badge = document.getElementById("alarm-count");
  if (badge) noteAlarms(Number.parseInt(badge.dataset["count"] ?? "0", 10));
  for (const button of document.querySelectorAll<HTMLElement>("[data-alarm-sound]")) draw(button);
}

export function startSound(): void {
  look();
  document.addEventListener("htmx:afterSettle", look);
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-alarm-sound]");
    if (!button) return;
    localStorage.setItem(KEY, isOn() ? "off" : "on");
    if (isOn()) ring(); // browsers let a page sound only after a press; and one hears it
    draw(button);
  });
}
