// On a task of one card the last button says what its only box would: whoever confirms
// says that it is so. Without scripts the box is there to be ticked.

import { t } from "./texts.js";

export function startPromise(form: HTMLFormElement): void {
  const place = form.querySelector<HTMLElement>("[data-promise]");
  const boxes = boxesOf(form);
  const [box] = boxes;
  if (!place || boxes.length !== 1 || !box) return;
  const label = box.querySelector(".choice span")?.textContent.replace("*", "").trim();
  box.hidden = true;
  place.hidden = false;
  place.textContent = t("You confirm: {what}", { what: label ?? "" });
}

export function keepPromise(form: HTMLFormElement): void {
  const boxes = boxesOf(form);
  if (form.dataset["oneCard"] === undefined || boxes.length !== 1) return;
  const input = boxes[0]?.hidden ? boxes[0].querySelector("input") : null;
  if (input) input.checked = true;
}

function boxesOf(form: HTMLFormElement): HTMLElement[] {
  const boxes = [
    ...form.querySelectorAll<HTMLElement>(".step-one [data-field][data-type=checkbox]"),
  ];
  return boxes.filter((box) => box.querySelector("input[required]") !== null);
}
