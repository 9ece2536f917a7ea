// A keypad for gloves: most of a code is digits, and a tablet's own keys are too small.

import { t } from "../texts.js";

const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "-", "0"];

/** Shows the keypad below a field, or takes it away again. */
export function toggleKeypad(input: HTMLInputElement, done: () => void): void {
  const field = input.parentElement!;
  const shown = field.querySelector(".keypad");
  if (shown) {
    shown.remove();
    return;
  }
  const pad = document.createElement("div");
  pad.className = "keypad";
  pad.setAttribute("role", "group");
  pad.setAttribute("aria-label", t("Keypad"));
  const key = (text: string, label: string, press: () => void): void => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button";
    button.textContent = text;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", press);
    pad.append(button);
  };
  const write = (value: string): void => {
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  for (const digit of KEYS) key(digit, digit, () => write(input.value + digit));
  key("⌫", t("Delete the last character"), () => write(input.value.slice(0, -1)));
  key("ABC", t("Letters"), () => {
    input.inputMode = "text";
    input.focus();
  });
  key("OK", t("Take this code"), () => {
    pad.remove();
    done();
  });
  field.append(pad);
}
