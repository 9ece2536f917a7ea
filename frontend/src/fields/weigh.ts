// The tolerance bar: the middle third is what is right.

import { formatKg, t } from "../texts.js";
import { valueOf } from "./controls.js";
import { type Field, isNumber, type Names, weighLimits } from "./rules.js";

const SLACK_KG = 1e-9;

export function showWeight(element: HTMLElement, field: Field, names: Names): void {
  const box = element.querySelector<HTMLElement>(".weigh")!;
  const said = box.querySelector<HTMLElement>(".weigh-state")!;
  const mark = box.querySelector(".weigh-mark");
  const value = valueOf(element);
  const { target, tolerance } = weighLimits(field, names);
  if (!isNumber(value) || target === null || tolerance === null) {
    box.dataset.state = "empty";
    setText(said, "");
    mark?.setAttribute("visibility", "hidden");
    return;
  }
  const off = value - target;
  const right = Math.abs(off) <= tolerance + SLACK_KG;
  box.dataset.state = right ? "right" : off < 0 ? "little" : "much";
  const amount = formatKg(Math.abs(off));
  setText(
    said,
    right
      ? t("Within tolerance")
      : off < 0
        ? t("{amount} too little", { amount })
        : t("{amount} too much", { amount }),
  );
  const share = tolerance > 0 ? off / tolerance : Math.sign(off) * 3;
  const place = 150 + Math.max(-2.9, Math.min(2.9, share)) * 50;
  mark?.setAttribute("x1", String(place));
  mark?.setAttribute("x2", String(place));
  mark?.setAttribute("visibility", "visible");
}

// A live region that is set to the same text is read out again.
function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
