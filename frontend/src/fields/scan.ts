// Codes of lots and places: from a scanner that types like a keyboard, from the camera,
// or from the keypad. A wrong code fills the screen in red, buzzes and shakes.

import { assetUrl } from "../assets.js";
import { t } from "../texts.js";
import { fieldsIn } from "./controls.js";
import { plainCode } from "./gs1.js";
import { toggleKeypad } from "./keypad.js";
import { say } from "./reasons.js";
import type { Problem } from "./rules.js";

/** Scanners type a character every few milliseconds; slow tablets take their time. */
const FAST_MS = 50;
const SAME_CODE_MS = 1000;
const SHORTEST_CODE = 3;

interface Around {
  problem: (element: HTMLElement) => Problem | undefined;
  changed: (element: HTMLElement) => void;
}

export interface Camera {
  scanCode: (hint: string) => Promise<string | null>;
}

export function enhanceScans(root: HTMLElement, around: Around): void {
  const elements = fieldsIn(root).filter((one) => one.dataset.type === "scan");
  for (const element of elements) enhanceScan(element, around);
  if (elements.length > 0) catchWedge(root, around);
}

function enhanceScan(element: HTMLElement, around: Around): void {
  const input = inputOf(element);
  const tools = element.querySelector<HTMLElement>(".scan-tools")!;
  tools.hidden = false;
  // Browsers give no camera to pages without TLS.
  const camera = tools.querySelector<HTMLElement>("[data-scan=camera]")!;
  camera.hidden = !("mediaDevices" in navigator);
  // The keyboard of the tablet stays away until somebody asks for it.
  input.inputMode = "none";
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    take(element, input.value, around);
  });
  input.addEventListener("input", () => setState(element, input.value ? "typed" : "empty"));
  input.addEventListener("blur", () => {
    input.inputMode = "none";
  });
  tools.addEventListener("click", (event) => {
    const wish = (event.target as Element).closest<HTMLElement>("[data-scan]");
    if (wish?.dataset.scan === "keypad") {
      toggleKeypad(input, () => take(element, input.value, around));
    } else if (wish) void fromCamera(element, around);
  });
  showScan(element, around.problem);
}

/** Whether the code that stands in the field is right. */
export function showScan(element: HTMLElement, problem: Around["problem"]): void {
  const { value } = inputOf(element);
  setState(element, value ? (problem(element) ? "wrong" : "right") : "empty");
}

async function fromCamera(element: HTMLElement, around: Around): Promise<void> {
  try {
    const camera = (await import(assetUrl("scanner.js"))) as Camera;
    const label = element.querySelector(".field-label")?.textContent ?? "";
    const code = await camera.scanCode(label.trim());
    if (code !== null) take(element, code, around);
  } catch {
    await refuse(t("The camera cannot be used here. Type the code or use a scanner."));
  }
}

function take(element: HTMLElement, code: string, around: Around): void {
  const input = inputOf(element);
  input.value = plainCode(code.trim());
  around.changed(element);
  const problem = input.value === "" ? undefined : around.problem(element);
  setState(element, problem ? "wrong" : input.value ? "right" : "empty");
  if (!problem) {
    if (input.value) {
      buzz([60]);
      element.dispatchEvent(
        new CustomEvent("scan:right", { bubbles: true, detail: input.value }),
      );
    }
    return;
  }
  const wrong = input.value;
  void refuse(reasonOf(problem), wrong).then(() => {
    if (input.value !== wrong) return; // the next scan came before the button
    input.value = "";
    around.changed(element);
    setState(element, "empty");
    input.focus();
  });
}

function reasonOf(problem: Problem): string {
  const { expected } = problem.values;
  return expected === undefined ? say(problem) : t("{expected} is expected here.", { expected });
}

/** What a scanner types while no input has the focus goes to the first open field. */
function catchWedge(root: HTMLElement, around: Around): void {
  let typed = "";
  let last = 0;
  const listen = (event: KeyboardEvent): void => {
    if (!root.isConnected) {
      document.removeEventListener("keydown", listen, true);
      return;
    }
    const target = event.target as HTMLElement;
    const writes = target.closest("input, textarea, select, [contenteditable]");
    if (writes || event.ctrlKey || event.altKey || event.metaKey) return;
    const gapMs = event.timeStamp - last;
    last = event.timeStamp;
    if (event.key === "Enter") {
      const code = typed;
      typed = "";
      if (gapMs > SAME_CODE_MS || code.length < SHORTEST_CODE) return;
      const element = openField(root);
      if (!element) return;
      event.preventDefault();
      event.stopPropagation();
      closeRefusal();
      take(element, code, around);
    } else if (event.key.length === 1) {
      typed = gapMs < SAME_CODE_MS ? typed + event.key : event.key;
      // A space in the middle of a code must not press a button.
      if (gapMs < FAST_MS) event.preventDefault();
    }
  };
  document.addEventListener("keydown", listen, true);
}

function openField(root: HTMLElement): HTMLElement | undefined {
  const open = fieldsIn(root).filter(
    (one) => one.dataset.type === "scan" && one.getClientRects().length > 0,
  );
  return open.find((one) => inputOf(one).value === "") ?? open[0];
}

function inputOf(element: HTMLElement): HTMLInputElement {
  return element.querySelector<HTMLInputElement>(".scan-input")!;
}

function setState(element: HTMLElement, state: string): void {
  element.querySelector<HTMLElement>(".scan")!.dataset.state = state;
}

function closeRefusal(): void {
  document.querySelector<HTMLDialogElement>(".scan-wrong[open]")?.close();
}

function refuse(reason: string, code = ""): Promise<void> {
  closeRefusal();
  const dialog = document.createElement("dialog");
  dialog.className = "scan-wrong";
  const title = document.createElement("h2");
  title.id = "scan-wrong-title";
  title.textContent = code ? t("Wrong code") : t("No camera");
  const shown = document.createElement("p");
  shown.className = "scan-wrong-code";
  shown.textContent = code;
  const why = document.createElement("p");
  why.textContent = reason;
  const again = document.createElement("button");
  again.className = "button scan-wrong-again";
  again.type = "button";
  again.textContent = code ? t("Scan again") : t("Back");
  again.addEventListener("click", () => dialog.close());
  dialog.setAttribute("role", "alertdialog");
  dialog.setAttribute("aria-labelledby", title.id);
  dialog.append(title, ...(code ? [shown] : []), why, again);
  document.body.append(dialog);
  dialog.showModal();
  if (code) {
    buzz([200, 100, 200]);
    beep();
  }
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve();
    });
  });
}

function buzz(pattern: number[]): void {
  (navigator as { vibrate?: (pattern: number[]) => boolean }).vibrate?.(pattern);
}

function beep(): void {
  try {
    const audio = new AudioContext();
    const tone = audio.createOscillator();
    tone.type = "square";
    tone.frequency.value = 220;
    tone.connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.35);
    tone.addEventListener("ended", () => void audio.close());
  } catch {
    // No sound: the red screen says it all.
  }
}
