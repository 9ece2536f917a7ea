// Buttons over the map: zoom, and what is drawn.

import { t } from "../../texts.js";
import type { Viewport } from "./viewport.js";

export interface Layer {
  name: string;
  on: boolean;
  show: (on: boolean) => void;
}

function button(label: string, text: string, act: () => void): HTMLButtonElement {
  const element = document.createElement("button");
  element.type = "button";
  element.className = "map-tool";
  element.textContent = text;
  if (label !== text) {
    element.setAttribute("aria-label", label);
    element.title = label;
  }
  element.addEventListener("click", act);
  return element;
}

function group(className: string, label: string, tools: HTMLElement[]): HTMLElement {
  const element = document.createElement("div");
  element.className = className;
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", label);
  element.append(...tools);
  return element;
}

export function zoomTools(view: Viewport): HTMLElement {
  return group("map-zoom", t("Zoom"), [
    button(t("Closer"), "+", () => view.closer()),
    button(t("Farther"), "−", () => view.farther()),
    button(t("Whole floor"), "⤢", () => view.fit()),
  ]);
}

export function layerTools(layers: Layer[]): HTMLElement {
  const tools = layers.map((layer) => {
    const element = button(layer.name, layer.name, () => {
      layer.on = !layer.on;
      element.setAttribute("aria-pressed", String(layer.on));
      layer.show(layer.on);
    });
    element.setAttribute("aria-pressed", String(layer.on));
    layer.show(layer.on);
    return element;
  });
  return group("map-layers", t("Layers"), tools);
}
