// What has been entered, as one reads it before confirming.

import { t } from "./texts.js";

function labelOf(field: HTMLElement): string {
  const label =
    field.querySelector(".field-label, legend") ?? field.querySelector(".choice span");
  return (label?.textContent ?? field.dataset["field"] ?? "").replace("*", "").trim();
}

function inputs(field: HTMLElement): HTMLInputElement[] {
  return [...field.querySelectorAll("input")];
}

function shownOf(field: HTMLElement): string {
  const first = field.querySelector<HTMLInputElement>("input, textarea, select");
  switch (field.dataset["type"]) {
    case "checkbox":
      return inputs(field)[0]?.checked ? t("Yes") : t("No");
    case "radio":
    case "checklist":
    case "taglist":
      return inputs(field)
        .filter((one) => one.checked)
        .map((one) => one.closest("label")?.textContent.trim() ?? one.value)
        .join(", ");
    case "select":
      return field.querySelector("select")?.selectedOptions[0]?.textContent.trim() ?? "";
    case "weigh":
      return first?.value ? `${first.value} kg` : "";
    case "photo":
      return field.querySelector("img:not([hidden])") ? t("a picture") : "";
    default:
      return first?.value.trim() ?? "";
  }
}

export function fillSummary(form: HTMLElement): void {
  const list = form.querySelector("[data-summary]");
  if (!list) return;
  const fields = [...form.querySelectorAll<HTMLElement>("[data-field]")].filter(
    (field) => field.closest("[data-condition][hidden]") === null,
  );
  list.replaceChildren(
    ...fields.map((field) => {
      const row = document.createElement("div");
      const label = document.createElement("dt");
      const value = document.createElement("dd");
      label.textContent = labelOf(field);
      value.textContent = shownOf(field) || "–";
      row.append(label, value);
      return row;
    }),
  );
}
