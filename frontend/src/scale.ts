// The weight of the scale beside the worker, without typing: what lies there at rest
// goes into the field of the weight, until somebody types another.

import { writeNumber } from "./fields/controls.js";
import { t } from "./texts.js";

const AGAIN_MS = 1_000;
const LATER_MS = 4_000;

interface Shown {
  state: "still" | "moving" | "away" | "not here" | "none";
  kg?: number | null;
}

export function startScale(form: HTMLFormElement): void {
  const address = form.dataset["scale"];
  const field = form.querySelector<HTMLElement>("[data-field][data-type=weigh]");
  const input = field?.querySelector("input");
  if (!address || !field || !input) return;
  const said = document.createElement("p");
  said.className = "scale-says quiet";
  said.setAttribute("role", "status");
  field.querySelector(".weigh")?.append(said);
  let filled = "";
  const isOurs = (): boolean => input.value === "" || input.value === filled;

  const show = (shown: Shown): void => {
    field.dataset["scale"] = shown.state;
    const text = textOf(shown);
    if (said.textContent !== text) said.textContent = text;
    if (shown.state !== "still" || typeof shown.kg !== "number" || !isOurs()) return;
    const value = writeNumber(shown.kg);
    if (value === input.value) return;
    filled = value;
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const look = async (): Promise<void> => {
    if (!form.isConnected) return;
    let shown: Shown = { state: "none" };
    const seen = document.visibilityState === "visible" && form.dataset["claimed"] !== "free";
    if (seen && navigator.onLine && isOurs()) {
      try {
        const answer = await fetch(address, { headers: { Accept: "application/json" } });
        if (answer.ok) shown = (await answer.json()) as Shown;
      } catch {
        shown = { state: "none" };
      }
      if (isOurs()) show(shown);
    }
    const soon = shown.state === "still" || shown.state === "moving";
    setTimeout(() => void look(), soon ? AGAIN_MS : LATER_MS);
  };
  void look();
}

function textOf(shown: Shown): string {
  switch (shown.state) {
    case "still":
      return t("From the scale, at rest");
    case "moving":
      return t("The scale has not come to rest yet");
    case "away":
      return t("The scale does not answer: type the weight");
    default:
      return "";
  }
}
